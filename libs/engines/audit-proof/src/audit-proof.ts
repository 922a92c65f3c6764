import { RULES_TREE_DEPTH, isCanonicalSalt, type RulesDigest } from '@svc/stark-air';
import { AUDIT_RULES_MAX, type AuditStatement, leafCountOf, type Proves } from './audit-leaves.js';
import { RULE_DECIMALS_MAX, type AppliedRule } from './audit-rule.js';
import { fromBase64, fromHex } from './byte-text.js';
import { INNER_LEAVES_MAX, type InnerPlace } from './inner-tree.js';
import { rulesDigestFromText } from './rules-digest-text.js';
import { digestTextOf, integerOf, listOf, malformed, readStrictly, recordOf, textOf } from './strict-json.js';

/** One leaf of an audit and its place in the tree. */
export interface AuditLeafPlace {
  readonly index: number;
  /** 16 bytes, `0x` hexadecimal. */
  readonly salt: string;
  /** The 4 siblings from the leaf upwards, `0x` hexadecimal. */
  readonly path: readonly string[];
}

/** What both forms of evidence have. */
interface AuditMembers extends AuditStatement {
  /** One for every 18 rules, and at least one. */
  readonly leaves: readonly AuditLeafPlace[];
  /** Leaves of the batch that the root is of. */
  readonly leafCount: number;
  readonly root: string;
  readonly keyId: string;
  /** ML-DSA-65 over the proof of the root, or over the root where there is none; base64. */
  readonly signature: string;
  /** When the signature ends, RFC 3339 with whole seconds. */
  readonly expiresAt: string;
}

/** Evidence of an answer that was paid for: a STARK covers the root of its batch, and a signature the STARK. */
export interface ProvedAuditProof extends AuditMembers {
  readonly version: 1;
  readonly airId: string;
  /** Where the proof of the batch can be fetched: `/v1/stark/proofs/:id`. */
  readonly proofId: string;
}

/** Evidence of an answer without rules that was paid for: it lies in a tree of its own, whose root is one leaf of the batch. */
export interface NestedAuditProof extends Omit<ProvedAuditProof, 'version'> {
  readonly version: 3;
  readonly rules: readonly [];
  readonly inner: {
    readonly index: number;
    /** Answers of the inner tree, at most 256. */
    readonly count: number;
    /** 16 bytes, `0x` hexadecimal. */
    readonly salt: string;
    /** At most 8 siblings from the leaf upwards, `0x` hexadecimal. */
    readonly path: readonly string[];
  };
}

/** Evidence of a free answer: a signature covers the root of its batch, and nothing is stored. */
export interface SignedAuditProof extends AuditMembers {
  readonly version: 2;
}

/** The evidence that an answer carries, as JSON (docs/audit-proofs.md). */
export type AuditProof = ProvedAuditProof | SignedAuditProof | NestedAuditProof;

/** An audit proof whose every field has been read. */
export interface ReadAuditProof {
  readonly statement: AuditStatement;
  /** Where the answer lies in the tree whose root the only leaf of the batch stands for; undefined where leaves are its own. */
  readonly inner?: InnerPlace;
  readonly places: readonly { index: number; salt: Uint8Array; path: readonly RulesDigest[] }[];
  readonly leafCount: number;
  readonly root: RulesDigest;
  /** The STARK that covers the root; undefined where only the signature does. */
  readonly stark?: { readonly airId: string; readonly proofId: string };
  readonly keyId: string;
  readonly signature: Uint8Array;
  readonly expiresAtSeconds: number;
}

const PROVES: readonly Proves[] = ['commitment', 'rules', 'computation'];
const SIGNED_MEMBERS = [
  'version',
  'proves',
  'doesNotProve',
  'requestDigest',
  'resultDigest',
  'rulesetId',
  'rules',
  'leaves',
  'leafCount',
  'root',
  'keyId',
  'signature',
  'expiresAt',
] as const;
const PROVED_MEMBERS = [...SIGNED_MEMBERS, 'airId', 'proofId'] as const;
const NESTED_MEMBERS = [...PROVED_MEMBERS, 'inner'] as const;
const MEMBERS = new Map<unknown, readonly (typeof NESTED_MEMBERS)[number][]>([
  [1, PROVED_MEMBERS],
  [2, SIGNED_MEMBERS],
  [3, NESTED_MEMBERS],
]);

