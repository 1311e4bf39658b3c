import eslint from '@eslint/js';
import prettier from 'eslint-config-prettier';
import reactHooks from 'eslint-plugin-react-hooks';
import tseslint from 'typescript-eslint';

export default tseslint.config(
  {
    ignores: [
      'node_modules/**',
      'lib/**',
      'coverage/**',
      'docs/**',
      'ui-tests/**',
      'themisto_lab/**',
      '.venv/**',
      'src/api/generated.ts'
    ]
  },
  eslint.configs.recommended,
  ...tseslint.configs.recommended,
  prettier,
  {
    files: ['src/**/*.{ts,tsx}'],
    languageOptions: {
      parserOptions: { project: './tsconfig.test.json' }
    },
    plugins: { 'react-hooks': reactHooks },
    rules: {
      '@typescript-eslint/await-thenable': 'error',
      '@typescript-eslint/consistent-type-imports': [
        'error',
        { fixStyle: 'inline-type-imports' }
      ],
      '@typescript-eslint/explicit-module-boundary-types': 'error',
      '@typescript-eslint/naming-convention': [
        'error',
        {
          selector: 'interface',
          format: ['PascalCase'],
          custom: { regex: '^I[A-Z]', match: true }
        }
      ],
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-namespace': 'off',
      '@typescript-eslint/no-unused-vars': ['error', { args: 'none' }],
      'react-hooks/rules-of-hooks': 'error',
      'react-hooks/exhaustive-deps': 'error',
      curly: ['error', 'all'],
      eqeqeq: 'error',
      'max-lines': ['error', { max: 300, skipBlankLines: true }],
      'no-console': 'error',
      'prefer-arrow-callback': 'error'
    }
  },
  {
    files: ['*.js'],
    languageOptions: {
      globals: Object.fromEntries(
        [
          'AbortController',
          'AbortSignal',
          'DOMException',
          'ReadableStream',
          'TextDecoder',
          'TextEncoder',
          '__dirname',
          'module',
          'require'
        ].map(name => [name, 'writable'])
      )
    },
    rules: { '@typescript-eslint/no-require-imports': 'off' }
  }
);
