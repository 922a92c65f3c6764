export {
  type PastedPatch,
  renderPages,
  scanCertificate,
  type ScanOptions,
  scanSettings,
} from './scan-certificate.js';
export { SCAN_TAMPER_KINDS, type ScanTamperKind, tamperedScan, type TamperedScan } from './tampered-scan.js';
