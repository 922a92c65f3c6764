import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import pg from 'pg';
import { startEmbeddedPostgres } from '@svc/platform';
import { postgresRoles } from './postgres-roles.mjs';
import { freshSecrets } from './secrets.mjs';
import { databaseServices, roleName, TOPOLOGY, variableName } from './topology.mjs';

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
      for (const role of Object.keys(TOPOLOGY).map(roleName)) {
        await client.query(`DROP OWNED BY ${role} CASCADE`);
        await client.query(`DROP ROLE ${role}`);
      }
      await client.query(withoutPsql(postgresRoles(), secrets));
    });
  });
  after(async () => {
    await server?.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });

  async function session(url, work) {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      return await work(client);
    } finally {
      await client.end();
    }
  }

  const as = (service, work) => {
    const url = new URL(server.adminUrl);
    url.username = roleName(service);
    url.password = secrets[`POSTGRES_PASSWORD_${variableName(service)}`];
    return session(url.href, work);
  };

  it('let each service make tables in its own schema, which its session finds first', async () => {
    for (const service of services) {
      await as(service, async client => {
        await client.query('CREATE TABLE note (text text)');
        const { rows } = await client.query("SELECT schemaname FROM pg_tables WHERE tablename = 'note'");
        assert.ok(rows.some(row => row.schemaname === roleName(service)));
      });
    }
  });

  it('keep a service from another’s tables', async () => {
    await as('prover', client =>
      assert.rejects(client.query('SELECT * FROM payments.note'), { code: '42501' }),
    );
    await as('payments', client =>
      assert.rejects(client.query('SELECT * FROM prover.note'), { code: '42501' }),
    );
  });

  it('keep a service from making schemas, databases, roles, and tables in public', async () => {
    await as('payments', async client => {
      for (const statement of [
        'CREATE SCHEMA mine',
        'CREATE DATABASE mine',
        'CREATE ROLE mine',
        'CREATE TABLE public.note (text text)',
        'SET ROLE prover',
      ]) {
        await assert.rejects(client.query(statement), { code: '42501' }, statement);
      }
    });
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
});
