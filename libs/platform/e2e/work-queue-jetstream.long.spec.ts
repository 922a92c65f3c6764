// commit: ./work-queue-jetstream.spec.ts
// watches: libs/platform/src/messaging
import './work-queue-jetstream.spec.js';
