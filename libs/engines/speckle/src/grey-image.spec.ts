import fc from 'fast-check';
import { copySquare, searchSquareOf, type GreyImage } from './grey-image.js';
import { ImageError } from './image-error.js';

const imageOf = (width: number, height: number): GreyImage => ({
  width,
  height,
  pixels: new Uint8Array(width * height),
});

function faultOf(image: GreyImage, roi?: Parameters<typeof searchSquareOf>[1]) {
  try {
    searchSquareOf(image, roi);
    return undefined;
  } catch (error) {
    if (!(error instanceof ImageError)) throw error;
    return [error.code, error.field, error.bound, error.got];
  }
}

describe('the square that is looked at', () => {
  it('lies in the middle of the region, is at most 512 wide and never leaves it', () => {
    const extent = fc.integer({ min: 256, max: 900 });
    const offset = fc.integer({ min: 0, max: 40 });
    fc.assert(
      fc.property(extent, extent, offset, offset, (width, height, x, y) => {
        const {
          x: left,
          y: top,
          sidePx,
        } = searchSquareOf(imageOf(x + width, y + height), { x, y, width, height });
        expect(sidePx % 4).toBe(0);
        expect(sidePx).toBe(Math.min(512, width & ~3, height & ~3));
        expect(Math.abs(left - x - (width - sidePx) / 2)).toBeLessThan(1);
        expect(Math.abs(top - y - (height - sidePx) / 2)).toBeLessThan(1);
        expect(left).toBeGreaterThanOrEqual(x);
        expect(left + sidePx).toBeLessThanOrEqual(x + width);
        expect(top + sidePx).toBeLessThanOrEqual(y + height);
      }),
      { numRuns: 100 },
    );
  });

  it('copies its pixels row by row', () => {
    const pixels = Uint8Array.from({ length: 300 * 260 }, (_, i) => i % 251);
    const copied = copySquare({ width: 300, height: 260, pixels }, { x: 3, y: 2, sidePx: 256 });
    expect(copied[0]).toBe(pixels[2 * 300 + 3]);
    expect(copied[256 * 256 - 1]).toBe(pixels[257 * 300 + 258]);
  });

  it('refuses pictures and regions that are too small, and regions outside, each with its bound', () => {
    expect(faultOf(imageOf(1, 1))).toEqual(['TOO_SMALL', 'image', 256, 1]);
    expect(faultOf(imageOf(4_000, 255))).toEqual(['TOO_SMALL', 'image', 256, 255]);
    expect(faultOf(imageOf(256, 256))).toBeUndefined();
    const image = imageOf(600, 500);
    expect(faultOf(image, { x: 0, y: 0, width: 255, height: 400 })).toEqual([
      'REGION_TOO_SMALL',
      'roi',
      256,
      255,
    ]);
    expect(faultOf(image, { x: 345, y: 0, width: 256, height: 256 })).toEqual([
      'REGION_OUTSIDE',
      'roi',
      600,
      601,
    ]);
    expect(faultOf(image, { x: 344, y: 245, width: 256, height: 256 })).toEqual([
      'REGION_OUTSIDE',
      'roi',
      500,
      501,
    ]);
    expect(faultOf(image, { x: 344, y: 244, width: 256, height: 256 })).toBeUndefined();
    expect(faultOf(image, { x: -1, y: 0, width: 256, height: 256 })?.[0]).toBe('REGION_OUTSIDE');
    expect(faultOf(image, { x: 0.5, y: 0, width: 256, height: 256 })?.[0]).toBe('REGION_OUTSIDE');
    expect(faultOf(image, { x: NaN, y: 0, width: 256, height: 256 })?.[0]).toBe('REGION_OUTSIDE');
  });

  it('throws where the pixels are not as many as it says', () => {
    expect(() => searchSquareOf({ width: 300, height: 300, pixels: new Uint8Array(5) })).toThrow(RangeError);
  });
});
