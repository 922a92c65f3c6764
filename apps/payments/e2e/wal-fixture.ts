import { appendRecords, idemKey, type SagaState, type WalEntry, type WalRecord } from '@svc/durability';
import {
  createLogger,
  type EmbeddedPostgres,
  type EventStream,
  findNatsServer,
  type LockedSession,
  MemoryBus,
  type NatsServer,
  openBusLink,
  openDataSource,
  openEventStream,
  PostgresSagaStore,
  SagaTables1763900000000,
  SessionLock,
  startNatsServer,
} from '@svc/platform';
import { startTemporaryPostgres } from '@svc/platform/testing';
import { createHash, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DataSource } from 'typeorm';
import { WalTelemetry1763903000000 } from '../src/migrations/1763903000000-wal-telemetry.js';
import { CheckpointKeeper } from '../src/wal/checkpoint-keeper.js';
import { CheckpointFile } from '../src/wal/checkpoint-file.js';
import { EventRelay } from '../src/wal/event-relay.js';
import { walKeysOf } from '../src/wal/wal-config.js';
import { WalLeader, type WalLeaderOptions } from '../src/wal/wal-leader.js';

export const logger = createLogger('payments', { level: 'silent' });
export const keys = walKeysOf({
  secrets: { WAL_SIGNING_SEEDS: 'checkpoint-seed-of-the-tests-of-32-characters' },
});

/** How a saga of the tests goes: what it has come to, or `running`. */
export type SagaFate = 'completed' | 'aborted' | 'stuck' | 'resumed' | 'running';

export interface SagaPlan {
  readonly fate: SagaFate;
  readonly rail?: string;
  readonly amountMicroUsd?: number;
  readonly starkRoot?: string | null;
  /** When it begins, Unix milliseconds; its records are a minute apart. */
  readonly beginMs?: number;
}

const about = (kind: WalEntry['kind'], payload: WalEntry['payload']): WalEntry => ({
  kind,
  step: null,
  attempt: 0,
  idemKey: null,
  payload,
});

/** The advances of a saga, as the runner writes them. */
function advancesOf(
  sagaId: string,
  { fate, rail = 'l402', amountMicroUsd = 50_000, starkRoot = null }: SagaPlan,
): WalEntry[][] {
  const step = (kind: WalEntry['kind'], payload: WalEntry['payload'] = {}, attempt = 1): WalEntry => ({
    kind,
    step: 'work',
    attempt,
    idemKey: idemKey(sagaId, 'work', kind.startsWith('COMP') ? 'reverse' : 'forward'),
    payload,
  });
  const money = { amountMicroUsd, rail, tool: 'zk_prove' };
  const begin = about('SAGA_BEGIN', {
    name: 'saga-of-the-tests',
    version: 1,
    steps: ['work'],
    inputDigest: createHash('sha256').update(randomUUID()).digest('hex'),
    ...money,
  });
  const forwards = [[begin, step('STEP_INTENT')]];
  const failure = [step('STEP_FAIL', { code: 'UNPROCESSABLE', mayHaveEffect: true }), step('COMP_INTENT')];
  const aborted = (attempt: number) => [
    step('COMP_COMMIT', {}, attempt),
    about('SAGA_ABORTED', { reason: 'UNPROCESSABLE', ...money }),
  ];
  const stuck = [about('SAGA_STUCK', { step: 'work', times: 1 })];
  switch (fate) {
    case 'running':
      return forwards;
    case 'completed':
      return [...forwards, [step('STEP_COMMIT'), about('SAGA_COMMIT', { ...money, starkRoot })]];
    case 'aborted':
      return [...forwards, failure, aborted(1)];
    case 'stuck':
      return [...forwards, failure, stuck];
    case 'resumed':
      return [...forwards, failure, stuck, [step('COMP_INTENT', { resumed: 1 }, 2)], aborted(2)];
  }
}

const STATES: Record<string, SagaState> = {
  SAGA_COMMIT: 'COMPLETED',
  SAGA_ABORTED: 'COMPENSATED',
  SAGA_STUCK: 'STUCK',
};

/** What writes logs into a database. */
export const storeOf = (database: DataSource) =>
  new PostgresSagaStore(database, { kept: { seal: (_, plain) => plain, open: (_, sealed) => sealed } });

