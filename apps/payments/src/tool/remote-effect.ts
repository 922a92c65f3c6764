import type { PROBLEMS, ProblemPayload, Procedure, ReplyOf, RequestOf } from '@svc/contracts';
import { type JsonObject, StepFailed } from '@svc/durability';
import { type BusClient, ProblemError } from '@svc/platform';

/** What says nothing of the request itself: asked again, or about, it may come out otherwise. */
const PASSING: readonly (keyof typeof PROBLEMS)[] = [
  ...(['SERVICE_UNAVAILABLE', 'OVERLOADED', 'QUEUE_FULL', 'RATE_LIMITED', 'TIMEOUT', 'INTERNAL'] as const),
];

/**
 * Asks another service for an effect that it knows again by its key, as a step of a saga does: what passes is thrown as it
 * is, for the step to be asked about or tried again, and a refusal ends the step, its problem kept for the answer.
 *
 * @throws StepFailed where the service refuses for good; ProblemError for anything else
 */
export async function askEffect<P extends Procedure>(
  bus: BusClient,
  procedure: P,
  request: RequestOf<P>,
  signal: AbortSignal,
): Promise<ReplyOf<P>> {
  try {
    return await bus.call(procedure, request, { signal });
  } catch (error) {
    throw stepFaultOf(error);
  }
}

/** What an error of a tool means for the step that ran it. */
export function stepFaultOf(error: unknown): unknown {
  if (!(error instanceof ProblemError) || PASSING.includes(error.code)) return error;
  const state = error.payload.extensions?.state;
  const isRevoked = state === 'revoked';
  // Under this key it runs elsewhere, unless what it is about was done under another: that stays so.
  if (error.code === 'CONFLICT' && !isRevoked && state !== 'answered') return error;
  // A copy of the request may still be on its way: only where the key was revoked will it surely come to nothing.
  return new StepFailed(error.code, error.payload.detail, !isRevoked, {
    problem: problemJson(error.payload),
  });
}

/** A problem as a saga keeps it. */
const problemJson = (payload: ProblemPayload): JsonObject =>
  JSON.parse(JSON.stringify(payload)) as JsonObject;
