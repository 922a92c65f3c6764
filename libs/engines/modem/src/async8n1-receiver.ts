import { bandPassTaps, type Dsp, FirFilter, ToneIntegrator } from '@svc/kernels';
import { async8n1Symbols, CHARACTER_BITS, checkAsync8n1 } from './async8n1.js';
import {
  fitAt,
  hearCharacter,
  type HeardCharacter,
  type Line,
  windowMagnitudes,
} from './async8n1-character.js';
import { Async8n1Search, type FoundStart, HOPS_PER_BIT } from './async8n1-search.js';
import { type HeardPacket, linkQuality, type ReceivedEvent } from './received-event.js';
import { ToneHistory } from './tone-history.js';
import {
  type Baud,
  baudOf,
  PACKET_SAMPLE_RATE_HZ,
  type PacketOptions,
  PAYLOAD_BYTES_MAX,
  samplesPerSymbol,
  type TonePair,
  tonesOf,
} from './tones.js';

/** How far from its frequency a tone is looked for: Doppler at 19 kHz of a walk, and more. */
const OFFSET_HZ_MAX = 110;
const LOG2_HOPS_KEPT = 13;
/** So much rest after a character ends the packet. */
const REST_BITS_MAX = 12;
/** A line is gone when a character's worth of it has less than this part of the amplitude. */
const GONE_PART = 0.4;
/** Marks of one line are all at least this part of the loudest. */
const STEADY_PART = 0.4;
/** What a start bit found after rest has to fit by, and the whole character. */
const START_FIT_MIN = 0.2;
const CHARACTER_FIT_MIN = 0.4;
/** A start bit expected here may be lost to noise; one that is clearly mark is rest, whatever the bits after it look like. */
const START_FIT_DOUBTED = -0.5;
/** Above this a character is taken where it was expected, without a look around. */
const SURE_FIT = 0.7;
const WORDS_MAX = 2 * PAYLOAD_BYTES_MAX;
/** A packet with more double errors than this part of its words is none. */
const DOUBLE_ERROR_PART_MAX = 0.25;
/** Nor is one whose symbols have less energy than this, by the density of what else is heard: nearly every bit would be a guess. */
const ES_N0_MIN = 3;
/** Steps towards what each character shows: of timing (hops), of the offset, of amplitudes. */
const TIMING_GAIN = 0.5;
const OFFSET_GAIN = 0.2;
const AMPLITUDE_GAIN = 0.25;

/** A packet that is being heard. */
interface Reception {
  line: Line;
  /** Where the next character is expected. */
  next: number;
  /** Where the line came to rest: the end of the last character. */
  restFrom: number;
  /** Where its sound began. */
  onset: number;
  /** Not before this a start bit is looked for, once the line has come to rest. */
  huntFrom?: number;
  nibbles: number[];
  correctedWords: number;
  doubleErrorWords: number;
  worstSyndrome: number;
  signalEnergy: number;
  otherEnergy: number;
  radians: number;
}

/**
 * Hears packets of the line code async8n1: characters of eight bits with start and stop bit, which any FSK modem may have sent. It
 * waits for a bit of rest and two words of the code, then follows timing, frequency and the fading of each tone from
 * character to character; rest between characters may be of any length below 12 bits. A packet ends by longer rest, or with its
 * carrier. The chunks that samples come in make no difference.
 */
export class Async8n1Receiver {
  readonly #tones: TonePair;
  readonly #baud: Baud;
  readonly #filter: FirFilter;
  readonly #integrator: ToneIntegrator;
  readonly #offsets: readonly number[];
  readonly #hopSamples: number;
  #history = new ToneHistory(LOG2_HOPS_KEPT);
  #search: Async8n1Search;
  #reception?: Reception;

