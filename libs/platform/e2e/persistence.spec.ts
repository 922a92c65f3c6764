import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { type DataSource, type MigrationInterface, type QueryRunner } from 'typeorm';
import type { EmbeddedPostgres } from '../src/embedded/embedded-postgres.js';
import { startTemporaryPostgres } from '../src/testing/temporary-postgres.js';
import { createLogger } from '../src/observability/logger.js';
import { inDeferredTransaction, inTransaction } from '../src/persistence/in-transaction.js';
import { openDataSource, type PersistenceOptions } from '../src/persistence/service-data-source.js';

const logger = createLogger('payments', { level: 'silent' });

let concurrent = 0;
let concurrentMax = 0;
let runs = 0;

class CreateAccount1767225600000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    runs++;
    concurrentMax = Math.max(concurrentMax, ++concurrent);
    await runner.query(
      'CREATE TABLE account (id int PRIMARY KEY, balance int NOT NULL CHECK (balance >= 0))',
    );
    await runner.query('INSERT INTO account VALUES (1, 100), (2, 100)');
    concurrent--;
  }
  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE account');
  }
}
class Broken1767225700000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE TABLE half (id int)');
    await runner.query('CREATE TABLE account (id int)');
  }
  async down(): Promise<void> {}
}

/** Carries bytes to Postgres until it is told to drop everything, as a network does. */
class Wire {
  private readonly sockets = new Set<Socket>();
  private server: Server | undefined;
  port = 0;

  constructor(private readonly targetPort: number) {}

  async open(): Promise<void> {
    this.server = createServer(near => {
      const far = connect(this.targetPort, '127.0.0.1');
      for (const socket of [near, far]) {
        this.sockets.add(socket);
        socket.on('error', () => undefined).on('close', () => (near.destroy(), far.destroy()));
      }
      near.pipe(far).pipe(near);
    });
    await new Promise<void>(resolve => this.server!.listen(this.port, '127.0.0.1', resolve));
    this.port = (this.server.address() as { port: number }).port;
  }
  async cut(): Promise<void> {
    const closed = new Promise(resolve => this.server!.close(resolve));
    for (const socket of this.sockets) socket.destroy();
    await closed;
  }
}

