import { checkSale } from './checked-sale.js';
import { gradeKeyOf, implausiblePrices } from './price-plausibility.js';
import { rowDigest, storableRow } from './quarantined-row.js';
import fc from 'fast-check';

const NOW_MS = Date.parse('2026-06-01T12:00:00Z');
const terms = { nowMs: NOW_MS, production: false };
const CARD = { year: 1986, set: 'Fleer', number: '57', player: 'Michael Jordan' };
const ROW = {
  ...{ itemId: 'i1', venue: 'eBay', card: CARD, company: 'PSA', grade: 8, price: '100.10', fees: '0.20' },
  ...{ currency: 'USD', soldAt: '2026-05-01T00:00:00Z', saleType: 'auction' },
};
const faultsOf = (row: unknown, more = {}) =>
  checkSale(row, { ...terms, ...more }).faults?.map(({ field, message }) => `${field}: ${message}`);
const saleOf = (row: unknown) => checkSale(row, terms).sale!;

test('a sale is its price and fees to the cent, of a venue in lower case, of a day or an instant', () => {
  expect(saleOf(ROW)).toMatchObject({ priceUsd: 100.3, venue: 'ebay', qualifier: '' });
  expect(saleOf({ ...ROW, soldAt: '2026-05-01' }).soldAtMs).toBe(saleOf(ROW).soldAtMs);
  expect(saleOf({ ...ROW, soldAt: '2026-05-01T02:00:00+02:00' }).soldAtMs).toBe(saleOf(ROW).soldAtMs);
});

test.each([
  ['itemId', { itemId: '=cmd|/C calc' }],
  ['venue', { venue: '@SUM(A1)' }],
  ['card.player', { card: { ...CARD, player: ' +1' } }],
  ['card.set', { card: { ...CARD, set: '-2+3' } }],
  ['card.number', { card: { ...CARD, number: '=1' } }],
  ['card.sport', { card: { ...CARD, sport: '@x' } }],
  ['card.parallel', { card: { ...CARD, parallel: '=x' } }],
  ['card.player', { card: { ...CARD, player: '＝HYPERLINK(1)' } }],
])('a formula in %s is a fault', (field, more) => {
  expect(faultsOf({ ...ROW, ...more })).toEqual([`${field}: begins like a formula (=, +, - or @)`]);
});

test('text that was not UTF-8 is a fault: a name with a hole in it is no name', () => {
  const [fault, ...rest] = checkSale(
    { ...ROW, card: { ...CARD, player: 'Jos\ufffd Canseco' } },
    terms,
  ).faults!;
  expect([fault.field, fault.got, rest]).toEqual(['card.player', 'Jos\ufffd Canseco', []]);
});

test.each([
  ['soldAt', { soldAt: '1800-01-01' }, { bound: '1990-01-01T00:00:00.000Z', got: '1800-01-01' }],
  ['soldAt', { soldAt: '2030-01-01' }, { bound: '2026-06-01T12:00:00.000Z', got: '2030-01-01' }],
  ['soldAt', { soldAt: '01/02/2026' }, { message: expect.stringContaining('2026-05-01'), got: '01/02/2026' }],
  ['price', { price: '0', fees: '0.10' }, { bound: 0.5, got: 0.1 }],
  ['price', { price: '1e400' }, { got: '1e400' }],
  ['grade', { grade: 11 }, { bound: 10, got: 11 }],
  ['currency', { currency: 'EUR' }, { bound: 'USD', got: 'EUR' }],
])('a fault of %s names the bound and what was sent: %j', (field, more, named) => {
  expect(checkSale({ ...ROW, ...more }, terms).faults).toEqual([
    expect.objectContaining({ field, ...named }),
  ]);
});

