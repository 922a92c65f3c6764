import { instantiateDsp, type Dsp } from '@svc/kernels';
import { loadDspModule } from '@svc/kernels/node';
import sharp from 'sharp';
import type { GreyImage } from '../grey-image.js';
import type { SpeckleModality } from '../modality.js';
import { simulateSurface } from './simulated-surface.js';
import { takePicture, type PictureOptions } from './take-picture.js';

/** Which surface, and how it was seen. */
export interface PictureFileOptions extends Partial<PictureOptions> {
  /** Of the surface; `seed` is the picture's. */
  readonly surface: number;
  readonly modality?: SpeckleModality;
}

let dsp: Promise<Dsp> | undefined;

/**
 * A picture of a simulated surface as a PNG of 8 bits grey. The same options give the same bytes.
 *
 * @example
 * const again = await pictureFile({ surface: 1, seed: 2, noise: 0.1, shiftXPx: 3 });
 */
export async function pictureFile(options: PictureFileOptions): Promise<Uint8Array> {
  return pngOf(await simulatedPicture(options));
}

/** The pixels of {@link pictureFile}. */
export async function simulatedPicture({
  surface,
  modality = 'laser_speckle',
  ...picture
}: PictureFileOptions): Promise<GreyImage> {
  dsp ??= loadDspModule().then(instantiateDsp);
  const sidePx = 2 ** Math.ceil(Math.log2(Math.max(512, (picture.sidePx ?? 0) + 1)));
  const simulated = simulateSurface(await dsp, modality, { seed: surface, sidePx });
  return takePicture(simulated, { seed: surface, ...picture });
}

/** Grey pixels as a file. @param compressionLevel 0 to 9: how hard the same pixels are packed */
export async function pngOf(
  { width, height, pixels }: GreyImage,
  compressionLevel?: number,
): Promise<Uint8Array> {
  const raw = { width, height, channels: 1 } as const;
  const picture = sharp(Uint8Array.from(pixels), { raw }).toColourspace('b-w');
  return new Uint8Array(await picture.png({ compressionLevel }).toBuffer());
}
