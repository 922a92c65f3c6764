import { ImageError } from './image-error.js';
import { examineTiff } from './tiff-container.js';

export type ImageFormat = 'png' | 'jpeg' | 'webp' | 'tiff';

/**
 * Walks the container of an image file from its first byte to its last, without decoding a pixel: what it is, that it holds one
 * picture, that it is whole, and that nothing follows. A decoder stops at the end of the picture; whatever comes after is what
 * another program may read instead, so it is refused. So are the further pictures that some phones append to a JPEG.
 *
 * @throws ImageError UNSUPPORTED_TYPE, ANIMATED, SEVERAL_PAGES, TRUNCATED, TRAILING_BYTES or SECOND_SIGNATURE
 */
export function examineImage(bytes: Uint8Array): ImageFormat {
  const format = formatOf(bytes);
  if (!format) {
    throw new ImageError('UNSUPPORTED_TYPE', 'image', 'the picture must be PNG, JPEG, WebP or TIFF');
  }
  const endAt = { png: endOfPng, jpeg: endOfJpeg, webp: endOfWebp, tiff: examineTiff }[format](bytes);
  if (endAt > bytes.length) throw truncated(endAt, bytes.length);
  if (endAt < bytes.length) {
    const message = `the picture ends at byte ${endAt}, but the file goes on to ${bytes.length}`;
    throw new ImageError('TRAILING_BYTES', 'image', message, endAt, bytes.length);
  }
  refuseSecondSignature(bytes);
  return format;
}

function formatOf(bytes: Uint8Array): ImageFormat | undefined {
  if (hasText(bytes, 0, '\x89PNG\r\n\x1a\n')) return 'png';
  if (hasText(bytes, 0, '\xff\xd8\xff')) return 'jpeg';
  if (hasText(bytes, 0, 'RIFF') && hasText(bytes, 8, 'WEBP')) return 'webp';
  if (hasText(bytes, 0, 'II*\0') || hasText(bytes, 0, 'MM\0*')) return 'tiff';
  return undefined;
}

const truncated = (wanted: number, got: number) =>
  new ImageError('TRUNCATED', 'image', `the file ends at byte ${got}, before the picture does`, wanted, got);

/** Chunks of length, type, data and check (PNG, 5.3), the last of them IEND. */
function endOfPng(bytes: Uint8Array): number {
  const view = viewOf(bytes);
  let at = 8;
  while (at + 12 <= bytes.length) {
    const end = at + 12 + view.getUint32(at);
    if (hasText(bytes, at + 4, 'acTL')) throw animated();
    if (hasText(bytes, at + 4, 'IEND')) return end;
    at = end;
  }
  throw truncated(at + 12, bytes.length);
}

/** A picture that comes in steps has some ten scans; each takes as long as its pixels, however few bytes it has. */
export const JPEG_SCANS_MAX = 32;

/** Segments up to EOI; within a scan a marker is an 0xff that is followed by neither 0 nor a restart (ITU T.81, B.1.1). */
function endOfJpeg(bytes: Uint8Array): number {
  const view = viewOf(bytes);
  let scans = 0;
  let at = 2;
  while (at + 4 <= bytes.length || (at + 2 <= bytes.length && bytes[at + 1] === EOI)) {
    if (bytes[at] !== 0xff) {
      throw new ImageError('UNDECODABLE', 'image', `byte ${at} of the JPEG should begin a segment`);
    }
    const marker = bytes[at + 1];
    if (marker === EOI) return at + 2;
    if (marker === 0xff) {
      at++;
    } else if (isAlone(marker)) {
      at += 2;
    } else {
      at += 2 + view.getUint16(at + 2);
      if (marker !== SOS) continue;
      if (++scans > JPEG_SCANS_MAX) {
        const message = `a JPEG of more than ${JPEG_SCANS_MAX} scans`;
        throw new ImageError('UNDECODABLE', 'image', message, JPEG_SCANS_MAX, scans);
      }
      at = endOfScan(bytes, at);
    }
  }
  throw truncated(at + 2, bytes.length);
}

const SOS = 0xda;
const EOI = 0xd9;
const isAlone = (marker: number) => marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8);

function endOfScan(bytes: Uint8Array, from: number): number {
  for (
    let at = bytes.indexOf(0xff, from);
    at >= 0 && at + 1 < bytes.length;
    at = bytes.indexOf(0xff, at + 1)
  ) {
    const next = bytes[at + 1];
    if (next !== 0 && next !== 0xff && !(next >= 0xd0 && next <= 0xd7)) return at;
  }
  throw truncated(bytes.length + 2, bytes.length);
}

/** RIFF: the whole has its size in front, and so has every chunk. */
function endOfWebp(bytes: Uint8Array): number {
  const view = viewOf(bytes);
  if (bytes.length < 20) throw truncated(20, bytes.length);
  const end = 8 + view.getUint32(4, true);
  for (let at = 12; at + 8 <= Math.min(end, bytes.length);) {
    if (hasText(bytes, at, 'VP8X') && (bytes[at + 8] & 0x02) !== 0) throw animated();
    if (hasText(bytes, at, 'ANIM') || hasText(bytes, at, 'ANMF')) throw animated();
    const size = view.getUint32(at + 4, true);
    at += 8 + size + (size & 1);
  }
  return end;
}

const animated = () =>
  new ImageError('ANIMATED', 'image', 'the file holds a moving picture, one still is wanted');

/** Readers of these look for them in the first 1,024 bytes, or at the very end. */
const EARLY_SIGNATURES = ['%pdf-', '<svg', '<html', '<!doctype', '<script', '<?php'];
const EARLY_BYTES = 1_024;
const ZIP_END_BYTES = 22;
const ZIP_COMMENT_BYTES_MAX = 65_535;

/** What is a picture to one program and something else to another, all within the picture’s own bounds. */
function refuseSecondSignature(bytes: Uint8Array): void {
  const early = String.fromCharCode(...bytes.subarray(0, EARLY_BYTES)).toLowerCase();
  const found =
    EARLY_SIGNATURES.find(signature => early.includes(signature)) ?? (endsAsZip(bytes) ? 'zip' : undefined);
  if (found) {
    throw new ImageError(
      'SECOND_SIGNATURE',
      'image',
      `the file can also be read as something else (${found})`,
    );
  }
}

/** An archive’s last record, whose comment reaches to the end of the file (APPNOTE 4.3.16). */
function endsAsZip(bytes: Uint8Array): boolean {
  const from = Math.max(0, bytes.length - ZIP_END_BYTES - ZIP_COMMENT_BYTES_MAX);
  for (let at = bytes.length - ZIP_END_BYTES; at >= from; at--) {
    if (bytes[at] !== 0x50 || !hasText(bytes, at, 'PK\x05\x06')) continue;
    if (at + ZIP_END_BYTES + bytes[at + 20] + 256 * bytes[at + 21] === bytes.length) return true;
  }
  return false;
}

const viewOf = (bytes: Uint8Array) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

function hasText(bytes: Uint8Array, at: number, text: string): boolean {
  for (let i = 0; i < text.length; i++) if (bytes[at + i] !== text.charCodeAt(i)) return false;
  return true;
}
