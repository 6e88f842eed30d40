const common = {
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      { jsc: { target: 'es2022', parser: { syntax: 'typescript', decorators: false } }, module: { type: 'es6' }, sourceMaps: 'inline' },
    ],
  },
  setupFiles: ['<rootDir>/test/harness/setup.ts'],
};

export default {
  // Two cores: more workers only fight each other.
  maxWorkers: 2,
  // How fast a test is says nothing on a busy machine: only one that hangs is ended.
  testTimeout: 30_000,
  projects: [
    { ...common, displayName: 'unit', testMatch: ['<rootDir>/src/**/*.test.ts'], testPathIgnorePatterns: ['/node_modules/', '\\.real\\.test\\.ts$'] },
    { ...common, displayName: 'integration', testMatch: ['<rootDir>/test/integration/**/*.test.ts'], testPathIgnorePatterns: ['/node_modules/', '/test/integration/native/'] },
    // With real containers, networks and registries: as root, with the packages that scripts/test installs.
    { ...common, displayName: 'real', testMatch: ['<rootDir>/src/**/*.real.test.ts', '<rootDir>/test/integration/native/**/*.test.ts'] },
    { ...common, displayName: 'e2e', testMatch: ['<rootDir>/test/e2e/**/*.test.ts'] },
    { ...common, displayName: 'robustness', testMatch: ['<rootDir>/test/robustness/**/*.test.ts'] },
  ],
};
