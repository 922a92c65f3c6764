import {
  AUDIT_AIR_ID,
  AUDIT_CONTEXT_DOMAIN,
  auditLeaves,
  canonicalDigest,
  innerLeafHash,
  InnerTree,
  outerLeaf,
  rulesDigestToText,
  signingKeyFromSeed,
  signProof,
  toBase64,
  toHex,
} from '@svc/audit-proof';
import {
  AUDIT_VECTORS_FILE,
  type AuditBatchVector,
  auditBatchVector,
  type AuditVector,
  DISCLOSURE_VECTORS_FILE,
  disclosureBatchVector,
  NESTED_VECTORS_FILE,
  nestedBatchVector,
} from '@svc/audit-proof/testing';
import { rulesAir, rulesLeafDigest, RulesTree } from '@svc/stark-air';
import { prove } from '@svc/stark-prover';
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';

/** Bytes that anyone can draw again: the SHA-256 of seed ‖ ':' ‖ 0, 1, …. */
function seeded(seed: string, length: number): Uint8Array {
  const blocks = Array.from({ length: Math.ceil(length / 32) }, (_, i) =>
    createHash('sha256').update(`${seed}:${i}`).digest(),
  );
  return new Uint8Array(Buffer.concat(blocks).subarray(0, length));
}

function saltsOf(audit: number, count: number): Uint8Array[] {
  return Array.from({ length: count }, (_, leaf) => seeded(`salt ${audit}.${leaf}`, 16));
}

function statementOf({ proves, doesNotProve, rulesetId, rules, request, result }: AuditVector) {
  const requestDigest = toHex(canonicalDigest(request));
  return {
    proves,
    doesNotProve,
    requestDigest,
    resultDigest: toHex(canonicalDigest(result)),
    rulesetId,
    rules,
  };
}

/** The leaves of a batch, and where in it each audit lies, by its version. */
function batchOf(audits: readonly AuditVector[]) {
  const statements = audits.map(statementOf);
  const salts = statements.map(({ rules }, i) => saltsOf(i, Math.max(1, Math.ceil(rules.length / 18))));
  const isNested = (i: number) => audits[i].auditProof.version === 3;
  const own = statements.flatMap((statement, i) => (isNested(i) ? [] : auditLeaves(statement, salts[i])));
  const within = [...statements.keys()].filter(isNested);
  const hashes = within.map(i => innerLeafHash(statements[i], salts[i][0]));
  const inner = hashes.length === 0 ? undefined : new InnerTree(hashes);
  const outer = inner && outerLeaf(inner.root, inner.count, seeded('outer salt', 16));
  const leaves = [...own, ...(outer ? [outer] : [])];
  const tree = new RulesTree(leaves.map(rulesLeafDigest));
  let index = 0;
  const placeOf = (at: number, salt: Uint8Array) => ({
    ...{ index: at, salt: toHex(salt), path: tree.path(at).map(rulesDigestToText) },
  });
  const members = { leafCount: leaves.length, root: rulesDigestToText(tree.root) };
  const placed = statements.map((statement, i) => {
    if (!inner || !outer || !isNested(i)) {
      const places = salts[i].map(salt => placeOf(index++, salt));
      return { ...statement, ...members, version: 1 as const, leaves: places };
    }
    const at = within.indexOf(i);
    const [salt, path] = [toHex(salts[i][0]), inner.path(at).map(toHex)];
    const place = { index: at, count: inner.count, salt, path };
    const over = [placeOf(leaves.length - 1, outer.salt)];
    const nested = { version: 3 as const, rules: [] as const, inner: place, leaves: over };
    return { ...statement, ...members, ...nested };
  });
  return { leaves, placed };
}

/** Proves and signs the pinned answers afresh, as one batch. */
async function remake({ parameters, expiresAt, audits }: AuditBatchVector): Promise<AuditBatchVector> {
  const { leaves, placed } = batchOf(audits);
  let draws = 0;
  const random = { fill: (bytes: Uint8Array) => bytes.set(seeded(`mask ${draws++}`, bytes.length)) };
  const contextDomain = AUDIT_CONTEXT_DOMAIN;
  const proved = await prove({ air: rulesAir, witness: { leaves }, parameters, contextDomain, random });
  const publicInputs = rulesAir.publicInputsToJson(proved.publicInputs);

  const { publicKey, secretKey } = signingKeyFromSeed(seeded('signing key', 32));
  const key = {
    kid: 'pinned',
    alg: 'ML-DSA-65',
    publicKey: toBase64(publicKey),
    notBefore: '2026-01-01T00:00:00Z',
    notAfter: null,
  };
  const expiresAtSeconds = Date.parse(expiresAt) / 1_000;
  const signed = { proof: proved.proof, airId: AUDIT_AIR_ID, publicInputs, contextDomain, expiresAtSeconds };
  const signature = toBase64(signProof(signed, secretKey, false));
  const kept = { airId: AUDIT_AIR_ID, proofId: 'prf_pinned', keyId: key.kid, signature, expiresAt };
  return {
    ...{ parameters, expiresAt, keys: [key] },
    audits: audits.map((audit, i) => ({ ...audit, auditProof: { ...placed[i], ...kept } })),
    proof: toBase64(proved.proof),
  };
}

export const BATCHES = [
  ['of two audits', auditBatchVector, AUDIT_VECTORS_FILE],
  ['of answers whose fields can be shown', disclosureBatchVector, DISCLOSURE_VECTORS_FILE],
  ['of answers that share a leaf', nestedBatchVector, NESTED_VECTORS_FILE],
] as const;

/** Batches that are pinned, made anew. */
export function describePinnedAudits(batches: readonly (typeof BATCHES)[number][]): void {
  it.each(batches)('reproduces the pinned batch %s to the byte', async (_, batch) => {
    expect(await remake(batch)).toEqual({ ...batch, source: undefined });
  });

  // A new version of the format, or of the rules' AIR, changes the batch on purpose: PIN_AUDITS=1 writes it anew.
  if (process.env.PIN_AUDITS) {
    afterAll(async () => {
      const source =
        'Made by apps/prover/src/audit/pinned-audits.long.spec.ts: one batch of audits under a proof of few queries, signed without randomness.';
      for (const [, batch, file] of batches) {
        const vector = { source, ...(await remake(batch)) };
        writeFileSync(file, `${JSON.stringify(vector, undefined, 2)}\n`);
      }
    });
  }
}
