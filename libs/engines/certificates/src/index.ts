export { CERTIFICATE_FIELDS, type CertificateField } from './certificate-field.js';
export { CertificateError, type CertificateBound, type CertificateErrorCode } from './certificate-error.js';
export {
  type Box,
  CERTIFICATE_FILE_BYTES_MAX,
  CERTIFICATE_FILE_PAGES_MAX,
  type CertificateInspection,
  type CertificateVariant,
  type ExtractedCertificate,
  type ExtractedField,
} from './extracted-certificate.js';
export type {
  AutomobileRequirements,
  CertificateRequirements,
  GeneralLiabilityRequirements,
  UmbrellaRequirements,
  WorkersCompensationRequirements,
} from './requirements/certificate-requirements.js';
export { CONFIDENCE_MIN, type Evidence } from './rules/certificate-reading.js';
export type { CertificateRule, RuleComparison, RuleOutcome } from './rules/certificate-rule.js';
export {
  auditCertificate,
  type AuditTerms,
  CERTIFICATE_RULESET_ID,
  type CertificateAudit,
  type CertificateVerdict,
  verdictOf,
} from './rules/audit-certificate.js';
export { companyKey, matchCompanyName, type NameMatch } from './rules/company-name.js';
export { requiredForm } from './rules/endorsement-form.js';
export { BUILT_IN_REQUIREMENTS } from './requirements/built-in-requirements.js';
export { deficiencyLetter, type LetterAudit } from './letter/deficiency-letter.js';
export { letterPdf } from './letter/letter-pdf.js';
export {
  certificateFieldOf,
  isMark,
  namedFields,
  type NamedFields,
  printedValue,
} from './form/field-name.js';
export { type FormReading, readFormFields } from './form/read-form-fields.js';
