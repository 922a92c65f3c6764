import nx from '@nx/eslint-plugin';
import tseslint from 'typescript-eslint';

/** The layers of docs/ARCHITECTURE.md: what each may import. Apps may use every library but kernels. */
const layers = [
  { sourceTag: 'layer:contracts', onlyDependOnLibsWithTags: [] },
  { sourceTag: 'layer:kernels', onlyDependOnLibsWithTags: ['layer:kernels'] },
  { sourceTag: 'layer:engines', onlyDependOnLibsWithTags: ['layer:engines', 'layer:kernels'] },
  { sourceTag: 'layer:protocols', onlyDependOnLibsWithTags: ['layer:protocols', 'layer:kernels'] },
  { sourceTag: 'layer:durability', onlyDependOnLibsWithTags: ['layer:durability', 'layer:kernels'] },
  {
    sourceTag: 'layer:platform',
    onlyDependOnLibsWithTags: ['layer:platform', 'layer:contracts', 'layer:protocols', 'layer:durability'],
  },
  {
    sourceTag: 'layer:client',
    onlyDependOnLibsWithTags: ['layer:contracts', 'layer:protocols', 'engine:verifier'],
  },
  { sourceTag: 'engine:verifier', notDependOnLibsWithTags: ['engine:prover'] },
  { sourceTag: 'app:gateway', notDependOnLibsWithTags: ['layer:engines'] },
  { sourceTag: 'layer:apps', notDependOnLibsWithTags: ['layer:kernels'] },
];

const frameworks = ['@nestjs/*', 'rxjs', 'rxjs/*', 'pg', 'typeorm', '@nats-io/*', 'stripe', 'fastify', '@fastify/*'];

export default [
  { ignores: ['**/dist', '**/out-tsc', '**/wasm', '**/assembly', '**/*.generated.ts', '**/tmp', '.data'] },
  ...tseslint.configs.recommended,
  { plugins: { '@nx': nx } },
  {
    files: ['**/*.ts', '**/*.mjs'],
    rules: {
      '@typescript-eslint/consistent-type-imports': 'off',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@nx/enforce-module-boundaries': [
        'error',
        { enforceBuildableLibDependency: true, allow: ['^.*/jest\\.base\\.mjs$'], depConstraints: layers },
      ],
    },
  },
  {
    files: ['libs/**/*.ts'],
    ignores: ['libs/platform/**'],
    rules: {
      'no-restricted-imports': [
        'error',
        { patterns: [{ group: frameworks, message: 'Frameworks and drivers live in platform and apps alone.' }] },
      ],
    },
  },
  {
    files: ['libs/kernels/src/**/*.ts', 'libs/engines/**/src/**/*.ts'],
    ignores: ['**/node/**', '**/*.spec.ts', '**/*.bench.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            { group: ['node:*'], message: 'Kernels and engines also run in a browser; node code goes into a node/ folder.' },
            { group: frameworks, message: 'Frameworks and drivers live in platform and apps alone.' },
          ],
        },
      ],
    },
  },
];
