const jestJupyterLab = require('@jupyterlab/testing/lib/jest-config');

// Packages that come as ES modules only. What else JupyterLab has of these is left alone: turning all of it into
// CommonJS takes longer than the tests.
const esModules = ['@jupyter/ydoc', 'lib0', 'y-protocols', 'yjs'].join('|');

const base = jestJupyterLab(__dirname);

module.exports = {
  ...base,
  collectCoverageFrom: [
    'src/**/*.{ts,tsx}',
    '!src/**/__tests__/**',
    '!src/api/generated.ts',
    '!src/testing/**'
  ],
  coverageReporters: ['lcov', 'text-summary'],
  modulePathIgnorePatterns: [
    '<rootDir>/themisto_lab/labextension',
    '<rootDir>/lib',
    '<rootDir>/build',
    '<rootDir>/ui-tests'
  ],
  reporters: ['default'],
  testEnvironment: './jest.environment.js',
  testPathIgnorePatterns: ['/node_modules/', '<rootDir>/lib/'],
  testRegex: 'src/.*/__tests__/.*\\.spec\\.tsx?$',
  transform: {
    ...base.transform,
    '^.+\\.tsx?$': ['ts-jest', { tsconfig: './tsconfig.test.json' }]
  },
  transformIgnorePatterns: [`/node_modules/(?!${esModules}).+`]
};
