import { RULES_TREE_DEPTH, isCanonicalSalt, type RulesDigest } from '@svc/stark-air';
import { AUDIT_RULES_MAX, type AuditStatement, leafCountOf, type Proves } from './audit-leaves.js';
import { RULE_DECIMALS_MAX, type AppliedRule } from './audit-rule.js';
import { fromBase64, fromHex } from './byte-text.js';
import { rulesDigestFromText } from './rules-digest-text.js';

/** One leaf of an audit and its place in the tree. */
export interface AuditLeafPlace {
  readonly index: number;
  /** 16 bytes, `0x` hexadecimal. */
  readonly salt: string;
  /** The 4 siblings from the leaf upwards, `0x` hexadecimal. */
  readonly path: readonly string[];
}

/** The evidence that an answer carries, as JSON (docs/audit-proofs.md). */
export interface AuditProof extends AuditStatement {
  readonly version: 1;
  /** One for every 18 rules, and at least one. */
  readonly leaves: readonly AuditLeafPlace[];
  /** Leaves of the batch that the proof speaks of. */
  readonly leafCount: number;
  readonly root: string;
  readonly airId: string;
  /** Where the proof of the batch can be fetched: `/v1/stark/proofs/:id`. */
  readonly proofId: string;
  readonly keyId: string;
  /** ML-DSA-65 over the proof, base64. */
  readonly signature: string;
  /** When the signature ends, RFC 3339 with whole seconds. */
  readonly expiresAt: string;
}

/** An audit proof whose every field has been read. */
export interface ReadAuditProof {
  readonly statement: AuditStatement;
  readonly places: readonly { index: number; salt: Uint8Array; path: readonly RulesDigest[] }[];
  readonly leafCount: number;
  readonly root: RulesDigest;
  readonly airId: string;
  readonly proofId: string;
  readonly keyId: string;
  readonly signature: Uint8Array;
  readonly expiresAtSeconds: number;
}

class Malformed extends Error {}

const PROVES: readonly Proves[] = ['commitment', 'rules', 'computation'];
const TEXT_CHARS_MAX = 2_048;
const MEMBERS = [
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
  'airId',
  'proofId',
  'keyId',
  'signature',
  'expiresAt',
] as const;

/** Reads an audit proof from decoded JSON of unknown shape; a text says which member is at fault. */
export function readAuditProof(json: unknown): ReadAuditProof | string {
  try {
    return read(json);
  } catch (error) {
    if (error instanceof Malformed) return error.message;
    throw error;
  }
}

function read(json: unknown): ReadAuditProof {
  const record = recordOf(json, 'the audit proof', MEMBERS);
  if (record.version !== 1) fail('version');
  const rules = listOf(record.rules, 'rules', 0, AUDIT_RULES_MAX).map(readRule);
  const parts = leafCountOf(rules.length);
  const proves = PROVES.find(one => one === record.proves) ?? fail('proves');
  return {
    statement: {
      proves,
      doesNotProve: textOf(record.doesNotProve, 'doesNotProve'),
      requestDigest: digestOf(record.requestDigest, 'requestDigest'),
      resultDigest: digestOf(record.resultDigest, 'resultDigest'),
      rulesetId: textOf(record.rulesetId, 'rulesetId'),
      rules,
    },
    places: listOf(record.leaves, 'leaves', parts, parts).map(readPlace),
    leafCount: integerOf(record.leafCount, 'leafCount', 1, 2 ** RULES_TREE_DEPTH),
    root: rulesDigestFromText(record.root) ?? fail('root'),
    airId: textOf(record.airId, 'airId'),
    proofId: textOf(record.proofId, 'proofId'),
    keyId: textOf(record.keyId, 'keyId'),
    signature: fromBase64(record.signature) ?? fail('signature'),
    expiresAtSeconds: secondsOf(record.expiresAt, 'expiresAt'),
  };
}

function readRule(json: unknown, index: number): AppliedRule {
  const path = `rules.${index}`;
  const rule = recordOf(json, path, ['id', 'statement', 'decimals', 'value', 'threshold', 'holds'] as const);
  if (typeof rule.holds !== 'boolean') fail(`${path}.holds`);
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
  if (!salt || !isCanonicalSalt(salt)) return fail(`${path}.salt`);
  return {
    index: integerOf(place.index, `${path}.index`, 0, 2 ** RULES_TREE_DEPTH - 1),
    salt,
    path: listOf(place.path, `${path}.path`, RULES_TREE_DEPTH, RULES_TREE_DEPTH).map(
      (node, level) => rulesDigestFromText(node) ?? fail(`${path}.path.${level}`),
    ),
  };
}

function recordOf<Key extends string>(
  json: unknown,
  path: string,
  keys: readonly Key[],
): Record<Key, unknown> {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) return fail(path);
  for (const key of keys)
    if (!Object.hasOwn(json, key)) fail(path === 'the audit proof' ? key : `${path}.${key}`);
  for (const key of Object.keys(json)) if (!(keys as readonly string[]).includes(key)) fail(key.slice(0, 64));
  return json as Record<Key, unknown>;
}

function listOf(json: unknown, path: string, min: number, max: number): unknown[] {
  return Array.isArray(json) && json.length >= min && json.length <= max ? json : fail(path);
}

function textOf(json: unknown, path: string): string {
  const isText = typeof json === 'string' && json.length <= TEXT_CHARS_MAX && !/\p{Surrogate}/u.test(json);
  return isText ? json : fail(path);
}

function digestOf(json: unknown, path: string): string {
  return fromHex(json, 32) ? (json as string) : fail(path);
}

function integerOf(json: unknown, path: string, min: number, max: number): number {
  const isInteger = typeof json === 'number' && Number.isInteger(json) && json >= min && json <= max;
  return isInteger ? json : fail(path);
}

function secondsOf(json: unknown, path: string): number {
  if (typeof json !== 'string' || !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(json)) return fail(path);
  const milliseconds = Date.parse(json);
  return milliseconds >= 0 ? milliseconds / 1_000 : fail(path);
}

function fail(path: string): never {
  throw new Malformed(path);
}
