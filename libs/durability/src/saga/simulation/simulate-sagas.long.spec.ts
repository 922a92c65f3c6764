// commit: ./simulate-sagas.spec.ts
// watches: apps/payments/src/execute, libs/platform/src/saga
import './simulate-sagas.spec.js';
