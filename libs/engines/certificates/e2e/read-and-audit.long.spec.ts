// commit: ./read-and-audit.spec.ts
import { describeReadAndAudit } from './read-and-audit.cases.js';
import { describeScannedAudits } from './scanned-certificate.cases.js';

describeReadAndAudit();

const SCANS = 6;
const FIRST_SEED = 7_000;
describeScannedAudits(
  Array.from({ length: SCANS }, (_, i) => ({ seed: FIRST_SEED + i, deficiencies: ['gl-occurrence-low'] })),
);
