import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EmbeddedPostgres } from '../src/embedded/embedded-postgres.js';
import { findProgram } from '../src/embedded/find-program.js';
import { prepared, PreparingClient } from '../src/persistence/prepared-statements.js';
import { startTemporaryPostgres } from '../src/testing/temporary-postgres.js';

const SUM = prepared('SELECT $1::int + $2::int AS sum');
const PGBOUNCER = findProgram('pgbouncer');
/** It does not run as root. */
const NOBODY = 65_534;

if (!PGBOUNCER) it('needs pgbouncer', () => console.log('SKIPPED: pgbouncer is not installed'));
else {
  let postgres: EmbeddedPostgres;
  let pooler: ChildProcess;
  let folder: string;
  let url: URL;
  beforeAll(async () => {
    postgres = await startTemporaryPostgres();
    folder = mkdtempSync(join(tmpdir(), 'pooler-'));
    const target = new URL(postgres.urlFor('payments'));
    url = new URL(target);
    url.port = String(await freePort());
    const [users, settings] = ['users', 'settings'].map(name => join(folder, name));
    writeFileSync(users, `"${target.username}" "${target.password}"\n`);
    // Two connections for all clients, handed on after each transaction.
    const lines = [
      ...['[databases]', `* = host=127.0.0.1 port=${target.port}`, '[pgbouncer]', 'pool_mode = transaction'],
      ...['default_pool_size = 2', 'listen_addr = 127.0.0.1', `listen_port = ${url.port}`],
      ...['auth_type = scram-sha-256', `auth_file = ${users}`, 'unix_socket_dir ='],
    ];
    writeFileSync(settings, `${lines.join('\n')}\n`);
    chmodSync(folder, 0o755);
    const asNobody = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
    pooler = spawn(PGBOUNCER, ['-q', settings], { stdio: 'ignore', ...asNobody });
    while (!(await isOpen(Number(url.port)))) await new Promise(resolve => setTimeout(resolve, 10));
  });
  afterAll(async () => {
    if (pooler && pooler.exitCode === null) {
      pooler.kill();
      await once(pooler, 'exit');
    }
    await postgres?.stop();
    if (folder) rmSync(folder, { recursive: true });
  });

  it('that hands connections on and keeps no statements fails no query', async () => {
    const clients = Array.from({ length: 6 }, () => new PreparingClient({ connectionString: url.href }));
    await Promise.all(clients.map(client => client.connect()));
    for (let round = 0; round < 5; round++) {
      const asked = clients.map((client, i) => client.query<{ sum: number }>(SUM, [round, i]));
      const sums = (await Promise.all(asked)).map(({ rows }) => rows[0].sum);
      expect(sums).toEqual(clients.map((_, i) => round + i));
    }
    // From then on nothing is named.
    const later = prepared('SELECT $1::int AS later');
    await Promise.all(clients.map(client => client.query(later, [1])));
    const kept = `SELECT count(*)::int AS count FROM pg_prepared_statements WHERE statement = $1`;
    for (const client of clients)
      expect((await client.query<{ count: number }>(kept, [later])).rows).toEqual([{ count: 0 }]);
    await Promise.all(clients.map(client => client.end()));
  });
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}

function isOpen(port: number): Promise<boolean> {
  return new Promise(resolve => {
    const socket = connect(port, '127.0.0.1');
    socket.on('connect', () => resolve(true)).on('error', () => resolve(false));
    socket.on('connect', () => socket.destroy());
  });
}
