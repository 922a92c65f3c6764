// commit: ./proof-jobs.e2e.spec.ts
// watches: apps/prover/src/jobs, libs/platform/src/messaging
import './proof-jobs.e2e.spec.js';
