import 'reflect-metadata';
import { AUDIT_AIR_ID, type AuditStatement, toHex } from '@svc/audit-proof';
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

const STATEMENT: AuditStatement = {
  ...{ proves: 'rules', doesNotProve: 'anything else', rulesetId: '', rules: [] },
  ...{ requestDigest: toHex(new Uint8Array(32)), resultDigest: toHex(new Uint8Array(32)) },
};

it('keeps no proof, and signs none, that its own check rejects', async () => {
  const stands = new Set<string>();
  const store = {
    keep: async ({ airId }: { airId: string }) => {
      expect(airId).toBe(AUDIT_AIR_ID);
      stands.add('prf_1');
      return 'prf_1';
    },
    discard: async (proofId: string) => void stands.delete(proofId),
  } as unknown as ProofStore;
  let asked = 0;
  const keys = { current: () => void asked++ } as unknown as SigningKeys;
  const batches = new BatchProof(store, prover, await loadWasmVerifierBackend(), keys);
  const made = await batches.prove([STATEMENT]);
  const proof = made.proof.slice();
  proof[proof.length >> 1] ^= 1;
  await expect(batches.complete({ ...made, proof })).rejects.toThrow('rejected');
  expect([stands.size, asked]).toEqual([0, 0]);
  // Nor one that nobody may sign today.
  await expect(batches.complete(made)).rejects.toThrow('no audit signing key');
  expect([stands.size, asked]).toEqual([0, 1]);
});
