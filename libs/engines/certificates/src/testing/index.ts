export type { CertificateTruth, EndorsementPage } from './certificate-truth.js';
export { DEFICIENCIES, type DeficiencyId } from './deficiencies.js';
export {
  addFormFields,
  draftCertificate,
  drawValues,
  fieldBoxes,
  formName,
  LAYOUTS,
  type TickStyle,
} from './draw-certificate.js';
export { publishedCertificate, type PublishedOptions } from './published-certificate.js';
export { type PublishedEdition, publishedLayout } from './published.layout.js';
export {
  type CertificateOptions,
  generateCertificate,
  type GeneratedCertificate,
} from './generate-certificate.js';
export type { CertificateLayout, LayoutId } from './layout.js';
export { seededRandom, type SeededRandom } from './seeded-random.js';
export { certificateTruth, type TruthOptions } from './truth-generator.js';
export {
  type Forgery,
  forgeryOf,
  signedCertificate,
  TAMPER_KINDS,
  tamperedCertificate,
  type TamperedCertificate,
  type TamperKind,
} from './tampering.js';
export { complianceFaults, requirementsOf } from './compliance-oracle.js';
export { type FieldScore, FieldTally, printedKey, scoreFields } from './score-fields.js';
export { AuditTally, type FalseCompliance, readTruth } from './audit-tally.js';
