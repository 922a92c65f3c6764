import 'reflect-metadata';
import { SagaRunner } from '@svc/durability';
import {
  createLogger,
  MemoryBus,
  openBusLink,
  openDataSource,
  openEventStream,
  PostgresSagaStore,
  SessionLock,
} from '@svc/platform';
import { createCipheriv, createDecipheriv, randomBytes, randomUUID } from 'node:crypto';
import { CheckpointKeeper } from '../../apps/payments/dist/wal/checkpoint-keeper.js';
import { EventRelay } from '../../apps/payments/dist/wal/event-relay.js';
import { walKeysOf } from '../../apps/payments/dist/wal/wal-config.js';
import { WalLeader } from '../../apps/payments/dist/wal/wal-leader.js';
import { migrations } from './migrations.mjs';
import { measure } from './measure.mjs';

/**
 * A process that runs sagas as the payments service does: leases with heartbeats, a look for lapsed sagas every second, the
 * outbox taken out as events, and checkpoints. It does what its parent says.
 */
const { DATABASE_URL, MIGRATION_URL, WAL_SIGNING_SEEDS, LEASE_MS, HANGS } = process.env;
const STEPS = ['reserve', 'contract', 'prove', 'settle'];
const RECOVERY_EVERY_MS = 1_000;
const RECOVERED_MAX = 20;
const logger = createLogger('payments', { level: 'error' });

const key = Buffer.alloc(32, 7);
const kept = {
  seal(sagaId, plain) {
    const nonce = randomBytes(12);
    const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(sagaId));
    return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
  },
  open(sagaId, sealed) {
    const end = sealed.length - 16;
    const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, 12))
      .setAAD(Buffer.from(sagaId))
      .setAuthTag(sealed.subarray(end));
    return Buffer.concat([decipher.update(sealed.subarray(12, end)), decipher.final()]);
  },
};

const done = async () => ({ logged: {} });
const never = () => new Promise(() => {});
const remote = name => ({ name, kind: 'remote', run: done, ask: async () => undefined, undo: done });
const local = name => ({ name, kind: 'local', run: done, undo: done });
const definitions = {
  remote: { name: 'remote', version: 1, steps: STEPS.map(remote) },
  local: { name: 'local', version: 1, steps: STEPS.map(local) },
  // One process stands still in the third step, and the next one does it.
  hanging: {
    name: 'hanging',
    version: 1,
    steps: STEPS.map((name, i) => ({ ...remote(name), run: HANGS && i === 2 ? never : done })),
  },
};

const dataSource = await openDataSource({
  ...{
    service: 'payments',
    url: DATABASE_URL,
    migrationUrl: MIGRATION_URL,
    migrations,
    logger,
    poolSize: 16,
  },
});
const leader = await walLeader();
const store = new PostgresSagaStore(dataSource, {
  ...{ kept, onRecorded: () => leader.wake(), leaseMs: Number(LEASE_MS), logger },
});
const runner = new SagaRunner(store, { owner: randomUUID() });
for (const definition of Object.values(definitions)) runner.register(definition);
leader.onApplicationBootstrap();
setInterval(() => void runner.recover(RECOVERED_MAX).catch(error => logger.error(error)), RECOVERY_EVERY_MS);

async function walLeader() {
  const link = openBusLink({ kind: 'memory', bus: new MemoryBus() }, 'payments', logger);
  await link.connect();
  const stream = openEventStream(link, {}, logger);
  const keeper = new CheckpointKeeper({
    keys: walKeysOf({ secrets: { WAL_SIGNING_SEEDS } }),
    stream,
    file: undefined,
    logger,
  });
  const parts = { dataSource, lock: new SessionLock(dataSource, 'wal leader', logger), stream };
  return new WalLeader({ ...parts, relay: new EventRelay(stream), keeper, logger });
}

/** A ticket is consumed in the transaction that begins the saga. */
const begin = definition =>
  runner.start(definition, async tx => {
    const ticket = randomUUID();
    await tx.query('INSERT INTO bench_ticket (ticket, consumed_at) VALUES ($1, now())', [ticket]);
    return { input: { ticket }, logged: { ticket }, kept: { input: { ticket } } };
  });

const commands = {
  run: ({ definition, concurrency, amount }) =>
    measure({ concurrency, amount }, async () => {
      const { ended } = await begin(definitions[definition]);
      const { state } = await ended;
      if (state !== 'COMPLETED') throw new Error(`a saga ended ${state}`);
    }),
  /** Resolves when all stand still in the third step. */
  async hang({ amount }) {
    const sagas = await Promise.all(Array.from({ length: amount }, () => begin(definitions.hanging)));
    for (const { sagaId, ended } of sagas) {
      ended.catch(() => undefined);
      while ((await store.load(sagaId)).records.length < 6) await new Promise(setImmediate);
    }
    return sagas.map(({ sagaId }) => sagaId);
  },
  /** Records that have not left as events yet. */
  async backlog() {
    return (await dataSource.query('SELECT count(*)::int AS count FROM saga_outbox'))[0].count;
  },
};

process.on('message', async ({ id, command, ...options }) => {
  try {
    process.send({ id, result: await commands[command](options) });
  } catch (error) {
    process.send({ id, error: String(error?.stack ?? error) });
  }
});
process.on('disconnect', () => process.exit(0));
process.send({ id: 0, result: 'ready' });
