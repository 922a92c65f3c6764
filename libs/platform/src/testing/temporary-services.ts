import type { ServiceName } from '@svc/contracts';
import type { Logger } from 'pino';
import { DataSource } from 'typeorm';
import { BusClient } from '../messaging/bus-client.js';
import type { BusLink } from '../messaging/bus-link.js';
import { type BusConfig, openBusLink } from '../messaging/bus.module.js';
import { MemoryBus } from '../messaging/memory-bus.js';
import { createLogger } from '../observability/logger.js';
import {
  API_VERSION,
  type RunningService,
  type ServiceDefinition,
  type ServiceEnvironment,
} from '../runtime/service-definition.js';
import { startService } from '../runtime/service-runtime.js';
import { schemaOf } from '../persistence/service-data-source.js';
import type { EmbeddedPostgres } from '../embedded/embedded-postgres.js';
import { startTemporaryPostgres } from './temporary-postgres.js';

/** Replicas of one service on a bus and a database of their own, and the gateway's end of the bus: for tests. */
export class TemporaryServices {
  /** Those that {@link close} ends; a test that ends one itself takes it out. */
  readonly services: RunningService[] = [];
  readonly client: BusClient;

  private constructor(
    private readonly service: ServiceName,
    readonly bus: BusConfig,
    readonly postgres: EmbeddedPostgres,
    /** The gateway's. */
    readonly link: BusLink,
    /** A connection of the tests' own, to look into and age the tables, with the role that owns them. */
    readonly database: DataSource,
    readonly logger: Logger,
  ) {
    this.client = new BusClient(link);
  }

  /**
   * The bus and the database, and no replica yet.
   * @param bus one of its own where it is not given
   * @param startPostgres one of its own, for a test that stops it
   */
  static async open(
    service: ServiceName,
    bus: BusConfig = { kind: 'memory', bus: new MemoryBus() },
    startPostgres = startTemporaryPostgres,
  ): Promise<TemporaryServices> {
    const logger = createLogger(service, { level: 'silent' });
    const postgres = await startPostgres();
    try {
      const schema = schemaOf(service);
      const database = await new DataSource({
        ...{ type: 'postgres', url: postgres.migrationUrlFor(service), schema },
        extra: { options: `-c search_path=${schema}` },
      }).initialize();
      const link = openBusLink(bus, 'gateway', logger);
      await link.connect();
      return new TemporaryServices(service, bus, postgres, link, database, logger);
    } catch (error) {
      await postgres.stop();
      throw error;
    }
  }

  /** Starts another replica. @param environment what of it is not the same for every service: secrets and variables */
  async start(
    definition: ServiceDefinition,
    environment: Pick<ServiceEnvironment, 'secrets'> & Partial<ServiceEnvironment>,
  ): Promise<RunningService> {
    const { service, bus, logger, postgres } = this;
    const replica = await startService(definition, {
      ...{ service, version: API_VERSION, bus, production: false, variables: {}, logger },
      ...{ ...postgres.urlsFor(service), ...environment },
    });
    this.services.push(replica);
    return replica;
  }

  /** Does the work, and closes everything where it fails. @throws what the work throws */
  async orClosed(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  async close(): Promise<void> {
    await this.link.close();
    await this.database.destroy();
    await Promise.all(this.services.map(service => service.close()));
    await this.postgres.stop();
  }
}
