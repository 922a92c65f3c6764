import { PILOT_BITS } from './packet-frame.js';
import { HOPS_PER_SYMBOL, type PilotLock, type TonePairHops, turnOf } from './pilot-search.js';

/** How fast the loops of a tracker follow: parts of each symbol's error. */
export interface LoopGains {
  readonly scale: number;
  /** Of the change of the scale from symbol to symbol. */
  readonly rate: number;
  readonly timing: number;
  /** Symbols that a tone's last one may be back for its phase to be compared. */
  readonly lagMax: number;
  /** Whether the pilot's symbols are followed too. */
  readonly fromPilot: boolean;
}

/** Follows clocks that drift, and hardly any noise. */
export const STEADY: LoopGains = { scale: 1 / 128, rate: 0, timing: 1 / 48, lagMax: 1, fromPilot: false };
/** Follows a source that accelerates, and more of the noise. */
export const AGILE: LoopGains = { scale: 1 / 8, rate: 1 / 256, timing: 1 / 32, lagMax: 3, fromPilot: true };

/** As far as scales are followed. */
const SCALE_RANGE = 1e-2;
/** As fast as they are: 20,000 ppm in a second are 7 m/s². */
const RATE_MAX = 2e-2;

/** What both tones have in one symbol, with the phase that is left when their own is turned back. */
export interface SymbolSums {
  /** Power of the space. */
  readonly space: number;
  /** Power of the mark. */
  readonly mark: number;
  readonly spaceRe: number;
  readonly spaceIm: number;
  readonly markRe: number;
  readonly markIm: number;
}

/**
 * Goes through the symbols from a pilot on: gives the sums of both tones in each, and follows their clock, since two clocks
 * 100 ppm apart are 0.15 symbols apart after 10 s at 150 baud.
 *
 * The scale, and of an agile tracker its change, is corrected by the phase between symbols of the same tone that are near each
 * other (a tone keeps its phase through all its symbols, see {@link findPilot}), the timing by half windows about each change of symbols: the new tone has as much of it as
 * the old one where the timing is right.
 */
export class SymbolTracker {
  #hop: number;
  #scale: number;
  #symbols = 0;
  /** Turned back so far, radians of space and mark. */
  readonly #angles = [0, 0];
  readonly #sum = new Float64Array(2);
  /** The last symbol of either tone. */
  readonly #last = [
    { symbol: -1, re: 0, im: 0 },
    { symbol: -1, re: 0, im: 0 },
  ];
  #lastBit = -1;
  /** By how much the scale changes in a symbol. */
  #rate = 0;

  constructor(
    readonly hops: TonePairHops,
    lock: PilotLock,
    readonly gains: LoopGains = STEADY,
  ) {
    this.#hop = lock.startHop;
    this.#scale = lock.scale;
    if (gains.fromPilot) {
      this.#rate = lock.rate;
      this.#scale -= ((PILOT_BITS - 1) / 2) * lock.rate;
    }
  }

  get scale(): number {
    return this.#scale;
  }

  /** Symbols that were given. */
  get symbols(): number {
    return this.#symbols;
  }

  /** Where the next symbol begins, hops. */
  get hop(): number {
    return this.#hop;
  }

  /** Whether the next symbol, and what its timing needs, is there. */
  get ready(): boolean {
    return this.#hop + 2 * HOPS_PER_SYMBOL < this.hops.space.count;
  }

  /**
   * The next symbol.
   *
   * @param known its bit, where it is known
   */
  next(known?: number): SymbolSums {
    const length = HOPS_PER_SYMBOL / this.#scale;
    const powers = [0, 0];
    const sums = [0, 0, 0, 0];
    for (let bit = 0; bit < 2; bit++) {
      const tone = bit === 1 ? this.hops.mark : this.hops.space;
      const turn = turnOf(tone, this.#scale);
      tone.windowSum(this.#hop, this.#hop + length, turn, this.#angles[bit], this.#sum);
      [sums[2 * bit], sums[2 * bit + 1]] = this.#sum;
      powers[bit] = this.#sum[0] ** 2 + this.#sum[1] ** 2;
    }
    const bit = known ?? (powers[1] > powers[0] ? 1 : 0);
    let late = 0;
    if (this.#lastBit >= 0 && (this.gains.fromPilot || this.#symbols >= PILOT_BITS)) {
      this.#scale += this.#rate;
      this.#followFrequency(bit, sums[2 * bit], sums[2 * bit + 1]);
      if (bit !== this.#lastBit) late = this.#lateness(this.#lastBit, bit, length);
    }
    this.#lastBit = bit;
    this.#last[bit] = { symbol: this.#symbols, re: sums[2 * bit], im: sums[2 * bit + 1] };
    const step = length + this.gains.timing * late;
    [this.hops.space, this.hops.mark].forEach((tone, at) => {
      this.#angles[at] = (this.#angles[at] + turnOf(tone, this.#scale) * step) % (2 * Math.PI);
    });
    this.#hop += step;
    this.#symbols++;
    return {
      space: powers[0],
      mark: powers[1],
      spaceRe: sums[0],
      spaceIm: sums[1],
      markRe: sums[2],
      markIm: sums[3],
    };
  }

  #followFrequency(bit: number, re: number, im: number): void {
    const { symbol, re: lastRe, im: lastIm } = this.#last[bit];
    const lag = this.#symbols - symbol;
    if (symbol < 0 || lag > this.gains.lagMax) return;
    const along = re * lastRe + im * lastIm;
    const across = im * lastRe - re * lastIm;
    const weight = Math.hypot(along, across);
    if (!(weight > 0)) return;
    // The sine of the angle, not the angle: a symbol that noise has turned about counts less.
    const radians = across / weight / lag;
    const tone = bit === 1 ? this.hops.mark : this.hops.space;
    const radiansPerScale = (2 * Math.PI * tone.frequencyHz * HOPS_PER_SYMBOL * tone.hopSamples) / 44_100;
    const error = radians / radiansPerScale;
    this.#scale = within(this.#scale + this.gains.scale * error, 1, SCALE_RANGE);
    const rateMax = (RATE_MAX * HOPS_PER_SYMBOL * tone.hopSamples) / 44_100;
    this.#rate = within(this.#rate + this.gains.rate * error, 0, rateMax);
  }

  /** By how many hops the change from `before` to `after` comes later than the present symbol was taken to begin. */
  #lateness(before: number, after: number, length: number): number {
    const half = Math.floor(HOPS_PER_SYMBOL / 2);
    const amplitudes = [0, 0];
    for (let bit = 0; bit < 2; bit++) {
      const tone = bit === 1 ? this.hops.mark : this.hops.space;
      const turn = turnOf(tone, this.#scale);
      tone.windowSum(this.#hop - half, this.#hop + half, turn, 0, this.#sum);
      amplitudes[bit] = Math.hypot(this.#sum[0], this.#sum[1]);
    }
    const both = amplitudes[0] + amplitudes[1];
    if (!(both > 0)) return 0;
    // Each half window is worth `half` hops; the one that is longer says which way.
    const late = (half * (amplitudes[before] - amplitudes[after])) / both;
    return Math.max(-length / 4, Math.min(length / 4, late));
  }
}

function within(value: number, middle: number, range: number): number {
  return Math.max(middle - range, Math.min(middle + range, value));
}
