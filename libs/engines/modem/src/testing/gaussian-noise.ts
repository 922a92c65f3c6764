// Taken once: in the context of a test runner every look at a global is slow.
const { abs, exp, imul, log, sqrt } = Math;

const LAYERS = 128;
/** Where the tail begins and the area of a layer, for 128 layers (Marsaglia and Tsang, 2000). */
const TAIL_FROM = 3.442619855899;
const LAYER_AREA = 9.91256303526217e-3;

/** Of each layer: the edge that is inside for sure (as a fraction of 2^31), its width over 2^31, the density at its edge. */
const { inside, width, density } = layers();

/**
 * White normal noise that a seed decides, fast enough for hours of sound: the ziggurat of Marsaglia and Tsang (Journal of
 * Statistical Software 5(8), 2000) over xoshiro128++ (Blackman and Vigna, public domain), whose period of 2^128 no run
 * comes to the end of.
 *
 * @example
 * const noise = new GaussianNoise(7);
 * noise.addTo(samples, 0.01); // standard deviation of a sample
 */
export class GaussianNoise {
  readonly #state: Uint32Array;

  constructor(seed: number) {
    this.#state = new Uint32Array(4);
    // By splitmix32, so that neighbouring seeds have nothing in common.
    for (let i = 0, z = seed >>> 0; i < 4; i++) {
      z = (z + 0x9e3779b9) >>> 0;
      let mixed = imul(z ^ (z >>> 16), 0x21f0aaad);
      mixed = imul(mixed ^ (mixed >>> 15), 0x735a2d97);
      this.#state[i] = (mixed ^ (mixed >>> 15)) >>> 0;
    }
  }

  /** Mean 0, variance 1. */
  next(): number {
    for (;;) {
      const bits = this.#bits();
      const layer = bits & (LAYERS - 1);
      const signed = this.#bits() | 0;
      if (abs(signed) < inside[layer]) return signed * width[layer];
      const outside = this.#nearEdge(layer, signed);
      if (outside !== null) return outside;
    }
  }

  /** The samples become noise of that standard deviation. */
  fill(samples: Float32Array, sigma = 1): Float32Array {
    for (let n = 0; n < samples.length; n++) samples[n] = sigma * this.next();
    return samples;
  }

  /** @returns the same samples, with noise of that standard deviation on them */
  addTo(samples: Float32Array, sigma: number): Float32Array {
    for (let n = 0; n < samples.length; n++) samples[n] += sigma * this.next();
    return samples;
  }

  /** A number beside the curve of its layer: of the tail, taken by its density, or none. */
  #nearEdge(layer: number, signed: number): number | null {
    if (layer === 0) return signed < 0 ? -this.#tail() : this.#tail();
    const x = signed * width[layer];
    const between = density[layer] + this.#uniform() * (density[layer - 1] - density[layer]);
    return between < exp(-0.5 * x * x) ? x : null;
  }

  #tail(): number {
    for (;;) {
      const x = -log(this.#uniform()) / TAIL_FROM;
      const y = -log(this.#uniform());
      if (y + y > x * x) return TAIL_FROM + x;
    }
  }

  /** Above 0, below 1. */
  #uniform(): number {
    return (this.#bits() + 0.5) / 2 ** 32;
  }

  #bits(): number {
    const s = this.#state;
    const sum = (s[0] + s[3]) >>> 0;
    const result = (((sum << 7) | (sum >>> 25)) + s[0]) >>> 0;
    const t = s[1] << 9;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = (s[3] << 11) | (s[3] >>> 21);
    return result;
  }
}

function layers() {
  const inside = new Float64Array(LAYERS);
  const width = new Float64Array(LAYERS);
  const density = new Float64Array(LAYERS);
  let edge = TAIL_FROM;
  // The lowest layer is as wide as a rectangle with its tail's area added.
  const base = LAYER_AREA / exp(-0.5 * edge * edge);
  inside[0] = (edge / base) * 2 ** 31;
  width[0] = base / 2 ** 31;
  density[0] = 1;
  width[LAYERS - 1] = edge / 2 ** 31;
  density[LAYERS - 1] = exp(-0.5 * edge * edge);
  for (let i = LAYERS - 2, above = edge; i >= 1; i--) {
    edge = sqrt(-2 * log(LAYER_AREA / edge + exp(-0.5 * edge * edge)));
    inside[i + 1] = (edge / above) * 2 ** 31;
    width[i] = edge / 2 ** 31;
    density[i] = exp(-0.5 * edge * edge);
    above = edge;
  }
  inside[1] = 0;
  return { inside, width, density };
}
