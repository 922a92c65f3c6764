import { readFileSync } from 'node:fs';
import { BLOWUP_FACTORS, PARAMETER_SETS, parametersOf } from './parameters.js';
import {
  johnsonBits,
  queriesForSecurity,
  type RoundBits,
  type SecurityModel,
  securityOf,
  uniqueDecodingBits,
  weakest,
} from './security.js';

const { cases } = JSON.parse(readFileSync(new URL('./security.vectors.json', import.meta.url), 'utf8')) as {
  cases: { model: SecurityModel; rounds: Record<string, RoundBits> }[];
};

const defaults: SecurityModel = {
  traceLength: 65_536,
  blowupFactor: 8,
  queryCount: 57,
  grindingBits: 16,
  columnCount: 25,
  chunkCount: 2,
  constraintCount: 47,
  constraintDegree: 3,
};

function ourRounds(model: SecurityModel, regime: string): RoundBits | undefined {
  return regime === 'uniqueDecoding'
    ? uniqueDecodingBits(model)
    : johnsonBits(model, Number(regime.slice(7)));
}

const rounds = cases.flatMap(({ model, rounds }) =>
  Object.entries(rounds).map(([regime, bits]) => ({ model, regime, theirs: bits })),
);

it('charges folds and batching as soundcalc does, to a thousandth of a bit', () => {
  for (const { model, regime, theirs } of rounds) {
    const ours = ourRounds(model, regime);
    if (!ours || regime === 'uniqueDecoding') continue;
    expect(ours.batching).toBeCloseTo(theirs.batching, 3);
    expect(ours.query).toBeCloseTo(theirs.query, 3);
    expect(ours.folds).toHaveLength(theirs.folds.length);
    ours.folds.forEach((bits, i) => expect(bits).toBeCloseTo(theirs.folds[i], 3));
  }
});

it('never claims more than soundcalc for a list or a unique-decoding round, and less only by the longer code', () => {
  // soundcalc takes the list of the code of dimension N; ours is that of N + 1, whose quotients FRI tests.
  for (const { model, regime, theirs } of rounds) {
    const ours = ourRounds(model, regime);
    if (!ours) continue;
    for (const round of ['ali', 'deep', 'query'] as const) {
      expect(ours[round]).toBeLessThanOrEqual(theirs[round] + 1e-3);
      if (model.traceLength >= 65_536) expect(ours[round]).toBeGreaterThan(theirs[round] - 0.5);
    }
  }
});

it('has no list bound where the longer code decodes no further', () => {
  expect(johnsonBits({ ...defaults, traceLength: 64 }, 200)).toBeUndefined();
  expect(johnsonBits({ ...defaults, traceLength: 64 }, 50)).toBeDefined();
});

it('finds the best multiplicity to a tenth of a bit', () => {
  for (const traceLength of [64, 1024, 65_536, 2 ** 20]) {
    for (const blowupFactor of BLOWUP_FACTORS) {
      const model = { ...defaults, traceLength, blowupFactor, queryCount: 40 };
      let best = weakest(uniqueDecodingBits(model));
      for (let m = 3; m <= 4096; m++)
        best = Math.max(best, weakest(johnsonBits(model, m) ?? uniqueDecodingBits(model)));
      expect(securityOf(model).securityBits).toBeGreaterThanOrEqual(Math.floor(best - 0.1));
      expect(securityOf(model).securityBits).toBeLessThanOrEqual(Math.floor(best));
    }
  }
});

it.each([
  ['P100', 100, [172, 85, 57, 43, 34]],
  ['P128', 128, [222, 110, 73, 55, 44]],
] as const)(
  '%s proves %i bits at every trace length and blowup with the fewest queries',
  (id, target, queries) => {
    const set = PARAMETER_SETS[id];
    expect(BLOWUP_FACTORS.map(blowup => set.queryCounts[blowup])).toEqual(queries);
    const wide = { columnCount: 64, chunkCount: 2, constraintCount: 256, constraintDegree: 3 };
    for (const blowup of BLOWUP_FACTORS) {
      const lengths = Array.from({ length: 15 }, (_, i) => 2 ** (i + 6));
      const bits = (fewer: number) =>
        lengths.map(traceLength => {
          const parameters = parametersOf(set, traceLength, blowup);
          return securityOf({ ...parameters, queryCount: parameters.queryCount - fewer, ...wide })
            .securityBits;
        });
      expect(Math.min(...bits(0))).toBeGreaterThanOrEqual(target);
      expect(Math.min(...bits(1))).toBeLessThan(target);
    }
  },
);

it('keeps the conjectured figure apart and both within the 128 bits of the hash', () => {
  expect(securityOf({ ...defaults, queryCount: 27 })).toEqual({
    securityBits: 56,
    conjecturedSecurityBits: 96,
  });
  expect(securityOf({ ...defaults, queryCount: 500 })).toEqual({
    securityBits: 128,
    conjecturedSecurityBits: 128,
  });
  expect(securityOf({ ...defaults, queryCount: 1, grindingBits: 0 }).securityBits).toBeLessThanOrEqual(1);
});

it('counts every parameter: weakening any one lowers a round', () => {
  const base = johnsonBits(defaults, 50) as RoundBits;
  const changed = (change: Partial<SecurityModel>) =>
    johnsonBits({ ...defaults, ...change }, 50) as RoundBits;
  expect(changed({ queryCount: 56 }).query).toBeLessThan(base.query);
  expect(changed({ grindingBits: 15 }).query).toBeCloseTo(base.query - 1, 9);
  expect(changed({ blowupFactor: 4 }).query).toBeLessThan(base.query);
  expect(changed({ columnCount: 50 }).batching).toBeLessThan(base.batching);
  expect(changed({ chunkCount: 8 }).batching).toBeLessThan(base.batching);
  expect(changed({ constraintCount: 94 }).ali).toBeCloseTo(base.ali - 1, 9);
  expect(changed({ constraintDegree: 4 }).deep).toBeLessThan(base.deep);
  expect(changed({ traceLength: 131_072 }).folds[0]).toBeLessThan(base.folds[0]);
});

it('derives more queries for more security and for a higher rate', () => {
  expect(queriesForSecurity(100, 8, 20)).toBe(54);
  expect(queriesForSecurity(100, 8, 16)).toBeLessThan(queriesForSecurity(110, 8, 16));
  expect(queriesForSecurity(100, 4, 16)).toBeLessThan(queriesForSecurity(100, 2, 16));
});
