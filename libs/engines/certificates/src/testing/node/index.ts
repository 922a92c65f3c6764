export {
  type PastedPatch,
  renderPages,
  scanCertificate,
  type ScanOptions,
  scanSettings,
} from './scan-certificate.js';
