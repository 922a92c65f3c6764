import { constants, inflateSync } from 'node:zlib';
import { CertificateError } from '../certificate-error.js';

/** One stream may unpack to as many bytes: a colour page of 300 dpi has 25 million. */
export const STREAM_BYTES_MAX = 64 * 2 ** 20;
/** All streams of a file together. */
export const UNPACKED_BYTES_MAX = 256 * 2 ** 20;
/** Pixels of one picture: a page of 600 dpi has 34 million. */
export const PICTURE_PIXELS_MAX = 40_000_000;
/** Pixels of all pictures of a file together. */
export const ALL_PICTURES_PIXELS_MAX = 200_000_000;
const STREAMS_MAX = 20_000;

/** A dictionary may name another within it: the parameters of a filter, or a thumbnail. */
const PACKINGS_MAX = 4;

/** What a file's objects say, with streams unpacked where objects lie in them. */
export interface FileStructure {
  /** Dictionaries and other objects as text, the contents of streams left out; names without `#xx`. */
  readonly objects: string;
  readonly streams: number;
  /** Bytes of the streams in which objects lie, as they are packed. */
  readonly objectStreamBytes: number;
}

const DICTIONARY_BYTES_MAX = 16_384;

const [LESS, GREATER] = [0x3c, 0x3e];

/**
 * The dictionary before `stream`, from its `>>` walked back to its `<<`, and not beyond the end of the stream before: each byte
 * of a file is walked over once, however many streams it says it has.
 */
function dictionaryBefore(text: string, from: number, streamAt: number): string {
  let depth = 0;
  for (let at = streamAt - 1; at > Math.max(from, streamAt - DICTIONARY_BYTES_MAX); at--) {
    const code = text.charCodeAt(at);
    if ((code !== LESS && code !== GREATER) || text.charCodeAt(at - 1) !== code) continue;
    depth += code === GREATER ? 1 : -1;
    at--;
    if (code === LESS && depth === 0) return text.slice(at, streamAt);
  }
  return '';
}

function plainNames(text: string): string {
  return text.replace(/#([0-9a-fA-F]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
}

/** What a stream unpacks to, or undefined where it is broken; and how many bytes that was, or was at most. */
function unpack(bytes: Uint8Array): { content?: Uint8Array; length: number } {
  const content = inflated(bytes, STREAM_BYTES_MAX);
  if (content === 'longer') {
    const bound = { max: STREAM_BYTES_MAX };
    throw new CertificateError('STREAM_TOO_LARGE', `a stream unpacks to more than ${bound.max} bytes`, bound);
  }
  if (content !== 'broken') return { content, length: content.length };
  // Node does not say where it broke, which may be behind megabytes: they are work as any.
  let length = 4_096;
  while (length < STREAM_BYTES_MAX && inflated(bytes, length) === 'longer')
    length = Math.min(8 * length, STREAM_BYTES_MAX);
  return { length };
}

function inflated(bytes: Uint8Array, maxOutputLength: number): Uint8Array | 'longer' | 'broken' {
  try {
    return inflateSync(bytes, { maxOutputLength, finishFlush: constants.Z_SYNC_FLUSH });
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE' ? 'longer' : 'broken';
  }
}

/** Counts what the pictures of a file would take, by what their dictionaries say. */
class PictureSum {
  private pixels = 0;

  add(dictionary: string): void {
    const width = Number(/\/Width\s+(\d{1,9})/.exec(dictionary)?.[1] ?? 0);
    const height = Number(/\/Height\s+(\d{1,9})/.exec(dictionary)?.[1] ?? 0);
    this.check(width * height, PICTURE_PIXELS_MAX, 'a picture');
    this.pixels += width * height;
    this.check(this.pixels, ALL_PICTURES_PIXELS_MAX, 'all pictures together');
  }

  private check(got: number, max: number, what: string): void {
    if (got <= max) return;
    throw new CertificateError('PICTURE_TOO_LARGE', `${what} may have ${max} pixels, got ${got}`, {
      max,
      got,
    });
  }
}

/** Width times height in the header of a JPEG, which its dictionary need not repeat truly. */
function jpegPixels(bytes: Uint8Array): number {
  for (let at = 2; at + 9 < bytes.length && bytes[at] === 0xff;) {
    const marker = bytes[at + 1];
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) {
      return ((bytes[at + 5] << 8) | bytes[at + 6]) * ((bytes[at + 7] << 8) | bytes[at + 8]);
    }
    at += 2 + ((bytes[at + 2] << 8) | bytes[at + 3]);
  }
  return 0;
}

/**
 * Walks a file from stream to stream without following a single reference, so that no loop can hold it, and unpacks each
 * deflated stream within bounds before any library does so without.
 * @param unpackedMax bytes that all streams together unpack to
 * @throws CertificateError STREAM_TOO_LARGE | PICTURE_TOO_LARGE | BROKEN
 */
export function scanFileStructure(bytes: Uint8Array, unpackedMax = UNPACKED_BYTES_MAX): FileStructure {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
  const objects: string[] = [];
  const pictures = new PictureSum();
  let from = 0;
  let unpacked = 0;
  let streams = 0;
  let objectStreamBytes = 0;
  for (;;) {
    const keyword = /(?<!end)stream\r?\n/g;
    keyword.lastIndex = from;
    const found = keyword.exec(text);
    if (!found) break;
    if (++streams > STREAMS_MAX) {
      throw new CertificateError('BROKEN', `a file has at most ${STREAMS_MAX} streams`, { max: STREAMS_MAX });
    }
    objects.push(text.slice(from, found.index));
    const dictionary = plainNames(dictionaryBefore(text, from, found.index));
    const start = found.index + found[0].length;
    const end = text.indexOf('endstream', start);
    const data = bytes.subarray(start, end === -1 ? bytes.length : end);
    if (/\/(Width|Height)\s/.test(dictionary)) pictures.add(dictionary);
    if (data[0] === 0xff && data[1] === 0xd8) {
      const pixels = jpegPixels(data);
      pictures.add(`/Width ${pixels} /Height 1 `);
    }
    const packings = dictionary.match(/\/(FlateDecode|Fl)\b/g)?.length ?? 0;
    if (packings > PACKINGS_MAX) {
      const bound = { max: PACKINGS_MAX, got: packings };
      throw new CertificateError('BROKEN', `a stream is packed at most ${bound.max} times`, bound);
    }
    // One that is packed twice is a bomb that looks small from outside.
    let content: Uint8Array | undefined;
    for (let packing = 0; packing < packings; packing++) {
      const inner = unpack(content ?? data);
      unpacked += inner.length;
      if (unpacked <= unpackedMax) {
        content = inner.content;
        if (content) continue;
        break;
      }
      const bound = { max: unpackedMax, got: unpacked };
      throw new CertificateError(
        'STREAM_TOO_LARGE',
        `its streams unpack to more than ${bound.max} bytes`,
        bound,
      );
    }
    if (/\/ObjStm\b/.test(dictionary)) {
      objectStreamBytes += data.length;
      if (content) objects.push(Buffer.from(content).toString('latin1'));
    }
    if (end === -1) {
      from = text.length;
      break;
    }
    from = end;
  }
  objects.push(text.slice(from));
  return { objects: plainNames(objects.join('\n')), streams, objectStreamBytes };
}
