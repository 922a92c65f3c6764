import { acousticService } from '@svc/acoustic';
import { departmentService, departmentServiceOf } from '@svc/department';
import { ProcessBursts, type RateLimitSettings } from '@svc/edge';
import { type McpOriginSettings, type RunningGateway, startGateway } from '@svc/gateway';
import { meshSignallingService } from '@svc/mesh-signalling';
import { paymentsService } from '@svc/payments';
import {
  API_VERSION,
  type BusConfig,
  ConfigError,
  createLogger,
  type EmbeddedPostgres,
  findNatsServer,
  freePort,
  loadOrCreateSecrets,
  type LogLevel,
  MemoryBus,
  type ServiceDefinition,
  type ServiceEnvironment,
  ServiceRuntime,
  startEmbeddedPostgres,
  startNatsServer,
  type Variables,
} from '@svc/platform';
import { proverService } from '@svc/prover';
import { snnService } from '@svc/snn';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { StartRefused } from './allinone-config.js';
import { closeInOrder } from './closing-order.js';
import { type RunningSandbox, startSandbox } from './sandbox.js';

const PORT_MAX = 65_535;
/** What a person sets to listen elsewhere. */
const CHOSEN_BY = {
  gateway: { port: '--port', host: 'HOST' },
  operators: { port: 'OPERATOR_PORT', host: 'OPERATOR_HOST' },
};

/** The services of the product, as each also runs alone. */
export const SERVICES: readonly ServiceDefinition[] = [
  proverService,
  snnService,
  acousticService,
  meshSignallingService,
  paymentsService,
  departmentService,
];

export interface AllInOneOptions {
  /** Port of the gateway; 0 for any free one. */
  readonly port: number;
  /** Port of the department's own address; by default the one after the gateway's, or any free one. */
  readonly departmentPort?: number;
  readonly host?: string;
  /** The listener of operators; by default any free port of the loopback interface. */
  readonly operators?: { readonly port: number; readonly host: string };
  /** Holds the embedded database, the secrets and JetStream's files. */
  readonly dataDir: string;
  /** A Postgres of one's own in place of the embedded one. */
  readonly databaseUrl?: string;
  /** Of the role that owns the tables in it; by default the same, which then may change what the log refuses. */
  readonly migrationUrl?: string;
  /** A bus of one's own; by default a nats-server where one is installed, else the bus in process. */
  readonly bus?: BusConfig;
  /** Takes no generated secrets and no sandbox. */
  readonly production?: boolean;
  /** Secrets by variable name; what is missing is generated once and kept, but not in production. */
  readonly secrets?: Readonly<Record<string, string | undefined>>;
  /** What the services read beside the secrets; the environment of the process by default. */
  readonly variables?: Variables;
  /** By default bursts are limited and no proxy is trusted. */
  readonly rateLimits?: RateLimitSettings;
  /** Who may speak to `/mcp`; by default as the gateway has it. */
  readonly mcpOrigins?: McpOriginSettings;
  /** Whom to tell of a weakness. */
  readonly securityContact?: string | undefined;
  readonly logLevel?: LogLevel;
  /** Told each step of the start, one line each. */
  readonly log: (line: string) => void;
  /** Ends the start at its next step. */
  readonly signal?: AbortSignal;
}

export interface RunningAllInOne {
  /** `http://127.0.0.1:3000` */
  readonly address: string;
  readonly gateway: RunningGateway;
  /** The department's own address. */
  readonly departmentAddress: string;
  /** Where operators call, `http://127.0.0.1:8082`. */
  readonly operatorAddress: string;
  /** Undefined in production. */
  readonly sandbox?: RunningSandbox;
  /** Drains the gateway first, then the services, callers before whom they call, then stops what was started for them. */
  close(): Promise<void>;
}

/**
 * Starts the whole product in this process: database, bus, six services, gateway. When a step fails
 * or the signal aborts, everything that was started before it is stopped again.
 * @throws StartRefused, EmbeddedPostgresError, ConfigError: each with one sentence for a person
 */
