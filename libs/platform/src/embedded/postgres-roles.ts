import { SERVICES, type ServiceName } from '@svc/contracts';
import { Client } from 'pg';
import { schemaOf } from '../persistence/service-data-source.js';
import { migrationLockOf } from '../persistence/schema-migration.js';

type Session = InstanceType<typeof Client>;

export const DATABASE = 'svc';

/** A service's role is named as its schema. */
export const roleOf = schemaOf;

/** The role that owns a service's schema and all that is in it. */
export const migratorOf = (service: ServiceName): string => `${roleOf(service)}_migrator`;

/** Passwords by service. */
export type RolePasswords = Readonly<Record<ServiceName, string>>;

/**
 * Makes the database, and for each service two roles: a migrator, which owns the service's schema, and the service's own,
 * which owns nothing. What exists already is left, but for what the service's role owned in earlier releases: it is handed
 * to the migrator. Passwords are set anew.
 */
export async function provisionRoles(
  adminUrl: string,
  passwords: RolePasswords,
  migratorPasswords: RolePasswords,
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
    if (created) await closeToPublic(client, [DATABASE, 'postgres', 'template1']);
    const known = await client.query<{ rolname: string }>('SELECT rolname FROM pg_roles');
    const roles = new Set(known.rows.map(row => row.rolname));
    for (const service of SERVICES) {
      const [role, migrator] = [roleOf(service), migratorOf(service)];
      // A service that waited for Postgres may migrate by now: of two that give rights at once one would fail.
      await client.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [migrationLockOf(role)]);
      const isKnown = roles.has(role);
      await provisionRole(client, role, { schema: role, password: passwords[service], isKnown });
      const isMigratorKnown = roles.has(migrator);
      await provisionRole(client, migrator, {
        ...{ schema: role, password: migratorPasswords[service], isKnown: isMigratorKnown },
      });
      await provisionSchema(client, role, migrator);
    }
    await client.query('COMMIT');
  });
}

/** Takes from everybody what Postgres gives to everybody: a way into the databases, and into the schema `public` of this one. */
export async function closeToPublic(client: Session, databases: readonly string[]): Promise<void> {
  await client.query(`REVOKE ALL ON DATABASE ${databases.join(', ')} FROM PUBLIC`);
  await client.query('REVOKE ALL ON SCHEMA public FROM PUBLIC');
}

/** Lets a role into a database. Temporary tables of a session would hide those of the schema from its functions. */
export async function openToService(client: Session, role: string, database: string): Promise<void> {
  const name = client.escapeIdentifier(role);
  await client.query(`REVOKE TEMPORARY ON DATABASE ${database} FROM ${name}`);
  await client.query(`GRANT CONNECT ON DATABASE ${database} TO ${name}`);
}

async function provisionRole(
  client: Session,
  role: string,
  { schema, password, isKnown }: { schema: string; password: string; isKnown: boolean },
): Promise<void> {
  const name = client.escapeIdentifier(role);
  if (!isKnown) {
    await client.query(
      `CREATE ROLE ${name} LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOINHERIT`,
    );
  }
  await client.query(`ALTER ROLE ${name} PASSWORD ${client.escapeLiteral(password)}`);
  await client.query(`ALTER ROLE ${name} SET search_path = ${client.escapeIdentifier(schema)}`);
  await openToService(client, role, DATABASE);
}

/** By default tables can be read and added to; what else may be done with each, the migrations give. */
async function provisionSchema(client: Session, role: string, migrator: string): Promise<void> {
  const [service, owner] = [role, migrator].map(name => client.escapeIdentifier(name));
  await client.query(`REASSIGN OWNED BY ${service} TO ${owner}`);
  await client.query(`CREATE SCHEMA IF NOT EXISTS ${service} AUTHORIZATION ${owner}`);
  await client.query(`GRANT USAGE ON SCHEMA ${service} TO ${service}`);
  const defaults = `ALTER DEFAULT PRIVILEGES FOR ROLE ${owner} IN SCHEMA ${service} GRANT`;
  await client.query(`${defaults} SELECT, INSERT ON TABLES TO ${service}`);
  await client.query(`${defaults} USAGE, SELECT ON SEQUENCES TO ${service}`);
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
