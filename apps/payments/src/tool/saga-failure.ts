import { PROBLEMS, type ProblemCode, ProblemPayload } from '@svc/contracts';
import { type JsonObject, StepFailed, type StepContext, type StoredSaga } from '@svc/durability';
import { problem, type ProblemError } from '@svc/platform';
import { walHashOf } from '../execute/wal-events.js';

/** Code of a step that failed because its caller wanted to see it taken back. */
export const SIMULATED_FAULT = 'SIMULATED_FAULT';

/** Step that fails with `simulateFault` where none is named. */
const FAULT_STEP_DEFAULT = 3;

/** Why a saga was taken back, as the saga keeps it. */
export interface KeptFailure {
  readonly step: string;
  readonly code: string;
  readonly message: string;
}

/** @throws StepFailed where the caller asked that this step, counted from 1, fails */
export function failOnDemand({ kept }: StepContext, stepNumber: number, mayHaveEffect: boolean): void {
  const { simulateFault, faultStep = FAULT_STEP_DEFAULT } = kept.input as JsonObject;
  if (simulateFault === true && faultStep === stepNumber)
    throw new StepFailed(
      SIMULATED_FAULT,
      'The step failed because simulateFault asked for it',
      mayHaveEffect,
    );
}

/**
 * What a saga keeps beside its log.
 * @throws ProblemError EXPIRED a day after its end, when inputs and outputs are gone, and the log is what is left
 */
export function keptOf({ kept, sagaId }: StoredSaga): JsonObject {
  if (kept.input !== undefined) return kept;
  const detail = 'What the saga kept beside its log is gone, a day after its end; the log is there';
  throw problem('EXPIRED', detail, { extensions: { sagaId } });
}

/** Why a saga was taken back; undefined where it was not, or where that is not kept any more. */
export const failureOf = ({ kept }: StoredSaga): KeptFailure | undefined =>
  kept.failure as unknown as KeptFailure | undefined;

/**
 * What the caller of a saga is told that came to nothing: the problem of the tool that refused; else that the service which
 * the saga needed was away.
 */
export function failureProblem(saga: StoredSaga): ProblemError {
  const failure = failureOf(saga);
  const extensions = {
    sagaId: saga.sagaId,
    status: saga.state,
    walHash: walHashOf(saga.records),
    ...(failure && { fault: { step: failure.step, code: failure.code } }),
  };
  const refused = ProblemPayload.safeParse(saga.kept.problem);
  if (refused.success && failure?.code === refused.data.code) {
    const { code, detail, errors, extensions: more } = refused.data;
    return problem(code, detail, { ...(errors && { errors }), extensions: { ...more, ...extensions } });
  }
  const code = failure && isCallerFault(failure.code) ? failure.code : 'SERVICE_UNAVAILABLE';
  const detail =
    code === 'SERVICE_UNAVAILABLE'
      ? 'A service that the tool needs did not answer, and the execution was taken back'
      : failure!.message;
  return problem(code, detail, {
    ...(code === 'SERVICE_UNAVAILABLE' && { retryAfterSeconds: 30 }),
    extensions,
  });
}

const isCallerFault = (code: string): code is ProblemCode =>
  Object.hasOwn(PROBLEMS, code) && PROBLEMS[code as ProblemCode].status < 500;
