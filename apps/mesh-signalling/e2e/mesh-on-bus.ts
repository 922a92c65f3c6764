import type { Provider } from '@nestjs/common';
import { meshContract, type ReplyOf } from '@svc/contracts';
import {
  API_VERSION,
  BusClient,
  createLogger,
  type EmbeddedPostgres,
  MemoryBus,
  openBusLink,
  ProblemError,
  Retention,
  type RunningService,
  type ServiceEnvironment,
  startService,
  startTemporaryPostgres,
} from '@svc/platform';
import { DataSource } from 'typeorm';
import { MeshShutdown } from '../src/mesh-shutdown.js';
import { MeshSignallingModule } from '../src/mesh-signalling.module.js';
import {
  MESH_SESSION_RIGHTS,
  MeshSessions1765000000000,
} from '../src/migrations/1765000000000-mesh-sessions.js';
import { MeshOffers1766000000000 } from '../src/migrations/1766000000000-mesh-offers.js';
import { NODE_ID } from '../src/node-id.js';
import { SessionLedger } from '../src/sessions/session-ledger.js';
import { SessionSweep } from '../src/sessions/session-sweep.js';
import { SuperPeer } from '../src/super-peer/super-peer.js';
import { FakeSuperPeer } from './fake-super-peer.js';
import { description, MeshPeer } from './mesh-peer.js';

export const MESH_SECRETS = {
  MESH_SIGNING_SEEDS: 'mesh-seed-of-the-tests-of-32-characters',
  TURN_SECRET: 'turn-secret-of-the-tests',
};

/** One replica, with connections that are none. */
export interface MeshReplica {
  readonly service: RunningService;
  readonly superPeer: FakeSuperPeer;
  readonly ledger: SessionLedger;
  readonly sweep: SessionSweep;
  readonly retention: Retention;
}

/** Replicas on one bus and one database, and the gateway's end of the bus. */
export interface MeshOnBus {
  readonly client: BusClient;
  readonly postgres: EmbeddedPostgres;
  /** A connection of the tests' own, to look into and age the tables, with the role that owns them. */
  readonly database: DataSource;
  readonly replicas: MeshReplica[];
  /** Another replica, on the same bus and database. */
  start(variables?: Record<string, string>): Promise<MeshReplica>;
  close(): Promise<void>;
}

/** Limits of other tests are not those that are tested. */
const WIDE = {
  MESH_KEY_CALLS_PER_MINUTE: '1000000',
  MESH_ADDRESS_CALLS_PER_MINUTE: '1000000',
  MESH_INBOX_CALLS_PER_MINUTE: '1000000',
};

