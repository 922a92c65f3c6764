import 'reflect-metadata';
import type { VerifierThreads } from '@svc/audit-proof/node';
import { MeasurementRegistry } from '@svc/platform';
import { referenceProverBackend } from '@svc/stark-prover';
import { referenceVerifierBackend, type VerifierBackend } from '@svc/stark-verifier';
import type { AuditService } from './audit/audit.service.js';
import type { ProofStore } from './proofs/proof-store.js';
import { CoreTurns } from './core-turns.js';
import { ProofMaker } from './prove/proof-maker.js';
import { ProveService } from './prove/prove.service.js';
import { SelfCheck } from './self-check.js';

/** Kernels that compute a wrong digest: no opened leaf lies under a cap. */
const brokenVerifier: VerifierBackend = {
  ...referenceVerifierBackend,
  verifyMultiproof: claim => {
    const leaves = claim.leaves.map(byte => byte ^ 1);
    return referenceVerifierBackend.verifyMultiproof({ ...claim, leaves });
  },
};
/** For proofs under definitions of others alone. */
const noThreads = undefined as unknown as VerifierThreads;
const prover = referenceProverBackend();
const provers = { small: prover, medium: prover, large: prover };

it('ends the start when a proof of its own does not verify', async () => {
  await expect(new SelfCheck(provers, brokenVerifier).onApplicationBootstrap()).rejects.toThrow('self-check');
});

it('says VERIFIED_VALID, keeps a proof and counts its latency only when the verifier accepted it', async () => {
  const kept: unknown[] = [];
  const store = { keep: async (proof: unknown) => `prf_${kept.push(proof)}` } as unknown as ProofStore;
  const measurements = new MeasurementRegistry();
  const request = { traceData: 'x', degree: 64, friBlowup: 8 };
  const audits = {
    withEvidence: async (_request: unknown, reply: unknown) => reply,
  } as unknown as AuditService;

  const refusing = new ProveService(
    new ProofMaker(store, measurements, provers, brokenVerifier, new CoreTurns(), noThreads),
    audits,
  );
  await expect(refusing.prove(request)).rejects.toThrow('own proof was rejected');
  expect([kept, measurements.snapshot()]).toEqual([[], {}]);

  const accepting = new ProveService(
    new ProofMaker(store, measurements, provers, referenceVerifierBackend, new CoreTurns(), noThreads),
    audits,
  );
  await expect(accepting.prove(request)).resolves.toMatchObject({
    status: 'VERIFIED_VALID',
    proofId: 'prf_1',
  });
  expect(measurements.snapshot().proverLatencyMs.samples).toBe(1);
});
