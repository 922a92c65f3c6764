import { describe, expect, it } from '@jest/globals';
import { rulesAir, rulesLeafDigest, RulesTree } from '@svc/stark-air';
import { encodeHeader, PARAMETER_SETS, parametersOf } from '@svc/stark-verifier';
import fc from 'fast-check';
import { createHash } from 'node:crypto';
import { auditLeaves, type AuditStatement } from './audit-leaves.js';
import type { NestedAuditProof } from './audit-proof.js';
import { toBase64, toHex } from './byte-text.js';
import { canonicalDigest } from './canonical-digest.js';
import { INNER_LEAVES_MAX, innerLeafHash, InnerTree, outerLeaf } from './inner-tree.js';
import { rulesDigestToText } from './rules-digest-text.js';
import { verifyAuditProof } from './verify-audit-proof.js';

const sha256 = (...parts: (Buffer | Uint8Array | string)[]) => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
};

/** The root by the definition of RFC 6962, section 2.1: the list is split at the largest power of two below its length. */
function rootByDefinition(leaves: readonly Uint8Array[]): Uint8Array {
  if (leaves.length === 1) return leaves[0];
  const left = 2 ** Math.ceil(Math.log2(leaves.length) - 1);
  const halves = [leaves.slice(0, left), leaves.slice(left)].map(rootByDefinition);
  return sha256(Buffer.of(1), ...halves);
}

const answerOf = (i: number) => ({ answer: i });
const statementOf = (i: number): AuditStatement => ({
  proves: 'commitment',
  doesNotProve: 'That it is right.',
  requestDigest: toHex(canonicalDigest({ ask: i })),
  resultDigest: toHex(canonicalDigest(answerOf(i))),
  rulesetId: i % 2 === 0 ? '' : 'svc/of-a-kind/v1',
  rules: [],
});
const saltOf = (i: number) => new Uint8Array(sha256(`salt ${i}`).subarray(0, 16));
const OUTER_SALT = new Uint8Array(16).fill(5);
const PROOF = new Uint8Array([...encodeHeader(parametersOf(PARAMETER_SETS.P100, 4096, 8, true)), 1, 2, 3]);

/** Evidence of `count` answers; everything is in order but the STARK, which is no proof. */
function evidence(count: number): NestedAuditProof[] {
  const inner = new InnerTree(
    Array.from({ length: count }, (_, i) => innerLeafHash(statementOf(i), saltOf(i))),
  );
  const other = auditLeaves({ ...statementOf(999), rulesetId: '' }, [saltOf(999)]);
  const tree = new RulesTree([...other, outerLeaf(inner.root, count, OUTER_SALT)].map(rulesLeafDigest));
  return Array.from({ length: count }, (_, i) => ({
    version: 3,
    ...statementOf(i),
    rules: [],
    inner: { index: i, count, salt: toHex(saltOf(i)), path: inner.path(i).map(toHex) },
    leaves: [{ index: 1, salt: toHex(OUTER_SALT), path: tree.path(1).map(rulesDigestToText) }],
    ...{ leafCount: 2, root: rulesDigestToText(tree.root), airId: rulesAir.id, proofId: 'prf_x', keyId: 'k' },
    signature: toBase64(new Uint8Array(3_309)),
    expiresAt: '2099-01-01T00:00:00Z',
  }));
}
const verdict = (auditProof: unknown, more: object = {}) =>
  verifyAuditProof({ auditProof, proof: PROOF, keys: [], ...more });
/** All is found in order, but the STARK. */
const IN_ORDER = { reason: 'stark-invalid' };

describe('an inner tree', () => {
  it('has the root that RFC 6962 defines, and a path of at most eight for each of up to 256 answers', () => {
    for (const count of [1, 2, 3, 4, 5, 7, 8, 9, 31, 100, 255, 256]) {
      const leaves = Array.from({ length: count }, (_, i) => innerLeafHash(statementOf(i), saltOf(i)));
      const tree = new InnerTree(leaves);
      expect(toHex(tree.root)).toBe(toHex(new Uint8Array(rootByDefinition(leaves))));
      for (const i of [0, count >> 1, count - 1]) expect(tree.path(i).length).toBeLessThanOrEqual(8);
    }
    for (const count of [0, INNER_LEAVES_MAX + 1])
      expect(() => new InnerTree(Array<Uint8Array>(count).fill(saltOf(0)))).toThrow(RangeError);
  });

  it('hashes a leaf as the page says: tag, salt, ruleset and content', () => {
    const statement = statementOf(1);
    const tag = 'svc/audit-inner/v1';
    const { proves, doesNotProve, requestDigest, resultDigest } = statement;
    const content = `{"doesNotProve":"${doesNotProve}","part":0,"parts":1,"proves":"${proves}","requestDigest":"${requestDigest}","resultDigest":"${resultDigest}","version":1}`;
    const ruleset = '{"id":"svc/of-a-kind/v1","rules":[]}';
    const leaf = sha256(Buffer.of(0, tag.length), tag, saltOf(1), sha256(ruleset), sha256(content));
    expect(toHex(innerLeafHash(statement, saltOf(1)))).toBe(`0x${leaf.toString('hex')}`);
    const outer = outerLeaf(new Uint8Array(leaf), 7, OUTER_SALT);
    expect(toHex(outer.contentDigest)).toBe(
      `0x${sha256(`{"innerCount":7,"innerRoot":"0x${leaf.toString('hex')}","version":3}`).toString('hex')}`,
    );
    expect(toHex(outer.rulesetHash)).toBe(`0x${sha256(`{"id":"${tag}","rules":[]}`).toString('hex')}`);
  });
});

