import { describeDatabaseAway } from './database-away.cases.js';
import { describeLateClaims } from './late-claims.cases.js';
import { describeLostHolds } from './lost-holds.cases.js';
import { describePaymentEvents } from './payment-events.cases.js';
import { describePeersLessons } from './peers-lessons.cases.js';

describeLateClaims();
describePeersLessons();
describePaymentEvents();
describeDatabaseAway();
describeLostHolds(2);
