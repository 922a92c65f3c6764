import { describe, expect, it } from '@jest/globals';
import { FINENESS_MIN, FinenessError, materialOf } from '../material/material.js';
import { measuredDensity, SubmergedMassError } from '../material/specific-gravity.js';
import { massEquivalentThicknessMm } from '../plate/free-disc.js';
import { nearSlugs, PRODUCTS } from './product.js';
import { modeFrequencyHz, pieceOfProduct, referenceOfProduct } from './reference.js';

const products = [...PRODUCTS.values()];

describe('the table of products', () => {
  it('says of each its mass, its measures and where they come from, and of modes whose they are', () => {
    for (const product of products) {
      expect(product.productId).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
      expect(product.source).toMatch(/^\S.* and \S.*, read on 2026-11-\d\d/);
      expect(Boolean(product.modesSource)).toBe(Boolean(product.measuredModesHz));
      for (const edition of product.otherEditions ?? []) expect(PRODUCTS.has(edition)).toBe(true);
    }
    expect(new Set(products.map(({ name }) => name)).size).toBe(products.length);
  });

  it('has coins of an ounce, and of parts of one, that hold it', () => {
    const ounces = products.flatMap(({ name, massG, fineness }) => {
      const found = / 1(?:\/(\d+))? oz/.exec(name);
      return found ? [{ name, ounces: (massG * fineness * Number(found[1] ?? 1)) / 31.1034768 }] : [];
    });
    expect(ounces.length).toBeGreaterThan(40);
    for (const { name, ounces: held } of ounces)
      expect({ name, isIt: held > 0.998 && held < 1.006 }).toEqual({ name, isIt: true });
  });

  it('has coins that are as thick as coins are, by their mass, their diameter and their alloy', () => {
    for (const product of products) {
      const { productId, massG, diameterMm } = product;
      const { densityGcc } = pieceOfProduct(product).material;
      const share = massEquivalentThicknessMm(massG, diameterMm, densityGcc) / diameterMm;
      // A ducat is the thinnest, palladium, the lightest metal, the thickest: a row whose mass, size or metal is another coin's lies far off.
      expect({ productId, share, isCoin: share > 0.014 && share < 0.09 }).toMatchObject({ isCoin: true });
    }
  });

  it('has rims that rise by 5 to 54 % over the mass-equivalent thickness, as rims do', () => {
    for (const product of products) {
      if (product.thicknessMm === null) continue;
      const { massG, diameterMm } = product;
      const { densityGcc } = pieceOfProduct(product).material;
      const ratio = product.thicknessMm / massEquivalentThicknessMm(massG, diameterMm, densityGcc);
      const plausible = ratio > 1.05 && ratio < 1.55;
      expect({ id: product.productId, ratio, plausible }).toMatchObject({ plausible: true });
    }
  });

  it('has measured modes that theory meets to a tenth at (3,0) and (4,0)', () => {
    for (const product of products) {
      for (const mode of ['(3,0)', '(4,0)'] as const) {
        const lines = product.measuredModesHz?.[mode];
        if (!lines) continue;
        const middle = lines.reduce((sum, hz) => sum + hz, 0) / lines.length;
        const off = middle / modeFrequencyHz(pieceOfProduct(product), mode) - 1;
        expect(Math.abs(off)).toBeLessThan(0.1);
      }
    }
  });

  it('meets the deviations that are published of the model', () => {
    const off = (id: string) => {
      const product = PRODUCTS.get(id)!;
      return (['(2,0)', '(0,1)', '(3,0)', '(4,0)'] as const).map(mode => {
        const lines = product.measuredModesHz![mode]!;
        const middle = lines.reduce((sum, hz) => sum + hz, 0) / lines.length;
        return Math.round(100 * (middle / modeFrequencyHz(pieceOfProduct(product), mode) - 1));
      });
    };
    expect(off('american-silver-eagle')).toEqual([-4, -7, -4, -2]);
    for (const id of ['silver-maple-leaf', 'silver-panda', 'gold-kangaroo']) {
      expect(off(id)[0]).toBeLessThanOrEqual(-15);
      expect(off(id)[0]).toBeGreaterThanOrEqual(-21);
    }
  });

  it('has theory fill in the two modes that it meets, and no others', () => {
    const { modes, kind } = referenceOfProduct(PRODUCTS.get('fat-man-dollar')!);
    expect(kind).toBe('table');
    expect(modes.map(({ mode, basis }) => `${mode} ${basis}`)).toEqual([
      '(2,0) table',
      '(3,0) physics',
      '(4,0) physics',
    ]);
    expect(referenceOfProduct(PRODUCTS.get('american-gold-buffalo')!).kind).toBe('physics');
  });

  it('names what is like a misspelt slug', () => {
    expect(nearSlugs('krugerand')[0]).toBe('krugerrand');
    expect(nearSlugs('silver-mapleleaf')[0]).toBe('silver-maple-leaf');
    expect(nearSlugs('zzz')).toEqual([]);
  });
});

describe('materials', () => {
  it('are known from a fineness on, and refused below with the bound', () => {
    for (const metal of ['gold', 'silver', 'platinum', 'palladium'] as const) {
      expect(materialOf(metal, FINENESS_MIN[metal]).youngGPa).toBeGreaterThan(50);
      expect(() => materialOf(metal, FINENESS_MIN[metal] - 1e-6)).toThrow(FinenessError);
      expect(() => materialOf(metal, 1.01)).toThrow(FinenessError);
    }
    expect(materialOf('silver', 0.925).densityGcc).toBeCloseTo(10.36, 2);
    expect(materialOf('gold', 0.9167, 'copper').densityGcc).toBeCloseTo(17.52, 2);
    // Of gold whose other metals are not told, the density holds either alloy.
    const { densityGcc, densityUncertaintyPercent } = materialOf('gold', 0.9167);
    for (const alloyed of [17.52, 17.78])
      expect(Math.abs(100 * (alloyed / densityGcc - 1))).toBeLessThan(2 * densityUncertaintyPercent);
  });

  it('give the American Gold Eagle, of gold, silver and copper, 17.78 g/cm³', () => {
    const { densityGcc, conductivityMSm } = pieceOfProduct(PRODUCTS.get('american-gold-eagle')!).material;
    expect(densityGcc).toBeCloseTo(17.78, 2);
    expect(conductivityMSm).toBe(11.1);
  });

  it('conduct as makers of meters say, and are silent of alloys that no table has', () => {
    expect(materialOf('gold', 0.9999).conductivityMSm).toBe(45);
    expect(materialOf('gold', 0.986).conductivityMSm).toBe(26.5);
    expect(materialOf('gold', 0.95).conductivityMSm).toBeUndefined();
    expect(materialOf('silver', 0.9).conductivityMSm).toBe(51);
    expect(materialOf('platinum', 0.9995).conductivityMSm).toBe(9.1);
  });

  it('have the density of Archimedes', () => {
    expect(measuredDensity(100, 90).densityGcc).toBeCloseTo(9.982, 6);
    expect(measuredDensity(31.1, 28.14).uncertaintyPercent).toBeGreaterThan(0.2);
    expect(measuredDensity(3.11, 2.95).uncertaintyPercent).toBeGreaterThan(2);
    expect(measuredDensity(3.11, 2.95, 0.001).uncertaintyPercent).toBeLessThan(0.6);
    for (const submerged of [31.1, 40, 0, -1, NaN]) {
      expect(() => measuredDensity(31.1, submerged)).toThrow(SubmergedMassError);
    }
  });
});
