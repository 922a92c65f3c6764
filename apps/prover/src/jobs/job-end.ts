import type { ProblemPayload } from '@svc/contracts';
import { asProblem, problem } from '@svc/platform';
import type { RunEvent } from './job-state.js';

/** The job was cancelled, or is another run's by now. */
export class JobEndedError extends Error {
  constructor() {
    super('the job was ended');
    this.name = 'JobEndedError';
  }
}

/** The service is closing: the job is another process's. */
export class ShutdownError extends Error {
  constructor() {
    super('the service is closing');
    this.name = 'ShutdownError';
  }
}

const payloadOf = (code: 'CONFLICT' | 'INTERNAL', detail: string): ProblemPayload =>
  problem(code, detail).payload;

/** A later request with the same credential has the payment, or it was given back: the proof would be nobody's. */
export const PAYMENT_LOST = payloadOf(
  'CONFLICT',
  'The payment was given back, or a later request with the same credential has it',
);
/** Processes died with it before they began it. */
export const PUT_ASIDE = payloadOf('INTERNAL', 'The job was handed out too often without being begun');
/** The secret that it was sealed with has been taken out of the configuration. */
export const NOT_OPENED = payloadOf('INTERNAL', 'What was asked cannot be read any more');

/**
 * What is kept of why a job failed. The values of a trace that broke are left out: the caller who waits for an answer is told them, and the
 * trace may be one that is to be hidden.
 */
export function keptProblem(error: unknown): ProblemPayload {
  const { extensions = {}, ...payload } = asProblem(error).payload;
  const { operands: _values, ...kept } = extensions;
  return Object.keys(kept).length > 0 ? { ...payload, extensions: kept } : payload;
}

/** What a run says of its job whose work was ended by an error. */
export function endOf(error: unknown, run: number): RunEvent {
  if (error instanceof JobEndedError) return { type: 'cancelled', run };
  if (error instanceof ShutdownError) return { type: 'given-back', run };
  return { type: 'failed', run, problem: keptProblem(error) };
}
