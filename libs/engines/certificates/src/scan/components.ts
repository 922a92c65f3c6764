import type { Box } from '../extracted-certificate.js';
import type { InkPicture } from './grey-picture.js';

/** Runs of ink in rows, and which run each hangs together with: the first of its piece has itself. */
class Runs {
  private readonly boxes: [number, number, number, number][] = [];
  private readonly parents: number[] = [];

  /** @returns the number of the new run */
  add(left: number, right: number, row: number): number {
    this.boxes.push([left, row, right, row + 1]);
    return this.parents.push(this.parents.length) - 1;
  }

  join(a: number, b: number): void {
    const [first, second] = [this.first(a), this.first(b)];
    if (first !== second) this.parents[Math.max(first, second)] = Math.min(first, second);
  }

  /** A box around each piece, in the order of their first pixels. */
  pieces(): Box[] {
    const found: Box[] = [];
    for (const [run, [left, top, right, bottom]] of this.boxes.entries()) {
      const first = this.first(run);
      const piece = this.boxes[first];
      if (first === run) found.push(piece);
      else {
        piece[0] = Math.min(piece[0], left);
        piece[1] = Math.min(piece[1], top);
        piece[2] = Math.max(piece[2], right);
        piece[3] = Math.max(piece[3], bottom);
      }
    }
    return found;
  }

  left(run: number): number {
    return this.boxes[run][0];
  }

  right(run: number): number {
    return this.boxes[run][2];
  }

  private first(run: number): number {
    let at = run;
    while (this.parents[at] !== at) at = this.parents[at] = this.parents[this.parents[at]];
    return at;
  }
}

/** Boxes around each piece of ink that hangs together, also by its corners. */
export function componentBoxes({ width, height, ink }: InkPicture): Box[] {
  const runs = new Runs();
  // Runs of the row above are numbered from `above` to `current`, those of this row from `current` on.
  let [above, current, next] = [0, 0, 0];
  for (let y = 0; y < height; y++) {
    [above, current] = [current, next];
    let candidate = above;
    // Of this row alone: a search in the whole picture would run through all the white below, from every row of it.
    const row = ink.subarray(y * width, (y + 1) * width);
    for (let left = row.indexOf(1); left !== -1;) {
      let right = left + 1;
      while (right < width && row[right] === 1) right++;
      const run = runs.add(left, right, y);
      next = run + 1;
      while (candidate < current && runs.right(candidate) < left) candidate++;
      for (let i = candidate; i < current && runs.left(i) <= right; i++) runs.join(i, run);
      left = row.indexOf(1, right);
    }
  }
  return runs.pieces();
}
