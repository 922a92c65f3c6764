import { type DecodedBody, decodeBody } from './decode-frame.js';
import { FrameReading } from './frame-reading.js';
import { copySamples } from './modulate.js';
import { BODY_FROM, frameBits } from './packet-frame.js';
import { HOPS_PER_SYMBOL, type PilotLock, type TonePairHops } from './pilot-search.js';
import { AGILE, STEADY, SymbolTracker } from './symbol-tracker.js';
import { type Baud, samplesPerSymbol } from './tones.js';

/** The agile reading tells of a frame's place and quality only where it is clearer by so much: it is not quieter in noise. */
const CLEARER = 1.05;

/** One reading waits no longer than this for the other. */
const LATE_HOPS = 6 * HOPS_PER_SYMBOL;

export type TrackState = 'header' | 'body' | 'complete' | 'unreadable';

/** One copy of a frame as it comes in: its symbols from the pilot on, its header, its body; followed steadily and agilely. */
export class FrameTrack {
  #state: TrackState = 'header';
  #payloadBytes?: number;
  /** Symbols of the part that is being taken in: the header's, or all. */
  #symbols = BODY_FROM;
  readonly #readings: readonly FrameReading[];
  /** Which of them is the clearer. */
  #clearer = 0;

  /** @param payloadBytes where another copy has said it already */
  constructor(
    hops: TonePairHops,
    readonly copy: number,
    readonly lock: PilotLock,
    payloadBytes?: number,
  ) {
    this.#readings = [STEADY, AGILE].map(gains => new FrameReading(new SymbolTracker(hops, lock, gains)));
    if (payloadBytes !== undefined) this.announce(payloadBytes);
  }

  get state(): TrackState {
    return this.#state;
  }

  get payloadBytes(): number | undefined {
    return this.#payloadBytes;
  }

  /** Where the next symbol begins: of a complete frame where it ends. */
  get hop(): number {
    return this.#readings[this.#clearer].tracker.hop;
  }

  get scale(): number {
    return this.#readings[this.#clearer].tracker.scale;
  }

  /** γ = Es/N0 of the pilot. */
  get pilotEsN0(): number {
    return this.#readings[this.#clearer].pilotEsN0;
  }

  /** What the tracker that follows steadily has read of a complete frame, and what the agile one has. */
  get readings(): readonly FrameReading[] {
    if (this.#state !== 'complete') throw new Error('the frame is not complete');
    return this.#readings;
  }

  /** Says how long the payload is, so that the header need not. */
  announce(payloadBytes: number): void {
    if (this.#state !== 'header') return;
    this.#symbols = frameBits(payloadBytes);
    for (const reading of this.#readings) reading.extend(this.#symbols);
    this.#payloadBytes = payloadBytes;
    this.#state = 'body';
  }

  /** Takes the symbols that have come in; returns whether the state is another. */
  advance(): boolean {
    if (this.#state !== 'header' && this.#state !== 'body') return false;
    for (const reading of this.#readings) reading.advance(this.#symbols);
    if (!this.#isIn()) return false;
    if (this.#state === 'body') {
      const [steady, agile] = this.#readings;
      this.#clearer = agile.clarity > CLEARER * steady.clarity ? 1 : 0;
      this.#state = 'complete';
      return true;
    }
    for (const reading of this.#readings) {
      const payloadBytes = reading.decodeHeader();
      if (payloadBytes !== undefined) {
        this.announce(payloadBytes);
        return true;
      }
    }
    this.#state = 'unreadable';
    return true;
  }

  /** Both readings are complete, or one and the other late: one of them then follows nothing. */
  #isIn(): boolean {
    const complete = this.#readings.filter(({ tracker }) => tracker.symbols === this.#symbols);
    return (
      complete.length === this.#readings.length ||
      complete.some(({ tracker }) => tracker.hop + LATE_HOPS < tracker.hops.space.count)
    );
  }
}

/** Hops from the pilot of one copy to the pilot of the next. */
export function hopsBetweenCopies(payloadBytes: number, baud: Baud, scale: number): number {
  const hopSamples = samplesPerSymbol(baud) / HOPS_PER_SYMBOL;
  return copySamples(payloadBytes, baud) / hopSamples / scale;
}

/**
 * Reads one copy, or where there are two what both say together: as steadily followed first, then as agilely, each without
 * the phase, then with it.
 */
export function decodeCopies(copies: readonly FrameTrack[]): DecodedBody | undefined {
  for (const follower of [0, 1]) {
    const readings = copies.map(copy => copy.readings[follower]);
    const body =
      decodeBody(bodyOf(readings.map(({ noncoherent }) => noncoherent))) ??
      decodeBody(bodyOf(readings.map(({ coherent }) => coherent)));
    if (body) return body;
  }
  return undefined;
}

function bodyOf([first, ...others]: readonly Float32Array[]): Float32Array {
  return first
    .subarray(BODY_FROM)
    .map((llr, at) => others.reduce((sum, other) => sum + other[BODY_FROM + at], llr));
}
