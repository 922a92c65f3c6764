import { rulesLeafDigest, RulesTree } from '@svc/stark-air';
import { loadWasmVerifierBackend } from '@svc/stark-verifier/node';
import fc from 'fast-check';
import { auditLeaves } from './audit-leaves.js';
import type { ProvedAuditProof } from './audit-proof.js';
import { comparisonOf } from './audit-rule.js';
import { fromBase64, fromHex, toBase64, toHex } from './byte-text.js';
import { canonicalDigest } from './canonical-digest.js';
import { signingKeyFromSeed, signRoot } from './root-signature.js';
import { rulesDigestFromText, rulesDigestToText } from './rules-digest-text.js';
import {
  auditBatchVector,
  auditClaimOf,
  nestedBatchVector,
  pinnedAuditPolicy,
} from './testing/node/audit-vectors.js';
import { type AuditClaim, type AuditRejection, verifyAuditProof } from './verify-audit-proof.js';

const IS_LONG = process.env.SUITE_TIER === 'long';
const CASES = IS_LONG ? 100_000 : 1_500;
/** Of ten cases so many are looked at after they expired: more of few, so that some of them are sound otherwise. */
const LATE = IS_LONG ? 1 : 3;
const backend = await loadWasmVerifierBackend();
const policy = pinnedAuditPolicy();
const AFTER_EXPIRY = Date.UTC(2028, 0, 1) / 1_000;
const proved = auditBatchVector.audits.map(audit => auditClaimOf(audit));
/** Audits that share a leaf of their batch. */
const nested = nestedBatchVector.audits
  .filter(({ auditProof }) => auditProof.version === 3)
  .map(audit => auditClaimOf(audit, nestedBatchVector));
/** The same audits with a signature over their root, and no proof. */
const signed = auditBatchVector.audits.map(audit => signedOf(auditClaimOf(audit)));

function signedOf({ proof: _none, keys, ...claim }: AuditClaim): AuditClaim {
  const { airId: _air, proofId: _proof, ...members } = claim.auditProof as ProvedAuditProof;
  const { publicKey, secretKey } = signingKeyFromSeed(new Uint8Array(32));
  const root = {
    root: rulesDigestFromText(members.root)!,
    leafCount: members.leafCount,
    expiresAtSeconds: Date.parse(members.expiresAt) / 1_000,
  };
  const signature = toBase64(signRoot(root, secretKey, false));
  return {
    ...claim,
    auditProof: { ...members, version: 2, signature },
    keys: keys.map(key => ({ ...key, publicKey: toBase64(publicKey) })),
  };
}

/** Ends that cases must come to, in the order of the checks. */
const STAGES: readonly (AuditRejection | 'valid')[] = [
  'malformed-audit-proof',
  'result-mismatch',
  'request-mismatch',
  'unsupported-air',
  'leaf-not-in-batch',
  'leaf-not-under-root',
  'stark-invalid',
  'unknown-key',
  'malformed-signature',
  'malformed-key',
  'bad-signature',
  'expired',
  'valid',
];

type Loose<T> = { -readonly [K in keyof T]: T[K] };
/** A claim that may be changed at will; its audit proof is JSON of the right shape, or was. */
type LooseClaim = Loose<Required<AuditClaim>> & { auditProof: ProvedAuditProof };
/** Changes a claim in place, if it still has what is to be changed. */
type Change = (claim: LooseClaim) => void;
type Container = Record<string, unknown>;

/** Text that decoders stumble over: halves of pairs, other spellings of letters and digits, ends, bidirectional marks. */
const TEXTS = [
  '\ud800',
  '\udc00',
  'e\u0301',
  '\u00e9',
  '\0',
  '\u202e',
  '１',
  '٣',
  'A',
  '0',
  '-',
  '.',
  ' ',
  '\n',
];
const NUMBERS = [-1, -0, 0, 0.5, 1, 2, 16, 17, 2 ** 31, 2 ** 53, 1e21, 5e-324, NaN, Infinity];
const TIMES = [
  '2026-12-31T24:00:00Z',
  '2027-02-29T00:00:00Z',
  '2099-01-01T00:00:00Z',
  '2026-02-01T00:00:00Z',
];
const NAMES = ['__proto__', 'constructor', 'toJSON', 'length', '0', 'auditProof', 'version', 'é', ''];

