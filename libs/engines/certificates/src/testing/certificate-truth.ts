import type { CertificateField } from '../certificate-field.js';
import type { DeficiencyId } from './deficiencies.js';

/** An endorsement that came along as a page of its own. */
export interface EndorsementPage {
  /** `CG 20 10 04 13`. */
  readonly form: string;
  readonly lines: readonly string[];
}

/** What a generated certificate says, and on which day it is asked about. */
export interface CertificateTruth {
  readonly seed: number;
  /** As printed; ticked boxes are `X`, and what is not printed is left out. */
  readonly fields: Readonly<Partial<Record<CertificateField, string>>>;
  readonly endorsementPages: readonly EndorsementPage[];
  /** Day of the audit, `2026-03-14`. */
  readonly asOf: string;
  readonly projectEnd: string;
  /** Who asks: what the requirements name as holder and insured, whatever the page says. */
  readonly expectedHolder: string;
  readonly expectedInsured: string;
  /** What was made wrong on purpose; empty for a certificate that should do. */
  readonly deficiencies: readonly DeficiencyId[];
}
