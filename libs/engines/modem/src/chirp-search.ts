import { CHIRP_SAMPLES, type PacketCopy } from './modulate.js';
import { PACKET_SAMPLE_RATE_HZ } from './tones.js';
import { ToneHops } from './tone-hops.js';

// Taken once: in the context of a test runner every look at a global is slow.
const { max, min } = Math;

/** A place where a chirp may be. */
export interface ChirpCandidate {
  /** Its first sample, were its frequencies as sent: between two samples. */
  readonly startSample: number;
  /** Part of the energy there that is the chirp's, 0 … 1. */
  readonly strength: number;
}

const HOP_SAMPLES = 14;
const LENGTH_HOPS = CHIRP_SAMPLES / HOP_SAMPLES;
/** A candidate is the strongest of so many hops on either side: half a chirp. */
const RIVAL_HOPS = Math.floor(LENGTH_HOPS / 2);
const LOG2_KEPT = 10;
/** A chirp is enough, however loud its surroundings, where it has so much. */
const STRENGTH_ENOUGH = 0.3;
/** A chirp stands out by this factor from what came before: the bits of a packet look like a chirp in part, all the time. */
const PROMINENCE = 8;
/** Hops that what came before is averaged over: 0.1 s. */
const BEFORE_HOPS = 315;

/**
 * Finds chirps by a matched filter, at 3,150 complex samples a second around the middle of the band, held against the energy
 * of the same 60 ms: the false-alarm rate is then the same at any loudness (CFAR).
 *
 * A chirp whose time is scaled is found at another time, by the shift of its frequency over its rate; see
 * {@link chirpDelaySeconds}.
 */
export class ChirpSearch {
  readonly #hops: ToneHops;
  readonly #templateRe = new Float64Array(LENGTH_HOPS);
  readonly #templateIm = new Float64Array(LENGTH_HOPS);
  /** The hops that the filter still needs, in a row. */
  readonly #rowRe: Float64Array;
  readonly #rowIm: Float64Array;
  readonly #strengths = new Float64Array(2 ** LOG2_KEPT);
  #filtered = 0;
  #judged = 0;
  /** Strength on average, up to half a chirp before what is judged. */
  #before = 0;

  /**
   * @param blockSamples samples of every block that will be given
   * @param strengthMin least part of the energy that a candidate must have, in surroundings that are noise
   */
  constructor(
    copy: PacketCopy,
    blockSamples: number,
    readonly strengthMin: number,
  ) {
    const { spaceHz, markHz } = copy.tones;
    this.#hops = new ToneHops((spaceHz + markHz) / 2, HOP_SAMPLES, LOG2_KEPT);
    const seconds = CHIRP_SAMPLES / PACKET_SAMPLE_RATE_HZ;
    for (let k = 0; k < LENGTH_HOPS; k++) {
      const t = ((k + 0.5) * HOP_SAMPLES) / PACKET_SAMPLE_RATE_HZ;
      const cycles =
        (copy.chirpFromHz - this.#hops.frequencyHz) * t +
        ((copy.chirpToHz - copy.chirpFromHz) * t * t) / (2 * seconds);
      this.#templateRe[k] = Math.cos(2 * Math.PI * cycles);
      this.#templateIm[k] = Math.sin(2 * Math.PI * cycles);
    }
    const row = LENGTH_HOPS + blockSamples / HOP_SAMPLES;
    this.#rowRe = new Float64Array(row);
    this.#rowIm = new Float64Array(row);
  }

  /** Takes a block of samples and gives the candidates that have become certain. */
  push(samples: Float32Array): ChirpCandidate[] {
    this.#hops.push(samples);
    this.#filter();
    const found: ChirpCandidate[] = [];
    for (; this.#judged + RIVAL_HOPS < this.#filtered; this.#judged++) {
      const strength = this.#strengthAt(this.#judged);
      this.#before += (this.#strengthAt(this.#judged - RIVAL_HOPS) - this.#before) / BEFORE_HOPS;
      const strengthMin = min(max(PROMINENCE * this.#before, this.strengthMin), STRENGTH_ENOUGH);
      if (strength >= strengthMin && this.#isStrongest(this.#judged, strength)) {
        found.push({ startSample: (this.#judged + this.#peakOffset(this.#judged)) * HOP_SAMPLES, strength });
      }
    }
    return found;
  }

  #filter(): void {
    const from = this.#filtered;
    const ready = this.#hops.count - LENGTH_HOPS;
    const count = this.#hops.count - from;
    for (let at = 0; at < count; at++) {
      this.#rowRe[at] = this.#hops.re(from + at);
      this.#rowIm[at] = this.#hops.im(from + at);
    }
    let energy = 0;
    for (let k = 0; k < LENGTH_HOPS; k++) energy += this.#rowRe[k] ** 2 + this.#rowIm[k] ** 2;
    for (let at = 0; from + at <= ready; at++) {
      this.#strengths[(from + at) & (2 ** LOG2_KEPT - 1)] =
        this.#matchAt(at) / (LENGTH_HOPS * energy + Number.MIN_VALUE);
      const gone = this.#rowRe[at] ** 2 + this.#rowIm[at] ** 2;
      const next = at + LENGTH_HOPS;
      energy = max(0, energy - gone) + this.#rowRe[next] ** 2 + this.#rowIm[next] ** 2;
    }
    this.#filtered = max(from, ready + 1);
  }

  /** |Σ x·conj(chirp)|², the chirp from hop `at` of the row on. */
  #matchAt(at: number): number {
    const re = this.#rowRe;
    const im = this.#rowIm;
    let sumRe = 0;
    let sumIm = 0;
    for (let k = 0; k < LENGTH_HOPS; k++) {
      const x = re[at + k];
      const y = im[at + k];
      const c = this.#templateRe[k];
      const s = this.#templateIm[k];
      sumRe += x * c + y * s;
      sumIm += y * c - x * s;
    }
    return sumRe * sumRe + sumIm * sumIm;
  }

  #strengthAt(hop: number): number {
    return hop < 0 ? 0 : this.#strengths[hop & (2 ** LOG2_KEPT - 1)];
  }

  #isStrongest(hop: number, strength: number): boolean {
    for (let by = 1; by <= RIVAL_HOPS; by++) {
      if (this.#strengthAt(hop - by) >= strength || this.#strengthAt(hop + by) > strength) return false;
    }
    return true;
  }

  /** Where between hops the parabola through a peak and its neighbours is highest. */
  #peakOffset(hop: number): number {
    const before = this.#strengthAt(hop - 1);
    const after = this.#strengthAt(hop + 1);
    const curve = before - 2 * this.#strengthAt(hop) + after;
    return curve < 0 ? (before - after) / (2 * curve) : 0;
  }
}

/**
 * By how much later than it was found a chirp began whose frequencies were heard `scale` times those sent: a rising chirp a
 * little higher in frequency looks like one that began a little earlier.
 */
export function chirpDelaySeconds(copy: PacketCopy, scale: number): number {
  const hzPerSecond = ((copy.chirpToHz - copy.chirpFromHz) * PACKET_SAMPLE_RATE_HZ) / CHIRP_SAMPLES;
  return (((copy.chirpFromHz + copy.chirpToHz) / 2) * (scale - 1)) / hzPerSecond;
}
