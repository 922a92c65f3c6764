import { DISCLOSED_FIELDS_MAX, FIELD_TREE } from './answer-field.js';
import type { AuditProof } from './audit-proof.js';
import { fromHex, toHex } from './byte-text.js';
import {
  disclosedRootDigest,
  fieldLeavesOf,
  fieldPathOf,
  leafOf,
  readFieldDisclosure,
  saltTextOf,
} from './field-disclosure.js';
import { digestTextOf, integerOf, listOf, malformed, readStrictly, recordOf, textOf } from './strict-json.js';
import { readAuditProof } from './audit-proof.js';
import {
  type AuditClaim,
  type AuditPolicy,
  type AuditRejection,
  type AuditVerdict,
  verifyAuditProof,
} from './verify-audit-proof.js';
import { isDisclosureStatement } from './verify-disclosure.js';

/** A field that is shown, and its place under the root. */
export interface DisclosedField {
  readonly path: string;
  readonly value: unknown;
  /** 16 bytes, `0x` hexadecimal. */
  readonly salt: string;
  readonly index: number;
  /** RFC 6962 audit path from the leaf upwards, 32 bytes each, `0x` hexadecimal. */
  readonly siblings: readonly string[];
}

/** Some fields of an answer, with all that shows that they stood in it, and nothing of the others. */
export interface DisclosedFields {
  readonly version: 1;
  readonly operationId: string;
  readonly fields: readonly DisclosedField[];
  readonly root: string;
  readonly fieldCount: number;
  readonly disclosureProof: AuditProof;
}

/** Fields that cannot be shown. */
export class DisclosureError extends Error {
  override readonly name = 'DisclosureError';

  constructor(
    readonly code: 'no-disclosure' | 'malformed-disclosure' | 'unknown-field',
    message: string,
  ) {
    super(message);
  }
}

const MEMBERS = ['version', 'operationId', 'fields', 'root', 'fieldCount', 'disclosureProof'] as const;
const FIELD_MEMBERS = ['path', 'value', 'salt', 'index', 'siblings'] as const;
const SIBLINGS_MAX = Math.ceil(Math.log2(DISCLOSED_FIELDS_MAX));

/**
 * Fields of an answer as a document of their own, which is checked without the answer.
 * @param answer with `disclosure` and `disclosureProof`
 * @param paths JSON pointers of fields; that of a member stands for all fields in it
 * @example
 * discloseFields(answer, ['/verdict', '/spot']);
 * @throws DisclosureError
 */
export function discloseFields(answer: object, paths: readonly string[]): DisclosedFields {
  const { disclosure, disclosureProof } = answer as Record<string, unknown>;
  if (disclosure === undefined || disclosureProof === undefined)
    throw new DisclosureError('no-disclosure', 'the answer has no disclosure and disclosureProof');
  const read = readFieldDisclosure(disclosure);
  if (typeof read === 'string') throw new DisclosureError('malformed-disclosure', `disclosure: ${read}`);
  const leaves = fieldLeavesOf(answer, read);
  if (typeof leaves === 'string') throw new DisclosureError('malformed-disclosure', leaves);

  const shown = new Set<number>();
  for (const path of paths) {
    const indexes = leaves.flatMap((leaf, index) => (isAtOrIn(leaf.path, path) ? [index] : []));
    if (indexes.length === 0) throw new DisclosureError('unknown-field', `the answer has no field ${path}`);
    for (const index of indexes) shown.add(index);
  }
  const hashes = leaves.map(({ leaf }) => leaf);
  return {
    version: 1,
    operationId: read.operationId,
    fields: [...shown]
      .sort((a, b) => a - b)
      .map(index => {
        const { path, value, salt } = leaves[index];
        return { path, value, salt, index, siblings: FIELD_TREE.inclusionPath(hashes, index).map(toHex) };
      }),
    root: read.root,
    fieldCount: leaves.length,
    disclosureProof: disclosureProof as AuditProof,
  };
}

