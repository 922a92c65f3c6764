import type { ProofParameters, VerifierPolicy } from '@svc/stark-verifier';
import { readFileSync } from 'node:fs';
import type { AuditStatement } from '../../audit-leaves.js';
import type { NestedAuditProof, ProvedAuditProof } from '../../audit-proof.js';
import { fromBase64 } from '../../byte-text.js';
import type { AuditClaim } from '../../verify-audit-proof.js';

/** An answer with its evidence. */
export interface AuditVector extends Omit<AuditStatement, 'requestDigest' | 'resultDigest'> {
  readonly request: unknown;
  readonly result: unknown;
  readonly auditProof: ProvedAuditProof | NestedAuditProof;
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
export const DISCLOSURE_VECTORS_FILE = new URL('../../disclosure-batch.vectors.json', import.meta.url);
export const NESTED_VECTORS_FILE = new URL('../../nested-batch.vectors.json', import.meta.url);

const vectorOf = (file: URL) => JSON.parse(readFileSync(file, 'utf8')) as AuditBatchVector;
export const auditBatchVector = vectorOf(AUDIT_VECTORS_FILE);
/** Answers whose fields can be shown one by one, each followed by the proof of its disclosure. */
export const disclosureBatchVector = vectorOf(DISCLOSURE_VECTORS_FILE);
/** Answers without rules, which share one leaf of their batch, beside one with rules. */
export const nestedBatchVector = vectorOf(NESTED_VECTORS_FILE);

/** The answers of a batch as their callers got them. */
export function disclosedAnswersOf({ audits }: AuditBatchVector): Record<string, unknown>[] {
  return audits.flatMap(({ result, auditProof }, i) =>
    i % 2 === 1
      ? []
      : [
          {
            ...(result as object),
            starkRoot: auditProof.root,
            disclosureProof: audits[i + 1].auditProof,
            auditProof,
          },
        ],
  );
}

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
export function auditClaimOf(
  { auditProof, request, result }: AuditVector,
  { keys, proof }: AuditBatchVector = auditBatchVector,
): AuditClaim {
  return { auditProof, request, result, keys, proof: fromBase64(proof) as Uint8Array };
}
