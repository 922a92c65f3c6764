import {
  API_VERSION,
  BusClient,
  createLogger,
  type EmbeddedPostgres,
  MemoryBus,
  openBusLink,
  type RunningService,
  type ServiceEnvironment,
  startService,
} from '@svc/platform';
import { awaitedCommits, ParseWire, startTemporaryPostgres } from '@svc/platform/testing';
import { DataSource } from 'typeorm';
import type { DepartmentParts } from '../src/department.module.js';
import { departmentServiceOf } from '../src/index.js';
import { AttestScript, attestStandIn } from './attest-stand-in.js';
import { AwardScript, awardStandIn } from './award-stand-in.js';
import { PaymentsScript, paymentsStandIn } from './payments-stand-in.js';
import { SnnScript, snnStandIn } from './snn-stand-in.js';
import { SpotScript, spotStandIn } from './spot-stand-in.js';

/** What nothing waits for: the relay of events, leases and sweeps, and the mark that a task has been given to its queue. */
const BESIDE = /FROM event_outbox|AS held \(id, of\)|SET enqueued_at|SKIP LOCKED|pg_try_advisory_lock/;

/** The department service on an in-process bus and a Postgres of its own, and stand-ins of those that it calls. */
export interface DepartmentFixture {
  /** The gateway's end. */
  readonly bus: BusClient;
  readonly memoryBus: MemoryBus;
  readonly postgres: EmbeddedPostgres;
  /** Commits that the service waits for while this goes on, but those by its own clock. */
  commitsDuring(work: () => Promise<void>): Promise<number>;
  /** A connection of the tests' own, to look into and age the tables, with the role that owns them. */
  readonly database: DataSource;
  readonly environment: ServiceEnvironment;
  readonly attest: AttestScript;
  readonly spot: SpotScript;
  readonly payments: PaymentsScript;
  readonly award: AwardScript;
  readonly snn: SnnScript;
  /** Another replica of the service, on the same bus and database. */
  replica(): Promise<RunningService>;
  close(): Promise<void>;
}

/**
 * @param more of the environment: variables, secrets, a logger
 * @param parts as the caller that starts the service sets it
 */
export async function startDepartment(
  more: Partial<ServiceEnvironment> = {},
  parts: DepartmentParts = {},
): Promise<DepartmentFixture> {
  const definition = departmentServiceOf(parts);
  const logger = createLogger('department', { level: 'silent' });
  const postgres = await startTemporaryPostgres();
  const memoryBus = new MemoryBus();
  const environmentOf = (service: ServiceEnvironment['service']): ServiceEnvironment => ({
    service,
    version: API_VERSION,
    bus: { kind: 'memory', bus: memoryBus },
    production: false,
    secrets: {
      DEPARTMENT_SECRET: 'department-secret-of-the-tests-of-32-characters',
      CALLBACK_SIGNING_SEEDS: 'callback-seed-of-the-tests-of-32-characters',
    },
    logger,
  });
  const attest = new AttestScript();
  const spot = new SpotScript();
  const payments = new PaymentsScript();
  const award = new AwardScript();
  const snn = new SnnScript();
  const wire = new ParseWire(new URL(postgres.urlFor('department')));
  const urls = { ...postgres.urlsFor('department'), databaseUrl: await wire.open() };
  const environment = { ...environmentOf('department'), ...urls, ...more };
  const services: RunningService[] = [];
  const close = async () => {
    try {
      for (const service of services.reverse()) await service.close();
    } finally {
      wire.close();
      await postgres.stop();
    }
  };
  try {
    for (const [name, module] of [
      ['prover', attestStandIn(attest)],
      ['snn', snnStandIn(snn)],
      ['payments', paymentsStandIn(payments, spotStandIn(spot), awardStandIn(award))],
    ] as const) {
      services.push(await startService({ name, migrations: [], module: () => module }, environmentOf(name)));
    }
    services.push(await startService(definition, environment));
    const database = await new DataSource({
      type: 'postgres',
      url: postgres.migrationUrlFor('department'),
      schema: 'department',
      extra: { options: '-c search_path=department' },
    }).initialize();
    const link = openBusLink(environment.bus, 'gateway', logger);
    await link.connect();
    return {
      bus: new BusClient(link),
      ...{ memoryBus, postgres, database, environment, attest, spot, payments, award, snn },
      commitsDuring: work => commitsDuring(wire, work),
      replica: async () => {
        const service = await startService(definition, environment);
        services.push(service);
        return service;
      },
      close: () => database.destroy().finally(close),
    };
  } catch (error) {
    await close();
    throw error;
  }
}

async function commitsDuring(wire: ParseWire, work: () => Promise<void>): Promise<number> {
  const before = wire.executed.length;
  await work();
  return awaitedCommits(wire.executed.slice(before).filter(({ sql }) => !BESIDE.test(sql)));
}
