import type { ProofParameters } from './proof-parameters.js';
import fc from 'fast-check';
import { PARAMETER_SETS, parametersOf } from './parameters.js';
import { proofGeometry } from './proof-geometry.js';
import { leastTraceLength, maskingRowCount, TRACE_LENGTH_MAX } from './trace-length.js';

const geometryOf = (parameters: ProofParameters, constraintDegree: number) =>
  proofGeometry(parameters, { columnCount: 2, constraintDegree });

/** Degree of the composition: its transition part, the t + 1 excluded rows included, or a boundary quotient. */
const compositionDegree = (traceLength: number, masks: number, d: number) =>
  Math.max(traceLength - 2, d * (traceLength - 1) + masks + 1 - traceLength);

it.each([
  [1, false, 1],
  [2, false, 1],
  [3, false, 2],
  [1, true, 2],
  [2, true, 2],
  [3, true, 3],
])(
  'splits the composition of constraints of degree %i, zero knowledge %p, into %i chunks where masks are few',
  (d, zeroKnowledge, chunks) => {
    for (const traceLength of [2048, 2 ** 16, 2 ** 20]) {
      const parameters: ProofParameters = {
        profile: 'gl3',
        traceLength,
        blowupFactor: 4,
        queryCount: 5,
        grindingBits: 0,
        zeroKnowledge,
      };
      const { chunkCount, compositionColumnCount } = geometryOf(parameters, d);
      expect(chunkCount).toBe(chunks);
      expect(compositionColumnCount).toBe(chunks + (zeroKnowledge ? 1 : 0));
    }
  },
);

it.each([
  ['P100', 2048, 934, 5],
  ['P100', 4096, 934, 3],
  ['P128', 4096, 1190, 4],
  ['conjectured96', 2048, 452, 3],
] as const)(
  '%s at blowup 8 and %i rows, %i of them masks, takes %i chunks for constraints of degree 3',
  (set, traceLength, masks, chunks) => {
    const parameters = parametersOf(PARAMETER_SETS[set], traceLength, 8, true);
    expect(maskingRowCount(parameters)).toBe(masks);
    expect(geometryOf(parameters, 3).chunkCount).toBe(chunks);
  },
);

it('takes the fewest chunks that hold the composition, each with room for the masks of another', () => {
  fc.assert(
    fc.property(
      fc.constantFrom('gl2' as const, 'gl3' as const),
      fc.integer({ min: 1, max: 512 }),
      fc.boolean(),
      fc.integer({ min: 0, max: 5 }),
      fc.integer({ min: 1, max: 3 }),
      (profile, queryCount, zeroKnowledge, doublings, d) => {
        const numbers = { profile, queryCount, zeroKnowledge, blowupFactor: 8, grindingBits: 0 };
        const traceLength = Math.min(TRACE_LENGTH_MAX, leastTraceLength(numbers) * 2 ** doublings);
        const { chunkCount, rowCount, chunkMaskLength } = geometryOf({ ...numbers, traceLength }, d);
        const degree = compositionDegree(traceLength, chunkMaskLength, d);
        expect(chunkMaskLength).toBe(traceLength - rowCount);
        expect(chunkMaskLength).toBeLessThanOrEqual(rowCount);
        expect(chunkCount * rowCount).toBeGreaterThan(degree);
        if (chunkCount > (zeroKnowledge ? 2 : 1))
          expect((chunkCount - 1) * rowCount).toBeLessThanOrEqual(degree);
        // So that what a proof may make a verifier do stays bounded by the degree.
        expect(chunkCount).toBeLessThanOrEqual(Math.max(2, 2 * d - 1));
      },
    ),
  );
});

it('takes as many chunks as the degree says wherever masks are a quarter of the trace or less', () => {
  fc.assert(
    fc.property(
      fc.constantFrom('gl2' as const, 'gl3' as const),
      fc.integer({ min: 1, max: 512 }),
      fc.integer({ min: 11, max: 20 }),
      fc.integer({ min: 1, max: 3 }),
      (profile, queryCount, log2Length, d) => {
        const numbers = { profile, queryCount, zeroKnowledge: true, blowupFactor: 8, grindingBits: 0 };
        const traceLength = 2 ** log2Length;
        fc.pre(traceLength >= 4 * maskingRowCount(numbers) + 12);
        expect(geometryOf({ ...numbers, traceLength }, d).chunkCount).toBe(Math.max(2, d));
      },
    ),
  );
});
