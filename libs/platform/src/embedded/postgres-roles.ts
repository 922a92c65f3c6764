import { SERVICES, type ServiceName } from '@svc/contracts';
import { Client } from 'pg';
import { schemaOf } from '../persistence/service-data-source.js';

type Session = InstanceType<typeof Client>;

export const DATABASE = 'svc';

/** A service's role is named as its schema. */
export const roleOf = schemaOf;

/**
 * Makes the database, and for each service a role that owns the service's schema and may do nothing
 * else. What exists already is left; passwords are set anew.
 */
export async function provisionRoles(
  adminUrl: string,
  passwords: Readonly<Record<ServiceName, string>>,
): Promise<void> {
  const created = await connected(adminUrl, async client => {
    const found = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [DATABASE]);
    if (found.rowCount !== 0) return false;
    await client.query(`CREATE DATABASE ${DATABASE}`);
    return true;
  });
  const url = new URL(adminUrl);
  url.pathname = `/${DATABASE}`;
  await connected(url.href, async client => {
    await client.query('BEGIN');
    if (created) await closeToPublic(client);
    const known = await client.query<{ rolname: string }>('SELECT rolname FROM pg_roles');
    const roles = new Set(known.rows.map(row => row.rolname));
    for (const service of SERVICES) await provisionRole(client, roleOf(service), passwords[service], roles);
    await client.query('COMMIT');
  });
}

async function closeToPublic(client: Session): Promise<void> {
  await client.query(`REVOKE ALL ON DATABASE ${DATABASE}, postgres, template1 FROM PUBLIC`);
  await client.query('REVOKE ALL ON SCHEMA public FROM PUBLIC');
}

async function provisionRole(
  client: Session,
  role: string,
  password: string,
  known: Set<string>,
): Promise<void> {
  const name = client.escapeIdentifier(role);
  if (!known.has(role)) {
    await client.query(
      `CREATE ROLE ${name} LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOINHERIT`,
    );
  }
  await client.query(`ALTER ROLE ${name} PASSWORD ${client.escapeLiteral(password)}`);
  await client.query(`ALTER ROLE ${name} SET search_path = ${name}`);
  await client.query(`GRANT CONNECT, TEMPORARY ON DATABASE ${DATABASE} TO ${name}`);
  await client.query(`CREATE SCHEMA IF NOT EXISTS ${name} AUTHORIZATION ${name}`);
}

async function connected<T>(url: string, work: (client: Session) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
