import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { accountContract, type KeyHolder, type KeyScope } from '@svc/contracts';
import { BusClient } from '@svc/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { accountKeyOf, unknownKey } from './account-key.js';

/** What a keyed route asks of the key. */
export interface KeyDemand {
  /** What the key must be good for, beside being one. */
  readonly scope?: KeyScope;
  /** The route also answers without a key; one that comes must be good all the same. */
  readonly optional?: boolean;
}

export const KEY_DEMAND = Symbol('KEY_DEMAND');

const KEY_HOLDER = Symbol('KEY_HOLDER');
interface WithKeyHolder {
  [KEY_HOLDER]?: KeyHolder;
}

/** Whose key a request came with, once {@link AccountGuard} has let it in; undefined where none was needed. */
export const keyHolderOf = (request: object): KeyHolder | undefined => (request as WithKeyHolder)[KEY_HOLDER];

/** Lets only holders of a key in: before the body is validated, so that strangers learn nothing of it. */
@Injectable()
export class AccountGuard implements CanActivate {
  constructor(
    private readonly bus: BusClient,
    private readonly reflector: Reflector,
  ) {}

  /** @throws ProblemError UNKNOWN_CREDENTIAL, FORBIDDEN, CONFLICTING_CREDENTIALS; SERVICE_UNAVAILABLE */
  async canActivate(context: ExecutionContext): Promise<boolean> {
    const { scope, optional } = this.reflector.get<KeyDemand>(KEY_DEMAND, context.getHandler());
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    // What one key may see is nothing that a cache on the way may show to another.
    http.getResponse<FastifyReply>().header('cache-control', 'no-store');
    const accountKey = accountKeyOf(request.raw);
    if (accountKey === undefined) {
      if (optional) return true;
      throw unknownKey('Send the key of an account in X-SVC-KEY');
    }
    const holder = await this.bus.call(accountContract.authenticate, { accountKey, scope });
    (request as WithKeyHolder)[KEY_HOLDER] = holder;
    return true;
  }
}
