import 'reflect-metadata';
import { createHash } from 'node:crypto';
import {
  type NestedAuditProof,
  type ProvedAuditProof,
  canonicalDigest,
  signingKeyFromSeed,
  toHex,
  verifyAuditProof,
} from '@svc/audit-proof';
import { VerifierThreads } from '@svc/audit-proof/node';
import type { PublicInputs, StarkAuditProof } from '@svc/contracts';
import { createWasmBackend } from '@svc/stark-prover/node';
import { loadWasmVerifierBackend } from '@svc/stark-verifier/node';
import type { ProofStore } from '../proofs/proof-store.js';
import { VerifyService } from '../verify/verify.service.js';
import { BatchProof } from './batch-proof.js';
import { SignedProofService } from './signed-proof.service.js';
import { AUDIT_SIGNING_SEEDS, SigningKeys, signingKeysOf } from './signing-keys.js';

const OLD = 'an-old-secret-of-at-least-32-characters';
const NEW = 'the-new-secret-of-at-least-32-characters';
const RESULT = { answer: 42 };
const DAY_MS = 86_400_000;
const dayFromNow = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10);
const keysOf = (text: string) => signingKeysOf({ secrets: { [AUDIT_SIGNING_SEEDS]: text } });

const prover = createWasmBackend({ idleMs: 60_000 });
const verifier = await loadWasmVerifierBackend();
const threads = new VerifierThreads();
let kept: { proof: Uint8Array; publicInputs: PublicInputs; keptUntil: Date };
const store = {
  keep: async (proof: typeof kept, keptUntil: Date) => {
    kept = { ...proof, keptUntil };
    return 'prf_kept';
  },
  fetch: async () => kept,
} as unknown as ProofStore;

/** The first audit that a service with these secrets makes. */
async function sellAudit(secrets: string | SigningKeys): Promise<ProvedAuditProof | NestedAuditProof> {
  const statement = {
    proves: 'commitment' as const,
    doesNotProve: 'That the answer is right.',
    requestDigest: toHex(canonicalDigest({})),
    resultDigest: toHex(canonicalDigest(RESULT)),
    rulesetId: '',
    rules: [],
  };
  const keys = typeof secrets === 'string' ? keysOf(secrets) : secrets;
  const batches = new BatchProof(store, prover, verifier, keys);
  const [audit] = await batches.complete(await batches.prove([statement]));
  return audit;
}

/** What each way of checking says of an audit while these secrets are configured. */
async function checks(audit: ProvedAuditProof | NestedAuditProof, secrets: string) {
  const keys = keysOf(secrets);
  const service = new SignedProofService(store, new VerifyService(threads), threads, keys);
  const { proof, publicInputs } = kept;
  const { keyId, expiresAt, airId } = audit;
  const context = 'svc/stark-root/v1';
  const signature = Buffer.from(audit.signature, 'base64');
  const signed = { proof, publicInputs, airId, contextDomain: 'svc/audit/v1', signature, context };
  const published = keys.published();
  const library = verifyAuditProof(
    { auditProof: audit, proof, keys: published, result: RESULT },
    {},
    verifier,
  );
  const byAudit = await service.verifyAudit({ auditProof: audit as StarkAuditProof, result: RESULT });
  const bySignature = await service.pqVerify({ ...signed, keyId, expiresAt });
  return [library.reason, byAudit.reason, bySignature.signature.reason];
}
const all = (reason: string | undefined) => [reason, reason, reason];

afterAll(() => Promise.all([prover.close(), threads.close()]));

it('keeps evidence that was sold valid when its key is rotated, by every way of checking it', async () => {
  const audit = await sellAudit(OLD);
  expect(await checks(audit, OLD)).toEqual(all(undefined));
  const successor = `${NEW}:${dayFromNow(-1)}`;
  expect(await checks(audit, `${OLD},${successor}`)).toEqual(all(undefined));
  // As documented: the old key is given the end of its signing, on a day that is still to come.
  const rotated = `${OLD}:2026-01-01:${dayFromNow(1)},${successor}`;
  expect(await checks(audit, rotated)).toEqual(all(undefined));

  // Signed after its key had ended, which an honest signer does not do.
  expect(await checks(audit, `${OLD}:2026-01-01:${dayFromNow(-1)},${successor}`)).toEqual(all('key-expired'));
  expect(await checks(audit, `${OLD}:revoked=${dayFromNow(-1)},${successor}`)).toEqual(all('key-revoked'));
  expect(await checks(audit, successor)).toEqual(all('unknown-key'));
});

it('keeps evidence valid that an earlier release signed, with the key that it made of the same secret', async () => {
  const seed = createHash('sha256').update(`svc/audit-signing-seed/v1:${OLD}`).digest();
  const pair = signingKeyFromSeed(seed);
  const kid = createHash('sha256').update(pair.publicKey).digest().subarray(0, 12).toString('base64url');
  const earlier = new SigningKeys([{ kid, ...pair, notBeforeMs: 0, notAfterMs: null, revokedAtMs: null }]);
  const audit = await sellAudit(earlier);
  expect(audit.keyId).toBe(kid);
  expect(await checks(audit, OLD)).toEqual(all(undefined));
  expect(await checks(audit, `${OLD}:revoked=${dayFromNow(-1)},${NEW}`)).toEqual(all('key-revoked'));
  expect((await sellAudit(OLD)).keyId).not.toBe(kid);
});

it('keeps the proof of a batch for as long as the signature over it holds', async () => {
  const { expiresAt } = await sellAudit(OLD);
  const days = (Date.parse(expiresAt) - Date.now()) / DAY_MS;
  expect(days).toBeGreaterThan(364.9);
  expect(kept.keptUntil.getTime()).toBeGreaterThan(Date.parse(expiresAt));
});
