import { rulesAir, rulesLeafDigest, RulesTree } from '@svc/stark-air';
import { encodeHeader, PARAMETER_SETS, parametersOf, type VerifierPolicy } from '@svc/stark-verifier';
import fc from 'fast-check';
import { auditLeaves, type AuditStatement } from './audit-leaves.js';
import { type ProvedAuditProof, readAuditProof, type SignedAuditProof } from './audit-proof.js';
import { toBase64, toHex } from './byte-text.js';
import { canonicalDigest } from './canonical-digest.js';
import type { ProofKey } from './proof-key.js';
import { signingKeyFromSeed, signRoot } from './root-signature.js';
import { rulesDigestToText } from './rules-digest-text.js';
import { AUDIT_SECURITY_BITS_MIN, auditedPart, verifyAuditProof } from './verify-audit-proof.js';

const RESULT = { answer: 42, unit: 'kg' };
const STATEMENT: AuditStatement = {
  proves: 'rules',
  doesNotProve: 'That the scale is right.',
  requestDigest: toHex(canonicalDigest({ ask: 1 })),
  resultDigest: toHex(canonicalDigest(RESULT)),
  rulesetId: 'mass/1',
  rules: [{ id: 'mass', statement: 'at least 40', decimals: 1, value: '42.0', threshold: '40', holds: true }],
};
const SALT = new Uint8Array(16).fill(3);
const PROOF = new Uint8Array([...encodeHeader(parametersOf(PARAMETER_SETS.P100, 4096, 8, true)), 1, 2, 3]);
const { publicKey, secretKey } = signingKeyFromSeed(new Uint8Array(32));
const KEYS: ProofKey[] = [
  {
    kid: 'k',
    alg: 'ML-DSA-65',
    publicKey: toBase64(publicKey),
    notBefore: '2026-01-01T00:00:00Z',
    notAfter: null,
  },
];

/** Everything is in order but the STARK, which is no proof: what stands before it can be told apart. */
function audit(statement = STATEMENT): ProvedAuditProof {
  const leaves = auditLeaves(statement, [SALT]).map(rulesLeafDigest);
  const tree = new RulesTree(leaves);
  return {
    version: 1,
    ...statement,
    leaves: [{ index: 0, salt: toHex(SALT), path: tree.path(0).map(rulesDigestToText) }],
    leafCount: 1,
    root: rulesDigestToText(tree.root),
    airId: rulesAir.id,
    proofId: 'prf_x',
    keyId: 'k',
    signature: toBase64(new Uint8Array(3_309)),
    expiresAt: '2099-01-01T00:00:00Z',
  };
}
const verdict = (auditProof: unknown, more: object = {}) =>
  verifyAuditProof({ auditProof, proof: PROOF, keys: KEYS, ...more });

it('checks digests, then inclusion, then the STARK', () => {
  expect(verdict(audit(), { result: RESULT, request: { ask: 1 } })).toMatchObject({
    reason: 'stark-invalid',
  });
  expect(verdict(audit(), { result: { ...RESULT, answer: 43 } })).toEqual({
    valid: false,
    reason: 'result-mismatch',
  });
  expect(verdict(audit(), { request: {} })).toEqual({ valid: false, reason: 'request-mismatch' });
  expect(verdict(audit(), { result: { x: 1n } })).toEqual({ valid: false, reason: 'result-mismatch' });
  expect(verdict({ ...audit(), leafCount: 2, leaves: [{ ...audit().leaves[0], index: 2 }] })).toMatchObject({
    reason: 'leaf-not-in-batch',
  });
  expect(verdict({ ...audit(), airId: 'rules/v2' })).toMatchObject({ reason: 'unsupported-air' });
});

