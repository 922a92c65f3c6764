/**
 * Why an update or a message is not taken:
 * - `MALFORMED`: not the encoding, or an operation that no editor makes;
 * - `TOO_LARGE`: past a bound of bytes, characters or work;
 * - `FOREIGN_ENTRY`: a peer touches what the service alone writes;
 * - `FOREIGN_WRITER`: operations under the client id of another;
 * - `NOT_JSON`: content that has no place in canonical JSON;
 * - `UNKNOWN_ROOT`: a root other than `nodes` and `shared`;
 * - `INCOMPLETE`: it builds on operations that are not here: ask for them by state vector;
 * - `DOCUMENT_FULL`: the document, or the number of its writers, has reached its bound;
 * - `ADDRESS_SHARE`: one address has as many writers, or as much of the document, as one may have;
 * - `RENEWED`: operations of a document that was begun anew since.
 */
export type UpdateFault =
  | 'MALFORMED'
  | 'TOO_LARGE'
  | 'FOREIGN_ENTRY'
  | 'FOREIGN_WRITER'
  | 'NOT_JSON'
  | 'UNKNOWN_ROOT'
  | 'INCOMPLETE'
  | 'DOCUMENT_FULL'
  | 'ADDRESS_SHARE'
  | 'RENEWED';

/** An update or a message that is not taken; the document is what it was. */
export class UpdateRefused extends Error {
  override readonly name = 'UpdateRefused';
  readonly max?: number;
  readonly got?: number;

  constructor(
    readonly code: UpdateFault,
    readonly detail: string,
    bound: { readonly max?: number; readonly got?: number } = {},
  ) {
    super(`${code}: ${detail}`);
    if (bound.max !== undefined) this.max = bound.max;
    if (bound.got !== undefined) this.got = bound.got;
  }
}

/** @throws UpdateRefused `code` where `got` is more than `max` */
export function requireAtMost(code: UpdateFault, what: string, got: number, max: number): void {
  if (got > max) throw new UpdateRefused(code, `${what} must be at most ${max}, got ${got}`, { max, got });
}
