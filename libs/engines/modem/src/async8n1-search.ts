import { secded84SoftDecode } from '@svc/kernels';
import { CHARACTER_BITS } from './async8n1.js';
import type { ToneHistory } from './tone-history.js';

/** Hops of a bit. */
export const HOPS_PER_BIT = 16;
const CHARACTER_HOPS = CHARACTER_BITS * HOPS_PER_BIT;
/** A bit of rest, and two characters: the least that a packet has. */
const PATTERN_BITS = 1 + 2 * CHARACTER_BITS;
const PATTERN_HOPS = PATTERN_BITS * HOPS_PER_BIT;
/**
 * How well a pattern must fit, 1 being without noise. In noise alone each bit's balance is evenly spread over −1 … 1, so that
 * the mean over a pattern of 21 passes 0.78 with a probability of 2.31^21/21! for each of 256 pairs of words: about once in 200
 * hours at 300 baud. With Es/N0 = 12 dB the mean is 0.89.
 */
const FIT_MIN = 0.78;
/** Of each start bit, and of the five bits that all characters have, together. */
const START_FIT_MIN = 0.25;
const KNOWN_FIT_MIN = 2.5;
/** Of each character by itself: one that is clear must not speak for one that is not. */
const CHARACTER_FIT_MIN = 0.7;
/** The ring of balances of each offset. */
const LOG2_KEPT = 10;
const KEPT_MASK = 2 ** LOG2_KEPT - 1;

/** Where the first start bit of a packet begins, and how far beside the tones it was heard. */
export interface FoundStart {
  hop: number;
  radiansPerHop: number;
  /** Mean balance, at most 1. */
  fit: number;
}

/** The balance of mark and space over a bit, from −1 (space) to 1 (mark), for each hop that a bit may begin at. */
class BalanceTrack {
  readonly #balances = new Float64Array(2 ** LOG2_KEPT);
  /** Running sums of the hops, turned back by the offset: a window is the difference of two. */
  readonly #running = new Float64Array(4 * 2 * HOPS_PER_BIT);
  readonly #sum = new Float64Array(4);
  #hops = 0;

  constructor(readonly radiansPerHop: number) {}

  /** Takes hop `hop`, which completes the bit that began a bit before its end. */
  push(history: ToneHistory, hop: number): void {
    const cos = Math.cos(this.radiansPerHop * hop);
    const sin = -Math.sin(this.radiansPerHop * hop);
    const slot = 4 * (this.#hops % (2 * HOPS_PER_BIT));
    const before = 4 * ((this.#hops + HOPS_PER_BIT + 1) % (2 * HOPS_PER_BIT));
    const energy = [0, 0];
    for (let tone = 0; tone < 2; tone++) {
      const re = history.part(hop, 2 * tone);
      const im = history.part(hop, 2 * tone + 1);
      // A slot holds the sum of the hops before its own.
      this.#running[slot + 2 * tone] = this.#sum[2 * tone];
      this.#running[slot + 2 * tone + 1] = this.#sum[2 * tone + 1];
      this.#sum[2 * tone] += re * cos - im * sin;
      this.#sum[2 * tone + 1] += re * sin + im * cos;
      const windowRe = this.#sum[2 * tone] - this.#running[before + 2 * tone];
      const windowIm = this.#sum[2 * tone + 1] - this.#running[before + 2 * tone + 1];
      energy[tone] = windowRe * windowRe + windowIm * windowIm;
    }
    this.#hops++;
    const total = energy[0] + energy[1];
    this.#balances[(hop - HOPS_PER_BIT + 1) & KEPT_MASK] =
      total > 0 && this.#hops >= HOPS_PER_BIT ? (energy[1] - energy[0]) / total : 0;
  }

  /** Of the bit that begins at `hop`. */
  at(hop: number): number {
    return this.#balances[hop & KEPT_MASK];
  }
}

/**
 * Looks for a bit of rest and two characters that are words of the code, at all offsets of a bank at once. Needs no carrier to
 * have been there for long, and no level: what counts is how clearly one tone outweighs the other.
 */
export class Async8n1Search {
  readonly #tracks: readonly BalanceTrack[];
  readonly #word = new Float64Array(8);
  #best?: FoundStart;
  #next: number;

  /**
   * @param firstHop where to begin
   * @param offsets radians a hop beside the tones; neighbours lie a quarter of the symbol rate apart
   */
  constructor(
    readonly history: ToneHistory,
    readonly firstHop: number,
    offsets: readonly number[],
  ) {
    this.#tracks = offsets.map(radiansPerHop => new BalanceTrack(radiansPerHop));
    this.#next = firstHop;
  }

  /** Takes the hops that have come; @returns the best start, once a bit has passed without a better one */
  find(): FoundStart | undefined {
    for (; this.#next < this.history.count; this.#next++) {
      for (const track of this.#tracks) track.push(this.history, this.#next);
      // The pattern that this hop completes began with the bit of rest.
      const start = this.#next + 1 - PATTERN_HOPS + HOPS_PER_BIT;
      if (start < this.firstHop + HOPS_PER_BIT) continue;
      for (const track of this.#tracks) this.#look(track, start);
      if (this.#best && start >= this.#best.hop + HOPS_PER_BIT) {
        const found = this.#best;
        this.#best = undefined;
        this.#next++;
        return found;
      }
    }
    return undefined;
  }

  #look(track: BalanceTrack, start: number): void {
    const { radiansPerHop } = track;
    const second = start + CHARACTER_HOPS;
    const stop = CHARACTER_HOPS - HOPS_PER_BIT;
    const firstStart = -track.at(start);
    const secondStart = -track.at(second);
    // A line at rest has all bits right but these two.
    if (firstStart < START_FIT_MIN || secondStart < START_FIT_MIN) return;
    const known =
      track.at(start - HOPS_PER_BIT) +
      firstStart +
      track.at(start + stop) +
      secondStart +
      track.at(second + stop);
    const needed = Math.max(FIT_MIN, this.#best?.fit ?? 0) * PATTERN_BITS;
    // The sixteen bits of the words come to sixteen at most.
    if (known < KNOWN_FIT_MIN || known + 16 <= needed) return;
    const first = this.#wordFit(track, start);
    if (firstStart + first + track.at(start + stop) < CHARACTER_FIT_MIN * CHARACTER_BITS) return;
    const word = this.#wordFit(track, second);
    if (secondStart + word + track.at(second + stop) < CHARACTER_FIT_MIN * CHARACTER_BITS) return;
    const fit = (known + first + word) / PATTERN_BITS;
    if (fit > needed / PATTERN_BITS) this.#best = { hop: start, radiansPerHop, fit };
  }

  #wordFit(track: BalanceTrack, start: number): number {
    for (let bit = 0; bit < 8; bit++) this.#word[7 - bit] = track.at(start + (bit + 1) * HOPS_PER_BIT);
    return secded84SoftDecode(this.#word, 0).metric;
  }
}
