import fc from 'fast-check';
import { findRuling } from './ruling.js';

const [WIDTH, HEIGHT, DPI] = [90, 60, 100];
/** 26 points at 100 dpi, a gap of one pixel, and 2.2 points. */
const [RUN, GAP, THICK] = [36, 1, 4];

/** The mask by its definition: every run of a row and of a column, told by the text of its pixels. */
function maskByDefinition(ink: Uint8Array): Uint8Array {
  const mask = new Uint8Array(ink.length);
  const at = (line: number, i: number, isRow: boolean) => (isRow ? line * WIDTH + i : i * WIDTH + line);
  for (const isRow of [true, false]) {
    const [lines, length, across] = isRow ? [HEIGHT, WIDTH, WIDTH] : [WIDTH, HEIGHT, 1];
    for (let line = 0; line < lines; line++) {
      const text = Array.from({ length }, (_, i) => {
        const pixel = at(line, i, isRow);
        return ink[pixel - across] === 1 || ink[pixel] === 1 || ink[pixel + across] === 1 ? '#' : ' ';
      }).join('');
      for (const { 0: run, index } of text.matchAll(new RegExp(`#(?: {0,${GAP}}#)*`, 'g'))) {
        if (run.length <= RUN) continue;
        for (let i = index; i < index + run.length; i++) {
          const pixel = at(line, i, isRow);
          const reach = (step: number) => {
            let n = 0;
            while (n <= THICK && ink[pixel + (n + 1) * step] === 1) n++;
            return n;
          };
          if (1 + reach(-across) + reach(across) > THICK) continue;
          for (const beside of [pixel - across, pixel, pixel + across])
            if (beside >= 0 && beside < mask.length) mask[beside] = 1;
        }
      }
    }
  }
  return mask;
}

/** Bars of all lengths and thicknesses, with gaps, and single pixels. */
const pictures = fc
  .record({
    bars: fc.array(
      fc.tuple(
        fc.nat(WIDTH - 1),
        fc.nat(HEIGHT - 1),
        fc.integer({ min: 1, max: WIDTH }),
        fc.integer({ min: 1, max: 7 }),
        fc.boolean(),
      ),
      { maxLength: 6 },
    ),
    holes: fc.array(fc.nat(WIDTH * HEIGHT - 1), { maxLength: 60 }),
    dots: fc.array(fc.nat(WIDTH * HEIGHT - 1), { maxLength: 60 }),
  })
  .map(({ bars, holes, dots }) => {
    const ink = new Uint8Array(WIDTH * HEIGHT);
    for (const [left, top, long, thick, isFlat] of bars) {
      const [right, bottom] = isFlat ? [left + long, top + thick] : [left + thick, top + long];
      for (let y = top; y < Math.min(bottom, HEIGHT); y++)
        ink.fill(1, y * WIDTH + left, y * WIDTH + Math.min(right, WIDTH));
    }
    for (const dot of dots) ink[dot] = 1;
    for (const hole of holes) ink[hole] = 0;
    return ink;
  });

test('ruled lines are the long thin runs of every row and column, and no others', () => {
  let marked = 0;
  fc.assert(
    fc.property(pictures, ink => {
      const { mask } = findRuling({ width: WIDTH, height: HEIGHT, dpi: DPI, ink });
      expect(Buffer.from(mask).equals(maskByDefinition(ink))).toBe(true);
      marked += mask.includes(1) ? 1 : 0;
    }),
    { numRuns: 300 },
  );
  expect(marked).toBeGreaterThan(100);
});
