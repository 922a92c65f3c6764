import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { KeyHolder } from '@svc/contracts';
import type { FastifyRequest } from 'fastify';
import { accountKeyOf } from './account-key.js';
import { type KeyDemand, keyHolderOf, type WithKeyDemand } from './key-demand.js';

/**
 * Guards a route of a holder's own (`access: 'key'`) or of an operator's (`access: 'admin'`, with a scope): without
 * `X-SVC-KEY`, or with one that is not known, revoked or out of its time, 401; without the scope, 403.
 *
 * @example `Keyed({ scope: 'leads:read' })` above `list(AccountOf() holder: KeyHolder)`
 */
export const Keyed = (keyDemand: KeyDemand = {}): MethodDecorator =>
  RouteConfig({ keyDemand } satisfies WithKeyDemand);

/** The {@link KeyHolder} of a handler that {@link Keyed} guards; undefined where the key is optional and none came. */
export const AccountOf = createParamDecorator(
  (_data: unknown, context: ExecutionContext): KeyHolder | undefined =>
    keyHolderOf(context.switchToHttp().getRequest<object>()),
);

/** The key itself, for a service that looks at it once more: an operator's. */
export const AccountKey = createParamDecorator((_data: unknown, context: ExecutionContext): string =>
  accountKeyOf(context.switchToHttp().getRequest<FastifyRequest>().raw)!,
);
