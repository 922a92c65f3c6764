import type { Box } from '../extracted-certificate.js';
import type { GreyPicture } from './grey-picture.js';

/** Side of the square that a letter is brought to, and how much of it stays free. */
const SIDE = 20;
const FREE = 2;

/** The darkness of a letter in a square of its longer side: mean 0, length 1, so that two are as alike as their product is great. */
export type LetterShape = Float32Array;

/** The shape of what is drawn in a box of a picture; `undefined` where that is even. */
export function letterShape(
  { pixels, width, height }: GreyPicture,
  [left, top, right, bottom]: Box,
  paper: number,
): LetterShape | undefined {
  const step = Math.max(right - left, bottom - top) / (SIDE - FREE);
  const samples = Math.max(1, Math.round(step));
  const [middleX, middleY] = [(left + right) / 2, (top + bottom) / 2];
  const shape = new Float32Array(SIDE * SIDE);
  for (let row = 0; row < SIDE; row++) {
    for (let column = 0; column < SIDE; column++) {
      let sum = 0;
      for (let j = 0; j < samples; j++) {
        for (let i = 0; i < samples; i++) {
          const x = Math.floor(middleX + (column - SIDE / 2 + (i + 0.5) / samples) * step);
          const y = Math.floor(middleY + (row - SIDE / 2 + (j + 0.5) / samples) * step);
          if (x >= left && x < right && y >= top && y < bottom && x >= 0 && y >= 0 && x < width && y < height)
            sum += Math.max(0, paper - pixels[y * width + x]);
        }
      }
      shape[row * SIDE + column] = sum / samples ** 2;
    }
  }
  const mean = shape.reduce((sum, value) => sum + value, 0) / shape.length;
  const length = Math.sqrt(shape.reduce((sum, value) => sum + (value - mean) ** 2, 0));
  return length > 0 ? shape.map(value => (value - mean) / length) : undefined;
}

/** Which letter a shape is most like. */
export interface LikeliestLetter {
  readonly letter: string;
  /** From −1 to 1. */
  readonly likeness: number;
  /** How much less it is like any other letter. */
  readonly margin: number;
}

/** @param samples shapes of each letter that it may be, in several fonts */
export function likeliestLetter(
  shape: LetterShape,
  samples: ReadonlyMap<string, readonly LetterShape[]>,
): LikeliestLetter | undefined {
  const likeness = (sample: LetterShape) => sample.reduce((sum, value, at) => sum + value * shape[at], 0);
  const [best, next] = [...samples]
    .map(([letter, own]) => ({ letter, likeness: Math.max(-1, ...own.map(likeness)) }))
    .sort((a, b) => b.likeness - a.likeness);
  return best && { ...best, margin: best.likeness - (next?.likeness ?? -1) };
}
