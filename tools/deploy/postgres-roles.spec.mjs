import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import pg from 'pg';
import { startEmbeddedPostgres } from '@svc/platform';
import { migratorHandover, postgresRoles } from './postgres-roles.mjs';
import { freshSecrets } from './secrets.mjs';
import { databaseServices, migratorName, roleName, TOPOLOGY, variableName } from './topology.mjs';

/** The script without psql: its meta-commands are dropped and its variables filled in, as psql would. */
function withoutPsql(script, env) {
  const variables = new Map(
    [...script.matchAll(/^\\getenv (\w+) (\w+)$/gm)].map(([, name, key]) => [name, env[key]]),
  );
  const quoted = (_, name) => pg.escapeLiteral(variables.get(name));
  return script.replace(/^\\.*$/gm, '').replace(/:'(\w+)'/g, quoted);
}

describe('Postgres roles', () => {
  const secrets = freshSecrets();
  const services = databaseServices();
  let dataDir, server;

  before(async () => {
    dataDir = mkdtempSync(join(tmpdir(), 'svc-roles-'));
    chmodSync(dataDir, 0o755);
    server = await startEmbeddedPostgres({ dataDir, fsync: false });
    await session(server.adminUrl, async client => {
      // The embedded server made its own roles; the script has to find none.
      await dropRoles(client);
      await client.query(withoutPsql(postgresRoles(), secrets));
    });
  });
  after(async () => {
    await server?.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });

  async function dropRoles(client) {
    for (const role of Object.keys(TOPOLOGY).flatMap(name => [migratorName(name), roleName(name)])) {
      const { rowCount } = await client.query('SELECT 1 FROM pg_roles WHERE rolname = $1', [role]);
      if (rowCount === 0) continue;
      await client.query(`DROP OWNED BY ${role} CASCADE`);
      await client.query(`DROP ROLE ${role}`);
    }
  }

  async function session(url, work) {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      return await work(client);
    } finally {
      await client.end();
    }
  }

  const connect = (role, variable, work) => {
    const url = new URL(server.adminUrl);
    Object.assign(url, { username: role, password: secrets[variable] });
    return session(url.href, work);
  };
  const as = (service, work) =>
    connect(roleName(service), `POSTGRES_PASSWORD_${variableName(service)}`, work);
  const asMigrator = (service, work) =>
    connect(migratorName(service), `POSTGRES_MIGRATOR_PASSWORD_${variableName(service)}`, work);
  const REFUSED = [
    'TRUNCATE note',
    'ALTER TABLE note DISABLE TRIGGER ALL',
    'DROP TABLE note',
    'CREATE TABLE mine (id int)',
  ];
  const isKeptToItsRows = async service =>
    as(service, async client => {
      await client.query("INSERT INTO note VALUES ('x')");
      assert.ok((await client.query('SELECT * FROM note')).rowCount > 0);
      for (const statement of [...REFUSED, 'CREATE TEMP TABLE note (text text)'])
        await assert.rejects(client.query(statement), { code: '42501' }, statement);
    });

  it('let each migrator make tables in its service’s schema, and the service read and add to them alone', async () => {
    for (const service of services) {
      await asMigrator(service, async client => {
        await client.query('CREATE TABLE note (text text)');
        const { rows } = await client.query("SELECT schemaname FROM pg_tables WHERE tablename = 'note'");
        assert.ok(rows.some(row => row.schemaname === roleName(service)));
      });
      await isKeptToItsRows(service);
      await as(service, client =>
        assert.rejects(client.query('UPDATE note SET text = text'), { code: '42501' }),
      );
    }
  });

  it('keep a service from another’s tables', async () => {
    await as('prover', client =>
      assert.rejects(client.query('SELECT * FROM payments.note'), { code: '42501' }),
    );
    for (const connected of [as, asMigrator]) {
      await connected('payments', client =>
        assert.rejects(client.query('SELECT * FROM prover.note'), { code: '42501' }),
      );
    }
  });

  it('keep services and migrators from making schemas, databases, roles, and tables in public', async () => {
    const refuses = async client => {
      for (const statement of [
        'CREATE SCHEMA mine',
        'CREATE DATABASE mine',
        'CREATE ROLE mine',
        'CREATE TABLE public.note (text text)',
        'SET ROLE prover',
      ]) {
        await assert.rejects(client.query(statement), { code: '42501' }, statement);
      }
    };
    await as('payments', refuses);
    await asMigrator('payments', refuses);
    await as('payments', client =>
      assert.rejects(client.query('SET ROLE payments_migrator'), { code: '42501' }),
    );
  });

  it('keep a service out of the other databases', async () => {
    const url = new URL(server.adminUrl);
    Object.assign(url, {
      username: 'prover',
      password: secrets.POSTGRES_PASSWORD_PROVER,
      pathname: '/postgres',
    });
    await assert.rejects(
      session(url.href, () => undefined),
      { code: '42501' },
    );
  });

  it('hand over what the services of an earlier installation own', async () => {
    await session(server.adminUrl, async client => {
      await dropRoles(client);
      for (const service of services) {
        const name = roleName(service);
        const password = pg.escapeLiteral(secrets[`POSTGRES_PASSWORD_${variableName(service)}`]);
        await client.query(`CREATE ROLE ${name} LOGIN NOINHERIT PASSWORD ${password};
          ALTER ROLE ${name} SET search_path = ${name};
          GRANT CONNECT, TEMPORARY ON DATABASE svc TO ${name};
          CREATE SCHEMA ${name} AUTHORIZATION ${name}`);
      }
    });
    for (const service of services)
      await as(service, client =>
        client.query("CREATE TABLE note (text text); INSERT INTO note VALUES ('kept')"),
      );
    await session(server.adminUrl, client => client.query(withoutPsql(migratorHandover(), secrets)));
    for (const service of services) {
      await asMigrator(service, client => client.query('CREATE TABLE later (id int)'));
      await isKeptToItsRows(service);
      await as(service, client => client.query("UPDATE note SET text = 'changed'"));
      await as(service, client => client.query('INSERT INTO later VALUES (1)'));
    }
  });
});
