import { Module, type Type } from '@nestjs/common';
import {
  API_VERSION,
  BusClient,
  createLogger,
  type EmbeddedPostgres,
  MemoryBus,
  openBusLink,
  openPresenceBoard,
  type PresenceBoard,
  presenceProvider,
  type RunningService,
  type ServiceEnvironment,
  startService,
  startTemporaryPostgres,
  TOOL_CALL_RIGHTS,
  ToolCallTable1765500000000,
} from '@svc/platform';
import { documentProviders } from '../src/document/document-providers.js';
import { DocumentReplica } from '../src/document/document-replica.js';
import { SharedDocuments } from '../src/document/shared-documents.js';
import { DOCUMENT_RIGHTS, MeshDocument1765600000000 } from '../src/migrations/1765600000000-mesh-document.js';
import { newNodeId, NODE_ID } from '../src/node-id.js';
import { toolProviders } from '../src/tool/tool-providers.js';
import { ToolNatsController } from '../src/tool/tool.nats.controller.js';

/** One replica: the document and its tool, without connections. */
export interface DocumentService {
  readonly service: RunningService;
  readonly documents: SharedDocuments;
  readonly replica: DocumentReplica;
}

export interface DocumentServices {
  readonly client: BusClient;
  readonly board: PresenceBoard;
  readonly postgres: EmbeddedPostgres;
  start(): Promise<DocumentService>;
  close(): Promise<void>;
}

/** Replicas of the document on one bus and one database, with the tool and what writes the nodes. */
export async function startDocumentServices(
  variables: Record<string, string> = {},
  bus: ServiceEnvironment['bus'] = { kind: 'memory', bus: new MemoryBus() },
): Promise<DocumentServices> {
  const logger = createLogger('mesh-signalling', { level: 'silent' });
  const postgres = await startTemporaryPostgres();
  const services: RunningService[] = [];
  const start = async (): Promise<DocumentService> => {
    const parts = {} as Omit<DocumentService, 'service'>;
    const service = await startService(
      {
        name: 'mesh-signalling',
        migrations: [ToolCallTable1765500000000, MeshDocument1765600000000],
        tableRights: { ...DOCUMENT_RIGHTS, ...TOOL_CALL_RIGHTS },
        module: () => moduleOf(parts),
      },
      {
        ...{ service: 'mesh-signalling', version: API_VERSION, bus, production: false, variables, logger },
        ...postgres.urlsFor('mesh-signalling'),
        secrets: { MESH_SIGNING_SEEDS: 'mesh-seed-of-the-tests-of-32-characters' },
      },
    );
    services.push(service);
    return { service, ...parts };
  };
  const link = openBusLink(bus, 'mesh-signalling', logger);
  await link.connect();
  const ttlMs = Number(variables.PRESENCE_TTL_SECONDS ?? 60) * 1_000;
  return {
    ...{ client: new BusClient(link), postgres, start },
    board: openPresenceBoard(link, { owner: 'mesh-signalling', ttlMs }, logger),
    close: async () => {
      await Promise.all(services.map(service => service.close()));
      await link.close();
      await postgres.stop();
    },
  };
}

function moduleOf(parts: object): Type {
  @Module({
    controllers: [ToolNatsController],
    providers: [
      { provide: NODE_ID, useFactory: newNodeId },
      presenceProvider,
      ...[...documentProviders, ...toolProviders],
      {
        ...{ provide: 'PARTS', inject: [SharedDocuments, DocumentReplica] },
        useFactory: (documents: SharedDocuments, replica: DocumentReplica) =>
          Object.assign(parts, { documents, replica }),
      },
    ],
  })
  class DocumentModule {}
  return DocumentModule;
}
