export { ThreadTasksError } from '@svc/kernels/node';
export {
  type Checked,
  type SignedClaim,
  VerifierThreads,
  type VerifierThreadsOptions,
} from './verifier-threads.js';
