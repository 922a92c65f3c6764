// commit: ./read-and-audit.spec.ts
import { describeScannedFields } from './scanned-certificate.cases.js';

const LAYOUTS = ['columns', 'panels', 'ledger'] as const;
const SEEDS = [31, 32, 33, 34, 35, 36];

describeScannedFields(
  SEEDS.map((seed, i) => ({ seed, layout: LAYOUTS[(seed + i) % LAYOUTS.length], deficiencies: [] })),
);
