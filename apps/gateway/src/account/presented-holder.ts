import { accountContract, type KeyHolder } from '@svc/contracts';
import { accountKeyOf } from '@svc/edge';
import type { BusClient } from '@svc/platform';
import type { FastifyRequest } from 'fastify';

/**
 * Whose key came along with a call that is priced: it may pay, or be there beside a payment; undefined where none came.
 * @throws ProblemError UNKNOWN_CREDENTIAL
 */
export async function presentedHolder(
  bus: BusClient,
  request: FastifyRequest,
): Promise<KeyHolder | undefined> {
  const accountKey = accountKeyOf(request.raw);
  return accountKey === undefined ? undefined : bus.call(accountContract.authenticate, { accountKey });
}
