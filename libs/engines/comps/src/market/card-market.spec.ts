import { quantileSorted } from 'simple-statistics';
import { CardMarket, gradedSaleOf } from './card-market.js';
import type { LabelledSale } from './market-sale.js';

const AS_OF_MS = Date.UTC(2026, 0, 1);
const market = (more: Partial<ConstructorParameters<typeof CardMarket>[0]> = {}) =>
  new CardMarket({ seed: 1, cards: 300, asOfMs: AS_OF_MS, ...more });

describe('CardMarket', () => {
  it('is the same for the same seed, and another for another', () => {
    const first = [...market({ cards: 20 }).labelledSales()];
    expect([...market({ cards: 20 }).labelledSales()]).toEqual(first);
    expect([...market({ cards: 20, seed: 2 }).labelledSales()]).not.toEqual(first);
  });

  it('makes each card on its own: a larger market starts with the smaller one', () => {
    const small = [...market({ cards: 10 }).labelledSales()];
    expect([...market({ cards: 50 }).labelledSales()].slice(0, small.length)).toEqual(small);
  });

  it('has cards that differ, and about as many sales as asked', () => {
    const cards = [...market().cards()].map(({ card }) => JSON.stringify(card));
    expect(new Set(cards).size).toBe(300);
    const count = [...market({ duplicates: 0 }).sales()].length;
    // Five standard deviations of a Poisson count of 6,000.
    expect(Math.abs(count - 6_000)).toBeLessThan(5 * Math.sqrt(6_000));
  });

  it('has its share of faulty sales of every kind, and of duplicates that are known again', () => {
    const labelled = [...market({ contamination: 0.08, duplicates: 0.02 }).labelledSales()];
    const shareOf = (fault: LabelledSale['fault']) =>
      labelled.filter(one => one.fault === fault).length / labelled.length;
    const faulty = shareOf('shill') + shareOf('lot') + shareOf('wrong_card') + shareOf('hidden_offer');
    expect(faulty).toBeGreaterThan(0.06);
    expect(faulty).toBeLessThan(0.1);
    for (const fault of ['shill', 'lot', 'wrong_card', 'hidden_offer'] as const) {
      expect(shareOf(fault)).toBeGreaterThan(0.005);
    }
    const ids = labelled.map(({ sale: { venue, itemId } }) => `${venue} ${itemId}`);
    expect(ids.length - new Set(ids).size).toBe(labelled.filter(({ fault }) => fault === 'duplicate').length);
    expect(shareOf('duplicate')).toBeGreaterThan(0.01);
  });

  it('has clean sales whose prices are log-normal about the true median at their time', () => {
    const clean = market({ contamination: 0, duplicates: 0 });
    const scores: number[] = [];
    for (const card of clean.cards()) {
      for (const { sale } of clean.salesOf(card)) {
        const listing = card.listings.find(
          ({ company, grade }) => company === sale.company && grade === sale.grade,
        );
        if (!listing || listing.trueMedianUsd < 20) continue;
        const { priceUsd, soldAtMs } = gradedSaleOf(sale);
        const years = (AS_OF_MS - soldAtMs) / 86_400_000 / 365.25;
        scores.push(
          (Math.log(priceUsd / listing.trueMedianUsd) + listing.driftAYear * years) / listing.sigma,
        );
      }
    }
    scores.sort((a, b) => a - b);
    // Quantiles of the standard normal distribution; thousands of sales have them within 0.1.
    expect(scores.length).toBeGreaterThan(4_000);
    for (const [share, z] of [
      [0.025, -1.96],
      [0.25, -0.674],
      [0.5, 0],
      [0.75, 0.674],
      [0.975, 1.96],
    ]) {
      expect(Math.abs(quantileSorted(scores, share) - z)).toBeLessThan(0.1);
    }
  });

  it('has rows in cents, within its days, that say that they are synthetic', () => {
    for (const sale of market({ days: 200 }).sales()) {
      expect(sale.price).toMatch(/^(0|[1-9][0-9]{0,8})\.[0-9]{2}$/);
      expect(sale.fees).toMatch(/^(0|[1-9][0-9]{0,8})\.[0-9]{2}$/);
      expect(sale.synthetic).toBe(true);
      const { soldAtMs, priceUsd } = gradedSaleOf(sale);
      expect(priceUsd).toBeGreaterThanOrEqual(1);
      expect(soldAtMs).toBeLessThanOrEqual(AS_OF_MS);
      expect(soldAtMs).toBeGreaterThan(AS_OF_MS - 200.001 * 86_400_000);
    }
  });

  it('says what each card truly sells for', () => {
    const truth = [...market({ cards: 30 }).truth()];
    const listings = [...market({ cards: 30 }).cards()].flatMap(({ listings: own }) => own);
    expect(truth.map(({ trueMedianUsd }) => trueMedianUsd)).toEqual(listings.map(l => l.trueMedianUsd));
    expect(new Set(truth.map(t => `${t.cardIndex} ${t.company} ${t.grade}`)).size).toBe(truth.length);
  });

  it.each([
    { cards: 0 },
    { cards: 1.5 },
    { cards: 1_000_001 },
    { salesPerCard: 0 },
    { salesPerCard: 501 },
    { salesPerCard: NaN },
    { contamination: 1.1 },
    { duplicates: -0.1 },
    { days: 0 },
  ])('refuses %j', more => {
    expect(() => market(more)).toThrow(RangeError);
  });
});
