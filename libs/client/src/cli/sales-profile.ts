import { createHash } from 'node:crypto';
import { parse } from 'csv-parse/sync';
import { cardOfTitle, gradeIn, type TitledCard, type SaleGrade } from './card-title.js';
import type { RateOf } from './exchange-rates.js';
import { UsageError } from './exit-code.js';

/** What a mapping file may say; what it does not, the profile does. */
export interface SalesMap {
  readonly venue?: string;
  /** The column, or the member of JSON, of each part of a sale. */
  readonly columns?: Partial<Record<Part, string>>;
  /** Parts that are the same for all: `{ "saleType": "auction", "currency": "USD" }`. */
  readonly values?: Partial<Record<Part, string>>;
  /** Percent of the price that the buyer pays beside it, where no column has it: fees of a hammer price. */
  readonly premiumPercent?: number;
  /** `03/04/2026` is the third of April. */
  readonly dayFirst?: boolean;
  /** Names beside those that are known. */
  readonly sets?: readonly string[];
  readonly parallels?: readonly string[];
  /** Titles whose card a person has told, by all of these words: the first that fits. */
  readonly cards?: readonly { readonly words: string; readonly card: TitledCard['card'] }[];
}
type Part =
  | 'itemId'
  | 'order'
  | 'title'
  | 'price'
  | 'fees'
  | 'currency'
  | 'soldAt'
  | 'saleType'
  | 'url'
  | 'quantity'
  | 'company'
  | 'grade'
  | 'qualifier';
type Raw = Partial<Record<Part, string>>;

/** A sale as `POST /v1/admin/card-sales` takes it. */
export type ProfiledSale = Record<string, unknown>;
/** A record that is no sale yet, and why. */
export interface LeftRecord {
  /** Of the file, from 1. */
  readonly line: number;
  readonly title: string;
  readonly reason: string;
}
export interface ProfiledSales {
  readonly sales: readonly ProfiledSale[];
  readonly left: readonly LeftRecord[];
}

interface Profile extends SalesMap {
  readonly form: 'table' | 'pasted';
}

/**
 * eBay's Orders report (Seller Hub, English): a blank first line, dates such as `Sep-18-26`, `$1,234.50` or `EUR 90,00`, summary rows
 * of orders with several items, and two lines at its foot. Sales history of Fanatics Collect: JSON, as its public page loads it.
 * Of Goldin no export is known: its lots are pasted, or mapped.
 */
export const SALES_PROFILES: Readonly<Record<string, Profile>> = {
  'ebay-orders': {
    form: 'table',
    venue: 'eBay',
    columns: {
      ...{ itemId: 'Item Number', order: 'Order Number', title: 'Item Title', price: 'Sold For' },
      ...{ fees: 'Shipping And Handling', soldAt: 'Sale Date', quantity: 'Quantity' },
    },
  },
  fanatics: {
    form: 'table',
    venue: 'Fanatics Collect',
    columns: {
      ...{ itemId: 'id', title: 'title', price: 'purchasePrice', soldAt: 'soldDate', currency: 'currency' },
      ...{ company: 'gradingService', grade: 'grade' },
    },
    values: { currency: 'USD' },
  },
  'ebay-pasted': { form: 'pasted', venue: 'eBay' },
  'fanatics-pasted': { form: 'pasted', venue: 'Fanatics Collect' },
  'goldin-pasted': { form: 'pasted', venue: 'Goldin', values: { saleType: 'auction' } },
  table: { form: 'table' },
};

/**
 * The sales of a file of a venue, and what is left for a person: records whose card, grade, price or day cannot be told. Nothing is guessed.
 *
 * @param map what a mapping file says beside the profile, or in its place
 * @throws {UsageError} for an unknown profile, and a file that has not its columns
 */
export function profiledSales(
  text: string,
  name: string,
  map: SalesMap = {},
  rateOf?: RateOf,
): ProfiledSales {
  const profile = SALES_PROFILES[name];
  if (!profile)
    throw new UsageError(`--profile is one of ${Object.keys(SALES_PROFILES).join(', ')}, not ${name}`);
  const asked: SalesMap = {
    ...{ ...profile, ...map },
    columns: { ...profile.columns, ...map.columns },
    values: { ...profile.values, ...map.values },
  };
  const records = profile.form === 'pasted' ? pastedRecords(text) : tableRecords(text, asked);
  const sales: ProfiledSale[] = [];
  const left: LeftRecord[] = [];
  for (const { line, raw } of records) {
    const sale = saleOf({ ...asked.values, ...raw }, asked, rateOf);
    if (typeof sale === 'string') left.push({ line, title: (raw.title ?? '').slice(0, 120), reason: sale });
    else sales.push(sale);
  }
  return { sales, left };
}

