import type { Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import {
  BusClient,
  type BusLink,
  NestPinoLogger,
  openBusLink,
  type Readiness,
  type RunningService,
  type ServiceEnvironment,
} from '@svc/platform';
import type { FastifyInstance } from 'fastify';
import type { AddressInfo } from 'node:net';
import { LightningPayHttpController } from './dev/lightning-pay.http.controller.js';
import { GatewayModule } from './gateway.module.js';
import { mcpConfig, mcpOriginsOf, type McpOriginSettings } from './mcp/mcp-origins.js';
import { answerInJsonRpc } from './mcp/problem-messages.js';
import {
  ContractPipe,
  createHttpAdapter,
  GatewayProblemFilter,
  openApiDocument,
  OperatorListener,
  ProcessBursts,
  PublishedDocument,
  type RateLimitSettings,
  TrustedProxies,
} from '@svc/edge';
import { gatewayApi } from './gateway-index/gateway-index.js';

const DEFAULT_RATE_LIMITS: RateLimitSettings = { factor: 1, trustedProxies: new TrustedProxies([]) };

/** Where the gateway runs and listens. */
export interface GatewayEnvironment extends ServiceEnvironment {
  /** 0 for any free one. */
  readonly port: number;
  readonly host: string;
  /** The listener of operators; in production nothing else answers `/v1/admin/**`. By default there is none. */
  readonly operators?: { readonly port: number; readonly host: string } | undefined;
  /** How long a close waits for the requests in flight, milliseconds; by default for the slowest. */
  readonly drainTimeoutMs?: number;
  /** By default bursts are limited and no proxy is trusted. */
  readonly rateLimits?: RateLimitSettings;
  /** The limits that other listeners of the process share; by default it has its own. */
  readonly bursts?: ProcessBursts;
  /** Who may speak to `/mcp`; by default whoever the address that is listened on lets. */
  readonly mcpOrigins?: McpOriginSettings;
  /** Whom to tell of a weakness: `mailto:security@svc.example`, or an https address. */
  readonly securityContact?: string | undefined;
  /** Further routes of the sandbox, below `/dev/`; not mounted in production. */
  readonly sandboxControllers?: readonly Type[];
}

export interface RunningGateway extends RunningService {
  /** `http://host:port` with the port that was bound. */
  readonly address: string;
  readonly port: number;
  /** `http://host:port` of the listener of operators; undefined where there is none. */
  readonly operatorAddress: string | undefined;
  /** Resolves when the bus is reached, so that calls find their service; rejects when the close comes first. */
  whenReachable(): Promise<void>;
}

/**
 * Starts the gateway and resolves once it listens. The bus may still be away then: calls that need
 * it are 503 and readiness is false until it is reached.
 * @throws the error of `listen`, such as EADDRINUSE, with nothing left open
 */
export async function startGateway(environment: GatewayEnvironment): Promise<RunningGateway> {
  const gateway = new Gateway(environment);
  try {
    await gateway.start();
  } catch (error) {
    await gateway.close();
    throw error;
  }
  return gateway;
}

const addressOf = (host: string, port: number): string =>
  `http://${host.includes(':') ? `[${host}]` : host}:${port}`;

class Gateway implements RunningGateway {
  readonly name = 'gateway';
  private readonly link: BusLink;
  /** The port that was bound; 0 before. */
  port = 0;
  operatorAddress: string | undefined;
  private app: NestFastifyApplication | undefined;
  private phase: 'starting' | 'running' | 'draining' = 'starting';
  private connecting: Promise<void> | undefined;
  private closed: Promise<void> | undefined;

  constructor(private readonly environment: GatewayEnvironment) {
    this.link = openBusLink(environment.bus, 'gateway', environment.logger);
  }

  get address(): string {
    return addressOf(this.environment.host, this.port);
  }

  async start(): Promise<void> {
    const {
      logger,
      host,
      port,
      production,
      operators,
      drainTimeoutMs,
      pace,
      sandboxControllers = [],
    } = this.environment;
    this.connect();
    const filter = new GatewayProblemFilter({ logger });
    const bus = new BusClient(this.link);
    const { rateLimits = DEFAULT_RATE_LIMITS } = this.environment;
    const bursts = (this.environment.bursts ?? new ProcessBursts()).of(rateLimits.factor, bus);
    const adapter = await createHttpAdapter({
      ...{ filter, logger, bursts, bus, rateLimits, drainTimeoutMs },
      operatorsApart: production,
    });
    const instance = adapter.getInstance() as unknown as FastifyInstance;
    answerInJsonRpc(instance);
    const operatorListener = operators && new OperatorListener(instance);
    const { mcpOrigins = mcpOriginsOf(mcpConfig.parse({}), { host, production }), securityContact } =
      this.environment;
    const module = GatewayModule.register({
      ...{ link: this.link, readiness: () => this.readinessNow(), bursts, mcpOrigins, securityContact, pace },
      sandboxControllers: production ? [] : [LightningPayHttpController, ...sandboxControllers],
    });
    this.app = await NestFactory.create<NestFastifyApplication>(module, adapter, {
      logger: new NestPinoLogger(logger),
      bodyParser: false,
      abortOnError: false,
    });
    this.app.useGlobalFilters(filter);
    this.app.useGlobalPipes(new ContractPipe());
    this.app.get(PublishedDocument).publish(openApiDocument(this.app, gatewayApi));
    await this.app.listen(port, host);
    this.port = (this.app.getHttpServer().address() as AddressInfo).port;
    if (operators && operatorListener) {
      const bound = await operatorListener.listen(operators.port, operators.host);
      this.operatorAddress = addressOf(operators.host, bound);
    }
    this.phase = 'running';
    const { address, operatorAddress } = this;
    logger.info({ address, operatorAddress }, 'The gateway listens');
  }

  async readiness(): Promise<Readiness> {
    return this.readinessNow();
  }

  async whenReachable(): Promise<void> {
    await this.connecting;
  }

  /** Everything here is an answer to somebody. */
  async quiesce(): Promise<void> {}

  close(): Promise<void> {
    this.closed ??= this.drain();
    return this.closed;
  }

  private readinessNow(): Readiness {
    const checks = {
      lifecycle: this.phase === 'running' ? 'ok' : this.phase,
      bus: this.link.connected ? 'ok' : 'away',
    };
    return { ready: Object.values(checks).every(state => state === 'ok'), checks };
  }

  /** Reaches the bus in the background, however long that takes; only `close` ends the attempt. */
  private connect(): void {
    this.connecting = this.link.connect();
    this.connecting.catch((error: unknown) => {
      if (this.phase !== 'draining') this.environment.logger.error({ err: error }, 'The bus cannot be used');
    });
  }

  private async drain(): Promise<void> {
    this.phase = 'draining';
    await this.app?.close();
    await this.link.close();
  }
}
