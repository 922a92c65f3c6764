import type { ParsedRequestOf, proofJobContract } from '@svc/contracts';
import {
  API_VERSION,
  BusClient,
  type BusLink,
  createLogger,
  type EmbeddedPostgres,
  EventOutbox,
  MemoryBus,
  openBusLink,
  openDataSource,
  openWorkQueue,
  type RunningService,
  type ServiceEnvironment,
  startService,
  type WorkQueue,
} from '@svc/platform';
import { startTemporaryPostgres } from '@svc/platform/testing';
import type { DataSource } from 'typeorm';
import { proverService } from '../src/index.js';
import { JobKeeper } from '../src/jobs/job-keeper.js';
import { JobOrders } from '../src/jobs/job-orders.js';
import { JobQueue } from '../src/jobs/job-queue.js';
import { JobService } from '../src/jobs/job.service.js';
import { JobSettlement } from '../src/jobs/job-settlement.js';
import { JobStore } from '../src/jobs/job-store.js';
import { JobWorker } from '../src/jobs/job-worker.js';
import type { ProofMaker } from '../src/prove/proof-maker.js';
import type { ProveService } from '../src/prove/prove.service.js';
import { type ProofCaller, StarkProveService } from '../src/prove/stark-prove.service.js';
import { ProofStore } from '../src/proofs/proof-store.js';
import { PaymentsOfJobs, paymentsServiceOf } from './payments-of-jobs.js';
import { PROVER_SECRETS } from './prover-on-bus.js';

const logger = createLogger('prover', { level: 'silent' });

/** The smallest statement with a commitment that something opens. */
export const ORDER: ParsedRequestOf<typeof proofJobContract.startJob>['order'] = {
  operationId: 'stark.prove-goldilocks',
  request: { statement: 'binding', parameterSet: 'P100', publicInputs: ['1'], friBlowup: 8 },
};

/** In the place of what a process has in use. */
export interface JobParts {
  readonly Store?: typeof JobStore;
  readonly Queue?: typeof JobQueue;
  /** How soon the queue gives to others what a process that has died was at, milliseconds. */
  readonly ackWaitMs?: number;
}

/** What makes jobs in one process, each part of which a test can put another in the place of. */
export class JobProcess {
  readonly link: BusLink;
  readonly store: JobStore;
  readonly orders: JobOrders;
  readonly work: WorkQueue;
  readonly queue: JobQueue;
  readonly proofs: ProofStore;
  readonly keeper: JobKeeper;
  readonly worker: JobWorker;
  readonly service: JobService;

  /** @param secrets what orders are sealed with */
  constructor(
    readonly jobs: JobsOnPostgres,
    parts: JobParts = {},
    secrets: Readonly<Record<string, string>> = PROVER_SECRETS,
  ) {
    const { Store = JobStore, Queue = JobQueue, ackWaitMs } = parts;
    const { database } = jobs;
    const environment = { ...jobs.environmentOf('prover'), secrets };
    this.link = openBusLink(environment.bus, 'prover', logger);
    const work = openWorkQueue(this.link, { owner: 'prover' }, logger);
    const consume: WorkQueue['consume'] = (options, handler) =>
      work.consume({ ...options, ackWaitMs: ackWaitMs ?? options.ackWaitMs }, handler);
    this.work = Object.assign(Object.create(work) as WorkQueue, { consume });
    this.store = new Store(database, new EventOutbox());
    this.orders = new JobOrders(this.store, environment);
    this.queue = new Queue(database, this.work, environment);
    this.proofs = new ProofStore(database);
    const settlement = new JobSettlement(new BusClient(this.link), this.proofs, this.orders);
    this.keeper = new JobKeeper(this.store, settlement, this.queue, environment);
    const { plan, drawOpening } = StarkProveService.prototype;
    const hashChains = {} as ProveService;
    const statements = {
      plan,
      drawOpening,
      prove: (_request: unknown, caller: ProofCaller) => this.prove(caller),
    } as unknown as StarkProveService;
    const maker = { sizeClassOf: () => 'small' } as unknown as ProofMaker;
    const { store, orders, queue, keeper, proofs } = this;
    this.worker = new JobWorker(store, orders, queue, keeper, proofs, hashChains, statements, environment);
    this.service = new JobService(store, orders, queue, keeper, this.worker, maker, hashChains, statements);
  }

  /** Bytes that are kept as a proof is, so that a run takes no time. */
  private async prove(caller: ProofCaller) {
    await caller.onStart?.();
    const proof = Uint8Array.of(1);
    const kept = { airId: 'binding/v1', publicInputs: {}, contextDomain: '', proof };
    return { proof, proofId: await this.proofs.keep(kept), opening: caller.opening };
  }
}

/** A database of jobs, the payments that they hold, and a bus that processes which make them share. */
export interface JobsOnPostgres {
  readonly database: DataSource;
  readonly payments: PaymentsOfJobs;
  environmentOf(service: ServiceEnvironment['service']): ServiceEnvironment;
  /** Starts a prover as it is. */
  startProver(): Promise<void>;
  close(): Promise<void>;
}

export async function startJobsOnPostgres(): Promise<JobsOnPostgres> {
  const postgres: EmbeddedPostgres = await startTemporaryPostgres();
  const bus = { kind: 'memory', bus: new MemoryBus() } as const;
  const environmentOf = (service: ServiceEnvironment['service']): ServiceEnvironment => ({
    ...{
      service,
      version: API_VERSION,
      bus,
      production: false,
      secrets: PROVER_SECRETS,
      variables: { PROOF_DRAIN_SECONDS: '0' },
      logger,
    },
    ...(service === 'prover' ? postgres.urlsFor(service) : {}),
  });
  const database = await openDataSource({
    ...{ service: 'prover', migrations: proverService.migrations, logger },
    ...{ url: postgres.urlFor('prover'), migrationUrl: postgres.migrationUrlFor('prover') },
  });
  const payments = new PaymentsOfJobs();
  const module = paymentsServiceOf(payments);
  const services: RunningService[] = [
    await startService({ name: 'payments', migrations: [], module: () => module }, environmentOf('payments')),
  ];
  return {
    ...{ database, payments, environmentOf },
    startProver: async () => {
      services.push(await startService(proverService, { ...environmentOf('prover'), pace: 20 }));
    },
    close: async () => {
      for (const service of services.reverse()) await service.close();
      await database.destroy();
      await postgres.stop();
    },
  };
}
