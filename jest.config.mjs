import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageFolders } from './tools/test/suites.mjs';

const root = import.meta.dirname;

/**
 * Maps each entry of our packages (`@svc/kernels/node`) to its source, as the condition `@svc/source` of its `exports` names
 * it. Tests need no build so, and Jest sees which suites reach a file through other packages.
 *
 * @returns {Record<string, string>}
 */
function sourcesByEntry() {
  const entries = packageFolders(root).flatMap(folder => {
    const { name, exports = {} } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
    return Object.entries(exports).flatMap(([entry, { '@svc/source': source }]) =>
      source ? [[`^${name}${entry.slice(1)}$`, join('<rootDir>', folder, source)]] : [],
    );
  });
  return Object.fromEntries(entries);
}

/** One project for all packages: swc strips the types, and what a project run alone does is what the whole run does. */
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
      '@swc/jest',
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
  moduleNameMapper: { ...sourcesByEntry(), '^(\\.{1,2}/.*)\\.js$': '$1' },
  testRunner: '<rootDir>/tools/test/suite-runner.mjs',
  testSequencer: '<rootDir>/tools/test/longest-first.mjs',
  reporters: ['<rootDir>/tools/test/suite-reporter.mjs'],
  // A worker keeps the modules of every file that it has run; what grows beyond this is replaced.
  workerIdleMemoryLimit: '1GB',
};
