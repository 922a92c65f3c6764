import { loadConfig, type ServiceEnvironment } from '@svc/platform';
import { z } from 'zod';

/** Variables of the document. */
export const documentConfig = z.object({
  /** Between two times that the replicas compare what they have. */
  MESH_SYNC_SECONDS: z.coerce.number().min(0.05).max(3_600).default(10),
  /** How long a peer is among the nodes after it was seen last: longer than presences need to come back when NATS starts again. */
  MESH_NODE_GRACE_SECONDS: z.coerce.number().min(0).max(3_600).default(25),
  /** Updates behind a snapshot after which a new one takes their place. */
  MESH_COMPACT_UPDATES: z.coerce.number().int().min(1).max(100_000).default(500),
});

/** How the document is kept. A provider of the service's module. */
export class DocumentSettings {
  /** The one document that there is. */
  readonly documentName = 'mesh';
  readonly syncMs: number;
  readonly nodeGraceMs: number;
  readonly compactUpdates: number;

  /** @throws ConfigError */
  constructor({ variables = process.env }: Pick<ServiceEnvironment, 'variables'>) {
    const config = loadConfig(documentConfig, variables);
    this.syncMs = config.MESH_SYNC_SECONDS * 1_000;
    this.nodeGraceMs = config.MESH_NODE_GRACE_SECONDS * 1_000;
    this.compactUpdates = config.MESH_COMPACT_UPDATES;
  }
}
