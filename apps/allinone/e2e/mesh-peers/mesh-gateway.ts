import { toolCallContract } from '@svc/contracts';
import { TrustedProxies } from '@svc/edge';
import { type RunningGateway, startGateway } from '@svc/gateway';
import { meshSignallingService } from '@svc/mesh-signalling';
import { paymentsService } from '@svc/payments';
import {
  API_VERSION,
  BusClient,
  createLogger,
  type EmbeddedPostgres,
  MemoryBus,
  openBusLink,
  type RunningService,
  SECRET_VARIABLES,
  type ServiceEnvironment,
  startService,
} from '@svc/platform';
import { startTemporaryPostgres } from '@svc/platform/testing';
import { randomBytes } from 'node:crypto';

export const SECRET = 'secret-of-the-tests-of-at-least-32-characters';
const secrets = Object.fromEntries(SECRET_VARIABLES.map(name => [name, SECRET]));
/** All peers of a test have one address, and call as often as they like. */
export const WIDE_LIMITS = {
  MESH_KEY_CALLS_PER_MINUTE: '1000000',
  MESH_ADDRESS_CALLS_PER_MINUTE: '1000000',
  MESH_INBOX_CALLS_PER_MINUTE: '1000000',
};

/** What the tool `sync_mesh_crdt` says. */
export interface ToldDocument {
  readonly crdtStateHash: string;
  readonly meshNodesDiscovered: number;
}

/** The gateway with what it needs to sell a rendezvous. */
export interface MeshGateway {
  readonly address: string;
  readonly postgres: EmbeddedPostgres;
  /** Runs the tool `sync_mesh_crdt`. */
  document(): Promise<ToldDocument>;
  close(): Promise<void>;
}

/**
 * @param options.bus that of the mesh service where it runs elsewhere, which is then not started here
 * @param options.postgres where it is not one of its own
 * @param options.variables beside those that make the limits wide
 */
export async function startMeshGateway(
  options: {
    readonly bus?: ServiceEnvironment['bus'];
    readonly postgres?: EmbeddedPostgres;
    readonly variables?: Readonly<Record<string, string>>;
  } = {},
): Promise<MeshGateway> {
  const logger = createLogger('gateway', { level: 'silent' });
  const bus = options.bus ?? ({ kind: 'memory', bus: new MemoryBus() } as const);
  const postgres = options.postgres ?? (await startTemporaryPostgres());
  const environmentOf = (service: ServiceEnvironment['service']): ServiceEnvironment => ({
    ...{ service, version: API_VERSION, bus, production: false, secrets, logger },
    variables: { ...WIDE_LIMITS, ...options.variables },
    ...postgres.urlsFor(service),
  });
  const services: RunningService[] = [];
  let gateway: RunningGateway | undefined;
  const link = openBusLink(bus, 'gateway', logger);
  const close = async () => {
    await gateway?.close();
    for (const service of services) await service.close();
    await link.close();
    if (!options.postgres) await postgres.stop();
  };
  try {
    await link.connect();
    services.push(await startService(paymentsService, environmentOf('payments')));
    if (!options.bus)
      services.push(await startService(meshSignallingService, environmentOf('mesh-signalling')));
    const rateLimits = { factor: 0, trustedProxies: new TrustedProxies([]) };
    gateway = await startGateway({ ...environmentOf('gateway'), port: 0, host: '127.0.0.1', rateLimits });
    await gateway.whenReachable();
  } catch (error) {
    await close();
    throw error;
  }
  const client = new BusClient(link);
  const { callTool } = toolCallContract['mesh-signalling'];
  return {
    ...{ address: gateway.address, postgres, close },
    document: async () => {
      const { output } = await client.call(callTool, {
        ...{ tool: 'sync_mesh_crdt', input: {}, idemKey: randomBytes(32).toString('hex'), receipt: '' },
      });
      return output as unknown as ToldDocument;
    },
  };
}
