// commit: ./wal-events.e2e.spec.ts
// watches: libs/durability/src/wal, libs/platform/src/messaging
import { describeWalEvents } from './wal-events.cases.js';

describeWalEvents();
