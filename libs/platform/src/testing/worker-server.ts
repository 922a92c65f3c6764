import { SERVICES, type ServiceName } from '@svc/contracts';
import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import type { EmbeddedPostgres } from '../embedded/embedded-postgres.js';
import { DATABASE, migratorOf, openToService, closeToPublic, roleOf } from '../embedded/postgres-roles.js';

/** A server that suites of one worker share, as text between them: where it is, and what opens it. */
export interface WorkerServer {
  readonly adminUrl: string;
  readonly databaseDir: string;
  readonly pid: number;
  readonly urls: Readonly<Record<ServiceName, string>>;
  readonly migrationUrls: Readonly<Record<ServiceName, string>>;
}

/** What a worker tells of the server that it keeps. */
export function describeServer(postgres: EmbeddedPostgres): WorkerServer {
  const each = (urlOf: (service: ServiceName) => string) =>
    Object.fromEntries(SERVICES.map(service => [service, urlOf(service)])) as Record<ServiceName, string>;
  const { adminUrl, databaseDir, pid } = postgres;
  const urls = each(postgres.urlFor);
  return { adminUrl, databaseDir, pid, urls, migrationUrls: each(postgres.migrationUrlFor) };
}

/**
 * A database in a shared server, with the schemas and rights of every service as in one of its own, made from the server's own
 * empty one in a tenth of a second. `stop` drops it; the server goes on.
 */
export async function openDatabase(server: WorkerServer): Promise<EmbeddedPostgres> {
  const name = `svc_${randomBytes(6).toString('hex')}`;
  const within = (url: string) => Object.assign(new URL(url), { pathname: `/${name}` }).href;
  const maintenance = Object.assign(new URL(server.adminUrl), { pathname: '/postgres' }).href;
  await connected(maintenance, async client => {
    await client.query(`CREATE DATABASE ${name} TEMPLATE ${DATABASE} STRATEGY FILE_COPY`);
    // The rights on a database are no part of what is copied.
    await closeToPublic(client, [name]);
    for (const service of SERVICES) {
      for (const role of [roleOf(service), migratorOf(service)]) await openToService(client, role, name);
    }
  });
  const urlFor = (service: ServiceName) => within(server.urls[service]);
  const migrationUrlFor = (service: ServiceName) => within(server.migrationUrls[service]);
  return {
    ...{ urlFor, migrationUrlFor, adminUrl: within(server.adminUrl) },
    urlsFor: service => ({ databaseUrl: urlFor(service), migrationUrl: migrationUrlFor(service) }),
    ...{ databaseDir: server.databaseDir, pid: server.pid },
    stop: () =>
      connected(maintenance, async client => {
        await client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
      }),
  };
}

async function connected(
  url: string,
  work: (client: InstanceType<typeof Client>) => Promise<void>,
): Promise<void> {
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}
