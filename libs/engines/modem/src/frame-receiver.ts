import { BandFilter } from './band-filter.js';
import { CopySearch } from './copy-search.js';
import type { DecodedBody } from './decode-frame.js';
import { decodeCopies, FrameTrack, hopsBetweenCopies } from './frame-track.js';
import { CHIRP_SAMPLES, packetCopies, RAMP_SAMPLES } from './modulate.js';
import { frameBits } from './packet-frame.js';
import { HOPS_PER_SYMBOL, type PilotLock } from './pilot-search.js';
import { linkQuality, type LostReason, type ReceivedEvent } from './received-event.js';
import { type Baud, baudOf, PACKET_SAMPLE_RATE_HZ, type PacketOptions, samplesPerSymbol } from './tones.js';

/** Samples that are looked at together: a whole number of hops at every baud. */
const BLOCK_SAMPLES = 2_016;
/** Frames that may be followed at a time: one that is not real keeps no real one out. */
const TRACKS_MAX = 8;
/** Two pilots nearer than this are one. */
const SAME_PILOT_HOPS = 1.5 * HOPS_PER_SYMBOL;
/** The square of a raised cosine is 3/8 on average: the energy of both ramps. */
const RAMP_ENERGY_SAMPLES = 2 * RAMP_SAMPLES * (3 / 8);

/** A pilot of this strength is one, though its header did not come in any more. */
const PILOT_SURE = 0.5;
/** Beyond this a sample is no sound: full scale is 1. */
const SAMPLE_MAX = 1e6;

/** Where a copy is to be that another copy of its packet has told of. */
interface ExpectedCopy {
  readonly copy: number;
  readonly startHop: number;
  readonly scale: number;
  readonly payloadBytes: number;
}

/** Hears framed packets in samples at 44,100 Hz. What is heard does not depend on how they are cut into chunks. */
export class FrameReceiver {
  readonly #baud: Baud;
  readonly #filter: BandFilter;
  readonly #searches: readonly CopySearch[];
  readonly #block = new Float32Array(BLOCK_SAMPLES);
  #filled = 0;
  #tracks: FrameTrack[] = [];
  /** Complete copies that could not be read by themselves. */
  #unread: FrameTrack[] = [];
  #expected: ExpectedCopy[] = [];
  /** Second copies of packets that were read already. */
  #superfluous: ExpectedCopy[] = [];
  #events: ReceivedEvent[] = [];

