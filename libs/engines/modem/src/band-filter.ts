import { PACKET_SAMPLE_RATE_HZ } from './tones.js';

/** Coefficients of one second-order section, a0 = 1. */
interface Biquad {
  readonly b0: number;
  readonly b1: number;
  readonly b2: number;
  readonly a1: number;
  readonly a2: number;
}

export interface BandEdges {
  /** Below this, 3 dB and more are lost. */
  readonly highPassHz: number;
  /** Above this; absent: up to half the sample rate. */
  readonly lowPassHz?: number;
}

/** Order of each Butterworth edge: 48 dB an octave. */
const ORDER = 8;

/**
 * Takes away what lies far off the tones, in place, so that speech 50 dB louder than the packet does not leak into its
 * correlators through the side lobes of their rectangular windows.
 *
 * Source: Butterworth sections by the bilinear transform, R. Bristow-Johnson's audio equaliser cookbook.
 */
export class BandFilter {
  readonly #sections: readonly Biquad[];
  readonly #state: Float64Array;

  constructor({ highPassHz, lowPassHz }: BandEdges) {
    const sections = butterworth('high', highPassHz);
    if (lowPassHz !== undefined) sections.push(...butterworth('low', lowPassHz));
    this.#sections = sections;
    this.#state = new Float64Array(2 * sections.length);
  }

  /** Filters the next samples, in place. */
  process(samples: Float32Array): void {
    this.#sections.forEach(({ b0, b1, b2, a1, a2 }, section) => {
      let s1 = this.#state[2 * section];
      let s2 = this.#state[2 * section + 1];
      for (let n = 0; n < samples.length; n++) {
        const x = samples[n];
        const y = b0 * x + s1;
        s1 = b1 * x - a1 * y + s2;
        s2 = b2 * x - a2 * y;
        samples[n] = y;
      }
      // In silence the state would go on shrinking through denormals, which are slow.
      this.#state[2 * section] = Math.abs(s1) < 1e-30 ? 0 : s1;
      this.#state[2 * section + 1] = Math.abs(s2) < 1e-30 ? 0 : s2;
    });
  }

  /** How many samples later than it went in the envelope of a tone comes out: the group delay. */
  delaySamplesAt(frequencyHz: number): number {
    const w = (2 * Math.PI * frequencyHz) / PACKET_SAMPLE_RATE_HZ;
    return this.#sections.reduce(
      (sum, { b0, b1, b2, a1, a2 }) => sum + polynomialDelay(b0, b1, b2, w) - polynomialDelay(1, a1, a2, w),
      0,
    );
  }
}

/** Group delay of c0 + c1·z⁻¹ + c2·z⁻², samples. */
function polynomialDelay(c0: number, c1: number, c2: number, w: number): number {
  const re = c0 + c1 * Math.cos(w) + c2 * Math.cos(2 * w);
  const im = c1 * Math.sin(w) + c2 * Math.sin(2 * w);
  const rampedRe = c1 * Math.cos(w) + 2 * c2 * Math.cos(2 * w);
  const rampedIm = c1 * Math.sin(w) + 2 * c2 * Math.sin(2 * w);
  return (rampedRe * re + rampedIm * im) / (re * re + im * im);
}

function butterworth(kind: 'high' | 'low', cornerHz: number): Biquad[] {
  const w = (2 * Math.PI * cornerHz) / PACKET_SAMPLE_RATE_HZ;
  const cos = Math.cos(w);
  return Array.from({ length: ORDER / 2 }, (_, section) => {
    const q = 1 / (2 * Math.sin((Math.PI * (2 * section + 1)) / (2 * ORDER)));
    const alpha = Math.sin(w) / (2 * q);
    const a0 = 1 + alpha;
    const edge = kind === 'high' ? 1 + cos : 1 - cos;
    return {
      b0: edge / 2 / a0,
      b1: (kind === 'high' ? -edge : edge) / a0,
      b2: edge / 2 / a0,
      a1: (-2 * cos) / a0,
      a2: (1 - alpha) / a0,
    };
  });
}
