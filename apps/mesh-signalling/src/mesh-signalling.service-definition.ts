import { type ServiceDefinition, TOOL_CALL_RIGHTS, ToolCallTable1765500000000 } from '@svc/platform';
import { meshConfigFaults } from './mesh-config.js';
import { meshReplicaParts } from './mesh-replica-parts.js';
import { MeshShutdown } from './mesh-shutdown.js';
import { MeshSignallingModule } from './mesh-signalling.module.js';
import { MESH_SESSION_RIGHTS, MeshSessions1765000000000 } from './migrations/1765000000000-mesh-sessions.js';
import { MeshOffers1766000000000 } from './migrations/1766000000000-mesh-offers.js';
import { KeyedDigests1766500000000 } from './migrations/1766500000000-keyed-digests.js';
import { DocumentEpochs1767000000000 } from './migrations/1767000000000-document-epochs.js';
import { AddressBytes1767400000000 } from './migrations/1767400000000-address-bytes.js';
import { DOCUMENT_RIGHTS, MeshDocument1765600000000 } from './migrations/1765600000000-mesh-document.js';

export const meshSignallingService: ServiceDefinition = {
  name: 'mesh-signalling',
  calls: ['payments'],
  // It asks whose key an operator has, which can wait for another replica; payments calls its tools.
  closesWithout: ['payments'],
  migrations: [
    ...[MeshSessions1765000000000, ToolCallTable1765500000000],
    ...[MeshDocument1765600000000, MeshOffers1766000000000, KeyedDigests1766500000000],
    ...[DocumentEpochs1767000000000, AddressBytes1767400000000],
  ],
  tableRights: { ...MESH_SESSION_RIGHTS, ...TOOL_CALL_RIGHTS, ...DOCUMENT_RIGHTS },
  drains: MeshShutdown,
  configFaults: ({ secrets }, variables) => meshConfigFaults(secrets, variables),
  module: () => MeshSignallingModule.replica(meshReplicaParts),
};
