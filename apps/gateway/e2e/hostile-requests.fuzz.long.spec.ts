// commit: ./hostile-requests.fuzz.spec.ts
import { describeHostileRequests } from './hostile-requests.fuzz.cases.js';

describeHostileRequests(2_000);