export async function startAllInOne(options: AllInOneOptions): Promise<RunningAllInOne> {
  const closers: (() => Promise<void>)[] = [];
  const close = async () => {
    for (const closer of closers.splice(0).reverse()) await closer();
  };
  try {
    return { ...(await startAll(options, closers)), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function startAll(
  options: AllInOneOptions,
  closers: (() => Promise<void>)[],
): Promise<Omit<RunningAllInOne, 'close'>> {
  const { log, signal } = options;
  const host = options.host ?? '127.0.0.1';
  const operators = options.operators ?? { port: 0, host: '127.0.0.1' };
  await assertPortIsFree(options.port, host);
  await assertPortIsFree(operators.port, operators.host, CHOSEN_BY.operators);
  // A chosen one that is taken is told now.
  await departmentPortOf(options, host);
  const dataDir = resolve(options.dataDir);
  const urlsFor = await openDatabase(options, dataDir, closers);
  signal?.throwIfAborted();
  const secrets = await secretsOf(options, dataDir);
  const bus = await openBus(options, dataDir, closers);
  signal?.throwIfAborted();
  const sandbox = await openSandbox(options, dataDir, closers);
  signal?.throwIfAborted();
  // Any other is found at the last moment: what is free now may be taken in seconds.
  const departmentPort = await departmentPortOf(options, host);
  const environmentFor = (service: ServiceEnvironment['service']): ServiceEnvironment => ({
    service,
    version: API_VERSION,
    bus,
    ...urlsFor(service),
    production: options.production ?? false,
    secrets,
    variables: {
      WAL_CHECKPOINT_FILE: join(dataDir, 'wal-checkpoints.jsonl'),
      ...(options.variables ?? process.env),
      ...sandbox?.variables,
      PORT: String(options.port),
      DEPARTMENT_HOST: host,
      DEPARTMENT_PORT: String(departmentPort),
    },
    logger: createLogger(service, { level: options.logLevel ?? 'warn' }),
  });
  assertServicesTake(environmentFor);
  const startedAtMs = performance.now();
  // The gateway and the department's own address: a caller of both is one.
  const bursts = new ProcessBursts();
  await startServices(environmentFor, bursts, signal, closers);
  log(`services    ${SERVICES.map(({ name }) => name).join(', ')} (${seconds(startedAtMs)})`);
  signal?.throwIfAborted();
  const { port, rateLimits, mcpOrigins, securityContact } = options;
  const gateway = await startGateway({
    ...environmentFor('gateway'),
    ...{ host, port, operators, rateLimits, bursts, mcpOrigins, securityContact },
  }).catch((error: unknown) => {
    throw portRefusal(error, port) ?? error;
  });
  closers.push(() => gateway.close());
  sandbox?.gatewayIs(gateway.address);
  await untilReachable(gateway, signal);
  signal?.throwIfAborted();
  const shownHost = host.includes(':') ? `[${host}]` : host;
  const departmentAddress = `http://${shownHost}:${departmentPort}`;
  const operatorAddress = gateway.operatorAddress!;
  return { address: gateway.address, gateway, departmentAddress, operatorAddress, sandbox };
}

async function openSandbox(
  options: AllInOneOptions,
  dataDir: string,
  closers: (() => Promise<void>)[],
): Promise<RunningSandbox | undefined> {
  if (options.production) return undefined;
  const { variables = process.env, log } = options;
  const sandbox = await startSandbox({ dataDir, variables, log });
  closers.push(() => sandbox.close());
  return sandbox;
}

async function openDatabase(
  options: AllInOneOptions,
  dataDir: string,
  closers: (() => Promise<void>)[],
): Promise<EmbeddedPostgres['urlsFor']> {
  const { databaseUrl, log } = options;
  if (databaseUrl !== undefined) {
    log(`database    ${new URL(databaseUrl).host} (DATABASE_URL)`);
    const migrationUrl = options.migrationUrl ?? databaseUrl;
    return () => ({ databaseUrl, migrationUrl });
  }
  const startedAtMs = performance.now();
  const postgres = await startEmbeddedPostgres({
    dataDir,
    logger: createLogger('allinone', { level: options.logLevel ?? 'warn' }),
  });
  closers.push(() => postgres.stop());
  log(`database    embedded Postgres in ${postgres.databaseDir} (${seconds(startedAtMs)})`);
  return postgres.urlsFor;
}

async function openBus(
  options: AllInOneOptions,
  dataDir: string,
  closers: (() => Promise<void>)[],
): Promise<BusConfig> {
  const { bus, log } = options;
  if (bus) {
    log(`bus         ${bus.kind === 'nats' ? `${bus.url} (NATS_URL)` : 'in process'}`);
    return bus;
  }
  const binary = findNatsServer();
  if (binary === undefined) {
    log('bus         in process (no nats-server is installed; NATS_URL names one elsewhere)');
    return { kind: 'memory', bus: new MemoryBus() };
  }
  const startedAtMs = performance.now();
  const server = await startNatsServer({
    binary,
    dataDir,
    logger: createLogger('allinone', { level: options.logLevel ?? 'warn' }),
  });
  closers.push(() => server.stop());
  log(`bus         ${binary} on ${server.url} (${seconds(startedAtMs)})`);
  return { kind: 'nats', url: server.url, token: server.token };
}

async function secretsOf(options: AllInOneOptions, dataDir: string): Promise<Record<string, string>> {
  const given: Record<string, string> = {};
  for (const [name, value] of Object.entries(options.secrets ?? {}))
    if (value !== undefined) given[name] = value;
  if (options.production) return given;
  const generated = await loadOrCreateSecrets(dataDir);
  return {
    PAYMENTS_SECRET: generated.paymentsSecret,
    MACAROON_SECRET: generated.macaroonSecret,
    SANDBOX_LIGHTNING_KEY: generated.sandboxLightningKey,
    AUDIT_SIGNING_SEEDS: generated.auditSigningSeeds,
    API_KEY_PEPPER: generated.apiKeyPepper,
    CREDIT_KEY_SECRET: generated.creditKeySecret,
    LICENCE_SIGNING_SEEDS: generated.licenceSigningSeeds,
    WAL_SIGNING_SEEDS: generated.walSigningSeeds,
    DEPARTMENT_SECRET: generated.departmentSecret,
    CALLBACK_SIGNING_SEEDS: generated.callbackSigningSeeds,
    ACOUSTIC_SECRET: generated.acousticSecret,
    PAIRING_SIGNING_SEEDS: generated.pairingSigningSeeds,
    MESH_SIGNING_SEEDS: generated.meshSigningSeeds,
    ADMIN_KEY: generated.adminKey,
    ...given,
  };
}

/** Each service says what is wrong with its variables, as where it runs alone. @throws ConfigError naming every fault once */
function assertServicesTake(
  environmentFor: (service: ServiceEnvironment['service']) => ServiceEnvironment,
): void {
  const faults = SERVICES.flatMap(({ name, configFaults }) => {
    const environment = environmentFor(name);
    return configFaults?.(environment, environment.variables ?? {}) ?? [];
  });
  if (faults.length > 0) throw new ConfigError([...new Set(faults)]);
}

async function startServices(
  environmentFor: (service: ServiceEnvironment['service']) => ServiceEnvironment,
  bursts: ProcessBursts,
  signal: AbortSignal | undefined,
  closers: (() => Promise<void>)[],
): Promise<void> {
  const services = SERVICES.map(definition => {
    const isDepartment = definition === departmentService;
    const set = isDepartment ? departmentServiceOf({ bursts }) : definition;
    return new ServiceRuntime(set, environmentFor(definition.name));
  });
  const closeAll = () => closeInOrder(SERVICES, services);
  closers.push(closeAll);
  const onAbort = () => void closeAll();
  signal?.addEventListener('abort', onAbort);
  try {
    await Promise.all(services.map(service => service.start()));
  } finally {
    signal?.removeEventListener('abort', onAbort);
  }
}

/** The gateway listens before it has reached the bus, and whoever reads the address calls at once. */
async function untilReachable(gateway: RunningGateway, signal: AbortSignal | undefined): Promise<void> {
  const onAbort = () => void gateway.close();
  signal?.addEventListener('abort', onAbort);
  try {
    await gateway.whenReachable();
  } finally {
    signal?.removeEventListener('abort', onAbort);
  }
}

/** A port that was chosen must be free; without a choice, another one will do. */
async function departmentPortOf(
  { port, departmentPort, operators }: AllInOneOptions,
  host: string,
): Promise<number> {
  if (departmentPort !== undefined && departmentPort !== 0) {
    await assertPortIsFree(departmentPort, host);
    return departmentPort;
  }
  const next = port + 1;
  if (departmentPort === 0 || port === 0 || next > PORT_MAX || next === operators?.port) return freePort();
  return assertPortIsFree(next, host).then(
    () => next,
    () => freePort(),
  );
}

/** Before anything is started: a port that is taken is the most frequent fault there is. */
async function assertPortIsFree(port: number, host: string, chosenBy = CHOSEN_BY.gateway): Promise<void> {
  if (port === 0) return;
  const probe = createServer().listen(port, host);
  try {
    await once(probe, 'listening');
  } catch (error) {
    throw portRefusal(error, port, chosenBy) ?? error;
  }
  probe.close();
  await once(probe, 'close');
}

function portRefusal(error: unknown, port: number, chosenBy = CHOSEN_BY.gateway): StartRefused | undefined {
  switch ((error as NodeJS.ErrnoException).code) {
    case 'EADDRINUSE':
      return new StartRefused(`Port ${port} is in use by another program; choose one with ${chosenBy.port}.`);
    case 'EACCES':
      return new StartRefused(
        `Port ${port} may not be bound by this user; choose one above 1023 with ${chosenBy.port}.`,
      );
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new StartRefused(`${chosenBy.host} is no address of this machine.`);
    default:
      return undefined;
  }
}

const seconds = (sinceMs: number) => `${((performance.now() - sinceMs) / 1_000).toFixed(1)} s`;
