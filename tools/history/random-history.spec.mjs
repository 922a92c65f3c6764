import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checkHistory, RULE_NAMES } from './check-history.mjs';
import { FAULTS, recounted } from './faults.mjs';
import { randomHistory, randomOf, textOf } from './random-history.mjs';

const SEEDS = 100;
const PURCHASES = 12;
const seeds = Array.from({ length: SEEDS }, (_, index) => index + 1);
const rulesOf = lines => new Set(checkHistory(textOf(lines)).findings.map(({ rule }) => rule));

describe('random histories', () => {
  it(`hold where nothing is wrong: ${SEEDS} seeds`, () => {
    for (const seed of seeds)
      assert.deepEqual(
        checkHistory(textOf(randomHistory(randomOf(seed), PURCHASES))).findings,
        [],
        `seed ${seed}`,
      );
  });

  it('have lost answers, credits and refusals among them', () => {
    const all = seeds.flatMap(seed => randomHistory(randomOf(seed), PURCHASES));
    const count = isMeant => all.filter(isMeant).length;
    assert.ok(count(({ kind }) => kind === 'lost') > SEEDS);
    assert.ok(count(({ kind, state }) => kind === 'claim' && state === 'credited') > SEEDS);
    assert.ok(count(({ code }) => code === 'PAYMENT_INVALID' || code === 'PAYMENT_INSUFFICIENT') > SEEDS / 2);
  });

  for (const [what, { rules, change }] of Object.entries(FAULTS)) {
    it(`are found out where ${what}: ${rules.join(' or ')}`, () => {
      let tried = 0;
      for (const seed of seeds) {
        const random = randomOf(seed);
        const lines = change(randomHistory(random, PURCHASES), random);
        if (!lines) continue;
        tried++;
        const broken = rulesOf(recounted(lines));
        assert.ok(
          rules.some(rule => broken.has(rule)),
          `seed ${seed}: ${[...broken].join() || 'nothing was found'}`,
        );
      }
      assert.ok(tried > SEEDS / 10, `${tried} histories had a place for it`);
    });
  }

  it('are mutated so that every rule has something to find', () => {
    const named = new Set(Object.values(FAULTS).flatMap(({ rules }) => rules));
    assert.deepEqual(
      RULE_NAMES.filter(rule => !named.has(rule)),
      [],
    );
  });
});
