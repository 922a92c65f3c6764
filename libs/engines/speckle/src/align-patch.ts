import type { Dsp } from '@svc/kernels';
import { normaliseContrast, type NormalisedSquare } from './local-contrast.js';
import { PATCH_PX, type ModalityParameters } from './modality.js';
import { clearestWindow, findPoses } from './pose-bank.js';
import { followedPatch, refineAlignment } from './refine-alignment.js';
import { resampleSquare, UNMOVED, type Alignment } from './resample-square.js';

// Taken once: in the context of a test runner every look at a global is slow.
const { abs, hypot, log, max, PI, SQRT1_2 } = Math;

/**
 * Alignments that another surface may be taken for this one in: directions 0.75° apart, scales 1 % apart from 0.67 to 1.46, shifts a
 * pixel apart as far as the bank looks. Fewer are independent: a bit is half turned over by 1.1°, 2 % or 2.5 pixels.
 */
export const ALIGNMENTS_TRIED = 480 * 79 * 313 ** 2;

/** Candidates whose window is followed. */
const CANDIDATES = 4;
/** Of two alignments, at a corner of the patch: within it they are one. */
const APART_PX = 40;
/** About the middle of the window: there half a step of the bank moves less than a third of a period. */
const WINDOW_PX = 64;
/**
 * A window beside the best one is followed no farther where it correlates less, or so much less than the best. Of surfaces that matched it
 * was 0.35 and more, of others 0.24 at most.
 */
const [ALIKE_MIN, ALIKE_SHARE] = [0.25, 0.6];
/** What is seen of the picture about the whole patch while that is followed. */
const UPRIGHT_PX = PATCH_PX + 32;

/**
 * Finds the enrolled patch in a fresh picture, whatever its direction and from 0.7 to 1.4 times as large: by {@link findPoses}, then
 * the best of them followed to a small part of a pixel, first by their window.
 *
 * @param enrolled the 256 × 256 of a {@link Fingerprint}
 * @param square of the fresh picture, as it came
 * @param seen the same, normalised, where that was done
 * @returns the most alike first, and others that are nearly as alike and lie elsewhere; never none
 */
export function alignPatch(
  dsp: Dsp,
  enrolled: Float32Array,
  square: Float32Array,
  sidePx: number,
  parameters: ModalityParameters,
  seen: Pick<NormalisedSquare, 'sidePx' | 'values'> = normaliseContrast(square, sidePx, parameters),
): Alignment[] {
  const smooth = smoothed(enrolled, PATCH_PX);
  const window = clearestWindow(enrolled, smooth);
  const candidates = apart(findPoses(dsp, smooth, window, seen, parameters), CANDIDATES);
  const fresh = smoothed(seen.values, sidePx);
  const near = followedPatch(smooth, WINDOW_PX, window);
  const rough = candidates
    .map(candidate => refineAlignment(near, fresh, sidePx, candidate))
    .sort((a, b) => b.correlation - a.correlation);
  const least = max(ALIKE_MIN, ALIKE_SHARE * rough[0].correlation);
  const alike = rough.slice(1).filter(({ correlation }) => correlation >= least);
  const whole = followedPatch(smooth);
  const found = [rough[0], ...alike].map(({ alignment }) => {
    const upright = uprightAt(square, sidePx, alignment, parameters);
    const refined = refineAlignment(whole, upright, UPRIGHT_PX, UNMOVED);
    return { ...chained(alignment, refined.alignment), correlation: refined.correlation };
  });
  found.sort((a, b) => b.correlation - a.correlation);
  return apart(found, CANDIDATES).map(({ shiftXPx, shiftYPx, rotationDeg, scale }) => ({
    ...{ shiftXPx, shiftYPx, rotationDeg, scale },
  }));
}

/** The first so many of which no two are nearly the same. */
function apart<T extends Alignment>(alignments: readonly T[], count: number): T[] {
  const kept: T[] = [];
  for (const alignment of alignments) {
    if (kept.length >= count) break;
    if (kept.every(other => cornersApart(alignment, other) > APART_PX)) kept.push(alignment);
  }
  return kept;
}

/** How far two alignments put the same corner of the patch apart, in pixels of the patch: at most, and about. */
function cornersApart(a: Alignment, b: Alignment): number {
  const turned = abs(within180(a.rotationDeg - b.rotationDeg)) * (PI / 180);
  const grown = abs(log(a.scale / b.scale));
  const shifted = hypot(a.shiftXPx - b.shiftXPx, a.shiftYPx - b.shiftYPx) / a.scale;
  return shifted + (turned + grown) * PATCH_PX * SQRT1_2;
}

const within180 = (degrees: number) => degrees - 360 * Math.round(degrees / 360);

/** Where the second of two alignments puts a patch in a picture that the first has put upright. */
function chained(first: Alignment, second: Alignment): Alignment {
  const angle = (first.rotationDeg * PI) / 180;
  const [cos, sin] = [first.scale * Math.cos(angle), first.scale * Math.sin(angle)];
  return {
    shiftXPx: first.shiftXPx + cos * second.shiftXPx - sin * second.shiftYPx,
    shiftYPx: first.shiftYPx + sin * second.shiftXPx + cos * second.shiftYPx,
    rotationDeg: within180(first.rotationDeg + second.rotationDeg),
    scale: first.scale * second.scale,
  };
}

/** The picture as the patch would lie in it unmoved, normalised and smoothed; not a number where it has no pixel. */
function uprightAt(
  square: Float32Array,
  sidePx: number,
  alignment: Alignment,
  parameters: ModalityParameters,
): Float32Array {
  const { values, outside } = resampleSquare(square, sidePx, alignment, UPRIGHT_PX);
  const upright = normaliseContrast(values, UPRIGHT_PX, parameters).values;
  for (let i = 0; i < upright.length; i++) if (outside[i]) upright[i] = NaN;
  return smoothed(upright, UPRIGHT_PX);
}

/** Mean with the neighbours, 1 2 1 by 1 2 1: what is left between two pixels is as a line between them. */
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
