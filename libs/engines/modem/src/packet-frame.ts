import { crc32, crc8, interleave, mSequence, secded84Encode } from '@svc/kernels';
import { ModemError, PAYLOAD_BYTES_MAX } from './tones.js';

/** What the first four bits of every header say. */
export const FRAME_VERSION = 1;
export const PILOT_BITS = 32;
const WORD_BITS = 8;
/** Version 1, length 3, CRC-8 2 nibbles. */
export const HEADER_WORDS = 6;
export const HEADER_COPIES = 2;
export const HEADER_BITS = HEADER_WORDS * WORD_BITS * HEADER_COPIES;
/** The first bit of the body. */
export const BODY_FROM = PILOT_BITS + HEADER_BITS;
const CRC_BYTES = 4;

/** The 31-sequence of x⁵ + x² + 1 from 00001, and a 0: as many ones as zeros. */
export const PILOT: Uint8Array = Uint8Array.from({ length: PILOT_BITS }, (_, at) =>
  at < 31 && mSequence(5, 1)[at] > 0 ? 1 : 0,
);

/** What the bits of the body are changed by, over and over: the 511-sequence of x⁹ + x⁴ + 1 from nine ones. */
const WHITENING: Uint8Array = Uint8Array.from(mSequence(9, 0x1ff), sign => (sign > 0 ? 1 : 0));

/** The bit that bit `at` of the body is added to: without it equal bytes would be one long tone, that no clock follows. */
export function whiteningBit(at: number): number {
  return WHITENING[at % WHITENING.length];
}

/** [8,4,4] words of a body: two a byte, of payload and CRC-32. */
export function bodyWords(payloadBytes: number): number {
  return 2 * (payloadBytes + CRC_BYTES);
}

/** Bits of a whole frame on the air: pilot, both headers, body. */
export function frameBits(payloadBytes: number): number {
  return PILOT_BITS + HEADER_BITS + WORD_BITS * bodyWords(payloadBytes);
}

/** The nibbles of a header: version, length − 1, CRC-8 of the two bytes that these are. */
export function headerNibbles(payloadBytes: number): Uint8Array {
  const length = payloadBytes - 1;
  const check = crc8(headerBytes(FRAME_VERSION, length));
  return Uint8Array.of(FRAME_VERSION, length >> 8, (length >> 4) & 15, length & 15, check >> 4, check & 15);
}

function headerBytes(version: number, length: number): Uint8Array {
  return Uint8Array.of((version << 4) | (length >> 8), length & 0xff);
}

/** Bytes of the payload that a header announces, or undefined where its version or its CRC-8 is another. */
export function parseHeader(nibbles: ArrayLike<number>): number | undefined {
  const length = (nibbles[1] << 8) | (nibbles[2] << 4) | nibbles[3];
  const check = (nibbles[4] << 4) | nibbles[5];
  if (nibbles[0] !== FRAME_VERSION || crc8(headerBytes(nibbles[0], length)) !== check) return undefined;
  return length + 1;
}

/** The nibbles of a body: payload and its CRC-32, the most significant byte first, the high nibble of each byte first. */
export function bodyNibbles(payload: Uint8Array): Uint8Array {
  const nibbles = new Uint8Array(bodyWords(payload.length));
  const check = crc32(payload);
  for (let at = 0; at < payload.length + CRC_BYTES; at++) {
    const byte =
      at < payload.length ? payload[at] : (check >>> (8 * (CRC_BYTES - 1 - (at - payload.length)))) & 0xff;
    nibbles[2 * at] = byte >> 4;
    nibbles[2 * at + 1] = byte & 15;
  }
  return nibbles;
}

/** The payload of a body, and whether its CRC-32 is right. */
export function parseBody(nibbles: Uint8Array): { payload: Uint8Array; crcValid: boolean } {
  const bytes = new Uint8Array(nibbles.length / 2);
  for (let at = 0; at < bytes.length; at++) bytes[at] = (nibbles[2 * at] << 4) | nibbles[2 * at + 1];
  const payload = bytes.slice(0, bytes.length - CRC_BYTES);
  const check = new DataView(bytes.buffer).getUint32(payload.length);
  return { payload, crcValid: crc32(payload) === check };
}

/** Each nibble a word of eight bits, the first sent bit first, and the first bits of all words before the second of all. */
function interleavedWords(nibbles: Uint8Array): Uint8Array {
  const bits = new Uint8Array(nibbles.length * WORD_BITS);
  nibbles.forEach((nibble, word) => {
    const code = secded84Encode(nibble);
    for (let bit = 0; bit < WORD_BITS; bit++) bits[WORD_BITS * word + bit] = (code >> (7 - bit)) & 1;
  });
  return interleave(bits);
}

/**
 * The bits of one copy of a frame, in the order of the air: pilot, header, header again, body.
 *
 * @param payload 1 to 4,096 bytes
 * @throws ModemError PAYLOAD_EMPTY, PAYLOAD_TOO_LONG
 */
export function encodeFrame(payload: Uint8Array): Uint8Array {
  checkPayloadBytes(payload.length);
  const bits = new Uint8Array(frameBits(payload.length));
  bits.set(PILOT);
  const header = interleavedWords(headerNibbles(payload.length));
  for (let copy = 0; copy < HEADER_COPIES; copy++) bits.set(header, PILOT_BITS + copy * header.length);
  const body = interleavedWords(bodyNibbles(payload));
  const from = PILOT_BITS + HEADER_BITS;
  for (let at = 0; at < body.length; at++) bits[from + at] = body[at] ^ whiteningBit(at);
  return bits;
}

export function checkPayloadBytes(bytes: number): void {
  if (bytes < 1)
    throw new ModemError('PAYLOAD_EMPTY', 'a packet carries at least one byte', { min: 1, got: bytes });
  if (bytes > PAYLOAD_BYTES_MAX) {
    throw new ModemError('PAYLOAD_TOO_LONG', `a packet carries at most ${PAYLOAD_BYTES_MAX} bytes`, {
      max: PAYLOAD_BYTES_MAX,
      got: bytes,
    });
  }
}
