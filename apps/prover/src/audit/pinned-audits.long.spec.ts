// commit: ./pinned-audits.spec.ts
import { BATCHES, describePinnedAudits } from './pinned-audits.cases.js';

describePinnedAudits(BATCHES);
