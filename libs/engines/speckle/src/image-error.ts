/**
 * What is wrong with a picture.
 *
 * - `UNSUPPORTED_TYPE`: no PNG, JPEG, WebP or TIFF
 * - `ANIMATED`, `SEVERAL_PAGES`: more than one picture in the file
 * - `TRAILING_BYTES`, `SECOND_SIGNATURE`: the file is, or may be, something else as well
 * - `TRUNCATED`, `UNDECODABLE`: it ends too early, or its data is damaged
 * - `TOO_MANY_PIXELS`, `TOO_SMALL`: outside the bounds
 * - `REGION_OUTSIDE`, `REGION_TOO_SMALL`: of the region of interest
 */
export type ImageErrorCode =
  | 'UNSUPPORTED_TYPE'
  | 'ANIMATED'
  | 'SEVERAL_PAGES'
  | 'TRAILING_BYTES'
  | 'SECOND_SIGNATURE'
  | 'TRUNCATED'
  | 'UNDECODABLE'
  | 'TOO_MANY_PIXELS'
  | 'TOO_SMALL'
  | 'REGION_OUTSIDE'
  | 'REGION_TOO_SMALL';

/** A picture, or a region of one, that no fingerprint can be read from. */
export class ImageError extends Error {
  override readonly name = 'ImageError';

  /**
   * @param field which input is meant
   * @param bound that was passed, where there is one
   * @param got what was given in its place
   */
  constructor(
    readonly code: ImageErrorCode,
    readonly field: 'image' | 'roi',
    message: string,
    readonly bound?: number,
    readonly got?: number,
  ) {
    super(message);
  }
}
