import { UsageError } from './exit-code.js';
import { feedMapOf, spotPricesOf } from './spot-feed.js';

const price = (value: unknown, more: object = {}) => ({
  ...{ source: 'x', asOf: '2026-11-26T12:00:00Z', currency: 'USD', prices: { XAU: value } },
  ...more,
});

describe('a feed of spot prices', () => {
  test('in its own form has a price of each metal with time and source', () => {
    const feed = { ...price('4123.450'), prices: { XAU: '4123.450', XAG: 52.1, XBT: 1 } };
    const common = { currency: 'USD', asOf: '2026-11-26T12:00:00.000Z', source: 'x' };
    expect(spotPricesOf(feed)).toEqual([
      { metal: 'XAU', price: '4123.450', ...common },
      { metal: 'XAG', price: '52.1', ...common },
    ]);
  });

  // Forms of three public price services, with figures of our own.
  test.each([
    [
      'one metal, seconds since 1970',
      { timestamp: 1_795_694_400, metal: 'XAU', currency: 'USD', price: 4123.45 },
      {
        source: 'one',
        asOf: '/timestamp',
        currency: '/currency',
        prices: [{ metal: 'XAU', price: '/price' }],
      },
      { metal: 'XAU', price: '4123.45', asOf: '2026-11-26T12:00:00.000Z', source: 'one', currency: 'USD' },
    ],
    [
      'ounces for a dollar, a base',
      { timestamp: 1_795_694_400_000, base: 'USD', rates: { XAG: 0.02 } },
      {
        ...{ source: 'two', asOf: '/timestamp', currency: '/base' },
        prices: [{ metal: 'XAG', price: '/rates/XAG', inverse: true }],
      },
      { metal: 'XAG', price: '50', asOf: '2026-11-26T12:00:00.000Z', source: 'two', currency: 'USD' },
    ],
    [
      'by the gram, a time of each, a slash in a name',
      { 'a/b': { at: '2026-11-26T12:00:00Z' }, metals: { gold: 100 } },
      {
        ...{ source: 'three', asOf: '/a~1b/at', currency: 'EUR' },
        prices: [{ metal: 'XAU', price: '/metals/gold', per: 'gram' }],
      },
      {
        metal: 'XAU',
        price: '3110.34768',
        asOf: '2026-11-26T12:00:00.000Z',
        source: 'three',
        currency: 'EUR',
      },
    ],
  ])('of another form is read by a map: %s', (_name, feed, map, expected) => {
    expect(spotPricesOf(feed, feedMapOf(map))).toEqual([expected]);
  });

  test.each([
    ['no time', price(1, { asOf: undefined }), 'no time at /asOf'],
    ['no source', price(1, { source: '' }), 'no source at /source'],
    ['no currency', price(1, { currency: 5 }), 'no currency at /currency'],
    ['a price of nothing', price(0), 'no price of XAU'],
    ['a price below nothing', price(-1), 'no price of XAU'],
    ['a word for a price', price('dear'), 'no price of XAU'],
    ['a price without end', price('Infinity'), 'no price of XAU'],
    ['a list for a price', price([1, 2]), 'no price of XAU'],
    ['no metal', { ...price(1), prices: {} }, 'no price of a metal'],
    [
      'members of its prototype',
      { ...price(1), prices: Object.create({ XAU: 1 }) as object },
      'no price of a metal',
    ],
  ])('with %s is refused by name', (_name, feed, message) => {
    expect(() => spotPricesOf(feed)).toThrow(UsageError);
    expect(() => spotPricesOf(feed)).toThrow(message);
  });

  test.each([
    [{ source: 'x', asOf: '/t', prices: [] }, 'no currency'],
    [{ source: 'x', asOf: '/t', currency: 'USD', prices: [] }, 'prices of the map'],
    [
      { source: 'x', asOf: '/t', currency: 'USD', prices: [{ metal: 'XBT', price: '/p' }] },
      'prices of the map',
    ],
    [
      { source: 'x', asOf: '/t', currency: 'USD', prices: [{ metal: 'XAU', price: '/p', per: 'stone' }] },
      'prices of the map',
    ],
  ])('refuses the map %j', (map, message) => {
    expect(() => feedMapOf(map)).toThrow(message);
  });
});
