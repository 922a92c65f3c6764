import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { MATERIALS } from '../material/material.js';
import { type Product, PRODUCTS } from '../product/product.js';
import { type MeasuredPiece, modeFrequencyHz, pieceOfProduct } from '../product/reference.js';
import type { RingPeak } from '../ring-peak.js';
import { type Judgement, judgeRing, typedPeaks } from './judge-ring.js';
import { likelyFakes } from './likely-fakes.js';
import { productTest } from './product-test.js';

const product = (id: string) => PRODUCTS.get(id) as Product;
const judge = (coin: Product, peaks: readonly RingPeak[], quality = true): Judgement =>
  judgeRing(
    productTest(coin, {
      ...{ massG: coin.massG, peaks },
      ...(quality ? { quality: { snrDb: 43, clippedFraction: 0, strikes: 1 } } : {}),
    }),
  );
/** Peaks of a recording whose noise lies so far under the strongest of them, dB. */
const heard = (floorDb: number, ...notes: readonly (readonly [hz: number, levelDb: number])[]): RingPeak[] =>
  notes.map(([frequencyHz, levelDb]) => ({
    ...{ frequencyHz, levelDb, uncertaintyHz: 0.5, q: 1_500, splitHz: null },
    snrDb: floorDb + levelDb,
  }));
const textOf = ({ reasons }: Judgement) => reasons.map(({ text }) => text).join('; ');

describe('what a coin would ring at if it were of another metal', () => {
  it('is what theory gives a disc of that metal with its mass and diameter', () => {
    const piece = pieceOfProduct(product('krugerrand'));
    const pure = likelyFakes(piece).find(({ metal, share }) => metal.name === 'copper' && share === 1);
    const asCopper = { ...piece, material: MATERIALS.copper } as MeasuredPiece;
    for (const mode of ['(2,0)', '(0,1)', '(4,0)'] as const) {
      expect(pure!.ratios.get(mode)).toBeCloseTo(
        modeFrequencyHz(asCopper, mode) / modeFrequencyHz(piece, mode),
        9,
      );
    }
  });

  it('comes nearer to the coin the thicker its own metal lies over tungsten', () => {
    const cores = likelyFakes(pieceOfProduct(product('gold-kangaroo'))).filter(
      ({ metal, share }) => metal.name === 'tungsten' && share >= 0.75,
    );
    const lowest = cores.map(({ ratios }) => ratios.get('(2,0)') as number);
    expect(lowest.length).toBeGreaterThan(3);
    expect([...lowest].sort((a, b) => b - a)).toEqual(lowest);
    expect(lowest.at(-1)).toBeGreaterThan(1.5);
  });

  it('is never of the metal that it is, pure or alloyed', () => {
    for (const coin of PRODUCTS.values()) {
      const names = likelyFakes(pieceOfProduct(coin)).map(({ metal }) => metal.name);
      expect(names).not.toContain(coin.metal);
      expect(names).toContain('copper');
    }
  });
});

describe('a fake whose modes lie where a coin has others', () => {
  it('is known by its metal where this explains a note more than the coin, typed or recorded', () => {
    const kangaroo = product('gold-kangaroo');
    // Tungsten’s (2,0) and (3,0) stand for the coin’s (0,1) and (4,0); its (0,1) is nowhere in the coin.
    const notes = [5_864, 10_556, 15_270];
    for (const judgement of [
      judge(kangaroo, typedPeaks(notes), false),
      judge(kangaroo, heard(20, [5_864, 0], [10_556, -6], [15_270, -6])),
    ]) {
      expect(judgement).toMatchObject({ verdict: 'FAIL', match: { otherMetal: 'tungsten' } });
      expect(textOf(judgement)).toContain('tungsten');
    }
    expect(judge(kangaroo, typedPeaks([5_864, 15_270]), false).verdict).toBe('INCONCLUSIVE');
  });

  it('is known by the proportion of two modes where a loud recording lacks the coin’s others', () => {
    const krugerrand = product('krugerrand');
    const notes = [
      [8_363, 0],
      [19_644, -24],
    ] as const;
    const judgement = judge(krugerrand, heard(43, ...notes));
    expect(judgement).toMatchObject({ verdict: 'FAIL', match: { otherMetal: 'silver' } });
    // What a quiet recording or a list of frequencies lacks was perhaps not heard.
    expect(judge(krugerrand, heard(29, [8_363, 0], [19_644, -14])).verdict).toBe('INCONCLUSIVE');
    const typed = typedPeaks(notes.map(([hz]) => hz));
    expect(judge(krugerrand, typed, false).verdict).toBe('INCONCLUSIVE');
  });

  it('is known by the two lines of a mode that lie farther apart than those of the coin’s mode there', () => {
    const maple = product('gold-maple-leaf');
    const judgement = judge(maple, heard(39, [10_556, 0], [11_415, -1], [17_384, -6]));
    expect(judgement).toMatchObject({ verdict: 'FAIL', match: { otherMetal: 'silver' } });
    // A line that is itself split a little is still one of the two.
    const [low, high, circle] = heard(39, [10_556, 0], [11_415, -1], [17_384, -6]);
    expect(judge(maple, [{ ...low, splitHz: 2 }, high, circle]).match.otherMetal).toBe('silver');
    expect(judge(maple, heard(39, [10_900, 0], [18_700, -6])).verdict).not.toBe('FAIL');
  });

  it('is not looked for where the coin’s lowest mode is heard, however weakly', () => {
    const kangaroo = product('gold-kangaroo');
    const peaks = heard(43, [3_019, -30], [5_864, 0], [10_556, -6], [15_270, -6]);
    expect(judge(kangaroo, peaks).match.otherMetal).toBeNull();
    expect(judge(kangaroo, peaks.slice(1)).match.otherMetal).toBe('tungsten');
  });
});

describe('a genuine coin', () => {
  const measured = [...PRODUCTS.values()].filter(
    coin => Object.keys(coin.measuredModesHz ?? {}).length === 4,
  );

  it('of which any modes are heard, a little off and loud, is of no other metal', () => {
    const levels = fc.array(fc.option(fc.double({ min: -25, max: 0, noNaN: true })), {
      minLength: 4,
      maxLength: 4,
    });
    // Temper and wear move each mode by 1 % or so of its own.
    const off = fc.array(fc.double({ min: -0.015, max: 0.015, noNaN: true }), { minLength: 4, maxLength: 4 });
    const scale = fc.double({ min: 0.97, max: 1.03, noNaN: true });
    fc.assert(
      fc.property(fc.constantFrom(...measured), levels, off, scale, (coin, levelsDb, offs, all) => {
        const strongest = Math.max(...levelsDb.flatMap(level => level ?? []));
        const notes = Object.values(coin.measuredModesHz!).flatMap((lines, i) => {
          const levelDb = levelsDb[i];
          return levelDb === null
            ? []
            : [[lines[0] * all * (1 + offs[i]), levelDb - strongest] as [number, number]];
        });
        const judgement = judge(coin, heard(45, ...notes));
        expect(judgement.match.otherMetal).toBeNull();
        expect(judgement.verdict).not.toBe('FAIL');
      }),
      { numRuns: 500 },
    );
  });

  it('is not refused for a tone that never dies away', () => {
    const krugerrand = product('krugerrand');
    const [note] = heard(40, [12_300, 0]);
    expect(judge(krugerrand, [note]).verdict).toBe('FAIL');
    expect(judge(krugerrand, [{ ...note, q: 1e6 }]).verdict).toBe('INCONCLUSIVE');
  });
});
