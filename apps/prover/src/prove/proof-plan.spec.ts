import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  DEGREES,
  FRI_BLOWUPS,
  GOLDILOCKS_PARAMETER_SETS,
  M31_PARAMETER_SETS,
  PROOF_BASE64_CHARS_MAX,
} from '@svc/contracts';
import { ProblemError } from '@svc/platform';
import { AIR_SAMPLES, type AirSample } from '@svc/stark-air/testing';
import { estimateProverMemoryBytes, PROVER_MEMORY_BYTES_MAX, prove } from '@svc/stark-prover';
import { createWasmBackend, type WasmBackend } from '@svc/stark-prover/node';
import {
  capBytes,
  HEADER_BYTES,
  parametersOf,
  PARAMETER_SETS,
  type ProofGeometry,
  proofGeometry,
} from '@svc/stark-verifier';
import { planProof, type ProofPlan, type ProofWish } from './proof-plan.js';

const DIGEST_BYTES = 32;
const NONCE_BYTES = 8;
const setsOf = ({ field }: AirSample) =>
  field === 'goldilocks' ? GOLDILOCKS_PARAMETER_SETS : M31_PARAMETER_SETS;

/** Everything that can be asked for of every AIR, but for its length. */
const WISHES: readonly ProofWish[] = AIR_SAMPLES.flatMap(sample =>
  setsOf(sample).flatMap(parameterSet =>
    FRI_BLOWUPS.flatMap(friBlowup =>
      (sample.id.startsWith('raw/') ? [false, true] : [undefined]).map(zeroKnowledge => ({
        airId: sample.id,
        witness: sample.witness,
        ...{ parameterSet, friBlowup, zeroKnowledge },
        doesNotProve: '',
      })),
    ),
  ),
);

/** The plan at a length that was asked for, or what refuses it. */
function planAt(wish: ProofWish, degree: number): ProofPlan | ProblemError {
  try {
    return planProof({ ...wish, degree });
  } catch (error) {
    if (error instanceof ProblemError) return error;
    throw error;
  }
}

/** Most nodes of a multiproof over `opened` leaves: at every level as many subtrees as there can be. */
function multiproofNodesMax(opened: number, leafCount: number): number {
  const capNodes = capBytes(leafCount) / DIGEST_BYTES;
  let nodes = 0;
  for (let width = leafCount; width > capNodes; width /= 2) {
    const known = Math.min(opened, width);
    nodes += Math.max(0, 2 * Math.min(opened, width / 2) - known);
  }
  return nodes;
}

/** Most bytes of a proof, section by section as docs/stark-format.md has them. */
function proofBytesMax({ air, parameters }: Pick<ProofPlan, 'air' | 'parameters'>): number {
  const geometry: ProofGeometry = proofGeometry(parameters, air);
  const { leafCounts, traceLeafBytes, compositionLeafBytes, layerLeafBytes, extensionBytes } = geometry;
  const trees = [
    { leafCount: leafCounts[0], leafBytes: traceLeafBytes },
    { leafCount: leafCounts[0], leafBytes: compositionLeafBytes },
    // Of each leaf of a further layer one value at least is the fold of the layer above, and is not sent.
    ...leafCounts.slice(1).map(leafCount => ({ leafCount, leafBytes: layerLeafBytes - extensionBytes })),
  ];
  const openings = trees.map(({ leafCount, leafBytes }) => {
    const opened = Math.min(parameters.queryCount, leafCount);
    return capBytes(leafCount) + opened * leafBytes + DIGEST_BYTES * multiproofNodesMax(opened, leafCount);
  });
  const fixed = HEADER_BYTES + geometry.overflowBytes + geometry.outOfDomainBytes + NONCE_BYTES;
  return openings.reduce((sum, bytes) => sum + bytes, fixed + geometry.finalLength * extensionBytes);
}

const base64Chars = (bytes: number) => 4 * Math.ceil(bytes / 3);
const memoryOf = ({ air, parameters }: Pick<ProofPlan, 'air' | 'parameters'>) =>
  estimateProverMemoryBytes({
    ...parameters,
    ...{ columnCount: air.columnCount, constraintDegree: air.constraintDegree },
  });

describe('what is sold', () => {
  let backend: WasmBackend;
  beforeAll(() => {
    backend = createWasmBackend({ threads: 1 });
  });
  afterAll(() => backend.close());

  it('fits the memory of a proof, and whatever fits is sold at every blowup', () => {
    const blowupsAtFullLength = new Set<number>();
    for (const wish of WISHES) {
      const plans = DEGREES.map(degree => planAt(wish, degree));
      const sold = plans.findLast(plan => !(plan instanceof ProblemError)) as ProofPlan;
      expect(sold.memoryBytes).toBeLessThanOrEqual(PROVER_MEMORY_BYTES_MAX);
      const { traceLength, zeroKnowledge } = sold.parameters;
      if (traceLength === DEGREES.at(-1)) {
        blowupsAtFullLength.add(wish.friBlowup);
        continue;
      }
      // The next length is refused for its memory, and says so with the numbers.
      const got = memoryOf({
        air: sold.air,
        parameters: parametersOf(
          ...([PARAMETER_SETS[wish.parameterSet], 2 * traceLength, wish.friBlowup] as const),
          zeroKnowledge,
        ),
      });
      expect(got).toBeGreaterThan(PROVER_MEMORY_BYTES_MAX);
      const refused = planAt(wish, 2 * traceLength) as ProblemError;
      expect(refused.payload).toMatchObject({
        code: 'UNPROCESSABLE',
        detail: expect.stringContaining(
          `a proof may take ${PROVER_MEMORY_BYTES_MAX} bytes of memory (degree × blowup × columns), this one needs ${got}`,
        ),
        errors: [{ path: 'degree', bound: PROVER_MEMORY_BYTES_MAX, got }],
      });
    }
    expect([...blowupsAtFullLength].sort((a, b) => a - b)).toEqual(FRI_BLOWUPS);
  });

  it('can be verified here: its proof, whatever it opens, fits the body of /v1/stark/verify-proof', () => {
    let largest = { bytes: 0, plan: undefined as ProofPlan | undefined };
    for (const wish of WISHES) {
      for (const degree of DEGREES) {
        const plan = planAt(wish, degree);
        if (plan instanceof ProblemError) continue;
        const bytes = proofBytesMax(plan);
        if (bytes > largest.bytes) largest = { bytes, plan };
      }
    }
    // More than a megabyte, or the search has missed the wide ones.
    expect(largest.bytes).toBeGreaterThan(1_200_000);
    expect(base64Chars(largest.bytes)).toBeLessThanOrEqual(PROOF_BASE64_CHARS_MAX);
  });

  it.each([
    ['raw/lif-step/v1', 'P128', 2, 2 ** 13],
    ['raw/lif-step/v1', 'm31', 2, 2 ** 13],
    ['hash-chain/v1', 'P100', 8, 2 ** 10],
  ] as const)('has the size that is reckoned with: %s, %s', async (id, parameterSet, friBlowup, degree) => {
    const wish = WISHES.find(
      wish => wish.airId === id && wish.parameterSet === parameterSet && wish.friBlowup === friBlowup,
    )!;
    const plan = planProof({ ...wish, degree });
    const { air, witness, parameters } = plan;
    const { proof } = await prove({ air, witness, parameters, contextDomain: '', backend });
    const max = proofBytesMax(plan);
    expect(proof.length).toBeLessThanOrEqual(max);
    expect(proof.length).toBeGreaterThan(0.8 * max);
  });
});
