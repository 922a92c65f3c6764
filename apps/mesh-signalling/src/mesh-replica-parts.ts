import type { Provider } from '@nestjs/common';
import { IDLE_MS, UNOPENED_MS } from '@svc/mesh';
import {
  PRESENCE_BOARD,
  type PresenceBoard,
  SERVICE_ENVIRONMENT,
  type ServiceEnvironment,
} from '@svc/platform';
import { DocumentNatsController } from './document/document.nats.controller.js';
import { documentProviders } from './document/document-providers.js';
import { DocumentSettings } from './document/document-settings.js';
import { MeshDocuments } from './document/mesh-documents.js';
import { MeshSettings } from './mesh-config.js';
import type { ReplicaParts } from './mesh-signalling.module.js';
import { NODE_ID } from './node-id.js';
import { SessionLedger } from './sessions/session-ledger.js';
import { NodeDatachannelSuperPeer } from './super-peer/node-datachannel-super-peer.js';
import { SuperPeer } from './super-peer/super-peer.js';
import { toolProviders } from './tool/tool-providers.js';
import { ToolNatsController } from './tool/tool.nats.controller.js';

/** The connections of this replica. */
const superPeerProvider: Provider = {
  provide: SuperPeer,
  inject: [
    ...[SERVICE_ENVIRONMENT, MeshSettings, DocumentSettings, NODE_ID],
    ...[SessionLedger, MeshDocuments, PRESENCE_BOARD],
  ],
  useFactory: (
    { logger }: ServiceEnvironment,
    settings: MeshSettings,
    { documentName }: DocumentSettings,
    nodeId: string,
    ledger: SessionLedger,
    documents: MeshDocuments,
    board: PresenceBoard,
  ) =>
    new NodeDatachannelSuperPeer(
      { ...settings, nodeId, documentName, unopenedMs: UNOPENED_MS, idleMs: IDLE_MS },
      { ledger, documents, board, logger },
    ),
};

/** What a replica has beside the signalling: connections by WebRTC, the replicated document, and its tool. */
export const meshReplicaParts: ReplicaParts = {
  providers: [superPeerProvider, ...documentProviders, ...toolProviders],
  controllers: [ToolNatsController, DocumentNatsController],
};
