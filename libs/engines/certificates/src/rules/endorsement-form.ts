/** A form of the liability bureau as a text names it. */
export interface EndorsementForm {
  /** `CG 20 10` */
  readonly form: string;
  /** Month and year of its edition, `04 13`; undefined where none is named. */
  readonly edition: string | undefined;
  /** Where it begins and ends in the text. */
  readonly from: number;
  readonly to: number;
}

const GAP = String.raw`[\s-]{0,2}`;
/** The month and year of an edition behind a form's number: `04 13`, `(04/13)`, `(Ed. 4-84)`. */
const EDITION = String.raw`(?:[\s(/-]{0,3}(?:ED(?:ITION)?\.?\s{0,2})?(0?[1-9]|1[0-2])[\s/-]{0,2}(\d{2})(?!\d)\)?)?(?!\d)`;
/** A month of one digit is one behind a word or a bracket alone: `CG 20 10 4 13` has no edition. */
const NUMBERS = String.raw`(\d{2})${GAP}(\d{2})${EDITION.replace('0?[1-9]', '0[1-9]')}`;
const FIRST = new RegExp(
  String.raw`\b(?:(CG|CA|CU|IL)[\s.#-]{0,3}${NUMBERS}|(WC)[\s.#-]{0,3}(\d{2})${GAP}(\d{2})${GAP}(\d{2})(?!\d)\s?(?:[A-Z]\b)?${EDITION})`,
  'g',
);
/** `CG 20 10 / 20 37`, `CG 20 10 04 13 AND CG2037`: a form whose letters are those of the one before. */
const FURTHER = new RegExp(String.raw`^\s{0,3}(?:,|;|/|&|\+|AND)\s{0,3}${NUMBERS}`);
const FORMS_MAX = 200;

/**
 * The forms that a text names, such as `CG 20 10 04 13`, `CG2010 (04/13)`, `CG 20 10/20 37`, and `WC 00 03 13`, whose number has a
 * group more.
 *
 * @example namedForms('AI per CG2010 0413').map(({ form, edition }) => [form, edition]) // [['CG 20 10', '04 13']]
 */
export function namedForms(text: string): EndorsementForm[] {
  const upper = text.toUpperCase();
  const forms: EndorsementForm[] = [];
  for (const match of upper.matchAll(FIRST)) {
    const [whole, letters, first, second, month, year, compensation, state, group, number, wcMonth, wcYear] =
      match;
    let to = match.index + whole.length;
    if (compensation !== undefined) {
      const form = `${compensation} ${state} ${group} ${number}`;
      forms.push({ form, edition: editionOf(wcMonth, wcYear), from: match.index, to });
    } else {
      forms.push(formOf(letters, [first, second, month, year], match.index, to));
      for (;;) {
        const further = FURTHER.exec(upper.slice(to, to + 40));
        if (!further || forms.length >= FORMS_MAX) break;
        const from = to;
        to += further[0].length;
        forms.push(formOf(letters, further.slice(1), from, to));
      }
    }
    if (forms.length >= FORMS_MAX) break;
  }
  return forms;
}

/** The form that a requirement names. @throws RangeError where it names none, or several */
export function requiredForm(text: string): Pick<EndorsementForm, 'form' | 'edition'> {
  const [form, ...others] = namedForms(text);
  if (form === undefined || others.length > 0) {
    throw new RangeError(`“${text.slice(0, 40)}” does not name one form such as CG 20 10 or CG 20 37 04 13`);
  }
  return { form: form.form, edition: form.edition };
}

function formOf(
  letters: string,
  [first, second, month, year]: readonly (string | undefined)[],
  from: number,
  to: number,
): EndorsementForm {
  return { form: `${letters} ${first} ${second}`, edition: editionOf(month, year), from, to };
}

const editionOf = (month: string | undefined, year: string | undefined) =>
  month === undefined ? undefined : `${month.padStart(2, '0')} ${year}`;

export type EndorsementPurpose =
  'additional-insured' | 'waiver' | 'primary' | 'aggregate' | 'notice' | 'coverage' | 'limiting';
/** The policy that a form belongs to: the letters of its number say it. */
export type EndorsementLine = 'GL' | 'AUTO' | 'WC' | 'OTHER';

