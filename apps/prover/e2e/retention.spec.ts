import 'reflect-metadata';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { proverContract } from '@svc/contracts';
import type { DataSource } from 'typeorm';
import { ProofStore } from '../src/proofs/proof-store.js';
import { type ProverOnBus, startProverOnBus } from './prover-on-bus.js';

let prover: ProverOnBus;
let database: DataSource;
beforeAll(async () => {
  prover = await startProverOnBus();
  ({ database } = prover);
});
afterAll(() => prover?.close());

it('keeps the proof of a batch as long as its signature holds, and other proofs for 30 days', async () => {
  const { proofId, auditProof } = await prover.client.call(proverContract.prove, {
    request: { traceData: 'kept', degree: 64, friBlowup: 8 },
  });
  const store = new ProofStore(database);
  const isKept = (id: string) =>
    prover.client.call(proverContract.fetchProof, { proofId: id }).then(
      () => true,
      () => false,
    );
  // As if so many days had passed.
  const steps = [
    { days: 29, kept: [true, true] },
    { days: 2, kept: [false, true] },
    { days: 334, kept: [false, true] },
    { days: 2, kept: [false, false] },
  ];
  for (const { days, kept } of steps) {
    await database.query('UPDATE proof SET kept_until = kept_until - make_interval(days => $1)', [days]);
    await store.purgeExpired();
    expect([await isKept(proofId), await isKept(auditProof!.proofId)]).toEqual(kept);
  }
});
