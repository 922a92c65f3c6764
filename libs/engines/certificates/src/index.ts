export { CERTIFICATE_FIELDS, type CertificateField } from './certificate-field.js';
export type {
  Box,
  CertificateVariant,
  ExtractedCertificate,
  ExtractedField,
} from './extracted-certificate.js';
