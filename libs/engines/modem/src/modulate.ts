import { async8n1Blocks, planAsync8n1 } from './async8n1.js';
import { bodyWords, checkPayloadBytes, encodeFrame, frameBits } from './packet-frame.js';
import { applyRamp, PhaseOscillator } from './phase-oscillator.js';
import {
  type Baud,
  baudOf,
  PACKET_SAMPLE_RATE_HZ,
  type PacketOptions,
  samplesPerSymbol,
  secondTonesOf,
  type TonePair,
  tonesOf,
  type PacketPlan,
} from './tones.js';

/** 20 ms. */
export const RAMP_SAMPLES = 882;
/** 60 ms. */
export const CHIRP_SAMPLES = 2_646;
/** Most that {@link modulateBlocks} gives at a time. */
const BLOCK_SYMBOLS = 64;

/** One copy: the tones that it is sent on, and which way its chirp goes. */
export interface PacketCopy {
  readonly tones: TonePair;
  readonly chirpFromHz: number;
  readonly chirpToHz: number;
}

/** The copies that a packet is sent in, in their order: the chirp of the first goes up, of the second down. */
export function packetCopies(options: PacketOptions): PacketCopy[] {
  const first = tonesOf(options);
  const copies = [{ tones: first, chirpFromHz: first.spaceHz, chirpToHz: first.markHz }];
  if (options.profile === 'robust') {
    const second = secondTonesOf(options);
    copies.push({ tones: second, chirpFromHz: second.markHz, chirpToHz: second.spaceHz });
  }
  return copies;
}

/** Samples of one copy: its chirp and its bits. */
export function copySamples(payloadBytes: number, baud: Baud): number {
  return CHIRP_SAMPLES + frameBits(payloadBytes) * samplesPerSymbol(baud);
}

/**
 * What sending a payload of that many bytes comes to, without making it.
 *
 * @throws ModemError where it cannot be sent
 * @example planPacket(16, {}).durationSeconds // 3.0867
 */
export function planPacket(payloadBytes: number, options: PacketOptions = {}): PacketPlan {
  if (options.lineCode === 'async8n1') return planAsync8n1(payloadBytes, options);
  checkPayloadBytes(payloadBytes);
  const baud = baudOf(options);
  const copies = packetCopies(options);
  const samples = 2 * RAMP_SAMPLES + copies.length * copySamples(payloadBytes, baud);
  return {
    ...copies[0].tones,
    sampleRateHz: PACKET_SAMPLE_RATE_HZ,
    samples,
    durationSeconds: samples / PACKET_SAMPLE_RATE_HZ,
    baud,
    frameBits: frameBits(payloadBytes),
    codewords: bodyWords(payloadBytes),
  };
}

/**
 * The sound of a packet, block after block, |x| ≤ 0.5: continuous-phase FSK, every sample the same on every machine.
 *
 * @throws ModemError where it cannot be sent
 */
export function* modulateBlocks(payload: Uint8Array, options: PacketOptions = {}): Generator<Float32Array> {
  if (options.lineCode === 'async8n1') return yield* async8n1Blocks(payload, options);
  const bits = encodeFrame(payload);
  const samplesPerBit = samplesPerSymbol(baudOf(options));
  const copies = packetCopies(options);
  const oscillator = new PhaseOscillator();
  const rise = new Float32Array(RAMP_SAMPLES);
  oscillator.tone(rise, copies[0].chirpFromHz);
  applyRamp(rise, 'rise');
  yield rise;
  let lastHz = 0;
  for (const { tones, chirpFromHz, chirpToHz } of copies) {
    const chirp = new Float32Array(CHIRP_SAMPLES);
    oscillator.chirp(chirp, chirpFromHz, chirpToHz);
    yield chirp;
    for (let from = 0; from < bits.length; from += BLOCK_SYMBOLS) {
      const count = Math.min(BLOCK_SYMBOLS, bits.length - from);
      const block = new Float32Array(count * samplesPerBit);
      for (let bit = 0; bit < count; bit++) {
        lastHz = bits[from + bit] === 1 ? tones.markHz : tones.spaceHz;
        oscillator.tone(block.subarray(bit * samplesPerBit, (bit + 1) * samplesPerBit), lastHz);
      }
      yield block;
    }
  }
  const fall = new Float32Array(RAMP_SAMPLES);
  oscillator.tone(fall, lastHz);
  applyRamp(fall, 'fall');
  yield fall;
}

/**
 * The whole sound of a packet, mono at 44,100 Hz, |x| ≤ 0.5.
 *
 * @throws ModemError where it cannot be sent
 * @example writeWav([modulate(payload, { baud: 300 })], 44_100)
 */
export function modulate(payload: Uint8Array, options: PacketOptions = {}): Float32Array {
  const sound = new Float32Array(planPacket(payload.length, options).samples);
  let at = 0;
  for (const block of modulateBlocks(payload, options)) {
    sound.set(block, at);
    at += block.length;
  }
  return sound;
}
