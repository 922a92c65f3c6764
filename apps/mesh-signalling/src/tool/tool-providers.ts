import type { Provider } from '@nestjs/common';
import {
  PostgresToolCalls,
  Retention,
  seedSecretsOf,
  SERVICE_ENVIRONMENT,
  type ServiceEnvironment,
} from '@svc/platform';
import { DataSource } from 'typeorm';
import { MESH_SIGNING_SEEDS } from '../identity/mesh-keys.js';
import { MeshTool } from './mesh-tool.js';

/** How often calls that nobody repeats any more are deleted, milliseconds. */
const PURGE_INTERVAL_MS = 10 * 60 * 1_000;

/** Token of what deletes them. */
export const TOOL_CALL_RETENTION = Symbol('TOOL_CALL_RETENTION');

/** The tool of the service and its calls; beside the document's providers and the presence board. */
export const toolProviders: readonly Provider[] = [
  {
    ...{ provide: PostgresToolCalls, inject: [DataSource, SERVICE_ENVIRONMENT] },
    useFactory: (dataSource: DataSource, { service, secrets }: ServiceEnvironment) =>
      new PostgresToolCalls(dataSource, {
        ...{ service, stage: 'comparing' },
        secrets: seedSecretsOf(MESH_SIGNING_SEEDS, secrets),
      }),
  },
  {
    ...{ provide: TOOL_CALL_RETENTION, inject: [PostgresToolCalls, SERVICE_ENVIRONMENT] },
    useFactory: (calls: PostgresToolCalls, { logger }: ServiceEnvironment) =>
      new Retention(PURGE_INTERVAL_MS, { toolCalls: () => calls.purge() }, logger),
  },
  MeshTool,
];
