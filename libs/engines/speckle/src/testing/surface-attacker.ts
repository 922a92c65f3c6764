import { instantiateDsp } from '@svc/kernels';
import { loadDspModule } from '@svc/kernels/node';
import { SeededRandom } from '@svc/kernels/testing';
import { extractFingerprint } from '../extract-fingerprint.js';
import { bitAt, packBits } from '../fingerprint.js';
import type { GreyImage } from '../grey-image.js';
import { FINGERPRINT_BITS, GRID_POINTS, GRID_STEP_PX, parametersOf, PATCH_PX } from '../modality.js';
import type { Alignment } from '../resample-square.js';
import { pngOf } from './picture-file.js';
import { simulateSurface } from './simulated-surface.js';
import { takePicture } from './take-picture.js';

/** What is told of a picture. */
export interface Told {
  readonly verdict: 'match' | 'mismatch' | 'inconclusive';
  readonly fhd?: number;
  readonly alignment?: ToldAlignment;
}

type ToldAlignment = Omit<Alignment, 'scale'> & Partial<Pick<Alignment, 'scale'>>;

// Taken once: in the context of a test runner every look at a global is slow.
const { max, min, round } = Math;

const modality = 'laser_speckle';
const WIDE_PX = 2 * PATCH_PX;
const FLIPPED_BITS = 48;
const SOLVE_ITERATIONS = 30;
/** Weight of the plain solution beside the answers, for each answer: bits depend on one another, and are not exact. */
const RIDGE = 0.2;

const dsp = instantiateDsp(await loadDspModule());

/**
 * Asks about pictures of other surfaces and about painted ones, to find out what is enrolled: bit by bit by climbing after better
 * answers, and all of it as the least squares over all answers.
 */
export class SurfaceAttacker {
  private readonly random: SeededRandom;
  /** Of each picture that was asked about: 1 and −1 of its bits, 0 where masked, and how alike it is said to be. */
  private readonly asked: { readonly bits: () => Float32Array; readonly likeness: number }[] = [];
  private summit: { readonly bits: Float32Array; readonly likeness: number };
  private others = 0;
  private wide?: { readonly surface: number; readonly quarters: readonly GreyImage[] };

  constructor(
    private readonly ask: (png: Uint8Array, tries: number) => Promise<Told>,
    private readonly seed: number,
  ) {
    this.random = new SeededRandom(seed);
    const bits = Float32Array.from({ length: FINGERPRINT_BITS }, () =>
      this.random.uniform(0, 1) < 0.5 ? -1 : 1,
    );
    this.summit = { bits, likeness: -1 };
  }

  get tries(): number {
    return this.asked.length;
  }

  /** Goes on until a picture is said to match, or so many were tried in all. @returns whether one matched */
  async attack(triesMax: number, solveEvery = 40): Promise<boolean> {
    while (this.tries < triesMax) {
      const verdicts = await Promise.all([this.tryAnother(), this.climb()]);
      if (this.tries % solveEvery < 2) verdicts.push(await this.trySolution());
      if (verdicts.includes('match')) return true;
    }
    return false;
  }

  /** The bits by all that was told. */
  bits(): Uint8Array {
    return packBits(Uint8Array.from(this.solution(), value => (value > 0 ? 1 : 0)));
  }

  private async tryAnother(): Promise<Told['verdict']> {
    const number = this.others++;
    return (await this.try(() => this.another(number))).verdict;
  }

  /** A surface that nobody has seen: a wide picture shows four, which have nothing in common. */
  private another(number: number): GreyImage {
    const seed = 1_000 * this.seed + (number >> 2);
    if (this.wide?.surface !== seed) {
      const surface = simulateSurface(dsp, modality, { seed, sidePx: WIDE_PX });
      this.wide = { surface: seed, quarters: quartersOf(takePicture(surface, { seed: 1, sidePx: WIDE_PX })) };
    }
    return this.wide.quarters[number & 3];
  }

  private async trySolution(): Promise<Told['verdict']> {
    const solution = this.solution();
    return (await this.try(() => paint(solution))).verdict;
  }

  private async climb(): Promise<Told['verdict']> {
    const bits = this.summit.bits.slice();
    for (let i = 0; i < FLIPPED_BITS; i++) bits[Math.floor(this.random.uniform(0, FINGERPRINT_BITS))] *= -1;
    const { verdict, likeness } = await this.try(() => paint(bits));
    if (likeness >= this.summit.likeness) this.summit = { bits, likeness };
    return verdict;
  }

  private async try(picture: () => GreyImage) {
    const shown = picture();
    const { verdict, fhd, alignment } = await this.ask(await pngOf(shown, 0), this.tries);
    const likeness = fhd === undefined ? (verdict === 'match' ? 1 : 0) : 1 - 2 * fhd;
    let bits = likeness === 0 ? undefined : signsOf(shown, alignment);
    this.asked.push({ bits: () => (bits ??= signsOf(picture(), alignment)), likeness });
    return { verdict, likeness };
  }

