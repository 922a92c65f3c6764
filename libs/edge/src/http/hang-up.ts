import { problem, type ProblemError } from '@svc/platform';
import type { FastifyReply } from 'fastify';

/** Of a client that has gone nothing failed on our side: the log has no error of it. */
export const hungUp = (): ProblemError => problem('CONFLICT', 'The client hung up');

/**
 * A signal that aborts when the client's connection closes before its whole answer has been handed to
 * the operating system; where that comes first, it never aborts.
 */
export function hangUpSignal({ raw }: FastifyReply): AbortSignal {
  const controller = new AbortController();
  const onClose = () => {
    if (!raw.writableFinished) controller.abort(hungUp());
  };
  if (raw.destroyed) onClose();
  else raw.once('close', onClose);
  return controller.signal;
}