describe('persistence', () => {
  let postgres: EmbeddedPostgres;

  beforeAll(async () => {
    postgres = await startTemporaryPostgres();
  });
  afterAll(async () => {
    await postgres?.stop();
  });

  const options = (more: Partial<PersistenceOptions> = {}): PersistenceOptions => ({
    service: 'payments',
    url: postgres.urlFor('payments'),
    migrationUrl: postgres.migrationUrlFor('payments'),
    migrations: [CreateAccount1767225600000],
    logger,
    ...more,
  });
  async function withDataSource(
    work: (dataSource: DataSource) => Promise<void>,
    more: Partial<PersistenceOptions> = {},
  ) {
    const dataSource = await openDataSource(options(more));
    try {
      await work(dataSource);
    } finally {
      await dataSource.destroy();
    }
  }
  const unavailable = {
    name: 'ProblemError',
    payload: { code: 'SERVICE_UNAVAILABLE', retryAfterSeconds: 2 },
  };

  it('migrates once when several instances start together, into the schema of the service', async () => {
    const sources = await Promise.all(Array.from({ length: 4 }, () => openDataSource(options())));
    try {
      expect({ runs, concurrentMax }).toEqual({ runs: 1, concurrentMax: 1 });
      const tables = await sources[0].query(
        `SELECT table_schema || '.' || table_name AS name FROM information_schema.tables
         WHERE table_schema NOT IN ('pg_catalog', 'information_schema') ORDER BY 1`,
      );
      expect(tables).toEqual([{ name: 'payments.account' }, { name: 'payments.migration' }]);
    } finally {
      await Promise.all(sources.map(source => source.destroy()));
    }
  });

  it('refuses to start on a migration that fails, and leaves nothing of it behind', async () => {
    const broken = openDataSource(options({ migrations: [CreateAccount1767225600000, Broken1767225700000] }));
    await expect(broken).rejects.toThrow(/relation "account" already exists/);
    await withDataSource(async dataSource => {
      expect(await dataSource.query(`SELECT to_regclass('half') AS found`)).toEqual([{ found: null }]);
    });
  });

  it('rolls back a transaction whose work throws', () =>
    withDataSource(async dataSource => {
      const work = inTransaction(dataSource, async manager => {
        await manager.query('UPDATE account SET balance = 0');
        throw new Error('changed my mind');
      });
      await expect(work).rejects.toThrow('changed my mind');
      expect(await dataSource.query('SELECT sum(balance)::int AS sum FROM account')).toEqual([{ sum: 200 }]);
    }));

  it('begins a deferred transaction with its first query, and commits or rolls back all of it', () =>
    withDataSource(async dataSource => {
      const transaction = 'SELECT txid_current()::text AS id';
      const work = inDeferredTransaction(dataSource, async (manager, hasBegun) => {
        expect(hasBegun()).toBe(false);
        const first = manager.query(transaction);
        expect(await manager.query(transaction)).toEqual(await first);
        expect(hasBegun()).toBe(true);
        // A transaction within it is a savepoint, not one that would commit by itself.
        await manager.transaction(inner => inner.query('UPDATE account SET balance = 0'));
        throw new Error('changed its mind');
      });
      await expect(work).rejects.toThrow('changed its mind');
      expect(await dataSource.query('SELECT 1 FROM account WHERE balance = 0')).toEqual([]);
      const set = (balance: number) =>
        inDeferredTransaction(dataSource, manager =>
          manager.query('UPDATE account SET balance = $1 WHERE id = 2', [balance]),
        );
      await set(99);
      expect(await dataSource.query('SELECT balance FROM account WHERE id = 2')).toEqual([{ balance: 99 }]);
      await expect(set(-1)).rejects.toMatchObject({ driverError: { code: '23514' } });
      await set(100);
    }));

  it('repeats a serializable transaction that Postgres aborts, so that no update is lost', () =>
    withDataSource(async dataSource => {
      let attempts = 0;
      let allHaveRead!: () => void;
      const haveRead = new Promise<void>(resolve => (allHaveRead = resolve));
      const add = () =>
        inTransaction(
          dataSource,
          async manager => {
            const attempt = ++attempts;
            const [{ balance }] = await manager.query('SELECT balance FROM account WHERE id = 1');
            // None writes before all have read the same balance: one of them at most can be right.
            if (attempt === 5) allHaveRead();
            await haveRead;
            await manager.query('UPDATE account SET balance = $1 WHERE id = 1', [balance + 1]);
          },
          { isolation: 'SERIALIZABLE', attemptsMax: 20 },
        );
      await Promise.all(Array.from({ length: 5 }, add));
      expect(await dataSource.query('SELECT balance FROM account WHERE id = 1')).toEqual([{ balance: 105 }]);
      expect(attempts).toBeGreaterThan(5);
    }));

  it("passes the database's own refusals as they are", () =>
    withDataSource(async dataSource => {
      const overdraw = dataSource.query('UPDATE account SET balance = -1 WHERE id = 1');
      await expect(overdraw).rejects.toMatchObject({ driverError: { code: '23514' } });
    }));

  it('says SERVICE_UNAVAILABLE while Postgres is away and heals by itself', async () => {
    const url = new URL(postgres.urlFor('payments'));
    const wire = new Wire(Number(url.port));
    await wire.open();
    url.port = String(wire.port);
    await withDataSource(
      async dataSource => {
        await dataSource.query('SELECT 1');
        await wire.cut();
        await expect(dataSource.query('SELECT 1')).rejects.toMatchObject(unavailable);
        await expect(inTransaction(dataSource, manager => manager.query('SELECT 1'))).rejects.toMatchObject(
          unavailable,
        );
        await wire.open();
        expect(await dataSource.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
      },
      { url: url.href },
    );
    await wire.cut();
  });

  it.each([
    ['asks again at once', false],
    ['asks again when typeorm has noticed', true],
  ])('says SERVICE_UNAVAILABLE when the connection is lost inside a transaction that %s', (_name, noticed) =>
    withDataSource(async dataSource => {
      const work = inTransaction(dataSource, async manager => {
        const [{ pid }] = await manager.query('SELECT pg_backend_pid() AS pid');
        await dataSource.query('SELECT pg_terminate_backend($1)', [pid]);
        while (noticed && !manager.queryRunner!.isReleased) await new Promise(next => setImmediate(next));
        await manager.query('UPDATE account SET balance = 0');
      });
      await expect(work).rejects.toMatchObject(unavailable);
      expect(await dataSource.query('SELECT min(balance)::int > 0 AS kept FROM account')).toEqual([
        { kept: true },
      ]);
    }),
  );

  it('waits for a Postgres that is away at the start, until it comes or the wait is ended', async () => {
    const url = new URL(postgres.urlFor('payments'));
    const wire = new Wire(Number(url.port));
    await wire.open();
    await wire.cut();
    url.port = String(wire.port);
    const ended = new AbortController();
    const waiting = openDataSource(options({ url: url.href, signal: ended.signal }));
    ended.abort(new Error('shut down'));
    await expect(waiting).rejects.toThrow();

    const patient = openDataSource(options({ url: url.href }));
    await wire.open();
    const dataSource = await patient;
    expect(await dataSource.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
    await dataSource.destroy();
    await wire.cut();
  });

  it('waits for a Postgres that takes connections and says nothing yet', async () => {
    const url = new URL(postgres.urlFor('payments'));
    const held: Socket[] = [];
    const silent = createServer(socket => void held.push(socket.on('error', () => undefined)));
    await new Promise<void>(resolve => silent.listen(0, '127.0.0.1', resolve));
    const wire = new Wire(Number(url.port));
    wire.port = (silent.address() as { port: number }).port;
    url.port = String(wire.port);

    let isAway = () => {};
    const away = new Promise<void>(resolve => (isAway = resolve));
    const migrationUrl = new URL(postgres.migrationUrlFor('payments'));
    migrationUrl.port = url.port;
    const patient = openDataSource(
      options({ url: url.href, migrationUrl: migrationUrl.href, onWaiting: isAway, connectMs: 500 }),
    );
    try {
      // It does not end instead of waiting.
      await Promise.race([away, patient]);
    } finally {
      for (const socket of held) socket.destroy();
      await new Promise(resolve => silent.close(resolve));
    }
    await wire.open();
    await (await patient).destroy();
    await wire.cut();
  });
});