  /** The smallest x whose likeness to each picture comes nearest to what was told, by conjugate gradients over the answers. */
  private solution(): Float32Array {
    const count = this.asked.length;
    // Nothing follows from answers that are all nought, whatever was asked: so pictures are not read for them.
    if (this.asked.every(({ likeness }) => likeness === 0)) return new Float32Array(FINGERPRINT_BITS);
    const apply = (weights: Float64Array) => {
      const sum = sumOf(this.asked, weights);
      return Float64Array.from(this.asked, ({ bits }, i) => {
        return dot(bits(), sum) / FINGERPRINT_BITS + RIDGE * weights[i];
      });
    };
    const weights = new Float64Array(count);
    const rest = Float64Array.from(this.asked, ({ likeness }) => likeness);
    let way = rest.slice();
    let length = dot(rest, rest);
    for (let step = 0; step < SOLVE_ITERATIONS && length > 1e-12; step++) {
      const image = apply(way);
      const stride = length / dot(way, image);
      for (let i = 0; i < count; i++) {
        weights[i] += stride * way[i];
        rest[i] -= stride * image[i];
      }
      const before = length;
      length = dot(rest, rest);
      way = way.map((value, i) => rest[i] + (length / before) * value);
    }
    return sumOf(this.asked, weights);
  }
}

function signsOf(picture: GreyImage, alignment?: ToldAlignment): Float32Array {
  const { bits, mask } = extractFingerprint(dsp, picture, {
    modality,
    ...(alignment && { alignment: { scale: 1, ...alignment } }),
  });
  const signs = new Float32Array(FINGERPRINT_BITS);
  for (let i = 0; i < FINGERPRINT_BITS; i++) if (bitAt(mask, i)) signs[i] = 2 * bitAt(bits, i) - 1;
  return signs;
}

function dot(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i] * b[i];
  return sum;
}

function sumOf(
  asked: readonly { readonly bits: () => Float32Array }[],
  weights: ArrayLike<number>,
): Float32Array {
  const sum = new Float32Array(FINGERPRINT_BITS);
  asked.forEach(({ bits }, row) => {
    const [signs, weight] = [bits(), weights[row]];
    for (let i = 0; i < FINGERPRINT_BITS; i++) sum[i] += weight * signs[i];
  });
  return sum;
}

/** Its values are even, so that none of its rows is a text by which the file would be refused as something else than a picture. */
function pictureOf(pixels: Uint8Array): GreyImage {
  for (let i = 0; i < pixels.length; i++) pixels[i] &= 0xfe;
  return { width: PATCH_PX, height: PATCH_PX, pixels };
}

function quartersOf({ width, pixels }: GreyImage): GreyImage[] {
  return [0, PATCH_PX, PATCH_PX * width, PATCH_PX * (width + 1)].map(start => {
    const quarter = new Uint8Array(PATCH_PX * PATCH_PX);
    for (let row = 0; row < PATCH_PX; row++) {
      const from = start + row * width;
      quarter.set(pixels.subarray(from, from + PATCH_PX), row * PATCH_PX);
    }
    return pictureOf(quarter);
  });
}

const { centreFrequency, bandwidth } = parametersOf(modality);
const DEVIATION_PX = 1 / (2 * Math.PI * bandwidth);
const REACH_PX = Math.ceil(3 * DEVIATION_PX);
const OFFSETS = Array.from({ length: 2 * REACH_PX + 1 }, (_, i) => i - REACH_PX);
/** One axis of what a filter answers to, along its wave and across. */
const ACROSS = Float64Array.from(OFFSETS, offset => Math.exp(-(offset * offset) / (2 * DEVIATION_PX ** 2)));
const ALONG = Float64Array.from(
  OFFSETS,
  (offset, i) => -Math.sin(2 * Math.PI * centreFrequency * offset) * ACROSS[i],
);

/** A picture with these bits: at each point of the grid what its filter answers to, as strong as it is asked for. */
function paint(bits: Float32Array): GreyImage {
  const plane = new Float64Array(PATCH_PX * PATCH_PX);
  const points = GRID_POINTS * GRID_POINTS;
  addWaves(plane, bits.subarray(0, points), ALONG, ACROSS);
  addWaves(plane, bits.subarray(points), ACROSS, ALONG);
  const deviation = Math.sqrt(dot(plane, plane) / plane.length) || 1;
  const pixels = new Uint8Array(plane.length);
  for (let i = 0; i < plane.length; i++)
    pixels[i] = max(0, min(250, round(110 + (45 * plane[i]) / deviation)));
  return pictureOf(pixels);
}

/** Adds a wave at each point of the grid: line by line along x, and each line then to the rows about it. */
function addWaves(plane: Float64Array, bits: Float32Array, alongX: Float64Array, alongY: Float64Array): void {
  const line = new Float64Array(PATCH_PX);
  for (let point = 0; point < bits.length; point += GRID_POINTS) {
    line.fill(0);
    for (let at = 0; at < GRID_POINTS; at++) {
      const left = GRID_STEP_PX * (1 + at) - REACH_PX;
      for (let i = max(0, -left); i < min(alongX.length, PATCH_PX - left); i++) {
        line[left + i] += bits[point + at] * alongX[i];
      }
    }
    const top = GRID_STEP_PX * (1 + point / GRID_POINTS) - REACH_PX;
    for (let i = max(0, -top); i < min(alongY.length, PATCH_PX - top); i++) {
      for (let x = 0; x < PATCH_PX; x++) plane[(top + i) * PATCH_PX + x] += line[x] * alongY[i];
    }
  }
}
