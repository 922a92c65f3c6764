import { SeededRandom } from '@svc/kernels/testing';
import type { GreyImage } from '../grey-image.js';
import type { Alignment } from '../resample-square.js';
import type { SimulatedSurface } from './simulated-surface.js';

// Taken once: in the context of a test runner every look at a global is slow.
const { abs, floor, max, min, PI, round } = Math;

/** How a camera saw the surface. */
export interface PictureOptions extends Partial<Alignment> {
  /** Of the noise, and of what changed in the surface. */
  readonly seed: number;
  /** 384. */
  readonly sidePx?: number;
  /** With the surface as it was at first; 1. */
  readonly correlation?: number;
  /** Standard deviation, as a part of the mean. */
  readonly noise?: number;
  /** Grey value of the mean, of 255: 51 for laser speckle, 128 otherwise. */
  readonly exposure?: number;
  /** By so much of the mean is one side brighter than the middle. */
  readonly gradient?: number;
}

const PICTURE_SEEDS = 0x51ed270b;

/**
 * A picture in 8 bits. The surface moves, turns and comes nearer under the camera, so that new parts of it come in at the edges; between its
 * points it is read by Lanczos’s kernel (a = 3).
 */
export function takePicture(surface: SimulatedSurface, options: PictureOptions): GreyImage {
  const { seed, sidePx = 384, correlation = 1, noise = 0, gradient = 0 } = options;
  const { exposure = surface.modality === 'laser_speckle' ? 51 : 128 } = options;
  // Surfaces are drawn from small seeds: a picture’s noise is none of them.
  const random = new SeededRandom(seed ^ PICTURE_SEEDS);
  const seen = surface.look(correlation, random);
  const moved = movedSquare(seen, surface.sidePx, sidePx, options);
  const pixels = new Uint8Array(sidePx * sidePx);
  for (let row = 0; row < sidePx; row++) {
    for (let column = 0; column < sidePx; column++) {
      const at = row * sidePx + column;
      const light = 1 + gradient * (2 * (column / (sidePx - 1)) - 1);
      const value = exposure * (light * moved[at] + (noise > 0 ? noise * random.gaussian() : 0));
      pixels[at] = max(0, min(255, round(value)));
    }
  }
  return { width: sidePx, height: sidePx, pixels };
}

function movedSquare(
  seen: Float32Array,
  surfacePx: number,
  sidePx: number,
  { shiftXPx = 0, shiftYPx = 0, rotationDeg = 0, scale = 1 }: Partial<Alignment>,
): Float32Array {
  const angle = (rotationDeg * PI) / 180;
  const [cos, sin] = [Math.cos(angle) / scale, Math.sin(angle) / scale];
  const middle = (sidePx - 1) / 2;
  const origin = (surfacePx - sidePx) / 2 + middle;
  const isWhole =
    rotationDeg === 0 && scale === 1 && Number.isInteger(shiftXPx) && Number.isInteger(shiftYPx);
  const moved = new Float32Array(sidePx * sidePx);
  for (let row = 0; row < sidePx; row++) {
    for (let column = 0; column < sidePx; column++) {
      const dx = column - middle - shiftXPx;
      const dy = row - middle - shiftYPx;
      const x = origin + cos * dx + sin * dy;
      const y = origin - sin * dx + cos * dy;
      moved[row * sidePx + column] = isWhole
        ? seen[wrap(y, surfacePx) * surfacePx + wrap(x, surfacePx)]
        : lanczosAt(seen, surfacePx, x, y);
    }
  }
  return moved;
}

const wrap = (index: number, sidePx: number) => index & (sidePx - 1);

const LOBES = 3;
const KERNEL_STEPS = 1_024;
/** The kernel at 1/1,024 of a pixel. */
const KERNEL = Float32Array.from({ length: LOBES * KERNEL_STEPS + 2 }, (_, i) => {
  const x = (PI * i) / KERNEL_STEPS;
  if (i === 0) return 1;
  return i >= LOBES * KERNEL_STEPS ? 0 : (LOBES * Math.sin(x) * Math.sin(x / LOBES)) / (x * x);
});

function lanczosAt(seen: Float32Array, sidePx: number, x: number, y: number): number {
  const left = floor(x);
  const top = floor(y);
  let sum = 0;
  let weights = 0;
  for (let row = top - LOBES + 1; row <= top + LOBES; row++) {
    const down = KERNEL[round(abs(y - row) * KERNEL_STEPS)];
    const start = wrap(row, sidePx) * sidePx;
    for (let column = left - LOBES + 1; column <= left + LOBES; column++) {
      const weight = down * KERNEL[round(abs(x - column) * KERNEL_STEPS)];
      sum += weight * seen[start + wrap(column, sidePx)];
      weights += weight;
    }
  }
  return sum / weights;
}
