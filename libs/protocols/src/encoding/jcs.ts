import canonicalize from 'canonicalize';

/** A value that has no canonical JSON: a lone surrogate, NaN, infinity, a cycle, or no JSON at all. */
export class JcsError extends TypeError {
  readonly code = 'NOT_CANONICALIZABLE';
  constructor(detail: string) {
    super(`the value has no canonical JSON: ${detail}`);
    this.name = 'JcsError';
  }
}

/**
 * JSON Canonicalization Scheme (RFC 8785): one text for all equal values, so that it can be hashed.
 *
 * @throws {JcsError} where the value is no I-JSON (RFC 7493)
 * @example
 * canonicalJson({ b: 1, a: [1e21] }); // '{"a":[1e+21],"b":1}'
 */
export function canonicalJson(value: unknown): string {
  let text: string | undefined;
  try {
    text = canonicalize(value);
  } catch (error) {
    throw new JcsError((error as Error).message);
  }
  if (text === undefined) throw new JcsError(`got ${typeof value}`);
  return text;
}
