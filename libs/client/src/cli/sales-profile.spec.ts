import { exchangeRates } from './exchange-rates.js';
import { dayOf, moneyOf, profiledSales } from './sales-profile.js';

/** In the form of eBay's Orders report: its furniture, an order of two items with its sum, several pieces of one. */
const EBAY_ORDERS = `,,,,,,,,,,,
"Sales Record Number","Order Number","Buyer Name","Item Number","Item Title","Quantity","Sold For","Shipping And Handling","Total Price","Sale Date","Shipped On Date","Tracking Number"
"","","","","","","","","","","",""
"149","11-10000-00001","b1","220000000001","1986 Fleer Michael Jordan #57 PSA 8","1","$5,090.00","$4.50","$5,094.50","Sep-18-26","",""
"142","11-10000-00002","b2","220000000002","Apple AirPods 4 NEW FACTORY SEALED","1","$65.00","$0.00","$65.00","Sep-14-26","",""
"119","11-10000-00003","b3","","","2","$28.00","$0.00","$29.55","Aug-25-26","Aug-26-26",""
"119","11-10000-00003","b3","220000000004","1980 Topps #482 Rickey Henderson PSA 8 (OC)","1","$13.00","","","Aug-25-26","Aug-26-26",""
"119","11-10000-00003","b3","220000000005","1993 SP Derek Jeter #279 CGC PRISTINE 10","1","EUR 1.500,00","EUR 3,50","","Aug-25-26","",""
"118","11-10000-00004","b4","220000000006","1957 Topps Bill Russell #77","3","$90.00","$0.00","$90.00","Aug-24-26","",""

6,record(s) downloaded,
Seller ID : a-seller
`;
const RATES = exchangeRates('{"base":"EUR","source":"ECB","rates":{"2026-08-25":{"USD":1.1}}}', '');
const FIXED = { values: { saleType: 'fixed' } };

describe('an orders report of eBay', () => {
  const { sales, left } = profiledSales(EBAY_ORDERS, 'ebay-orders', FIXED, RATES);

  test('gives the cards that its titles name, with what was paid beside the price', () => {
    expect(sales).toEqual([
      {
        ...{ itemId: '220000000001 11-10000-00001', venue: 'eBay', company: 'PSA', grade: 8 },
        card: { year: 1986, set: 'Fleer', number: '57', player: 'Michael Jordan' },
        ...{ price: '5090.00', fees: '4.50', currency: 'USD', soldAt: '2026-09-18', saleType: 'fixed' },
      },
      expect.objectContaining({ company: 'PSA', grade: 8, qualifier: 'OC', price: '13.00', fees: '0.00' }),
      expect.objectContaining({
        ...{
          company: 'CGC',
          grade: 10,
          qualifier: 'PRISTINE',
          price: '1500.00',
          fees: '3.50',
          currency: 'EUR',
        },
        rate: { usd: '1.1', date: '2026-08-25', source: 'ECB' },
      }),
    ]);
  });

  test('leaves what is no card, and several pieces, with the line and the reason', () => {
    expect(left).toEqual([
      { line: 5, title: 'Apple AirPods 4 NEW FACTORY SEALED', reason: 'names no year' },
      { line: 9, title: '1957 Topps Bill Russell #77', reason: 'is of 3 pieces' },
    ]);
  });

  test('needs to be told what it does not say', () => {
    const reasons = profiledSales(EBAY_ORDERS, 'ebay-orders').left.map(({ reason }) => reason);
    expect(reasons[0]).toBe('does not say whether it was an auction: --sale-type does');
    const noRates = profiledSales(EBAY_ORDERS, 'ebay-orders', FIXED).left.map(({ reason }) => reason);
    expect(noRates).toContain('is in EUR, and no rate of its day is known: --rates has them');
  });

  test('takes a card that a person has told by the words of its title', () => {
    const card = { year: 1957, set: 'Topps', number: '77', player: 'Bill Russell' };
    const text = EBAY_ORDERS.replace(
      '1986 Fleer Michael Jordan #57 PSA 8',
      'RUSSELL rookie!! 1957 Topps PSA 4',
    );
    const map = { ...FIXED, cards: [{ words: '1957 topps russell', card }] };
    expect(profiledSales(text, 'ebay-orders', map, RATES).sales[0]).toMatchObject({
      card,
      company: 'PSA',
      grade: 4,
    });
  });
});

test('the sales history of Fanatics Collect is read by its members, and a grade that contradicts its title is left', () => {
  const sale = (more: object) => ({
    ...{
      id: 'f-1',
      title: '2003 Topps Chrome LeBron James #111 PSA 10',
      purchasePrice: 4100.5,
      currency: 'USD',
    },
    ...{ soldDate: '2026-04-12T01:02:03.000Z', gradingService: 'PSA', grade: '10', mediumImage1: 'x' },
    ...more,
  });
  const rows = [
    sale({}),
    sale({ id: 'f-2', grade: '9' }),
    sale({ id: 'f-3', title: '2003 Topps Chrome LeBron James #111' }),
  ];
  const { sales, left } = profiledSales(JSON.stringify(rows), 'fanatics', {
    values: { saleType: 'auction' },
  });
  expect(sales.map(({ itemId, grade, price, soldAt }) => [itemId, grade, price, soldAt])).toEqual([
    ['f-1', 10, '4100.50', '2026-04-12T01:02:03.000Z'],
    ['f-3', 10, '4100.50', '2026-04-12T01:02:03.000Z'],
  ]);
  expect(left).toEqual([
    expect.objectContaining({ line: 2, reason: expect.stringContaining('another grade') }),
  ]);
});

