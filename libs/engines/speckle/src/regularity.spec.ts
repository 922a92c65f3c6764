import { instantiateDsp, type Dsp } from '@svc/kernels';
import { loadDspModule } from '@svc/kernels/node';
import { compareSurface, inconclusiveReasonOf } from './compare-surface.js';
import { extractFingerprint } from './extract-fingerprint.js';
import type { GreyImage } from './grey-image.js';
import { MODALITIES, type SpeckleModality } from './modality.js';
import { simulateSurface, takePicture, TEXTURE_CONTRAST } from './testing/index.js';

/** A picture with a woven grid over it, of so many times the deviation of the picture. */
function woven({ width, height, pixels: given }: GreyImage, share: number): GreyImage {
  const pixels = Float32Array.from(given);
  const mean = pixels.reduce((sum, x) => sum + x, 0) / pixels.length;
  const variance = pixels.reduce((sum, x) => sum + (x - mean) ** 2, 0) / pixels.length;
  const amplitude = share * Math.sqrt(variance);
  const thread = Float64Array.from({ length: Math.max(width, height) }, (_, at) =>
    Math.sin((2 * Math.PI * at) / 12),
  );
  const grid = Float32Array.from(pixels, (x, i) => {
    const value = x + amplitude * (thread[i % width] + thread[Math.floor(i / width)]);
    return Math.max(0, Math.min(254, value));
  });
  return { width, height, pixels: grid };
}

describe('the regularity of a picture', () => {
  let dsp: Dsp;
  beforeAll(async () => {
    dsp = instantiateDsp(await loadDspModule());
  });

  const picture = (modality: SpeckleModality, seed: number) => {
    const noise = 0.1 * (modality === 'laser_speckle' ? 1 : TEXTURE_CONTRAST);
    return takePicture(simulateSurface(dsp, modality, { seed }), { seed, noise });
  };

  it.each(MODALITIES)('is small where a surface of %s is random', modality => {
    for (const seed of [31, 32, 33]) {
      const fingerprint = extractFingerprint(dsp, picture(modality, seed), { modality });
      expect(fingerprint.quality.regularity).toBeLessThan(0.22);
      expect(inconclusiveReasonOf(fingerprint)).toBeUndefined();
    }
  });

  it.each(MODALITIES)(
    'keeps two surfaces of %s under one weave from being taken for one another',
    modality => {
      for (const share of [0.5, 1]) {
        const enrolled = extractFingerprint(dsp, woven(picture(modality, 41), share), { modality });
        expect(inconclusiveReasonOf(enrolled)).toBe('REGULAR');
        const other = compareSurface(dsp, enrolled, woven(picture(modality, 42), share));
        expect(other).toMatchObject({ verdict: 'inconclusive', reason: 'REGULAR' });
      }
    },
  );

  it('is 1 of a grid alone, and 0 of nothing', () => {
    const grey = { width: 256, height: 256, pixels: new Float32Array(65_536).fill(100) };
    const { quality } = extractFingerprint(dsp, grey, { modality: 'paper_texture' });
    expect(quality.regularity).toBe(0);
    const noisy = picture('paper_texture', 51);
    const grid = extractFingerprint(dsp, woven(noisy, 20), { modality: 'paper_texture' });
    expect(grid.quality.regularity).toBeGreaterThan(0.9);
  });
});
