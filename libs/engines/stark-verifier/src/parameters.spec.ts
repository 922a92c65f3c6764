import type { ProofParameters } from './proof-parameters.js';
import fc from 'fast-check';
import { multiplicativeChunkCount } from './chunk-count.js';
import {
  BLOWUP_FACTORS,
  checkParameters,
  COMPARISON_SET,
  PARAMETER_SETS,
  ParameterError,
  type ParameterSetId,
  parametersOf,
  QUERY_COUNT_MAX,
  setParameters,
} from './parameters.js';
import type { ProfileName } from './profile-facts.js';
import { profileOf } from './profiles.js';
import { queriesForSecurity } from './query-count.js';
import {
  provenBits,
  refutedQueryBits,
  type SecurityModel,
  securityOf,
  uniqueDecodingBits,
} from './security.js';
import {
  leastTraceLength,
  maskingRowCount,
  TRACE_LENGTH_MAX,
  traceLengthFor,
  usableRowCount,
} from './trace-length.js';

const REFERENCE = { columnCount: 25, chunkCount: 2, constraintCount: 47, constraintDegree: 3 };
const WIDE = { columnCount: 64, constraintCount: 256, constraintDegree: 3 };
const ALL_LENGTHS = Array.from({ length: 15 }, (_, i) => 2 ** (i + 6));

it.each<[ParameterSetId, number[]]>([
  ['conjectured96', [81, 41, 27, 21, 17]],
  ['P100', [172, 85, 57, 43, 34]],
  ['P128', [221, 110, 73, 55, 44]],
  ['udr100', [200, 123, 100, 91, 87]],
  ['m31', [167, 81, 55, 76, 73]],
  ['m31-fast', [89, 45, 30, 23, 18]],
])('%s derives its queries from the blowup factor', (id, queries) => {
  expect(BLOWUP_FACTORS.map(blowup => PARAMETER_SETS[id].queryCounts[blowup])).toEqual(queries);
});

it.each([
  ['P100', 100],
  ['P128', 128],
] as const)(
  '%s proves %i bits for every trace length, blowup and mask with the fewest queries',
  (id, target) => {
    for (const blowup of BLOWUP_FACTORS) {
      const bits = (fewer: number) =>
        [false, true].flatMap(zeroKnowledge => {
          const set = setParameters(PARAMETER_SETS[id], blowup, zeroKnowledge);
          const least = leastTraceLength(set);
          return ALL_LENGTHS.filter(traceLength => traceLength >= least).map(traceLength => {
            const chunkCount = multiplicativeChunkCount(WIDE, { ...set, traceLength });
            return provenBits({
              ...set,
              ...WIDE,
              traceLength,
              chunkCount,
              queryCount: set.queryCount - fewer,
            });
          });
        });
      expect(Math.min(...bits(0))).toBeGreaterThanOrEqual(target);
      expect(Math.min(...bits(1))).toBeLessThan(target);
    }
  },
);

it.each<[ParameterSetId, number, (model: SecurityModel) => number]>([
  ['conjectured96', 96, refutedQueryBits],
  ['udr100', 103, model => uniqueDecodingBits(model).query],
  ['m31', 85, provenBits],
  ['m31-fast', 60, provenBits],
])('%s reaches %i bits of its figure at 2^16 rows with the fewest queries', (id, target, figure) => {
  for (const blowup of BLOWUP_FACTORS) {
    const parameters = parametersOf(PARAMETER_SETS[id], 65_536, blowup);
    const bits = (fewer: number) =>
      figure({ ...parameters, ...REFERENCE, queryCount: parameters.queryCount - fewer });
    expect(bits(0)).toBeGreaterThanOrEqual(target);
    expect(bits(1)).toBeLessThan(target);
  }
});

it.each<[ParameterSetId, number, number]>([
  ['conjectured96', 56, 94],
  ['P100', 101, 128],
  ['P128', 128, 128],
  ['udr100', 103, 103],
  ['m31', 86, 99],
  ['m31-fast', 60, 99],
])(
  '%s proves %i bits, and has %i by the heuristic, for a hash chain of 2^16 rows at blowup 8',
  (id, proven, conjectured) => {
    expect(securityOf({ ...parametersOf(PARAMETER_SETS[id], 65_536, 8), ...REFERENCE })).toEqual({
      securityBits: proven,
      conjecturedSecurityBits: conjectured,
    });
  },
);

