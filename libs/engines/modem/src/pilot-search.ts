import { PILOT, PILOT_BITS } from './packet-frame.js';
import { PACKET_SAMPLE_RATE_HZ } from './tones.js';
import type { ToneHops } from './tone-hops.js';

/** Every symbol is so many hops, at every baud. */
export const HOPS_PER_SYMBOL = 21;
/** The search looks at sums of three hops. */
const GROUP_HOPS = 3;
const GROUPS_PER_SYMBOL = HOPS_PER_SYMBOL / GROUP_HOPS;
const PILOT_GROUPS = PILOT_BITS * GROUPS_PER_SYMBOL;

/** The two tones' hops of one copy. */
export interface TonePairHops {
  readonly space: ToneHops;
  readonly mark: ToneHops;
}

/** Where to look. */
export interface PilotGuess {
  /** The hop at which the pilot begins were time not scaled, a broken number. */
  readonly startHop: number;
  /** By how many hops later it begins for each 1 of scale more. */
  readonly hopsPerScale: number;
  /** Half the range of starts, hops. */
  readonly spreadHops: number;
  readonly scaleFrom: number;
  readonly scaleTo: number;
}

/** A pilot that was found. */
export interface PilotLock {
  readonly startHop: number;
  /** How many times as fast as it was sent its sound goes, in the pilot's middle. */
  readonly scale: number;
  /** By how much that changes in a symbol. */
  readonly rate: number;
  /** What is coherent with the pilot less what is coherent with its opposite, by all the energy in both tones: −1 … 1. */
  readonly strength: number;
  /** Pilot bits that hard decisions get right. */
  readonly agreement: number;
}

/** A pilot this strong is not looked for as one that sways. */
const STRENGTH_SWAYED = 0.55;
/** More is tried for those that sway: they must be stronger, and much stronger than taken without. */
const SWAYED_MIN = 0.35;
const SWAYED_GAIN = 1.3;
/** Swaying changes the scale by at most so much in a second: 12,000 ppm are 4 m/s². */
const RATE_MAX = 1.2e-2;
/** Steps of a phase that drifts, radians a symbol, and that bends, radians a symbol and symbol: either puts the ends astray by 1. */
const DRIFT_STEP = 1 / 16;
const BEND_STEP = 1 / 128;
const BEND_MAX = 0.12;

/** Steps of scale lose at most 0.3 dB: the phase over the whole pilot goes astray by 0.15 of a turn at most. */
const TURNS_PER_SCALE_STEP = 0.29;

/**
 * Finds the pilot near a guess, by its whole waveform: the tones are a whole number of turns apart in each symbol, so that
 * each tone keeps its phase through all of its symbols. The phase and gain of either tone are left open (in a room they
 * differ), the scale of time and the start are searched: on sums of three hops first, then on the hops themselves.
 */
export function findPilot(hops: TonePairHops, guess: PilotGuess): PilotLock {
  const coarse = coarseSearch(hops, guess);
  let { startHop, scale } = coarse;
  let startStep = 1.5;
  let scaleStep = coarse.scaleStep / 2;
  for (let round = 0; round < 3; round++) {
    scale += scaleStep * peakAmong(step => pilotMatch(hops, startHop, scale + step * scaleStep, 0).match);
    startHop += startStep * peakAmong(step => pilotMatch(hops, startHop + step * startStep, scale, 0).match);
    startStep /= 1.5;
    scaleStep /= 2;
  }
  const lock = lockAt(hops, startHop, scale, 0);
  return lock.strength < STRENGTH_SWAYED ? swayedPilot(hops, lock) : lock;
}

function lockAt(hops: TonePairHops, startHop: number, scale: number, rate: number): PilotLock {
  const { strength, agreement } = pilotMatch(hops, startHop, scale, rate);
  return { startHop, scale, rate, strength, agreement };
}

/**
 * The same pilot from a source that accelerates, where it then is much stronger: its frequency goes up or down while it is
 * sent, as a chirp's does, so that at one scale only a part of it is coherent.
 */
function swayedPilot(hops: TonePairHops, plain: PilotLock): PilotLock {
  let { startHop } = plain;
  let { scale, rate } = scaleAndRate(hops, plain);
  const scaleStep = DRIFT_STEP / radiansPerSymbol(hops.mark) / 2;
  const rateStep = BEND_STEP / radiansPerSymbol(hops.mark) / 2;
  for (let round = 0; round < 2; round++) {
    startHop += peakAmong(step => pilotMatch(hops, startHop + step, scale, rate).match);
    scale += scaleStep * peakAmong(step => pilotMatch(hops, startHop, scale + step * scaleStep, rate).match);
    rate += rateStep * peakAmong(step => pilotMatch(hops, startHop, scale, rate + step * rateStep).match);
  }
  const swayed = lockAt(hops, startHop, scale, rate);
  return swayed.strength > SWAYED_MIN && swayed.strength > SWAYED_GAIN * plain.strength ? swayed : plain;
}

