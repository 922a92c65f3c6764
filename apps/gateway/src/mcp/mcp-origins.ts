import { problem } from '@svc/platform';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';

const NAMES = z
  .string()
  .max(4_096)
  .default('')
  .transform(text => text.split(/[\s,]+/).filter(name => name !== ''));

/** Variables of the checks on `Host` and `Origin` at `/mcp`. */
export const mcpConfig = z.object({
  /** Names by which clients reach `/mcp`, with commas between them; loopback names are always among them. */
  MCP_ALLOWED_HOSTS: NAMES,
  /** Origins (`https://host`) of pages that may speak to `/mcp`, with commas between them. */
  MCP_ALLOWED_ORIGINS: NAMES,
});

/** Who may speak to `/mcp`. */
export interface McpOriginSettings {
  /** Host names without a port; undefined lets any host in. */
  readonly hosts?: ReadonlySet<string>;
  readonly origins: ReadonlySet<string>;
}

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * The settings of a gateway. One that listens on loopback alone is what a page with a rebound name is after: it answers
 * loopback names. One that the world reaches has names that nobody told it; there a rebound name gains nothing, since all
 * that a request may do is in headers that no browser adds by itself.
 */
export function mcpOriginsOf(
  config: z.output<typeof mcpConfig>,
  { host, production }: { readonly host: string; readonly production: boolean },
): McpOriginSettings {
  const named = config.MCP_ALLOWED_HOSTS.map(name => name.toLowerCase());
  const isOpen = production && named.length === 0;
  const listened = host === '0.0.0.0' || host === '::' ? [] : [host.includes(':') ? `[${host}]` : host];
  return {
    ...(isOpen ? {} : { hosts: new Set([...LOOPBACK, ...listened, ...named]) }),
    origins: new Set(config.MCP_ALLOWED_ORIGINS.map(origin => origin.toLowerCase().replace(/\/$/, ''))),
  };
}

/**
 * Refuses what a page with a rebound name could send (DNS rebinding): a host that is not ours, and the origin of a page that
 * is neither ours nor named.
 * @throws ProblemError FORBIDDEN
 */
export function checkOrigin({ headers }: FastifyRequest, { hosts, origins }: McpOriginSettings): void {
  const host = (headers.host ?? '').toLowerCase();
  if (hosts && !hosts.has(withoutPort(host))) {
    throw problem('FORBIDDEN', 'Host: not a name of this server', {
      errors: [{ path: 'Host', message: 'is no name of this server', got: host.slice(0, 80) }],
    });
  }
  const origin = headers.origin?.toLowerCase();
  if (origin === undefined || origins.has(origin) || isSameHost(origin, host)) return;
  throw problem('FORBIDDEN', 'Origin: pages from there may not speak to this server', {
    errors: [{ path: 'Origin', message: 'is not allowed', got: origin.slice(0, 80) }],
  });
}

/** A page of our own; and on loopback a page from any port of it, such as an inspector's. */
function isSameHost(origin: string, host: string): boolean {
  const named = /^https?:\/\/([^/]+)$/.exec(origin)?.[1];
  if (named === undefined) return false;
  return named === host || (LOOPBACK.has(withoutPort(named)) && LOOPBACK.has(withoutPort(host)));
}

const withoutPort = (host: string): string => host.replace(/:\d+$/, '');
