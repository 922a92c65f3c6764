import { gatewayRoutes } from '@svc/contracts';
import type { FastifyRequest } from 'fastify';
import type { IncomingMessage } from 'node:http';
import { ANY_ADDRESS, networkOf, type TrustedProxies } from './client-address.js';
import type { PublicUrls } from './public-urls.js';

/** Who calls, as far as the connection and the proxies that are trusted say. */
interface Caller {
  /** An IPv4 address, or the /64 of an IPv6 one. */
  readonly address: string;
  readonly scheme: 'http' | 'https';
  /** Host of the URL that was called, as it can stand in a header; undefined for one that is none of ours. */
  readonly host: string | undefined;
}

const HOST = /^[A-Za-z0-9.:[\]-]{1,255}$/;
const CALLER = Symbol('CALLER');
interface WithCaller {
  [CALLER]?: Caller;
}

/** Whom the edge believes about addresses: those of callers, and its own. */
export interface BelievedAddresses {
  readonly trustedProxies: TrustedProxies;
  readonly publicUrls?: PublicUrls;
}

/** Notes who calls, and for which of our addresses, once, before anything is done for the request. */
export function noteCaller(request: FastifyRequest, { trustedProxies, publicUrls }: BelievedAddresses): void {
  const { raw } = request;
  const { host = '' } = raw.headers;
  const known = publicUrls?.areKnown ? publicUrls.of(host) : undefined;
  const called = HOST.test(host) ? host : 'localhost';
  const caller: Caller = {
    address: networkOf(trustedProxies.clientOf(raw)),
    ...(publicUrls?.areKnown
      ? { scheme: known?.protocol === 'http:' ? 'http' : 'https', host: known?.host }
      : { scheme: isHttps(raw, trustedProxies) ? 'https' : 'http', host: called }),
  };
  (request as WithCaller)[CALLER] = caller;
}

const ORCHESTRATORS: ReadonlySet<string> = new Set([gatewayRoutes.livez.path, gatewayRoutes.readyz.path]);

/** Orchestrators ask these, often, by whatever name they know a container, and must have their answer. */
export const isOrchestrators = ({ method, url }: Pick<FastifyRequest, 'method' | 'url'>): boolean =>
  (method === 'GET' || method === 'HEAD') && ORCHESTRATORS.has(url);

/** The IPv4 address, or the /64 of the IPv6 address, from which a request comes. */
export const addressOf = (request: FastifyRequest): string =>
  (request as WithCaller)[CALLER]?.address ?? ANY_ADDRESS;

/** The scheme of the URL that the client called. */
export const schemeOf = (request: FastifyRequest): 'http' | 'https' =>
  (request as WithCaller)[CALLER]?.scheme ?? 'http';

/** The host that the client called, as it can stand in a header. */
export const realmOf = (request: FastifyRequest): string =>
  (request as WithCaller)[CALLER]?.host ?? 'localhost';

/** The origin that the client called, `https://svc.example`; undefined where that is none of ours. */
export function originOf(request: FastifyRequest): string | undefined {
  const { scheme, host } = (request as WithCaller)[CALLER] ?? {};
  return host === undefined ? undefined : `${scheme}://${host}`;
}

function isHttps({ socket, headers }: IncomingMessage, proxies: TrustedProxies): boolean {
  if ('encrypted' in socket) return true;
  const forwarded = headers['x-forwarded-proto'];
  if (typeof forwarded !== 'string' || !proxies.trusts(socket.remoteAddress)) return false;
  return forwarded.split(',', 1)[0].trim().toLowerCase() === 'https';
}