const at = fc.nat(1 << 20);
const value = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<unknown>,
  fc.constantFrom<unknown>(undefined, 1n, [], {}, ...NUMBERS, ...TEXTS, ...TIMES, `0x${'ff'.repeat(32)}`),
);

/** All members of what is a record or a list, at any depth, with what holds them. */
function membersOf(json: unknown): { holder: Container; name: string }[] {
  if (typeof json !== 'object' || json === null) return [];
  const holder = json as Container;
  return Object.keys(holder).flatMap(name => [{ holder, name }, ...membersOf(holder[name])]);
}

const pick = <T>(list: readonly T[], index: number): T | undefined => list[index % list.length];

/** Changes one member of the part of a claim: to another value, to none, twice there, or to that of another member. */
function memberChange(part: (claim: LooseClaim) => unknown): fc.Arbitrary<Change> {
  const kind = fc.constantFrom('set', 'remove', 'double', 'swap', 'add');
  return fc.record({ kind, at, other: at, value, name: fc.constantFrom(...NAMES) }).map(change => claim => {
    const members = membersOf(part(claim));
    const member = pick(members, change.at);
    const other = pick(members, change.other);
    if (!member || !other) return;
    const { holder, name } = member;
    const put = (to: Container, key: string, content: unknown) =>
      Object.defineProperty(to, key, {
        value: content,
        enumerable: true,
        writable: true,
        configurable: true,
      });
    const here = holder[name];
    const there = other.holder[other.name];
    if (change.kind === 'remove' && Array.isArray(holder)) holder.splice(Number(name), 1);
    else if (change.kind === 'remove') delete holder[name];
    else if (change.kind === 'double' && Array.isArray(holder)) holder.push(structuredClone(here));
    else if (change.kind === 'add' && !Array.isArray(holder))
      put(holder, change.name, structuredClone(change.value));
    else if (change.kind === 'swap') {
      // Copies, for a member may lie in the other.
      put(holder, name, structuredClone(there));
      put(other.holder, other.name, structuredClone(here));
    } else put(holder, name, structuredClone(change.value));
  });
}

/** Changes a few characters of a text, or makes a number another one. */
function spellingChange(part: (claim: LooseClaim) => unknown): fc.Arbitrary<Change> {
  const record = { at, start: at, count: fc.nat(3), text: fc.constantFrom(...TEXTS), step: fc.nat(20) };
  return fc.record(record).map(({ at, start, count, text, step }) => claim => {
    const isScalar = ({ holder, name }: { holder: Container; name: string }) =>
      typeof holder[name] === 'string' || typeof holder[name] === 'number';
    const member = pick(membersOf(part(claim)).filter(isScalar), at);
    if (!member) return;
    const { holder, name } = member;
    const old = holder[name];
    if (typeof old === 'number') holder[name] = pick([old + 1, old - 1, String(old), ...NUMBERS], step);
    else if (typeof old === 'string') {
      const from = start % (old.length + 1);
      const spellings = [old.slice(0, from) + text + old.slice(from + count), old.toUpperCase(), ` ${old}`];
      holder[name] = pick([...spellings, old.slice(0, from), old + old, old.normalize('NFD')], step >> 2);
    }
  });
}

