import { ProblemPayload, type ProblemPayload as Payload } from '@svc/contracts';
import type { Logger } from 'pino';
import { problem, ProblemError } from '../problem-details/problem-error.js';
import type { DecodedEnvelope } from './envelope.js';

/** A reply as it crosses the bus: the value, or the problem in its place. */
export type Reply = { value: unknown } | { problem: Payload };

/**
 * Reads a reply.
 * @throws ProblemError the remote problem, or INTERNAL when what came is no reply
 */
export function readReply(subject: string, decoded: DecodedEnvelope): unknown {
  if (!decoded.ok) throw problem('INTERNAL', `The reply of ${subject} cannot be read: ${decoded.reason}`);
  const reply = decoded.value;
  if (typeof reply === 'object' && reply !== null) {
    if (Object.hasOwn(reply, 'value')) return (reply as { value: unknown }).value;
    const remote = ProblemPayload.safeParse((reply as { problem?: unknown }).problem);
    if (remote.success) throw new ProblemError(remote.data);
  }
  throw problem('INTERNAL', `The reply of ${subject} is neither a value nor a problem`);
}

/** What the caller learns of an error: a problem as it is, of anything else nothing but the code. */
export function problemPayloadOf(error: unknown, subject: string, logger: Logger): Payload {
  if (error instanceof ProblemError) return error.payload;
  logger.error({ err: error, subject }, 'A handler failed');
  return { code: 'INTERNAL', detail: 'Something failed on our side; the trace id finds it in our logs' };
}
