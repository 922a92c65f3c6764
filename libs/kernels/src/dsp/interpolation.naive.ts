import { besselI0, kaiserBeta, sincOfBand } from './fir-design.js';

/**
 * The signal between its samples, by definition: Σ x[n]·h(position − n), where h is the low pass of `cutoff` cycles a sample
 * under a Kaiser window of `halfWidth` samples to either side. Silence outside.
 */
export function naiveBetweenSamples(
  samples: ArrayLike<number>,
  position: number,
  filter: { cutoff: number; halfWidth: number; attenuationDb: number },
): number {
  const { cutoff, halfWidth, attenuationDb } = filter;
  const beta = kaiserBeta(attenuationDb);
  let sum = 0;
  for (let n = 0; n < samples.length; n++) {
    const distance = position - n;
    const place = distance / halfWidth;
    if (Math.abs(place) >= 1) continue;
    const window = besselI0(beta * Math.sqrt(1 - place * place)) / besselI0(beta);
    sum += samples[n] * window * sincOfBand(cutoff, distance);
  }
  return sum;
}
