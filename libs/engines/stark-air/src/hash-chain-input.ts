import { WitnessError } from './witness-error.js';

/** How traceData was read; the sponge's capacity separates the two. */
export type InputDomain = 'hex' | 'text';

/** The bytes that a traceData string stands for. */
export interface ChainInput {
  readonly domain: InputDomain;
  readonly bytes: Uint8Array;
}

export const INPUT_BYTES_MAX = 65_536;

const LONE_SURROGATE = /\p{Surrogate}/u;

/**
 * Reads traceData: `0x…` is hexadecimal, anything else UTF-8 text.
 * @throws WitnessError unless it is 1 to 65,536 well-formed bytes
 */
export function parseTraceData(traceData: string): ChainInput {
  const input = /^0x/i.test(traceData) ? parseHex(traceData.slice(2)) : parseText(traceData);
  const byteCount = input.bytes.length;
  if (byteCount === 0) {
    throw new WitnessError('input-empty', 'traceData', 'must hold at least 1 byte, got 0', {
      max: 1,
      got: 0,
    });
  }
  if (byteCount > INPUT_BYTES_MAX) throw tooLong(byteCount);
  return input;
}

function parseHex(digits: string): ChainInput {
  if (digits.length > 2 * INPUT_BYTES_MAX) throw tooLong(Math.ceil(digits.length / 2));
  if (digits.length % 2 !== 0) {
    throw new WitnessError(
      'malformed-hex-odd-length',
      'traceData',
      `must have an even number of hexadecimal digits after 0x, got ${digits.length}`,
      { max: 'an even number of digits', got: digits.length },
    );
  }
  const invalid = digits.search(/[^0-9a-fA-F]/);
  if (invalid >= 0) {
    throw new WitnessError(
      'malformed-hex-digit',
      'traceData',
      `must be hexadecimal after 0x, but character ${invalid + 2} is not`,
      { max: 'hexadecimal digits after 0x' },
    );
  }
  const bytes = new Uint8Array(digits.length / 2);
  for (let i = 0; i < bytes.length; i++) bytes[i] = Number.parseInt(digits.slice(2 * i, 2 * i + 2), 16);
  return { domain: 'hex', bytes };
}

function parseText(text: string): ChainInput {
  // Every UTF-16 unit takes at least one byte, so longer strings need not be encoded to be refused.
  if (text.length > INPUT_BYTES_MAX) throw tooLong(text.length);
  if (LONE_SURROGATE.test(text)) {
    // The encoder would turn all lone surrogates into one replacement character: two texts, one input.
    throw new WitnessError(
      'malformed-text',
      'traceData',
      'must be well-formed Unicode, but has a lone surrogate',
      { max: 'well-formed Unicode' },
    );
  }
  return { domain: 'text', bytes: new TextEncoder().encode(text) };
}

function tooLong(byteCount: number): WitnessError {
  return new WitnessError(
    'input-too-long',
    'traceData',
    `must hold at most ${INPUT_BYTES_MAX} bytes, got ${byteCount}`,
    { max: INPUT_BYTES_MAX, got: byteCount },
  );
}