const PASTED = `Sold  Oct 3, 2026
1986 Fleer Michael Jordan #57 PSA 8 NM-MTOpens in a new window or tab
Pre-Owned · Professional Sports Authenticator (PSA) · 8
$5,250.00
12 bids
+$14.95 delivery
from United States
Sold  Oct 1, 2026
2018 Panini Prizm Silver Luka Doncic #280 PSA 10
$812.00
or Best Offer
Free delivery
Sold  Sep 30, 2026
1957 Topps Bill Russell #77
`;

test('a page of sold listings that was copied is cut at its days; a tile without a price is left', () => {
  const { sales, left } = profiledSales(PASTED.replace('Opens in a new window or tab', ''), 'ebay-pasted');
  expect(sales.map(({ price, fees, saleType, soldAt }) => [price, fees, saleType, soldAt])).toEqual([
    ['5250.00', '14.95', 'auction', '2026-10-03'],
    ['812.00', '0.00', 'best_offer', '2026-10-01'],
  ]);
  expect(left).toEqual([{ line: 13, title: '1957 Topps Bill Russell #77', reason: '“” is no price' }]);
  const again = profiledSales(PASTED.replace('Opens in a new window or tab', ''), 'ebay-pasted').sales;
  expect(again.map(({ itemId }) => itemId)).toEqual(sales.map(({ itemId }) => itemId));
  expect(new Set(sales.map(({ itemId }) => itemId)).size).toBe(2);
});

test('a page whose day stands behind the price is read as well', () => {
  const text = `2003 Topps Chrome LeBron James #111 PSA 10
$4,100
Sold on Apr 12, 2026 in Auction

1993 SP Derek Jeter #279 PSA 8
$1,020
Sold on Apr 10, 2026 in Buy Now
`;
  expect(profiledSales(text, 'fanatics-pasted').sales).toMatchObject([
    { venue: 'Fanatics Collect', price: '4100.00', soldAt: '2026-04-12', saleType: 'auction' },
    { venue: 'Fanatics Collect', price: '1020.00', soldAt: '2026-04-10', saleType: 'fixed' },
  ]);
});

test('any table is read by a map: columns, what is the same for all, the premium, the order of day and month', () => {
  const text =
    'Lot;Name;Hammer;Closed\n'.replaceAll(';', ',') +
    '12,1986 Fleer Michael Jordan #57 SGC 7,"2,000",03/04/2026\n';
  const map = {
    ...{ venue: 'Goldin', premiumPercent: 22, dayFirst: true },
    columns: { itemId: 'Lot', title: 'Name', price: 'Hammer', soldAt: 'Closed' },
    values: { currency: 'USD', saleType: 'auction' },
  };
  expect(profiledSales(text, 'table', map).sales).toMatchObject([
    {
      itemId: '12',
      venue: 'Goldin',
      company: 'SGC',
      grade: 7,
      price: '2000.00',
      fees: '440.00',
      soldAt: '2026-04-03',
    },
  ]);
  const unsaid = profiledSales(text, 'table', { ...map, dayFirst: false });
  expect(unsaid.left[0].reason).toBe('“03/04/2026” is no day that has one meaning');
  expect(() => profiledSales(text, 'table', {})).toThrow('name them with --map');
  expect(() => profiledSales(text, 'ebay-orders')).toThrow(
    'no line with the columns Item Title, Sold For, Sale Date',
  );
  expect(() => profiledSales(text, 'nosuch')).toThrow('--profile is one of');
});

test.each([
  ['$1,234.50', 123_450, 'USD'],
  ['EUR 90,00', 9_000, 'EUR'],
  ['1\u202f234,50 €', 123_450, 'EUR'],
  ['£12', 1_200, 'GBP'],
  ['1.234,50 EUR', 123_450, 'EUR'],
  ['C $12.00', undefined, undefined],
  ['12.5', 1_250, undefined],
  ['1.234', undefined, undefined],
  ['12,345', 1_234_500, undefined],
  ['about 5', undefined, undefined],
  ['', undefined, undefined],
])('%s is an amount of %s cents', (text, cents, currency) => {
  expect(moneyOf(text)).toEqual(cents === undefined ? undefined : { cents, ...(currency && { currency }) });
});

test.each([
  ['Sep-18-26', '2026-09-18'],
  ['Oct 5, 2026', '2026-10-05'],
  ['5 Oct 2026', '2026-10-05'],
  ['2026-10-05', '2026-10-05'],
  ['13/04/2026', '2026-04-13'],
  ['04/13/2026', '2026-04-13'],
  ['04/05/2026', undefined],
  ['Feb-30-26', undefined],
  ['the 5th', undefined],
])('%s is the day %s', (text, day) => expect(dayOf(text, false)).toBe(day));