/** A statement that is not the proved one, with paths and root that fit it: only the STARK can tell, or the signature. */
const forgery: fc.Arbitrary<Change> = fc
  .record({
    text: fc.string({ maxLength: 8 }),
    salt: fc.uint8Array({ minLength: 16, maxLength: 16 }),
    kind: fc.nat(4),
  })
  .map(({ text, salt, kind }) => claim => {
    const audit = claim.auditProof as Loose<ProvedAuditProof>;
    try {
      const [rule, ...rules] = audit.rules;
      if (kind === 0) audit.rules = [{ ...rule, holds: !rule.holds }, ...rules];
      else if (kind === 1) audit.rules = [{ ...rule, statement: text }, ...rules];
      else if (kind === 2) audit.doesNotProve = text;
      else if (kind === 3)
        audit.leaves = [{ ...audit.leaves[0], salt: toHex(salt.fill(0, 7, 8)) }, ...audit.leaves.slice(1)];
      else audit.rulesetId = text;
      const salts = audit.leaves.map(leaf => fromHex(leaf.salt, 16) as Uint8Array);
      const digests = auditLeaves(audit, salts).map(rulesLeafDigest);
      const tree = new RulesTree([...digests, ...digests].slice(0, audit.leafCount));
      audit.leaves = audit.leaves.map((leaf, index) => ({
        ...leaf,
        index,
        path: tree.path(index).map(rulesDigestToText),
      }));
      audit.root = rulesDigestToText(tree.root);
    } catch {
      // What an earlier change broke cannot be forged either.
    }
  });

/** Other bytes in proof, signature or key. */
const bytesChange: fc.Arbitrary<Change> = fc
  .record({
    of: fc.constantFrom('proof', 'signature', 'publicKey'),
    at,
    bytes: fc.uint8Array({ minLength: 1, maxLength: 9 }),
    cut: fc.nat(9),
  })
  .map(({ of, at, bytes, cut }) => claim => {
    const damaged = (whole: Uint8Array | undefined) => {
      if (!whole?.length) return whole ?? new Uint8Array(0);
      const copy = cut < 2 ? whole.slice(0, whole.length - cut) : whole.slice();
      bytes.forEach((byte, i) => (copy[(at + i) % copy.length] ^= byte));
      return copy;
    };
    if (of === 'proof') claim.proof = damaged(claim.proof);
    else if (of === 'publicKey')
      claim.keys = claim.keys.map(key => ({
        ...key,
        publicKey: toBase64(damaged(fromBase64(key.publicKey))),
      }));
    else if (typeof claim.auditProof === 'object' && claim.auditProof !== null) {
      const { signature } = claim.auditProof;
      (claim.auditProof as Loose<ProvedAuditProof>).signature = toBase64(damaged(fromBase64(signature)));
    }
  });

const auditMembers = (claim: LooseClaim) => claim.auditProof;
/** Readable values in places that later checks look at, so that cases come as far as those. */
const readable: fc.Arbitrary<Change> = fc
  .record({
    kind: fc.nat(7),
    time: fc.constantFrom(...TIMES),
    text: fc.constantFrom(...TEXTS),
    index: fc.nat(15),
  })
  .map(({ kind, time, text, index }) => claim => {
    const audit = claim.auditProof as Loose<ProvedAuditProof>;
    if (typeof audit !== 'object' || audit === null) return;
    const { keyId, proofId, airId, signature, leaves } = audit;
    if (kind === 0) audit.expiresAt = time;
    else if (kind === 1) audit.keyId = keyId + text;
    else if (kind === 2) audit.proofId = proofId + text;
    else if (kind === 3) audit.airId = airId + text;
    else if (kind === 4 && Array.isArray(leaves)) audit.leaves = leaves.map(leaf => ({ ...leaf, index }));
    else if (kind === 5) audit.leafCount = 1 + index;
    else if (kind === 6)
      audit.signature = String(signature)
        .slice(4 * (index >> 3))
        .replaceAll('+', '-');
    else claim.keys = claim.keys.map(key => ({ ...key, publicKey: key.publicKey.slice(4 * (index >> 2)) }));
  });

const otherWhole: fc.Arbitrary<Change> = fc
  .record({ of: fc.constantFrom('auditProof' as const, 'result' as const, 'request' as const), value })
  .map(
    ({ of, value }) =>
      claim =>
        ((claim as Container)[of] = structuredClone(value)),
  );

