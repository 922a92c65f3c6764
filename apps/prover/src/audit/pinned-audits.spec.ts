import { BATCHES, describePinnedAudits } from './pinned-audits.cases.js';

describePinnedAudits(BATCHES.slice(0, 1));
