import { problem } from '@svc/platform';
import { canonicalJson } from '@svc/protocols';
import { createHash, timingSafeEqual } from 'node:crypto';

const CHECK_BYTES = 9;

/**
 * Where the next page of a list begins. A cursor is bound to its list and the filters that it was made under: with
 * others it would skip items without a word.
 */
export interface PageCursor {
  /** The list and its filters. */
  readonly list: string;
  readonly filters: Readonly<Record<string, unknown>>;
}

/** @param position of the last item of the page, as the list's order has it */
export function encodeCursor(page: PageCursor, position: string): string {
  return Buffer.concat([checkOf(page, position), Buffer.from(position, 'utf8')]).toString('base64url');
}

/**
 * The position in a cursor that {@link encodeCursor} made under the same filters; undefined where there is none.
 * @param shape what a position of the list looks like
 * @throws ProblemError VALIDATION_FAILED for any other cursor
 */
export function decodeCursor(
  page: PageCursor,
  cursor: string | undefined,
  shape: RegExp,
): string | undefined {
  if (cursor === undefined) return undefined;
  const bytes = Buffer.from(cursor, 'base64url');
  const position = bytes.subarray(CHECK_BYTES).toString('utf8');
  const isOurs =
    shape.test(position) && timingSafeEqual(bytes.subarray(0, CHECK_BYTES), checkOf(page, position));
  // Base64 has many spellings of one value; a cursor has one.
  if (isOurs && bytes.toString('base64url') === cursor) return position;
  throw problem('VALIDATION_FAILED', 'cursor: is not the nextCursor of a page with these filters', {
    errors: [
      {
        path: 'cursor',
        message: 'is not the nextCursor of a page with these filters',
        bound: 'the nextCursor of an earlier page, with the same filters',
        got: cursor.slice(0, 80),
      },
    ],
  });
}

/** Tells a cursor from garbage; it guards no secret, since a position opens nothing that the list does not. */
function checkOf({ list, filters }: PageCursor, position: string): Buffer {
  const given = Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined));
  return createHash('sha256')
    .update(canonicalJson({ list, filters: given, position }))
    .digest()
    .subarray(0, CHECK_BYTES);
}
