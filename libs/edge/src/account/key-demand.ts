import { accountContract, type KeyHolder, type KeyScope } from '@svc/contracts';
import { type BusClient, problem } from '@svc/platform';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { accountKeyOf, unknownKey } from './account-key.js';

/** What a keyed route asks of the key. */
export interface KeyDemand {
  /** What the key must be good for, beside being one. */
  readonly scope?: KeyScope;
  /** What a key with limits is refused: it moves money that its caps do not count, or shows what its holder was not given. */
  readonly whole?: boolean;
  /** The route also answers without a key; one that comes must be good all the same. */
  readonly optional?: boolean;
}

/** The demand as a part of the configuration of a route. */
export interface WithKeyDemand {
  readonly keyDemand?: KeyDemand;
}

const KEY_HOLDER = Symbol('KEY_HOLDER');
interface WithKeyHolder {
  [KEY_HOLDER]?: KeyHolder;
}

/** Whose key a request came with, once {@link demandKeys} has let it in; undefined where none was needed. */
export const keyHolderOf = (request: object): KeyHolder | undefined => (request as WithKeyHolder)[KEY_HOLDER];

/**
 * Lets only holders of a key in to the routes that ask for one, before anything of the body is read: a stranger's body costs
 * nothing, and a stranger learns nothing of what the route makes of it.
 */
export function demandKeys(instance: FastifyInstance, bus: Pick<BusClient, 'call'>): void {
  const demand = async (
    { scope, optional, whole }: KeyDemand,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<void> => {
    // What one key may see is nothing that a cache on the way may show to another.
    reply.header('cache-control', 'no-store');
    const accountKey = accountKeyOf(request.raw);
    if (accountKey === undefined) {
      if (optional) return;
      throw unknownKey('Send the key of an account in X-SVC-KEY');
    }
    const holder = await bus.call(accountContract.authenticate, { accountKey, scope });
    if (whole && holder.limits) throw problem('FORBIDDEN', 'A key with limits does not do this');
    (request as WithKeyHolder)[KEY_HOLDER] = holder;
  };
  instance.addHook('onRequest', (request, reply, done) => {
    const { keyDemand } = request.routeOptions.config as WithKeyDemand;
    if (!keyDemand) return done();
    void demand(keyDemand, request, reply).then(() => done(), done);
  });
}
