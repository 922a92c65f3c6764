import { type RunningGateway, startGateway } from '@svc/gateway';
import { paymentsService } from '@svc/payments';
import {
  API_VERSION,
  type BusConfig,
  createLogger,
  type EmbeddedPostgres,
  findNatsServer,
  MemoryBus,
  type RunningService,
  type ServiceEnvironment,
  startNatsServer,
  startService,
  SECRET_VARIABLES,
} from '@svc/platform';
import { startTemporaryPostgres } from '@svc/platform/testing';
import { proverService } from '@svc/prover';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const SECRET = 'a-secret-of-the-tests-of-32-characters';

/** Gateway, payments and provers, all as they are. */
export interface ProofServices {
  readonly address: string;
  readonly postgres: EmbeddedPostgres;
  /** What a prover in a process of its own starts with. */
  readonly proverVariables: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

/** Every bus there is: NATS where it is installed, and it is said where not. */
export function everyBus(): readonly ('memory' | 'nats')[] {
  if (findNatsServer()) return ['memory', 'nats'];
  console.log('SKIPPED: nats-server is not installed');
  return ['memory'];
}

interface OpenBus {
  readonly bus: BusConfig;
  readonly variables: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

async function openBus(kind: 'memory' | 'nats'): Promise<OpenBus> {
  if (kind === 'memory') {
    return { bus: { kind, bus: new MemoryBus() }, variables: {}, stop: async () => undefined };
  }
  const dataDir = await mkdtemp(join(tmpdir(), 'svc-proofs-'));
  const nats = await startNatsServer({ binary: findNatsServer()!, dataDir });
  return {
    bus: { kind, url: nats.url, token: nats.token },
    variables: { NATS_URL: nats.url, NATS_TOKEN: nats.token },
    stop: async () => {
      await nats.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/**
 * @param proverCount provers in this process
 * @param pace as of {@link ServiceEnvironment}
 */
export async function startProofServices(
  kind: 'memory' | 'nats',
  proverCount = 2,
  pace = 1,
): Promise<ProofServices> {
  const logger = createLogger('gateway', { level: 'silent' });
  const [postgres, { bus, variables, stop }] = await Promise.all([startTemporaryPostgres(), openBus(kind)]);
  const environmentOf = (service: ServiceEnvironment['service']): ServiceEnvironment => ({
    service,
    version: API_VERSION,
    bus,
    ...postgres.urlsFor(service),
    production: false,
    secrets: Object.fromEntries(SECRET_VARIABLES.map(name => [name, SECRET])),
    logger,
    pace,
  });
  const services: RunningService[] = await Promise.all([
    startService(paymentsService, environmentOf('payments')),
    ...Array.from({ length: proverCount }, () => startService(proverService, environmentOf('prover'))),
  ]);
  const gateway: RunningGateway = await startGateway({
    ...environmentOf('gateway'),
    port: 0,
    host: '127.0.0.1',
  });
  while (!(await gateway.readiness()).ready) await delay(10);
  return {
    address: gateway.address,
    postgres,
    proverVariables: {
      ...variables,
      DATABASE_URL: postgres.urlFor('prover'),
      DATABASE_MIGRATION_URL: postgres.migrationUrlFor('prover'),
      AUDIT_SIGNING_SEEDS: SECRET,
    },
    close: async () => {
      try {
        await gateway.close();
        await Promise.all(services.map(service => service.close()));
      } finally {
        await Promise.all([postgres.stop(), stop()]);
      }
    },
  };
}
