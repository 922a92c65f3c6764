import type { ServiceName } from '@svc/contracts';

/** The order in which work is taken: `high` before `normal` before `low`, yet none waits for ever. */
export type WorkPriority = 'low' | 'normal' | 'high';

/** A piece of work: `id` is the same however often it is added. */
export interface WorkItem {
  /** Name of the queue, `[a-z0-9-]{1,64}`: a desk of a department, the jobs of a service. */
  readonly queue: string;
  /** At most 256 visible characters. */
  readonly id: string;
  readonly priority?: WorkPriority;
  /** What a worker needs to find the work, at most 64 KiB: the work itself is in a database. */
  readonly data: Uint8Array;
}

/** A piece of work as it is handed to a worker. */
export interface TakenWork extends WorkItem {
  /** Which delivery this is, from 1. */
  readonly delivery: number;
  /**
   * Aborts when the consumer is stopped: what then rejects is delivered to another worker at once, and is not counted
   * against it. Aborts too when the worker said nothing for `ackWaitMs`: somebody else may have the work by now.
   */
  readonly signal: AbortSignal;
  /** Says that the work goes on, so that it is delivered to nobody else for another `ackWaitMs`. */
  working(): void;
  /** Says that the work waits for others, so that another piece is begun beside it. */
  waiting(): void;
  /** Resolves when the work may go on after {@link waiting}: no more pieces are at work than there may be. */
  resumed(): Promise<void>;
}

export interface WorkConsumerOptions {
  readonly queue: string;
  /** Pieces of work at once, beside up to seven times as many that wait for others. */
  readonly concurrency: number;
  /** Deliveries before a piece is put aside as a dead letter; 5 by default. */
  readonly deliveriesMax?: number;
  /** Between two deliveries of work that was not done, milliseconds; 500 by default. */
  readonly retryMs?: number;
  /** After that long a worker that says nothing is taken to be dead, milliseconds; 30,000 by default. */
  readonly ackWaitMs?: number;
}

/** Resolves: the work is done. Rejects: it is delivered again. */
export type WorkHandler = (work: TakenWork) => Promise<void>;

export interface WorkConsumer {
  /** Takes nothing more, and aborts what runs; resolves when all of it has come to its end. */
  stop(): Promise<void>;
}

/**
 * Queues of work that any number of workers share. What it promises:
 *
 * - `add` resolves when the work is stored; where it rejects it may be stored or not, and the same work added again is
 *   stored once within ten minutes at the least.
 * - Each piece is handed to one worker at a time, at least once, until a handler of it resolves. A worker that dies, or says
 *   nothing for `ackWaitMs`, loses it to another one: what must not be done twice is fenced by whoever does it.
 * - After `deliveriesMax` deliveries it is put aside as a dead letter, of which the handler of dead letters is told, at
 *   least once.
 * - Work of a higher priority is taken first, yet work of a lower one is taken too while there is some of the higher.
 * - A queue holds a bounded number of pieces of each priority, and all queues of a service a bounded size; beyond it `add` is refused with QUEUE_FULL.
 */
export interface WorkQueue {
  /** Makes the queues where they are missing. @throws ProblemError SERVICE_UNAVAILABLE while they cannot be reached */
  ensure(): Promise<void>;
  /** @throws RangeError for a name, an id or data that cannot be; ProblemError QUEUE_FULL, SERVICE_UNAVAILABLE */
  add(item: WorkItem): Promise<void>;
  /** Work is handed to the handler from now on, also after the queue was away. @throws RangeError, ProblemError */
  consume(options: WorkConsumerOptions, handler: WorkHandler): Promise<WorkConsumer>;
  /** Dead letters of a queue are handed to the handler, from the oldest on. */
  consumeDead(queue: string, handler: WorkHandler): Promise<WorkConsumer>;
  /** Pieces of work that wait or are being worked on. @throws ProblemError SERVICE_UNAVAILABLE */
  depth(queue: string): Promise<number>;
}

export interface WorkQueueSettings {
  /** The service whose queues these are: it sees no other's. */
  readonly owner: ServiceName;
  /** Servers that keep each piece; 1 by default. */
  readonly replicas?: number;
  /** Size of all queues of the service together, at most; 64 MiB by default. In process it is not counted. */
  readonly bytesMax?: number;
  /** Pieces of one priority in one queue, at most; 10,000 by default. */
  readonly piecesMax?: number;
  /** How soon a worker that idles looks again without being woken, milliseconds; 500 by default. */
  readonly idleMs?: number;
  /** After that long without an answer the server is asked for work anew, milliseconds; 5,000 by default. */
  readonly answerMs?: number;
}
