import 'reflect-metadata';
import type { ProverBackend } from '@svc/stark-prover';
import { createWasmBackend } from '@svc/stark-prover/node';
import { loadWasmVerifierBackend } from '@svc/stark-verifier/node';
import type { ProofStore } from '../proofs/proof-store.js';
import { BatchProof } from './batch-proof.js';
import type { SigningKeys } from './signing-keys.js';

const prover = createWasmBackend({ idleMs: 60_000 });
afterAll(() => prover.close());

it('has proved batches of both lengths, and most often the short one, before the first audit comes', async () => {
  const lengths: number[] = [];
  const listening: ProverBackend = {
    name: prover.name,
    begin: input => {
      lengths.push(input.parameters.traceLength);
      return prover.begin(input);
    },
  };
  // Nothing is kept, and nothing is signed.
  const batches = new BatchProof(
    {} as ProofStore,
    listening,
    await loadWasmVerifierBackend(),
    {} as SigningKeys,
  );
  await batches.warmUp();
  expect(lengths).toEqual([2_048, 2_048, 2_048, 4_096]);
});
