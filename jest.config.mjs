import { manifestTree, packageEntries, packageFolders } from './tools/test/package-entries.mjs';

const root = import.meta.dirname;
/** Package names lead to sources: tests need no build, and Jest sees which suites reach a file through other packages. */
const sources = [...packageEntries(manifestTree(root))].map(([name, file]) => [
  `^${name}$`,
  `<rootDir>/${file}`,
]);

/** One project for all packages: what a suite does alone is what it does in the whole run. */
export default {
  rootDir: root,
  roots: packageFolders(root).map(folder => `<rootDir>/${folder}`),
  modulePathIgnorePatterns: ['/dist/', '/out-tsc/'],
  testEnvironment: 'node',
  testMatch: ['**/src/**/*.spec.ts', '**/e2e/**/*.spec.ts'],
  extensionsToTreatAsEsm: ['.ts'],
  testEnvironmentOptions: { customExportConditions: ['@svc/source', 'node', 'node-addons'] },
  transform: {
    '^.+\\.ts$': [
      '<rootDir>/tools/test/source-transform.mjs',
      {
        swcrc: false,
        jsc: {
          target: 'es2022',
          parser: { syntax: 'typescript', decorators: true },
          transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: false },
          keepClassNames: true,
        },
        module: { type: 'es6' },
        sourceMaps: 'inline',
      },
    ],
  },
  moduleNameMapper: { ...Object.fromEntries(sources), '^(\\.{1,2}/.*)\\.js$': '$1' },
  testRunner: '<rootDir>/tools/test/suite-runner.mjs',
  testSequencer: '<rootDir>/tools/test/longest-first.mjs',
  reporters: ['<rootDir>/tools/test/suite-reporter.mjs'],
  // A worker keeps the modules of every file that it has run; what grows beyond this is replaced.
  workerIdleMemoryLimit: '1GB',
};