/** The scale in the middle and its change in a symbol that make most of the pilot's symbols, as they were found at one scale. */
function scaleAndRate(hops: TonePairHops, { startHop, scale }: PilotLock): { scale: number; rate: number } {
  const length = HOPS_PER_SYMBOL / scale;
  const sums = Array.from(PILOT, (bit, at) => {
    const sum = new Float64Array(2);
    const tone = bit === 1 ? hops.mark : hops.space;
    const turn = turnOf(tone, scale);
    tone.windowSum(startHop + at * length, startHop + (at + 1) * length, turn, turn * at * length, sum);
    return sum;
  });
  const bendMax = Math.min(
    BEND_MAX,
    (RATE_MAX / hopsASecond(hops)) * HOPS_PER_SYMBOL * radiansPerSymbol(hops.mark),
  );
  const bends = Math.ceil(bendMax / BEND_STEP);
  const drifts = Math.ceil((bendMax * PILOT_BITS) / 2 / DRIFT_STEP);
  const best = { match: -1, drift: 0, bend: 0 };
  for (let bend = -bends; bend <= bends; bend++) {
    for (let drift = -drifts; drift <= drifts; drift++) {
      const match = bentMatch(sums, drift * DRIFT_STEP, bend * BEND_STEP);
      if (match > best.match) Object.assign(best, { match, drift, bend });
    }
  }
  const perRadian = 1 / radiansPerSymbol(hops.mark);
  return {
    scale: scale + best.drift * DRIFT_STEP * perRadian,
    rate: best.bend * BEND_STEP * perRadian,
  };
}

/** How coherent symbols are whose phase drifts by so much a symbol in the middle, and by `bend` more in each. */
function bentMatch(sums: readonly Float64Array[], drift: number, bend: number): number {
  const own = [0, 0, 0, 0];
  for (let at = 0; at < PILOT_BITS; at++) {
    const from = at - (PILOT_BITS - 1) / 2;
    const angle = drift * from + (bend * from * from) / 2;
    const c = Math.cos(angle);
    const s = Math.sin(angle);
    const [x, y] = sums[at];
    own[2 * PILOT[at]] += x * c + y * s;
    own[2 * PILOT[at] + 1] += y * c - x * s;
  }
  return own.reduce((sum, x) => sum + x * x, 0);
}

/** Radians that a tone turns on in one hop at a scale, beyond what it was sent with. */
export function turnOf(tone: ToneHops, scale: number): number {
  return (2 * Math.PI * tone.frequencyHz * (scale - 1) * tone.hopSamples) / PACKET_SAMPLE_RATE_HZ;
}

/** Radians that a tone turns in a symbol: what a scale of 1 more adds. */
function radiansPerSymbol(tone: ToneHops): number {
  return HOPS_PER_SYMBOL * turnOf(tone, 2);
}

function hopsASecond({ mark }: TonePairHops): number {
  return PACKET_SAMPLE_RATE_HZ / mark.hopSamples;
}

/** The place of the peak of the parabola through −1, 0 and 1, at most 1.5 away. */
function peakAmong(valueAt: (step: number) => number): number {
  const [before, here, after] = [valueAt(-1), valueAt(0), valueAt(1)];
  const curve = before - 2 * here + after;
  if (!(curve < 0)) return after > before ? 1 : before > after ? -1 : 0;
  return Math.max(-1.5, Math.min(1.5, (before - after) / (2 * curve)));
}

function coarseSearch(hops: TonePairHops, guess: PilotGuess) {
  const { space, mark } = hops;
  const seconds = (PILOT_BITS * HOPS_PER_SYMBOL * space.hopSamples) / 44_100;
  const scaleStep = TURNS_PER_SCALE_STEP / (seconds * mark.frequencyHz);
  const steps = Math.max(1, Math.ceil((guess.scaleTo - guess.scaleFrom) / scaleStep));
  const reach =
    Math.abs(guess.hopsPerScale) * Math.max(Math.abs(guess.scaleFrom - 1), Math.abs(guess.scaleTo - 1));
  const firstHop = Math.floor(guess.startHop - guess.spreadHops - reach);
  const groups = PILOT_GROUPS + Math.ceil((2 * (guess.spreadHops + reach)) / GROUP_HOPS) + 2;
  const spaceGroups = groupHops(space, firstHop, groups);
  const markGroups = groupHops(mark, firstHop, groups);
  const best = { startHop: guess.startHop, scale: 1, match: -1, scaleStep };
  for (let step = 0; step <= steps; step++) {
    const scale = guess.scaleFrom + ((guess.scaleTo - guess.scaleFrom) * step) / steps;
    const middle = guess.startHop + guess.hopsPerScale * (scale - 1);
    // A scaled pilot is shorter or longer: its middle is put on the middle of an unscaled one.
    const shrink = (PILOT_BITS * HOPS_PER_SYMBOL * (1 - 1 / scale)) / 2;
    const from = Math.max(0, Math.floor((middle - shrink - guess.spreadHops - firstHop) / GROUP_HOPS));
    const to = Math.min(
      groups - PILOT_GROUPS,
      Math.ceil((middle - shrink + guess.spreadHops - firstHop) / GROUP_HOPS),
    );
    const turns = turnBack(space, mark, scale);
    for (let at = from; at <= to; at++) {
      const match = groupMatch(spaceGroups, markGroups, at, turns);
      if (match > best.match) {
        best.match = match;
        best.scale = scale;
        best.startHop = firstHop + at * GROUP_HOPS + shrink;
      }
    }
  }
  return best;
}