describe('evidence of an answer in an inner tree', () => {
  it.each([1, 2, 3, 100, 256])('is found under the root of its batch, of %i answers each', count => {
    for (const [i, auditProof] of evidence(count).entries()) {
      expect(verdict(auditProof, { result: answerOf(i), request: { ask: i } })).toMatchObject(IN_ORDER);
    }
  });

  it('is of its own answer alone, and of no other place', () => {
    const [first, second] = evidence(5);
    expect(verdict(first, { result: answerOf(1) })).toMatchObject({ reason: 'result-mismatch' });
    const notUnderRoot = { reason: 'leaf-not-under-root', detail: 'inner' };
    const changes: [object, object][] = [
      [{ inner: second.inner }, { reason: 'leaf-not-under-root' }],
      [{ inner: { ...first.inner, salt: second.inner.salt } }, { reason: 'leaf-not-under-root' }],
      [{ inner: { ...first.inner, index: 1 } }, { reason: 'leaf-not-under-root' }],
      [{ inner: { ...first.inner, count: 6 } }, { reason: 'leaf-not-under-root' }],
      [{ inner: { ...first.inner, index: 5 } }, { reason: 'leaf-not-in-batch', detail: 'inner' }],
      [{ inner: { ...first.inner, count: 256 } }, notUnderRoot],
      [{ inner: { ...first.inner, path: [] } }, notUnderRoot],
      [{ inner: { ...first.inner, path: [...first.inner.path, first.inner.path[0]] } }, notUnderRoot],
      [
        { inner: { ...first.inner, path: [...first.inner.path].reverse() } },
        { reason: 'leaf-not-under-root' },
      ],
      [{ proves: 'computation' }, { reason: 'leaf-not-under-root' }],
      [{ rulesetId: 'other' }, { reason: 'leaf-not-under-root' }],
      [
        { leaves: [{ ...first.leaves[0], salt: toHex(saltOf(3)) }] },
        { reason: 'leaf-not-under-root', detail: 'leaves.0' },
      ],
      [{ leaves: [{ ...first.leaves[0], index: 0 }] }, { reason: 'leaf-not-under-root', detail: 'leaves.0' }],
    ];
    for (const [change, reason] of changes) expect(verdict({ ...first, ...change })).toMatchObject(reason);
  });

  it('has exactly its members, and no rules', () => {
    const [good] = evidence(3);
    const { inner, ...without } = good;
    const rule = { id: 'r', statement: 's', decimals: 0, value: '1', threshold: '1', holds: true };
    const faults: [object, string][] = [
      [without, 'inner'],
      [{ ...good, version: 1 }, 'inner'],
      [{ ...without, version: 2 }, 'airId'],
      [{ ...good, rules: [rule] }, 'rules'],
      [{ ...good, leaves: [good.leaves[0], good.leaves[0]] }, 'leaves'],
      [{ ...good, inner: { ...inner, more: 1 } }, 'more'],
      [{ ...good, inner: { ...inner, index: -1 } }, 'inner.index'],
      [{ ...good, inner: { ...inner, index: 256 } }, 'inner.index'],
      [{ ...good, inner: { ...inner, count: 257 } }, 'inner.count'],
      [{ ...good, inner: { ...inner, salt: '0x00' } }, 'inner.salt'],
      [{ ...good, inner: { ...inner, path: Array<string>(9).fill(inner.path[0]) } }, 'inner.path'],
      [{ ...good, inner: { ...inner, path: [inner.path[0], inner.path[0].slice(2)] } }, 'inner.path.1'],
      [{ ...good, inner: null }, 'inner'],
    ];
    for (const [auditProof, detail] of faults) {
      expect(verdict(auditProof)).toEqual({ valid: false, reason: 'malformed-audit-proof', detail });
    }
  });

  it('cannot be made of a node, a leaf of another tree or a leaf of the batch', () => {
    // A node of the inner tree, offered as a leaf: its hash begins with another byte, so no statement has it.
    const leaves = [0, 1].map(i => innerLeafHash(statementOf(i), saltOf(i)));
    const tree = new InnerTree(leaves);
    fc.assert(
      fc.property(fc.nat({ max: 1_000 }), fc.uint8Array({ minLength: 16, maxLength: 16 }), (i, salt) => {
        expect(toHex(innerLeafHash(statementOf(i), salt))).not.toBe(toHex(tree.root));
      }),
      { numRuns: 50 },
    );
    // The leaf that stands for a tree is that of no statement, whatever its ruleset is called.
    const outer = toHex(outerLeaf(tree.root, 2, OUTER_SALT).contentDigest);
    const [own] = auditLeaves({ ...statementOf(0), rulesetId: 'svc/audit-inner/v1' }, [OUTER_SALT]);
    expect(toHex(own.rulesetHash)).toBe(toHex(outerLeaf(tree.root, 2, OUTER_SALT).rulesetHash));
    expect(toHex(own.contentDigest)).not.toBe(outer);
  });
});
