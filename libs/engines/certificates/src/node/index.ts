export {
  CertificateReader,
  READER_PROCESSES_MAX,
  type CertificateReaderOptions,
} from './certificate-reader.js';
export { CertificateReaderBusyError } from './reader-process.js';
export { CertificateError, type CertificateErrorCode } from '../certificate-error.js';
export type { CertificateInspection } from '../extracted-certificate.js';
