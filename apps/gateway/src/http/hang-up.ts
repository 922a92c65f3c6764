import { problem } from '@svc/platform';
import type { FastifyReply } from 'fastify';

/** A signal that aborts when the client's connection closes before its answer has been sent. */
export function hangUpSignal({ raw }: FastifyReply): AbortSignal {
  const controller = new AbortController();
  const hangUp = () => controller.abort(problem('CONFLICT', 'The client hung up'));
  if (raw.destroyed) hangUp();
  else
    raw.once('close', () => {
      if (!raw.writableFinished) hangUp();
    });
  return controller.signal;
}
