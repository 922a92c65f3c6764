import { type Dsp, Resampler } from '@svc/kernels';
import { Async8n1Receiver } from './async8n1-receiver.js';
import { FrameReceiver } from './frame-receiver.js';
import type { LostReason, HeardPacket, ReceivedEvent } from './received-event.js';
import { ModemError, PACKET_SAMPLE_RATE_HZ, type PacketOptions, sampleRateHzMin } from './tones.js';

export interface ReceiverOptions extends PacketOptions {
  /** Of the samples that will be given: at least 2.2 times the mark. */
  readonly sampleRateHz: number;
}

/** Hears packets in samples at 44,100 Hz. */
interface LineReceiver {
  push(samples: Float32Array): ReceivedEvent[];
  end(): ReceivedEvent[];
}

/**
 * Hears packets in sound that comes in chunks of any size: memory and time per second of sound are bounded whatever it is.
 *
 * @example
 * const receiver = new PacketReceiver(dsp, { sampleRateHz: 48_000, baud: 150 });
 * for (const chunk of microphone) for (const event of receiver.push(chunk)) if (event.kind === 'packet') use(event.packet);
 */
export class PacketReceiver {
  readonly #line: LineReceiver;
  readonly #resampler?: Resampler;

  /** @throws ModemError SAMPLE_RATE_TOO_LOW, BAUD, CARRIER, LINE_CODE */
  constructor(dsp: Dsp, { sampleRateHz, ...options }: ReceiverOptions) {
    checkSampleRate(sampleRateHz, options);
    this.#line =
      options.lineCode === 'async8n1' ? new Async8n1Receiver(dsp, options) : new FrameReceiver(options);
    if (sampleRateHz !== PACKET_SAMPLE_RATE_HZ)
      this.#resampler = new Resampler(dsp, sampleRateHz, PACKET_SAMPLE_RATE_HZ);
  }

  /** Takes the next samples and gives what has become certain. */
  push(chunk: Float32Array): ReceivedEvent[] {
    return this.#line.push(this.#resampler ? this.#resampler.process(chunk) : chunk);
  }

  /** Says that no more samples come, and gives the rest. */
  end(): ReceivedEvent[] {
    const rest = this.#resampler ? this.#line.push(this.#resampler.end()) : [];
    this.#resampler?.free();
    return [...rest, ...this.#line.end()];
  }
}

function checkSampleRate(sampleRateHz: number, options: PacketOptions): void {
  const min = sampleRateHzMin(options);
  if (sampleRateHz >= min) return;
  throw new ModemError('SAMPLE_RATE_TOO_LOW', `these tones need a sample rate of at least ${min} Hz`, {
    min,
    got: sampleRateHz,
  });
}

export interface Demodulated {
  readonly packets: HeardPacket[];
  /** Where there is none: how far the one that went farthest came. */
  readonly reason?: LostReason;
}

/** From what went farthest to what did not begin. */
const REASONS: readonly LostReason[] = ['CRC_MISMATCH', 'CUT_OFF', 'WORDS_UNREADABLE', 'HEADER_UNREADABLE'];

/**
 * Hears the packets of a whole recording.
 *
 * @throws ModemError SAMPLE_RATE_TOO_LOW, BAUD, CARRIER
 */
export function demodulate(
  samples: Float32Array,
  sampleRateHz: number,
  options: PacketOptions,
  dsp: Dsp,
): Demodulated {
  const receiver = new PacketReceiver(dsp, { sampleRateHz, ...options });
  const events = [...receiver.push(samples), ...receiver.end()];
  const packets = events.flatMap(event => (event.kind === 'packet' ? [event.packet] : []));
  if (packets.length > 0) return { packets };
  const reasons = new Set(events.flatMap(event => (event.kind === 'lost' ? [event.reason] : [])));
  const none: LostReason = options.lineCode === 'async8n1' ? 'NO_CARRIER' : 'NO_SYNC';
  return { packets, reason: REASONS.find(reason => reasons.has(reason)) ?? none };
}