interface RawRecord {
  readonly line: number;
  readonly raw: Raw;
}

function tableRecords(text: string, { columns = {} }: SalesMap): RawRecord[] {
  const of = (row: Record<string, unknown>): Raw =>
    Object.fromEntries(
      Object.entries(columns).flatMap(([part, column]) => {
        const value = row[column];
        return value === undefined || value === null || value === '' ? [] : [[part, String(value).trim()]];
      }),
    );
  if (/^\s*[[{]/.test(text)) return jsonRows(text).map((row, index) => ({ line: index + 1, raw: of(row) }));
  const rows = csvRows(text);
  const needed = [columns.title, columns.price, columns.soldAt].filter(column => column !== undefined);
  const head = rows.findIndex(({ cells }) => needed.every(column => cells.includes(column)));
  if (head < 0 || needed.length < 3)
    throw new UsageError(
      `the file has no line with the columns ${needed.join(', ') || 'of title, price and day: name them with --map'}`,
    );
  const names = rows[head].cells;
  return rows.slice(head + 1).flatMap(({ cells, line }) => {
    const raw = of(Object.fromEntries(names.map((column, i) => [column, cells[i] ?? ''])));
    // Padding, the sum of an order with several items, and the foot of the file have no title.
    return raw.title === undefined ? [] : [{ line, raw }];
  });
}

function jsonRows(text: string): Record<string, unknown>[] {
  let file: unknown;
  try {
    file = JSON.parse(text);
  } catch {
    throw new UsageError('the file begins as JSON and is none');
  }
  const rows = Array.isArray(file) ? file : Object.values(file as object).find(Array.isArray);
  if (!rows) throw new UsageError('the file has no list of sales');
  return rows.filter(row => typeof row === 'object' && row !== null) as Record<string, unknown>[];
}

function csvRows(text: string): { readonly cells: readonly string[]; readonly line: number }[] {
  const delimiter = (/^.*\bItem\b.*$/m.exec(text)?.[0] ?? text.slice(0, 2_000)).includes('\t') ? '\t' : ',';
  try {
    const rows = parse(text, {
      bom: true,
      relax_column_count: true,
      skip_empty_lines: false,
      info: true,
      delimiter,
    }) as unknown as {
      record: string[];
      info: { lines: number };
    }[];
    return rows.map(({ record, info }) => ({ cells: record.map(cell => cell.trim()), line: info.lines }));
  } catch (error) {
    throw new UsageError(`the file is no CSV: ${(error as Error).message.slice(0, 120)}`);
  }
}

const SOLD = /^sold\b/i;
const PRICE_LINE =
  /^(?:winning bid:?|sold for:?|price:?)?\s*(?:US\s?)?[$£€¥]\s?\d[\d.,]*$|^(?:[A-Z]{3})\s?\d[\d.,]*$/i;

/**
 * Records of a page that was copied as text: each has a line that says when it was sold (`Sold  Oct 3, 2026`, `Sold on Apr 12, 2026 in
 * Auction`), before or behind its title and its price.
 */
function pastedRecords(text: string): RawRecord[] {
  const lines = text
    .split(/\r?\n/)
    .map((line, index) => ({ text: line.replace(/\s+/g, ' ').trim(), line: index + 1 }));
  const told = lines.filter(({ text: line }) => line !== '');
  const isSold = (line: string) => SOLD.test(line) && dayOf(line, false) !== undefined;
  const first = told.find(({ text: line }) => isSold(line) || isTitle(line));
  const beginsWithDay = first !== undefined && isSold(first.text);
  const records: { line: number; lines: string[] }[] = [];
  let open: { line: number; lines: string[] } | undefined;
  for (const { text: line, line: number } of told) {
    if (beginsWithDay ? isSold(line) : !open) records.push((open = { line: number, lines: [] }));
    open?.lines.push(line);
    if (!beginsWithDay && isSold(line)) open = undefined;
  }
  return records
    .filter(record => record.lines.some(isSold))
    .map(({ line, lines: own }) => ({ line, raw: rawOf(own) }));
}

const isTitle = (line: string): boolean =>
  /\b(?:18|19|20)\d\d\b/.test(line) && line.split(' ').length >= 4 && !SOLD.test(line);

function rawOf(lines: readonly string[]): Raw {
  const all = lines.join('\n');
  const sold = lines.find(line => SOLD.test(line) && dayOf(line, false) !== undefined)!;
  const title = lines.find(isTitle);
  const price = lines.find(line => PRICE_LINE.test(line));
  const shipping = /^\+?\s*(.*\d.*?)\s*(?:delivery|shipping)$/im.exec(all)?.[1];
  const item = /\bitem(?: number| id)?:?\s*(\d{9,15})\b/i.exec(all)?.[1];
  const type = /best offer accepted|or best offer/i.test(all)
    ? 'best_offer'
    : /\b\d+ bids?\b|\bin (?:weekly |premier )?auction\b|winning bid/i.test(all)
      ? 'auction'
      : /buy it now|\bin buy now\b|fixed price/i.test(all)
        ? 'fixed'
        : undefined;
  const digest = createHash('sha256')
    .update([title, price, dayOf(sold, false)].join('\n'))
    .digest('hex')
    .slice(0, 16);
  return {
    ...(title !== undefined && { title: title.replace(/^new listing/i, '').trim() }),
    ...(price !== undefined && { price }),
    ...(shipping !== undefined && { fees: shipping }),
    ...(type !== undefined && { saleType: type }),
    ...{ soldAt: sold, itemId: item ?? `pasted-${digest}` },
  };
}

/** A sale, or why it is none. */
function saleOf(raw: Raw, map: SalesMap, rateOf?: RateOf): ProfiledSale | string {
  if (raw.title === undefined) return 'has no title';
  if (raw.quantity !== undefined && raw.quantity !== '1') return `is of ${raw.quantity} pieces`;
  const titled = titledCard(raw, map);
  if (typeof titled === 'string') return titled;
  const amount = moneyOf(raw.price ?? '');
  if (!amount) return `“${(raw.price ?? '').slice(0, 40)}” is no price`;
  const fees = raw.fees === undefined ? undefined : moneyOf(raw.fees.replace(/^free\b.*/i, '0'));
  const currency = amount.currency ?? raw.currency;
  if (currency === undefined) return 'does not say in which currency: --map values.currency does';
  if (fees?.currency !== undefined && fees.currency !== currency)
    return 'has fees in another currency than its price';
  const soldAt = dayOf(raw.soldAt ?? '', map.dayFirst === true);
  if (soldAt === undefined) return `“${(raw.soldAt ?? '').slice(0, 40)}” is no day that has one meaning`;
  if (raw.saleType === undefined) return 'does not say whether it was an auction: --sale-type does';
  if (map.venue === undefined) return 'does not say where it was sold: --map venue does';
  if (raw.itemId === undefined) return 'has no number of its own';
  const rate = currency === 'USD' ? undefined : rateOf?.(currency, soldAt.slice(0, 10));
  if (currency !== 'USD' && !rate)
    return `is in ${currency}, and no rate of its day is known: --rates has them`;
  const premium = map.premiumPercent === undefined ? 0 : (amount.cents * map.premiumPercent) / 100;
  return {
    itemId: raw.order === undefined ? raw.itemId : `${raw.itemId} ${raw.order}`,
    venue: map.venue,
    ...titled,
    ...{
      price: centsText(amount.cents),
      fees: centsText(Math.round(premium) + (fees?.cents ?? 0)),
      currency,
    },
    ...(rate && { rate }),
    ...{ soldAt, saleType: raw.saleType },
    ...(raw.url !== undefined && { url: raw.url }),
  };
}

function titledCard(raw: Raw, { cards = [], sets = [], parallels = [] }: SalesMap): TitledCard | string {
  const title = raw.title ?? '';
  const words = new Set(title.toLowerCase().split(/[^\p{L}\p{N}]+/u));
  const told = cards.find(({ words: asked }) =>
    asked
      .toLowerCase()
      .split(/[^\p{L}\p{N}]+/u)
      .filter(Boolean)
      .every(word => words.has(word)),
  );
  const found = told ? gradeIn(title) : cardOfTitle(title, { sets, parallels });
  if (typeof found === 'string') return found;
  const grade = gradeOf(raw) ?? found;
  if (typeof grade === 'string') return grade;
  const { company, grade: number, qualifier } = grade;
  if (
    raw.company !== undefined &&
    found.company !== 'RAW' &&
    JSON.stringify([found.company, found.grade]) !== JSON.stringify([company, number])
  )
    return 'has another grade in its title than in its columns';
  const card = told ? told.card : (found as TitledCard).card;
  return {
    card,
    company,
    ...(number !== undefined && { grade: number }),
    ...((qualifier ?? found.qualifier) !== undefined && { qualifier: qualifier ?? found.qualifier }),
  };
}

/** The grade that columns of its own name; undefined where they name none. */
function gradeOf({ company, grade, qualifier }: Raw): SaleGrade | string | undefined {
  if (company === undefined || company === '') return undefined;
  if (/^(?:raw|none|ungraded)$/i.test(company)) return { company: 'RAW' };
  const found = gradeIn(`${company.toUpperCase()} ${(grade ?? '').toUpperCase()}`);
  if (typeof found === 'string' || found.company === 'RAW')
    return `“${company} ${grade ?? ''}” is no grade that is known`;
  return { ...found, ...(qualifier && { qualifier: qualifier.toUpperCase() }) };
}

const SIGNS: Readonly<Record<string, string>> = {
  $: 'USD',
  US$: 'USD',
  '£': 'GBP',
  '€': 'EUR',
  '¥': 'JPY',
  C$: 'CAD',
  AU$: 'AUD',
  A$: 'AUD',
};

/** An amount in cents, with its currency where that stands beside it. `1,234.50`, `1.234,50` and `1 234,50` are one amount. */
export function moneyOf(text: string): { readonly cents: number; readonly currency?: string } | undefined {
  const found =
    /^(?:winning bid:?|sold for:?|price:?|\+)?\s*([A-Z]{3}(?=\s?\d)|(?:US|C|AU|A)?\$|[£€¥])?\s?(\d[\d.,\s]*?)\s?([A-Z]{3}|[£€])?$/i.exec(
      text.replace(/\u00a0|\u202f/g, ' ').trim(),
    );
  if (!found) return undefined;
  const [, before, digits, after] = found;
  const plain = digits.replace(/\s/g, '');
  const number = /^\d{1,3}(?:,\d{3})+(?:\.\d{1,2})?$|^\d+(?:\.\d{1,2})?$/.test(plain)
    ? plain.replaceAll(',', '')
    : /^\d{1,3}(?:\.\d{3})+,\d{1,2}$|^\d+,\d{1,2}$/.test(plain)
      ? plain.replaceAll('.', '').replace(',', '.')
      : undefined;
  if (number === undefined) return undefined;
  const sign = (before ?? after)?.toUpperCase();
  const currency = sign === undefined ? undefined : (SIGNS[sign] ?? sign);
  return { cents: Math.round(Number(number) * 100), ...(currency && { currency }) };
}

const centsText = (cents: number): string => (cents / 100).toFixed(2);
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/** A day or an instant as it is written; undefined where it has two meanings, or none. */
export function dayOf(text: string, dayFirst: boolean): string | undefined {
  const iso = /\b(\d{4}-\d\d-\d\d)(T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d))?/.exec(text);
  if (iso) return iso[2] ? new Date(iso[0]).toISOString() : valid(iso[1]);
  const named = /\b([A-Z]{3})[a-z]*\.?[ -](\d{1,2})(?:,? |-)(\d{4}|\d\d)\b/i.exec(text);
  if (named) return calendar(named[3], MONTHS.indexOf(named[1].toLowerCase()) + 1, named[2]);
  const english = /\b(\d{1,2})[ -]([A-Z]{3})[a-z]*\.?,?[ -](\d{4}|\d\d)\b/i.exec(text);
  if (english) return calendar(english[3], MONTHS.indexOf(english[2].toLowerCase()) + 1, english[1]);
  const figures = /\b(\d{1,2})[/.](\d{1,2})[/.](\d{4}|\d\d)\b/.exec(text);
  if (!figures) return undefined;
  const [one, other] = [Number(figures[1]), Number(figures[2])];
  if (dayFirst) return calendar(figures[3], other, figures[1]);
  // Without a word of the order it has to have one meaning alone.
  if (one > 12) return calendar(figures[3], other, figures[1]);
  return other > 12 || one === other ? calendar(figures[3], one, figures[2]) : undefined;
}

const calendar = (year: string, month: number, day: string): string | undefined =>
  month < 1
    ? undefined
    : valid(
        `${year.length === 2 ? `20${year}` : year}-${String(month).padStart(2, '0')}-${day.padStart(2, '0')}`,
      );

function valid(day: string): string | undefined {
  const time = Date.parse(day);
  return Number.isFinite(time) && new Date(time).toISOString().slice(0, 10) === day ? day : undefined;
}
