import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import {
  ContractPipe,
  createHttpAdapter,
  GatewayProblemFilter,
  openApiDocument,
  ProcessBursts,
  PublishedDocument,
} from '@svc/edge';
import {
  BUS_LINK,
  BusClient,
  type BusLink,
  NestPinoLogger,
  type Readiness,
  SERVICE_ENVIRONMENT,
  SERVICE_READINESS,
  type ServiceEnvironment,
} from '@svc/platform';
import type { AddressInfo } from 'node:net';
import { DIRECT_API, DirectAddressModule } from './direct-address.module.js';
import { directSettingsOf } from './direct-config.js';

/**
 * The department's own HTTP address, where its configuration names a port: the same controllers as on the gateway, asking and
 * paid over the same bus. It begins and ends with the service; a close waits for the requests in flight.
 */
@Injectable()
export class DirectAddress implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private app: NestFastifyApplication | undefined;

  constructor(
    @Inject(BUS_LINK) private readonly link: BusLink,
    @Inject(SERVICE_ENVIRONMENT) private readonly environment: ServiceEnvironment,
    @Inject(SERVICE_READINESS) private readonly readiness: () => Promise<Readiness>,
    private readonly processBursts: ProcessBursts,
  ) {}

  /** @throws ConfigError, and the error of `listen`, such as EADDRINUSE */
  async onApplicationBootstrap(): Promise<void> {
    const { environment } = this;
    const settings = directSettingsOf(environment, environment.variables ?? process.env);
    if (!settings) return;
    const { logger } = environment;
    const { rateLimits } = settings;
    const bus = new BusClient(this.link);
    const bursts = this.processBursts.of(rateLimits.factor, bus);
    const filter = new GatewayProblemFilter({ logger });
    const adapter = await createHttpAdapter({ filter, logger, bursts, bus, rateLimits });
    const module = DirectAddressModule.register({ link: this.link, readiness: this.readiness, bursts });
    const app = await NestFactory.create<NestFastifyApplication>(module, adapter, {
      logger: new NestPinoLogger(logger),
      bodyParser: false,
      abortOnError: false,
    });
    this.app = app;
    app.useGlobalFilters(filter);
    app.useGlobalPipes(new ContractPipe());
    app.get(PublishedDocument).publish(openApiDocument(app, DIRECT_API));
    await app.listen(settings.port, settings.host);
    const { port } = app.getHttpServer().address() as AddressInfo;
    logger.info({ host: settings.host, port }, 'The department listens at its own address');
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.app?.close();
  }
}
