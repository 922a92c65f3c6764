import { API_VERSION, createLogger, SECRET_VARIABLES } from '@svc/platform';
import { randomBytes } from 'node:crypto';

/** A value of its own for every secret that a service may ask for. @returns {Record<string, string>} */
export const everySecret = () =>
  Object.fromEntries(SECRET_VARIABLES.map(name => [name, randomBytes(32).toString('hex')]));

/**
 * What a benchmark starts a service or the gateway with.
 *
 * @param {import('@svc/contracts').ServiceName | 'gateway'} service
 * @param {{ bus: import('@svc/platform').BusConfig; urls?: { databaseUrl: string; migrationUrl: string };
 *   secrets?: Record<string, string>; variables?: Record<string, string> }} options `urls` as `postgres.urlsFor(service)` has them:
 *   the role that serves and the one that owns the tables
 */
export function serviceEnvironment(service, { bus, urls, secrets = everySecret(), variables }) {
  const logger = createLogger(service, { level: 'error' });
  return { service, version: API_VERSION, bus, ...urls, production: false, secrets, variables, logger };
}
