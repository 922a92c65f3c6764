import { RATE_AGE_DAYS_MAX, SALE_USD_MAX, SALE_USD_MIN, SaleRow } from '@svc/contracts';
import { faultsOf, type SchemaIssue } from '@svc/platform';
import { createHash } from 'node:crypto';
import { cardKeyOf, cardWordsOf, type CardWords } from './card-key.js';

/** Sales before it have no meaning here: graded cards began to be sold then. */
const SOLD_AT_MS_MIN = Date.parse('1990-01-01T00:00:00Z');
/** How far ahead of ours the clock of whoever names a sale may be, milliseconds. */
const CLOCK_SKEW_MS = 60_000;
/** What spreadsheets take for the beginning of a formula, in the full width of East Asian keyboards too. */
const FORMULA = /^\s*[=+\-@＝＋－＠]/;
/** What decoders put in the place of bytes that are not UTF-8. */
const REPLACED = '\ufffd';

/** A sale that can be stored. */
export interface CheckedSale {
  readonly row: SaleRow;
  readonly cardKey: string;
  readonly words: CardWords;
  /** In lower case: `eBay` and `ebay` are one. */
  readonly venue: string;
  readonly qualifier: string;
  /** 0 for a card that no company graded. */
  readonly grade: number;
  /** US dollars for one unit of its currency, a decimal: `1` for dollars. */
  readonly usdRate: string;
  readonly priceUsd: number;
  readonly soldAtMs: number;
  /** SHA-256 of all that is stored of it: the same sale again has the same. */
  readonly contentDigest: Buffer;
}

/** Why a row cannot be taken. */
export interface RowFault {
  readonly field: string;
  readonly message: string;
  /** The bound that was broken, where there is one. */
  readonly bound?: unknown;
  /** What was sent, shortened. */
  readonly got?: unknown;
}

export type SaleCheck =
  | { readonly sale: CheckedSale; readonly faults?: undefined }
  | { readonly sale?: undefined; readonly faults: readonly RowFault[] };

/** What a row is held against. */
export interface CheckTerms {
  readonly nowMs: number;
  /** Synthetic sales are refused. */
  readonly production: boolean;
}

/** A row as a sale, or everything that is wrong with it. Nothing is put right on the way; another currency counts by the rate that came along. */
export function checkSale(raw: unknown, { nowMs, production }: CheckTerms): SaleCheck {
  const parsed = SaleRow.safeParse(raw);
  if (!parsed.success) {
    const faults = faultsOf(parsed.error.issues as unknown as SchemaIssue[], raw);
    return { faults: faults.map(({ path, message, bound, got }) => ({ field: path, message, bound, got })) };
  }
  const row = parsed.data;
  const sale = checkedSaleOf(row);
  const faults = [...textFaults(row), ...dateFaults(sale, nowMs), ...rateFaults(sale), ...priceFaults(sale)];
  if (row.synthetic && production) {
    faults.push({ field: 'synthetic', message: 'sales that a generator made are refused in production' });
  }
  if (sale.cardKey.startsWith(`${row.card.year}-`) && sale.words.player !== '' && sale.words.set !== '') {
    return faults.length === 0 ? { sale } : { faults };
  }
  return { faults: [...faults, { field: 'card', message: 'set and player must hold letters or digits' }] };
}

function checkedSaleOf(row: SaleRow): CheckedSale {
  const venue = row.venue.trim().toLowerCase();
  const qualifier = row.qualifier ?? '';
  const cardKey = cardKeyOf(row.card);
  const soldAtMs = Date.parse(row.soldAt);
  const grade = row.grade ?? 0;
  const cents = centsOf(row.price) + centsOf(row.fees);
  const usdRate = row.rate?.usd ?? '1';
  const stored = [
    ...[cardKey, row.company, grade, qualifier, centsOf(row.price), centsOf(row.fees), row.currency],
    ...[soldAtMs, venue, row.itemId, row.saleType, row.url ?? null, row.verified, row.synthetic],
    // Sales in dollars have the digest that they had before there were others.
    ...(row.rate ? [Number(usdRate), row.rate.date, row.rate.source] : []),
  ];
  return {
    ...{ row, cardKey, venue, qualifier, grade, soldAtMs, usdRate },
    words: cardWordsOf(row.card),
    priceUsd: Math.round(cents * Number(usdRate)) / 100,
    contentDigest: createHash('sha256').update(JSON.stringify(stored), 'utf8').digest(),
  };
}

/** Exact: an amount has at most nine digits before its point. */
function centsOf(amount: string): number {
  const [whole, fraction = ''] = amount.split('.');
  return Number(whole) * 100 + Number(fraction.padEnd(2, '0'));
}

function textFaults({ itemId, venue, card }: SaleRow): RowFault[] {
  const texts = {
    itemId,
    venue,
    'card.set': card.set,
    'card.number': card.number,
    'card.player': card.player,
  };
  const optional = { 'card.sport': card.sport, 'card.parallel': card.parallel };
  return Object.entries({ ...texts, ...optional }).flatMap(([field, text = '']) => [
    ...(FORMULA.test(text) ? [{ field, message: 'begins like a formula (=, +, - or @)', got: text }] : []),
    ...(text.includes(REPLACED) ? [{ field, message: 'holds U+FFFD: was it not UTF-8?', got: text }] : []),
  ]);
}

function dateFaults({ soldAtMs, row: { soldAt: got } }: CheckedSale, nowMs: number): RowFault[] {
  const bound = (atMs: number) => new Date(atMs).toISOString();
  if (soldAtMs > nowMs + CLOCK_SKEW_MS)
    return [{ field: 'soldAt', message: 'lies in the future', bound: bound(nowMs), got }];
  if (soldAtMs < SOLD_AT_MS_MIN)
    return [{ field: 'soldAt', message: 'lies before 1990', bound: bound(SOLD_AT_MS_MIN), got }];
  return [];
}

const DAY_MS = 86_400_000;

/** A sale that was not in dollars counts by a rate of its day. */
function rateFaults({ row: { currency, rate, soldAt }, soldAtMs }: CheckedSale): RowFault[] {
  if (currency === 'USD') {
    return rate ? [{ field: 'rate', message: 'is of another currency than USD, which needs none' }] : [];
  }
  if (!rate) {
    const message = `${currency} is not USD, and no rate of its day came along`;
    return [{ field: 'currency', message, bound: 'USD', got: currency }];
  }
  const faults: RowFault[] = [];
  if (!(Number(rate.usd) > 0))
    faults.push({ field: 'rate.usd', message: 'is not above 0', bound: '> 0', got: rate.usd });
  const soldDay = soldAtMs - (soldAtMs % DAY_MS);
  const ageDays = (soldDay - Date.parse(rate.date)) / DAY_MS;
  if (ageDays < 0 || ageDays > RATE_AGE_DAYS_MAX) {
    const message = `is not of the day of the sale (${soldAt}), nor up to ${RATE_AGE_DAYS_MAX} days before it`;
    faults.push({ field: 'rate.date', message, bound: RATE_AGE_DAYS_MAX, got: rate.date });
  }
  return faults;
}

function priceFaults({ priceUsd: got }: CheckedSale): RowFault[] {
  const fault = (side: string, bound: number) => [
    { field: 'price', message: `with fees is ${side} ${bound} US dollars`, bound, got },
  ];
  if (got < SALE_USD_MIN) return fault('below', SALE_USD_MIN);
  return got > SALE_USD_MAX ? fault('above', SALE_USD_MAX) : [];
}
