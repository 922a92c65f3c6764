import { type ChirpCandidate, chirpDelaySeconds, ChirpSearch } from './chirp-search.js';
import { CHIRP_SAMPLES, type PacketCopy } from './modulate.js';
import { PILOT_BITS } from './packet-frame.js';
import { findPilot, HOPS_PER_SYMBOL, type PilotLock, type TonePairHops } from './pilot-search.js';
import { type Baud, PACKET_SAMPLE_RATE_HZ, samplesPerSymbol } from './tones.js';
import { ToneHops } from './tone-hops.js';

/** Faster or slower by so much: 100 Hz at 18.6 kHz is 5,376 ppm; a walker's 1.5 m/s 4,400. */
const SCALE_RANGE = 5.6e-3;
/** Of a copy whose fellow was heard. */
const SCALE_RANGE_KNOWN = 3e-4;
/** A chirp gives its pilot's start to so much, in rooms. */
const START_SPREAD_SECONDS = 2.4e-3;
/** Least part of the energy of 60 ms that a chirp must have: noise alone comes to it once in 10 s. */
const STRENGTH_MIN = 0.05;
/** The same at 50 and 75 baud, where a packet that can be read may be weaker: noise comes to it once or twice in a second. */
const STRENGTH_MIN_SLOW = 0.035;
/** Least strength of a pilot: the best of the search in noise alone seldom comes to it, and the header's CRC-8 follows. */
const PILOT_STRENGTH_MIN = 0.22;
const PILOT_AGREEMENT_MIN = 22;
/** Candidates that may wait for their pilot to come in. */
const WAITING_MAX = 32;
const LOG2_HOPS_KEPT = 16;

/** The search for the beginnings of one copy, and the hops of its tones. */
export class CopySearch {
  readonly hops: TonePairHops;
  readonly #chirps: ChirpSearch;
  #waiting: ChirpCandidate[] = [];

  constructor(
    readonly copy: PacketCopy,
    baud: Baud,
    blockSamples: number,
  ) {
    const hopSamples = samplesPerSymbol(baud) / HOPS_PER_SYMBOL;
    this.hops = {
      space: new ToneHops(copy.tones.spaceHz, hopSamples, LOG2_HOPS_KEPT),
      mark: new ToneHops(copy.tones.markHz, hopSamples, LOG2_HOPS_KEPT),
    };
    this.#chirps = new ChirpSearch(copy, blockSamples, baud < 100 ? STRENGTH_MIN_SLOW : STRENGTH_MIN);
  }

  /** Takes a block and gives the pilots that were found. */
  push(samples: Float32Array): PilotLock[] {
    this.hops.space.push(samples);
    this.hops.mark.push(samples);
    this.#waiting.push(...this.#chirps.push(samples));
    if (this.#waiting.length > WAITING_MAX) {
      const weakest = Math.min(...this.#waiting.map(({ strength }) => strength));
      this.#waiting = this.#waiting.filter(({ strength }) => strength > weakest);
    }
    const ready = this.#waiting.filter(candidate => this.#isIn(candidate));
    this.#waiting = this.#waiting.filter(candidate => !ready.includes(candidate));
    return ready
      .map(candidate => this.#pilotAfter(candidate))
      .filter(
        ({ strength, agreement }) => strength >= PILOT_STRENGTH_MIN && agreement >= PILOT_AGREEMENT_MIN,
      );
  }

  /** The pilot near a place that another copy has told, however weak. */
  pilotNear(startHop: number, scale: number): PilotLock {
    return findPilot(this.hops, {
      startHop,
      hopsPerScale: 0,
      spreadHops: this.#hopsOf(START_SPREAD_SECONDS),
      scaleFrom: scale - SCALE_RANGE_KNOWN,
      scaleTo: scale + SCALE_RANGE_KNOWN,
    });
  }

  /** Whether a pilot that begins about that hop has come in. */
  hasPilot(startHop: number): boolean {
    const margin = this.#hopsOf(START_SPREAD_SECONDS) + 2 * HOPS_PER_SYMBOL;
    return startHop + PILOT_BITS * HOPS_PER_SYMBOL * (1 + SCALE_RANGE) + margin < this.hops.space.count;
  }

  #isIn({ startSample }: ChirpCandidate): boolean {
    const latest = Math.abs(chirpDelaySeconds(this.copy, 1 + SCALE_RANGE)) * PACKET_SAMPLE_RATE_HZ;
    return this.hasPilot((startSample + latest + CHIRP_SAMPLES) / this.hops.space.hopSamples);
  }

  #pilotAfter({ startSample }: ChirpCandidate): PilotLock {
    const samplesPerScale = chirpDelaySeconds(this.copy, 2) * PACKET_SAMPLE_RATE_HZ - CHIRP_SAMPLES;
    return findPilot(this.hops, {
      startHop: (startSample + CHIRP_SAMPLES) / this.hops.space.hopSamples,
      hopsPerScale: samplesPerScale / this.hops.space.hopSamples,
      spreadHops: this.#hopsOf(START_SPREAD_SECONDS),
      scaleFrom: 1 - SCALE_RANGE,
      scaleTo: 1 + SCALE_RANGE,
    });
  }

  #hopsOf(seconds: number): number {
    return (seconds * PACKET_SAMPLE_RATE_HZ) / this.hops.space.hopSamples;
  }
}