test.each([
  ['another currency', { currency: 'EUR' }, 'currency: EUR is not USD, and no rate of its day came along'],
  ['the future', { soldAt: '2026-06-01T12:02:00Z' }, 'soldAt: lies in the future'],
  ['before 1990', { soldAt: '1989-12-31T23:59:59Z' }, 'soldAt: lies before 1990'],
  ['nothing', { price: '0', fees: '0' }, 'price: with fees is below 0.5 US dollars'],
  ['below the least', { price: '0.29' }, 'price: with fees is below 0.5 US dollars'],
  ['above the most', { price: '25000000.00' }, 'price: with fees is above 25000000 US dollars'],
  ['no letters', { card: { ...CARD, player: '★★★' } }, 'card: set and player must hold letters or digits'],
])('%s is a fault', (_, more, fault) => expect(faultsOf({ ...ROW, ...more })).toEqual([fault]));

const EUR = { currency: 'EUR', rate: { usd: '1.0842', date: '2026-04-30', source: 'ECB' } };

test('a sale in another currency counts by the rate of its day, to the cent, and is the same sale with the same rate alone', () => {
  expect(saleOf({ ...ROW, ...EUR })).toMatchObject({ priceUsd: 108.75, usdRate: '1.0842' });
  const digest = (more: object) => saleOf({ ...ROW, ...EUR, ...more }).contentDigest.toString('hex');
  expect(digest({})).toBe(digest({ rate: { ...EUR.rate, usd: '1.08420' } }));
  for (const more of [{ usd: '1.0843' }, { date: '2026-05-01' }, { source: 'Fed' }])
    expect(digest({ rate: { ...EUR.rate, ...more } })).not.toBe(digest({}));
});

test.each([
  ['rate.date', { date: '2026-05-02' }, 'is not of the day of the sale'],
  ['rate.date', { date: '2026-04-23' }, 'nor up to 7 days before it'],
  ['rate.usd', { usd: '0' }, 'is not above 0'],
  ['rate.usd', { usd: '-1' }, 'a decimal such as 1.0842'],
  ['rate.source', { source: '' }, ''],
])('a rate is of the sale’s day: %s %j', (field, more, message) => {
  const faults = faultsOf({ ...ROW, ...EUR, rate: { ...EUR.rate, ...more } });
  expect(faults?.[0]).toContain(`${field}: `);
  expect(faults?.[0]).toContain(message);
});

test('a rate beside dollars is a fault, and an amount that comes to too little in dollars', () => {
  expect(faultsOf({ ...ROW, rate: EUR.rate })).toEqual([
    'rate: is of another currency than USD, which needs none',
  ]);
  const yen = { ...EUR, currency: 'JPY', price: '70', fees: '0', rate: { ...EUR.rate, usd: '0.0066' } };
  expect(faultsOf({ ...ROW, ...yen })).toEqual(['price: with fees is below 0.5 US dollars']);
});

test('an ungraded card has no grade, and every other one has', () => {
  const { grade: _, ...raw } = { ...ROW, company: 'RAW' };
  expect(saleOf(raw)).toMatchObject({ grade: 0, qualifier: '' });
  expect(saleOf({ ...ROW, company: 'TAG', grade: 10, qualifier: 'PRISTINE' }).grade).toBe(10);
  for (const row of [
    { ...ROW, company: 'RAW' },
    { ...raw, company: 'TAG' },
  ])
    expect(faultsOf(row)).toEqual([
      'grade: is needed of a card that a company graded, and not there for one that is RAW',
    ]);
});

test('a row names every fault of its schema', () => {
  const faults = faultsOf({
    ...ROW,
    ...{
      price: '1e5',
      grade: 8.25,
      company: 'XYZ',
      soldAt: '2026-02-30',
      card: { ...CARD, year: 12 },
      more: 1,
    },
  });
  const fields = faults?.map(fault => fault.split(':')[0]);
  expect(fields).toEqual(['card.year', 'company', 'grade', 'price', 'soldAt', 'more']);
});

test.each([
  ...['-1', '1,000.00', '$5', '1e3', ' 5', '5.', '.5', 'NaN', '5.001', '٣'].map(price => ({ price })),
  ...[5, null, {}, [], undefined].map(price => ({ price })),
])('$price is no price', ({ price }) => expect(faultsOf({ ...ROW, price })?.[0]).toMatch(/^price: /));

