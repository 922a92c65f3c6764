import { ComplexFft2d, type Dsp } from '@svc/kernels';
import { packBits, type Fingerprint } from './fingerprint.js';
import { gaborResponses, transformTapered } from './gabor.js';
import { copySquare, searchSquareOf, type GreyImage, type RegionOfInterest } from './grey-image.js';
import { normaliseContrast } from './local-contrast.js';
import {
  FINGERPRINT_BITS,
  GRID_POINTS,
  GRID_STEP_PX,
  parametersOf,
  PATCH_PX,
  type SpeckleModality,
} from './modality.js';
import { regularityOf } from './regularity.js';
import { resamplePatch, UNMOVED, type Alignment } from './resample-square.js';
import { speckleSizeOf } from './speckle-size.js';
import { structureToNoiseOf } from './structure-to-noise.js';

export interface ExtractionOptions {
  readonly modality: SpeckleModality;
  /** The patch is the 256 × 256 pixels in its middle; the whole picture where none is said. */
  readonly roi?: RegionOfInterest;
  /** Where the patch lies, when not in the middle: of {@link alignPatch}. */
  readonly alignment?: Alignment;
}

/** From this on a pixel is white: a camera’s last step, or a 16-bit picture’s last 1/500. */
const WHITE = 254.5;
/** Half the side of the box about a point of the grid that its filters mostly see. */
const SIGHT_PX = 6;
/** Of the pixels in sight: the bit is masked where more are white, flat or outside. */
const SPOILT_SHARE_MAX = 0.25;
/** Of the median answer: a weaker one turns over too easily to be counted. */
const WEAK = 0.1;

/**
 * Reads the fingerprint of a surface out of a picture: 256 × 256 pixels at the picture’s own scale, freed of their illumination,
 * Gabor filters at 31 × 31 points in two directions, the sign of each imaginary part a bit.
 *
 * Pictures of one surface give the same bits as long as direction of the light and, for laser speckle, its wavelength and aperture
 * are the same; shift, rotation and scale are found by {@link alignPatch}.
 *
 * @throws ImageError for a picture or region that is too small or a region outside the picture
 *
 * @example
 * const { bits, quality } = extractFingerprint(dsp, image, { modality: 'laser_speckle' });
 */
export function extractFingerprint(dsp: Dsp, image: GreyImage, options: ExtractionOptions): Fingerprint {
  const square = searchSquareOf(image, options.roi);
  return fingerprintOf(dsp, copySquare(image, square), square.sidePx, options);
}

/** {@link extractFingerprint} of a square that was cut out already. */
export function fingerprintOf(
  dsp: Dsp,
  square: Float32Array,
  sidePx: number,
  { modality, alignment = UNMOVED }: Omit<ExtractionOptions, 'roi'>,
): Fingerprint {
  const parameters = parametersOf(modality);
  const { values, outside } = resamplePatch(square, sidePx, alignment);
  const { values: patch, flat, contrast } = normaliseContrast(values, PATCH_PX, parameters);
  const { spoilt, saturatedPct } = spoiltPixels(values, flat, outside);

  const plane = new ComplexFft2d(dsp, PATCH_PX, PATCH_PX);
  transformTapered(plane, patch);
  const responses = gaborResponses(dsp, plane, parameters);
  const regularity = regularityOf(dsp, plane, parameters);
  const structureToNoise = structureToNoiseOf(plane.data, parameters.centreFrequency);
  const speckleSizePx = speckleSizeOf(plane);
  plane.free();

  const reliability = reliabilities(responses, spoilt);
  const usable = Uint8Array.from(reliability, value => (value > 0 ? 1 : 0));
  return {
    modality,
    bits: packBits(Uint8Array.from(responses, value => (value > 0 ? 1 : 0))),
    mask: packBits(usable),
    bitCount: FINGERPRINT_BITS,
    usableBits: usable.reduce((sum, flag) => sum + flag, 0),
    reliability,
    patch,
    quality: { contrast, speckleSizePx, saturatedPct, regularity, structureToNoise },
  };
}

/** 1 of a pixel that says nothing of the surface. */
function spoiltPixels(values: Float32Array, flat: Uint8Array, outside: Uint8Array) {
  const spoilt = new Uint8Array(values.length);
  let white = 0;
  for (let i = 0; i < values.length; i++) {
    const isWhite = values[i] >= WHITE;
    if (isWhite) white++;
    spoilt[i] = isWhite || flat[i] || outside[i] ? 1 : 0;
  }
  return { spoilt, saturatedPct: (100 * white) / values.length };
}

/** By bit: its answer as a multiple of the median; 0 where too much in sight is spoilt, or where it is weak. */
function reliabilities(responses: Float32Array, spoilt: Uint8Array): Float32Array {
  const magnitudes = responses.map(Math.abs).sort();
  const median = magnitudes[magnitudes.length >> 1];
  const points = GRID_POINTS * GRID_POINTS;
  const clear = Uint8Array.from({ length: points }, (_, point) => {
    const column = GRID_STEP_PX * (1 + (point % GRID_POINTS));
    const row = GRID_STEP_PX * (1 + Math.floor(point / GRID_POINTS));
    return spoiltShareAbout(spoilt, column, row) <= SPOILT_SHARE_MAX ? 1 : 0;
  });
  return responses.map((response, bit) => {
    const magnitude = Math.abs(response);
    return median > 0 && clear[bit % points] && magnitude > WEAK * median ? magnitude / median : 0;
  });
}

function spoiltShareAbout(spoilt: Uint8Array, column: number, row: number): number {
  let count = 0;
  for (let y = row - SIGHT_PX; y <= row + SIGHT_PX; y++) {
    for (let x = column - SIGHT_PX; x <= column + SIGHT_PX; x++) count += spoilt[y * PATCH_PX + x];
  }
  return count / (2 * SIGHT_PX + 1) ** 2;
}
