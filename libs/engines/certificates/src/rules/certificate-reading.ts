import type { CertificateField } from '../certificate-field.js';
import type { ExtractedCertificate, ExtractedField } from '../extracted-certificate.js';
import { isUsualLimit, parsePrintedAmount } from './printed-amount.js';
import { type Day, parsePrintedDate } from './printed-date.js';

/** A field that was read with less is not taken for what it says. */
export const CONFIDENCE_MIN = 0.8;

/** Where a reading comes from. */
export interface Evidence {
  readonly field: string;
  readonly value: string;
  readonly page?: number;
  readonly box?: readonly [left: number, top: number, right: number, bottom: number];
}

/** What a field says, as far as that is sure. */
export type Reading<T> =
  | { readonly state: 'known'; readonly value: T; readonly confidence: number; readonly evidence?: Evidence }
  /** Nothing stands there, for sure. */
  | { readonly state: 'absent'; readonly confidence: number }
  | {
      readonly state: 'unclear';
      readonly why: string;
      readonly confidence: number;
      readonly evidence?: Evidence;
    };

const TICKED = /^(X|Y|YES|TRUE|ON|1|✓|✔|☑|☒|✗|✘|√)$/;
const NOT_TICKED = /^(|N|NO|OFF|FALSE|0|☐)$/;
/** Marks that people put into a field that they leave empty. */
const PLACEHOLDER = /^(N ?\/ ?A|NA|NONE|TBD|T\.B\.D\.|TBA|PENDING|UNKNOWN|X+|-+|_+|\.+|\?+|SEE .*|TO BE .*)$/;

/** A certificate's fields as values: each known, absent, or unclear, and never guessed. */
export class CertificateReading {
  /** Some date on it is one in the order day, month, year alone: all numeric ones are doubtful. */
  readonly hasDayFirstDates: boolean;

  constructor(readonly certificate: ExtractedCertificate) {
    this.hasDayFirstDates = Object.entries(certificate.fields).some(([name, field]) => {
      const date = name.endsWith('Date') && field ? parsePrintedDate(field.value) : undefined;
      return date?.kind === 'unclear' && date.dayFirst;
    });
  }

  /** Whether what stands in it was recognised, and may be another letter. */
  get isScan(): boolean {
    return this.certificate.variant === 'scanned';
  }

  /** A name, a number of a policy, a remark. Placeholders (`N/A`, `TBD`) are unclear. */
  text(name: CertificateField, row?: readonly CertificateField[]): Reading<string> {
    return this.read(name, row, ({ value }) =>
      PLACEHOLDER.test(value.trim().toUpperCase()) ? 'is a placeholder' : { value: value.trim() },
    );
  }

  /** A limit in whole dollars; words for "no such cover" are zero. */
  amount(name: CertificateField, row?: readonly CertificateField[]): Reading<number> {
    const { isScan } = this;
    return this.read(name, row, ({ value }) => {
      const amount = parsePrintedAmount(value);
      if (amount.kind === 'unclear') return amount.why;
      if (amount.kind === 'none') return { value: 0 };
      if (isScan && !amount.isGrouped) return 'has no commas, so that a digit may be lost in the scan';
      if (isScan && !isUsualLimit(amount.usd)) return 'is no usual limit, so that a digit may be misread';
      return { value: amount.usd };
    });
  }

  date(name: CertificateField, row?: readonly CertificateField[]): Reading<Day> {
    return this.read(name, row, ({ value }) => {
      const date = parsePrintedDate(value);
      if (date.kind === 'unclear') return date.why;
      return date.isNumeric && this.hasDayFirstDates
        ? 'may have the day before the month, as another date of this certificate has'
        : { value: date.day };
    });
  }

  /** A box: ticked or not. An empty one is absent. */
  flag(name: CertificateField, row?: readonly CertificateField[]): Reading<boolean> {
    return this.read(name, row, ({ value }) => {
      const mark = value.trim().toUpperCase();
      if (TICKED.test(mark)) return { value: true };
      return NOT_TICKED.test(mark) ? { value: false } : 'is neither ticked nor empty';
    });
  }

  /** Whether nothing at all was read of these fields. */
  isBlank(names: readonly CertificateField[]): boolean {
    return names.every(name => (this.certificate.fields[name]?.value ?? '').trim() === '');
  }

  private read<T>(
    name: CertificateField,
    row: readonly CertificateField[] = [],
    parse: (field: ExtractedField) => { readonly value: T } | string,
  ): Reading<T> {
    const field = this.certificate.fields[name];
    if (field === undefined || field.value.trim() === '') return this.nothingAt(name, row);
    const { confidence } = field;
    const evidence = evidenceOf(name, field);
    if (!(confidence >= CONFIDENCE_MIN)) {
      const why = `was read with a confidence of ${confidence.toFixed(2)}, below ${CONFIDENCE_MIN}`;
      return { state: 'unclear', why, confidence, evidence };
    }
    const parsed = parse(field);
    return typeof parsed === 'string'
      ? { state: 'unclear', why: parsed, confidence, evidence }
      : { state: 'known', value: parsed.value, confidence, evidence };
  }

  /**
   * Form fields that are empty are empty. Where text was read off a page, what is not there may have been missed: where places
   * are known, a blank one is absent; elsewhere only where the rest of its row was read, and on a scan never.
   */
  private nothingAt<T>(name: CertificateField, row: readonly CertificateField[]): Reading<T> {
    const { variant, fields, blank } = this.certificate;
    if (variant === 'fillable' || variant === 'fields') return { state: 'absent', confidence: 1 };
    if (blank) {
      if (blank.includes(name)) return { state: 'absent', confidence: 0.9 };
      return { state: 'unclear', why: 'was not read in its place', confidence: 0 };
    }
    const others = row.filter(other => other !== name);
    const isRowRead =
      others.length > 0 && others.every(other => (fields[other]?.confidence ?? 0) >= CONFIDENCE_MIN);
    if (variant === 'flattened' && isRowRead) return { state: 'absent', confidence: 0.9 };
    return { state: 'unclear', why: 'was not found on the page', confidence: 0 };
  }
}

function evidenceOf(name: CertificateField, { value, page, box }: ExtractedField): Evidence {
  return {
    field: name,
    value,
    ...(page === undefined ? {} : { page }),
    ...(box === undefined ? {} : { box }),
  };
}
