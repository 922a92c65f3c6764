import canonicalize from 'canonicalize';

/**
 * A payload that cannot be hashed, or that a database would give back as another: a lone surrogate, a number that is
 * none, NUL, a cycle.
 */
export class PayloadError extends TypeError {
  readonly code = 'NOT_CANONICALIZABLE';
  constructor(detail: string) {
    super(`the payload has no canonical JSON: ${detail}`);
    this.name = 'PayloadError';
  }
}

/** `\u0000`, where the backslash is not itself an escaped one. */
const ESCAPED_NUL = /(?:^|[^\\])(?:\\\\)*\\u0000/;

/**
 * JSON Canonicalization Scheme (RFC 8785) of an object, less NUL, which `jsonb` cannot hold.
 * @throws PayloadError
 */
export function canonicalJson(value: object): string {
  return plainText(value, 0) ?? generalText(value);
}

/** Whatever JavaScript takes for JSON. */
function generalText(value: object): string {
  let text: string | undefined;
  try {
    text = canonicalize(value);
  } catch (error) {
    throw new PayloadError((error as Error).message);
  }
  if (text === undefined) throw new PayloadError('it is no JSON');
  if (text.includes('\\u0000') && ESCAPED_NUL.test(text)) throw new PayloadError('NUL is not allowed');
  return text;
}

// Held here because globals are slow to look up where modules run in a context of their own, as tests do.
const { isArray, prototype: arrayPrototype } = Array;
const { isFinite } = Number;
const { stringify } = JSON;
const { getPrototypeOf, keys: namesOf, prototype: objectPrototype } = Object;

/** Deeper payloads may be cycles. */
const DEPTH_MAX = 32;
/** Members that are put in order one by one. */
const FEW = 16;
/** Needs nothing but its quotes. */
const UNESCAPED = /^[ !#-[\]-\ud7ff\ue000-\uffff]*$/;
/** NUL, and halves of surrogate pairs. */
const REFUSED = /\0|\p{Surrogate}/u;

/** A string as JSON has it. */
export const quoted = (text: string): string => (UNESCAPED.test(text) ? `"${text}"` : stringify(text));

/**
 * Canonical JSON of what nearly every payload is: plain objects and arrays of strings, numbers and booleans. Undefined
 * for anything else, of which {@link generalText} knows what it is, or how to refuse it.
 */
function plainText(value: unknown, depth: number): string | undefined {
  switch (typeof value) {
    case 'string':
      return plainString(value);
    case 'number':
      // JSON has no other form of it than ECMAScript.
      return isFinite(value) ? `${value}` : undefined;
    case 'boolean':
      return value ? 'true' : 'false';
    case 'object':
      if (value === null) return 'null';
      if (depth === DEPTH_MAX) return undefined;
      if (isArray(value)) return plainArray(value, depth + 1);
      return plainObject(value as Readonly<Record<string, unknown>>, depth + 1);
    default:
      return undefined;
  }
}

function plainString(text: string): string | undefined {
  if (UNESCAPED.test(text)) return `"${text}"`;
  return REFUSED.test(text) ? undefined : stringify(text);
}

function plainArray(values: readonly unknown[], depth: number): string | undefined {
  if (getPrototypeOf(values) !== arrayPrototype) return undefined;
  let text = '';
  for (let index = 0; index < values.length; index += 1) {
    const item = plainText(values[index], depth);
    if (item === undefined) return undefined;
    text += index === 0 ? item : `,${item}`;
  }
  return `[${text}]`;
}

function plainObject(value: Readonly<Record<string, unknown>>, depth: number): string | undefined {
  if (getPrototypeOf(value) !== objectPrototype) return undefined;
  const names = inOrder(namesOf(value));
  let text = '';
  for (let index = 0; index < names.length; index += 1) {
    const name = plainString(names[index]);
    const item = plainText(value[names[index]], depth);
    if (name === undefined || item === undefined) return undefined;
    text += index === 0 ? `${name}:${item}` : `,${name}:${item}`;
  }
  return `{${text}}`;
}

/** Sorts by UTF-16 code units, in place. */
function inOrder(names: string[]): string[] {
  if (names.length > FEW) return names.sort();
  for (let index = 1; index < names.length; index += 1) {
    const name = names[index];
    let at = index;
    for (; at > 0 && names[at - 1] > name; at -= 1) names[at] = names[at - 1];
    names[at] = name;
  }
  return names;
}
