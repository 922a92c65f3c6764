import { RealFft } from '@svc/kernels';
import type { SeededRandom } from '@svc/kernels/testing';

/** Where a recording is made. */
export interface Room {
  /** Time in which its sound dies away by 60 dB. */
  readonly reverberationSeconds: number;
  /** Of the direct sound over all that comes later. */
  readonly directDb: number;
  /** Reflections of walls and table within 25 ms. */
  readonly reflections: readonly { readonly seconds: number; readonly gain: number }[];
}

/** Rooms from furnished to tiled, with the microphone at arm's length. */
export function drawRoom(random: SeededRandom): Room {
  const count = 3 + Math.floor(random.uniform(0, 4));
  return {
    reverberationSeconds: random.uniform(0.15, 0.6),
    directDb: random.uniform(6, 18),
    reflections: Array.from({ length: count }, () => ({
      seconds: random.uniform(0.0008, 0.025),
      gain: random.uniform(0.05, 0.3) * (random.chance(0.5) ? 1 : -1),
    })),
  };
}

/**
 * What a microphone in the room hears: the sound, its early reflections and a tail of noise that dies away (Moorer, About
 * this reverberation business, Computer Music Journal 3, 1979).
 */
export function soundInRoom(
  samples: Float64Array,
  room: Room,
  sampleRateHz: number,
  random: SeededRandom,
): Float64Array {
  const { reverberationSeconds, directDb, reflections } = room;
  const response = new Float64Array(Math.ceil(reverberationSeconds * sampleRateHz));
  const perSample = Math.log(10 ** 3) / (reverberationSeconds * sampleRateHz);
  const diffuseFrom = Math.round(0.005 * sampleRateHz);
  let power = 0;
  for (let n = diffuseFrom; n < response.length; n++) {
    response[n] = random.gaussian() * Math.exp(-perSample * n);
    power += response[n] ** 2;
  }
  const gain = Math.sqrt(10 ** (-directDb / 10) / power);
  for (let n = 0; n < response.length; n++) response[n] *= gain;
  for (const { seconds, gain: echo } of reflections) response[Math.round(seconds * sampleRateHz)] += echo;
  response[0] += 1;
  return convolve(samples, response);
}

/** As long as the samples: what would ring on after their end is cut off. */
function convolve(samples: Float64Array, response: Float64Array): Float64Array {
  const fft = new RealFft(2 ** Math.ceil(Math.log2(samples.length + response.length)));
  const a = fft.forward(samples);
  const b = fft.forward(response);
  for (let i = 0; i < a.length; i += 2) {
    const re = a[i] * b[i] - a[i + 1] * b[i + 1];
    a[i + 1] = a[i] * b[i + 1] + a[i + 1] * b[i];
    a[i] = re;
  }
  return fft.inverse(a).slice(0, samples.length);
}

/** Gain of a phone's microphone by frequency: a few broad bumps and dips, less at the top of hearing. */
export function drawPhoneResponse(random: SeededRandom): (frequencyHz: number) => number {
  const bumps = Array.from({ length: 4 }, () => ({
    octave: Math.log2(random.logUniform(1_500, 20_000)),
    db: random.gaussian(0, 4),
  }));
  const slopeDb = random.uniform(0, 8);
  return frequencyHz => {
    const octave = Math.log2(frequencyHz);
    const db = bumps.reduce((sum, bump) => sum + bump.db * Math.exp(-((octave - bump.octave) ** 2) / 0.3), 0);
    return 10 ** ((db - slopeDb * Math.max(0, octave - Math.log2(8_000))) / 20);
  };
}
