export { ThreadTasksError } from '@svc/kernels/node';
export { type Checked, type SignedClaim, VerifierThreads } from './verifier-threads.js';
