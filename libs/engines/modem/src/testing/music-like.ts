import { SeededRandom } from '@svc/kernels/testing';
import { GaussianNoise } from './gaussian-noise.js';

const { exp, floor, PI, sin } = Math;

const SINE_STEPS = 4_096;
const SINE = Float64Array.from({ length: SINE_STEPS }, (_, n) => sin((2 * PI * n) / SINE_STEPS));
/** A scale of five tones, semitones above its root: whatever is drawn of it sounds together. */
const SCALE = [0, 3, 5, 7, 10];
const VOICES_MAX = 24;

/** A partial of a note, a struck metal or a slide: its frequency may glide. */
interface Voice {
  phase: number;
  hz: number;
  glide: number;
  level: number;
  keep: number;
}

/**
 * Something like music, by a seed and without end: notes of a scale with partials up to 20 kHz, cymbals of inharmonic metal and
 * noise, slides of synthesizers through the band of ultrasound, as a receiver of chirps might take for its own.
 */
export class MusicLike {
  readonly #random: SeededRandom;
  readonly #noise: GaussianNoise;
  #voices: Voice[] = [];
  #hiss = 0;
  #hissBefore = 0;
  #untilBeat = 0;
  #rootHz = 110;

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
      if (this.#untilBeat-- <= 0) this.#beat();
      let sum = 0;
      for (const voice of this.#voices) {
        voice.phase += voice.hz / this.sampleRateHz;
        if (voice.phase >= 1) voice.phase -= floor(voice.phase);
        voice.hz *= voice.glide;
        voice.level *= voice.keep;
        sum += voice.level * SINE[floor(voice.phase * SINE_STEPS)];
      }
      const white = this.#noise.next();
      // What a cymbal hisses is high: the difference of neighbours.
      sum += this.#hiss * (white - this.#hissBefore);
      this.#hissBefore = white;
      this.#hiss *= 0.9997;
      samples[n] = sum;
    }
    return samples;
  }

  #beat(): void {
    const random = this.#random;
    this.#untilBeat = Math.round(random.pick([0.125, 0.25, 0.25, 0.5]) * this.sampleRateHz);
    if (random.chance(0.05)) this.#rootHz = random.logUniform(55, 220);
    this.#voices = this.#voices.filter(
      ({ level, hz }) => level > 1e-4 && hz > 20 && hz < 0.48 * this.sampleRateHz,
    );
    if (random.chance(0.7)) this.#note();
    if (random.chance(0.5)) this.#cymbal();
    if (random.chance(0.15)) this.#slide();
    this.#voices = this.#voices.slice(-VOICES_MAX);
  }

  #note(): void {
    const random = this.#random;
    const pitch = this.#rootHz * 2 ** (random.pick(SCALE) / 12 + random.pick([0, 1, 2, 3]));
    const partials = 1 + floor(random.uniform(2, 8));
    const seconds = random.logUniform(0.1, 1.5);
    for (let k = 1; k <= partials; k++) {
      const hz = pitch * k * (1 + 0.0003 * k * k);
      if (hz < 20_000) this.#add(hz, 0.15 / k, seconds / Math.sqrt(k), 1);
    }
  }

  #cymbal(): void {
    const random = this.#random;
    this.#hiss = random.logUniform(0.01, 0.08);
    for (let k = 0; k < 5; k++)
      this.#add(random.uniform(4_000, 20_500), random.uniform(0.01, 0.05), random.logUniform(0.03, 0.4), 1);
  }

  #slide(): void {
    const random = this.#random;
    const seconds = random.logUniform(0.03, 0.5);
    const ultrasonic = random.chance(0.5);
    const [from, to] = ultrasonic
      ? [random.uniform(18_000, 19_000), random.uniform(18_800, 20_000)]
      : [random.logUniform(200, 4_000), random.logUniform(200, 4_000)];
    this.#add(from, 0.15, 3 * seconds, (to / from) ** (1 / (seconds * this.sampleRateHz)));
  }

  #add(hz: number, level: number, seconds: number, glide: number): void {
    const keep = exp(-6.9 / (seconds * this.sampleRateHz));
    this.#voices.push({ phase: this.#random.uniform(), hz, level, keep, glide });
  }
}
