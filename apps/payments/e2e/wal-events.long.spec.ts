// commit: ./wal-events.e2e.spec.ts
// watches: libs/durability/src/wal, libs/platform/src/messaging
import './wal-events.e2e.spec.js';
