import { instantiateDsp } from '@svc/kernels';
import { loadDspModule } from '@svc/kernels/node';
import { SeededRandom } from '@svc/kernels/testing';
import { ALIGNMENTS_TRIED } from './align-patch.js';
import {
  compareFingerprints,
  compareSurface,
  fractionalHammingDistance,
  inconclusiveReasonOf,
  isMostlyNoise,
  type EnrolledSurface,
} from './compare-surface.js';
import { extractFingerprint } from './extract-fingerprint.js';
import { matchThreshold } from './false-match.js';
import { type Fingerprint, packBits } from './fingerprint.js';
import type { GreyImage } from './grey-image.js';
import { FINGERPRINT_BITS, GRID_POINTS, MODALITIES, parametersOf, type SpeckleModality } from './modality.js';
import { packPatch, unpackPatch } from './patch-codec.js';
import { simulateSurface, TEXTURE_CONTRAST, type SimulatedSurface } from './testing/simulated-surface.js';
import { takePicture, type PictureOptions } from './testing/take-picture.js';

const IS_FULL = process.env.SUITE_TIER === 'long';
const SURFACES = IS_FULL ? 24 : 2;
const PICTURES = IS_FULL ? 3 : 1;

const dsp = instantiateDsp(await loadDspModule());
const noiseOf = (modality: SpeckleModality, noise: number) =>
  modality === 'laser_speckle' ? noise : TEXTURE_CONTRAST * noise;
const surfacesOf = (modality: SpeckleModality, count: number, firstSeed: number, sidePx = 512) =>
  Array.from({ length: count }, (_, i) => simulateSurface(dsp, modality, { seed: firstSeed + i, sidePx }));

/** As it is kept: the patch in a byte a pixel. */
function enrol(surface: SimulatedSurface, options: Partial<PictureOptions> = {}): EnrolledSurface {
  const picture = takePicture(surface, { seed: 1, noise: noiseOf(surface.modality, 0.05), ...options });
  const { modality, bits, mask, patch } = extractFingerprint(dsp, picture, { modality: surface.modality });
  return { modality, bits, mask, patch: unpackPatch(packPatch(patch)) };
}

/**
 * Bits at other points of the grid, by whole rows of each direction: as far from another surface's as before, and so another
 * sample of how far two surfaces are apart.
 */
function rolled(packed: Uint8Array, rows: number): Uint8Array {
  const half = GRID_POINTS * GRID_POINTS;
  const bits = Array.from({ length: FINGERPRINT_BITS }, (_, i) => {
    const from = i < half ? 0 : half;
    const at = from + ((i - from + rows * GRID_POINTS) % half);
    return (packed[at >> 3] >> (7 - (at & 7))) & 1;
  });
  return packBits(bits);
}

/** What a hand and a camera do: any direction, shift and scale within bounds, noise, a slanting light, a surface that has aged. */
function retaken(surface: SimulatedSurface, seed: number): { image: GreyImage; options: PictureOptions } {
  const random = new SeededRandom(seed);
  const options = {
    seed,
    noise: noiseOf(surface.modality, random.uniform(0.05, 0.15)),
    correlation: random.uniform(0.85, 1),
    gradient: random.uniform(-0.4, 0.4),
    shiftXPx: random.uniform(-60, 60),
    shiftYPx: random.uniform(-60, 60),
    rotationDeg: random.uniform(-180, 180),
    scale: random.uniform(0.72, 1.38),
  };
  return { image: takePicture(surface, options), options };
}

