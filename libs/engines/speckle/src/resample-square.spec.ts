import fc from 'fast-check';
import { SeededRandom } from '@svc/kernels/testing';
import { PATCH_PX } from './modality.js';
import { cubicAt, resamplePatch, UNMOVED } from './resample-square.js';

const SIDE = 320;
const random = new SeededRandom(8);
const square = Float32Array.from({ length: SIDE * SIDE }, () => random.uniform(0, 255));
const wave = (x: number, y: number) => 100 + 50 * Math.sin(2 * Math.PI * (0.07 * x + 0.05 * y));
const waves = Float32Array.from({ length: SIDE * SIDE }, (_, i) => wave(i % SIDE, Math.floor(i / SIDE)));

describe('reading a patch between the pixels', () => {
  it('copies the middle when nothing moved, and whole pixels exactly', () => {
    const margin = (SIDE - PATCH_PX) / 2;
    for (const [shiftXPx, shiftYPx] of [
      [0, 0],
      [32, -32],
      [-7, 19],
    ]) {
      const { values, outside } = resamplePatch(square, SIDE, { ...UNMOVED, shiftXPx, shiftYPx });
      for (let at = 0; at < values.length; at += 97) {
        const x = margin + shiftXPx + (at % PATCH_PX);
        const y = margin + shiftYPx + Math.floor(at / PATCH_PX);
        expect(values[at]).toBe(square[y * SIDE + x]);
      }
      expect(outside.some(value => value === 1)).toBe(false);
    }
  });

  it('follows shift and rotation as they are defined', () => {
    const angle = fc.double({ min: -3, max: 3, noNaN: true });
    const shift = fc.double({ min: -15, max: 15, noNaN: true });
    fc.assert(
      fc.property(shift, shift, angle, (shiftXPx, shiftYPx, rotationDeg) => {
        const { values } = resamplePatch(waves, SIDE, { shiftXPx, shiftYPx, rotationDeg, scale: 1 });
        const [cos, sin] = [Math.cos((rotationDeg * Math.PI) / 180), Math.sin((rotationDeg * Math.PI) / 180)];
        for (const [column, row] of [
          [0, 0],
          [255, 10],
          [130, 128],
          [12, 250],
        ]) {
          const [dx, dy] = [column - 127.5, row - 127.5];
          const expected = wave(
            159.5 + shiftXPx + cos * dx - sin * dy,
            159.5 + shiftYPx + sin * dx + cos * dy,
          );
          expect(Math.abs(values[row * PATCH_PX + column] - expected)).toBeLessThan(1.5);
        }
      }),
      { numRuns: 40 },
    );
  });

  it('says what lies outside, and goes on with the nearest pixel there', () => {
    const { values, outside } = resamplePatch(square, SIDE, { ...UNMOVED, shiftXPx: 40 });
    for (let column = 0; column < PATCH_PX; column++) {
      expect(outside[100 * PATCH_PX + column]).toBe(column + 32 + 40 > SIDE - 1 ? 1 : 0);
    }
    expect(values[100 * PATCH_PX + 255]).toBe(square[132 * SIDE + SIDE - 1]);
    expect(cubicAt(square, SIDE, -50, -50)).toBe(square[0]);
    expect(cubicAt(square, SIDE, 5_000, 5_000)).toBe(square[SIDE * SIDE - 1]);
  });
});
