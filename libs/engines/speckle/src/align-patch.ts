import { ComplexFft2d, type Dsp } from '@svc/kernels';
import type { NormalisedSquare } from './local-contrast.js';
import { PATCH_PX, type ModalityParameters } from './modality.js';
import { followedPatch, refineAlignment } from './refine-alignment.js';
import type { Alignment } from './resample-square.js';

// Taken once: in the context of a test runner every look at a global is slow.
const { exp, floor, hypot, PI, round, sqrt } = Math;

/** What was found, and how much was tried for it. */
export interface FoundAlignment extends Alignment {
  /** Alignments among which this is the best: another surface had as many chances to look like this one. */
  readonly tried: number;
}

/** Either way from the enrolled direction. */
export const ROTATION_DEG_MAX = 3;
const ROTATION_STEP_DEG = 0.75;
/** How far the patch may leave the square that is searched; what is outside then is masked. */
const OVERHANG_PX = 48;
/** Candidates that are followed to their peak. */
const CANDIDATES = 3;
/** Every second pixel is looked at while searching: the filters’ band lies well below half the frequency that leaves. */
const STRIDE = 2;
const PLANE = 256;

/** What is looked at of the searched square. */
type SearchedSquare = Pick<NormalisedSquare, 'sidePx' | 'values'>;

interface Candidate extends Alignment {
  readonly height: number;
}

/**
 * Finds the enrolled patch in a fresh picture: phase correlation (Kuglin and Hines 1975) within the band of the filters for
 * every rotation of a bank, then the best of them followed to a small part of a pixel.
 *
 * @param enrolled the 256 × 256 of a {@link Fingerprint}
 * @param fresh the searched square, normalised
 */
export function alignPatch(
  dsp: Dsp,
  enrolled: Float32Array,
  fresh: SearchedSquare,
  parameters: ModalityParameters,
): FoundAlignment {
  const reachPx = (fresh.sidePx - PATCH_PX) / 2 + OVERHANG_PX;
  const rotations = rotationBank();
  const smooth = smoothed(enrolled, PATCH_PX);
  const smoothFresh = smoothed(fresh.values, fresh.sidePx);
  const searched = { sidePx: fresh.sidePx, values: smoothFresh };
  const candidates = searchRotations(dsp, smooth, searched, parameters, { reachPx, rotations });
  const followed = followedPatch(smooth);
  let best: { alignment: Alignment; correlation: number } | undefined;
  for (const candidate of candidates.slice(0, CANDIDATES)) {
    const refined = refineAlignment(followed, smoothFresh, fresh.sidePx, candidate);
    if (!best || refined.correlation > best.correlation) best = refined;
  }
  const { shiftXPx, shiftYPx, rotationDeg } = best?.alignment ?? candidates[0];
  // Every whole pixel of shift counts, and every rotation: more than are independent, so never too few.
  return { shiftXPx, shiftYPx, rotationDeg, tried: rotations.length * (2 * reachPx + 1) ** 2 };
}

function rotationBank(): number[] {
  const steps = round(ROTATION_DEG_MAX / ROTATION_STEP_DEG);
  return Array.from({ length: 2 * steps + 1 }, (_, i) => (i - steps) * ROTATION_STEP_DEG);
}

/** Of two that are {@link smoothed}: the highest point of the correlation for each rotation, the highest of them first. */
function searchRotations(
  dsp: Dsp,
  enrolled: Float32Array,
  fresh: SearchedSquare,
  parameters: ModalityParameters,
  { reachPx, rotations }: { reachPx: number; rotations: readonly number[] },
): Candidate[] {
  const whole = new ComplexFft2d(dsp, PLANE, PLANE);
  const turned = new ComplexFft2d(dsp, PLANE, PLANE);
  const weights = weightsOf(parameters);
  placeDecimated(whole.data, fresh);
  whole.forward();
  const candidates = rotations.map(rotationDeg => {
    placeTurned(turned.data, enrolled, rotationDeg);
    turned.forward();
    multiplyPhases(turned.data, whole.data, weights);
    turned.inverse();
    return { rotationDeg, ...peakOf(turned.data, fresh.sidePx, reachPx) };
  });
  whole.free();
  turned.free();
  return candidates.sort((a, b) => b.height - a.height);
}

/** Mean with the neighbours, 1 2 1 by 1 2 1: what the stride cannot carry is taken out first. */
export function smoothed(square: Float32Array, sidePx: number): Float32Array {
  const rows = new Float32Array(square.length);
  const result = new Float32Array(square.length);
  for (let row = 0; row < sidePx; row++) {
    for (let x = 0; x < sidePx; x++) {
      const at = row * sidePx + x;
      rows[at] = (square[x > 0 ? at - 1 : at] + 2 * square[at] + square[x < sidePx - 1 ? at + 1 : at]) / 4;
    }
  }
  for (let row = 0; row < sidePx; row++) {
    const above = row > 0 ? -sidePx : 0;
    const below = row < sidePx - 1 ? sidePx : 0;
    for (let x = 0; x < sidePx; x++) {
      const at = row * sidePx + x;
      result[at] = (rows[at + above] + 2 * rows[at] + rows[at + below]) / 4;
    }
  }
  return result;
}