// The pointer of the whole, which is empty, is taken for a mistake: it would show everything.
const isAtOrIn = (path: string, asked: string) =>
  asked !== '' && (path === asked || path.startsWith(`${asked}/`));

export type DisclosureRejection =
  'malformed-disclosure' | 'field-not-under-root' | 'not-a-disclosure' | AuditRejection;

/** What became of the checks of disclosed fields; all must hold. */
export interface DisclosureVerdict extends Omit<AuditVerdict, 'reason'> {
  readonly reason?: DisclosureRejection;
}

export interface DisclosureClaim extends Pick<AuditClaim, 'proof' | 'keys'> {
  /** Decoded JSON, of unknown shape. */
  readonly document: unknown;
}

/**
 * Checks disclosed fields: each leaf made from path, value and salt, its path to the root, the audit proof that commits to
 * that root, and the STARK and signature of its batch. Needs nothing else of the answer. A false document is a value, never
 * an exception.
 */
export function verifyDisclosedFields(
  { document, proof, keys }: DisclosureClaim,
  policy: AuditPolicy = {},
  backend?: Parameters<typeof verifyAuditProof>[2],
): DisclosureVerdict {
  const read = readDisclosedFields(document);
  if (typeof read === 'string') return { valid: false, reason: 'malformed-disclosure', detail: read };
  const misplaced = read.fields.find(field => rootOf(field, read.fieldCount) !== read.root);
  if (misplaced) return { valid: false, reason: 'field-not-under-root', detail: misplaced.path };
  const { disclosureProof: auditProof } = read;
  const audit = readAuditProof(auditProof);
  if (typeof audit === 'string')
    return { valid: false, reason: 'malformed-audit-proof', detail: `disclosureProof.${audit}` };
  if (!isDisclosureStatement(audit, toHex(disclosedRootDigest(read))))
    return { valid: false, reason: 'not-a-disclosure' };
  return verifyAuditProof({ auditProof, proof, keys }, policy, backend);
}

function rootOf(
  { path, value, salt, index, siblings }: DisclosedField,
  leafCount: number,
): string | undefined {
  const leaf = leafOf(path, value, salt);
  const nodes = siblings.map(node => fromHex(node, 32) as Uint8Array);
  const root = leaf && FIELD_TREE.rootOfInclusion({ leaf, index, leafCount, path: nodes });
  return root && toHex(root);
}

/** Reads disclosed fields from decoded JSON of unknown shape; a text says which member is at fault. */
export function readDisclosedFields(json: unknown): DisclosedFields | string {
  return readStrictly(() => {
    const record = recordOf(json, '', MEMBERS, 'the document');
    if (record.version !== 1) malformed('version');
    const fieldCount = integerOf(record.fieldCount, 'fieldCount', 1, DISCLOSED_FIELDS_MAX);
    const fields = listOf(record.fields, 'fields', 1, fieldCount).map((field, i) =>
      readField(field, `fields.${i}`, fieldCount),
    );
    // No two fields at one place, and no two values of one field.
    for (const key of ['path', 'index'] as const) {
      const again = fields.findIndex((field, i) => fields.findIndex(other => other[key] === field[key]) < i);
      if (again >= 0) malformed(`fields.${again}.${key}`);
    }
    return {
      version: 1 as const,
      operationId: textOf(record.operationId, 'operationId'),
      fields,
      root: digestTextOf(record.root, 'root'),
      fieldCount,
      // Read by whoever checks it.
      disclosureProof: record.disclosureProof as AuditProof,
    };
  });
}

function readField(json: unknown, at: string, fieldCount: number): DisclosedField {
  const { path, value, salt, index, siblings } = recordOf(json, at, FIELD_MEMBERS);
  return {
    path: fieldPathOf(path, `${at}.path`),
    value,
    salt: saltTextOf(salt, `${at}.salt`),
    index: integerOf(index, `${at}.index`, 0, fieldCount - 1),
    siblings: listOf(siblings, `${at}.siblings`, 0, SIBLINGS_MAX).map((node, i) =>
      digestTextOf(node, `${at}.siblings.${i}`),
    ),
  };
}