const change = fc.oneof(
  { weight: 5, arbitrary: memberChange(auditMembers) },
  { weight: 5, arbitrary: spellingChange(auditMembers) },
  { weight: 2, arbitrary: memberChange(({ result, request }) => [result, request]) },
  { weight: 2, arbitrary: spellingChange(({ result, request }) => [result, request]) },
  { weight: 1, arbitrary: otherWhole },
  { weight: 3, arbitrary: forgery },
  { weight: 2, arbitrary: bytesChange },
  { weight: 4, arbitrary: readable },
);

/** A claim that shares nothing with the pinned one. */
function copyOf(base: AuditClaim): LooseClaim {
  return structuredClone(base) as LooseClaim;
}

/** All that an accepted claim says, in one spelling: what an accepted change must have left as it was. */
function meaningOf({ auditProof, proof, keys, result, request }: LooseClaim): string {
  const { rules, signature, expiresAt, proofId: _whereToFetch, keyId, ...members } = auditProof;
  const { auditProof: _evidence, ...answer } = { ...(result as Container) };
  const digests = [
    result === undefined ? members.resultDigest : toHex(canonicalDigest(answer)),
    request === undefined ? members.requestDigest : toHex(canonicalDigest(request)),
  ];
  const sides = rules.map(rule => {
    const { value, threshold } = comparisonOf(rule);
    return { ...rule, value: String(value), threshold: String(threshold) };
  });
  const publicKey = keys.find(({ kid }) => kid === keyId)?.publicKey;
  // Evidence that is only signed has no proof, and none is looked at.
  const checkedProof = 'airId' in auditProof ? proof : undefined;
  const bytes = [checkedProof, fromBase64(signature), fromBase64(publicKey)].map(one => one && toHex(one));
  return toHex(canonicalDigest([members, sides, digests, bytes, Date.parse(expiresAt)]));
}

const KINDS = [
  { kind: 'proved', bases: proved, stages: STAGES, cases: CASES },
  {
    kind: 'signed',
    bases: signed,
    stages: STAGES.filter(stage => stage !== 'unsupported-air' && stage !== 'stark-invalid'),
    cases: CASES / 3,
  },
  // A forgery of `forgery` has no inner tree, so that fewer come to the STARK and the signature.
  { kind: 'nested', bases: nested, stages: STAGES, cases: CASES / 2 },
];

it.each(KINDS)(
  'gives a verdict on $cases damaged audits that were $kind, at every stage, and accepts none but what says the same',
  ({ bases, stages, cases: numRuns }) => {
    const meanings = bases.map(base => meaningOf(copyOf(base)));
    const verdicts = new Map<AuditRejection | 'valid', number>();
    const some = fc.array(change, { minLength: 1, maxLength: 4 });
    const cases = fc.property(fc.nat(bases.length - 1), some, fc.nat(9), (which, changes, day) => {
      const claim = copyOf(bases[which]);
      for (const apply of changes) apply(claim);
      const isLate = day < LATE;
      const nowSeconds = isLate ? AFTER_EXPIRY : policy.nowSeconds;
      const { valid, reason = 'valid' } = verifyAuditProof(claim, { ...policy, nowSeconds }, backend);
      verdicts.set(reason, (verdicts.get(reason) ?? 0) + 1);
      expect(valid).toBe(reason === 'valid');
      if (valid) expect([meaningOf(claim), isLate]).toEqual([meanings[which], false]);
    });
    fc.assert(cases, { numRuns: Math.ceil(numRuns), seed: 2026 });
    // Each check has been the last one for a good many: the cases do not all end where JSON is read.
    const rare = stages.filter(stage => (verdicts.get(stage) ?? 0) < numRuns / 400);
    expect({ rare, verdicts }).toMatchObject({ rare: [] });
  },
);

it('accepts the audits as they are', () => {
  for (const base of [...proved, ...signed, ...nested])
    expect(verifyAuditProof(base, policy, backend)).toMatchObject({ valid: true });
});