test.each([null, 5, 'x', [], [ROW], {}, { card: null }, { ...ROW, url: 'javascript:alert(1)' }])(
  'a row that is none is refused: %#',
  row => expect(faultsOf(row)?.length).toBeGreaterThan(0),
);

test('synthetic sales are refused in production alone', () => {
  expect(faultsOf({ ...ROW, synthetic: true })).toBeUndefined();
  expect(faultsOf({ ...ROW, synthetic: true }, { production: true })).toEqual([
    'synthetic: sales that a generator made are refused in production',
  ]);
});

test('the same sale has the same digest, whatever is changed gives another', () => {
  const digest = (more: object) => saleOf({ ...ROW, ...more }).contentDigest.toString('hex');
  expect(digest({ venue: 'EBAY', fees: '0.2', soldAt: '2026-05-01' })).toBe(digest({}));
  const changes = [
    ...[{ itemId: 'i2' }, { venue: 'b' }, { company: 'BGS' }, { grade: 8.5 }, { qualifier: 'OC' }],
    ...[{ price: '100.11' }, { fees: '0.21' }, { soldAt: '2026-05-02' }, { saleType: 'fixed' }],
    ...[{ url: 'https://a.example/' }, { verified: true }, { synthetic: true }],
    { card: { ...CARD, number: '58' } },
  ];
  expect(new Set([digest({}), ...changes.map(digest)]).size).toBe(changes.length + 1);
});

test('a price twenty times from those of its peers is not believed, nearer ones are', () => {
  const sales = ['100', '101', '102', '103', '104', '2100', '1900', '5.20', '4.90'].map((price, i) =>
    saleOf({ ...ROW, itemId: `i${i}`, price, fees: '0' }),
  );
  const reasons = implausiblePrices(sales, new Map());
  const strange = sales.filter((_, i) => reasons[i] !== undefined).map(({ priceUsd }) => priceUsd);
  expect(strange).toEqual([2_100, 4.9]);
  expect(reasons[5]).toBe('is 21 times the median of 9 sales of the card in this grade');
});

test('peers are of the same company, grade and market, and what is stored comes first', () => {
  const sale = saleOf({ ...ROW, price: '5000', fees: '0' });
  const stored = new Map([[gradeKeyOf(sale), { count: 5, medianUsd: 100 }]]);
  expect(implausiblePrices([sale], stored)[0]).toMatch(/^is 50 times/);
  for (const more of [{ company: 'BGS' }, { grade: 9 }, { qualifier: 'OC' }, { synthetic: true }]) {
    const other = saleOf({ ...ROW, price: '5000', fees: '0', ...more });
    expect(implausiblePrices([other], stored)).toEqual([undefined]);
  }
  expect(implausiblePrices([sale], new Map([[gradeKeyOf(sale), { count: 4, medianUsd: 100 }]]))).toEqual([
    undefined,
  ]);
});

test('whatever a row was, it can be kept as text that Postgres stores', () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.jsonValue(), fc.anything({ withBigInt: false }), fc.string({ unit: 'binary' })),
      raw => {
        const row = storableRow(raw);
        const json = JSON.stringify(row);
        expect(json).not.toMatch(/(?<!\\)(\\\\)*\\u(0000|d[89a-f])/);
        expect(Object.keys(row).length).toBeLessThanOrEqual(32);
        expect(rowDigest(row, ['x'])).toHaveLength(32);
      },
    ),
    { numRuns: 300 },
  );
  expect(storableRow({ a: 'x\u0000y\ud800', b: { c: [1] }, __proto__: null })).toEqual({
    a: 'x\ufffdy\ufffd',
    b: { c: '[1]' },
  });
  expect(storableRow({ price: 'x'.repeat(9_999) }).price).toHaveLength(512);
  expect(storableRow([1, 2])).toEqual({ value: '[1,2]' });
});
