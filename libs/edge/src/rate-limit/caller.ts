import type { FastifyRequest } from 'fastify';
import type { IncomingMessage } from 'node:http';
import { ANY_ADDRESS, networkOf, type TrustedProxies } from './client-address.js';

/** Who calls, as far as the connection and the proxies that are trusted say. */
interface Caller {
  /** An IPv4 address, or the /64 of an IPv6 one. */
  readonly address: string;
  readonly scheme: 'http' | 'https';
}

const CALLER = Symbol('CALLER');
interface WithCaller {
  [CALLER]?: Caller;
}

/** Notes who calls, once, before anything is done for the request. */
export function noteCaller(request: FastifyRequest, proxies: TrustedProxies): Caller {
  const { raw } = request;
  const caller: Caller = {
    address: networkOf(proxies.clientOf(raw)),
    scheme: isHttps(raw, proxies) ? 'https' : 'http',
  };
  (request as WithCaller)[CALLER] = caller;
  return caller;
}

/** The IPv4 address, or the /64 of the IPv6 address, from which a request comes. */
export const addressOf = (request: FastifyRequest): string =>
  (request as WithCaller)[CALLER]?.address ?? ANY_ADDRESS;

/** The scheme of the URL that the client called. */
export const schemeOf = (request: FastifyRequest): 'http' | 'https' =>
  (request as WithCaller)[CALLER]?.scheme ?? 'http';

/** The host that the client called, as it can stand in a header. */
export function realmOf({ headers }: Pick<FastifyRequest, 'headers'>): string {
  const { host = '' } = headers;
  return /^[A-Za-z0-9.:[\]-]{1,255}$/.test(host) ? host : 'localhost';
}

function isHttps({ socket, headers }: IncomingMessage, proxies: TrustedProxies): boolean {
  if ('encrypted' in socket) return true;
  const forwarded = headers['x-forwarded-proto'];
  if (typeof forwarded !== 'string' || !proxies.trusts(socket.remoteAddress)) return false;
  return forwarded.split(',', 1)[0].trim().toLowerCase() === 'https';
}