function placeDecimated(plane: Float32Array, { values, sidePx }: SearchedSquare): void {
  plane.fill(0);
  for (let row = 0; STRIDE * row < sidePx; row++) {
    for (let column = 0; STRIDE * column < sidePx; column++) {
      plane[2 * (row * PLANE + column)] = values[STRIDE * (row * sidePx + column)];
    }
  }
}

/** The enrolled patch as a picture would show it, were the surface turned by so much. */
function placeTurned(plane: Float32Array, patch: Float32Array, rotationDeg: number): void {
  const angle = (rotationDeg * PI) / 180;
  const cos = Math.cos(angle);
  const sin = Math.sin(angle);
  const middle = (PATCH_PX - 1) / 2;
  plane.fill(0);
  for (let row = 0; row < PATCH_PX / STRIDE; row++) {
    for (let column = 0; column < PATCH_PX / STRIDE; column++) {
      const dx = STRIDE * column - middle;
      const dy = STRIDE * row - middle;
      const x = middle + cos * dx + sin * dy;
      const y = middle - sin * dx + cos * dy;
      plane[2 * (row * PLANE + column)] = linearAt(patch, x, y);
    }
  }
}

/** Between the pixels by lines; nothing outside. */
function linearAt(patch: Float32Array, x: number, y: number): number {
  const left = floor(x);
  const top = floor(y);
  if (left < 0 || top < 0 || left >= PATCH_PX - 1 || top >= PATCH_PX - 1) return 0;
  const u = x - left;
  const v = y - top;
  const at = top * PATCH_PX + left;
  const above = patch[at] + u * (patch[at + 1] - patch[at]);
  const below = patch[at + PATCH_PX] + u * (patch[at + PATCH_PX + 1] - patch[at + PATCH_PX]);
  return above + v * (below - above);
}

const WEIGHTS = new Map<number, Float32Array>();

/** {@link bandWeights}, made once for each modality. */
function weightsOf({ centreFrequency }: ModalityParameters): Float32Array {
  const weights = WEIGHTS.get(centreFrequency) ?? bandWeights(centreFrequency);
  WEIGHTS.set(centreFrequency, weights);
  return weights;
}

/** A ring about the frequency of the filters: outside it there is more noise than surface. */
function bandWeights(centreFrequency: number): Float32Array {
  const weights = new Float32Array(PLANE * PLANE);
  const cyclesAPixel = (k: number) => (k < PLANE / 2 ? k : k - PLANE) / (PLANE * STRIDE);
  for (let row = 0; row < PLANE; row++) {
    for (let column = 0; column < PLANE; column++) {
      const frequency = hypot(cyclesAPixel(column), cyclesAPixel(row));
      weights[row * PLANE + column] = exp(-(((frequency / centreFrequency - 1) / 0.5) ** 2) / 2);
    }
  }
  return weights;
}

/** turned = weight · whole · conj(turned), each brought to length one. */
function multiplyPhases(turned: Float32Array, whole: Float32Array, weights: Float32Array): void {
  for (let i = 0; i < weights.length; i++) {
    const a = whole[2 * i];
    const b = whole[2 * i + 1];
    const c = turned[2 * i];
    const d = turned[2 * i + 1];
    const real = a * c + b * d;
    const imaginary = b * c - a * d;
    const length = sqrt(real * real + imaginary * imaginary);
    const gain = length > 0 ? weights[i] / length : 0;
    turned[2 * i] = gain * real;
    turned[2 * i + 1] = gain * imaginary;
  }
}

/** The highest point within reach, as a shift from the middle of the square. */
function peakOf(correlation: Float32Array, sidePx: number, reachPx: number) {
  const middle = (sidePx - PATCH_PX) / 2;
  const wrapped = (index: number) => ((index % PLANE) + PLANE) % PLANE;
  let peak = { height: -Infinity, shiftXPx: 0, shiftYPx: 0 };
  for (let shiftYPx = -reachPx; shiftYPx <= reachPx; shiftYPx += STRIDE) {
    const row = wrapped((shiftYPx + middle) / STRIDE);
    for (let shiftXPx = -reachPx; shiftXPx <= reachPx; shiftXPx += STRIDE) {
      const height = correlation[2 * (row * PLANE + wrapped((shiftXPx + middle) / STRIDE))];
      if (height > peak.height) peak = { height, shiftXPx, shiftYPx };
    }
  }
  return peak;
}
