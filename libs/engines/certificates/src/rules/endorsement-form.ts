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

/** Two groups of two digits, and where they follow two more: the month and year of an edition. */
const NUMBERS = String.raw`(\d{2})[\s-]{0,2}(\d{2})(?:[\s(/-]{0,3}(?:ED(?:ITION)?\.?\s{0,2})?(0[1-9]|1[0-2])[\s/-]{0,2}(\d{2})(?!\d)\)?)?(?!\d)`;
const FIRST = new RegExp(String.raw`\b(CG|CA|CU|WC|IL)[\s.#-]{0,3}${NUMBERS}`, 'g');
/** `CG 20 10 / 20 37`, `CG 20 10 04 13 AND CG2037`: a form whose letters are those of the one before. */
const FURTHER = new RegExp(String.raw`^\s{0,3}(?:,|;|/|&|\+|AND)\s{0,3}${NUMBERS}`);
const FORMS_MAX = 200;

/**
 * The forms that a text names, such as `CG 20 10 04 13`, `CG2010 (04/13)`, `CG 20 10/20 37`.
 *
 * @example namedForms('AI per CG2010 0413').map(({ form, edition }) => [form, edition]) // [['CG 20 10', '04 13']]
 */
export function namedForms(text: string): EndorsementForm[] {
  const upper = text.toUpperCase();
  const forms: EndorsementForm[] = [];
  for (const match of upper.matchAll(FIRST)) {
    const [whole, letters, ...numbers] = match;
    let to = match.index + whole.length;
    forms.push(formOf(letters, numbers, match.index, to));
    for (;;) {
      const further = FURTHER.exec(upper.slice(to, to + 40));
      if (!further || forms.length >= FORMS_MAX) break;
      const from = to;
      to += further[0].length;
      forms.push(formOf(letters, further.slice(1), from, to));
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
  const edition = month === undefined ? undefined : `${month} ${year}`;
  return { form: `${letters} ${first} ${second}`, edition, from, to };
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
