import type { ProofParameters, VerifierPolicy } from '@svc/stark-verifier';
import { readFileSync } from 'node:fs';
import type { AuditStatement } from '../../audit-leaves.js';
import type { AuditProof } from '../../audit-proof.js';
import { fromBase64 } from '../../byte-text.js';
import type { AuditClaim } from '../../verify-audit-proof.js';

/** An answer with its evidence. */
export interface AuditVector extends Omit<AuditStatement, 'requestDigest' | 'resultDigest'> {
  readonly request: unknown;
  readonly result: unknown;
  readonly auditProof: AuditProof;
}

/** A batch of audits under one small proof, pinned to the byte. */
export interface AuditBatchVector {
  readonly parameters: ProofParameters;
  readonly expiresAt: string;
  readonly keys: AuditClaim['keys'];
  readonly audits: readonly AuditVector[];
  /** Base64. */
  readonly proof: string;
}

export const AUDIT_VECTORS_FILE = new URL('../../audit-batch.vectors.json', import.meta.url);

export const auditBatchVector = JSON.parse(readFileSync(AUDIT_VECTORS_FILE, 'utf8')) as AuditBatchVector;

/** Accepts the pinned batch, whatever its few queries are worth, on a day when its key and signature hold. */
export function pinnedAuditPolicy(): VerifierPolicy & { nowSeconds: number } {
  const { profile, grindingBits, blowupFactor, queryCount } = auditBatchVector.parameters;
  return {
    parameterSets: [{ id: 'test', profile, grindingBits, queryCounts: { [blowupFactor]: queryCount } }],
    securityBitsMin: 0,
    nowSeconds: Date.UTC(2026, 6, 1) / 1_000,
  };
}

/** A pinned audit with all that it is checked against. */
export function auditClaimOf({ auditProof, request, result }: AuditVector): AuditClaim {
  const { keys, proof } = auditBatchVector;
  return { auditProof, request, result, keys, proof: fromBase64(proof) as Uint8Array };
}
