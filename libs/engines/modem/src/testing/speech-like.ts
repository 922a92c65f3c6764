import { SeededRandom } from '@svc/kernels/testing';
import { GaussianNoise } from './gaussian-noise.js';

const { cos, exp, PI } = Math;

/** Formants of vowels: hertz of the first four, of a man's voice (Peterson and Barney, JASA 24, 1952, rounded; the fourth assumed). */
const VOWELS = [
  [270, 2_290, 3_010, 3_600],
  [390, 1_990, 2_550, 3_500],
  [530, 1_840, 2_480, 3_500],
  [660, 1_720, 2_410, 3_400],
  [730, 1_090, 2_440, 3_300],
  [570, 840, 2_410, 3_300],
  [440, 1_020, 2_240, 3_200],
  [300, 870, 2_240, 3_200],
] as const;
const BANDWIDTHS_HZ = [60, 90, 140, 200];
/** Of hissing sounds: where their noise is highest; it reaches into ultrasound. */
const FRICATIVES_HZ = [3_500, 5_500, 8_000, 11_000];

type Phone = 'vowel' | 'fricative' | 'burst' | 'pause';

/** A resonance of two poles, as much through at its frequency as at any other. */
class Resonator {
  #a = 0;
  #b = 0;
  #gain = 1;
  #one = 0;
  #two = 0;

  tune(hz: number, widthHz: number, sampleRateHz: number): void {
    const radius = exp((-PI * widthHz) / sampleRateHz);
    this.#a = 2 * radius * cos((2 * PI * hz) / sampleRateHz);
    this.#b = -radius * radius;
    this.#gain = 1 - this.#a - this.#b;
  }

  /** As a resonance of noise: scaled at its top, not at 0 Hz. */
  tuneTop(hz: number, widthHz: number, sampleRateHz: number): void {
    this.tune(hz, widthHz, sampleRateHz);
    this.#gain = (PI * widthHz) / sampleRateHz;
  }

  next(x: number): number {
    const y = this.#gain * x + this.#a * this.#one + this.#b * this.#two;
    this.#two = this.#one;
    this.#one = y;
    return y;
  }
}

/**
 * Something that is heard as speech without words, by a seed and without end: voiced pulses through four formants that change
 * every 60 to 220 ms (Klatt, Software for a cascade/parallel formant synthesizer, JASA 67, 1980, much simplified), hisses and
 * bursts whose noise reaches to half the sample rate, pauses.
 */
export class SpeechLike {
  readonly #random: SeededRandom;
  readonly #noise: GaussianNoise;
  readonly #formants = VOWELS[0].map(() => new Resonator());
  readonly #hiss = new Resonator();
  #phone: Phone = 'pause';
  #left = 0;
  #pitchHz = 120;
  #phase = 0;
  #level = 0;
  #target = 0;

  constructor(
    readonly sampleRateHz: number,
    seed: number,
  ) {
    this.#random = new SeededRandom(seed);
    this.#noise = new GaussianNoise(seed);
  }

  /** The next samples, seldom beyond ± 1. */
  fill(samples: Float32Array): Float32Array {
    for (let n = 0; n < samples.length; n++) {
      if (this.#left-- <= 0) this.#change();
      this.#level += (this.#target - this.#level) * 0.004;
      samples[n] = this.#level * this.#sound();
    }
    return samples;
  }

  #sound(): number {
    if (this.#phone === 'pause') return 0;
    if (this.#phone === 'fricative')
      return 1.5 * this.#hiss.next(this.#noise.next()) + 0.05 * this.#noise.next();
    if (this.#phone === 'burst') return 0.3 * this.#noise.next();
    this.#phase += this.#pitchHz / this.sampleRateHz;
    const closed = this.#phase >= 1;
    if (closed) this.#phase -= 1;
    // A flow that opens slowly and closes at once excites all formants at the closure.
    let y = (closed ? -4 : 0.3 * this.#phase) + 0.01 * this.#noise.next();
    for (const formant of this.#formants) y = formant.next(y);
    return 3 * y;
  }

  #change(): void {
    const random = this.#random;
    const drawn = random.uniform();
    this.#phone = drawn < 0.55 ? 'vowel' : drawn < 0.75 ? 'fricative' : drawn < 0.85 ? 'burst' : 'pause';
    const [shortest, longest] = this.#phone === 'burst' ? [0.004, 0.02] : [0.06, 0.22];
    this.#left = Math.round(random.uniform(shortest, longest) * this.sampleRateHz);
    this.#target = this.#phone === 'pause' ? 0 : random.logUniform(0.15, 0.6);
    if (this.#phone === 'burst') this.#level = this.#target;
    this.#pitchHz = Math.min(300, Math.max(70, this.#pitchHz * random.logUniform(0.85, 1.18)));
    const vowel = random.pick(VOWELS);
    this.#formants.forEach((formant, k) =>
      formant.tune(vowel[k] * random.uniform(0.95, 1.1), BANDWIDTHS_HZ[k], this.sampleRateHz),
    );
    this.#hiss.tuneTop(random.pick(FRICATIVES_HZ), 3_000, this.sampleRateHz);
  }
}
