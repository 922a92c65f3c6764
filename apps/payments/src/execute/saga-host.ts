import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  type OnApplicationBootstrap,
  type OnModuleInit,
} from '@nestjs/common';
import {
  type JsonObject,
  type RunningSaga,
  SagaRunner,
  type SagaStore,
  type StoredSaga,
} from '@svc/durability';
import { MeasurementRegistry, problem, SERVICE_ENVIRONMENT, type ServiceEnvironment } from '@svc/platform';
import { randomUUID } from 'node:crypto';
import { DataSource, type EntityManager } from 'typeorm';
import { TICKET_SETTINGS, type TicketSettings } from '../ticket/ticket-config.js';
import type { ToolSaga } from './tool-saga.js';
import { ToolSagas } from './tool-sagas.js';

/** Injection token of the store of this service's sagas. */
export const SAGA_STORE = Symbol('SAGA_STORE');

/** How often sagas are looked for that nobody carries on: with the lease, what a crash costs. */
const RECOVERY_EVERY_MS = 1_000;
/** Sagas that one look takes over. */
const RECOVERED_MAX = 20;

/** Figure of `/health`: sagas whose compensation has failed for good, until somebody has them tried again. */
export const STUCK_SAGAS = 'stuckSagas';
/** Figure of `/health`: sagas that go on for longer than any should: nobody can carry them on, or in vain. */
export const OVERDUE_SAGAS = 'overdueSagas';
/** Longer than all tries of a saga, in both directions, take together where its services are there. */
const OVERDUE_MINUTES = 15;

/** What a saga begins with, beside what its tool says. */
export interface SagaStart {
  readonly sagaId: string;
  readonly input: JsonObject;
  readonly logged: JsonObject;
  readonly kept: JsonObject;
}

/**
 * Runs the sagas of this process, and takes over those whose process is gone. When the service ends it gives its sagas
 * up, so that another instance, or its next start, goes on with them at once.
 */
@Injectable()
export class SagaHost implements OnModuleInit, OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly runner: SagaRunner<EntityManager>;
  private timer: NodeJS.Timeout | undefined;
  private recovering: Promise<void> | undefined;
  private isFailing = false;
  private overdue = 0;
  private isStopped = false;

  constructor(
    private readonly dataSource: DataSource,
    @Inject(SAGA_STORE) private readonly store: SagaStore<EntityManager>,
    private readonly sagas: ToolSagas,
    private readonly measurements: MeasurementRegistry,
    @Inject(SERVICE_ENVIRONMENT) private readonly environment: Pick<ServiceEnvironment, 'logger'>,
    @Inject(TICKET_SETTINGS) settings: Pick<TicketSettings, 'sagaLeaseSeconds'>,
  ) {
    for (const figure of [STUCK_SAGAS, OVERDUE_SAGAS])
      measurements.declare(figure, 'no round of the upkeep has ended yet');
    this.runner = new SagaRunner(store, {
      owner: randomUUID(),
      heartbeatMs: Math.floor((settings.sagaLeaseSeconds * 1_000) / 3),
      onStuck: saga => this.stuck(saga),
      onLeftAlone: ({ sagaId, name, version }, reason) =>
        this.environment.logger.error({ sagaId, name, version, reason }, 'A saga cannot be carried on here'),
    });
  }

  onModuleInit(): void {
    for (const { definition } of this.sagas.all) this.runner.register(definition);
  }

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => void this.recover(), RECOVERY_EVERY_MS).unref();
    void this.recover();
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.quiesce();
  }

  /** Gives the sagas of this process up, and takes no more. Again, it does nothing. */
  async quiesce(): Promise<void> {
    this.isStopped = true;
    clearInterval(this.timer);
    await this.recovering;
    await this.runner.stop();
  }

  /**
   * Begins a saga; resolves when its first transaction is committed. What `begin` throws comes out, and nothing is begun.
   * @throws ProblemError SERVICE_UNAVAILABLE while the service ends
   */
  start(saga: ToolSaga, begin: (tx: EntityManager) => Promise<SagaStart>): Promise<RunningSaga> {
    if (this.isStopped) {
      throw problem('SERVICE_UNAVAILABLE', 'The service is ending; send the request again', {
        retryAfterSeconds: 1,
      });
    }
    return this.runner.start(saga.definition, begin);
  }

  load(sagaId: string): Promise<StoredSaga | undefined> {
    return this.store.load(sagaId);
  }

  /** Has the compensation of a stuck saga tried again; undefined where it is not stuck. */
  resume(sagaId: string): Promise<RunningSaga | undefined> {
    return this.runner.resumeStuck(sagaId);
  }

  /** One look for sagas that nobody carries on; never rejects. */
  recover(): Promise<void> {
    this.recovering ??= this.look().finally(() => (this.recovering = undefined));
    return this.recovering;
  }

  /** One round of the upkeep: measures how many sagas are stuck, and how many nobody has brought to an end. */
  async measure(): Promise<{ stuck: number; overdue: number }> {
    const [{ stuck, overdue, oldest }]: { stuck: number; overdue: number; oldest: string | null }[] =
      await this.dataSource.query(
        `SELECT count(*) FILTER (WHERE state = 'STUCK')::int AS stuck,
                count(*) FILTER (WHERE state <> 'STUCK' AND is_over)::int AS overdue,
                (array_agg(saga_id ORDER BY begun_at) FILTER (WHERE state <> 'STUCK' AND is_over))[1] AS oldest
           FROM (SELECT saga_id, state, begun_at, begun_at < now() - make_interval(mins => $1) AS is_over
                   FROM saga WHERE ended_at IS NULL) open`,
        [OVERDUE_MINUTES],
      );
    this.measurements.set(STUCK_SAGAS, stuck);
    this.measurements.set(OVERDUE_SAGAS, overdue);
    if (overdue > this.overdue)
      this.environment.logger.error({ sagas: overdue, oldest }, 'Sagas are not brought to an end');
    this.overdue = overdue;
    return { stuck, overdue };
  }

  private async look(): Promise<void> {
    try {
      const taken = await this.runner.recover(RECOVERED_MAX);
      if (taken > 0) this.environment.logger.info({ sagas: taken }, 'Sagas were taken over');
      this.isFailing = false;
    } catch (error) {
      // Said once while the database is away, and tried at the next turn.
      if (!this.isFailing && !this.isStopped)
        this.environment.logger.warn({ reason: (error as Error).message }, 'Sagas cannot be looked for');
      this.isFailing = true;
    }
  }

  private stuck({ sagaId, name, records }: StoredSaga): void {
    const last = records.at(-1);
    this.environment.logger.error(
      { sagaId, name, step: last?.payload.step, records: records.length },
      'A saga is stuck: its compensation was given up; mend the cause, then resume it',
    );
  }
}
