import { createCanvas } from '@napi-rs/canvas';
import { greyOf } from '../scan/grey-picture.js';
import { letterShape, likeliestLetter } from '../scan/letter-shape.js';
import { seededRandom } from '../testing/index.js';
import { letterSamples } from './letter-samples.js';

const random = seededRandom(5);
/** Letters as a pen draws them, in a square of 1: of no font. */
const STROKES: Readonly<Record<string, readonly (readonly [number, number])[][]>> = {
  A: [[[0, 1], [0.5, 0], [1, 1]], [[0.2, 0.65], [0.8, 0.65]]], // prettier-ignore
  C: [[[0.95, 0.2], [0.6, 0], [0.2, 0.15], [0, 0.5], [0.2, 0.85], [0.6, 1], [0.95, 0.8]]], // prettier-ignore
  E: [[[0.85, 0], [0, 0], [0, 1], [0.85, 1]], [[0, 0.5], [0.75, 0.5]]], // prettier-ignore
  F: [[[0.85, 0], [0, 0], [0, 1]], [[0, 0.5], [0.7, 0.5]]], // prettier-ignore
  X: [[[0, 0], [1, 1]], [[1, 0], [0, 1]]], // prettier-ignore
  Y: [[[0, 0], [0.5, 0.5], [1, 0]], [[0.5, 0.5], [0.5, 1]]], // prettier-ignore
  N: [[[0, 1], [0, 0], [1, 1], [1, 0]]], // prettier-ignore
};

/** What a letter of so many pixels is most like, on noisy paper and a little askew. */
function judged(letter: string, letters: string, height: number) {
  const canvas = createCanvas(2 * height, 2 * height);
  const context = canvas.getContext('2d');
  context.fillStyle = '#eee';
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.translate(height / 2, height / 2);
  context.rotate(0.03 * (random.next() - 0.5));
  context.lineWidth = height / 8;
  for (const [[x, y], ...rest] of STROKES[letter]) {
    context.beginPath();
    context.moveTo(0.8 * height * x, height * y);
    for (const [toX, toY] of rest) context.lineTo(0.8 * height * toX, height * toY);
    context.stroke();
  }
  const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
  const picture = greyOf(data, canvas.width, canvas.height, 300);
  const pixels = picture.pixels.map(level => Math.max(0, Math.min(255, level + 8 * random.normal())));
  const ink = [...pixels.keys()].filter(at => pixels[at] < 130);
  const [xs, ys] = [ink.map(at => at % canvas.width), ink.map(at => Math.floor(at / canvas.width))];
  const box = [Math.min(...xs), Math.min(...ys), Math.max(...xs) + 1, Math.max(...ys) + 1] as const;
  const shape = letterShape({ ...picture, pixels }, box, 238);
  return likeliestLetter(shape!, letterSamples(letters))!;
}

it.each([...'XYN'])('%s is told from the others by its shape, at every size that pages have', letter => {
  for (const height of [16, 24, 36]) {
    const { letter: found, likeness, margin } = judged(letter, 'XYN', height);
    expect([height, found, likeness > 0.6, margin > 0.1]).toEqual([height, letter, true, true]);
  }
});

it.each([...'ACEF'])('%s is taken for no other letter of insurers, or left open', letter => {
  for (const height of [24, 36]) {
    const { letter: found, margin } = judged(letter, 'ABCDEF', height);
    expect([height, found === letter || margin < 0.1]).toEqual([height, true]);
  }
});

it('an even piece of paper has no shape', () => {
  const paper = { width: 20, height: 20, pixels: new Uint8Array(400).fill(240), dpi: 300 };
  expect(letterShape(paper, [2, 2, 18, 18], 240)).toBeUndefined();
});
