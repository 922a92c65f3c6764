import { PACKET_SAMPLE_RATE_HZ } from './tones.js';

// Taken once: in the context of a test runner every look at a global is slow.
const { cos, PI, round, sin } = Math;

/** Largest value of a sample. */
export const PACKET_AMPLITUDE = 0.5;

/**
 * One period of a sine in as many steps as there are samples in a second: a tone of whole Hz then steps through it by whole
 * steps, never drifts, and is the same in every sample on every machine.
 */
const SINE: Float32Array = Float32Array.from(
  { length: PACKET_SAMPLE_RATE_HZ },
  (_, step) => PACKET_AMPLITUDE * sin((2 * PI * step) / PACKET_SAMPLE_RATE_HZ),
);

/** Writes tones and chirps one after the other, the phase going on from each to the next. */
export class PhaseOscillator {
  /** Steps of 1/44,100 of a period. */
  #phase = 0;

  /** Fills `out` with a tone of whole Hz. */
  tone(out: Float32Array, frequencyHz: number): void {
    let phase = this.#phase;
    for (let n = 0; n < out.length; n++) {
      out[n] = SINE[phase];
      phase += frequencyHz;
      if (phase >= PACKET_SAMPLE_RATE_HZ) phase -= PACKET_SAMPLE_RATE_HZ;
    }
    this.#phase = phase;
  }

  /**
   * Fills `out` with a linear chirp: after n of N samples the phase has gone on by from·n + (to − from)·n²/2N steps, rounded.
   * N is even, so that it ends on a whole step.
   */
  chirp(out: Float32Array, fromHz: number, toHz: number): void {
    const half = (toHz - fromHz) / (2 * out.length);
    const stepsAt = (n: number) => round(fromHz * n + half * n * n);
    for (let n = 0; n < out.length; n++) {
      out[n] = SINE[(this.#phase + stepsAt(n)) % PACKET_SAMPLE_RATE_HZ];
    }
    this.#phase = (this.#phase + stepsAt(out.length)) % PACKET_SAMPLE_RATE_HZ;
  }
}

/** Lets a tone rise (or, the other way round, fall) by half a period of a cosine, so that no click is heard. */
export function applyRamp(samples: Float32Array, direction: 'rise' | 'fall'): void {
  const length = samples.length;
  for (let n = 0; n < length; n++) {
    const at = direction === 'rise' ? n : length - 1 - n;
    samples[n] *= 0.5 - 0.5 * cos((PI * (at + 0.5)) / length);
  }
}
