import { readFileSync } from 'node:fs';
import { instantiateDsp } from '@svc/kernels';
import { loadDspModule } from '@svc/kernels/node';
import { extractFingerprint } from './extract-fingerprint.js';
import { bitAt, packBits } from './fingerprint.js';
import type { GreyImage } from './grey-image.js';
import { FINGERPRINT_BITS, GRID_POINTS, MODALITIES, PATCH_PX, type SpeckleModality } from './modality.js';
import { packPatch, unpackPatch } from './patch-codec.js';
import { simulateSurface } from './testing/simulated-surface.js';
import { takePicture } from './testing/take-picture.js';

interface Vector {
  modality: SpeckleModality;
  mean: number;
  whiteCorner: boolean;
  waves: [number, number, number, number][];
  bitsHex: string;
  maskHex: string;
  contrast: number;
  speckleSizePx: number;
  saturatedPct: number;
}
const { width, height, vectors }: { width: number; height: number; vectors: Vector[] } = JSON.parse(
  readFileSync(new URL('./fingerprint.vectors.json', import.meta.url), 'utf8'),
);

const dsp = instantiateDsp(await loadDspModule());
const laser = simulateSurface(dsp, 'laser_speckle', { seed: 1 });
const picture = takePicture(laser, { seed: 1, noise: 0.05 });
const extract = (image: GreyImage, modality: SpeckleModality = 'laser_speckle') =>
  extractFingerprint(dsp, image, { modality });

// Taken once: in the context of a test runner every look at a global is slow.
const { cos, floor, max, min, PI } = Math;

function pictureOf({ mean, whiteCorner, waves }: Vector): GreyImage {
  const pixels = new Uint8Array(width * height);
  for (let i = 0; i < pixels.length; i++) {
    const [x, y] = [i % width, floor(i / width)];
    let value = mean;
    for (const [u, v, phase, amplitude] of waves) value += amplitude * cos(2 * PI * (u * x + v * y) + phase);
    pixels[i] = floor(min(255, max(0, value)) + 0.5);
    if (whiteCorner && x < 90 && y < 90) pixels[i] = 255;
    if (whiteCorner && x >= width - 80 && y >= height - 80) pixels[i] = 100;
  }
  return { width, height, pixels };
}

const everyBit = Array.from({ length: FINGERPRINT_BITS }, (_, bit) => bit);
const differing = (a: Uint8Array, b: Uint8Array) => everyBit.filter(bit => bitAt(a, bit) !== bitAt(b, bit));

