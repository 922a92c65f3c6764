import {
  gradeRatio,
  RATIO_CARDS_MAX,
  studentQuantile975,
  valueCardByRatio,
  type GradePeer,
} from './grade-ratio.js';
import { DAY_MS, type GradedSale } from './graded-sale.js';
import { accuracyOf, ratioValuations } from './testing/valuation-trials.js';
import { valueCard } from './value-card.js';

const AS_OF_MS = Date.UTC(2026, 0, 1);
const OPTIONS = { asOfMs: AS_OF_MS };
let serial = 0;
const sale = (priceUsd: number, ageDays: number): GradedSale => ({
  saleId: `sale-${serial++}`,
  priceUsd,
  soldAtMs: AS_OF_MS - ageDays * DAY_MS,
  venue: 'Openbid',
  saleType: 'auction',
  verified: true,
});
/** A card that sells for `times` as much in the wanted grade. */
const peer = (times: number, fromUsd = 100): GradePeer => ({
  sales: [sale(Math.round(fromUsd * times * 100) / 100, 20)],
  fromSales: [sale(fromUsd, 30)],
});
const six = [100, 102, 98, 101, 99, 103].map((price, i) => sale(price, i + 1));

describe('gradeRatio', () => {
  it('is the median over cards, each of which counts once', () => {
    const often = { sales: Array.from({ length: 9 }, () => sale(900, 10)), fromSales: [sale(100, 10)] };
    const ratio = gradeRatio([peer(2), peer(2.5), peer(3), peer(1.5), often], OPTIONS);
    expect(ratio).toMatchObject({ ratio: expect.closeTo(2.5, 9), cards: 5, pairs: 13 });
  });

  it('pairs sales of one card within six months of each other, and none after asOf', () => {
    const apart = { sales: [sale(300, 1)], fromSales: [sale(100, 184)] };
    const later = { sales: [sale(300, -1)], fromSales: [sale(100, 5)] };
    const near = { sales: [sale(300, 1)], fromSales: [sale(100, 183)] };
    const four = [peer(2), peer(2), peer(2), peer(2)];
    expect(gradeRatio([...four, apart], OPTIONS)).toBeNull();
    expect(gradeRatio([...four, later], OPTIONS)).toBeNull();
    expect(gradeRatio([...four, near], OPTIONS)).toMatchObject({ cards: 5, pairs: 5 });
  });

  it('needs five cards, and looks at no more than its bound', () => {
    expect(gradeRatio([peer(2), peer(2), peer(2), peer(2)], OPTIONS)).toBeNull();
    expect(gradeRatio([], OPTIONS)).toBeNull();
    const many = Array.from({ length: RATIO_CARDS_MAX + 1 }, () => peer(2));
    expect(() => gradeRatio(many, OPTIONS)).toThrow(RangeError);
  });
});

describe('valueCardByRatio', () => {
  const peers = [2, 2.2, 1.9, 2.1, 2, 1.8, 2].map(times => peer(times));

  it('is the other grade’s median times the ratio, of low confidence, with a wider interval', () => {
    const base = valueCard(six, OPTIONS);
    const valuation = valueCardByRatio({ fromGrade: 9, sales: six, peers }, OPTIONS);
    expect(valuation).toMatchObject({
      medianUsd: 2 * (base.medianUsd ?? NaN),
      basis: 'ratio',
      confidence: 'low_confidence',
      ratio: { fromGrade: 9, fromMedianUsd: base.medianUsd, ratio: expect.closeTo(2, 9), cards: 7, pairs: 7 },
    });
    const width = (ci95: readonly [number, number] | null | undefined) =>
      (ci95?.[1] ?? NaN) / (ci95?.[0] ?? NaN);
    expect(width(valuation?.ci95)).toBeGreaterThan(width(base.ci95));
  });

  it('is null where the other grade has too few sales itself, or too few cards have pairs', () => {
    expect(valueCardByRatio({ fromGrade: 9, sales: six.slice(0, 2), peers }, OPTIONS)).toBeNull();
    expect(valueCardByRatio({ fromGrade: 9, sales: six, peers: peers.slice(0, 4) }, OPTIONS)).toBeNull();
  });

  it('covers the true price as often as it says, and does not lean to one side', () => {
    const { trials, coveragePercent, biasPercent } = accuracyOf(ratioValuations(250, 8, 4));
    expect(trials).toBeGreaterThan(90);
    expect(coveragePercent).toBeGreaterThan(92);
    expect(Math.abs(biasPercent)).toBeLessThan(5);
  });
});

describe('studentQuantile975', () => {
  // Tables of Student's t.
  it.each([
    [4, 2.7764],
    [5, 2.5706],
    [10, 2.2281],
    [30, 2.0423],
    [1000, 1.9623],
  ])('of %i degrees is %f', (degrees, quantile) => {
    expect(studentQuantile975(degrees) / quantile).toBeCloseTo(1, 2);
  });
});
