/** Largest limit that is taken for one, US dollars. */
const AMOUNT_MAX = 10_000_000_000;

/** What a printed limit says. */
export type PrintedAmount =
  | { readonly kind: 'amount'; readonly usd: number; readonly isGrouped: boolean }
  /** In words that there is none: `EXCLUDED`. */
  | { readonly kind: 'none' }
  | { readonly kind: 'unclear'; readonly why: string };

/** Words for "there is no such cover": as sure as an amount of zero. */
const NO_COVER = /^(EXCLUDED|EXCL|NONE|NIL|NO COVERAGE|NOT COVERED|NOT INCLUDED)$/;
/** Words that stand where an amount belongs, and say none. */
const NO_AMOUNT = /^(N ?\/ ?A|INCL(UDED)?|SEE .*|STATUTORY|UNLIMITED|TBD|PENDING|SAME|AS .*|REFER .*)$/;

/**
 * Reads a limit as it is printed: `1,000,000`, `$ 1,000,000.00`, `2000000`. Whatever could be another number is unclear: groups
 * that are not of three digits (`1,000,00`), points as separators of thousands, words, `1M` (a thousand to some, a million to
 * others), signs, brackets, several numbers.
 *
 * @example parsePrintedAmount('$ 1,000,000') // { kind: 'amount', usd: 1000000, isGrouped: true }
 */
export function parsePrintedAmount(printed: string): PrintedAmount {
  const text = printed.normalize('NFKC').trim().toUpperCase().replace(/\s+/g, ' ');
  if (text.length > 64) return unclear('is too long for an amount');
  if (NO_COVER.test(text)) return { kind: 'none' };
  if (NO_AMOUNT.test(text)) return unclear('names no amount');
  const digits = /^(?:USD ?)?\$? ?((?:[1-9]\d{0,2}(?:,\d{3})+)|(?:\d+))(?:\.00?)?(?: ?USD)?$/.exec(text)?.[1];
  if (digits === undefined)
    return unclear('is no amount in whole dollars, written out with groups of three digits');
  const usd = Number(digits.replaceAll(',', ''));
  if (digits.length > 1 && digits.startsWith('0')) return unclear('begins with a zero');
  if (usd > AMOUNT_MAX) return unclear('is beyond any limit that is sold');
  return { kind: 'amount', usd, isGrouped: digits.includes(',') || usd < 1_000 };
}

function unclear(why: string): PrintedAmount {
  return { kind: 'unclear', why };
}

/**
 * Whether insurers sell such a limit: one or two leading digits that limits have, then zeros. A digit that was misread, or
 * changed in a picture, often gives an amount that nobody sells.
 */
export function isUsualLimit(usd: number): boolean {
  if (usd === 0) return true;
  const zeros = /0*$/.exec(String(usd))![0].length;
  const leading = usd / 10 ** zeros;
  if (zeros < 3) return false;
  if (usd < 1_000_000) return USUAL_BELOW_A_MILLION.has(usd);
  // Whole millions up to 25, half millions up to 5, then fives.
  const millions = usd / 1_000_000;
  if (millions <= 5) return Number.isInteger(millions * 2) && leading < 100;
  return Number.isInteger(millions) && (millions <= 15 || (millions <= 100 && millions % 5 === 0));
}

const USUAL_BELOW_A_MILLION = new Set([
  ...[1_000, 2_000, 2_500, 3_000, 4_000, 5_000, 10_000, 15_000, 20_000, 25_000, 50_000, 75_000, 100_000],
  ...[150_000, 200_000, 250_000, 300_000, 350_000, 400_000, 500_000, 600_000, 750_000],
]);

/** `$1,000,000` */
export const usdText = (usd: number): string => `$${usd.toLocaleString('en-US')}`;
