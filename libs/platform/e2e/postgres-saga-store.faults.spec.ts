import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { HeldSaga } from '@svc/durability';
import { execFileSync } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { statSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import type { DataSource, EntityManager } from 'typeorm';
import type { EmbeddedPostgres } from '../src/embedded/embedded-postgres.js';
import { startOwnPostgres } from '../src/testing/temporary-postgres.js';
import { createLogger } from '../src/observability/logger.js';
import { openDataSource } from '../src/persistence/service-data-source.js';
import { PostgresSagaStore } from '../src/saga/postgres-saga-store.js';
import { birthOf, recordsAfter } from '../src/saga/saga-store.contract.js';
import { SagaTables1763900000000 } from '../src/saga/saga-tables.js';

const logger = createLogger('payments', { level: 'silent' });
const PLAIN = { seal: (_id: string, plain: Buffer) => plain, open: (_id: string, sealed: Buffer) => sealed };
/** As it is sent: records of the log have the word in them too. */
const COMMIT = 'COMMIT\0';
const UNAVAILABLE = { name: 'ProblemError', payload: { code: 'SERVICE_UNAVAILABLE' } };

/** Carries bytes to Postgres; told to, it loses the answer to the next message that has some text in it. */
class Wire {
  private server: Server | undefined;
  private loses: string | undefined;
  port = 0;

  constructor(private readonly targetPort: number) {}

  loseAnswerTo(text: string): void {
    this.loses = text;
  }

  async open(): Promise<void> {
    this.server = createServer(near => {
      const far = connect(this.targetPort, '127.0.0.1');
      let isLost = false;
      const carry = (from: Socket, to: Socket, see: (chunk: Buffer) => boolean) =>
        from
          .on('data', chunk => (see(chunk) ? to.write(chunk) : near.destroy()))
          .on('error', () => undefined)
          .on('close', () => to.destroy());
      carry(near, far, chunk => {
        if (this.loses !== undefined && chunk.includes(this.loses)) {
          isLost = true;
          this.loses = undefined;
        }
        return true;
      });
      carry(far, near, () => !isLost);
    });
    await new Promise<void>(resolve => this.server!.listen(0, '127.0.0.1', resolve));
    this.port = (this.server.address() as { port: number }).port;
  }
  close(): Promise<void> {
    return new Promise(resolve => this.server!.close(() => resolve()));
  }
}

describe('the saga store on a Postgres that fails', () => {
  let postgres: EmbeddedPostgres;
  beforeAll(async () => {
    postgres = await startOwnPostgres();
  });
  afterAll(() => postgres?.stop());

  async function open(
    poolSize = 10,
    url = postgres.migrationUrlFor('payments'),
    connectMs?: number,
  ): Promise<DataSource> {
    const migrations = [SagaTables1763900000000];
    const database = await openDataSource({
      ...{ service: 'payments', url, migrationUrl: postgres.migrationUrlFor('payments') },
      ...{ logger, poolSize, migrations, connectMs },
    });
    await database.query(
      'CREATE TABLE IF NOT EXISTS mark (name text PRIMARY KEY, count int NOT NULL DEFAULT 0)',
    );
    return database;
  }
  async function withStore<T>(
    work: (store: PostgresSagaStore, database: DataSource) => Promise<T>,
    poolSize?: number,
    url?: string,
    connectMs?: number,
  ): Promise<T> {
    const database = await open(poolSize, url, connectMs);
    try {
      return await work(new PostgresSagaStore(database, { kept: PLAIN }), database);
    } finally {
      await database.destroy();
    }
  }
  async function asAdmin<T>(work: (admin: InstanceType<typeof Client>) => Promise<T>): Promise<T> {
    const admin = new Client({ connectionString: postgres.adminUrl });
    admin.on('error', () => undefined);
    await admin.connect();
    try {
      await admin.query('SET search_path = payments');
      return await work(admin);
    } finally {
      await admin.end().catch(() => undefined);
    }
  }
  const begin = (store: PostgresSagaStore) => store.begin('a', async () => birthOf());
  const next = (held: HeldSaga) => ({
    state: 'RUNNING' as const,
    records: recordsAfter(held, [
      { kind: 'STEP_COMMIT', step: 'one', attempt: 1, idemKey: null, payload: {} },
      { kind: 'STEP_INTENT', step: 'two', attempt: 1, idemKey: null, payload: {} },
    ]),
  });
  const put = (tx: EntityManager, name: string) => tx.query('INSERT INTO mark (name) VALUES ($1)', [name]);
  const stands = async (database: DataSource, name: string) =>
    (await database.query('SELECT 1 FROM mark WHERE name = $1', [name])).length === 1;
  const countOf = async (store: PostgresSagaStore, { sagaId }: HeldSaga) =>
    (await store.load(sagaId))!.records.length;
  /** The first answer of what fails while the database is away. */
  async function healed<T>(work: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await work();
      } catch {
        await delay(50);
      }
    }
  }

  it.each([
    ['an advance with an effect', COMMIT],
    ['advances that share a statement', 'saga_append'],
  ])('leaves the outcome open where the answer to the commit of %s is lost', async (_name, lost) => {
    const url = new URL(postgres.migrationUrlFor('payments'));
    const wire = new Wire(Number(url.port));
    await wire.open();
    url.port = String(wire.port);
    const work = async (store: PostgresSagaStore, database: DataSource) => {
      const held = await Promise.all([begin(store), begin(store), begin(store)]);
      const mark = randomUUID();
      wire.loseAnswerTo(lost);
      const advances =
        lost === COMMIT
          ? [store.advanceWith(held[0], async tx => (await put(tx, mark), next(held[0])))]
          : held.map(saga => store.advance(saga, next(saga)));
      for (const outcome of await Promise.allSettled(advances))
        expect(outcome).toMatchObject({ status: 'rejected', reason: UNAVAILABLE });
      // It was recorded: whoever looks, sees.
      for (const saga of held.slice(0, advances.length)) expect(await countOf(store, saga)).toBe(4);
      if (lost === COMMIT) expect(await stands(database, mark)).toBe(true);
    };
    await withStore(work, 5, url.href);
    await wire.close();
  });

  it('records nothing of a commit that Postgres was killed in, and goes on with the saga after its restart', () =>
    withStore(async (store, database) => {
      const held = await begin(store);
      // A check at the commit that waits for a lock which is never given: the server dies within COMMIT.
      await database.query(`
        CREATE FUNCTION wait_in_commit() RETURNS trigger LANGUAGE plpgsql AS
          'BEGIN PERFORM pg_advisory_xact_lock(5); RETURN NULL; END';
        CREATE TABLE slow (name text);
        CREATE CONSTRAINT TRIGGER waits AFTER INSERT ON slow DEFERRABLE INITIALLY DEFERRED
          FOR EACH ROW EXECUTE FUNCTION wait_in_commit()`);
      const mark = randomUUID();
      await asAdmin(async admin => {
        await admin.query('SELECT pg_advisory_lock(5)');
        const outcome = store
          .advanceWith(held, async tx => {
            await put(tx, mark);
            await tx.query(`INSERT INTO slow VALUES ('in commit')`);
            return next(held);
          })
          .catch((error: unknown) => error);
        const inCommit = `SELECT 1 FROM pg_stat_activity WHERE query = 'COMMIT' AND wait_event_type = 'Lock'`;
        while ((await admin.query(inCommit)).rowCount === 0) await delay(10);
        process.kill(postgres.pid, 'SIGKILL');
        expect(await outcome).toMatchObject(UNAVAILABLE);
      });
      expect(await healed(() => countOf(store, held))).toBe(2);
      expect(await stands(database, mark)).toBe(false);
      await database.query('DROP TABLE slow');
      await store.advanceWith(held, async tx => (await put(tx, mark), next(held)));
      expect(await countOf(store, held)).toBe(4);
    }));

  it('has recorded what it said was recorded, with its effect, each time that a session is killed under load', () =>
    withStore(async (store, database) => {
      for (let round = 0; round < 3; round++) {
        const held = await Promise.all(Array.from({ length: 20 }, () => healed(() => begin(store))));
        let [recorded, isOver] = [0, false];
        const kill = async () => {
          // Postgres then ends every session at once and recovers from its log.
          const [{ pid }] = await database.query(
            `SELECT pid FROM pg_stat_activity WHERE usename = current_user AND pid <> pg_backend_pid() LIMIT 1`,
          );
          process.kill(pid as number, 'SIGKILL');
          await healed(() => database.query('SELECT 1'));
          isOver = true;
        };
        let killing: Promise<void> | undefined;
        const goOn = async (saga: HeldSaga, withEffect: boolean) => {
          let last = saga;
          for (let i = 0; !isOver; i++) {
            const advance = next(last);
            const tried = [...last.records, ...advance.records];
            const effect = (tx: EntityManager) => put(tx, `${saga.sagaId} ${i}`).then(() => advance);
            try {
              await (withEffect ? store.advanceWith(saga, effect) : store.advance(saga, advance));
            } catch (error) {
              expect(error).toMatchObject(UNAVAILABLE);
              return { saga, withEffect, said: last.records, tried };
            }
            last = { ...last, records: tried };
            if (++recorded > 100) killing ??= kill();
          }
          return { saga, withEffect, said: last.records, tried: last.records };
        };
        const ends = await Promise.all(held.map((saga, i) => goOn(saga, i % 2 === 0)));
        await killing;
        expect(ends.some(({ said, tried }) => said !== tried)).toBe(true);
        for (const { saga, withEffect, said, tried } of ends) {
          const { records } = (await healed(() => store.load(saga.sagaId)))!;
          expect([said, tried]).toContainEqual(records);
          const marks = await database.query('SELECT count(*)::int AS count FROM mark WHERE name LIKE $1', [
            `${saga.sagaId} %`,
          ]);
          expect(marks).toEqual([{ count: withEffect ? records.length / 2 - 1 : 0 }]);
        }
      }
    }));

  it('runs works again that Postgres ended because they waited for each other', () =>
    withStore(async (store, database) => {
      const [one, other] = [await begin(store), await begin(store)];
      const names = [randomUUID(), randomUUID()];
      for (const name of names) await database.query('INSERT INTO mark (name) VALUES ($1)', [name]);
      let runs = 0;
      let open = () => {};
      const both = new Promise<void>(resolve => (open = resolve));
      const cross = (held: HeldSaga, [first, second]: string[]) =>
        store.advanceWith(held, async tx => {
          const raise = 'UPDATE mark SET count = count + 1 WHERE name = $1';
          await tx.query(raise, [first]);
          if (++runs === 2) open();
          await both;
          await tx.query(raise, [second]);
          return next(held);
        });
      await Promise.all([cross(one, names), cross(other, [...names].reverse())]);
      expect(runs).toBeGreaterThan(2);
      expect(await database.query('SELECT DISTINCT count FROM mark WHERE name = ANY($1)', [names])).toEqual([
        { count: 2 },
      ]);
      expect([await countOf(store, one), await countOf(store, other)]).toEqual([4, 4]);
    }));

  it.each(['40P01', '40001'])('repeats a shared statement that Postgres ended with %s', sqlState =>
    withStore(async (store, database) => {
      const held = await Promise.all(Array.from({ length: 5 }, () => begin(store)));
      // A sequence is not rolled back: the first statement is ended, and the second is not.
      await database.query(`
        CREATE SEQUENCE tries;
        CREATE FUNCTION ends_the_first() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          IF nextval('payments.tries') = 1 THEN RAISE EXCEPTION 'ended' USING ERRCODE = '${sqlState}'; END IF;
          RETURN NULL;
        END $$;
        CREATE TRIGGER ends_the_first AFTER INSERT ON saga_wal EXECUTE FUNCTION ends_the_first()`);
      await Promise.all(held.map(saga => store.advance(saga, next(saga))));
      expect(await database.query(`SELECT last_value::int AS tries FROM tries`)).toEqual([{ tries: 2 }]);
      for (const saga of held) expect(await countOf(store, saga)).toBe(4);
      await database.query(
        'DROP TRIGGER ends_the_first ON saga_wal; DROP FUNCTION ends_the_first; DROP SEQUENCE tries',
      );
    }),
  );

  it('runs a serializable work again whose reads were overtaken', () =>
    withStore(async (store, database) => {
      const held = await Promise.all(Array.from({ length: 4 }, () => begin(store)));
      const name = randomUUID();
      await database.query('INSERT INTO mark (name) VALUES ($1)', [name]);
      let runs = 0;
      const raise = async (saga: HeldSaga) =>
        store.advanceWith(saga, async tx => {
          runs++;
          await tx.query('SET TRANSACTION ISOLATION LEVEL SERIALIZABLE');
          const [{ count }] = await tx.query('SELECT count FROM mark WHERE name = $1', [name]);
          while (runs < held.length) await delay(1);
          await tx.query('UPDATE mark SET count = $2 WHERE name = $1', [name, count + 1]);
          return next(saga);
        });
      await Promise.all(held.map(raise));
      expect(await database.query('SELECT count FROM mark WHERE name = $1', [name])).toEqual([{ count: 4 }]);
      expect(runs).toBeGreaterThan(4);
    }));

  it('passes over a lapsed saga that a transaction is just at work on, and takes the others', () =>
    withStore(async (store, database) => {
      const [locked, free] = [await begin(store), await begin(store)];
      await Promise.all([store.release(locked, 0), store.release(free, 0)]);
      const taken = await database.transaction(async tx => {
        // One that waits for the lock would wait for this transaction, which waits for it: until it is ended.
        await tx.query(`SET LOCAL idle_in_transaction_session_timeout = '5 s'`);
        await tx.query('SELECT 1 FROM saga WHERE saga_id = $1 FOR UPDATE', [locked.sagaId]);
        return (await store.takeLapsed('b', 1_000)).map(({ sagaId }) => sagaId);
      });
      expect(taken).toContain(free.sagaId);
      expect(taken).not.toContain(locked.sagaId);
      expect((await store.takeLapsed('b', 1_000)).map(({ sagaId }) => sagaId)).toContain(locked.sagaId);
    }));

  it('waits for a connection no longer than it may, and then says that it is not available', () =>
    withStore(
      async store => {
        const held = await Promise.all([begin(store), begin(store), begin(store)]);
        let release = () => {};
        const gate = new Promise<void>(resolve => (release = resolve));
        const busy = held.slice(0, 2).map(saga =>
          store.advanceWith(saga, async tx => {
            await tx.query('SELECT 1');
            await gate;
            return next(saga);
          }),
        );
        await expect(store.advance(held[2], next(held[2]))).rejects.toMatchObject(UNAVAILABLE);
        const waiting = store.advance(held[2], next(held[2]));
        release();
        await Promise.all([...busy, waiting]);
        for (const saga of held) expect(await countOf(store, saga)).toBe(4);
      },
      2,
      undefined,
      1_000,
    ));

  it('records nothing where a table cannot grow any more, and goes on when it can again', async () => {
    if (process.getuid?.() !== 0)
      return console.log('SKIPPED: only root may limit the files of another process');
    await withStore(async (store, database) => {
      const held = await begin(store);
      // Beyond the 16 MiB up to which the files of Postgres's own log reach, so that the table alone meets the limit.
      await asAdmin(async admin => {
        await admin.query('SET session_replication_role = replica');
        await admin.query(
          `INSERT INTO saga_wal SELECT gen_random_uuid(), 1, 'STEP_INTENT', 'one', 1, NULL,
             jsonb_build_object('fill', repeat('x', 1500)), decode(repeat('00', 32), 'hex'), decode(repeat('00', 32), 'hex'), 1, now()
             FROM generate_series(1, 12000)`,
        );
      });
      const [{ pid, size }] = await database.query(
        `SELECT pg_backend_pid() AS pid, pg_relation_size('saga_wal')::int AS size`,
      );
      expect(size).toBeGreaterThan(17 * 2 ** 20);
      // As the user that Postgres runs as: root itself may lack the right to limit the processes of others.
      const { uid, gid } = statSync(`/proc/${pid}`);
      const limit = (bytes: string) =>
        execFileSync('prlimit', ['--pid', String(pid), `--fsize=${bytes}:unlimited`], { uid, gid });
      limit(String(size));
      // Too large for what is left free in the pages that are there, and too small to be put aside.
      const fill = randomBytes(1_050).toString('base64');
      const filling = (saga: HeldSaga) => ({
        state: 'RUNNING' as const,
        records: recordsAfter(saga, [
          { kind: 'STEP_FAIL', step: 'one', attempt: 1, idemKey: null, payload: { fill } },
        ]),
      });
      let last = held;
      let failure: unknown;
      while (failure === undefined) {
        const advance = filling(last);
        failure = await store.advance(last, advance).catch((error: unknown) => error);
        if (failure === undefined) last = { ...last, records: [...last.records, ...advance.records] };
      }
      expect(String(failure)).toMatch(/could not (extend|write)/);
      expect((await store.load(held.sagaId))!.records).toEqual(last.records);
      limit('unlimited');
      const advance = filling(last);
      await store.advance(last, advance);
      expect(await countOf(store, held)).toBe(last.records.length + 1);
    }, 1);
  });
});