describe('evidence that is signed and not proved', () => {
  const { version: _one, airId: _air, proofId: _proof, ...members } = audit();
  const expiresAtSeconds = Date.parse(members.expiresAt) / 1_000;
  const { root } = readAuditProof(audit()) as Exclude<ReturnType<typeof readAuditProof>, string>;
  const signature = toBase64(signRoot({ root, leafCount: 1, expiresAtSeconds }, secretKey, false));
  const signed: SignedAuditProof = { version: 2, ...members, signature };
  const checked = (auditProof: unknown, more: object = {}, policy?: VerifierPolicy) =>
    verifyAuditProof({ auditProof, keys: KEYS, result: RESULT, request: { ask: 1 }, ...more }, policy);

  it('holds without a proof, for the answer that was committed to', () => {
    expect(checked(signed)).toEqual({ valid: true });
    expect(checked(signed, { result: { ...RESULT, auditProof: signed, starkRoot: signed.root } })).toEqual({
      valid: true,
    });
    expect(checked(signed, { result: { ...RESULT, answer: 43 } })).toMatchObject({
      reason: 'result-mismatch',
    });
    expect(checked(signed, { request: {} })).toMatchObject({ reason: 'request-mismatch' });
    const [rule] = STATEMENT.rules;
    expect(checked({ ...signed, rules: [{ ...rule, holds: false }] })).toMatchObject({
      reason: 'leaf-not-under-root',
    });
  });

  it('does not hold for another root, number of leaves, end or key, or by a signature over a proof', () => {
    const other = audit({ ...STATEMENT, doesNotProve: 'That the scale stood level.' });
    const { root: _root, leaves, doesNotProve } = other;
    for (const changed of [
      { root: other.root, leaves, doesNotProve },
      { leafCount: 2 },
      { expiresAt: '2099-01-01T00:00:01Z' },
      { signature: audit().signature },
    ])
      expect(checked({ ...signed, ...changed })).toMatchObject({ valid: false, reason: 'bad-signature' });
    expect(checked({ ...signed, keyId: 'other' })).toMatchObject({ reason: 'unknown-key' });
    const late = { nowSeconds: expiresAtSeconds };
    expect(checked(signed, {}, late as VerifierPolicy)).toMatchObject({ reason: 'expired' });
    expect(checked(signed, { keys: [{ ...KEYS[0], revokedAt: '2026-02-01T00:00:00Z' }] })).toMatchObject({
      reason: 'key-revoked',
    });
  });

  it('is refused where proven bits are asked for, and as evidence that names a proof', () => {
    expect(checked(signed, {}, { securityBitsMin: 1 })).toMatchObject({ valid: false, reason: 'not-proved' });
    expect(checked({ ...signed, version: 1, airId: rulesAir.id, proofId: 'prf_x' })).toMatchObject({
      reason: 'proof-missing',
    });
    expect(checked({ ...signed, proofId: 'prf_x' })).toMatchObject({ detail: 'proofId' });
    expect(checked({ ...signed, version: 1 })).toMatchObject({ detail: 'airId' });
    expect(checked({ ...signed, version: 3 })).toMatchObject({ reason: 'malformed-audit-proof' });
  });
});

describe('an answer that repeats a root as `starkRoot`', () => {
  const evidence = audit();
  const own = `0x${'11'.repeat(32)}`;
  const withOwn = audit({
    ...STATEMENT,
    resultDigest: toHex(canonicalDigest({ ...RESULT, starkRoot: own })),
  });
  /** Found in order, all but the STARK. */
  const inOrder = { reason: 'stark-invalid' };

  it.each([
    ['with its evidence', { auditProof: evidence }],
    ['without it', {}],
    ['beside the evidence of another answer', { auditProof: { ...evidence, root: own } }],
  ])('is the one that was digested where the root is that of the evidence, %s', (_, more) => {
    const result = { ...RESULT, starkRoot: evidence.root, ...more };
    expect(verdict(evidence, { result })).toMatchObject(inOrder);
  });

  it('is another one where the root is any other, in any other spelling', () => {
    const others = [own, evidence.root.toUpperCase(), evidence.root.slice(2), [evidence.root], null];
    for (const starkRoot of others) {
      const result = { ...RESULT, starkRoot, auditProof: { ...evidence, root: starkRoot } };
      expect(verdict(evidence, { result })).toMatchObject({ reason: 'result-mismatch' });
    }
  });

  it('has its own root in its digest', () => {
    const result = { ...RESULT, starkRoot: own };
    expect(verdict(withOwn, { result })).toMatchObject(inOrder);
    for (const other of [
      RESULT,
      { ...RESULT, starkRoot: withOwn.root },
      { ...result, starkRoot: evidence.root },
    ])
      expect(verdict(withOwn, { result: other })).toMatchObject({ reason: 'result-mismatch' });
  });

  it('keeps a member of that name elsewhere', () => {
    const result = { ...RESULT, of: { starkRoot: evidence.root }, auditProof: evidence };
    expect(auditedPart(result)).toEqual({ ...RESULT, of: { starkRoot: evidence.root } });
    expect(auditedPart({ ...RESULT, starkRoot: evidence.root, auditProof: evidence })).toEqual(RESULT);
    expect(auditedPart({ starkRoot: own, auditProof: null })).toEqual({ starkRoot: own });
  });
});

it('takes a rule as it was proved: a leaf with a wrong verdict has its own root, under which no STARK can be', () => {
  const [rule] = STATEMENT.rules;
  const wrong = audit({ ...STATEMENT, rules: [{ ...rule, holds: false }] });
  expect(wrong.root).not.toBe(audit().root);
  expect(verdict(wrong)).toMatchObject({ reason: 'stark-invalid' });
  expect(() => rulesAir.execute(undefined as never, { leaves: auditLeaves(wrong, [SALT]) }, 4096)).toThrow(
    expect.objectContaining({ code: 'constraint-violated' }),
  );
});

