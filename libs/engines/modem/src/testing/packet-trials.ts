import type { Dsp } from '@svc/kernels';
import { SeededRandom } from '@svc/kernels/testing';
import { modulate } from '../modulate.js';
import { demodulate } from '../packet-receiver.js';
import type { HeardPacket, LostReason } from '../received-event.js';
import { PACKET_SAMPLE_RATE_HZ, type PacketOptions } from '../tones.js';
import { type ChannelConditions, simulateChannel } from './acoustic-channel.js';

/** One packet through one channel. */
export interface PacketTrial {
  readonly seed: number;
  readonly heard?: HeardPacket;
  /** Packets with anything else than was sent. */
  readonly wrong: number;
  readonly reason?: LostReason;
}

/** A payload that a seed decides. */
export function payloadOf(seed: number, bytes: number): Uint8Array {
  const random = new SeededRandom(seed);
  return Uint8Array.from({ length: bytes }, () => random.uniform(0, 256));
}

/** Sends a payload of the seed through a channel of the seed, half a second of it on either side, and listens. */
export function sendPacket(
  dsp: Dsp,
  options: PacketOptions,
  conditions: ChannelConditions,
  { seed, payloadBytes = 16 }: { readonly seed: number; readonly payloadBytes?: number },
): PacketTrial {
  const payload = payloadOf(seed, payloadBytes);
  const played = modulate(payload, options);
  const channel = { paddingSeconds: 0.5, ...conditions };
  const { samples } = simulateChannel(played, PACKET_SAMPLE_RATE_HZ, channel, seed);
  const { packets, reason } = demodulate(samples, PACKET_SAMPLE_RATE_HZ, options, dsp);
  const heard = packets.find(packet => sameBytes(packet.payload, payload));
  return { seed, heard, wrong: packets.filter(packet => !sameBytes(packet.payload, payload)).length, reason };
}

/** Trials of seeds that follow each other. */
export function sendPackets(
  dsp: Dsp,
  options: PacketOptions,
  conditions: ChannelConditions,
  {
    count,
    seed = 1,
    payloadBytes,
  }: { readonly count: number; readonly seed?: number; readonly payloadBytes?: number },
): { heard: number; wrong: number; lost: PacketTrial[] } {
  const trials = Array.from({ length: count }, (_, n) =>
    sendPacket(dsp, options, conditions, { seed: seed + n, payloadBytes }),
  );
  const lost = trials.filter(({ heard }) => !heard);
  return { heard: count - lost.length, wrong: trials.reduce((sum, { wrong }) => sum + wrong, 0), lost };
}

export function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, at) => byte === b[at]);
}
