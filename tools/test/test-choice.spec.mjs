import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { SetupError } from '../setup/setup-error.mjs';
import { choose } from './test-choice.mjs';

const FILES = [
  'apps/payments/src/claim.ts',
  'apps/payments/src/claim.spec.ts',
  'apps/payments/e2e/claims.spec.ts',
  'apps/payments/e2e/death.long.spec.ts',
  'libs/kernels/src/fft.spec.ts',
  'libs/durability/e2e/verifier.foreign.spec.ts',
  'tools/bench/smoke.long.spec.mjs',
  'tools/tidy/tidy.spec.mjs',
  'docs/testing.md',
];
const chosen = (words, { cwd = '/repository', full = false } = {}) =>
  choose({ root: '/repository', cwd, files: FILES, words, gates: ['tidy', 'lint'], full });
const filesOf = (...args) => {
  const { suites, nodeSuites } = chosen(...args);
  return [...suites, ...nodeSuites].map(({ file }) => file);
};
const refused = (words, pattern) =>
  assert.throws(
    () => chosen(words),
    error => error instanceof SetupError && error.exitCode === 2 && pattern.test(error.message),
  );

describe('what npm test is of', () => {
  it('is everything but the long and foreign suites where nothing is named', () => {
    const { gates, tiers, everything } = chosen([]);
    assert.deepEqual([gates, tiers, everything], [['tidy', 'lint'], ['unit', 'service'], true]);
    assert.equal(filesOf([]).length, 4);
    assert.equal(filesOf([], { full: true }).length, 6);
  });

  it('is a gate, a tier, or the tools alone', () => {
    assert.deepEqual(chosen(['lint']).gates, ['lint']);
    assert.deepEqual(filesOf(['lint']), []);
    assert.deepEqual(filesOf(['service']), ['apps/payments/e2e/claims.spec.ts']);
    assert.deepEqual(filesOf(['tools']), ['tools/tidy/tidy.spec.mjs']);
    assert.deepEqual(filesOf(['foreign']), ['libs/durability/e2e/verifier.foreign.spec.ts']);
  });

  it('is of the long tier also what Node runs', () => {
    assert.deepEqual(filesOf(['long']), [
      'apps/payments/e2e/death.long.spec.ts',
      'tools/bench/smoke.long.spec.mjs',
    ]);
  });

  it('is the unit and service suites of a folder, however its path is written', () => {
    const payments = ['apps/payments/src/claim.spec.ts', 'apps/payments/e2e/claims.spec.ts'];
    for (const path of ['apps/payments', './apps/payments/', 'apps//payments', '/repository/apps/payments'])
      assert.deepEqual(filesOf([path]), payments, path);
    assert.deepEqual(filesOf(['.'], { cwd: join('/repository', 'apps/payments') }), payments);
    assert.equal(filesOf(['.']).length, 4);
    assert.deepEqual(filesOf(['tools/tidy']), ['tools/tidy/tidy.spec.mjs']);
  });

  it('is a suite of another tier where its file is named', () => {
    for (const file of FILES.filter(name => /\.(long|foreign)\.spec\./.test(name)))
      assert.deepEqual(filesOf([file]), [file]);
  });

  it('is never nothing: a word that selects none is refused with what is nearest', () => {
    refused(
      ['apps/paiments'],
      /^There is no gate, tier, folder or file apps\/paiments; the nearest is apps\/payments\.$/,
    );
    refused(['servise'], /the nearest is service\.$/);
    refused(['/elsewhere'], /^\/elsewhere lies outside of this repository\.$/);
    refused(['service', 'libs/kernels'], /^No service suite lies in libs\/kernels; it has suites of unit\.$/);
    refused(
      ['unit', 'libs/durability/e2e'],
      /^No unit suite lies in libs\/durability\/e2e; it has suites of foreign\.$/,
    );
    refused(['libs/durability'], /it has suites of foreign\.$/);
    refused(
      ['tools', 'apps/payments'],
      /^No tools suite lies in apps\/payments; it has suites of unit, service, long\.$/,
    );
    refused(['docs/testing.md'], /^No suite .* lies in docs\/testing\.md; the nearest suite is /);
    refused(['apps/payments/src/claim.ts'], /the nearest suite is apps\/payments\/src\/claim\.spec\.ts\.$/);
    refused(['unit', 'service', 'libs/kernels'], /^No service suite lies in libs\/kernels/);
  });
});