it('names the member of an audit proof that cannot be read', () => {
  const good = audit();
  const faults: [object, string][] = [
    [{ ...good, version: 4 }, 'version'],
    [{ ...good, version: undefined }, 'version'],
    [{ ...good, proves: 'everything' }, 'proves'],
    [{ ...good, extra: 1 }, 'extra'],
    [{ ...good, root: good.root.toUpperCase() }, 'root'],
    [{ ...good, root: `0x${'ff'.repeat(32)}` }, 'root'],
    [{ ...good, leaves: [] }, 'leaves'],
    [{ ...good, leaves: [{ ...good.leaves[0], salt: `0x${'ff'.repeat(16)}` }] }, 'leaves.0.salt'],
    [{ ...good, leaves: [{ ...good.leaves[0], path: good.leaves[0].path.slice(1) }] }, 'leaves.0.path'],
    [{ ...good, leafCount: 17 }, 'leafCount'],
    [{ ...good, rules: [{ ...good.rules[0], holds: 'true' }] }, 'rules.0.holds'],
    [{ ...good, rules: Array.from({ length: 73 }, () => good.rules[0]) }, 'rules'],
    [{ ...good, rules: [{ ...good.rules[0], value: '1.23' }] }, 'rule mass: value'],
    [{ ...good, expiresAt: '2099-01-01' }, 'expiresAt'],
    [{ ...good, expiresAt: '2099-01-01T00:00:00.5Z' }, 'expiresAt'],
    [{ ...good, signature: '*' }, 'signature'],
    [{ ...good, doesNotProve: '\ud800' }, 'doesNotProve'],
  ];
  for (const [bad, member] of faults) {
    const { reason, detail } = verdict(bad);
    expect([reason, detail]).toEqual(['malformed-audit-proof', expect.stringContaining(member)]);
  }
  for (const bad of [null, undefined, 7, 'audit', [], {}]) {
    expect(verdict(bad)).toMatchObject({ valid: false, reason: 'malformed-audit-proof' });
  }
});

it('asks for 100 proven bits of a batch unless the caller names another bound', () => {
  // P100 with a dozen queries fewer: above the verifier's own default of 80, below what is asked of audits.
  const set = {
    ...PARAMETER_SETS.P100,
    id: 'fewer',
    queryCounts: { 8: PARAMETER_SETS.P100.queryCounts[8] - 12 },
  };
  const proof = new Uint8Array(200_000);
  proof.set(encodeHeader(parametersOf(set, 4096, 8, true)));
  const detail = (policy: VerifierPolicy) =>
    verifyAuditProof({ auditProof: audit(), proof, keys: KEYS }, { parameterSets: [set], ...policy }).detail;
  expect(AUDIT_SECURITY_BITS_MIN).toBe(100);
  expect(detail({})).toBe('insufficient-security');
  expect(detail({ securityBitsMin: undefined })).toBe('insufficient-security');
  expect(detail({ securityBitsMin: 99 })).toBe('insufficient-security');
  expect(detail({ securityBitsMin: 80 })).not.toBe('insufficient-security');
});

it('leaves out of the digest what opens a commitment, and of no other answer a member of that name', () => {
  const opening = { salt: '0x00' };
  for (const airId of ['binding/v1', 'spatial-box/v1']) {
    const answer = { airId, answer: 42 };
    const audited = audit({ ...STATEMENT, resultDigest: toHex(canonicalDigest(answer)) });
    expect(verdict(audited, { result: answer })).toMatchObject({ reason: 'stark-invalid' });
    expect(verdict(audited, { result: { ...answer, opening } })).toMatchObject({ reason: 'stark-invalid' });
    expect(verdict(audited, { result: { ...answer, inner: { opening } } })).toMatchObject({
      reason: 'result-mismatch',
    });
  }
  for (const answer of [RESULT, { ...RESULT, airId: 'preimage/v1' }, { ...RESULT, airId: 7 }]) {
    const audited = audit({ ...STATEMENT, resultDigest: toHex(canonicalDigest(answer)) });
    expect(verdict(audited, { result: answer })).toMatchObject({ reason: 'stark-invalid' });
    expect(verdict(audited, { result: { ...answer, opening } })).toMatchObject({ reason: 'result-mismatch' });
  }
});

it('ties the parts of an audit of many rules to one another, so that two audits cannot exchange theirs', () => {
  const many = (value: string) => ({
    ...STATEMENT,
    rules: Array.from({ length: 20 }, () => ({ ...STATEMENT.rules[0], value })),
  });
  const other = new Uint8Array(16).fill(4);
  const digests = (value: string, salts: readonly Uint8Array[]) =>
    auditLeaves(many(value), salts).map(({ contentDigest }) => toHex(contentDigest));
  const [first, second] = [digests('42.0', [SALT, SALT]), digests('43.0', [other, SALT])];
  expect(first[0]).not.toBe(second[0]);
  expect(first[1]).not.toBe(second[1]);
  expect(digests('44.0', [SALT, other])).toEqual(first);
});

it('never throws and never accepts, whatever JSON stands in place of a member', () => {
  const members = Object.keys(audit());
  fc.assert(
    fc.property(fc.constantFrom(...members), fc.jsonValue(), fc.jsonValue(), (member, value, result) => {
      expect(verdict({ ...audit(), [member]: value }, { result }).valid).toBe(false);
      expect(verdict(value, { proof: new Uint8Array(0) }).valid).toBe(false);
    }),
    { numRuns: 200 },
  );
});
