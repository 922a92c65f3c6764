// commit: ./presence-nats.spec.ts
// watches: libs/platform/src/presence
import './presence-nats.spec.js';
