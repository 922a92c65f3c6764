// commit: ./read-and-audit.spec.ts
import { describeScans } from './scanned-certificate.cases.js';

describeScans({ seeds: [11, 12, 13], forged: [5, 6] });
