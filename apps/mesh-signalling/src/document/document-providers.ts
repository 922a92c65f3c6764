import type { Provider } from '@nestjs/common';
import {
  BUS_LINK,
  type BusLink,
  PRESENCE_BOARD,
  type PresenceBoard,
  SERVICE_ENVIRONMENT,
  type ServiceEnvironment,
} from '@svc/platform';
import { DataSource } from 'typeorm';
import { NODE_ID } from '../node-id.js';
import { DocumentCompactor } from './document-compactor.js';
import { DocumentReplica } from './document-replica.js';
import { DocumentSettings } from './document-settings.js';
import { DocumentStore } from './document-store.js';
import { MeshDocuments } from './mesh-documents.js';
import { NodeEntries } from './node-entries.js';
import { ReplicaSync } from './replica-sync.js';
import { SharedDocuments } from './shared-documents.js';

/** The document of this replica: {@link MeshDocuments} for its connections, and what writes who is there into it. */
export const documentProviders: readonly Provider[] = [
  {
    ...{ provide: DocumentSettings, inject: [SERVICE_ENVIRONMENT] },
    useFactory: (environment: ServiceEnvironment) => new DocumentSettings(environment),
  },
  {
    ...{ provide: DocumentStore, inject: [DataSource, DocumentSettings] },
    useFactory: (dataSource: DataSource, { documentName }: DocumentSettings) =>
      new DocumentStore(dataSource, documentName),
  },
  {
    ...{ provide: DocumentReplica, inject: [DocumentStore, SERVICE_ENVIRONMENT] },
    useFactory: (store: DocumentStore, { logger }: ServiceEnvironment) => new DocumentReplica(store, logger),
  },
  {
    provide: SharedDocuments,
    inject: [DocumentReplica, DocumentStore, DocumentSettings, BUS_LINK, NODE_ID, SERVICE_ENVIRONMENT],
    useFactory: (
      replica: DocumentReplica,
      store: DocumentStore,
      { syncMs, compactUpdates }: DocumentSettings,
      link: BusLink,
      nodeId: string,
      { logger }: ServiceEnvironment,
    ) => {
      const compactor = new DocumentCompactor(store, { updatesMin: compactUpdates, logger });
      const sync = new ReplicaSync({ link, nodeId, replica, compactor, intervalMs: syncMs, logger });
      return new SharedDocuments(replica, sync, logger);
    },
  },
  { provide: MeshDocuments, useExisting: SharedDocuments },
  {
    provide: NodeEntries,
    inject: [DataSource, DocumentReplica, PRESENCE_BOARD, DocumentSettings, SERVICE_ENVIRONMENT],
    useFactory: (
      dataSource: DataSource,
      replica: DocumentReplica,
      board: PresenceBoard,
      { nodeGraceMs: graceMs }: DocumentSettings,
      { logger }: ServiceEnvironment,
    ) => new NodeEntries({ dataSource, replica, board, graceMs, logger }),
  },
];
