import type { Provider } from '@nestjs/common';
import { meshContract, type ReplyOf, TARGET_WAIT_MS } from '@svc/contracts';
import {
  type BusConfig,
  problemOf,
  Retention,
  type RunningService,
  type ServiceDefinition,
} from '@svc/platform';
import { startTemporaryPostgres, TemporaryServices, HANGS_MS } from '@svc/platform/testing';
import { MeshShutdown } from '../src/mesh-shutdown.js';
import { MeshSignallingModule } from '../src/mesh-signalling.module.js';
import {
  MESH_SESSION_RIGHTS,
  MeshSessions1765000000000,
} from '../src/migrations/1765000000000-mesh-sessions.js';
import { MeshOffers1766000000000 } from '../src/migrations/1766000000000-mesh-offers.js';
import { KeyedDigests1766500000000 } from '../src/migrations/1766500000000-keyed-digests.js';
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

/** Replicas on one bus and one database. */
export interface MeshOnBus extends Pick<TemporaryServices, 'client' | 'postgres' | 'database' | 'close'> {
  readonly replicas: MeshReplica[];
  /** How long the replicas have a call wait for its answer, from the next one on. */
  readonly targetWait: { ms: number };
  /** Another replica, on the same bus and database. */
  start(variables?: Record<string, string>): Promise<MeshReplica>;
}

/** Limits of other tests are not those that are tested. */
const WIDE = {
  MESH_KEY_CALLS_PER_MINUTE: '1000000',
  MESH_ADDRESS_CALLS_PER_MINUTE: '1000000',
  MESH_INBOX_CALLS_PER_MINUTE: '1000000',
};

/**
 * @param count of replicas, which are asked in turn
 * @param bus of its own where it is not given
 * @param startPostgres one of its own, for a test that stops it
 */
export async function startMeshOnBus(
  count = 1,
  variables: Record<string, string> = WIDE,
  bus?: BusConfig,
  startPostgres = startTemporaryPostgres,
): Promise<MeshOnBus> {
  const temporary = await TemporaryServices.open('mesh-signalling', bus, startPostgres);
  const replicas: MeshReplica[] = [];
  const targetWait = { ms: TARGET_WAIT_MS };
  const start = async (more: Record<string, string> = variables) => {
    const parts = {} as Omit<MeshReplica, 'service'>;
    const definition: ServiceDefinition = {
      name: 'mesh-signalling',
      migrations: [MeshSessions1765000000000, MeshOffers1766000000000, KeyedDigests1766500000000],
      tableRights: MESH_SESSION_RIGHTS,
      drains: MeshShutdown,
      module: () =>
        MeshSignallingModule.replica({ providers: fakeParts(parts), controllers: [], targetWait }),
    };
    const service = await temporary.start(definition, { secrets: MESH_SECRETS, variables: more });
    const replica = { service, ...parts };
    replicas.push(replica);
    return replica;
  };
  await temporary.orClosed(async () => {
    for (let i = 0; i < count; i++) await start();
  });
  const { client, postgres, database } = temporary;
  return { client, postgres, database, replicas, targetWait, start, close: () => temporary.close() };
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

/** Resolves when something is so. @throws Error where it hangs */
export async function until(isSo: () => Promise<boolean> | boolean): Promise<void> {
  const end = performance.now() + HANGS_MS;
  while (!(await isSo())) {
    if (performance.now() > end) throw new Error('it is not so');
    await new Promise(resolve => setTimeout(resolve, 10));
  }
}
