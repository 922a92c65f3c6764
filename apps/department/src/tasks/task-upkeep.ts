import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { paced, SERVICE_ENVIRONMENT, type ServiceEnvironment } from '@svc/platform';
import { TaskBacklog } from './task-backlog.js';
import { TaskPublisher } from './task-publisher.js';
import { TaskSettlement } from './task-settlement.js';
import { TaskStore } from './task-store.js';
import { TaskWorker } from './task-worker.js';

/** How often every replica looks for what is due, milliseconds. */
const ROUND_MS = 1_000;
const RENEWED_AT_ONCE = 500;
const SETTLED_AT_ONCE = 50;
const ENDED_AT_ONCE = 100;
/** Claims that are renewed beside one another. */
const ABREAST = 16;

/** Attends to tasks that nobody is at: queues what was left, renews claims, ends what is late, settles what is owed. */
@Injectable()
export class TaskUpkeep implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private timer: NodeJS.Timeout | undefined;
  private round: Promise<void> | undefined;

  constructor(
    private readonly backlog: TaskBacklog,
    private readonly publisher: TaskPublisher,
    private readonly settlement: TaskSettlement,
    private readonly store: TaskStore,
    private readonly worker: TaskWorker,
    @Inject(SERVICE_ENVIRONMENT) private readonly environment: ServiceEnvironment,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    await this.publisher.start();
    await this.worker.start();
    this.timer = setInterval(
      () => {
        this.round ??= this.attend().finally(() => (this.round = undefined));
      },
      paced(this.environment, ROUND_MS),
    ).unref();
  }

  async beforeApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await this.round;
    await this.worker.stop();
  }

  private async attend(): Promise<void> {
    await this.guarded(() => this.publisher.sweep());
    await this.guarded(() => this.renew());
    await this.guarded(() => this.expire());
    await this.guarded(() => this.settle());
  }

  private async renew(): Promise<void> {
    const due = [...(await this.backlog.dueRenewals(RENEWED_AT_ONCE))];
    const next = async () => {
      for (let claim = due.pop(); claim; claim = due.pop()) await this.guarded(() => this.renewOne(claim!));
    };
    await Promise.all(Array.from({ length: Math.min(ABREAST, due.length) }, next));
  }

  private async renewOne(claim: { taskId: string; claimId: string; attempt: number }): Promise<void> {
    if (await this.settlement.renew(claim)) return;
    await this.end(claim.taskId, { type: 'payment-lost' });
  }

  private async expire(): Promise<void> {
    for (const taskId of await this.backlog.late(ENDED_AT_ONCE))
      await this.guarded(() => this.end(taskId, { type: 'deadline-passed' }));
  }

  private async end(
    taskId: string,
    event: { type: 'payment-lost' } | { type: 'deadline-passed' },
  ): Promise<void> {
    const ended = await this.store.apply(taskId, event);
    if (!ended) return;
    this.worker.lose(taskId);
    await this.settlement.settle(ended);
  }

  private async settle(): Promise<void> {
    for (const task of await this.backlog.dueSettlements(SETTLED_AT_ONCE))
      await this.guarded(() => this.settlement.settle(task));
  }

  private async guarded(work: () => Promise<unknown>): Promise<void> {
    await work().catch((error: unknown) => {
      this.environment.logger.warn({ reason: (error as Error).message }, 'Tasks could not be attended to');
    });
  }
}
