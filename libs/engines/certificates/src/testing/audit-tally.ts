import type { ExtractedCertificate } from '../extracted-certificate.js';
import { BUILT_IN_REQUIREMENTS } from '../requirements/built-in-requirements.js';
import { auditCertificate } from '../rules/audit-certificate.js';
import type { CertificateTruth } from './certificate-truth.js';
import { complianceFaults, requirementsOf } from './compliance-oracle.js';

/** An audit that called compliant what is not. */
export interface FalseCompliance {
  readonly seed: number;
  readonly requirementSetId: string;
  readonly faults: readonly string[];
}

/** Audits of many certificates against every built-in requirement set, held against the oracle. */
export class AuditTally {
  readonly falselyCompliant: FalseCompliance[] = [];
  /** Audits that had to end as something other than COMPLIANT. */
  unsound = 0;
  /** Audits that may end as COMPLIANT, and how they ended. */
  readonly sound = { COMPLIANT: 0, REVIEW: 0, DEFICIENT: 0 };

  /**
   * @param read `undefined` for a file that was refused: nobody is called compliant by it
   * @param isForged nothing may be called compliant by a forged file, whatever it says
   */
  add(truth: CertificateTruth, read: ExtractedCertificate | undefined, isForged = false): void {
    for (const [requirementSetId, set] of Object.entries(BUILT_IN_REQUIREMENTS)) {
      const requirements = requirementsOf(truth, set);
      const faults = complianceFaults(truth, requirements);
      const terms = { asOf: truth.asOf, projectEnd: truth.projectEnd };
      const verdict = read ? auditCertificate(read, requirements, terms).verdict : 'REVIEW';
      if (faults.length === 0 && !isForged) {
        this.sound[verdict] += 1;
        continue;
      }
      this.unsound += 1;
      if (verdict === 'COMPLIANT') this.falselyCompliant.push({ seed: truth.seed, requirementSetId, faults });
    }
  }

  /** Of those that may be called compliant, the share that is. */
  get soundCompliantShare(): number {
    const { COMPLIANT, REVIEW, DEFICIENT } = this.sound;
    return COMPLIANT / (COMPLIANT + REVIEW + DEFICIENT || 1);
  }
}

/** The truth as if every field had been read without a doubt: what the rules alone make of it. */
export function readTruth({ fields, endorsementPages }: CertificateTruth): ExtractedCertificate {
  const read = Object.entries(fields).map(([field, value]) => [field, { value, confidence: 1 }]);
  return {
    variant: 'fields',
    fields: Object.fromEntries(read),
    pages: 1 + endorsementPages.length,
    attachments: endorsementPages.map(({ lines }, index) => ({ page: index + 2, text: lines.join('\n') })),
    tamperSigns: [],
  };
}
