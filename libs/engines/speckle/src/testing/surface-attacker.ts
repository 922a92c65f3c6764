import { instantiateDsp } from '@svc/kernels';
import { loadDspModule } from '@svc/kernels/node';
import { SeededRandom } from '@svc/kernels/testing';
import { extractFingerprint } from '../extract-fingerprint.js';
import { bitAt, packBits } from '../fingerprint.js';
import type { GreyImage } from '../grey-image.js';
import { FINGERPRINT_BITS, GRID_POINTS, GRID_STEP_PX, parametersOf, PATCH_PX } from '../modality.js';
import type { Alignment } from '../resample-square.js';
import { pngOf, simulatedPicture } from './picture-file.js';

/** What is told of a picture. */
export interface Told {
  readonly verdict: 'match' | 'mismatch' | 'inconclusive';
  readonly fhd?: number;
  readonly alignment?: Alignment;
}

const modality = 'laser_speckle';
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
  private readonly asked: { readonly bits: Float32Array; readonly likeness: number }[] = [];
  private summit: { readonly bits: Float32Array; readonly likeness: number };
  private surface: number;

  constructor(
    private readonly ask: (png: Uint8Array, tries: number) => Promise<Told>,
    seed: number,
  ) {
    this.random = new SeededRandom(seed);
    this.surface = 1_000 * seed;
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
      if (this.tries % solveEvery < 2) verdicts.push((await this.try(paint(this.solution()))).verdict);
      if (verdicts.includes('match')) return true;
    }
    return false;
  }

  /** The bits by all that was told. */
  bits(): Uint8Array {
    return packBits(Uint8Array.from(this.solution(), value => (value > 0 ? 1 : 0)));
  }

  private async tryAnother(): Promise<Told['verdict']> {
    const picture = await simulatedPicture({ surface: this.surface++, seed: 1, sidePx: PATCH_PX });
    return (await this.try(picture)).verdict;
  }

  private async climb(): Promise<Told['verdict']> {
    const bits = this.summit.bits.slice();
    for (let i = 0; i < FLIPPED_BITS; i++) bits[Math.floor(this.random.uniform(0, FINGERPRINT_BITS))] *= -1;
    const { verdict, likeness } = await this.try(paint(bits));
    if (likeness >= this.summit.likeness) this.summit = { bits, likeness };
    return verdict;
  }

  private async try(picture: GreyImage) {
    const { verdict, fhd, alignment } = await this.ask(await pngOf(picture), this.tries);
    const likeness = fhd === undefined ? (verdict === 'match' ? 1 : 0) : 1 - 2 * fhd;
    const { bits, mask } = extractFingerprint(dsp, picture, { modality, ...(alignment && { alignment }) });
    const signs = Float32Array.from({ length: FINGERPRINT_BITS }, (_, i) =>
      bitAt(mask, i) ? 2 * bitAt(bits, i) - 1 : 0,
    );
    this.asked.push({ bits: signs, likeness });
    return { verdict, likeness };
  }

  /** The smallest x whose likeness to each picture comes nearest to what was told, by conjugate gradients over the answers. */
  private solution(): Float32Array {
    const count = this.asked.length;
    const apply = (weights: Float64Array) => {
      const sum = sumOf(this.asked, weights);
      return Float64Array.from(this.asked, ({ bits }, i) => {
        return dot(bits, sum) / FINGERPRINT_BITS + RIDGE * weights[i];
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

function dot(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i] * b[i];
  return sum;
}

function sumOf(asked: readonly { readonly bits: Float32Array }[], weights: ArrayLike<number>): Float32Array {
  const sum = new Float32Array(FINGERPRINT_BITS);
  asked.forEach(({ bits }, row) => {
    for (let i = 0; i < FINGERPRINT_BITS; i++) sum[i] += weights[row] * bits[i];
  });
  return sum;
}

/** A picture with these bits: at each point of the grid what its filter answers to, as strong as it is asked for. */
function paint(bits: Float32Array): GreyImage {
  const { centreFrequency, bandwidth } = parametersOf(modality);
  const deviationPx = 1 / (2 * Math.PI * bandwidth);
  const reachPx = Math.ceil(3 * deviationPx);
  const plane = new Float32Array(PATCH_PX * PATCH_PX);
  const points = GRID_POINTS * GRID_POINTS;
  bits.forEach((bit, i) => {
    const isAlongX = i < points;
    const column = GRID_STEP_PX * (1 + (i % GRID_POINTS));
    const row = GRID_STEP_PX * (1 + Math.floor((i % points) / GRID_POINTS));
    for (let y = Math.max(0, row - reachPx); y <= Math.min(PATCH_PX - 1, row + reachPx); y++) {
      for (let x = Math.max(0, column - reachPx); x <= Math.min(PATCH_PX - 1, column + reachPx); x++) {
        const [dx, dy] = [column - x, row - y];
        const wave = Math.sin(2 * Math.PI * centreFrequency * (isAlongX ? dx : dy));
        plane[y * PATCH_PX + x] += bit * wave * Math.exp(-(dx * dx + dy * dy) / (2 * deviationPx ** 2));
      }
    }
  });
  const deviation = Math.sqrt(dot(plane, plane) / plane.length) || 1;
  const pixels = Uint8Array.from(plane, value =>
    Math.max(0, Math.min(250, Math.round(110 + (45 * value) / deviation))),
  );
  return { width: PATCH_PX, height: PATCH_PX, pixels };
}