  /** @throws ModemError for options that no packet has */
  constructor(dsp: Dsp, options: PacketOptions) {
    checkAsync8n1(options);
    this.#tones = tonesOf(options);
    this.#baud = baudOf(options);
    const sampleRateHz = PACKET_SAMPLE_RATE_HZ;
    const { spaceHz, markHz } = this.#tones;
    const side = 2 * this.#baud + OFFSET_HZ_MAX;
    const taps = bandPassTaps(spaceHz - side, markHz + side, {
      sampleRateHz,
      transitionHz: 700,
      attenuationDb: 60,
    });
    this.#filter = new FirFilter(dsp, taps);
    this.#hopSamples = samplesPerSymbol(this.#baud) / HOPS_PER_BIT;
    this.#integrator = new ToneIntegrator(dsp, {
      sampleRateHz,
      frequenciesHz: [spaceHz, markHz],
      hopSamples: this.#hopSamples,
    });
    const step = this.#baud / 4;
    const steps = Math.ceil((OFFSET_HZ_MAX - step / 2) / step);
    this.#offsets = Array.from({ length: 2 * steps + 1 }, (_, i) => this.#radiansPerHop((i - steps) * step));
    this.#search = this.#searchFrom(0);
  }

  /** Takes the next samples, mono at 44,100 Hz; @returns what they bring to an end */
  push(samples: Float32Array): ReceivedEvent[] {
    const events: ReceivedEvent[] = [];
    const sums = this.#integrator.process(this.#filter.process(samples));
    // Hop by hop, so that nothing depends on how many come at once.
    for (let at = 0; at < sums.length; at += 4) {
      this.#history.push(sums, at);
      this.#advance(events);
    }
    return events;
  }

  /** After the last sample: what is still open. It must not be used after. */
  end(): ReceivedEvent[] {
    const silenceBits = 3 * CHARACTER_BITS + REST_BITS_MAX;
    const silence = new Float32Array(
      Math.ceil(silenceBits * samplesPerSymbol(this.#baud) + 2 * this.#filter.delaySamples),
    );
    const events = this.push(silence);
    if (this.#reception) this.#finish(this.#reception, events);
    this.#filter.free();
    this.#integrator.free();
    return events;
  }

  #radiansPerHop(offsetHz: number): number {
    return (2 * Math.PI * offsetHz * this.#hopSamples) / PACKET_SAMPLE_RATE_HZ;
  }

  /** Of both tones by the mean of their frequencies: what moves or drifts shifts each by the same part. */
  #scaleOf(radiansPerHop: number): number {
    const offsetHz = (radiansPerHop * PACKET_SAMPLE_RATE_HZ) / (2 * Math.PI * this.#hopSamples);
    return 1 + (2 * offsetHz) / (this.#tones.markHz + this.#tones.spaceHz);
  }

  #searchFrom(hop: number): Async8n1Search {
    return new Async8n1Search(this.#history, hop, this.#offsets);
  }

  #advance(events: ReceivedEvent[]): void {
    if (!this.#reception) {
      const found = this.#search.find();
      if (!found || !this.#isSteady(found)) return;
      this.#reception = this.#begin(found);
    }
    while (this.#reception && this.#step(this.#reception, events));
  }

  /**
   * Whether the rest and both stop bits are of one level. Where a line comes to rest out of noise, noise may look like the first
   * character, and rest like the second.
   */
  #isSteady({ hop, radiansPerHop }: FoundStart): boolean {
    const line: Line = { radiansPerHop, bitHops: HOPS_PER_BIT, amplitudes: [1, 1] };
    const marks = [-1, CHARACTER_BITS - 1, 2 * CHARACTER_BITS - 1].map(
      bit => windowMagnitudes(this.#history, line, hop + bit * HOPS_PER_BIT)[1],
    );
    return Math.min(...marks) >= STEADY_PART * Math.max(...marks);
  }

  /** Learns amplitudes and offset from the two characters that were found, before any is decoded for good. */
  #begin({ hop, radiansPerHop }: FoundStart): Reception {
    const line: Line = { radiansPerHop, bitHops: HOPS_PER_BIT, amplitudes: [1, 1] };
    const rest = windowMagnitudes(this.#history, line, hop - HOPS_PER_BIT)[1];
    line.amplitudes = [rest, rest];
    for (let pass = 0; pass < 3; pass++) {
      const first = hearCharacter(this.#history, line, hop);
      const second = hearCharacter(this.#history, line, hop + CHARACTER_BITS * line.bitHops);
      this.#turn(line, (first.offsetLeft + second.offsetLeft) / 2);
      line.amplitudes = [0, 1].map(tone => meanOf([first.amplitudes[tone], second.amplitudes[tone]])) as [
        number,
        number,
      ];
    }
    return {
      line,
      next: hop,
      restFrom: hop,
      onset: this.#onset(line, hop),
      nibbles: [],
      correctedWords: 0,
      doubleErrorWords: 0,
      worstSyndrome: 0,
      signalEnergy: 0,
      otherEnergy: 0,
      radians: 0,
    };
  }

  #turn(line: Line, radiansPerHop: number): void {
    const most = this.#radiansPerHop(OFFSET_HZ_MAX + this.#baud / 8);
    line.radiansPerHop = Math.min(Math.max(line.radiansPerHop + radiansPerHop, -most), most);
    line.bitHops = HOPS_PER_BIT / this.#scaleOf(line.radiansPerHop);
  }

  /** Back from the first start bit as far as the mark before it reaches. */
  #onset(line: Line, start: number): number {
    let onset = start - HOPS_PER_BIT;
    const { oldest } = this.#history;
    while (onset > oldest && windowMagnitudes(this.#history, line, onset - 1)[1] >= line.amplitudes[1] / 2) {
      onset--;
    }
    // The window that holds half of what it may begins half a bit before the sound does.
    return Math.max(0, onset === oldest ? onset : onset + line.bitHops / 2);
  }

  /** One character, or one hop of rest; @returns whether there may be more to do with the hops that have come */
  #step(reception: Reception, events: ReceivedEvent[]): boolean {
    const { line } = reception;
    const from = reception.huntFrom ?? reception.next;
    // A bit to look ahead at, for the best place of a start bit and its late neighbour.
    if (this.#history.count < from + (CHARACTER_BITS + 1.5) * line.bitHops) return false;
    if (this.#isGone(line, from) || from - reception.restFrom > REST_BITS_MAX * line.bitHops) {
      this.#finish(reception, events);
      return false;
    }
    if (reception.huntFrom !== undefined) return this.#hunt(reception, reception.huntFrom);
    const heard = hearCharacter(this.#history, line, reception.next);
    const isSure = heard.aboveRest > 0 && heard.fit >= SURE_FIT && heard.startFit >= START_FIT_DOUBTED;
    if (isSure) this.#take(reception, reception.next, heard);
    else if (heard.aboveRest <= 0 || heard.startFit <= START_FIT_DOUBTED) {
      reception.huntFrom = reception.next - line.bitHops / 2;
    } else {
      // Noise; or part of a bit of rest came before this start bit.
      const best = this.#bestFrom(line, reception.next - line.bitHops / 8);
      const isBetter = best.heard.fit > heard.fit;
      this.#take(reception, isBetter ? best.at : reception.next, isBetter ? best.heard : heard);
    }
    if (reception.nibbles.length < WORDS_MAX) return true;
    this.#finish(reception, events);
    return false;
  }

  #isGone(line: Line, from: number): boolean {
    let most = 0;
    for (let bit = 0; bit < 3; bit++) {
      const [space, mark] = windowMagnitudes(this.#history, line, from + bit * line.bitHops);
      most = Math.max(most, space / line.amplitudes[0], mark / line.amplitudes[1]);
    }
    return most < GONE_PART;
  }

  /** Looks for a start bit at one hop of a line at rest, and takes the best place of the bit that follows. */
  #hunt(reception: Reception, at: number): boolean {
    const { line } = reception;
    const [spaceAmplitude, markAmplitude] = line.amplitudes;
    const [space, mark] = windowMagnitudes(this.#history, line, at);
    const bias = (markAmplitude ** 2 - spaceAmplitude ** 2) / 2;
    reception.huntFrom = at + 1;
    if (spaceAmplitude * space + bias <= markAmplitude * mark) return true;
    const best = this.#bestFrom(line, at);
    const { startFit, fit } = best.heard;
    if (startFit >= START_FIT_MIN && fit >= CHARACTER_FIT_MIN) this.#take(reception, best.at, best.heard);
    return true;
  }

  /** Within a bit from `at` on. */
  #bestFrom(line: Line, at: number): { heard: HeardCharacter; at: number } {
    let best = { heard: hearCharacter(this.#history, line, at), at };
    for (let hop = at + 1; hop < at + line.bitHops; hop++) {
      const heard = hearCharacter(this.#history, line, hop);
      if (heard.fit > best.heard.fit) best = { heard, at: hop };
    }
    return best;
  }

  #take(reception: Reception, at: number, heard: HeardCharacter): void {
    const { line } = reception;
    const early = fitAt(this.#history, line, at - 1, heard.nibble);
    const here = fitAt(this.#history, line, at, heard.nibble);
    const late = fitAt(this.#history, line, at + 1, heard.nibble);
    const bend = early - 2 * here + late;
    // The top of the parabola through the three; where they have none, towards the higher.
    const top = bend < 0 ? (early - late) / (2 * bend) : Math.sign(late - early);
    const timing = at + TIMING_GAIN * Math.min(Math.max(top, -1), 1);
    this.#turn(line, OFFSET_GAIN * heard.offsetLeft);
    heard.amplitudes.forEach((amplitude, tone) => {
      if (amplitude > 0) line.amplitudes[tone] += AMPLITUDE_GAIN * (amplitude - line.amplitudes[tone]);
    });
    reception.next = timing + CHARACTER_BITS * line.bitHops;
    reception.restFrom = reception.next;
    reception.huntFrom = undefined;
    reception.nibbles.push(heard.nibble);
    if (heard.status === 'corrected') reception.correctedWords++;
    if (heard.status === 'double-error') reception.doubleErrorWords++;
    reception.worstSyndrome = worseSyndrome(reception.worstSyndrome, heard.syndrome);
    reception.signalEnergy += heard.signalEnergy;
    reception.otherEnergy += heard.otherEnergy;
    reception.radians += line.radiansPerHop;
  }

  #finish(reception: Reception, events: ReceivedEvent[]): void {
    this.#reception = undefined;
    this.#search = this.#searchFrom(Math.floor(reception.restFrom));
    const startSeconds = Math.max(0, this.#secondsOf(reception.onset));
    const words = reception.nibbles.length;
    const isReadable =
      words >= 2 &&
      reception.doubleErrorWords <= DOUBLE_ERROR_PART_MAX * words &&
      reception.signalEnergy >= (1 + ES_N0_MIN) * reception.otherEnergy;
    if (isReadable) events.push({ kind: 'packet', packet: this.#packet(reception, startSeconds) });
    else events.push({ kind: 'lost', reason: 'WORDS_UNREADABLE', startSeconds });
  }

  #packet(reception: Reception, startSeconds: number): HeardPacket {
    const { nibbles, correctedWords, doubleErrorWords } = reception;
    const payload = new Uint8Array(nibbles.length >> 1).map(
      (_, i) => (nibbles[2 * i] << 4) | nibbles[2 * i + 1],
    );
    const { signalEnergy, otherEnergy } = reception;
    return {
      payload,
      startSeconds,
      codewords: nibbles.length,
      correctedWords,
      doubleErrorWords,
      secdedSyndrome: reception.worstSyndrome,
      quality: linkQuality(
        Math.max(0, signalEnergy - otherEnergy) / Math.max(otherEnergy, Number.MIN_VALUE),
        {
          baud: this.#baud,
          bandHz: this.#tones.markHz - this.#tones.spaceHz + 2 * this.#baud,
          symbolsPerPayloadBit: async8n1Symbols(nibbles.length, this.#baud) / (8 * payload.length),
          scale: this.#scaleOf(reception.radians / nibbles.length),
        },
      ),
    };
  }

  #secondsOf(hop: number): number {
    return (hop * this.#hopSamples - this.#filter.delaySamples) / PACKET_SAMPLE_RATE_HZ;
  }
}

/** A double error is worse than one put right, which is worse than none. */
function worseSyndrome(one: number, other: number): number {
  const badness = (syndrome: number) => (syndrome === 0 ? 0 : syndrome >= 8 ? 1 : 2);
  return badness(other) > badness(one) ? other : one;
}

function meanOf(values: readonly number[]): number {
  const known = values.filter(value => value > 0);
  return known.length === 0 ? 0 : known.reduce((sum, value) => sum + value, 0) / known.length;
}