/** What the standard forms are for, by their numbers; a form that is not here may be for anything. */
const PURPOSES: Readonly<Record<Exclude<EndorsementPurpose, 'limiting'>, ReadonlySet<string>>> = {
  'additional-insured': new Set([
    ...[
      'CG 20 07',
      'CG 20 10',
      'CG 20 11',
      'CG 20 12',
      'CG 20 15',
      'CG 20 18',
      'CG 20 26',
      'CG 20 28',
      'CG 20 33',
    ],
    ...['CG 20 34', 'CG 20 37', 'CG 20 38', 'CA 20 01', 'CA 20 48'],
  ]),
  waiver: new Set([
    ...['CG 24 04', 'CG 24 53', 'CA 04 43', 'CA 04 44', 'WC 00 03 13'],
    // California and Texas have a form of their own.
    ...['WC 04 03 06', 'WC 42 03 04'],
  ]),
  primary: new Set(['CG 20 01', 'CA 04 49']),
  aggregate: new Set(['CG 25 03', 'CG 25 04']),
  notice: new Set(['CG 02 05', 'CG 02 24']),
  coverage: new Set(['CG 00 01', 'CA 00 01']),
};
/** Exclusions, special provisions that are exclusions, deductibles, claims-made forms, and the narrow "insured contract". */
const LIMITING = /^CG (0[3]|2[1237]) |^CG 00 02$|^CG 24 26$/;

/** What a form is for; undefined where its number is not one of the common ones. */
export function purposeOf(form: string): EndorsementPurpose | undefined {
  if (LIMITING.test(form)) return 'limiting';
  const purposes = Object.keys(PURPOSES) as (keyof typeof PURPOSES)[];
  return purposes.find(purpose => PURPOSES[purpose].has(form));
}

/** Which policy a form belongs to. */
export function lineOf(form: string): EndorsementLine {
  if (form.startsWith('CG')) return 'GL';
  if (form.startsWith('CA')) return 'AUTO';
  return form.startsWith('WC') ? 'WC' : 'OTHER';
}

/** Words that take back, condition or doubt what stands beside them; `No. 12` is a number. */
const HEDGE =
  /\b(NOT|NO(?!\.|:| ?#| ?\d)|NEVER|WITHOUT|EXCLUD\w*|EXCLUSION\w*|EXCEPT\w*|UNLESS|DELET\w*|REMOV\w*|PENDING|REQUESTED|TO FOLLOW|WILL BE|SUBJECT TO|DECLIN\w*|CANCEL\w*|EXPIRED|LAPSED|VOID\w*|N\/A)\b/;
/** Sentences that stand on most certificates and take nothing back. */
const BOILERPLATE = [
  /\b(?:\d+|TEN|THIRTY)(?: ?\(\d+\))? ?DAYS?[’']?S?[’']? (?:WRITTEN |ADVANCE |PRIOR )*(?:NOTICE|NOC)(?: OF CANCELL?ATION)?(?:,? EXCEPT (?:10|TEN)(?: ?\(10\))? DAYS?[’']?(?: NOTICE)? (?:FOR|DUE TO) NON-?PAYMENT(?: OF PREMIUM)?)?/g,
  /\bNOTICE OF CANCELL?ATION\b/g,
  /\bSUBJECT TO (?:ALL )?(?:OF )?(?:THE )?(?:POLICY |POLICIES )?TERMS(?:,? (?:AND )?(?:CONDITIONS|EXCLUSIONS|LIMITATIONS|LIMITS))*(?: OF (?:THE |SUCH )?(?:POLICY|POLICIES))?/g,
];

/** The first sentence of a text that takes back, conditions or doubts something; undefined where none does. */
export function hedgedSentence(text: string): string | undefined {
  return text.split(/[.;\n\r]+(?=\s|$)/).find(sentence => {
    const plain = BOILERPLATE.reduce((rest, pattern) => rest.replace(pattern, ' '), sentence.toUpperCase());
    return HEDGE.test(plain.replace(/\s+/g, ' '));
  });
}

/** Whether the sentence about a stretch of text takes back, conditions or doubts what it says. */
export function isHedged(text: string, { from, to }: Pick<EndorsementForm, 'from' | 'to'>): boolean {
  const stop = /[.;\n\r](?=\s|$)/g;
  let start = 0;
  let end = text.length;
  for (const { index } of text.matchAll(stop)) {
    if (index < from) start = index + 1;
    else if (index >= to) {
      end = index;
      break;
    }
  }
  return hedgedSentence(text.slice(start, end)) !== undefined;
}