/** Sums of three hops each, interleaved. */
function groupHops(tone: ToneHops, firstHop: number, groups: number): Float64Array {
  const sums = new Float64Array(2 * groups);
  for (let group = 0; group < groups; group++) {
    for (let hop = 0; hop < GROUP_HOPS; hop++) {
      sums[2 * group] += tone.re(firstHop + group * GROUP_HOPS + hop);
      sums[2 * group + 1] += tone.im(firstHop + group * GROUP_HOPS + hop);
    }
  }
  return sums;
}

/** For every group of the pilot the exponential of its tone that turns a scaled one back. */
function turnBack(space: ToneHops, mark: ToneHops, scale: number): Float64Array {
  const turns = new Float64Array(2 * PILOT_GROUPS);
  const seconds = (GROUP_HOPS * space.hopSamples) / 44_100;
  for (let group = 0; group < PILOT_GROUPS; group++) {
    const tone = PILOT[Math.floor(group / GROUPS_PER_SYMBOL)] === 1 ? mark : space;
    const angle = 2 * Math.PI * tone.frequencyHz * (scale - 1) * seconds * group;
    turns[2 * group] = Math.cos(angle);
    turns[2 * group + 1] = Math.sin(angle);
  }
  return turns;
}

function groupMatch(space: Float64Array, mark: Float64Array, at: number, turns: Float64Array): number {
  let match = 0;
  for (let bit = 0; bit < 2; bit++) {
    const tone = bit === 1 ? mark : space;
    let re = 0;
    let im = 0;
    for (let symbol = 0; symbol < PILOT_BITS; symbol++) {
      if (PILOT[symbol] !== bit) continue;
      const end = (symbol + 1) * GROUPS_PER_SYMBOL;
      for (let group = symbol * GROUPS_PER_SYMBOL; group < end; group++) {
        const x = tone[2 * (at + group)];
        const y = tone[2 * (at + group) + 1];
        const c = turns[2 * group];
        const s = turns[2 * group + 1];
        re += x * c + y * s;
        im += y * c - x * s;
      }
    }
    match += re * re + im * im;
  }
  return match;
}

/** Holds the hops against a pilot that begins at `startHop`, symbol by symbol; `scale` in its middle. */
function pilotMatch(hops: TonePairHops, startHop: number, scale: number, rate: number) {
  const angles = [0, 0];
  let from = startHop;
  const symbol = new Float64Array(2);
  // Coherent sums of each tone over its own symbols, and over the other's: [re, im] each.
  const own = [0, 0, 0, 0];
  const other = [0, 0, 0, 0];
  let energy = 0;
  let agreement = 0;
  for (let at = 0; at < PILOT_BITS; at++) {
    const scaleHere = scale + rate * (at - (PILOT_BITS - 1) / 2);
    const length = HOPS_PER_SYMBOL / scaleHere;
    const powers = [0, 0];
    for (let bit = 0; bit < 2; bit++) {
      const tone = bit === 1 ? hops.mark : hops.space;
      const turn = turnOf(tone, scaleHere);
      tone.windowSum(from, from + length, turn, angles[bit], symbol);
      angles[bit] += turn * length;
      const sums = PILOT[at] === bit ? own : other;
      sums[2 * bit] += symbol[0];
      sums[2 * bit + 1] += symbol[1];
      powers[bit] = symbol[0] ** 2 + symbol[1] ** 2;
    }
    from += length;
    energy += powers[0] + powers[1];
    if (powers[PILOT[at]] > powers[1 - PILOT[at]]) agreement++;
  }
  const half = PILOT_BITS / 2;
  const match = own.reduce((sum, x) => sum + x * x, 0) / half;
  const opposite = other.reduce((sum, x) => sum + x * x, 0) / half;
  return { match, strength: (match - opposite) / (energy + Number.MIN_VALUE), agreement };
}