describe.each(MODALITIES)('surfaces of %s', modality => {
  const surfaces = surfacesOf(modality, SURFACES, 300);
  const enrolled = surfaces.map(surface => enrol(surface));

  it('are found again wherever they lie, to a part of a pixel', () => {
    surfaces.forEach((surface, i) => {
      for (let picture = 0; picture < PICTURES; picture++) {
        const { image, options } = retaken(surface, 1_000 * i + picture);
        const answer = compareSurface(dsp, enrolled[i], image);
        expect(answer.verdict).toBe('match');
        expect(answer.falseMatchProbability).toBeLessThan(1e-30);
        expect(Math.abs(answer.alignment.shiftXPx - (options.shiftXPx ?? 0))).toBeLessThan(0.35);
        expect(Math.abs(answer.alignment.shiftYPx - (options.shiftYPx ?? 0))).toBeLessThan(0.35);
        expect(Math.abs(answer.alignment.rotationDeg - (options.rotationDeg ?? 0))).toBeLessThan(0.15);
        expect(Math.abs(answer.alignment.scale / (options.scale ?? 1) - 1)).toBeLessThan(0.003);
      }
    });
  });

  it('are not taken for one another, in the best of all alignments', () => {
    surfaces.forEach((surface, i) => {
      for (let picture = 1; picture <= PICTURES; picture++) {
        const { image } = retaken(surface, 2_000 * i + picture);
        const answer = compareSurface(dsp, enrolled[(i + picture) % SURFACES], image);
        expect(answer.verdict).toBe('mismatch');
        expect(answer.fhd).toBeGreaterThan(answer.threshold + 0.03);
        expect(answer.falseMatchProbability).toBeGreaterThan(1e-6);
      }
    });
  });

  it('are as far apart as the degrees of freedom say', () => {
    const count = IS_FULL ? 300 : 14;
    const rolls = IS_FULL ? [0] : [0, 3, 7, 10, 14, 17, 21, 24, 28];
    const others = surfacesOf(modality, count, 5_000, 256).map(surface => {
      const picture = takePicture(surface, { seed: 1, noise: noiseOf(modality, 0.05), sidePx: 256 });
      return extractFingerprint(dsp, picture, { modality });
    });
    const placed = others.map(({ bits, mask }) =>
      rolls.map(rows => ({ bits: rolled(bits, rows), mask: rolled(mask, rows) })),
    );
    const distances: number[] = [];
    let usable = 0;
    others.forEach((a, i) => {
      for (const b of placed.slice(0, i).flat()) {
        const { fhd, usableBits } = fractionalHammingDistance(a, b);
        distances.push(fhd);
        usable += usableBits;
      }
    });
    const mean = distances.reduce((sum, fhd) => sum + fhd, 0) / distances.length;
    const variance = distances.reduce((sum, fhd) => sum + (fhd - mean) ** 2, 0) / (distances.length - 1);
    const measured = ((mean * (1 - mean)) / variance) * ((FINGERPRINT_BITS * distances.length) / usable);
    const { degreesOfFreedom } = parametersOf(modality);
    expect(mean).toBeCloseTo(0.5, 2);
    // The pairs of a set share their surfaces: their variance is known to a few per cent.
    expect(measured / degreesOfFreedom).toBeGreaterThan(IS_FULL ? 0.95 : 0.88);
    expect(measured / degreesOfFreedom).toBeLessThan(IS_FULL ? 1.07 : 1.15);
  });
});

