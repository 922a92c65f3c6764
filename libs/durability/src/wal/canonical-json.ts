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
