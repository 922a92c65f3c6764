import type { PaidOperation } from './paid-operation.js';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** One request for what is sold, and what answers it. */
export interface PricedCall {
  readonly operation: PaidOperation;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  /** The handler: runs where the call is paid for, with `request.body` as it was parsed. */
  readonly run: () => Promise<unknown>;
  /** Status of its answer. */
  readonly status: number;
  /** Ends the wait for the answer beside the end of the connection, where a caller can say so otherwise. */
  readonly signal?: AbortSignal;
}
