import { RecordingError } from '../recording.js';

const HEADER_BYTES = 27;
const CONTINUED = 1;

/** A packet of an Ogg stream, and the granule position of the page that it ends on; −1 where no packet ends there. */
export interface OggPacket {
  readonly bytes: Uint8Array;
  readonly granule: bigint;
  /** Whether it is the last one that ends on its page. */
  readonly endsPage: boolean;
}

/**
 * The packets of the first stream of an Ogg file, one after the other; pages of others are passed over.
 *
 * @param bytesMax of one packet
 * @throws RecordingError TRUNCATED for what is no page, a checksum that does not hold, and pages out of order
 *
 * Source: RFC 3533, The Ogg Encapsulation Format Version 0, 6.
 */
export function* oggPackets(file: Uint8Array, bytesMax: number): Generator<OggPacket> {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  let serial: number | undefined;
  let sequence = 0;
  let open: Uint8Array[] = [];
  for (let at = 0; at < file.length;) {
    const page = pageAt(file, view, at);
    at = page.end;
    serial ??= page.serial;
    if (page.serial !== serial) continue;
    if (page.sequence !== sequence++) throw faulty('page sequence number', sequence - 1, page.sequence);
    if (open.length === 0 && (page.flags & CONTINUED) !== 0) throw faulty('header type flag', 0, CONTINUED);
    const packets = page.lacing.reduce((count, length) => count + Number(length < 255), 0);
    let ended = 0;
    let from = page.start;
    for (const length of page.lacing) {
      open.push(file.subarray(from, from + length));
      from += length;
      const got = open.reduce((sum, part) => sum + part.length, 0);
      if (got > bytesMax) throw faulty('packet', bytesMax, got);
      if (length === 255) continue;
      yield { bytes: joined(open, got), granule: page.granule, endsPage: ++ended === packets };
      open = [];
    }
  }
}

function joined(parts: readonly Uint8Array[], length: number): Uint8Array {
  if (parts.length === 1) return parts[0];
  const whole = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

function pageAt(file: Uint8Array, view: DataView, at: number) {
  const isPage = at + HEADER_BYTES <= file.length && view.getUint32(at) === 0x4f676753 && file[at + 4] === 0;
  if (!isPage) throw faulty('OggS', at, 'something else');
  const segments = file[at + 26];
  const start = at + HEADER_BYTES + segments;
  const lacing = file.subarray(at + HEADER_BYTES, start);
  const end = start + lacing.reduce((sum, length) => sum + length, 0);
  if (end > file.length) throw faulty('page', file.length, end);
  const checksum = view.getUint32(at + 22, true);
  const got = checksumOf(file, at, end);
  if (got !== checksum) throw faulty('CRC_checksum', checksum, got);
  return {
    ...{
      flags: file[at + 5],
      granule: view.getBigInt64(at + 6, true),
      serial: view.getUint32(at + 14, true),
    },
    ...{ sequence: view.getUint32(at + 18, true), lacing, start, end },
  };
}

const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte << 24;
  for (let bit = 0; bit < 8; bit++) value = value & 0x80000000 ? (value << 1) ^ 0x04c11db7 : value << 1;
  return value >>> 0;
});

/** Of a page whose own four bytes of checksum are taken for 0. */
function checksumOf(file: Uint8Array, from: number, end: number): number {
  let value = 0;
  for (let at = from; at < end; at++) {
    const byte = at >= from + 22 && at < from + 26 ? 0 : file[at];
    value = ((value << 8) ^ TABLE[((value >>> 24) ^ byte) & 0xff]) >>> 0;
  }
  return value;
}

const faulty = (field: string, max: number, got: number | string) =>
  new RecordingError('TRUNCATED', `the Ogg file is cut off or damaged: ${field}`, { field, max, got });
