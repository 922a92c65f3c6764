import { Module, type Type } from '@nestjs/common';
import {
  type BusConfig,
  openPresenceBoard,
  type PresenceBoard,
  presenceProvider,
  type RunningService,
  type ServiceDefinition,
  TOOL_CALL_RIGHTS,
  ToolCallTable1765500000000,
} from '@svc/platform';
import { TemporaryServices } from '@svc/platform/testing';
import { documentProviders } from '../src/document/document-providers.js';
import { DocumentReplica } from '../src/document/document-replica.js';
import { SharedDocuments } from '../src/document/shared-documents.js';
import { DOCUMENT_RIGHTS, MeshDocument1765600000000 } from '../src/migrations/1765600000000-mesh-document.js';
import { DocumentEpochs1767000000000 } from '../src/migrations/1767000000000-document-epochs.js';
import { AddressBytes1767400000000 } from '../src/migrations/1767400000000-address-bytes.js';
import { newNodeId, NODE_ID } from '../src/node-id.js';
import { toolProviders } from '../src/tool/tool-providers.js';
import { ToolNatsController } from '../src/tool/tool.nats.controller.js';

/** One replica: the document and its tool, without connections. */
export interface DocumentService {
  readonly service: RunningService;
  readonly documents: SharedDocuments;
  readonly replica: DocumentReplica;
}

export interface DocumentServices extends Pick<TemporaryServices, 'client' | 'postgres' | 'close'> {
  readonly board: PresenceBoard;
  start(): Promise<DocumentService>;
}

/** Replicas of the document on one bus and one database, with the tool and what writes the nodes. */
export async function startDocumentServices(
  variables: Record<string, string> = {},
  bus?: BusConfig,
): Promise<DocumentServices> {
  const temporary = await TemporaryServices.open('mesh-signalling', bus);
  const start = async (): Promise<DocumentService> => {
    const parts = {} as Omit<DocumentService, 'service'>;
    const definition: ServiceDefinition = {
      name: 'mesh-signalling',
      migrations: [
        ...[ToolCallTable1765500000000, MeshDocument1765600000000],
        ...[DocumentEpochs1767000000000, AddressBytes1767400000000],
      ],
      tableRights: { ...DOCUMENT_RIGHTS, ...TOOL_CALL_RIGHTS },
      module: () => moduleOf(parts),
    };
    const secrets = { MESH_SIGNING_SEEDS: 'mesh-seed-of-the-tests-of-32-characters' };
    const service = await temporary.start(definition, { secrets, variables });
    return { service, ...parts };
  };
  const ttlMs = Number(variables.PRESENCE_TTL_SECONDS ?? 60) * 1_000;
  const { client, postgres, link, logger } = temporary;
  return {
    ...{ client, postgres, start, close: () => temporary.close() },
    board: openPresenceBoard(link, { owner: 'mesh-signalling', ttlMs }, logger),
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
