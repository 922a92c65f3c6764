import { concatBytes } from '@noble/hashes/utils.js';
import { TransparencyTree } from '@svc/kernels';
import { canonicalBytes } from './canonical-digest.js';

/** One field of an answer, by its JSON pointer (RFC 6901). */
export interface AnswerField {
  readonly path: string;
  readonly value: unknown;
}

/** A field with the 16 bytes that keep its value from being guessed by its hash. */
export interface SaltedField extends AnswerField {
  readonly salt: Uint8Array;
}

/** Fields of one answer that can be shown one by one. */
export const DISCLOSED_FIELDS_MAX = 512;
export const FIELD_PATH_CHARS_MAX = 256;
export const FIELD_SALT_BYTES = 16;

export const FIELD_TREE = new TransparencyTree();

/** Evidence is no field of the answer, and a picture shows nothing that its fields do not. */
const EVIDENCE_MEMBERS = new Set(['auditProof', 'starkRoot', 'disclosure', 'disclosureProof']);
const PICTURE_MEMBER = /Svg$/;
const PATH = /^(\/[^/~]*(~[01][^/~]*)*)+$/;

/**
 * The fields of an answer: each member of a member that is a list or an object, and each other member. A member that would
 * fall into too many, or get paths that are too long, is one field: the largest first, until no more than 512 are left.
 *
 * @example
 * answerFields({ verdict: 'PASS', spot: { price: '4100.2', stale: false }, reasons: [] });
 * // /verdict, /spot/price, /spot/stale, /reasons
 * @throws RangeError for an answer of more members than that, or of a name that no path can hold
 */
export function answerFields(answer: object): AnswerField[] {
  const members = definedEntries(answer)
    .filter(([name]) => !EVIDENCE_MEMBERS.has(name) && !PICTURE_MEMBER.test(name))
    .map(([name, value]) => ({ whole: { path: pointer(name), value }, fields: fieldsOf(name, value) }));
  let fieldCount = members.reduce((sum, { fields }) => sum + fields.length, 0);
  while (fieldCount > DISCLOSED_FIELDS_MAX && members.length <= DISCLOSED_FIELDS_MAX) {
    const largest = members.reduce((most, one) => (one.fields.length > most.fields.length ? one : most));
    fieldCount -= largest.fields.length - 1;
    largest.fields = [largest.whole];
  }
  const fields = members.flatMap(member => member.fields);
  if (fields.length > DISCLOSED_FIELDS_MAX)
    throw new RangeError(
      `an answer of ${fields.length} members has more than ${DISCLOSED_FIELDS_MAX} fields`,
    );
  const unnamed = fields.find(({ path }) => !isFieldPath(path));
  if (unnamed) throw new RangeError(`no path names the field ${unnamed.path.slice(0, 64)}`);
  return fields;
}

/** Hash of a field's leaf: SHA-256(0x00 ‖ salt ‖ JCS([path, value])). @throws as canonicalDigest */
export function fieldLeafHash({ path, value, salt }: SaltedField): Uint8Array {
  return FIELD_TREE.leafHash(concatBytes(salt, canonicalBytes([path, value])));
}

/** Whether a text is a JSON pointer that a field can have. */
export function isFieldPath(path: unknown): path is string {
  return typeof path === 'string' && path.length <= FIELD_PATH_CHARS_MAX && PATH.test(path);
}

function fieldsOf(name: string, value: unknown): AnswerField[] {
  const whole = [{ path: pointer(name), value }];
  if (typeof value !== 'object' || value === null) return whole;
  const parts = definedEntries(value).map(([key, part]) => ({ path: pointer(name, key), value: part }));
  return parts.length > 0 && parts.every(({ path }) => isFieldPath(path)) ? parts : whole;
}

const definedEntries = (value: object) => Object.entries(value).filter(([, member]) => member !== undefined);

const pointer = (...keys: string[]) =>
  keys.map(key => `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