/** @param count of replicas, which are asked in turn @param bus of its own where it is not given */
export async function startMeshOnBus(
  count = 1,
  variables: Record<string, string> = WIDE,
  bus: ServiceEnvironment['bus'] = { kind: 'memory', bus: new MemoryBus() },
): Promise<MeshOnBus> {
  const logger = createLogger('mesh-signalling', { level: 'silent' });
  const postgres = await startTemporaryPostgres();
  const replicas: MeshReplica[] = [];
  const start = async (more: Record<string, string> = variables) => {
    const parts = {} as Omit<MeshReplica, 'service'>;
    const service = await startService(
      {
        name: 'mesh-signalling',
        migrations: [MeshSessions1765000000000, MeshOffers1766000000000],
        tableRights: MESH_SESSION_RIGHTS,
        drains: MeshShutdown,
        module: () => MeshSignallingModule.replica({ providers: fakeParts(parts), controllers: [] }),
      },
      {
        ...{
          service: 'mesh-signalling',
          version: API_VERSION,
          bus,
          production: false,
          variables: more,
          logger,
        },
        ...{ secrets: MESH_SECRETS, ...postgres.urlsFor('mesh-signalling') },
      },
    );
    const replica = { service, ...parts };
    replicas.push(replica);
    return replica;
  };
  const stop = async () => {
    await Promise.all(replicas.map(({ service }) => service.close()));
    await postgres.stop();
  };
  try {
    for (let i = 0; i < count; i++) await start();
    const link = openBusLink(bus, 'gateway', logger);
    await link.connect();
    const database = await new DataSource({
      type: 'postgres',
      url: postgres.migrationUrlFor('mesh-signalling'),
      schema: 'mesh_signalling',
      extra: { options: '-c search_path=mesh_signalling' },
    }).initialize();
    return {
      ...{ client: new BusClient(link), postgres, database, replicas, start },
      close: async () => {
        await link.close();
        await database.destroy();
        await stop();
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Connections that are none, and what gives the tests hold of the replica. */
function fakeParts(parts: object): Provider[] {
  return [
    {
      ...{ provide: SuperPeer, inject: [NODE_ID] },
      useFactory: (nodeId: string) => new FakeSuperPeer(nodeId, description({ setup: 'active' })),
    },
    {
      ...{ provide: 'PARTS', inject: [SuperPeer, SessionLedger, SessionSweep, Retention] },
      useFactory: (superPeer: SuperPeer, ledger: SessionLedger, sweep: SessionSweep, retention: Retention) =>
        Object.assign(parts, { superPeer, ledger, sweep, retention }),
    },
  ];
}

const CALLER = { address: '198.51.100.7' };

/** Calls of the service, as the gateway makes them. */
export function callsOf({ client }: Pick<MeshOnBus, 'client'>) {
  return {
    admit: (request: object, caller = CALLER) =>
      client.call(meshContract.admitRendezvous, { request: request as never, caller }),
    meet: (request: object, idemKey?: string, caller = CALLER) =>
      client.call(meshContract.rendezvous, {
        request: request as never,
        caller,
        ...(idemKey && { idemKey }),
      }),
    show: (sessionId: string) => client.call(meshContract.session, { sessionId }),
    answer: (sessionId: string, request: object) =>
      client.call(meshContract.answer, { sessionId, request: request as never }),
    trickle: (sessionId: string, fragment: string) =>
      client.call(meshContract.trickle, { sessionId, fragment }),
    end: (sessionId: string) => client.call(meshContract.closeSession, { sessionId }),
    openInbox: async (peer: MeshPeer) =>
      (await client.call(meshContract.openInbox, { query: peer.inbox() as never, caller: CALLER })).inboxId,
    events: (inboxId: string, afterSeq?: number, waitMs = 5_000) =>
      client.call(meshContract.inboxEvents, {
        ...{ inboxId, waitMs },
        ...(afterSeq !== undefined && { afterSeq }),
      }),
    closeInbox: (inboxId: string) => client.call(meshContract.closeInbox, { inboxId }),
  };
}

export type MeshCalls = ReturnType<typeof callsOf>;
export type AnsweredReply = Extract<ReplyOf<typeof meshContract.rendezvous>, { outcome: 'answered' }>;

/** What an answered rendezvous says. @throws Error where it is pending */
export async function answeredOf(reply: ReturnType<MeshCalls['meet']>): Promise<AnsweredReply> {
  const answered = await reply;
  if (answered.outcome !== 'answered') throw new Error(`expected an answer, got ${JSON.stringify(answered)}`);
  return answered;
}

/** The problem that a call ends in. @throws whatever else it ends in */
export async function problemOf(work: Promise<unknown>): Promise<ProblemError> {
  const error = await work.then(
    value => new Error(`expected a problem, got ${JSON.stringify(value).slice(0, 200)}`),
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof ProblemError)) throw error;
  return error;
}

/** Its code, and the reason where it says one. */
export async function reasonOf(work: Promise<unknown>): Promise<string> {
  const { code, payload } = await problemOf(work);
  const reason = payload.extensions?.reason as string | undefined;
  return reason === undefined ? code : `${code} ${reason}`;
}

/** Lets time pass for a session. */
export async function age(
  { database }: Pick<MeshOnBus, 'database'>,
  sessionId: string,
  ms: number,
): Promise<void> {
  await database.query(
    `UPDATE mesh_session SET expires_at = expires_at - make_interval(secs => $2::int / 1000.0),
            progress = jsonb_set(progress, '{expiresAtMs}', to_jsonb((progress->>'expiresAtMs')::bigint - $2::int))
      WHERE session_id = $1`,
    [sessionId, ms],
  );
}

/** Resolves when something is so. @throws Error where it is not within 5 s */
export async function until(isSo: () => Promise<boolean> | boolean): Promise<void> {
  const end = performance.now() + 5_000;
  while (!(await isSo())) {
    if (performance.now() > end) throw new Error('it is not so after 5 s');
    await new Promise(resolve => setTimeout(resolve, 10));
  }
}
