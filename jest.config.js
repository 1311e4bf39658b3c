const jestJupyterLab = require('@jupyterlab/testing/lib/jest-config');

const esModules = [
  '@codemirror',
  '@jupyter',
  '@jupyterlab',
  '@lezer',
  '@marijn',
  '@microsoft',
  '@rjsf',
  'color',
  'crelt',
  'exenv-es6',
  'lib0',
  'marked',
  'nanoid',
  'style-mod',
  'vscode-ws-jsonrpc',
  'w3c-keyname',
  'y-protocols',
  'y-websocket',
  'yjs'
].join('|');

const base = jestJupyterLab(__dirname);

module.exports = {
  ...base,
  automock: false,
  collectCoverageFrom: [
    'src/**/*.{ts,tsx}',
    '!src/**/__tests__/**',
    '!src/api/generated.ts'
  ],
  coverageReporters: ['lcov', 'text-summary'],
  modulePathIgnorePatterns: [
    '<rootDir>/themisto_lab/labextension',
    '<rootDir>/lib',
    '<rootDir>/build',
    '<rootDir>/ui-tests'
  ],
  reporters: ['default'],
  testPathIgnorePatterns: ['/node_modules/', '<rootDir>/lib/'],
  testRegex: 'src/.*/__tests__/.*\\.spec\\.tsx?$',
  transform: {
    ...base.transform,
    '^.+\\.tsx?$': ['ts-jest', { tsconfig: './tsconfig.test.json' }]
  },
  transformIgnorePatterns: [`/node_modules/(?!${esModules}).+`]
};
