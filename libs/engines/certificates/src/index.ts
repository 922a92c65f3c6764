export { CERTIFICATE_FIELDS, type CertificateField } from './certificate-field.js';
export type {
  Box,
  CertificateVariant,
  ExtractedCertificate,
  ExtractedField,
} from './extracted-certificate.js';
export { CertificateError, type CertificateBound, type CertificateErrorCode } from './certificate-error.js';
export {
  CERTIFICATE_FILE_BYTES_MAX,
  CERTIFICATE_FILE_PAGES_MAX,
  type CertificateInspection,
} from './certificate-inspection.js';