/** Writes a saga's log, one transaction an advance. */
export async function writeSaga(store: PostgresSagaStore, plan: SagaPlan): Promise<WalRecord[]> {
  const sagaId = randomUUID();
  const nowMs = plan.beginMs ?? Date.now();
  const [first, ...rest] = advancesOf(sagaId, plan);
  let fence = 1;
  const at = (minute: number) => ({ sagaId, fence, nowMs: nowMs + minute * 60_000 });
  const records = appendRecords(undefined, first, at(0));
  const birth = { sagaId, name: 'saga-of-the-tests', version: 1, records, kept: {} };
  const held = await store.begin('tests', async () => birth);
  for (const [i, entries] of rest.entries()) {
    const stuck = records.at(-1)?.kind === 'SAGA_STUCK';
    if (stuck) fence = (await store.takeStuck('tests', sagaId))!.fence;
    const written = appendRecords(records.at(-1), entries, at(i + 1));
    const state = STATES[entries.at(-1)!.kind] ?? 'COMPENSATING';
    await store.advance({ sagaId: held.sagaId, fence }, { records: written, state });
    records.push(...written);
  }
  return records;
}

/** A Postgres with the tables of sagas alone, and what writes logs into them. */
export class WalFixture {
  private constructor(
    readonly postgres: EmbeddedPostgres,
    readonly database: DataSource,
    private readonly store: PostgresSagaStore,
  ) {}

  /** @param startPostgres one of its own, for a test that kills it */
  static async start(startPostgres = startTemporaryPostgres): Promise<WalFixture> {
    const postgres = await startPostgres();
    const database = await openLogDatabase(postgres.migrationUrlFor('payments'));
    return new WalFixture(postgres, database, storeOf(database));
  }

  write(plan: SagaPlan): Promise<WalRecord[]> {
    return writeSaga(this.store, plan);
  }

  /** What a process of the deployment has of the log's publication. */
  parts(stream: EventStream, file?: string, database: DataSource = this.database) {
    return partsOf(database, stream, file);
  }

  async count(table: string): Promise<number> {
    const [{ count }]: { count: string }[] = await this.database.query(`SELECT count(*) FROM ${table}`);
    return Number(count);
  }

  async close(): Promise<void> {
    await this.database.destroy();
    await this.postgres.stop();
  }
}

/** The tables of sagas and the indexes of the telemetry, by a role that may make them. */
export function openLogDatabase(url: string): Promise<DataSource> {
  return openDataSource({
    service: 'payments',
    url,
    migrationUrl: url,
    migrations: [SagaTables1763900000000, WalTelemetry1763903000000],
    logger,
  });
}

/** A process's own relay, keeper and leader. */
export function partsOf(database: DataSource, stream: EventStream, file?: string) {
  const lock = new SessionLock(database, 'wal leader', logger);
  const relay = new EventRelay(stream);
  const checkpoints = file === undefined ? undefined : new CheckpointFile(file);
  const keeper = new CheckpointKeeper({ keys, stream, file: checkpoints, logger });
  const leader = (options?: WalLeaderOptions) =>
    new WalLeader({ dataSource: database, lock, stream, relay, keeper, logger }, options);
  return { lock, relay, keeper, leader, file: checkpoints };
}

/** A stream of events with somebody who can read it, and be told to stop. */
export interface StreamFixture {
  readonly kind: string;
  open(): Promise<EventStream>;
  /** The server itself, where there is one. */
  readonly server?: NatsServer;
  close(): Promise<void>;
}

export async function memoryStream(): Promise<StreamFixture> {
  const bus = new MemoryBus();
  const open = async () =>
    openEventStream(openBusLink({ kind: 'memory', bus }, 'payments', logger), {}, logger);
  return { kind: 'in process', open, close: async () => undefined };
}

/** The program, or undefined where none is installed. */
export const natsBinary = findNatsServer();

/** JetStream on a server of its own. */
export async function jetStream(): Promise<StreamFixture> {
  const home = await mkdtemp(join(tmpdir(), 'svc-wal-'));
  const server = await startNatsServer({ binary: natsBinary!, dataDir: home, logger });
  const links: { close(): Promise<void> }[] = [];
  return {
    kind: 'on JetStream',
    server,
    open: async () => {
      const link = openBusLink({ kind: 'nats', url: server.url, token: server.token }, 'payments', logger);
      links.push(link);
      await link.connect();
      const stream = openEventStream(link, { bytesMax: 64 * 1024 * 1024 }, logger);
      await stream.ensure();
      return stream;
    },
    close: async () => {
      await Promise.all(links.map(link => link.close()));
      await server.stop();
      await rm(home, { recursive: true, force: true });
    },
  };
}

export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise(resolve => setTimeout(resolve, 10));
}

/** A session that lets the tests look at, or break, what goes through it. */
export function watched(
  session: LockedSession,
  before: (text: string) => Promise<void> | void,
): LockedSession {
  return {
    query: async (text, values) => {
      await before(text);
      return session.query(text, values);
    },
    transaction: work => session.transaction(work),
  };
}
