import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import {
  type AdmittedWork,
  CARRIER_HZ_MIN,
  type DemodulateReply,
  type DemodulateRequest,
  type HeardPacket as HeardPacketReply,
  type ModulateReply,
  type ModulateRequest,
  SOUND_SECONDS_MAX,
} from '@svc/contracts';
import { type HeardPacket, type PacketOptions, type PacketPlan, planPacket } from '@svc/modem';
import { type HeardRecording, type MadePacket, PacketThreads } from '@svc/modem/node';
import { MeasurementRegistry, unprocessable } from '@svc/platform';
import { soundProblem } from './sound-problem.js';
import { workOfHearing, workOfMaking } from './sound-work.js';

type Channel = Omit<DemodulateRequest, 'recordingBase64'>;

/** The service's figures of `GET /health`, each with the reason while there is none. */
export const ACOUSTIC_MEASUREMENTS = {
  acousticListeningRealTimeFactor: 'no recording of a second or more has been listened to since the start',
} as const;

/** Recordings from which the speed counts: a shorter one says more of how listening begins. */
const SECONDS_MIN = 1;

/** Packets that one answer tells of. */
const PACKETS_MAX = 64;

/** Makes packets and listens to recordings, in threads. */
@Injectable()
export class SoundService implements OnApplicationShutdown {
  constructor(
    private readonly threads: PacketThreads,
    private readonly measurements: MeasurementRegistry,
  ) {}

  /** @throws ProblemError UNPROCESSABLE where it cannot be sent, or its sound is too long to be sent back; OVERLOADED */
  admitModulate(
    request: ModulateRequest,
    withWav: boolean,
  ): AdmittedWork & Pick<PacketPlan, 'durationSeconds'> {
    const plan = this.planOf(request, withWav);
    this.requireRoom('make');
    const { durationSeconds } = plan;
    return { durationSeconds, ...workOfMaking(plan, { isSent: withWav || request.includeWav }) };
  }

  /** Whether a sound would be made, or heard, now. @throws ProblemError OVERLOADED */
  requireRoom(to: 'make' | 'hear'): void {
    orProblem(() => this.threads.requireRoom(to));
  }

  private planOf(request: ModulateRequest, withWav: boolean): PacketPlan {
    const options = optionsOf(request);
    const plan = orProblem(() => planPacket(bytesOf(request.payloadHex).length, options));
    const isAsked = withWav || request.includeWav;
    if (isAsked && plan.durationSeconds > SOUND_SECONDS_MAX) {
      const got = plan.durationSeconds.toFixed(1);
      const message = `audio of at most ${SOUND_SECONDS_MAX} s is sent back, and this lasts ${got} s: ask without it, or send fewer bytes or more baud`;
      throw unprocessable('payloadHex', message, { bound: String(SOUND_SECONDS_MAX), got });
    }
    return plan;
  }

  /** @throws ProblemError as {@link admitModulate} */
  async modulate(request: ModulateRequest, withWav: boolean): Promise<ModulateReply> {
    this.planOf(request, withWav);
    const made = await this.make(
      bytesOf(request.payloadHex),
      optionsOf(request),
      withWav || request.includeWav,
    );
    const { sampleRateHz: sampleRate, durationSeconds, spaceHz, markHz, baud } = made;
    const { frameBits, codewords, sha256, wav } = made;
    return {
      ...{ sampleRate, durationSeconds, spaceHz, markHz, baud, frameBits, codewords, sha256 },
      ...(wav && { wav }),
    };
  }

  /** The sound of a packet. @throws ProblemError UNPROCESSABLE, OVERLOADED */
  async make(payload: Uint8Array, options: PacketOptions, withWav: boolean): Promise<MadePacket> {
    return this.threads.make(payload, options, { withWav }).catch(rethrown);
  }

  /** @throws ProblemError UNPROCESSABLE for a recording that cannot be listened to; OVERLOADED */
  async admitDemodulate(channel: Channel, recording: Uint8Array): Promise<AdmittedWork> {
    const read = await this.threads.read(recording, optionsOf(channel)).catch(rethrown);
    this.requireRoom('hear');
    return workOfHearing(read);
  }

  /** @throws ProblemError as {@link admitDemodulate} */
  async demodulate(channel: Channel, recording: Uint8Array): Promise<DemodulateReply> {
    const { packets, reason, sampleRateHz, durationSeconds } = await this.hear(recording, optionsOf(channel));
    const told = packets.slice(0, PACKETS_MAX).map(packet => toldPacket(packet, channel.lineCode));
    const [first] = told;
    return {
      decoded: first !== undefined,
      ...(first === undefined && { reason: reason ?? 'NO_SYNC' }),
      ...(first && {
        ...{ payloadHex: first.payloadHex, correctedWords: first.correctedWords, quality: first.quality },
        ...(first.crcValid !== undefined && { crcValid: first.crcValid }),
      }),
      ...{ packets: told, sampleRate: sampleRateHz, durationSeconds },
    };
  }

  /** Every packet of a recording. @throws ProblemError as {@link admitDemodulate} */
  async hear(recording: Uint8Array, options: PacketOptions): Promise<HeardRecording> {
    const heard = await this.threads.hear(recording, options).catch(rethrown);
    const speed = realTimeFactor(heard);
    if (speed !== undefined) this.measurements.record('acousticListeningRealTimeFactor', speed);
    return heard;
  }

  onApplicationShutdown(): Promise<void> {
    return this.threads.close();
  }
}

/** @throws ProblemError UNPROCESSABLE for a carrier of the other band */
function optionsOf({ frequencyBand, carrierHz, baud, profile, lineCode }: Channel): PacketOptions {
  const isUltrasonic = frequencyBand === 'ultrasonic_19khz';
  if (!isUltrasonic && carrierHz !== undefined && carrierHz !== CARRIER_HZ_MIN) {
    throw unprocessable('carrierHz', 'is of ultrasonic_19khz alone: audible_fsk has its two tones', {
      got: String(carrierHz),
    });
  }
  const carrier = isUltrasonic && carrierHz !== undefined ? { carrierHz } : {};
  return { frequencyBand, baud, profile, lineCode, ...carrier };
}

const bytesOf = (hex: string): Uint8Array => Uint8Array.from(Buffer.from(hex.replace(/^0x/, ''), 'hex'));

/** What an answer says of a packet. */
function toldPacket(packet: HeardPacket, lineCode: Channel['lineCode']): HeardPacketReply {
  const { payload, startSeconds, crcValid, codewords, correctedWords, doubleErrorWords } = packet;
  return {
    payloadHex: `0x${Buffer.from(payload).toString('hex')}`,
    startSeconds,
    ...(lineCode === 'frame' && { crcValid }),
    ...{ codewords, correctedWords, doubleErrorWords, secdedSyndrome: packet.secdedSyndrome },
    quality: packet.quality,
  };
}

function rethrown(error: unknown): never {
  throw soundProblem(error);
}

function orProblem<Value>(work: () => Value): Value {
  try {
    return work();
  } catch (error) {
    throw soundProblem(error);
  }
}

/** Seconds of sound that one second of a thread listens to; undefined for a recording that says little of it. */
function realTimeFactor({ durationSeconds, listenMs }: HeardRecording): number | undefined {
  if (durationSeconds < SECONDS_MIN || listenMs <= 0) return undefined;
  return (1_000 * durationSeconds) / listenMs;
}