describe('a verdict', () => {
  const surface = simulateSurface(dsp, 'laser_speckle', { seed: 1 });
  const enrolled = enrol(surface);

  it('grows surer the less has changed, and names its threshold', () => {
    const distances = [1, 0.98, 0.9, 0.8].map(correlation => {
      const { fhd, threshold, verdict, dof } = compareSurface(
        dsp,
        enrolled,
        takePicture(surface, { seed: 7, correlation, noise: 0.1, shiftXPx: 3.3 }),
      );
      expect(verdict).toBe('match');
      expect(threshold).toBe(matchThreshold(dof, ALIGNMENTS_TRIED));
      expect(threshold).toBeGreaterThan(0.36);
      expect(threshold).toBeLessThan(0.41);
      return fhd;
    });
    // 0.095, 0.208 and 0.290 were measured without masks; weak bits are what turns over first.
    const bounds = [0.03, 0.1, 0.21, 0.3];
    distances.forEach((fhd, i) => {
      expect(fhd).toBeLessThan(bounds[i]);
      if (i > 0) expect(fhd).toBeGreaterThan(distances[i - 1]);
    });
  });

  it('of a patch that has left the picture in part is given on what is left', () => {
    const moved = takePicture(surface, { seed: 3, noise: 0.05, sidePx: 256, shiftXPx: 40.4, shiftYPx: -12 });
    const answer = compareSurface(dsp, enrolled, moved);
    expect(answer.verdict).toBe('match');
    expect(answer.usableBits).toBeLessThan(0.85 * FINGERPRINT_BITS);
    expect(answer.dof).toBeCloseTo((1_600 * answer.usableBits) / FINGERPRINT_BITS, 6);
  });

  const poses = [
    [90, 1],
    [-137.3, 0.7],
    [180, 1.4],
    [51.7, 0.85],
    [-8.9, 1.19],
  ];
  // At commit a quarter of a turn, and the smallest and the largest.
  it.each(IS_FULL ? poses : poses.slice(0, 3))(
    'is a match of what was turned by %d° and seen %d times as large',
    (rotationDeg, scale) => {
      const pose = { shiftXPx: 11.3, shiftYPx: -7.6, rotationDeg, scale };
      const answer = compareSurface(dsp, enrolled, takePicture(surface, { seed: 3, noise: 0.1, ...pose }));
      expect(answer.verdict).toBe('match');
      expect(answer.fhd).toBeLessThan(0.1);
      expect(Math.abs(((answer.alignment.rotationDeg - rotationDeg + 540) % 360) - 180)).toBeLessThan(0.1);
      expect(answer.alignment.scale / scale).toBeCloseTo(1, 2);
      expect(answer.alignment.shiftXPx).toBeCloseTo(pose.shiftXPx, 0);
      expect(answer.alignment.shiftYPx).toBeCloseTo(pose.shiftYPx, 0);
    },
  );

  it('is mismatch at twice the scale: beyond 1.4 none is looked for', () => {
    const near = takePicture(surface, { seed: 3, noise: 0.05, scale: 2 });
    expect(compareSurface(dsp, enrolled, near).verdict).toBe('mismatch');
  });

  it('is not given where the surface fits in two places', () => {
    // Two copies of the surface in one picture, a patch's side apart.
    const { pixels } = takePicture(surface, { seed: 3, noise: 0.05, sidePx: 256 });
    const twice = Uint8Array.from(
      { length: 512 * 512 },
      (_, at) => pixels[((at >> 9) % 256) * 256 + ((at & 511) % 256)],
    );
    expect(compareSurface(dsp, enrolled, { width: 512, height: 512, pixels: twice })).toMatchObject({
      ...{ verdict: 'inconclusive', reason: 'AMBIGUOUS' },
    });
  });

  it('is not given where noise is most of what is read, of the picture or of what was enrolled, but for a match', () => {
    const random = new SeededRandom(5);
    const dark = (seen: GreyImage) => ({
      ...seen,
      pixels: Uint8Array.from(seen.pixels, value => Math.max(0, 60 + 0.02 * value + 3 * random.gaussian())),
    });
    const paper = { modality: 'paper_texture' } as const;
    const clear = takePicture(simulateSurface(dsp, 'paper_texture', { seed: 4 }), { seed: 3 });
    const noisy = extractFingerprint(dsp, dark(clear), paper);
    expect(isMostlyNoise(noisy)).toBe(true);
    expect(inconclusiveReasonOf(noisy)).toBeUndefined();
    const another = dark(clear);
    for (const [known, image] of [
      [noisy, another],
      [noisy, clear],
      [extractFingerprint(dsp, clear, paper), another],
    ] as const)
      expect(compareSurface(dsp, known, image)).toMatchObject({ verdict: 'inconclusive', reason: 'NOISY' });
  });

  it('is not given on a picture without contrast, with too much white, or with too few bits left', () => {
    const reasonOf = (image: GreyImage) => {
      const { verdict, reason } = compareSurface(dsp, enrolled, image);
      return [verdict, reason];
    };
    const faded = takePicture(surface, { seed: 2 });
    const low = { ...faded, pixels: Float32Array.from(faded.pixels, value => 120 + 0.1 * value) };
    expect(reasonOf(low)).toEqual(['inconclusive', 'LOW_CONTRAST']);
    expect(reasonOf(takePicture(surface, { seed: 2, exposure: 120 }))).toEqual(['inconclusive', 'SATURATED']);
    const covered = takePicture(surface, { seed: 2 });
    covered.pixels.fill(40, 0, covered.pixels.length >> 1);
    expect(reasonOf({ ...covered, pixels: Uint8Array.from(covered.pixels) })).toEqual([
      'inconclusive',
      'TOO_FEW_BITS',
    ]);
    const blank = { width: 384, height: 384, pixels: new Uint8Array(384 * 384).fill(77) };
    expect(reasonOf(blank)).toEqual(['inconclusive', 'LOW_CONTRAST']);
  });

  it('counts bits that are usable in both alone', () => {
    const all = new Uint8Array(241).fill(0xff);
    const none = new Uint8Array(241);
    const half = Uint8Array.from(all, (byte, i) => (i < 120 ? byte : 0));
    const bits = Uint8Array.from(all, (_, i) => (i < 60 ? 0xff : 0));
    expect(fractionalHammingDistance({ bits, mask: half }, { bits: none, mask: all })).toEqual({
      fhd: 0.5,
      usableBits: 960,
    });
    expect(fractionalHammingDistance({ bits, mask: all }, { bits: none, mask: half })).toEqual({
      fhd: 0.5,
      usableBits: 960,
    });
    expect(fractionalHammingDistance({ bits, mask: none }, { bits, mask: all })).toEqual({
      fhd: 0.5,
      usableBits: 0,
    });
    expect(fractionalHammingDistance({ bits: all, mask: all }, { bits: none, mask: all })).toEqual({
      fhd: 1,
      usableBits: FINGERPRINT_BITS,
    });
  });

  it('weighs every alignment that was tried', () => {
    const aged = takePicture(surface, { seed: 9, noise: 0.1, correlation: 0.8 });
    const fresh = extractFingerprint(dsp, aged, { modality: 'laser_speckle' });
    const alone = compareFingerprints(enrolled, fresh);
    const many = compareFingerprints(enrolled, fresh, 1_000_000);
    expect(many.threshold).toBeLessThan(alone.threshold);
    expect(many.falseMatchProbability / alone.falseMatchProbability).toBeCloseTo(1_000_000, 1);
  });

  it('is not given between kinds of surfaces', () => {
    const paper: Fingerprint = {
      ...extractFingerprint(dsp, takePicture(surface, { seed: 9 }), { modality: 'paper_texture' }),
    };
    expect(() => compareFingerprints(enrolled, paper)).toThrow(RangeError);
  });

  it('has its bounds of quality where they are said to be', () => {
    const good = {
      modality: 'laser_speckle',
      quality: { contrast: 0.2, speckleSizePx: 5, saturatedPct: 5, regularity: 0.3, structureToNoise: 8 },
      usableBits: 1_154,
    } as const;
    expect(inconclusiveReasonOf(good)).toBeUndefined();
    expect(inconclusiveReasonOf({ ...good, usableBits: 1_153 })).toBe('TOO_FEW_BITS');
    expect(inconclusiveReasonOf({ ...good, quality: { ...good.quality, regularity: 0.301 } })).toBe(
      'REGULAR',
    );
    expect(inconclusiveReasonOf({ ...good, quality: { ...good.quality, saturatedPct: 5.01 } })).toBe(
      'SATURATED',
    );
    expect(inconclusiveReasonOf({ ...good, quality: { ...good.quality, contrast: 0.199 } })).toBe(
      'LOW_CONTRAST',
    );
    expect(inconclusiveReasonOf({ ...good, quality: { ...good.quality, contrast: NaN } })).toBe(
      'LOW_CONTRAST',
    );
  });
});
