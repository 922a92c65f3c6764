import { type Recording, type RecordingBounds, RecordingError, requireWithin } from './recording.js';

/**
 * The louder channel of a sound, and how much of it is clipped: added up, two microphones a hand apart cancel a mode of 3 kHz.
 *
 * @param samplesOf one channel, counted from 0; asked for one after the other, so that two are kept at most
 * @throws RecordingError SILENT | CLIPPED
 */
export function loudestChannel(
  channels: number,
  samplesOf: (channel: number) => Float32Array,
  { silenceAmplitude, clippedFractionMax }: RecordingBounds,
): Pick<Recording, 'samples' | 'clippedFraction'> {
  let loudest: Float32Array | undefined;
  let loudestPower = -1;
  for (let channel = 0; channel < channels; channel++) {
    const samples = samplesOf(channel);
    const { power, amplitude } = loudness(samples);
    if (amplitude < silenceAmplitude || power <= loudestPower) continue;
    loudest = samples;
    loudestPower = power;
  }
  if (!loudest) {
    const bound = { field: 'amplitude', min: silenceAmplitude };
    throw new RecordingError('SILENT', 'nothing is heard in the recording', bound);
  }
  const clippedFraction = clippedShare(loudest);
  requireWithin('CLIPPED', 'clippedFraction', clippedFraction, { max: clippedFractionMax });
  return { samples: loudest, clippedFraction };
}

// Samples are counted through: `for … of` over millions of them takes twenty times as long.

/** Power around the mean, and the farthest from it: a constant is no sound. */
function loudness(samples: Float32Array): { power: number; amplitude: number } {
  let sum = 0;
  for (let i = 0; i < samples.length; i++) sum += samples[i];
  const mean = sum / samples.length;
  let power = 0;
  let high = -Infinity;
  let low = Infinity;
  for (let i = 0; i < samples.length; i++) {
    const x = samples[i];
    power += (x - mean) ** 2;
    if (x > high) high = x;
    if (x < low) low = x;
  }
  const amplitude = Math.max(high - mean, mean - low);
  return { power, amplitude };
}

/** A wave's top is round; two neighbours within so much of the loudest value are flat. */
const FLAT_SHARE = 2 ** -12;

/** Share of the samples that lie beside one another at the largest or the smallest value. */
function clippedShare(samples: Float32Array): number {
  let high = -Infinity;
  let low = Infinity;
  for (let i = 0; i < samples.length; i++) {
    const x = samples[i];
    if (x > high) high = x;
    if (x < low) low = x;
  }
  // Nothing of a constant is at its top more than elsewhere.
  if (!(high > low)) return 0;
  const tolerance = FLAT_SHARE * Math.max(high, -low);
  let clipped = 0;
  let run = 0;
  let side = 0;
  for (let i = 0; i < samples.length; i++) {
    const x = samples[i];
    const here = x >= high - tolerance ? 1 : x <= low + tolerance ? -1 : 0;
    run = here === side && here !== 0 ? run + 1 : here === 0 ? 0 : 1;
    side = here;
    // The third in a row brings the two before it along: a tone of 18 kHz has no three at its top by itself.
    if (run === 3) clipped += 3;
    else if (run > 3) clipped++;
  }
  return clipped / samples.length;
}
