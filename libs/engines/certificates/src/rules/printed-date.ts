const MS_PER_DAY = 86_400_000;
const YEAR_MIN = 1990;
const YEAR_MAX = 2100;

/** A day as the number of days since 1 January 1970. */
export type Day = number;

/** What a printed date says. */
export type PrintedDate =
  | {
      readonly kind: 'date';
      readonly day: Day;
      /** Written with numbers alone in the order of the form: month, day, year. */
      readonly isNumeric: boolean;
    }
  | {
      readonly kind: 'unclear';
      readonly why: string;
      /** It is a date in the order day, month, year, and in no other. */
      readonly dayFirst: boolean;
    };

const MONTHS = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];
const MONTH_NAMES =
  'JAN(?:UARY)?|FEB(?:RUARY)?|MAR(?:CH)?|APR(?:IL)?|MAY|JUNE?|JULY?|AUG(?:UST)?|SEPT?(?:EMBER)?|OCT(?:OBER)?|NOV(?:EMBER)?|DEC(?:EMBER)?';
const ISO = /^(\d{4})-(\d{2})-(\d{2})$/;
const NUMERIC = /^(\d{1,2}) ?([/.-]) ?(\d{1,2}) ?\2 ?(\d{4}|\d{2})$/;
const MONTH_FIRST = new RegExp(`^(${MONTH_NAMES})\\.? (\\d{1,2})(?:ST|ND|RD|TH)?,? (\\d{4})$`);
const DAY_FIRST = new RegExp(`^(\\d{1,2})(?:ST|ND|RD|TH)?[ -](${MONTH_NAMES})\\.?,?[ -](\\d{4})$`);

/**
 * Reads a date as certificates print them: `01/31/2026` (the form's own order), `2026-01-31`, `Jan 31, 2026`, `31 January 2026`.
 * A year of two digits is unclear: `11/01/27` may be of 2011 or 2027.
 */
export function parsePrintedDate(printed: string): PrintedDate {
  const text = printed.normalize('NFKC').trim().toUpperCase().replace(/\s+/g, ' ');
  const iso = ISO.exec(text);
  if (iso) return dated(Number(iso[1]), Number(iso[2]), Number(iso[3]), false);
  const numeric = NUMERIC.exec(text);
  if (numeric) return numericDate(Number(numeric[1]), Number(numeric[3]), numeric[4]);
  const named = MONTH_FIRST.exec(text);
  if (named) return dated(Number(named[3]), monthOf(named[1]), Number(named[2]), false);
  const dayFirst = DAY_FIRST.exec(text);
  if (dayFirst) return dated(Number(dayFirst[3]), monthOf(dayFirst[2]), Number(dayFirst[1]), false);
  return unclear('is no date in the form MM/DD/YYYY');
}

function numericDate(first: number, second: number, year: string): PrintedDate {
  if (first > 12 && dayOf(2000, second, first) !== undefined) {
    return unclear('is a date only where the day comes before the month', true);
  }
  if (year.length === 2) return unclear('has a year of two digits');
  return dated(Number(year), first, second, true);
}

function dated(year: number, month: number, dayOfMonth: number, isNumeric: boolean): PrintedDate {
  const day = year >= YEAR_MIN && year <= YEAR_MAX ? dayOf(year, month, dayOfMonth) : undefined;
  return day === undefined ? unclear('is no day of the calendar') : { kind: 'date', day, isNumeric };
}

/** The day, where the calendar has it. */
function dayOf(year: number, month: number, dayOfMonth: number): Day | undefined {
  const date = new Date(Date.UTC(year, month - 1, dayOfMonth));
  const exists = date.getUTCMonth() === month - 1 && date.getUTCDate() === dayOfMonth;
  return exists ? date.getTime() / MS_PER_DAY : undefined;
}

const monthOf = (name: string) => MONTHS.indexOf(name.slice(0, 3)) + 1;

function unclear(why: string, dayFirst = false): PrintedDate {
  return { kind: 'unclear', why, dayFirst };
}

/** `YYYY-MM-DD` of a day. */
export const isoOf = (day: Day): string => new Date(day * MS_PER_DAY).toISOString().slice(0, 10);

/** The day of `YYYY-MM-DD`. @throws RangeError for any other text */
export function dayOfIso(iso: string): Day {
  const [, year, month, dayOfMonth] = ISO.exec(iso) ?? [];
  const day = year === undefined ? undefined : dayOf(Number(year), Number(month), Number(dayOfMonth));
  if (day === undefined) throw new RangeError(`${iso.slice(0, 20)} is no day in the form YYYY-MM-DD`);
  return day;
}
