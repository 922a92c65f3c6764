import { secded84Encode } from '@svc/kernels';
import { applyRamp, PhaseOscillator } from './phase-oscillator.js';
import { checkPayloadBytes } from './packet-frame.js';
import {
  type Baud,
  baudOf,
  ModemError,
  PACKET_SAMPLE_RATE_HZ,
  type PacketOptions,
  samplesPerSymbol,
  tonesOf,
  type PacketPlan,
} from './tones.js';

/** Start bit, eight bits, stop bit. */
export const CHARACTER_BITS = 10;
/** Mark before the first start bit: 0.3 s, so that a squelch opens, and what follows it hears a whole idle character. */
const LEAD_SECONDS = 0.3;
/** Mark after the last stop bit: a receiver that looks a little ahead still hears a line at rest. */
const TRAIL_BITS = 4;
const RAMP_SAMPLES = 882;

/**
 * What sending a payload of that many bytes comes to.
 *
 * @throws ModemError where it cannot be sent
 * @example planAsync8n1(16, { lineCode: 'async8n1', baud: 300 }).frameBits // 320
 */
export function planAsync8n1(payloadBytes: number, options: PacketOptions): PacketPlan {
  checkPayloadBytes(payloadBytes);
  checkAsync8n1(options);
  const baud = baudOf(options);
  const codewords = 2 * payloadBytes;
  const frameBits = CHARACTER_BITS * codewords;
  const bits = leadBits(baud) + frameBits + TRAIL_BITS;
  const samples = 2 * RAMP_SAMPLES + bits * samplesPerSymbol(baud);
  return {
    ...tonesOf(options),
    sampleRateHz: PACKET_SAMPLE_RATE_HZ,
    samples,
    durationSeconds: samples / PACKET_SAMPLE_RATE_HZ,
    baud,
    frameBits,
    codewords,
  };
}

/** @throws ModemError LINE_CODE with the robust profile, which this line code has no second copy for */
export function checkAsync8n1({ profile }: PacketOptions): void {
  if (profile === 'robust') {
    throw new ModemError('LINE_CODE', 'async8n1 is sent once: it has no robust profile');
  }
}

/** Symbols' worth of sound that a packet takes, lead and end counted. */
export function async8n1Symbols(codewords: number, baud: Baud): number {
  return leadBits(baud) + CHARACTER_BITS * codewords + TRAIL_BITS;
}

/**
 * The sound of a packet as any FSK modem reads it, block after block: a line at rest (mark), and on it each nibble of the
 * payload, the high one of a byte first, as the character of its [8,4,4] word, in eight bits without parity and one stop
 * bit, the lowest bit first. Continuous-phase FSK, |x| ≤ 0.5.
 *
 * @throws ModemError where it cannot be sent
 */
export function* async8n1Blocks(payload: Uint8Array, options: PacketOptions): Generator<Float32Array> {
  checkAsync8n1(options);
  checkPayloadBytes(payload.length);
  yield* characterBlocks(codedBytes(payload), options);
}

/** The sound of any characters on a line at rest: {@link async8n1Blocks} without the code. */
export function* characterBlocks(characters: Uint8Array, options: PacketOptions): Generator<Float32Array> {
  const { markHz, spaceHz } = tonesOf(options);
  const baud = baudOf(options);
  const samplesPerBit = samplesPerSymbol(baud);
  const oscillator = new PhaseOscillator();
  const rest = (samples: number) => {
    const block = new Float32Array(samples);
    oscillator.tone(block, markHz);
    return block;
  };
  const rise = rest(RAMP_SAMPLES);
  applyRamp(rise, 'rise');
  yield rise;
  yield rest(leadBits(baud) * samplesPerBit);
  for (const character of characters) {
    const block = new Float32Array(CHARACTER_BITS * samplesPerBit);
    for (let bit = 0; bit < CHARACTER_BITS; bit++) {
      const isMark = bit === CHARACTER_BITS - 1 || (bit > 0 && ((character >> (bit - 1)) & 1) === 1);
      const span = block.subarray(bit * samplesPerBit, (bit + 1) * samplesPerBit);
      oscillator.tone(span, isMark ? markHz : spaceHz);
    }
    yield block;
  }
  yield rest(TRAIL_BITS * samplesPerBit);
  const fall = rest(RAMP_SAMPLES);
  applyRamp(fall, 'fall');
  yield fall;
}

/** The characters of a payload: for each nibble its [8,4,4] word. */
export function codedBytes(payload: Uint8Array): Uint8Array {
  return Uint8Array.from({ length: 2 * payload.length }, (_, i) => {
    const byte = payload[i >> 1];
    return secded84Encode(i % 2 === 0 ? byte >> 4 : byte & 15);
  });
}

function leadBits(baud: Baud): number {
  return Math.ceil(LEAD_SECONDS * baud);
}
