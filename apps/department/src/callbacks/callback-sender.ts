import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import {
  OutgoingFault,
  OutgoingPost,
  ProblemError,
  SERVICE_ENVIRONMENT,
  type ServiceEnvironment,
} from '@svc/platform';
import type { Task } from '@svc/contracts';
import { randomInt } from 'node:crypto';
import { DataSource } from 'typeorm';
import { TaskService } from '../tasks/task.service.js';
import { CallbackKeys } from './callback-keys.js';
import { CALLBACK_TRIES_MAX, nextCallbackTryMs } from './callback-retry.js';
import {
  type CallbackOutcome,
  type DueCallback,
  recordCallback,
  takeDueCallbacks,
} from './task-callbacks.js';

/** Between two looks for callbacks that are due, milliseconds. */
const LOOK_MS = 500;
/** Sent at once by one replica: receivers that answer slowly must not hold the others up. */
const CONCURRENCY = 32;
/** A try that has not been recorded by then was one of a replica that died; longer than any try takes. */
const LEASE_MS = 60_000;
const GONE = 410;
/** Parts that a random share is made of. */
const PARTS = 1_000_000;

/**
 * Sends the callbacks that ended tasks owe: each at least once, by any replica, until it is answered 2xx or its tries are over.
 * What fails of Postgres or the task is no try of the receiver's making, and is tried again all the same.
 */
@Injectable()
export class CallbackSender implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private timer: NodeJS.Timeout | undefined;
  private looking: Promise<void> | undefined;
  private readonly underWay = new Set<Promise<void>>();
  private isClosing = false;

  constructor(
    @Inject(DataSource) private readonly dataSource: DataSource,
    private readonly tasks: TaskService,
    private readonly outgoing: OutgoingPost,
    private readonly keys: CallbackKeys,
    @Inject(SERVICE_ENVIRONMENT) private readonly environment: ServiceEnvironment,
  ) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => void this.look(), LOOK_MS).unref();
  }

  /** Tries under way are finished: each is bounded, and one that is cut off would be made twice. */
  async beforeApplicationShutdown(): Promise<void> {
    this.isClosing = true;
    clearInterval(this.timer);
    await this.looking;
    await Promise.all(this.underWay);
  }

  /** Begins to send what is due now; never rejects. */
  look(): Promise<void> {
    this.looking ??= this.beginDue()
      .catch((error: unknown) => this.warn(error, 'Callbacks were not looked for'))
      .finally(() => (this.looking = undefined));
    return this.looking;
  }

  private async beginDue(): Promise<void> {
    const free = CONCURRENCY - this.underWay.size;
    if (free <= 0 || this.isClosing) return;
    for (const callback of await takeDueCallbacks(this.dataSource.manager, free, LEASE_MS)) {
      const sent: Promise<void> = this.send(callback)
        .catch((error: unknown) => this.warn(error, 'What became of a callback was not recorded'))
        .finally(() => this.underWay.delete(sent));
      this.underWay.add(sent);
    }
  }

  private warn(error: unknown, words: string): void {
    this.environment.logger.warn({ reason: (error as Error).message }, words);
  }

  private async send(callback: DueCallback): Promise<void> {
    const outcome = await this.outcomeOf(callback);
    await recordCallback(this.dataSource.manager, callback, outcome);
    if (outcome.state !== 'delivered') {
      const { taskId, attempts } = callback;
      const { logger } = this.environment;
      logger.info({ taskId, tries: attempts + 1, reason: outcome.error }, 'A callback was not delivered');
    }
  }

  private async outcomeOf(callback: DueCallback): Promise<CallbackOutcome> {
    const error = await this.tryOnce(callback);
    if (error === undefined) return { state: 'delivered' };
    const nextMs = error.isFinal
      ? undefined
      : nextCallbackTryMs(callback.attempts + 1, randomInt(PARTS) / PARTS);
    return nextMs === undefined
      ? { state: 'given-up', error: error.words }
      : { state: 'waiting', error: error.words, nextMs };
  }

  /** What went wrong, undefined for nothing. */
  private async tryOnce({ taskId, of, url, attempts }: DueCallback): Promise<TryFault | undefined> {
    // Taken so often, and never recorded: the replicas that tried died of something.
    if (attempts >= CALLBACK_TRIES_MAX) return { words: 'the tries were cut off', isFinal: true };
    try {
      const said =
        'body' in of
          ? Buffer.from(of.body, 'utf8')
          : callbackBodyOf(await this.tasks.task({ deptId: of.deptId as Task['deptId'], taskId }));
      const { headers, body } = this.keys.sign(taskId, said, Date.now());
      const { status } = await this.outgoing.post(url, headers, body);
      if (status >= 200 && status < 300) return undefined;
      return { words: `answered ${status}`, isFinal: status === GONE };
    } catch (error) {
      if (error instanceof OutgoingFault) return { words: error.message, isFinal: false };
      const isGone = error instanceof ProblemError && error.code === 'NOT_FOUND';
      return { words: isGone ? 'the task is not kept any more' : 'it could not be sent', isFinal: isGone };
    }
  }
}

interface TryFault {
  readonly words: string;
  /** There is no further try. */
  readonly isFinal: boolean;
}

/** The same bytes at each try: how the callback itself fares is no part of it. */
function callbackBodyOf({ callback: _callback, ...task }: Task): Uint8Array {
  const type = `task.${task.status.toLowerCase()}`;
  return Buffer.from(JSON.stringify({ type, timestamp: task.endedAt, data: task }), 'utf8');
}
