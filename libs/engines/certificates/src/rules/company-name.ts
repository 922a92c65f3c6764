/** How a name that is shown stands to the one that is asked for. */
export type NameMatch =
  | 'same'
  /** Nobody could tell without asking: the legal form is missing, it is a trade name alone, or a letter may be misread. */
  | 'unsure'
  | 'other';

/** Legal forms by their spellings, spaces and points left out. */
const LEGAL_FORMS: Readonly<Record<string, string>> = {
  INC: 'INC',
  INCORPORATED: 'INC',
  CORP: 'CORP',
  CORPORATION: 'CORP',
  CO: 'CO',
  COMPANY: 'CO',
  LTD: 'LTD',
  LIMITED: 'LTD',
  LLC: 'LLC',
  LC: 'LC',
  LLP: 'LLP',
  LP: 'LP',
  LLLP: 'LLLP',
  PLLC: 'PLLC',
  PLC: 'PLC',
  PC: 'PC',
  PA: 'PA',
  GMBH: 'GMBH',
  AG: 'AG',
  SA: 'SA',
};
const SPELT_FORMS: readonly (readonly [RegExp, string])[] = [
  [/\bLIMITED LIABILITY COMPANY$/, 'LLC'],
  [/\bLIMITED LIABILITY PARTNERSHIP$/, 'LLP'],
  [/\bLIMITED PARTNERSHIP$/, 'LP'],
  [/\bPROFESSIONAL CORPORATION$/, 'PC'],
];
/** What follows the name of the same party: whose it may become, or where it is reached. */
const AFTER_NAME =
  /\b(ISAOA|ATIMA|(AND )?ITS SUCCESSORS|(AND ITS )?SUCCESSORS AND|C O|CARE OF|ATTN|ATTENTION)\b.*$/;
const TRADES_AS = /\b(?:D\/?B\/?A|DOING BUSINESS AS|T\/A|TRADING AS)\b/;

interface CompanyName {
  /** The name without its legal form. */
  readonly base: string;
  /** `INC`, or `CO LTD`; empty where there is none. */
  readonly form: string;
}

/**
 * Compares names of companies as a careful clerk does: case, points, `&` against `and`, `Incorporated` against `Inc.` make no
 * difference; another word or another legal form is another company, however alike. `X dba Y` is X, who trades as Y.
 */
export function matchCompanyName(asked: string, shown: string): NameMatch {
  const [askedParts, shownParts] = [asked, shown].map(partsOf);
  if (askedParts.length === 0 || shownParts.length === 0) return 'other';
  const legal = matchParts(askedParts[0], shownParts[0]);
  if (legal !== 'other') return legal;
  // The trade name alone: others may trade under it too.
  const trades = shownParts.slice(1).some(part => matchParts(askedParts[0], part) !== 'other');
  return trades ? 'unsure' : 'other';
}

/** Whether two names could be one name that was misread: they differ in at most one character of ten. */
export function mayBeMisread(asked: string, shown: string): boolean {
  const [a, b] = [asked, shown].map(name => normalised(name).replaceAll(' ', ''));
  const longest = Math.max(a.length, b.length);
  if (longest > 256 || Math.abs(a.length - b.length) > longest / 10) return false;
  return editDistance(a, b) <= Math.max(1, Math.floor(longest / 10));
}

/** The key under which the audits of one insured are found together. */
export function companyKey(name: string): string {
  const [legal] = partsOf(name);
  return legal ? `${legal.base} ${legal.form}`.trim() : '';
}

/** Shorter names than this are looked for with their legal form: `A LLC` is not named by every `a`. */
const DISTINCTIVE_CHARS_MIN = 6;

/** Whether a text names a company anywhere: its words in their order. */
export function textNamesCompany(text: string, name: string): boolean {
  const [legal] = partsOf(name);
  if (legal === undefined) return false;
  const wanted = legal.base.length < DISTINCTIVE_CHARS_MIN ? `${legal.base} ${legal.form}` : legal.base;
  return ` ${normalised(text)} `.includes(` ${wanted.trim()} `);
}

function matchParts(asked: CompanyName, shown: CompanyName): NameMatch {
  if (asked.base !== shown.base) return 'other';
  // Who asks for no legal form takes any; a form that is asked for and not shown may be another company's.
  if (asked.form === shown.form || asked.form === '') return 'same';
  return shown.form === '' ? 'unsure' : 'other';
}

/** The legal name, then the names that it trades under. */
function partsOf(name: string): CompanyName[] {
  return name
    .slice(0, 1_024)
    .toUpperCase()
    .split(TRADES_AS)
    .map(part => companyNameOf(normalised(part)))
    .filter(({ base }) => base !== '');
}

function companyNameOf(text: string): CompanyName {
  let base = text.replace(AFTER_NAME, '').trim().replace(/^THE /, '');
  for (const [spelt, form] of SPELT_FORMS) base = base.replace(spelt, form);
  const words = base.split(' ');
  const forms: string[] = [];
  // Whatever is left of a name is never a legal form alone.
  while (words.length > 1 && Object.hasOwn(LEGAL_FORMS, words[words.length - 1])) {
    forms.unshift(LEGAL_FORMS[words.pop()!]);
  }
  return { base: words.join(' '), form: forms.join(' ') };
}

/** Upper case letters and digits with single spaces; letters of a form such as `L.L.C.` or `L L C` together. */
function normalised(text: string): string {
  return text
    .slice(0, 20_000)
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toUpperCase()
    .replace(/[&+]/g, ' AND ')
    .replace(/['’.]/g, '')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .replace(/\bL L C\b/g, 'LLC')
    .replace(/\bL L P\b/g, 'LLP')
    .replace(/\bL P\b/g, 'LP')
    .replace(/ +/g, ' ')
    .trim();
}

/** Levenshtein distance, one row at a time. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const substitution = row[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(substitution, row[j] + 1, next[j - 1] + 1));
    }
    row = next;
  }
  return row[b.length];
}
