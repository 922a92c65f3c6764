import type { Box } from '../extracted-certificate.js';
import { componentBoxes } from './components.js';
import { inkShare, type InkPicture } from './grey-picture.js';

/** Sides of a square to be ticked, in points. */
const SIDE_POINTS_MIN = 5.5;
const SIDE_POINTS_MAX = 15;
const SIDES_DIFFER_POINTS_MAX = 1.6;
/** Share of each side of a frame that must be ink: letters have an open or a round side. */
const SIDE_INK_MIN = 0.72;
/** Side of the patch in each corner that must hold ink, in points: a round letter has none there. */
const CORNER_POINTS = 1.1;
/** Ink within the frame: less is empty, more is a tick, and between the two nobody knows. */
const EMPTY_INK_MAX = 0.035;
const TICK_INK_MIN = 0.09;

/** A square on the page, in pixels. */
export interface TickSquare {
  readonly box: Box;
  readonly ticked: boolean;
  readonly confidence: number;
}

/** Share of ink along the darkest line of a band: a frame may lean by a pixel or two. */
function sideInk(
  picture: InkPicture,
  box: Box,
  side: 'left' | 'top' | 'right' | 'bottom',
  band: number,
): number {
  const [left, top, right, bottom] = box;
  const { width, ink } = picture;
  const isUpright = side === 'left' || side === 'right';
  const [from, to] = isUpright ? [top, bottom] : [left, right];
  let count = 0;
  for (let i = from; i < to; i++) {
    for (let depth = 0; depth < band; depth++) {
      const x = isUpright ? (side === 'left' ? left + depth : right - 1 - depth) : i;
      const y = isUpright ? i : side === 'top' ? top + depth : bottom - 1 - depth;
      if (ink[y * width + x] === 1) {
        count++;
        break;
      }
    }
  }
  return count / (to - from);
}

function hasCorners(picture: InkPicture, [left, top, right, bottom]: Box, side: number): boolean {
  return [
    inkShare(picture, left, top, left + side, top + side),
    inkShare(picture, right - side, top, right, top + side),
    inkShare(picture, left, bottom - side, left + side, bottom),
    inkShare(picture, right - side, bottom - side, right, bottom),
  ].every(share => share > 0.3);
}

/** The squares of a page with what is in them: the ink within the frame says whether one is ticked. */
export function findTickSquares(picture: InkPicture): TickSquare[] {
  const pixels = picture.dpi / 72;
  const band = Math.max(2, Math.round(1.4 * pixels));
  return componentBoxes(picture).flatMap(box => {
    const [width, height] = [box[2] - box[0], box[3] - box[1]];
    const [shorter, longer] = [Math.min(width, height), Math.max(width, height)];
    if (shorter < SIDE_POINTS_MIN * pixels || longer > SIDE_POINTS_MAX * pixels) return [];
    if (Math.abs(width - height) > SIDES_DIFFER_POINTS_MAX * pixels) return [];
    const sides = (['left', 'top', 'right', 'bottom'] as const).map(side =>
      sideInk(picture, box, side, band),
    );
    if (Math.min(...sides) < SIDE_INK_MIN) return [];
    const corner = Math.max(2, Math.round(CORNER_POINTS * pixels));
    if (!hasCorners(picture, box, corner)) return [];
    const inset = Math.max(band, 0.2 * width);
    const share = inkShare(picture, box[0] + inset, box[1] + inset, box[2] - inset, box[3] - inset);
    const ticked = share > (EMPTY_INK_MAX + TICK_INK_MIN) / 2;
    const isSure = share <= EMPTY_INK_MAX || share >= TICK_INK_MIN;
    return [{ box, ticked, confidence: isSure ? 0.97 : 0.5 }];
  });
}
