import {
  API_VERSION,
  BusClient,
  type BusConfig,
  createLogger,
  MemoryBus,
  openBusLink,
  type RunningService,
  startService,
} from '@svc/platform';
import { startTemporaryPostgres } from '@svc/platform/testing';
import { DataSource } from 'typeorm';
import { proverService } from '../src/index.js';

export const PROVER_SECRETS = { AUDIT_SIGNING_SEEDS: 'signing-secret-of-the-tests-of-32-characters' };

/** Provers as they are, on a memory bus and one database, and the gateway's end of the bus. */
export interface ProverOnBus {
  readonly client: BusClient;
  readonly bus: BusConfig & { readonly kind: 'memory' };
  /** A connection of the test's own, with the service's role. */
  readonly database: DataSource;
  close(): Promise<void>;
}

/**
 * @param replicas provers on the bus, which are asked in turn
 * @param pace as an environment of a service has it
 */
export async function startProverOnBus(replicas = 1, pace = 1): Promise<ProverOnBus> {
  const bus = { kind: 'memory', bus: new MemoryBus() } as const;
  const logger = createLogger('prover', { level: 'silent' });
  const postgres = await startTemporaryPostgres();
  const services: RunningService[] = [];
  for (let i = 0; i < replicas; i++) {
    services.push(
      await startService(proverService, {
        service: 'prover',
        version: API_VERSION,
        bus,
        ...postgres.urlsFor('prover'),
        production: false,
        secrets: PROVER_SECRETS,
        logger,
        pace,
      }),
    );
  }
  const link = openBusLink(bus, 'gateway', logger);
  await link.connect();
  const database = await new DataSource({ type: 'postgres', url: postgres.urlFor('prover') }).initialize();
  return {
    client: new BusClient(link),
    bus,
    database,
    close: async () => {
      await database.destroy();
      await Promise.all(services.map(service => service.close()));
      await postgres.stop();
    },
  };
}
