import { type DynamicModule, Module, type Provider, type Type } from '@nestjs/common';
import { TARGET_WAIT_MS } from '@svc/contracts';
import {
  digestSecretsOf,
  KeyedDigests,
  PlainDigests,
  presenceProvider,
  Retention,
  SERVICE_ENVIRONMENT,
  type ServiceEnvironment,
} from '@svc/platform';
import { DataSource } from 'typeorm';
import { Allowances } from './identity/allowances.js';
import { IceServers } from './identity/ice-servers.js';
import { MESH_SIGNING_SEEDS, MeshKeys } from './identity/mesh-keys.js';
import { DIGEST_COLUMNS } from './migrations/1766500000000-keyed-digests.js';
import { PeerProofs } from './identity/peer-proofs.js';
import { InboxEvents } from './inbox/inbox-events.js';
import { InboxLooks } from './inbox/inbox-looks.js';
import { InboxPresence } from './inbox/inbox-presence.js';
import { InboxNatsController } from './inbox/inbox.nats.controller.js';
import { Inboxes } from './inbox/inboxes.js';
import { meshKeysOf, MeshSettings } from './mesh-config.js';
import { MeshShutdown } from './mesh-shutdown.js';
import { newNodeId, NODE_ID } from './node-id.js';
import { nodeController } from './sessions/node.nats.controller.js';
import { RendezvousRequests } from './sessions/rendezvous-request.js';
import { RendezvousService, TARGET_WAIT, type TargetWait } from './sessions/rendezvous.service.js';
import { SessionAnswers } from './sessions/session-answers.js';
import { PostgresSessionLedger, SessionLedger } from './sessions/session-ledger.js';
import { SessionOwners } from './sessions/session-owners.js';
import { SessionStore } from './sessions/session-store.js';
import { SessionSweep } from './sessions/session-sweep.js';
import { SessionTransitions } from './sessions/session-transitions.js';
import { SessionService } from './sessions/session.service.js';
import { SessionsNatsController } from './sessions/sessions.nats.controller.js';

/** How often what nobody can ask for any more is deleted, milliseconds. */
const PURGE_INTERVAL_MS = 60_000;

const inject = [SERVICE_ENVIRONMENT];

/** What is made of the environment: keys, limits, and the deletion of what is past its time. */
const environmentProviders: readonly Provider[] = [
  {
    ...{ provide: MeshSettings, inject },
    useFactory: (environment: ServiceEnvironment) => new MeshSettings(environment),
  },
  { ...{ provide: MeshKeys, inject }, useFactory: ({ secrets }: ServiceEnvironment) => meshKeysOf(secrets) },
  {
    ...{ provide: KeyedDigests, inject },
    useFactory: ({ secrets }: ServiceEnvironment) =>
      new KeyedDigests(digestSecretsOf(MESH_SIGNING_SEEDS, secrets), 'svc/mesh-request/v1'),
  },
  {
    provide: PlainDigests,
    inject: [SERVICE_ENVIRONMENT, DataSource, KeyedDigests],
    useFactory: ({ logger }: ServiceEnvironment, dataSource: DataSource, digests: KeyedDigests) =>
      new PlainDigests(dataSource, digests, DIGEST_COLUMNS, logger),
  },
  presenceProvider,
  {
    provide: Retention,
    inject: [SERVICE_ENVIRONMENT, Allowances, Inboxes, SessionStore],
    useFactory: (
      { logger }: ServiceEnvironment,
      allowances: Allowances,
      inboxes: Inboxes,
      sessions: SessionStore,
    ) =>
      new Retention(
        PURGE_INTERVAL_MS,
        {
          allowances: () => allowances.purge(),
          nonces: () => allowances.purgeNonces(),
          inboxes: () => inboxes.purge(),
          sessions: () => sessions.purge(),
        },
        logger,
      ),
  },
];

/** What a replica has beside the signalling: `SuperPeer` is among the providers. */
export interface ReplicaParts {
  readonly providers: readonly Provider[];
  readonly controllers: readonly Type[];
  /** How long a call waits for the peer that it is for; as the contract says where it is not given. */
  readonly targetWait?: TargetWait;
}

@Module({})
export class MeshSignallingModule {
  /** A replica of its own name. @param parts of it that hold connections and the document, and what asks for them */
  static replica({
    providers,
    controllers,
    targetWait = { ms: TARGET_WAIT_MS },
  }: ReplicaParts): DynamicModule {
    const nodeId = newNodeId();
    return {
      module: MeshSignallingModule,
      controllers: [SessionsNatsController, InboxNatsController, nodeController(nodeId), ...controllers],
      providers: [
        { provide: NODE_ID, useValue: nodeId },
        { provide: TARGET_WAIT, useValue: targetWait },
        ...[...environmentProviders, ...providers],
        ...[Allowances, IceServers, PeerProofs],
        ...[Inboxes, InboxPresence, InboxLooks, InboxEvents],
        ...[SessionStore, SessionTransitions, SessionAnswers, SessionOwners, SessionSweep],
        ...[RendezvousRequests, RendezvousService, SessionService],
        ...[PostgresSessionLedger, { provide: SessionLedger, useExisting: PostgresSessionLedger }],
        MeshShutdown,
      ],
    };
  }
}
