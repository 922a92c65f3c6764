import { RATE_AGE_DAYS_MAX } from '@svc/contracts';
import { UsageError } from './exit-code.js';

const DAY_MS = 86_400_000;
const RATES_MAX = 1_000_000;

/** A rate as an imported sale has it. */
export interface SaleRate {
  /** US dollars for one unit, decimal text. */
  readonly usd: string;
  /** `YYYY-MM-DD` */
  readonly date: string;
  readonly source: string;
}

/** Finds the rate of a currency on a day, or on the nearest day before it that has one. */
export type RateOf = (currency: string, day: string) => SaleRate | undefined;

/**
 * Dated rates out of a file: JSON with a base, `{ "base": "EUR", "rates": { "2026-05-01": { "USD": 1.08, "GBP": 0.85 } } }` as ECB
 * mirrors answer, or CSV lines `date,currency,usd`.
 *
 * @param source whose rates: for a file that does not name its own
 * @throws {UsageError} for a file that is neither
 * @example exchangeRates('{"base":"USD","rates":{"2026-05-01":{"GBP":0.8}}}', 'bank')('GBP', '2026-05-02')?.usd // '1.25'
 */
export function exchangeRates(text: string, source: string): RateOf {
  const named = new Map<string, number>();
  const whose = /^\s*\{/.test(text) ? readJson(text, source, named) : readCsv(text, source, named);
  if (named.size === 0) throw new UsageError('the rates have no day with a rate of US dollars');
  return (currency, day) => {
    for (let age = 0; age <= RATE_AGE_DAYS_MAX; age++) {
      const date = new Date(Date.parse(day) - age * DAY_MS).toISOString().slice(0, 10);
      const usd = named.get(`${date} ${currency}`);
      if (usd !== undefined) return { usd: decimal(usd), date, source: whose };
    }
    return undefined;
  };
}

const isRate = (value: unknown): value is number =>
  typeof value === 'number' && value > 0 && Number.isFinite(value);
const decimal = (usd: number): string => usd.toFixed(8).replace(/\.?0+$/, '');
const DAY = /^\d{4}-\d\d-\d\d$/;

function readJson(text: string, source: string, named: Map<string, number>): string {
  let file: { base?: unknown; source?: unknown; rates?: unknown };
  try {
    file = JSON.parse(text) as typeof file;
  } catch {
    throw new UsageError('the rates are no JSON');
  }
  const { base, rates } = file;
  if (typeof base !== 'string' || typeof rates !== 'object' || rates === null)
    throw new UsageError('the rates need "base" and "rates": { "YYYY-MM-DD": { "USD": 1.08 } }');
  for (const [date, of] of Object.entries(rates as Record<string, Record<string, unknown>>)) {
    const perBase = base === 'USD' ? 1 : of?.['USD'];
    if (!DAY.test(date) || !isRate(perBase)) continue;
    put(named, `${date} ${base}`, perBase);
    for (const [currency, per] of Object.entries(of))
      if (isRate(per)) put(named, `${date} ${currency}`, perBase / per);
  }
  return typeof file.source === 'string' && file.source !== '' ? file.source.slice(0, 64) : source;
}

function readCsv(text: string, source: string, named: Map<string, number>): string {
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const [date = '', currency = '', usd = ''] = line.split(/[,;\t]/).map(cell => cell.trim());
    if (line.trim() === '' || (index === 0 && !DAY.test(date))) continue;
    if (!DAY.test(date) || !/^[A-Z]{3}$/.test(currency) || !isRate(Number(usd)))
      throw new UsageError(
        `line ${index + 1} of the rates is no "date,currency,usd" such as 2026-05-01,GBP,1.27`,
      );
    put(named, `${date} ${currency}`, Number(usd));
  }
  return source;
}

function put(named: Map<string, number>, key: string, usd: number): void {
  if (named.size >= RATES_MAX) throw new UsageError(`the rates have more than ${RATES_MAX} entries`);
  named.set(key, usd);
}
