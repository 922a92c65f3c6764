import { canonicalJson, JcsError } from '@svc/protocols';

/** Characters that are written out at once; another value than a text counts as {@link VALUE_CHARS}. */
const PIECE_CHARS = 65_536;
const VALUE_CHARS = 8;

/**
 * The text of {@link canonicalJson}, for values of JSON, piece by piece: between two of them the event loop may serve others.
 * @param most characters of a piece, some more with what is escaped and the names of members
 * @throws {JcsError} where a value has no canonical JSON
 */
export function* canonicalPieces(value: unknown, most = PIECE_CHARS): Generator<string> {
  if (sizeOf(value, most) <= most) yield canonicalJson(value);
  else if (typeof value === 'string') yield* piecesOfText(value, most);
  else if (typeof value !== 'object' || value === null) yield canonicalJson(value);
  else if (Array.isArray(value)) yield* piecesOfArray(value, most);
  else yield* piecesOfObject(value as Readonly<Record<string, unknown>>, most);
}

/** How much a value is to write out; what is more than `most` is not looked through. */
function sizeOf(value: unknown, most: number): number {
  if (typeof value === 'string') return value.length;
  let size = VALUE_CHARS;
  if (typeof value !== 'object' || value === null) return size;
  for (const name in value) {
    size += name.length + sizeOf((value as Readonly<Record<string, unknown>>)[name], most - size);
    if (size > most) break;
  }
  return size;
}

function* piecesOfText(text: string, most: number): Generator<string> {
  if (/\p{Cs}/u.test(text)) throw new JcsError('a string holds half of a surrogate pair');
  yield '"';
  for (let [from, to] = [0, 0]; from < text.length; from = to) {
    to = Math.min(from + most, text.length);
    // No pair is parted: its halves would be escaped.
    if (to < text.length && /[\ud800-\udbff]/.test(text[to - 1])) to--;
    yield JSON.stringify(text.slice(from, to)).slice(1, -1);
  }
  yield '"';
}

/** Small items are written out together: there may be very many. */
function* piecesOfArray(items: readonly unknown[], most: number): Generator<string> {
  let [before, run, size]: [string, unknown[], number] = ['[', [], 0];
  for (const item of items) {
    const own = sizeOf(item, most);
    if (own <= most && size + own <= most) {
      run.push(item);
      size += own;
      continue;
    }
    if (run.length > 0) {
      yield before + canonicalJson(run).slice(1, -1);
      before = ',';
    }
    [run, size] = own <= most ? [[item], own] : [[], 0];
    if (own <= most) continue;
    yield before;
    before = ',';
    yield* canonicalPieces(item, most);
  }
  if (run.length > 0) yield before + canonicalJson(run).slice(1, -1);
  yield items.length === 0 ? '[]' : ']';
}

function* piecesOfObject(members: Readonly<Record<string, unknown>>, most: number): Generator<string> {
  let before = '{';
  for (const name of Object.keys(members).sort()) {
    if (members[name] === undefined) continue;
    yield `${before}${canonicalJson(name)}:`;
    before = ',';
    yield* canonicalPieces(members[name], most);
  }
  yield before === '{' ? '{}' : '}';
}
