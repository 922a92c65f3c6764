// commit: ./wal-events.e2e.spec.ts, but for the kills, which start processes
// watches: libs/durability/src/wal, libs/platform/src/messaging
import { describeWalEvents } from './wal-events.cases.js';

describeWalEvents();
