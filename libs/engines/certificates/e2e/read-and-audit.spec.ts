import { describeReadAndAudit } from './read-and-audit.cases.js';
import { describeSeenValues } from './seen-values.cases.js';
import { describeTextLayer } from './text-layer.cases.js';

describeReadAndAudit();
describeSeenValues();
describeTextLayer();
