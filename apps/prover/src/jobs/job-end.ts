import { asProblem, problem } from '@svc/platform';
import type { JobEvent } from './job-state.js';

/** The job was cancelled, or another replica has ended it. */
export class JobEndedError extends Error {
  constructor() {
    super('the job was ended');
    this.name = 'JobEndedError';
  }
}

/** A later request with the same credential has the payment, or it was given back: the proof would be nobody's. */
export class PaymentLostError extends Error {
  constructor() {
    super("the payment is not the job's any more");
    this.name = 'PaymentLostError';
  }
}

/** The service is closing. */
export class ShutdownError extends Error {
  constructor() {
    super('the service is closing');
    this.name = 'ShutdownError';
  }
}

/** What is answered to whoever comes while the service closes. */
export const closing = () =>
  problem(
    'SERVICE_UNAVAILABLE',
    'The service is restarted; send the request again with the same credential',
    {
      retryAfterSeconds: 1,
    },
  );

/** How a job ends whose work was ended by an error. */
export function endOf(error: unknown): JobEvent {
  if (error instanceof JobEndedError) return { type: 'cancelled' };
  if (error instanceof ShutdownError) return { type: 'failed', problem: closing().payload };
  if (error instanceof PaymentLostError) {
    const detail = 'The payment was given back, or a later request with the same credential has it';
    return { type: 'failed', problem: problem('CONFLICT', detail).payload };
  }
  return { type: 'failed', problem: asProblem(error).payload };
}
