import type { CertificateField } from '../certificate-field.js';
import type { ExtractedCertificate } from '../extracted-certificate.js';
import { isMark } from '../form/field-name.js';
import type { CertificateTruth } from './certificate-truth.js';

/** How one file was read. */
export interface FieldScore {
  /** Read as printed. */
  readonly right: readonly CertificateField[];
  /** Read, but not so, or where nothing is printed. */
  readonly wrong: readonly CertificateField[];
  /** Printed, and not read so. */
  readonly missed: readonly CertificateField[];
}

/** The truth against what was read; a field that was read wrongly is both wrong and missed. */
export function scoreFields(
  truth: CertificateTruth['fields'],
  read: ExtractedCertificate['fields'] | undefined,
): FieldScore {
  const right: CertificateField[] = [];
  const wrong: CertificateField[] = [];
  const missed: CertificateField[] = [];
  const fields = new Set([...Object.keys(truth), ...Object.keys(read ?? {})] as CertificateField[]);
  for (const field of fields) {
    const wanted = truth[field] === undefined ? undefined : printedKey(field, truth[field]);
    const value = read?.[field]?.value;
    const got = value === undefined ? undefined : printedKey(field, value);
    if (wanted === got) right.push(field);
    else {
      if (got !== undefined) wrong.push(field);
      if (wanted !== undefined) missed.push(field);
    }
  }
  return { right, wrong, missed };
}

/**
 * A value by which two readings of the same print are equal: amounts without their sign of currency, days with two digits,
 * everything else without regard to case, spaces and the marks that separate words. Digits and letters are never dropped.
 */
export function printedKey(field: CertificateField, value: string): string {
  if (isMark(field)) return /^\S/.test(value) ? 'X' : '';
  if (/Amount$/.test(field)) return value.replace(/[\s$]/g, '').replace(/\.00$/, '').toUpperCase();
  const date = /^\s*(\d{1,2})\/(\d{1,2})\/(\d{4})\s*$/.exec(value);
  if (date) return [date[3], date[1].padStart(2, '0'), date[2].padStart(2, '0')].join('-');
  return value.toUpperCase().replace(/[\s.,'’:;-]/g, '');
}

/** Scores of many files, by field. */
export class FieldTally {
  private readonly counts = new Map<CertificateField, { right: number; wrong: number; missed: number }>();

  add({ right, wrong, missed }: FieldScore): void {
    for (const [kind, fields] of Object.entries({ right, wrong, missed })) {
      for (const field of fields) {
        const count = this.counts.get(field) ?? { right: 0, wrong: 0, missed: 0 };
        count[kind as 'right'] += 1;
        this.counts.set(field, count);
      }
    }
  }

  /** Of all fields together: precision, recall, and their harmonic mean. */
  get total(): { precision: number; recall: number; f1: number } {
    const sum = { right: 0, wrong: 0, missed: 0 };
    for (const { right, wrong, missed } of this.counts.values()) {
      sum.right += right;
      sum.wrong += wrong;
      sum.missed += missed;
    }
    const precision = sum.right / (sum.right + sum.wrong || 1);
    const recall = sum.right / (sum.right + sum.missed || 1);
    return { precision, recall, f1: f1Of(sum) };
  }

  /** By field, worst first. */
  get byField(): { field: CertificateField; f1: number; count: number }[] {
    return [...this.counts]
      .map(([field, count]) => ({ field, f1: f1Of(count), count: count.right + count.missed }))
      .sort((a, b) => a.f1 - b.f1);
  }
}

function f1Of({ right, wrong, missed }: { right: number; wrong: number; missed: number }): number {
  return right === 0 ? 0 : (2 * right) / (2 * right + wrong + missed);
}