/** Reads an audit proof from decoded JSON of unknown shape; a text says which member is at fault. */
export function readAuditProof(json: unknown): ReadAuditProof | string {
  return readStrictly(() => read(json));
}

function read(json: unknown): ReadAuditProof {
  const version = (json as { version?: unknown } | null | undefined)?.version;
  const [isSigned, isNested] = [version === 2, version === 3];
  const members = MEMBERS.get(version) ?? PROVED_MEMBERS;
  const record: Partial<Record<(typeof NESTED_MEMBERS)[number], unknown>> = recordOf(
    ...([json, '', members, 'the audit proof'] as const),
  );
  if (!MEMBERS.has(record.version)) malformed('version');
  const rules = listOf(record.rules, 'rules', 0, isNested ? 0 : AUDIT_RULES_MAX).map(readRule);
  const parts = leafCountOf(rules.length);
  const proves = PROVES.find(one => one === record.proves) ?? malformed('proves');
  return {
    statement: {
      proves,
      doesNotProve: textOf(record.doesNotProve, 'doesNotProve'),
      requestDigest: digestTextOf(record.requestDigest, 'requestDigest'),
      resultDigest: digestTextOf(record.resultDigest, 'resultDigest'),
      rulesetId: textOf(record.rulesetId, 'rulesetId'),
      rules,
    },
    ...(isNested ? { inner: readInner(record.inner) } : {}),
    places: listOf(record.leaves, 'leaves', parts, parts).map(readPlace),
    leafCount: integerOf(record.leafCount, 'leafCount', 1, 2 ** RULES_TREE_DEPTH),
    root: rulesDigestFromText(record.root) ?? malformed('root'),
    ...(isSigned
      ? {}
      : { stark: { airId: textOf(record.airId, 'airId'), proofId: textOf(record.proofId, 'proofId') } }),
    keyId: textOf(record.keyId, 'keyId'),
    signature: fromBase64(record.signature) ?? malformed('signature'),
    expiresAtSeconds: secondsOf(record.expiresAt, 'expiresAt'),
  };
}

function readRule(json: unknown, index: number): AppliedRule {
  const path = `rules.${index}`;
  const rule = recordOf(json, path, ['id', 'statement', 'decimals', 'value', 'threshold', 'holds'] as const);
  if (typeof rule.holds !== 'boolean') malformed(`${path}.holds`);
  return {
    id: textOf(rule.id, `${path}.id`),
    statement: textOf(rule.statement, `${path}.statement`),
    decimals: integerOf(rule.decimals, `${path}.decimals`, 0, RULE_DECIMALS_MAX),
    value: textOf(rule.value, `${path}.value`),
    threshold: textOf(rule.threshold, `${path}.threshold`),
    holds: rule.holds as boolean,
  };
}

function readPlace(json: unknown, i: number) {
  const path = `leaves.${i}`;
  const place = recordOf(json, path, ['index', 'salt', 'path'] as const);
  const salt = fromHex(place.salt, 16);
  if (!salt || !isCanonicalSalt(salt)) return malformed(`${path}.salt`);
  return {
    index: integerOf(place.index, `${path}.index`, 0, 2 ** RULES_TREE_DEPTH - 1),
    salt,
    path: listOf(place.path, `${path}.path`, RULES_TREE_DEPTH, RULES_TREE_DEPTH).map(
      (node, level) => rulesDigestFromText(node) ?? malformed(`${path}.path.${level}`),
    ),
  };
}

function readInner(json: unknown): InnerPlace {
  const place = recordOf(json, 'inner', ['index', 'count', 'salt', 'path'] as const);
  return {
    index: integerOf(place.index, 'inner.index', 0, INNER_LEAVES_MAX - 1),
    count: integerOf(place.count, 'inner.count', 1, INNER_LEAVES_MAX),
    salt: fromHex(place.salt, 16) ?? malformed('inner.salt'),
    path: listOf(place.path, 'inner.path', 0, Math.log2(INNER_LEAVES_MAX)).map(
      (node, level) => fromHex(node, 32) ?? malformed(`inner.path.${level}`),
    ),
  };
}

function secondsOf(json: unknown, path: string): number {
  if (typeof json !== 'string' || !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(json)) return malformed(path);
  const milliseconds = Date.parse(json);
  return milliseconds >= 0 ? milliseconds / 1_000 : malformed(path);
}
