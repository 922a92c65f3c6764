import { coherentRatios, SymbolSeries } from './coherent-demodulate.js';
import { decodeHeader } from './decode-frame.js';
import { BODY_FROM, PILOT, PILOT_BITS } from './packet-frame.js';
import { softDemodulate, type SoftSymbols } from './soft-demodulate.js';
import type { SymbolTracker } from './symbol-tracker.js';

/** The symbols of a frame as one tracker gives them. */
export class FrameReading {
  #symbols = new SymbolSeries(BODY_FROM);
  #noncoherent?: SoftSymbols;
  #coherent?: Float32Array;

  constructor(readonly tracker: SymbolTracker) {}

  /** γ = Es/N0 of the pilot. */
  get pilotEsN0(): number {
    return this.#soft.pilotEsN0;
  }

  /** How far all symbols are from being undecided. */
  get clarity(): number {
    const { space, mark } = this.#symbols.powers();
    let apart = 0;
    let all = Number.MIN_VALUE;
    for (let at = 0; at < space.length; at++) {
      apart += Math.abs(space[at] - mark[at]);
      all += space[at] + mark[at];
    }
    return apart / all;
  }

  get #soft(): SoftSymbols {
    if (!this.#noncoherent) {
      const { space, mark } = this.#symbols.powers();
      this.#noncoherent = softDemodulate(space, mark, PILOT);
    }
    return this.#noncoherent;
  }

  /** log P(1)/P(0) of all bits by the powers of the tones alone: made when first asked for, since most frames need little. */
  get noncoherent(): Float32Array {
    return this.#soft.llr;
  }

  /** The same by their phases too. */
  get coherent(): Float32Array {
    this.#coherent ??= coherentRatios(this.#symbols, this.noncoherent, PILOT);
    return this.#coherent;
  }

  /** Makes room for a frame of so many symbols; what was read of its beginning stays. */
  extend(symbols: number): void {
    this.#symbols = this.#symbols.extended(symbols);
    this.#noncoherent = this.#coherent = undefined;
  }

  /** Takes the symbols that have come in, the first `to` at most. */
  advance(to: number): void {
    const { tracker } = this;
    while (tracker.ready && tracker.symbols < to) {
      const at = tracker.symbols;
      const sums = tracker.next(at < PILOT_BITS ? PILOT[at] : undefined);
      this.#symbols.spaceRe[at] = sums.spaceRe;
      this.#symbols.spaceIm[at] = sums.spaceIm;
      this.#symbols.markRe[at] = sums.markRe;
      this.#symbols.markIm[at] = sums.markIm;
    }
  }

  /** Bytes of the payload, as the header says. */
  decodeHeader(): number | undefined {
    const header = (ratios: Float32Array) => decodeHeader(ratios.subarray(PILOT_BITS, BODY_FROM));
    return header(this.noncoherent) ?? header(this.coherent);
  }
}
