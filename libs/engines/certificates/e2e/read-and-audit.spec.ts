import { describePublishedForms } from './published-form.cases.js';
import { describeReadAndAudit } from './read-and-audit.cases.js';
import {
  describeScannedAudits,
  describeScannedFields,
  describeScans,
  QUICK_SCAN,
} from './scanned-certificate.cases.js';
import { describeSeenValues } from './seen-values.cases.js';
import { describeTextLayer } from './text-layer.cases.js';

describeReadAndAudit();
describePublishedForms();
describeSeenValues();
describeTextLayer();
describeScannedFields([QUICK_SCAN]);
describeScannedAudits([QUICK_SCAN]);
describeScans({ seeds: [11], forged: [5] });
