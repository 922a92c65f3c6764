import type { Dsp } from '@svc/kernels';
import { PacketReceiver } from '../packet-receiver.js';
import type { HeardPacket } from '../received-event.js';
import { PACKET_SAMPLE_RATE_HZ, type PacketOptions } from '../tones.js';
import { GaussianNoise } from './gaussian-noise.js';
import { JinglingKeys } from './jingling-keys.js';
import { MusicLike } from './music-like.js';
import { PinkNoise } from './pink-noise.js';
import { SpeechLike } from './speech-like.js';

const BLOCK_SAMPLES = 44_100;

/** A sound without end that holds no packet. */
export interface EndlessSound {
  fill(samples: Float32Array): Float32Array;
}

/** Sounds by name, of a seed. */
export const SOUNDS_WITHOUT_PACKETS: Readonly<Record<string, (seed: number) => EndlessSound>> = {
  'white noise': seed => new GaussianNoise(seed),
  'pink noise': seed => {
    const noise = new PinkNoise(PACKET_SAMPLE_RATE_HZ, seed);
    return { fill: samples => noise.addTo(samples.fill(0), 0.1) };
  },
  'speech-like': seed => new SpeechLike(PACKET_SAMPLE_RATE_HZ, seed),
  'music-like': seed => new MusicLike(PACKET_SAMPLE_RATE_HZ, seed),
  'jingling keys': seed => new JinglingKeys(PACKET_SAMPLE_RATE_HZ, seed),
};

/** What a receiver made of hours of sound that holds no packet; memory does not grow with them. */
export function hearWithoutPackets(
  dsp: Dsp,
  options: PacketOptions,
  sound: EndlessSound,
  seconds: number,
): { packets: HeardPacket[]; begun: number; seconds: number } {
  const receiver = new PacketReceiver(dsp, { sampleRateHz: PACKET_SAMPLE_RATE_HZ, ...options });
  const block = new Float32Array(BLOCK_SAMPLES);
  const packets: HeardPacket[] = [];
  let begun = 0;
  for (let second = 0; second < seconds; second++) {
    for (const event of receiver.push(sound.fill(block))) {
      if (event.kind === 'packet') packets.push(event.packet);
      else begun++;
    }
  }
  for (const event of receiver.end()) {
    if (event.kind === 'packet') packets.push(event.packet);
  }
  return { packets, begun, seconds };
}
