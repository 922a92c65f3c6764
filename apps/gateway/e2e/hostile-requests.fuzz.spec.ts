import { describeHostileRequests } from './hostile-requests.fuzz.cases.js';

describeHostileRequests(50, 20_261_122);
