import {
  type AnswerField,
  answerFields,
  DISCLOSED_FIELDS_MAX,
  FIELD_SALT_BYTES,
  FIELD_TREE,
  fieldLeafHash,
  isFieldPath,
} from './answer-field.js';
import type { Proves } from './audit-leaves.js';
import { fromHex, toHex } from './byte-text.js';
import { canonicalDigest } from './canonical-digest.js';
import { digestTextOf, listOf, malformed, readStrictly, recordOf, textOf } from './strict-json.js';

/** What lets the holder of an answer show single fields of it (docs/audit-proofs.md). */
export interface FieldDisclosure {
  readonly version: 1;
  /** The call that was answered. */
  readonly operationId: string;
  /** Merkle root (RFC 6962) over the salted fields, `0x` hexadecimal. */
  readonly root: string;
  /** In the order of the leaves; each with 16 bytes of salt, `0x` hexadecimal. */
  readonly fields: readonly { readonly path: string; readonly salt: string }[];
}

/** What the proof of a disclosure commits to, as its request and as its result. */
export interface DisclosedRoot {
  readonly version: 1;
  readonly operationId: string;
  readonly root: string;
  readonly fieldCount: number;
}

/** Tells the proof of a disclosure from that of an answer that looks like one. */
export const DISCLOSURE_RULESET_ID = 'svc/field-disclosure/v1';
export const DISCLOSURE_PROVES: Proves = 'commitment';

/**
 * Puts each field of an answer under one root, with a salt of its own.
 * @param drawSalt 16 fresh random bytes at each call
 * @throws RangeError, TypeError for what no digest covers
 */
export function makeDisclosure(
  answer: object,
  operationId: string,
  drawSalt: () => Uint8Array,
): FieldDisclosure {
  const fields = answerFields(answer).map(field => ({ ...field, salt: drawSalt() }));
  return {
    version: 1,
    operationId,
    root: toHex(FIELD_TREE.root(fields.map(fieldLeafHash))),
    fields: fields.map(({ path, salt }) => ({ path, salt: toHex(salt) })),
  };
}

export function disclosedRootOf({ operationId, root, fields }: FieldDisclosure): DisclosedRoot {
  return { version: 1, operationId, root, fieldCount: fields.length };
}

/** Digest of what a disclosure's proof commits to, 32 bytes. */
export function disclosedRootDigest({ operationId, root, fieldCount }: DisclosedRoot): Uint8Array {
  return canonicalDigest({ version: 1, operationId, root, fieldCount });
}

/** A field of an answer with the salt that the answer's disclosure has for it, and the hash of its leaf. */
export interface FieldLeaf extends AnswerField {
  readonly salt: string;
  readonly leaf: Uint8Array;
}

/** The leaves of an answer's disclosure; a text says where answer and disclosure do not agree. */
export function fieldLeavesOf(answer: object, disclosure: FieldDisclosure): FieldLeaf[] | string {
  let values: Map<string, unknown>;
  try {
    values = new Map(answerFields(answer).map(({ path, value }) => [path, value]));
  } catch {
    return 'the answer has fields that no disclosure covers';
  }
  const leaves: FieldLeaf[] = [];
  for (const { path, salt } of disclosure.fields) {
    if (!values.has(path)) return `there is no field ${path}`;
    const value = values.get(path);
    values.delete(path);
    const leaf = leafOf(path, value, salt);
    if (!leaf) return `${path} has no digest`;
    leaves.push({ path, value, salt, leaf });
  }
  const [left] = values.keys();
  if (left !== undefined) return `${left} is not disclosed`;
  const root = toHex(FIELD_TREE.root(leaves.map(({ leaf }) => leaf)));
  return root === disclosure.root ? leaves : 'the fields are not those under the root';
}

/** Reads a disclosure from decoded JSON of unknown shape; a text says which member is at fault. */
export function readFieldDisclosure(json: unknown): FieldDisclosure | string {
  return readStrictly(() => {
    const { version, operationId, root, fields } = recordOf(
      json,
      '',
      ['version', 'operationId', 'root', 'fields'],
      'the disclosure',
    );
    if (version !== 1) malformed('version');
    return {
      version: 1 as const,
      operationId: textOf(operationId, 'operationId'),
      root: digestTextOf(root, 'root'),
      fields: listOf(fields, 'fields', 1, DISCLOSED_FIELDS_MAX).map((field, i) => {
        const { path, salt } = recordOf(field, `fields.${i}`, ['path', 'salt']);
        return { path: fieldPathOf(path, `fields.${i}.path`), salt: saltTextOf(salt, `fields.${i}.salt`) };
      }),
    };
  });
}

export function fieldPathOf(json: unknown, path: string): string {
  return isFieldPath(json) ? json : malformed(path);
}

export function saltTextOf(json: unknown, path: string): string {
  return fromHex(json, FIELD_SALT_BYTES) ? (json as string) : malformed(path);
}

/** Hash of a field's leaf; undefined for what JSON cannot say. */
export function leafOf(path: string, value: unknown, salt: string): Uint8Array | undefined {
  const bytes = fromHex(salt, FIELD_SALT_BYTES);
  if (!bytes) return undefined;
  try {
    return fieldLeafHash({ path, value, salt: bytes });
  } catch {
    return undefined;
  }
}
