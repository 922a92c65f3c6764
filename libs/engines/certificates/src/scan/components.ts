import type { Box } from '../extracted-certificate.js';
import type { InkPicture } from './grey-picture.js';

/** Boxes around each piece of ink that hangs together, also by its corners. */
export function componentBoxes({ width, height, ink }: InkPicture): Box[] {
  const seen = new Uint8Array(ink.length);
  const boxes: Box[] = [];
  const stack: number[] = [];
  for (let start = 0; start < ink.length; start++) {
    if (ink[start] === 0 || seen[start] === 1) continue;
    let [left, right, top, bottom] = [width, 0, height, 0];
    stack.push(start);
    seen[start] = 1;
    while (stack.length > 0) {
      const at = stack.pop()!;
      const y = Math.floor(at / width);
      const x = at - y * width;
      if (x < left) left = x;
      if (x > right) right = x;
      if (y < top) top = y;
      if (y > bottom) bottom = y;
      for (let dy = -1; dy <= 1; dy++) {
        for (let dx = -1; dx <= 1; dx++) {
          const [nx, ny] = [x + dx, y + dy];
          const next = ny * width + nx;
          if (nx < 0 || ny < 0 || nx >= width || ny >= height || ink[next] === 0 || seen[next] === 1)
            continue;
          seen[next] = 1;
          stack.push(next);
        }
      }
    }
    boxes.push([left, top, right + 1, bottom + 1]);
  }
  return boxes;
}
