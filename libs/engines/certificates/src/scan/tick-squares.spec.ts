import { findTickSquares } from './tick-squares.js';

/** At 600 dpi a frame of 100 pixels has 60 × 60 within it that count. */
const [SIDE, INSET, PAGE] = [100, 20, 140];

/** A frame with as many pixels of ink where they count, on a page of its own. */
function squareWith(count: number) {
  const ink = new Uint8Array(PAGE * PAGE);
  const set = (x: number, y: number) => void (ink[(y + 20) * PAGE + x + 20] = 1);
  for (let at = 0; at < SIDE; at++)
    for (let depth = 0; depth < 6; depth++) {
      for (const [x, y] of [
        [at, depth],
        [at, SIDE - 1 - depth],
        [depth, at],
        [SIDE - 1 - depth, at],
      ])
        set(x, y);
    }
  const within = SIDE - 2 * INSET;
  for (let i = 0; i < count; i++) set(INSET + (i % within), INSET + Math.floor(i / within));
  return findTickSquares({ width: PAGE, height: PAGE, ink, dpi: 600 });
}

describe('squares to be ticked', () => {
  // 3.5, 6.25 and 9 % of 3,600.
  test.each([
    [0, false, 0.97],
    [126, false, 0.97],
    [127, false, 0.5],
    [225, false, 0.5],
    [226, true, 0.5],
    [323, true, 0.5],
    [324, true, 0.97],
  ])('with %i pixels of ink: ticked %s, as sure as %f', (count, ticked, confidence) => {
    expect(squareWith(count)).toEqual([{ box: [20, 20, 120, 120], ticked, confidence }]);
  });
});