describe('a fingerprint', () => {
  it.each(vectors.map((vector, i) => [i, vector.modality, vector] as const))(
    '%i is the one that numpy and scipy read out of the same pixels (%s)',
    (_, modality, vector) => {
      const { bits, mask, quality, usableBits } = extract(pictureOf(vector), modality);
      const usable = differing(bits, Buffer.from(vector.bitsHex, 'hex')).filter(bit => bitAt(mask, bit));
      expect(usable).toEqual([]);
      // In 32 bits an answer at the bound of weakness may fall to the other side.
      expect(differing(mask, Buffer.from(vector.maskHex, 'hex')).length).toBeLessThanOrEqual(1);
      expect(quality.contrast).toBeCloseTo(vector.contrast, 4);
      expect(quality.speckleSizePx).toBeCloseTo(vector.speckleSizePx, 3);
      expect(quality.saturatedPct).toBeCloseTo(vector.saturatedPct, 9);
      expect(usableBits).toBe(
        Array.from({ length: FINGERPRINT_BITS }, (_, bit) => bitAt(mask, bit)).reduce((a, b) => a + b),
      );
    },
  );

  it('is the same however bright the picture is, and 16 bits give what 8 give', () => {
    const plain = extract(picture);
    const brighter = {
      ...picture,
      pixels: Float32Array.from(picture.pixels, value => 0.6 * value + 10 / 257),
    };
    const { bits } = extract(brighter);
    const turned = differing(bits, plain.bits).filter(bit => plain.reliability[bit] > 0.15);
    expect(turned.length).toBeLessThan(8);
    expect(extract({ ...picture, pixels: Float32Array.from(picture.pixels) })).toEqual(plain);
  });

  it('is read from the 256 × 256 in the middle alone', () => {
    const changed = Uint8Array.from(picture.pixels);
    const margin = (picture.width - PATCH_PX) / 2;
    for (let i = 0; i < changed.length; i++) {
      const [x, y] = [i % picture.width, Math.floor(i / picture.width)];
      if (x < margin || y < margin || x >= margin + PATCH_PX || y >= margin + PATCH_PX)
        changed[i] = 255 - changed[i];
    }
    expect(extract({ ...picture, pixels: changed })).toEqual(extract(picture));
    const inside = Uint8Array.from(picture.pixels);
    inside.fill(200, margin * picture.width + margin, margin * picture.width + margin + 40);
    expect(extract({ ...picture, pixels: inside })).not.toEqual(extract(picture));
  });

  it('measures fully developed speckle as theory has it: contrast 1, and the width of the Airy disc', () => {
    const qualities = [1, 2, 3, 4].map(seed => {
      const surface = simulateSurface(dsp, 'laser_speckle', { seed });
      return extract(takePicture(surface, { seed, exposure: 25, sidePx: 256 })).quality;
    });
    const mean = (pick: (quality: (typeof qualities)[number]) => number) =>
      qualities.reduce((sum, quality) => sum + pick(quality), 0) / qualities.length;
    // The slow part of the contrast is divided out with the light.
    expect(mean(quality => quality.contrast)).toBeGreaterThan(0.85);
    expect(mean(quality => quality.contrast)).toBeLessThan(1.02);
    // |2 J1(x)/x|² is half at x = 1.616, x = 2π·r·24/256: 5.49 pixels from side to side.
    expect(Math.abs(mean(quality => quality.speckleSizePx) - 5.49)).toBeLessThan(0.5);
  });

  it('masks what is white, flat or weak, and nothing else', () => {
    const pixels = Uint8Array.from(picture.pixels);
    const left = (picture.width - PATCH_PX) / 2;
    for (let y = 0; y < 60; y++) {
      pixels.fill(255, (left + y) * picture.width + left, (left + y) * picture.width + left + 60);
      pixels.fill(
        70,
        (left + 190 + y) * picture.width + left + 190,
        (left + 190 + y) * picture.width + left + 250,
      );
    }
    const { mask, reliability, quality } = extract({ ...picture, pixels });
    const usableAt = (column: number, row: number) => bitAt(mask, (row - 1) * GRID_POINTS + column - 1);
    const masked = (from: number, to: number) => {
      for (let row = from; row <= to; row++)
        for (let column = from; column <= to; column++) if (usableAt(column, row)) return false;
      return true;
    };
    expect(masked(1, 6)).toBe(true);
    expect(masked(25, 30)).toBe(true);
    let elsewhere = 0;
    for (let row = 10; row <= 22; row++)
      for (let column = 10; column <= 22; column++) elsewhere += usableAt(column, row);
    expect(elsewhere).toBeGreaterThan(0.85 * 169);
    expect(quality.saturatedPct).toBeGreaterThan(5.4);
    expect(packBits(Array.from(reliability, value => value > 0))).toEqual(mask);
  });

  it.each(MODALITIES)('says of a blank sheet that no bit is usable, of %s too', modality => {
    for (const level of [0, 90, 255]) {
      const blank = { width: 256, height: 256, pixels: new Uint8Array(256 * 256).fill(level) };
      const { usableBits, quality } = extract(blank, modality);
      expect(usableBits).toBe(0);
      expect(quality.contrast).toBe(0);
      expect(quality.saturatedPct).toBe(level === 255 ? 100 : 0);
      expect(Number.isFinite(quality.speckleSizePx)).toBe(true);
    }
  });

  it('does not know a modality that there is none of', () => {
    expect(() => extract(picture, 'fabric' as SpeckleModality)).toThrow(RangeError);
  });

  it('keeps its patch in a byte a pixel', () => {
    const { patch } = extract(picture);
    const again = unpackPatch(packPatch(patch));
    expect(
      Math.max(...Array.from(patch.subarray(0, 9_000), (value, i) => Math.abs(value - again[i]))),
    ).toBeLessThan(0.016);
    expect(packPatch(again)).toEqual(packPatch(patch));
    expect(() => unpackPatch(new Int8Array(5))).toThrow(RangeError);
  });
});
