import { z } from 'zod';

/** Rules of one audit. */
export const AUDIT_RULES_MAX = 72;
/** Bytes of an ML-DSA-65 signature as base64 characters. */
const SIGNATURE_BASE64_CHARS = 4_412;

const Sha256Hex = z.string().regex(/^0x[0-9a-f]{64}$/);
const DecimalText = z
  .string()
  .max(32)
  .regex(/^-?(0|[1-9][0-9]{0,14})(\.[0-9]{1,9})?$/, { error: 'a decimal number such as -12.5' });

const ruleFields = {
  id: z.string().min(1).max(64),
  statement: z.string().max(512).meta({ description: 'The rule in words' }),
  decimals: z.int().min(0).max(9).meta({ description: 'Digits after the point that count' }),
  value: DecimalText,
  threshold: DecimalText,
};

/** A rule before it is applied: whether value ≥ threshold. "At most" swaps the two, and says so. */
export const AuditRule = z.strictObject(ruleFields);
export type AuditRule = z.infer<typeof AuditRule>;

/** A rule applied, as the batch's STARK proves it. */
export const AppliedAuditRule = z
  .strictObject({ ...ruleFields, holds: z.boolean().meta({ description: 'Whether value ≥ threshold' }) })
  .meta({ id: 'AppliedAuditRule' });

const AuditLeaf = z
  .strictObject({
    index: z.int().min(0).max(15),
    salt: z.string().regex(/^0x[0-9a-f]{32}$/),
    path: z.array(Sha256Hex).length(4).meta({ description: 'Siblings from the leaf upwards' }),
  })
  .meta({ id: 'AuditLeaf' });

/** What both forms of evidence have: what it is evidence of, the answer's place in its batch, and a signature. */
const auditMembers = {
  proves: z.enum(['commitment', 'rules', 'computation']).meta({
    description: 'The computation, the rules applied to it, or that the answer cannot be changed later',
  }),
  doesNotProve: z
    .string()
    .max(2_048)
    .meta({ description: 'One sentence: what this evidence says nothing about' }),
  requestDigest: Sha256Hex.meta({ description: 'SHA-256 of the canonical (JCS) request, 0x hex' }),
  resultDigest: Sha256Hex.meta({
    description: 'SHA-256 of the canonical (JCS) result without its auditProof, 0x hex',
  }),
  rulesetId: z.string().max(128),
  rules: z.array(AppliedAuditRule).max(AUDIT_RULES_MAX),
  leaves: z.array(AuditLeaf).min(1).max(4).meta({ description: 'One for every 18 rules, at least one' }),
  leafCount: z.int().min(1).max(16).meta({ description: 'Leaves of the batch' }),
  root: Sha256Hex.meta({ description: 'Merkle root of the batch' }),
  keyId: z.string().max(64).meta({ description: 'Key in /.well-known/svc-proof-keys.json' }),
  signature: z.string().max(SIGNATURE_BASE64_CHARS).meta({
    description: 'ML-DSA-65 signature over the proof of the root, or over the root where it has none; base64',
  }),
  expiresAt: z.string().max(32).meta({ description: 'When the signature ends' }),
};

/** Evidence of an answer that was paid for: a STARK covers the root of its batch. */
export const ProvedAuditProof = z
  .strictObject({
    version: z.literal(1),
    ...auditMembers,
    airId: z.string().max(64),
    proofId: z
      .string()
      .max(64)
      .meta({ description: 'Proof that covers the root: /v1/stark/proofs/:proofId' }),
  })
  .meta({ id: 'ProvedAuditProof' });
export type ProvedAuditProof = z.infer<typeof ProvedAuditProof>;

/** Evidence of an answer without rules that was paid for: it lies in a tree of up to 256, whose root is one leaf of the batch. */
export const NestedAuditProof = z
  .strictObject({
    ...ProvedAuditProof.shape,
    version: z.literal(3),
    rules: z.array(AppliedAuditRule).max(0),
    leaves: z.array(AuditLeaf).length(1).meta({ description: 'The leaf that stands for the inner tree' }),
    inner: z
      .strictObject({
        index: z.int().min(0).max(255),
        count: z.int().min(1).max(256).meta({ description: 'Answers of the inner tree' }),
        salt: z.string().regex(/^0x[0-9a-f]{32}$/),
        path: z.array(Sha256Hex).max(8).meta({ description: 'Siblings from the leaf upwards' }),
      })
      .meta({ id: 'InnerAuditPlace' }),
  })
  .meta({ id: 'NestedAuditProof' });
export type NestedAuditProof = z.infer<typeof NestedAuditProof>;

/** Evidence that a STARK covers, in either form. */
export type StarkAuditProof = ProvedAuditProof | NestedAuditProof;

/** Evidence of a free answer: the root of its batch is signed, and no proof is made. */
export const SignedAuditProof = z
  .strictObject({ version: z.literal(2), ...auditMembers })
  .meta({ id: 'SignedAuditProof' });
export type SignedAuditProof = z.infer<typeof SignedAuditProof>;

/** Evidence that every answer of an engine carries, and what it is evidence of. See docs/audit-proofs.md. */
export const AuditProof = z
  .discriminatedUnion('version', [ProvedAuditProof, SignedAuditProof, NestedAuditProof])
  .meta({ id: 'AuditProof' });
export type AuditProof = z.infer<typeof AuditProof>;

/** What answers that were computed say of themselves, as members of their schema. */
export const commitmentEvidence = {
  proves: z.literal('commitment'),
  doesNotProve: z.string(),
  auditProof: AuditProof,
} as const;
