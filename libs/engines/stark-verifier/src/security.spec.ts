import { readFileSync } from 'node:fs';
import { PROFILE_FACTS, type ProfileName } from './profile-facts.js';
import {
  heuristicBits,
  johnsonBits,
  provenBits,
  refutedQueryBits,
  type RoundBits,
  type SecurityModel,
  securityOf,
  uniqueDecodingBits,
  weakest,
} from './security.js';
import { maskingRowCount } from './trace-length.js';

interface Case {
  readonly model: SecurityModel;
  /** [ALI, DEEP, batching, query, folds…] by regime. */
  readonly rounds: Readonly<Record<string, readonly number[]>>;
}

const { cases } = JSON.parse(readFileSync(new URL('./security.vectors.json', import.meta.url), 'utf8')) as {
  cases: Case[];
};

const defaults: SecurityModel = {
  profile: 'gl3',
  traceLength: 65_536,
  blowupFactor: 8,
  queryCount: 57,
  grindingBits: 16,
  zeroKnowledge: false,
  columnCount: 25,
  chunkCount: 2,
  constraintCount: 47,
  constraintDegree: 3,
};
const PROFILES = Object.keys(PROFILE_FACTS) as ProfileName[];

function ourRounds(model: SecurityModel, regime: string): RoundBits | undefined {
  return regime === 'uniqueDecoding'
    ? uniqueDecodingBits(model)
    : johnsonBits(model, Number(regime.slice(7)));
}

function theirRounds([ali, deep, batching, query, ...folds]: readonly number[]): RoundBits {
  return { ali, deep, batching, query, folds };
}

const rounds = cases.flatMap(({ model, rounds }) =>
  Object.entries(rounds).flatMap(([regime, bits]) => {
    const ours = ourRounds(model, regime);
    return ours ? [{ model, regime, ours, theirs: theirRounds(bits) }] : [];
  }),
);

it('is compared with soundcalc over every profile and blowup, 2^6 to 2^20 rows, with and without masks', () => {
  const values = <K extends keyof SecurityModel>(key: K) => new Set(cases.map(({ model }) => model[key]));
  expect(values('profile')).toEqual(new Set(PROFILES));
  expect(values('blowupFactor')).toEqual(new Set([2, 4, 8, 16, 32]));
  expect(values('traceLength')).toEqual(new Set(Array.from({ length: 15 }, (_, i) => 2 ** (i + 6))));
  expect(values('zeroKnowledge')).toEqual(new Set([true, false]));
  // One to three where masks are few, more where they take over a quarter of the trace.
  expect(values('chunkCount')).toEqual(new Set([1, 2, 3, 4, 5]));
  expect(rounds.length).toBeGreaterThan(1000);
});

it('charges folds and batching on a multiplicative domain as soundcalc does, to a thousandth of a bit', () => {
  for (const { model, regime, ours, theirs } of rounds) {
    if (regime === 'uniqueDecoding' || model.profile === 'm31') continue;
    expect(ours.batching).toBeCloseTo(theirs.batching, 3);
    expect(ours.query).toBeCloseTo(theirs.query, 3);
    expect(ours.folds).toHaveLength(theirs.folds.length);
    ours.folds.forEach((bits, i) => expect(bits).toBeCloseTo(theirs.folds[i], 3));
  }
});

it('never claims more than soundcalc for any round, and less only by the longer codes', () => {
  // soundcalc takes the list of the code of dimension N. Ours is that of N + 1, whose quotients FRI tests, or N + 3 on the
  // circle, where the code that FRI tests has dimension N + 1.
  for (const { model, ours, theirs } of rounds) {
    for (const round of ['ali', 'deep', 'query'] as const) {
      expect(ours[round]).toBeLessThanOrEqual(theirs[round] + 1e-3);
      if (model.traceLength >= 65_536) expect(ours[round]).toBeGreaterThan(theirs[round] - 0.5);
    }
    // The longer code's smaller θ has, for the shortest traces, a few exceptional challenges fewer.
    const difference = Math.max(
      ours.batching - theirs.batching,
      ...ours.folds.map((bits, i) => Math.abs(bits - theirs.folds[i])),
    );
    expect(difference).toBeLessThan(model.traceLength >= 4096 ? 2e-3 : 0.1);
    expect(ours.batching).toBeGreaterThan(theirs.batching - 0.1);
  }
});

it('has no list bound where the longer code decodes no further', () => {
  expect(johnsonBits({ ...defaults, traceLength: 64 }, 200)).toBeUndefined();
  expect(johnsonBits({ ...defaults, traceLength: 64 }, 50)).toBeDefined();
  expect(johnsonBits({ ...defaults, profile: 'm31', traceLength: 64 }, 50)).toBeUndefined();
  expect(johnsonBits({ ...defaults, profile: 'm31', traceLength: 64 }, 30)).toBeDefined();
});

it.each(PROFILES)('finds the best multiplicity of all for %s', profile => {
  for (const traceLength of [64, 1024, 65_536, 2 ** 20]) {
    for (const blowupFactor of [2, 8, 32]) {
      const model = { ...defaults, profile, traceLength, blowupFactor, queryCount: 40 };
      let best = weakest(uniqueDecodingBits(model));
      for (let m = 3; m <= 4096; m++) {
        const bits = johnsonBits(model, m);
        if (bits) best = Math.max(best, weakest(bits));
      }
      expect(provenBits(model)).toBe(best);
    }
  }
});