it('offers the comparison at blowup 8 alone, and among the published sets not at all', () => {
  expect(parametersOf(COMPARISON_SET, 1024, 8)).toEqual({
    profile: 'gl2',
    traceLength: 1024,
    blowupFactor: 8,
    queryCount: 42,
    grindingBits: 16,
    zeroKnowledge: false,
  });
  expect(() => parametersOf(COMPARISON_SET, 1024, 4)).toThrow(ParameterError);
  expect(Object.keys(PARAMETER_SETS)).not.toContain(COMPARISON_SET.id);
});

it('needs fewer queries for more grinding, a larger blowup or a lower target', () => {
  const queries = (blowup: number, grindingBits: number, bits: number) =>
    queriesForSecurity('gl3', blowup, grindingBits, { bits, figure: 'proven' });
  expect(BLOWUP_FACTORS.map(blowup => queries(blowup, 20, 100))).toEqual([164, 81, 54, 41, 33]);
  expect(queries(8, 16, 110)).toBeGreaterThan(queries(8, 16, 100));
  expect(() => queriesForSecurity('m31', 8, 16, { bits: 100, figure: 'proven' })).toThrow(RangeError);
});

const parameters: ProofParameters = {
  profile: 'gl3',
  traceLength: 4096,
  blowupFactor: 8,
  queryCount: 57,
  grindingBits: 16,
  zeroKnowledge: false,
};

it.each<[keyof ProofParameters, Partial<ProofParameters>]>([
  ['traceLength', { traceLength: 32 }],
  ['traceLength', { traceLength: 2 ** 21 }],
  ['traceLength', { traceLength: 96 }],
  ['traceLength', { traceLength: Number.NaN }],
  ['traceLength', { traceLength: 1024, zeroKnowledge: true }],
  ['traceLength', { traceLength: 2048, queryCount: 63, zeroKnowledge: true }],
  ['traceLength', { traceLength: 2048, profile: 'm31', queryCount: 55, zeroKnowledge: true }],
  ['blowupFactor', { blowupFactor: 3 }],
  ['blowupFactor', { blowupFactor: 64 }],
  ['queryCount', { queryCount: 0 }],
  ['queryCount', { queryCount: QUERY_COUNT_MAX + 1 }],
  ['queryCount', { queryCount: 1.5 }],
  ['grindingBits', { grindingBits: -1 }],
  ['grindingBits', { grindingBits: 33 }],
])('refuses a %s that no proof is made under', (field, change) => {
  expect(() => checkParameters(parameters)).not.toThrow();
  expect(() => checkParameters({ ...parameters, ...change })).toThrow(expect.objectContaining({ field }));
});

it('masks both rows that a constraint looks at, at every opened point', () => {
  const masks = (profile: ProofParameters['profile'], queryCount: number) =>
    maskingRowCount({ profile, queryCount, zeroKnowledge: true });
  expect(masks('gl3', 57)).toBe(2 * (8 * 57 + 3) + 16);
  expect(masks('gl2', 42)).toBe(2 * (8 * 42 + 2) + 16);
  expect(masks('m31', 30)).toBe(2 * (8 * 30 + 4) + 16);
  expect(maskingRowCount(parameters)).toBe(0);
});

it('proves a statement at the shortest trace that holds its rows and its masks', () => {
  const set = fc.constantFrom(...Object.values(PARAMETER_SETS));
  const blowup = fc.constantFrom(...BLOWUP_FACTORS);
  fc.assert(
    fc.property(
      set,
      blowup,
      fc.boolean(),
      fc.integer({ min: 1, max: 2 ** 19 }),
      (set, blowup, masked, rows) => {
        const chosen = setParameters(set, blowup, masked);
        const traceLength = traceLengthFor(chosen, rows);
        const parameters = { ...chosen, traceLength };
        checkParameters(parameters);
        expect(usableRowCount(parameters)).toBeGreaterThanOrEqual(rows);
        const masks = maskingRowCount(chosen);
        const room = chosen.profile === 'm31' ? 4 * masks + 12 : 2 * masks;
        if (masked) expect(traceLength).toBeGreaterThanOrEqual(room);
        const shorter = { ...parameters, traceLength: traceLength / 2 };
        expect(usableRowCount(shorter) < rows || shorter.traceLength < leastTraceLength(chosen)).toBe(true);
        expect(traceLengthFor(chosen, rows, TRACE_LENGTH_MAX)).toBe(TRACE_LENGTH_MAX);
      },
    ),
  );
});

it('refuses the name of a profile that this build does not know', () => {
  expect(() => profileOf('gl9' as ProfileName)).toThrow('profile must be one of gl3, gl2, m31, got gl9');
});
