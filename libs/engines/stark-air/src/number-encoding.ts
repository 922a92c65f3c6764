import { PublicInputError } from './public-input.js';
import { WitnessError } from './witness-error.js';

/** Numbers that one side of a statement may hold. */
export const NUMBERS_MAX = 1_024;
/** Characters of one number. */
export const NUMBER_CHARACTERS_MAX = 256;
/** Encoded bytes that one side of a statement may take. */
export const ENCODED_BYTES_MAX = 65_536;
/** Encoded bytes that numbers may take which the verifier hashes by itself, before it can trust anything. */
export const PUBLIC_BYTES_MAX = 8_192;
export const CONTEXT_BYTES_MAX = 256;

const NUMBER_PATTERN = /^(?:[0-9]{1,256}|0[xX][0-9a-fA-F]{1,254})$/;
const LONE_SURROGATE = /\p{Surrogate}/u;

/**
 * A number in its one canonical form: `0x` and lower-case hexadecimal digits without leading zeros.
 * @param text decimal digits, or `0x` and hexadecimal digits, 256 characters at most
 * @throws WitnessError
 */
export function canonicalNumber(text: string, path: string): string {
  if (text.length > NUMBER_CHARACTERS_MAX) {
    throw new WitnessError(
      'input-too-long',
      path,
      `must have at most ${NUMBER_CHARACTERS_MAX} characters, got ${text.length}`,
      { max: NUMBER_CHARACTERS_MAX, got: text.length },
    );
  }
  if (!NUMBER_PATTERN.test(text)) {
    throw new WitnessError('malformed-number', path, 'must be decimal digits, or 0x and hexadecimal digits', {
      max: NUMBER_PATTERN.source,
    });
  }
  return `0x${BigInt(text).toString(16)}`;
}

/** Numbers in canonical form. @throws WitnessError */
export function canonicalNumbers(texts: readonly string[], path: string): string[] {
  if (texts.length > NUMBERS_MAX) {
    throw new WitnessError(
      'input-too-long',
      path,
      `must hold at most ${NUMBERS_MAX} numbers, got ${texts.length}`,
      {
        max: NUMBERS_MAX,
        got: texts.length,
      },
    );
  }
  return texts.map((text, i) => canonicalNumber(text, `${path}.${i}`));
}

/**
 * Numbers as bytes: u16 count, then for each u8 length and that many bytes, little-endian, without leading zeros. No encoding
 * is the beginning of another, so that it may be padded and followed by anything.
 * @param numbers in canonical form
 * @throws WitnessError if it takes more than `max` bytes
 */
export function encodeNumbers(numbers: readonly string[], path: string, max = ENCODED_BYTES_MAX): Uint8Array {
  const bytes = [numbers.length & 0xff, numbers.length >> 8];
  for (const number of numbers) {
    const digits =
      number === '0x0' ? '' : number.slice(2).padStart(2 * Math.ceil((number.length - 2) / 2), '0');
    bytes.push(digits.length / 2);
    for (let i = digits.length - 2; i >= 0; i -= 2) bytes.push(Number.parseInt(digits.slice(i, i + 2), 16));
  }
  if (bytes.length > max) {
    throw new WitnessError('input-too-long', path, `must take at most ${max} bytes, got ${bytes.length}`, {
      max,
      got: bytes.length,
    });
  }
  return Uint8Array.from(bytes);
}

/** A context domain as bytes: u16 length, then UTF-8. @throws WitnessError unless well-formed and of at most 256 bytes */
export function encodeContext(contextDomain: string): Uint8Array {
  const bytes = new TextEncoder().encode(contextDomain);
  if (bytes.length > CONTEXT_BYTES_MAX) {
    throw new WitnessError(
      'input-too-long',
      'contextDomain',
      `must take at most ${CONTEXT_BYTES_MAX} bytes, got ${bytes.length}`,
      { max: CONTEXT_BYTES_MAX, got: bytes.length },
    );
  }
  // The encoder would turn all lone surrogates into one replacement character: two texts, one context.
  if (LONE_SURROGATE.test(contextDomain)) {
    throw new WitnessError(
      'malformed-text',
      'contextDomain',
      'must be well-formed Unicode, but has a lone surrogate',
      { max: 'well-formed Unicode' },
    );
  }
  return Uint8Array.of(bytes.length & 0xff, bytes.length >> 8, ...bytes);
}

/** What `read` gives; a fault of it as one of the public inputs, where it says the same. @throws PublicInputError */
export function asPublicInput<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof WitnessError)) throw error;
    throw new PublicInputError(error.field, error.message.slice(error.field.length + 1));
  }
}