it('claims less over a smaller extension, and least of all on the circle', () => {
  const field = (profile: ProfileName) => {
    const { ali, deep, batching, folds } = johnsonBits({ ...defaults, profile }, 10) as RoundBits;
    return Math.min(ali, deep, batching, ...folds);
  };
  expect(field('gl3') - field('gl2')).toBeCloseTo(64, 6);
  expect(field('gl2') - field('m31')).toBeGreaterThan(4);
  const query = (profile: ProfileName) => (johnsonBits({ ...defaults, profile }, 10) as RoundBits).query;
  expect(query('gl3')).toBe(query('gl2'));
  expect(query('m31')).toBeLessThan(query('gl2'));
});

it('charges the random polynomial and the masks of zero knowledge', () => {
  for (const profile of PROFILES) {
    const model = { ...defaults, profile, chunkCount: 3 };
    const plain = johnsonBits(model, 10) as RoundBits;
    const masked = johnsonBits({ ...model, zeroKnowledge: true }, 10) as RoundBits;
    expect(masked.batching).toBeLessThan(plain.batching);
    expect(masked.query).toBe(plain.query);
  }
  // A linear AIR's exclusion polynomial outweighs its constraints once the masks do.
  const linear = { ...defaults, constraintDegree: 1, chunkCount: 2, zeroKnowledge: true, traceLength: 4096 };
  const masks = maskingRowCount(linear);
  const deep = (johnsonBits(linear, 10) as RoundBits).deep;
  const listBits = (johnsonBits(linear, 10) as RoundBits).ali + Math.log2(linear.constraintCount);
  expect(listBits - deep).toBeCloseTo(Math.log2(4096 - masks + 2 * 4096), 6);
});

it.each([
  // P100 at its shortest: four strides of N − t = 1,114 and 2N exceed 3(N + 1) + N − 1 = 8,194.
  ['the chunks', 57, 5, 4 * 1114 + 4096],
  // With fewer masks the strides are longer, but one fewer is needed: 3·1,354 + 4,096 = 8,158.
  ['the constraints', 42, 4, 3 * 2049 + 2047],
] as const)(
  'charges the larger of the degrees of constraints and of chunks: %s with %i queries at 2,048 rows',
  (_, queryCount, chunkCount, degree) => {
    const model = { ...defaults, traceLength: 2048, queryCount, chunkCount, zeroKnowledge: true };
    const { ali, deep } = johnsonBits(model, 10) as RoundBits;
    expect(ali + Math.log2(model.constraintCount) - deep).toBeCloseTo(Math.log2(degree), 6);
  },
);

it('never has a heuristic figure below the proven one', () => {
  for (const { model } of cases) {
    const { securityBits, conjecturedSecurityBits } = securityOf(model);
    expect(conjecturedSecurityBits).toBeGreaterThanOrEqual(securityBits);
    expect(conjecturedSecurityBits).toBeLessThanOrEqual(128);
  }
});

it('lets the field bound the heuristic figure too', () => {
  const model = { ...defaults, profile: 'm31', queryCount: 54 } as const;
  const { batching, folds, query } = heuristicBits(model);
  expect(query).toBeCloseTo(54 * -Math.log2(1 / 8 + Math.log2(8 * Math.E) / 8 / 124) + 16 - 1, 4);
  expect(batching).toBeCloseTo(4 * Math.log2(2 ** 31 - 1) - 19 - Math.log2(2 * 25 + 4 * 2 - 1), 9);
  const together = -Math.log2(2 ** -batching + 2 ** -folds[0]);
  expect(securityOf(model).conjecturedSecurityBits).toBe(Math.floor(together));
});

it.each([
  // Q, β and bits of the field; what Plonky3 has for a query of the first: 100 queries lose 3 of 100 bits.
  ['gl2', 2, 100, 100 - 2.75],
  ['gl2', 8, 27, 27 * 3 - 1.33],
  ['gl3', 8, 57, 57 * 3 - 1.88],
  ['m31', 32, 18, 18 * 5 - 1.34],
] as const)(
  'corrects the worth of a query by the entropy: %s at blowup %i, %i queries',
  (profile, blowupFactor, queryCount, bits) => {
    const model = { ...defaults, profile, blowupFactor, queryCount };
    expect(heuristicBits(model).query - 16 + 1).toBeCloseTo(bits, 1);
    expect(heuristicBits(model).query).toBeLessThan(refutedQueryBits(model));
  },
);

it('charges γ and λ_0, which nothing stands between, as one round', () => {
  const rounds: RoundBits = { ali: 200, deep: 200, batching: 101, folds: [101, 150], query: 200 };
  expect(weakest(rounds)).toBeCloseTo(100, 9);
  expect(weakest({ ...rounds, folds: [150, 101] })).toBeCloseTo(101, 9);
  expect(weakest({ ...rounds, batching: 200 })).toBeCloseTo(101, 9);
  // udr100 at 2^19 rows: either round alone has 101 bits, both together have not.
  const model: SecurityModel = {
    ...defaults,
    ...{ profile: 'gl2', traceLength: 2 ** 19, queryCount: 100, grindingBits: 20 },
    ...{ columnCount: 36, constraintCount: 52 },
  };
  const { batching, folds } = uniqueDecodingBits(model);
  expect(Math.floor(Math.min(batching, folds[0]))).toBe(101);
  expect(securityOf(model).securityBits).toBe(100);
});

it('keeps the heuristic figure apart and both within the 128 bits of the hash', () => {
  expect(securityOf({ ...defaults, profile: 'gl2', queryCount: 27 })).toEqual({
    securityBits: 56,
    conjecturedSecurityBits: 94,
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
