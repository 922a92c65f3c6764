import type { Air } from '@svc/stark-air';
import type { ProofParameters } from '@svc/stark-verifier';
import type { ProverBackend } from '../src/backend.js';
import { prove } from '../src/prove.js';
import { referenceProverBackend } from '../src/reference-backend.js';
import { seededRandomSource } from './seeded-random.js';

/** Expects of each backend all that the reference prover's result has but timings, the proof to the byte. */
export async function expectSameProofs<PublicInputs, Witness>(
  air: Air<PublicInputs, Witness>,
  witness: Witness,
  parameters: ProofParameters,
  ...backends: ProverBackend[]
): Promise<void> {
  const proveWith = async (backend: ProverBackend) => {
    const random = seededRandomSource('same');
    const input = { air, witness, parameters, contextDomain: 'test', backend, random };
    const { proof, stageMs: _, ...rest } = await prove(input);
    return { ...rest, proof: Buffer.from(proof).toString('hex') };
  };
  const expected = await proveWith(referenceProverBackend());
  for (const backend of backends) expect(await proveWith(backend)).toEqual(expected);
}
