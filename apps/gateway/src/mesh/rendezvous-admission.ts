import { meshContract, type RendezvousRequest } from '@svc/contracts';
import { addressOf, type Admission, bringsCredential, idempotencyKeyOf } from '@svc/edge';
import { ProblemError } from '@svc/platform';
import type { FastifyRequest } from 'fastify';

/** Refusals that say nothing of what the very same request was answered with before. */
const OF_THE_MOMENT: ReadonlySet<string> = new Set(['NOT_FOUND', 'CONFLICT', 'RATE_LIMITED']);
const PROOF_OF_THE_MOMENT: ReadonlySet<unknown> = new Set(['TIMESTAMP_UNTIMELY', 'NONCE_USED']);

/**
 * Whether a rendezvous can be tried now. A request that may be a retry is let pass where only its time is over: its nonce is
 * used and its offer waits because it was answered, and its payment or its `Idempotency-Key` brings that answer again. One that was
 * not answered is refused a step later, and its payment given back.
 */
export const admitRendezvous: Admission = async (bus, body, http) => {
  const asked = { request: body as RendezvousRequest, caller: { address: addressOf(http) } };
  try {
    return await bus.call(meshContract.admitRendezvous, asked);
  } catch (error) {
    if (mayBeRetry(http) && isOfTheMoment(error)) return undefined;
    throw error;
  }
};

const mayBeRetry = ({ raw }: FastifyRequest): boolean =>
  bringsCredential(raw) || idempotencyKeyOf(raw) !== undefined;

function isOfTheMoment(error: unknown): boolean {
  if (!(error instanceof ProblemError)) return false;
  if (error.code === 'IDENTITY_UNPROVED') return PROOF_OF_THE_MOMENT.has(error.payload.extensions?.reason);
  return OF_THE_MOMENT.has(error.code);
}
