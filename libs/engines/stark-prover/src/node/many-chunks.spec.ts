import { CountingField } from '@svc/kernels';
import { type Air, cubic8Air, fibonacciAir } from '@svc/stark-air';
import { type ProofGeometry, proofGeometry, type ProofParameters, verify } from '@svc/stark-verifier';
import { laxPolicy } from '@svc/stark-verifier/testing';
import { seededRandomSource } from '../../testing/seeded-random.js';
import type { ProverBackend } from '../backend.js';
import { fieldOperations } from '../field-ops.js';
import { prove } from '../prove.js';
import { referenceProverBackend } from '../reference-backend.js';
import { createWasmBackend, type WasmBackend } from './wasm-backend.js';

/** Traces of which the masks take more than a quarter. */
const parametersOf = (profile: 'gl2' | 'gl3', queryCount: number, blowupFactor: number): ProofParameters => ({
  profile,
  traceLength: 2048,
  blowupFactor,
  queryCount,
  grindingBits: 0,
  zeroKnowledge: true,
});

const CUBIC = { air: cubic8Air as Air, witness: { input: [1n, 2n, 3n, 4n, 5n, 6n, 7n, 8n] } };
const LINEAR = { air: fibonacciAir as Air, witness: { first: 3n, second: 5n } };

let wasm: WasmBackend;
beforeAll(() => (wasm = createWasmBackend({ threads: 2 })));
afterAll(() => wasm.close());

const proveWith = (
  statement: { air: Air; witness: unknown },
  parameters: ProofParameters,
  backend: ProverBackend = wasm,
  seed = 'chunks',
) => prove({ ...statement, parameters, backend, random: seededRandomSource(seed) });

type Row = [number, 'gl2' | 'gl3', number, number, typeof CUBIC | typeof LINEAR];

describe.each<Row>([
  [4, 'gl2', 42, 2, CUBIC],
  [5, 'gl3', 57, 2, CUBIC],
  [5, 'gl3', 62, 4, CUBIC],
  [2, 'gl3', 62, 2, LINEAR],
])('a composition of %i chunks, over %s with %i queries at blowup %i', (chunks, ...row) => {
  const [profile, queryCount, blowupFactor, statement] = row;
  const parameters = parametersOf(profile, queryCount, blowupFactor);
  const geometry: ProofGeometry = proofGeometry(parameters, statement.air);

  it('is proved on the kernels as by the reference, in as many operations as the formula says, and verifies', async () => {
    expect(geometry.chunkCount).toBe(chunks);
    const field = new CountingField();
    const expected = await proveWith(statement, parameters, referenceProverBackend(field));
    const got = await proveWith(statement, parameters);
    expect(Buffer.compare(got.proof, expected.proof)).toBe(0);
    expect(fieldOperations(statement.air, got.publicInputs, parameters)).toEqual({
      additions: field.additions,
      multiplications: field.multiplications,
    });
    const publicInputs = statement.air.publicInputsToJson(got.publicInputs);
    const claim = { proof: got.proof, airId: got.airId, publicInputs };
    expect(verify(claim, laxPolicy(parameters))).toMatchObject({ valid: true, traceLength: 2048 });
  });

  it('opens chunks that change with the masks, every one of them', async () => {
    const proofs = await Promise.all(
      ['one', 'two'].map(seed => proveWith(statement, parameters, wasm, seed)),
    );
    const [one, two] = proofs.map(({ proof }) => chunkValuesAtZ(proof, geometry));
    expect(one).toHaveLength(chunks);
    one.forEach((value, k) => expect(value).not.toBe(two[k]));
  });

  it('is rejected with any chunk’s value at z another', async () => {
    const { proof, airId, publicInputs } = await proveWith(statement, parameters);
    for (let k = 0; k < chunks; k++) {
      const altered = proof.slice();
      altered[chunkOffset(geometry, k)] ^= 1;
      const claim = { proof: altered, airId, publicInputs: statement.air.publicInputsToJson(publicInputs) };
      expect(verify(claim, laxPolicy(parameters))).toMatchObject({ reason: 'constraints-unsatisfied' });
    }
  });
});

/** Where C_k(z) stands: after the header, two caps of 16 nodes, and the trace's values at z and h·z. */
function chunkOffset({ columnCount, extensionBytes }: ProofGeometry, k: number): number {
  return 20 + 2 * 16 * 32 + extensionBytes * (2 * columnCount + k);
}

function chunkValuesAtZ(proof: Uint8Array, geometry: ProofGeometry): string[] {
  return Array.from({ length: geometry.chunkCount }, (_, k) => {
    const at = chunkOffset(geometry, k);
    return Buffer.from(proof.subarray(at, at + geometry.extensionBytes)).toString('hex');
  });
}
