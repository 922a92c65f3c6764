import { type DynamicModule, Module, type Provider, type Type } from '@nestjs/common';
import { presenceProvider, Retention, SERVICE_ENVIRONMENT, type ServiceEnvironment } from '@svc/platform';
import { Allowances } from './identity/allowances.js';
import { IceServers } from './identity/ice-servers.js';
import { MeshKeys } from './identity/mesh-keys.js';
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
import { RendezvousService } from './sessions/rendezvous.service.js';
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
}

@Module({})
export class MeshSignallingModule {
  /** A replica of its own name. @param parts of it that hold connections and the document, and what asks for them */
  static replica({ providers, controllers }: ReplicaParts): DynamicModule {
    const nodeId = newNodeId();
    return {
      module: MeshSignallingModule,
      controllers: [SessionsNatsController, InboxNatsController, nodeController(nodeId), ...controllers],
      providers: [
        { provide: NODE_ID, useValue: nodeId },
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
