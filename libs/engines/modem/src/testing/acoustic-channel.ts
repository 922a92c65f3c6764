import { SeededRandom } from '@svc/kernels/testing';
import { convolve } from './convolve.js';
import { GaussianNoise } from './gaussian-noise.js';
import { drawPhonePart, phoneFilter } from './phone-response.js';
import { PinkNoise } from './pink-noise.js';
import { directToReverberantDb, drawRoomResponse, reverberationSeconds, type Room } from './shoebox-room.js';
import { driftClock, type Motion, scaleTime, swingSource } from './time-scale.js';
import { CODEC_OPTIONS, type CodecQuality, loseToCodec } from './transform-codec.js';

// Taken once: in the context of a test runner every look at a global is slow.
const { abs, max, min } = Math;

/** What happens to sound on its way, each where it is named, in the order of the way: speaker, room, motion, microphone, recorder. */
export interface ChannelConditions {
  /** A phone's speaker and another's microphone, drawn by the seed. */
  readonly phones?: boolean;
  readonly room?: Room;
  /** Of the whole time: motion at a constant speed. */
  readonly dopplerPpm?: number;
  readonly motion?: Motion;
  /** Of the recorder's clock; it wanders by another tenth of that. */
  readonly driftPpm?: number;
  readonly noise?: ChannelNoise;
  /** How far the sound is over full scale when it is recorded; what is beyond is cut. */
  readonly overloadDb?: number;
  readonly codec?: CodecQuality;
  /** Silence before and after, in which noise goes on. */
  readonly paddingSeconds?: number;
}

/** Noise is measured against the packet, before anything weakens it: by its energy for each payload bit, or by its power. */
export type ChannelNoise = { readonly color?: 'white' | 'pink' } & (
  { readonly ebN0Db: number; readonly payloadBits: number } | { readonly snrDb: number }
);

/** What was done, as measured. */
export interface ChannelTruth {
  readonly startSeconds: number;
  readonly noiseSigma: number;
  readonly drrDb?: number;
  readonly rt60Seconds?: number;
  readonly distanceMetres?: number;
  readonly phoneLossDb?: number;
}

export interface ChannelSound {
  readonly samples: Float32Array;
  readonly truth: ChannelTruth;
}

/**
 * What a recorder hears of samples that were played: the same for the same seed.
 *
 * Eb/N0 and SNR are of the sound as it comes to the recorder after speaker, room and motion: its whole energy over the payload
 * bits, and N0 the density of white noise that has as much in each hertz. Pink noise has as much power at all frequencies
 * together as white noise would have, and most of it lies low.
 *
 * @example
 * const { samples, truth } = simulateChannel(modulate(payload), 44_100, { noise: { ebN0Db: 14, payloadBits: 128 } }, 1);
 */
export function simulateChannel(
  played: Float32Array,
  sampleRateHz: number,
  conditions: ChannelConditions,
  seed: number,
): ChannelSound {
  const random = new SeededRandom(seed);
  const way = throughAir(played, sampleRateHz, conditions, random);
  const padding = Math.round((conditions.paddingSeconds ?? 0) * sampleRateHz);
  // A recording begins anywhere within a sample's or a bit's time.
  const before = padding === 0 ? 0 : padding + Math.floor(random.uniform(0, 1_000));
  let samples: Float32Array = new Float32Array(before + way.samples.length + padding);
  samples.set(way.samples, before);
  const noiseSigma = conditions.noise ? sigmaOf(way.samples, conditions.noise) : 0;
  if (conditions.noise) addNoise(samples, conditions.noise.color ?? 'white', noiseSigma, sampleRateHz, seed);
  if (conditions.overloadDb !== undefined) clip(samples, conditions.overloadDb);
  if (conditions.codec) samples = loseToCodec(samples, CODEC_OPTIONS[conditions.codec], sampleRateHz);
  return { samples, truth: { ...way.truth, noiseSigma, startSeconds: before / sampleRateHz } };
}

function throughAir(
  played: Float32Array,
  sampleRateHz: number,
  conditions: ChannelConditions,
  random: SeededRandom,
) {
  let samples = played;
  let truth: Partial<ChannelTruth> = {};
  if (conditions.phones) {
    const filter = phoneFilter([drawPhonePart(random), drawPhonePart(random)], sampleRateHz);
    const heard = convolve(samples, filter);
    truth = { ...truth, phoneLossDb: 10 * Math.log10(energyOf(samples) / energyOf(heard)) };
    samples = heard;
  }
  if (conditions.room) {
    const { response, distanceMetres } = drawRoomResponse(conditions.room, sampleRateHz, random);
    const drrDb = directToReverberantDb(response, sampleRateHz);
    truth = { ...truth, distanceMetres, drrDb, rt60Seconds: reverberationSeconds(response, sampleRateHz) };
    samples = convolve(samples, response);
  }
  if (conditions.dopplerPpm) samples = scaleTime(samples, conditions.dopplerPpm);
  if (conditions.motion) samples = swingSource(samples, conditions.motion, sampleRateHz);
  if (conditions.driftPpm) {
    const wander = { peakPpm: conditions.driftPpm / 10, periodSeconds: 20 };
    samples = driftClock(samples, conditions.driftPpm, wander, sampleRateHz);
  }
  return { samples, truth };
}

/** Standard deviation of a sample of white noise: N0 is twice its square. */
function sigmaOf(samples: Float32Array, noise: ChannelNoise): number {
  const energy = energyOf(samples);
  if ('snrDb' in noise) return Math.sqrt(energy / samples.length / 10 ** (noise.snrDb / 10));
  return noiseSigmaOf(energy, noise.payloadBits, noise.ebN0Db);
}

/** Standard deviation of white noise at which a sound of so much energy (Σ x²) for so many bits has that Eb/N0. */
export function noiseSigmaOf(energy: number, payloadBits: number, ebN0Db: number): number {
  return Math.sqrt(energy / payloadBits / 10 ** (ebN0Db / 10) / 2);
}

/** Σ x². */
export function energyOf(samples: Float32Array): number {
  let energy = 0;
  for (const x of samples) energy += x * x;
  return energy;
}

function addNoise(
  samples: Float32Array,
  color: 'white' | 'pink',
  sigma: number,
  sampleRateHz: number,
  seed: number,
) {
  if (color === 'white') new GaussianNoise(seed).addTo(samples, sigma);
  else new PinkNoise(sampleRateHz, seed).addTo(samples, sigma);
}

/** Cuts what is over full scale, after the loudest sample was brought so far beyond it. */
function clip(samples: Float32Array, overloadDb: number): void {
  let loudest = 0;
  for (const x of samples) loudest = max(loudest, abs(x));
  const gain = 10 ** (overloadDb / 20) / (loudest || 1);
  for (let n = 0; n < samples.length; n++) samples[n] = max(-1, min(1, gain * samples[n]));
}
