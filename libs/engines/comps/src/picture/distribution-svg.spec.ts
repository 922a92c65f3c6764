import fc from 'fast-check';
import { DAY_MS, type GradedSale } from '../graded-sale.js';
import { valueCard } from '../value-card.js';
import { distributionSvg } from './distribution-svg.js';

const AS_OF_MS = Date.UTC(2026, 0, 1);
const sales = (prices: readonly number[], idOf = (i: number) => `sale ${i}`): GradedSale[] =>
  prices.map((priceUsd, i) => ({
    saleId: idOf(i),
    priceUsd,
    soldAtMs: AS_OF_MS - i * 3 * DAY_MS,
    venue: 'Openbid',
    saleType: 'auction',
    verified: true,
  }));
const picture = (given: readonly GradedSale[]) => distributionSvg(valueCard(given, { asOfMs: AS_OF_MS }));

/** Elements, attributes and text that the picture may be made of, and nothing else. */
const TEXT = '(?:[^<>&"\']|&(?:amp|lt|gt|quot|#39);)*';
const TAG = `<(?:/(?:svg|title|text|circle)|(?:svg|title|rect|line|text|circle)(?: [a-zA-Z0-9-]+="${TEXT}")*/?)>`;
const PICTURE = new RegExp(`^(?:${TEXT}${TAG})+$`);

describe('distributionSvg', () => {
  it('has a dot for each sale that counts, a line for the median, a band for the interval', () => {
    const svg = picture(sales([100, 104, 96, 101, 98, 105, 900]));
    expect(svg.match(/<circle /g)).toHaveLength(6);
    expect(svg).toContain('fill="#d5e5f5"');
    expect(svg).toMatch(/\$[0-9.]+ \(95 %: \$[0-9.]+ to \$[0-9.]+\), 6 sales in 90 days/);
  });

  it('says so where sales are too few', () => {
    expect(picture(sales([100, 101]))).toContain('2 sales in 365 days: too few for a median');
    expect(picture([])).toContain('0 sales');
  });

  it('is made of shapes and text alone, whatever a sale is called', () => {
    const name = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('<script>alert(1)</script>', '" onload="x', '\u0000\ud800', ']]>&amp;'),
    );
    const price = fc.integer({ min: 1, max: 99_999_999_999 }).map(amountCents => amountCents / 100);
    fc.assert(
      fc.property(fc.array(fc.tuple(name, price), { maxLength: 12 }), named => {
        const svg = picture(
          sales(
            named.map(([, priceUsd]) => priceUsd),
            i => named[i][0],
          ),
        );
        expect(svg).toMatch(PICTURE);
        expect(svg).not.toMatch(/NaN|Infinity|undefined/);
        expect(svg).not.toMatch(/[\u0000-\u0008]|\p{Surrogate}/u);
      }),
    );
  });

  it('keeps every dot inside the axes', () => {
    const svg = picture(sales([1, 2, 3, 5, 8, 13, 21, 34]));
    for (const [, x, y] of svg.matchAll(/cx="([0-9.]+)" cy="([0-9.]+)"/g)) {
      expect(Number(x)).toBeGreaterThanOrEqual(72);
      expect(Number(x)).toBeLessThanOrEqual(624);
      expect(Number(y)).toBeGreaterThanOrEqual(28);
      expect(Number(y)).toBeLessThanOrEqual(284);
    }
  });
});
