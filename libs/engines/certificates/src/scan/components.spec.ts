import fc from 'fast-check';
import type { Box } from '../extracted-certificate.js';
import { componentBoxes } from './components.js';

/** Pixel by pixel, each from its neighbours: slow and plain. */
function flooded(width: number, height: number, ink: Uint8Array): Box[] {
  const left = new Set([...ink.keys()].filter(at => ink[at] === 1));
  const boxes: Box[] = [];
  for (const start of [...left]) {
    if (!left.delete(start)) continue;
    const piece = [start];
    for (const at of piece) {
      for (const dy of [-1, 0, 1]) {
        for (const dx of [-1, 0, 1]) {
          const [x, y] = [(at % width) + dx, Math.floor(at / width) + dy];
          if (x >= 0 && x < width && y < height && left.delete(y * width + x)) piece.push(y * width + x);
        }
      }
    }
    const xs = piece.map(at => at % width);
    const ys = piece.map(at => Math.floor(at / width));
    boxes.push([Math.min(...xs), Math.min(...ys), Math.max(...xs) + 1, Math.max(...ys) + 1]);
  }
  return boxes;
}

const picture = fc
  .tuple(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 12 }))
  .chain(([width, height]) =>
    fc
      .array(fc.integer({ min: 0, max: 1 }), { minLength: width * height, maxLength: width * height })
      .map(ink => ({ width, height, dpi: 300, ink: Uint8Array.from(ink) })),
  );

it('puts one box around each piece of ink, corners included, in the order of their first pixels', () => {
  fc.assert(
    fc.property(picture, drawn => {
      expect(componentBoxes(drawn)).toEqual(flooded(drawn.width, drawn.height, drawn.ink));
    }),
  );
});
