import { secded84Decode, secded84Encode, secded84SoftDecode } from '@svc/kernels';
import { CHARACTER_BITS } from './async8n1.js';
import type { ToneHistory, WindowSum } from './tone-history.js';

const DATA_BITS = 8;

/** What a receiver knows of the line that it listens to. */
export interface Line {
  /** How far beside the tones they are heard, radians a hop. */
  radiansPerHop: number;
  /** Hops of a bit, as heard. */
  bitHops: number;
  /** Magnitude of a bit's window at its tone, of space and of mark: in a room each fades by itself. */
  amplitudes: [space: number, mark: number];
}

/** One character, as it was heard at one place. */
export interface HeardCharacter {
  nibble: number;
  /** Of the hard decisions; see secded84Decode. */
  syndrome: number;
  status: 'clean' | 'corrected' | 'double-error';
  /** How much better this fits than nothing would, 1 being without noise. */
  fit: number;
  /** The same of the start bit alone. */
  startFit: number;
  /** How much better this fits than a line at rest does. */
  aboveRest: number;
  /** Mean energies of the bits at the tone that the word says, and at the other. */
  signalEnergy: number;
  otherEnergy: number;
  /** Mean magnitudes at the tone that the word says, of the bits of space and of mark; NaN without such a bit. */
  amplitudes: [space: number, mark: number];
  /** Offset that is left, radians a hop, from the phases of the halves of each bit. */
  offsetLeft: number;
}

/**
 * Listens to ten bits from hop `start` on. A bit's tendency to mark is the likelihood ratio of noncoherent detection at high
 * signal to noise, where ln I0(x) ≈ x: A1·|Z1| − A1²/2 − (A0·|Z0| − A0²/2), so that a tone that has faded does not tip it.
 */
export function hearCharacter(history: ToneHistory, line: Line, start: number): HeardCharacter {
  const magnitudes = bitMagnitudes(history, line, start);
  const [spaceAmplitude, markAmplitude] = line.amplitudes;
  const full = (spaceAmplitude ** 2 + markAmplitude ** 2) / 2;
  const bias = (markAmplitude ** 2 - spaceAmplitude ** 2) / 2;
  const tendencies = magnitudes.map(([space, mark]) =>
    full > 0 ? (markAmplitude * mark - spaceAmplitude * space - bias) / full : 0,
  );
  const ratios = Array.from({ length: DATA_BITS }, (_, i) => tendencies[DATA_BITS - i]);
  const { nibble, metric } = secded84SoftDecode(ratios);
  const hard = ratios.reduce((word, ratio) => (word << 1) | Number(ratio > 0), 0);
  const fitSum = -tendencies[0] + metric + tendencies[CHARACTER_BITS - 1];
  const rest = tendencies.reduce((sum, tendency) => sum + tendency, 0);
  const bits = characterBits(nibble);
  return {
    ...secded84Decode(hard),
    nibble,
    fit: fitSum / CHARACTER_BITS,
    startFit: -tendencies[0],
    aboveRest: fitSum - rest,
    ...energiesOf(magnitudes, bits),
    offsetLeft: offsetLeft(history, line, start, bits),
  };
}

/** How well a known character fits at another place: the early and late of its timing. */
export function fitAt(history: ToneHistory, line: Line, start: number, nibble: number): number {
  const bits = characterBits(nibble);
  const [spaceAmplitude, markAmplitude] = line.amplitudes;
  return bitMagnitudes(history, line, start).reduce((sum, [space, mark], i) => {
    const tendency = markAmplitude * mark - spaceAmplitude * space;
    return sum + (bits[i] === 1 ? tendency : -tendency);
  }, 0);
}

/** Magnitudes of space and mark in the window of one bit. */
export function windowMagnitudes(
  history: ToneHistory,
  line: Line,
  start: number,
): [space: number, mark: number] {
  const sum: WindowSum = { re: 0, im: 0 };
  const magnitude = (tone: 0 | 1) => {
    history.window(tone, start, start + line.bitHops, line.radiansPerHop, sum);
    return Math.hypot(sum.re, sum.im);
  };
  return [magnitude(0), magnitude(1)];
}

function bitMagnitudes(history: ToneHistory, line: Line, start: number): [space: number, mark: number][] {
  return Array.from({ length: CHARACTER_BITS }, (_, bit) =>
    windowMagnitudes(history, line, start + bit * line.bitHops),
  );
}

/** Start bit, the word's bits from the lowest up, stop bit. */
function characterBits(nibble: number): number[] {
  const word = secded84Encode(nibble);
  return [0, ...Array.from({ length: DATA_BITS }, (_, bit) => (word >> bit) & 1), 1];
}

function energiesOf(
  magnitudes: readonly [space: number, mark: number][],
  bits: readonly number[],
): Pick<HeardCharacter, 'signalEnergy' | 'otherEnergy' | 'amplitudes'> {
  const sums = [0, 0];
  const counts = [0, 0];
  let signal = 0;
  let other = 0;
  magnitudes.forEach((pair, i) => {
    const bit = bits[i];
    sums[bit] += pair[bit];
    counts[bit]++;
    signal += pair[bit] ** 2;
    other += pair[1 - bit] ** 2;
  });
  return {
    signalEnergy: signal / bits.length,
    otherEnergy: other / bits.length,
    amplitudes: [sums[0] / counts[0], sums[1] / counts[1]],
  };
}

function offsetLeft(history: ToneHistory, line: Line, start: number, bits: readonly number[]): number {
  const half = line.bitHops / 2;
  const early: WindowSum = { re: 0, im: 0 };
  const late: WindowSum = { re: 0, im: 0 };
  let re = 0;
  let im = 0;
  bits.forEach((bit, i) => {
    const tone = bit === 1 ? 1 : 0;
    const from = start + i * line.bitHops;
    history.window(tone, from, from + half, line.radiansPerHop, early);
    history.window(tone, from + half, from + line.bitHops, line.radiansPerHop, late);
    re += late.re * early.re + late.im * early.im;
    im += late.im * early.re - late.re * early.im;
  });
  return re === 0 && im === 0 ? 0 : Math.atan2(im, re) / half;
}
