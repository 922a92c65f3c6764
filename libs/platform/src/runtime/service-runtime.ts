import { type DynamicModule, type INestMicroservice, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { BusLink } from '../messaging/bus-link.js';
import { BusServer } from '../messaging/bus-server.js';
import { BusModule, openBusLink } from '../messaging/bus.module.js';
import { NestPinoLogger } from '../observability/logger.js';
import { MeasurementRegistry } from '../observability/measurement-registry.js';
import { DatabasePulse } from '../persistence/database-pulse.js';
import { PersistenceModule } from '../persistence/persistence.module.js';
import { pingController } from './ping.controller.js';
import {
  type Readiness,
  type RunningService,
  SERVICE_ENVIRONMENT,
  SERVICE_READINESS,
  type ServiceDefinition,
  type ServiceEnvironment,
} from './service-definition.js';

type Phase = 'starting' | 'running' | 'draining' | 'closed';

/** The root of a service's application: everything that every service has, and its own module. */
@Module({})
class ServiceRootModule {}

/**
 * One service from its start to its end. Readiness can be asked at any time, also while the start
 * waits for NATS or Postgres.
 */
export class ServiceRuntime implements RunningService {
  private readonly link: BusLink;
  private readonly closing = new AbortController();
  private app: INestMicroservice | undefined;
  private pulse: DatabasePulse | undefined;
  /** What the start waits for in Postgres: it is away, or its schema is behind. */
  private waitingFor = 'away';
  private phase: Phase = 'starting';
  private starting: Promise<void> | undefined;
  private closed: Promise<void> | undefined;

  constructor(
    private readonly definition: ServiceDefinition,
    private readonly environment: ServiceEnvironment,
  ) {
    this.link = openBusLink(environment.bus, definition.name, environment.logger);
  }

  get name() {
    return this.definition.name;
  }

  /** Resolves when the service answers on the bus; rejects when it is closed meanwhile. */
  start(): Promise<void> {
    this.starting ??= this.run().catch((error: unknown) => {
      // What fails because of the close is the close's doing, whatever it looks like.
      throw this.closing.signal.aborted ? this.closing.signal.reason : error;
    });
    return this.starting;
  }

  async readiness(): Promise<Readiness> {
    const checks: Record<string, string> = {
      lifecycle: this.phase === 'running' ? 'ok' : this.phase,
      bus: this.link.connected ? 'ok' : 'away',
    };
    if (this.hasDatabase) checks.postgres = this.pulse?.state ?? this.waitingFor;
    return { ready: Object.values(checks).every(state => state === 'ok'), checks };
  }

  close(): Promise<void> {
    this.closed ??= this.drain();
    return this.closed;
  }

  async quiesce(): Promise<void> {
    const { quiesces } = this.definition;
    if (quiesces && this.phase === 'running') await this.app!.get(quiesces, { strict: false }).quiesce();
  }

  private get hasDatabase(): boolean {
    return this.definition.migrations.length > 0;
  }

  private async run(): Promise<void> {
    const { logger } = this.environment;
    await this.link.connect();
    this.app = await NestFactory.createMicroservice(this.rootModule(), {
      strategy: new BusServer(this.link, this.name, logger),
      logger: new NestPinoLogger(logger),
      abortOnError: false,
    });
    if (this.hasDatabase) this.pulse = this.app.get(DatabasePulse);
    this.closing.signal.throwIfAborted();
    await this.app.listen();
    this.phase = 'running';
    logger.info('The service answers on the bus');
  }

  private rootModule(): DynamicModule {
    const { definition, environment } = this;
    const measurements = new MeasurementRegistry();
    for (const [name, reason] of Object.entries(definition.measurements ?? {}))
      measurements.declare(name, reason);
    const runtime: DynamicModule = {
      module: ServiceRuntimeModule,
      global: true,
      providers: [
        { provide: MeasurementRegistry, useValue: measurements },
        { provide: SERVICE_ENVIRONMENT, useValue: environment },
        { provide: SERVICE_READINESS, useValue: () => this.readiness() },
      ],
      exports: [MeasurementRegistry, SERVICE_ENVIRONMENT, SERVICE_READINESS],
    };
    return {
      module: ServiceRootModule,
      controllers: [pingController(this.name, () => this.readiness())],
      imports: [
        runtime,
        BusModule.forLink(this.link),
        ...(this.hasDatabase ? [this.persistence()] : []),
        definition.module(environment),
      ],
    };
  }

  private persistence(): DynamicModule {
    const { definition, environment } = this;
    if (!environment.databaseUrl) throw new TypeError(`the ${this.name} service needs a databaseUrl`);
    return PersistenceModule.forService({
      service: definition.name,
      url: environment.databaseUrl,
      migrationUrl: environment.migrationUrl,
      tableRights: definition.tableRights,
      migrations: definition.migrations,
      onWaiting: reason => (this.waitingFor = reason),
      entities: definition.entities,
      logger: environment.logger,
      signal: this.closing.signal,
    });
  }

  private async drain(): Promise<void> {
    const { logger } = this.environment;
    const wasRunning = this.phase === 'running';
    this.phase = 'draining';
    this.closing.abort(new StartAborted(this.name));
    if (!wasRunning) {
      // The start gives up at its next step; nothing was taken that would have to be finished.
      await this.link.close();
      await this.starting?.catch(() => undefined);
    }
    const { drains } = this.definition;
    if (drains && wasRunning) this.app!.get(drains, { strict: false }).drain();
    await this.app?.close();
    await this.link.close();
    this.phase = 'closed';
    if (wasRunning) logger.info('The service is closed');
  }
}

@Module({})
class ServiceRuntimeModule {}

/** The start of a service was ended by its close. */
export class StartAborted extends Error {
  constructor(service: string) {
    super(`the start of ${service} was ended`);
    this.name = 'StartAborted';
  }
}

/** Starts a service on the bus and resolves when it answers. */
export async function startService(
  definition: ServiceDefinition,
  environment: ServiceEnvironment,
): Promise<RunningService> {
  const service = new ServiceRuntime(definition, environment);
  try {
    await service.start();
  } catch (error) {
    await service.close();
    throw error;
  }
  return service;
}
