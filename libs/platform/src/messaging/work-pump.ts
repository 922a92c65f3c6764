import type { Logger } from 'pino';
import { type WorkPlace, WorkPlaces } from './work-places.js';
import type { WorkConsumer, WorkConsumerOptions, WorkHandler, WorkItem } from './work-queue.js';

/** Pieces of work that are held for each that is worked at, those that wait for others included. */
const HELD_FOR_EACH = 8;
/** After the queue could not be reached. */
const AWAY_MS = 250;

/** A piece of work that this consumer holds. */
export interface HeldWork {
  readonly item: WorkItem;
  /** Which delivery this is, from 1. */
  readonly delivery: number;
  /** Deliveries that count against it: those that were given back do not. */
  counted(): Promise<number>;
  working(): void;
  done(): void;
  /** It is delivered again, after a pause. */
  retryIn(ms: number): void;
  /** It is delivered again at once, and this delivery does not count. */
  giveBack(): Promise<void>;
  /** Puts it aside as a dead letter. */
  bury(): Promise<void>;
}

/** Where a pump has its work from. */
export interface WorkSource {
  /** Makes ready what `take` needs; again after `take` has failed. */
  prepare(): Promise<void>;
  /** The next piece, or undefined where there is none now. */
  take(): Promise<HeldWork | undefined>;
  /** Calls back when there may be work; the returned function ends that. */
  onArrival(callback: () => void): () => void;
}

export interface PumpOptions {
  readonly concurrency: number;
  readonly deliveriesMax: number;
  readonly retryMs: number;
  readonly ackWaitMs: number;
  /** How soon it looks again without being woken: for work whose worker died, or whose pause is over. */
  readonly idleMs: number;
}

const RETRY_MS = 500;
const ACK_WAIT_MS = 30_000;
const DELIVERIES_MAX = 5;

/** Dead letters come one at a time, until they are handled. */
export const DEAD_PUMP: Omit<PumpOptions, 'idleMs'> = {
  concurrency: 1,
  deliveriesMax: Infinity,
  retryMs: RETRY_MS,
  ackWaitMs: ACK_WAIT_MS,
};

/** @throws RangeError for what is no count or no time */
export function pumpOptionsOf(options: WorkConsumerOptions, idleMs: number): PumpOptions {
  const {
    concurrency,
    deliveriesMax = DELIVERIES_MAX,
    retryMs = RETRY_MS,
    ackWaitMs = ACK_WAIT_MS,
  } = options;
  for (const [name, value] of Object.entries({ concurrency, deliveriesMax, ackWaitMs }))
    if (!(value >= 1)) throw new RangeError(`${name} must be at least 1, not ${value}`);
  if (!(retryMs >= 0)) throw new RangeError(`retryMs must be at least 0, not ${retryMs}`);
  return { concurrency, deliveriesMax, retryMs, ackWaitMs, idleMs };
}

/** Takes work while there is room for it, hands it to the handler, and says to its source what became of it. */
export class WorkPump implements WorkConsumer {
  private readonly running = new Map<Promise<void>, AbortController>();
  private readonly places: WorkPlaces;
  private open = true;
  private calls = 0;
  private wake: (() => void) | undefined;
  private ended: Promise<void> | undefined;

  constructor(
    private readonly source: WorkSource,
    private readonly options: PumpOptions,
    private readonly handler: WorkHandler,
    private readonly logger: Logger,
  ) {
    this.places = new WorkPlaces(options.concurrency);
  }

  /** Begins; the pump runs until it is stopped. */
  start(): this {
    this.ended ??= this.run();
    return this;
  }

  async stop(): Promise<void> {
    this.open = false;
    for (const abort of this.running.values()) abort.abort(new Error('the worker is stopped'));
    this.call();
    await this.ended;
  }

  private async run(): Promise<void> {
    const leave = this.source.onArrival(() => this.call());
    let ready = true;
    while (this.open) {
      const { calls } = this;
      const { concurrency } = this.options;
      if (this.places.isFull || this.running.size >= HELD_FOR_EACH * concurrency) {
        await this.called(calls);
        continue;
      }
      // Before it is asked for: a piece that goes on meanwhile finds it taken.
      const place = this.places.take();
      try {
        if (!ready) await this.source.prepare();
        ready = true;
        const held = await this.source.take();
        if (held && this.open) {
          this.begin(held, place);
          continue;
        }
        place.end();
        if (held) await held.giveBack();
        else await this.called(calls, this.options.idleMs);
      } catch (error) {
        place.end();
        ready = false;
        this.logger.warn({ reason: (error as Error).message }, 'The work queue is away; asking again');
        if (this.open) await this.called(this.calls, AWAY_MS);
      }
    }
    leave();
    await Promise.all(this.running.keys());
  }

  private begin(held: HeldWork, place: WorkPlace): void {
    const abort = new AbortController();
    const run = this.handle(held, abort, place).catch((error: unknown) => {
      // What could not be said to the queue: it takes this worker to be dead, and delivers again.
      this.logger.warn({ work: held.item.id, reason: (error as Error).message }, 'The work queue is away');
    });
    this.running.set(run, abort);
    void run.then(() => {
      this.running.delete(run);
      place.end();
      this.call();
    });
  }

  private async handle(held: HeldWork, abort: AbortController, place: WorkPlace): Promise<void> {
    const { deliveriesMax, retryMs, ackWaitMs } = this.options;
    const { item, delivery } = held;
    // More than it may have: it took its workers with it.
    if (delivery > deliveriesMax && (await held.counted()) > deliveriesMax) return held.bury();
    let lost = false;
    const lose = () => {
      lost = true;
      abort.abort(new Error(`the worker said nothing for ${ackWaitMs} ms`));
    };
    const silence = setTimeout(lose, ackWaitMs);
    const working = () => {
      if (lost) return;
      silence.refresh();
      held.working();
    };
    try {
      await this.handler({
        ...item,
        data: new Uint8Array(item.data),
        delivery,
        signal: abort.signal,
        working,
        waiting: () => {
          place.leave();
          this.call();
        },
        resumed: () => place.comeBack(),
      });
      held.done();
    } catch (error) {
      this.logger.warn(
        { work: item.id, queue: item.queue, delivery, reason: (error as Error).message },
        'Work was not done',
      );
      // It is somebody else's by now, who is not to lose it to a word of ours.
      if (lost) return;
      if (!this.open) return await held.giveBack();
      const over = delivery >= deliveriesMax && (await held.counted()) >= deliveriesMax;
      if (over) await held.bury();
      else held.retryIn(retryMs);
    } finally {
      clearTimeout(silence);
    }
  }

  private call(): void {
    this.calls++;
    this.wake?.();
  }

  /** Resolves at the next call after the one that the caller knows of, or when the time is over. */
  private async called(known: number, waitMs?: number): Promise<void> {
    if (this.calls !== known) return;
    await new Promise<void>(resolve => {
      const timer = waitMs === undefined ? undefined : setTimeout(resolve, waitMs);
      this.wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.wake = undefined;
  }
}