  constructor(options: PacketOptions = {}) {
    this.#baud = baudOf(options);
    this.#filter = new BandFilter(
      options.frequencyBand === 'audible_fsk'
        ? { highPassHz: 1_000, lowPassHz: 4_000 }
        : { highPassHz: 16_500 },
    );
    this.#searches = packetCopies(options).map(copy => new CopySearch(copy, this.#baud, BLOCK_SAMPLES));
  }

  /** Takes the next samples and gives what has become certain. */
  push(samples: Float32Array): ReceivedEvent[] {
    for (let from = 0; from < samples.length;) {
      const part = samples.subarray(from, from + BLOCK_SAMPLES - this.#filled);
      this.#block.set(part, this.#filled);
      this.#filled += part.length;
      from += part.length;
      if (this.#filled === BLOCK_SAMPLES) this.#processBlock();
    }
    return this.#takeEvents();
  }

  /** Says that no more samples come, and gives the rest. */
  end(): ReceivedEvent[] {
    // Silence behind, so that all that was begun is looked at.
    const silence = new Float32Array(4 * BLOCK_SAMPLES);
    const events = this.push(silence);
    for (const track of this.#tracks) {
      if (track.state === 'body' || track.lock.strength >= PILOT_SURE) this.#lose('CUT_OFF', track);
    }
    for (const track of this.#unread) this.#lose('CRC_MISMATCH', track);
    this.#tracks = this.#unread = [];
    return [...events, ...this.#takeEvents()];
  }

  #takeEvents(): ReceivedEvent[] {
    const events = this.#events;
    this.#events = [];
    return events;
  }

  #processBlock(): void {
    this.#filled = 0;
    silenceUnreal(this.#block);
    this.#filter.process(this.#block);
    this.#searches.forEach((search, copy) => {
      for (const lock of search.push(this.#block)) this.#follow(copy, lock);
    });
    this.#meetExpected();
    for (const track of [...this.#tracks]) {
      if (track.advance()) this.#settle(track);
    }
  }

  #follow(copy: number, lock: PilotLock, payloadBytes?: number): void {
    if (this.#superfluous.some(known => isSame(known, copy, lock.startHop))) return;
    const same = this.#tracks.find(track =>
      isSame({ copy: track.copy, startHop: track.lock.startHop }, copy, lock.startHop),
    );
    if (same) {
      if (payloadBytes !== undefined) same.announce(payloadBytes);
      return;
    }
    this.#tracks.push(new FrameTrack(this.#searches[copy].hops, copy, lock, payloadBytes));
    if (this.#tracks.length > TRACKS_MAX) {
      const weakest = this.#tracks.reduce((least, track) =>
        track.lock.strength < least.lock.strength ? track : least,
      );
      this.#drop(weakest);
    }
  }

  #drop(track: FrameTrack): void {
    this.#tracks = this.#tracks.filter(kept => kept !== track);
  }

  #meetExpected(): void {
    const met = this.#expected.filter(({ copy, startHop }) => this.#searches[copy].hasPilot(startHop));
    this.#expected = this.#expected.filter(expected => !met.includes(expected));
    for (const { copy, startHop, scale, payloadBytes } of met) {
      this.#follow(copy, this.#searches[copy].pilotNear(startHop, scale), payloadBytes);
    }
  }

  /** A track has its header, its whole body, or no header that can be read. */
  #settle(track: FrameTrack): void {
    if (track.state === 'body' && track.advance()) return this.#settle(track);
    if (track.state === 'unreadable') {
      this.#drop(track);
      this.#lose('HEADER_UNREADABLE', track);
    }
    if (track.state !== 'complete') return;
    this.#drop(track);
    const partner = this.#partnerOf(track);
    const alone = decodeCopies([track]);
    if (alone) return this.#deliver(track, alone);
    const together = partner && decodeCopies([track, partner]);
    if (together) return this.#deliver(track.pilotEsN0 > partner.pilotEsN0 ? track : partner, together);
    if (!partner && this.#awaitPartner(track)) this.#unread = [...this.#unread, track].slice(-TRACKS_MAX);
    else this.#lose('CRC_MISMATCH', track);
  }

  /** The other copy of the same packet, complete but unread. */
  #partnerOf(track: FrameTrack): FrameTrack | undefined {
    return this.#unread.find(
      other =>
        other.copy !== track.copy &&
        other.payloadBytes === track.payloadBytes &&
        isSame(this.#otherCopyOf(other), track.copy, track.lock.startHop),
    );
  }

  /** Where the other copy of a complete one's packet begins. */
  #otherCopyOf(track: FrameTrack): ExpectedCopy {
    const payloadBytes = track.payloadBytes ?? 0;
    const { scale } = track;
    const chirpHops = CHIRP_SAMPLES / this.#hopSamples / scale;
    const startHop =
      track.copy === 0
        ? track.hop + chirpHops
        : track.lock.startHop - hopsBetweenCopies(payloadBytes, this.#baud, track.lock.scale);
    return {
      copy: 1 - track.copy,
      startHop,
      scale: track.copy === 0 ? scale : track.lock.scale,
      payloadBytes,
    };
  }

  /** Has the other copy looked for; false where there is none, or its sound is no longer kept. */
  #awaitPartner(track: FrameTrack): boolean {
    if (this.#searches.length === 1) return false;
    const expected = this.#otherCopyOf(track);
    if (expected.startHop < this.#searches[expected.copy].hops.space.oldest) return false;
    this.#expected = [...this.#expected, expected].slice(-TRACKS_MAX);
    return true;
  }

  #deliver(track: FrameTrack, { payload, ...counts }: DecodedBody): void {
    const from = track.lock.startHop;
    // What began within a packet that was read was part of it.
    this.#tracks = this.#tracks.filter(
      other => other.copy !== track.copy || other.lock.startHop < from || other.lock.startHop > track.hop,
    );
    this.#unread = this.#unread.filter(
      other => !isSame(this.#otherCopyOf(track), other.copy, other.lock.startHop),
    );
    if (this.#searches.length > 1 && track.copy === 0) {
      this.#superfluous = [...this.#superfluous, this.#otherCopyOf(track)].slice(-TRACKS_MAX);
    }
    this.#events.push({
      kind: 'packet',
      packet: {
        payload,
        startSeconds: this.#startSeconds(track),
        crcValid: true,
        ...counts,
        quality: this.#qualityOf(track, payload.length),
      },
    });
  }

  #lose(reason: LostReason, track: FrameTrack): void {
    this.#events.push({ kind: 'lost', reason, startSeconds: this.#startSeconds(track) });
  }

  #qualityOf(track: FrameTrack, payloadBytes: number) {
    const { tones } = this.#searches[track.copy].copy;
    const samples =
      this.#searches.length * (CHIRP_SAMPLES + frameBits(payloadBytes) * samplesPerSymbol(this.#baud));
    return linkQuality(track.pilotEsN0, {
      baud: this.#baud,
      bandHz: tones.markHz - tones.spaceHz + 2 * this.#baud,
      symbolsPerPayloadBit:
        (samples + RAMP_ENERGY_SAMPLES) / samplesPerSymbol(this.#baud) / (8 * payloadBytes),
      scale: track.lock.scale,
    });
  }

  get #hopSamples(): number {
    return samplesPerSymbol(this.#baud) / HOPS_PER_SYMBOL;
  }

  /** Where the sound of a track's packet begins: the rise before its first chirp. */
  #startSeconds(track: FrameTrack): number {
    const { startHop, scale } = track.lock;
    const before =
      track.copy === 0 || track.payloadBytes === undefined
        ? 0
        : hopsBetweenCopies(track.payloadBytes, this.#baud, scale);
    const { spaceHz, markHz } = this.#searches[track.copy].copy.tones;
    const delaySamples = this.#filter.delaySamplesAt((spaceHz + markHz) / 2);
    const pilotSample = (startHop - before) * this.#hopSamples - delaySamples;
    return Math.max(0, (pilotSample - (CHIRP_SAMPLES + RAMP_SAMPLES) / scale) / PACKET_SAMPLE_RATE_HZ);
  }
}

/** What is no number, or far too large, would stay in the filter for ever. */
function silenceUnreal(samples: Float32Array): void {
  for (let n = 0; n < samples.length; n++) {
    const x = samples[n];
    if (!(x <= SAMPLE_MAX && x >= -SAMPLE_MAX)) samples[n] = 0;
  }
}

function isSame(
  known: { readonly copy: number; readonly startHop: number },
  copy: number,
  startHop: number,
): boolean {
  return known.copy === copy && Math.abs(known.startHop - startHop) < SAME_PILOT_HOPS;
}
