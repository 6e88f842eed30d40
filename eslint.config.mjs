import boundaries from 'eslint-plugin-boundaries';
import tseslint from 'typescript-eslint';
import { LAYERS, OPEN } from './scripts/layers.mjs';

const el = (type) => ({ element: { type } });
const door = (type) => ({ element: { type, fileInternalPath: 'index.ts' } });
const policies = Object.entries(LAYERS).flatMap(([from, to]) => {
  const inner = to.filter((t) => !OPEN.includes(t));
  const free = to.filter((t) => OPEN.includes(t));
  return [
    ...(inner.length ? [{ from: el(from), allow: { to: door(inner) } }] : []),
    ...(free.length ? [{ from: el(from), allow: { to: el(free) } }] : []),
  ];
});

const CLOCK = 'Time and randomness come from the injected Clock and Random (src/base), so that tests can run on virtual time.';

export default [
  { ignores: ['src/api/generated/**', 'dist/**'] },
  {
    files: ['src/**/*.ts', 'test/**/*.ts'],
    languageOptions: { parser: tseslint.parser, parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    plugins: { '@typescript-eslint': tseslint.plugin },
    rules: {
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-require-imports': 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': ['error', { checksVoidReturn: { attributes: false } }],
      '@typescript-eslint/no-explicit-any': 'error',
      'max-lines': ['error', { max: 600 }],
      'no-var': 'error',
      'prefer-const': 'error',
      eqeqeq: 'error',
    },
  },
  {
    files: ['src/**/*.ts'],
    plugins: { boundaries },
    settings: {
      // Without the resolver the rule passes everything; the canaries in test/integration prove that it works.
      'import/resolver': { typescript: { project: './tsconfig.json' } },
      'boundaries/elements': Object.keys(LAYERS).map((type) => ({ type, pattern: `src/${type}` })),
      'boundaries/ignore': ['src/index.ts', '**/*.test.ts'],
    },
    rules: {
      'boundaries/dependencies': ['error', { default: 'disallow', policies }],
      'boundaries/no-unknown-files': 'error',
      'boundaries/no-unknown-dependencies': 'error',
    },
  },
  {
    files: ['src/**/*.ts'],
    ignores: ['src/base/**', 'src/**/*.test.ts'],
    rules: {
      'no-restricted-imports': ['error', { paths: [
        { name: 'node:child_process', message: 'Child processes are started by the broker in src/base/process.' },
        { name: 'child_process', message: 'Child processes are started by the broker in src/base/process.' },
      ] }],
      'no-restricted-globals': ['error',
        { name: 'setTimeout', message: CLOCK }, { name: 'setInterval', message: CLOCK }],
      'no-restricted-properties': ['error',
        { object: 'Date', property: 'now', message: CLOCK },
        { object: 'Math', property: 'random', message: CLOCK },
        { object: 'performance', property: 'now', message: CLOCK },
        { object: 'process', property: 'exit', message: 'Only src/cli/main.ts ends the process.' }],
      'no-restricted-syntax': ['error', { selector: 'NewExpression[callee.name="Date"][arguments.length=0]', message: CLOCK }],
    },
  },
  {
    // The one place that ends the process.
    files: ['src/cli/main.ts'],
    rules: { 'no-restricted-properties': 'off' },
  },
];
