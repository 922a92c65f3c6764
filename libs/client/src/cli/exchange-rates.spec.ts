import { exchangeRates } from './exchange-rates.js';

/** As mirrors of the ECB's reference rates answer a range of days. */
const OF_EUROS = JSON.stringify({
  ...{ amount: 1, base: 'EUR', start_date: '2026-04-29', end_date: '2026-05-01' },
  rates: { '2026-04-29': { USD: 1.08, GBP: 0.85 }, '2026-05-01': { USD: 1.1, GBP: 0.88, JPY: 160 } },
});

test('the rate of a day, or of the nearest before it, is in dollars whatever the base', () => {
  const rateOf = exchangeRates(OF_EUROS, 'ecb.example');
  expect(rateOf('EUR', '2026-05-01')).toEqual({ usd: '1.1', date: '2026-05-01', source: 'ecb.example' });
  expect(rateOf('GBP', '2026-05-01')).toMatchObject({ usd: '1.25' });
  expect(rateOf('JPY', '2026-05-01')).toMatchObject({ usd: '0.006875' });
  expect(rateOf('EUR', '2026-04-30')).toMatchObject({ usd: '1.08', date: '2026-04-29' });
  expect(rateOf('EUR', '2026-05-08')).toMatchObject({ date: '2026-05-01' });
  const ofDollars = exchangeRates('{"base":"USD","source":"Fed","rates":{"2026-05-01":{"GBP":0.8}}}', 'x');
  expect(ofDollars('GBP', '2026-05-02')).toEqual({ usd: '1.25', date: '2026-05-01', source: 'Fed' });
});

test('a day that has none is none', () => {
  const rateOf = exchangeRates(OF_EUROS, 'ecb.example');
  for (const [currency, day] of [
    ['EUR', '2026-05-09'],
    ['EUR', '2026-04-28'],
    ['JPY', '2026-04-30'],
    ['CHF', '2026-05-01'],
  ])
    expect(rateOf(currency, day)).toBeUndefined();
});

test('a CSV of days is read with or without its header', () => {
  for (const head of ['', 'date,currency,usd\n']) {
    const rateOf = exchangeRates(`${head}2026-05-01,GBP,1.27\n2026-05-02,EUR,1.1\n`, 'bank.csv');
    expect(rateOf('GBP', '2026-05-03')).toEqual({ usd: '1.27', date: '2026-05-01', source: 'bank.csv' });
  }
});

test.each([
  '{}',
  '{"base":"EUR"}',
  '{"base":"EUR","rates":{"2026-05-01":{"GBP":0.8}}}',
  '{',
  'date,currency,usd',
  '1,2,3\n4,5,6',
  '2026-05-01,GBP,-1',
])('what has no rate of dollars is refused: %s', text =>
  expect(() => exchangeRates(text, 'x')).toThrow(/rates/),
);
