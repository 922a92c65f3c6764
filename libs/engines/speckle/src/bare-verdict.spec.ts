import { instantiateDsp } from '@svc/kernels';
import { loadDspModule } from '@svc/kernels/node';
import { bareVerdict } from './bare-verdict.js';
import { compareSurface } from './compare-surface.js';
import { extractFingerprint } from './extract-fingerprint.js';
import type { GreyImage } from './grey-image.js';
import { simulateSurface } from './testing/simulated-surface.js';
import { takePicture, type PictureOptions } from './testing/take-picture.js';

const dsp = instantiateDsp(await loadDspModule());
const modality = 'laser_speckle';
const seen = (surface: number, more: Partial<PictureOptions> = {}) =>
  takePicture(simulateSurface(dsp, modality, { seed: surface }), { seed: surface, ...more });
const enrolledOf = (surface: number) => extractFingerprint(dsp, seen(surface), { modality });

/** White squares over the lower half, as many as spoil what is read there. */
function halfSpoilt({ width, height, pixels }: GreyImage): GreyImage {
  const spoilt = pixels.slice();
  for (let row = height / 2 + 16; row < height; row++)
    for (let column = 0; column < width; column++)
      if (row % 8 < 5 && column % 8 < 5) spoilt[row * width + column] = 255;
  return { width, height, pixels: spoilt };
}

describe('the verdict alone', () => {
  const enrolled = enrolledOf(1);

  it.each([
    ['a match', seen(1, { seed: 2, noise: 0.1, shiftXPx: 5, shiftYPx: -3.5 }), 'match'],
    ['a mismatch', seen(2), 'mismatch'],
    ['a match, turned and nearer,', seen(1, { seed: 2, noise: 0.1, rotationDeg: 128, scale: 1.3 }), 'match'],
    ['inconclusive', seen(1, { seed: 2, exposure: 180 }), 'inconclusive'],
  ])('is %s where that is what all figures say', (_what, image, verdict) => {
    expect(bareVerdict(dsp, enrolled, image)).toBe(verdict);
    expect(compareSurface(dsp, enrolled, image).verdict).toBe(verdict);
  });

  it('calls a picture inconclusive by itself, whatever is enrolled', () => {
    const others = Array.from({ length: 5 }, (_, i) => enrolledOf(10 + i));
    // One half is spoilt: whether a patch is found in it or in the other depends on the patch.
    const image = halfSpoilt(seen(30, { sidePx: 508 }));
    const found = others.map(other => compareSurface(dsp, other, image).alignment.shiftYPx);
    expect(Math.max(...found) - Math.min(...found)).toBeGreaterThan(40);
    const bare = new Set(others.map(other => bareVerdict(dsp, other, image)));
    expect(bare.size).toBe(1);
    // Without a surface in the middle nothing is compared at all.
    const flooded = seen(10, { exposure: 180 });
    for (const other of others) expect(bareVerdict(dsp, other, flooded)).toBe('inconclusive');
  });
});
