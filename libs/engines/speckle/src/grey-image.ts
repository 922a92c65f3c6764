import { ImageError } from './image-error.js';
import { PATCH_PX } from './modality.js';

/** Row by row from the top; 0 is black, 255 white, whatever the depth of the file was. */
export interface GreyImage {
  readonly width: number;
  readonly height: number;
  readonly pixels: Uint8Array | Float32Array;
}

/** Of the picture as it is seen, in pixels. */
export interface RegionOfInterest {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Pixels a side of the square in which an enrolled patch is looked for. */
export const SEARCH_PX_MAX = 512;

/** A square of a picture, wholly inside it. */
export interface ImageSquare {
  readonly x: number;
  readonly y: number;
  readonly sidePx: number;
}

/**
 * The square in the middle of the region of interest (the whole picture where none is said) that is looked at: nothing
 * outside it is ever read. It is 256 to 512 pixels wide, as much as the region gives, in steps of four.
 *
 * The picture is read at its own scale: the fingerprint of a surface keeps only as long as its structure has the same
 * size in pixels, so camera, distance and optics are the caller's to hold.
 *
 * @throws ImageError TOO_SMALL, REGION_OUTSIDE or REGION_TOO_SMALL
 */
export function searchSquareOf(image: GreyImage, roi?: RegionOfInterest): ImageSquare {
  const { width, height, pixels } = image;
  if (pixels.length !== width * height) {
    throw new RangeError(`${width} × ${height} pixels wanted, got ${pixels.length}`);
  }
  if (Math.min(width, height) < PATCH_PX) {
    const message = `the picture must be at least ${PATCH_PX} pixels wide and high, it is ${width} × ${height}`;
    throw new ImageError('TOO_SMALL', 'image', message, PATCH_PX, Math.min(width, height));
  }
  const region = roi ?? { x: 0, y: 0, width, height };
  if (
    ![region.x, region.y, region.width, region.height].every(value => Number.isInteger(value) && value >= 0)
  ) {
    throw new ImageError('REGION_OUTSIDE', 'roi', 'the region of interest must be whole pixels from 0');
  }
  if (Math.min(region.width, region.height) < PATCH_PX) {
    const message = `the region of interest must be at least ${PATCH_PX} pixels wide and high`;
    throw new ImageError('REGION_TOO_SMALL', 'roi', message, PATCH_PX, Math.min(region.width, region.height));
  }
  for (const [end, bound] of [
    [region.x + region.width, width],
    [region.y + region.height, height],
  ]) {
    if (end > bound) {
      const message = `the region of interest ends at ${end}, outside the picture of ${width} × ${height}`;
      throw new ImageError('REGION_OUTSIDE', 'roi', message, bound, end);
    }
  }
  const sidePx = Math.min(SEARCH_PX_MAX, region.width & ~3, region.height & ~3);
  return {
    x: region.x + Math.floor((region.width - sidePx) / 2),
    y: region.y + Math.floor((region.height - sidePx) / 2),
    sidePx,
  };
}

/** The pixels of a square, row by row. */
export function copySquare(image: GreyImage, { x, y, sidePx }: ImageSquare): Float32Array {
  const square = new Float32Array(sidePx * sidePx);
  for (let row = 0; row < sidePx; row++) {
    const start = (y + row) * image.width + x;
    square.set(image.pixels.subarray(start, start + sidePx), row * sidePx);
  }
  return square;
}
