import type { Logger } from 'pino';
import { problem } from '../problem-details/problem-error.js';
import { assertAddable, assertQueueName, PriorityTurns, WORK_PRIORITIES } from './work-name.js';
import { DEAD_PUMP, type HeldWork, pumpOptionsOf, WorkPump, type WorkSource } from './work-pump.js';
import type {
  WorkConsumer,
  WorkConsumerOptions,
  WorkHandler,
  WorkItem,
  WorkPriority,
  WorkQueue,
} from './work-queue.js';

/** As long as JetStream's window here. */
const DUPLICATE_WINDOW_MS = 10 * 60 * 1_000;

interface Piece {
  readonly item: Required<WorkItem>;
  deliveries: number;
  givenBack: number;
  /** Of whoever has it now: gone with them. */
  hold: NodeJS.Timeout | undefined;
  done: boolean;
}

/** Pieces of one priority in the order in which they are taken: those that come again before those that are new. */
interface Line {
  readonly again: Piece[];
  readonly fresh: Piece[];
  /** Pieces that wait, rest or are being worked on. */
  size: number;
}

const newLine = (): Line => ({ again: [], fresh: [], size: 0 });

/** One queue of a bus within one process: gone with it, and bounded as on JetStream. */
export class MemoryWork {
  private readonly lines: Record<WorkPriority, Line> = { high: newLine(), normal: newLine(), low: newLine() };
  /** Ids of the duplicate window in the order of their times. */
  private readonly ids = new Map<string, number>();
  private readonly callbacks = new Set<() => void>();

  constructor(private readonly now: () => number = Date.now) {}

  get size(): number {
    return WORK_PRIORITIES.reduce((sum, priority) => sum + this.lines[priority].size, 0);
  }

  /** false: there is no room for it. */
  add({ queue, id, priority = 'normal', data }: WorkItem, piecesMax: number): boolean {
    const atMs = this.now();
    for (const [known, since] of this.ids) {
      if (since > atMs - DUPLICATE_WINDOW_MS) break;
      this.ids.delete(known);
    }
    if (this.ids.has(id)) return true;
    const line = this.lines[priority];
    if (line.size >= piecesMax) return false;
    this.ids.set(id, atMs);
    // A copy: the sender's buffer stays the sender's.
    const item = { queue, id, priority, data: new Uint8Array(data) };
    line.fresh.push({ item, deliveries: 0, givenBack: 0, hold: undefined, done: false });
    line.size++;
    this.changed();
    return true;
  }

  /** The first piece of the first priority that has one; it comes back by itself when nothing is said for `ackWaitMs`. */
  take(
    order: readonly WorkPriority[],
    ackWaitMs: number,
    bury: (item: WorkItem) => void,
  ): HeldWork | undefined {
    for (const priority of order) {
      const { again, fresh } = this.lines[priority];
      for (let piece = next(again, fresh); piece; piece = next(again, fresh)) {
        if (!piece.done) return this.hold(piece, ackWaitMs, bury);
      }
    }
    return undefined;
  }

  onChange(callback: () => void): () => void {
    this.callbacks.add(callback);
    return () => this.callbacks.delete(callback);
  }

  private hold(piece: Piece, ackWaitMs: number, bury: (item: WorkItem) => void): HeldWork {
    piece.deliveries++;
    const hold = setTimeout(() => this.release(piece, hold), ackWaitMs).unref();
    piece.hold = hold;
    return {
      item: piece.item,
      delivery: piece.deliveries,
      counted: async () => piece.deliveries - piece.givenBack,
      working: () => piece.hold === hold && hold.refresh(),
      done: () => this.end(piece),
      retryIn: ms => {
        if (piece.hold !== hold) return;
        clearTimeout(hold);
        // Rests: nobody's, and in no line until then.
        const rest = setTimeout(() => this.release(piece, rest), ms).unref();
        piece.hold = rest;
      },
      giveBack: async () => {
        if (piece.hold !== hold) return;
        piece.givenBack++;
        this.release(piece, hold);
      },
      bury: async () => {
        if (piece.done) return;
        bury(piece.item);
        this.end(piece);
      },
    };
  }

  private release(piece: Piece, hold: NodeJS.Timeout): void {
    if (piece.done || piece.hold !== hold) return;
    clearTimeout(hold);
    piece.hold = undefined;
    this.lines[piece.item.priority].again.push(piece);
    this.changed();
  }

  private end(piece: Piece): void {
    if (piece.done) return;
    clearTimeout(piece.hold);
    piece.hold = undefined;
    piece.done = true;
    this.lines[piece.item.priority].size--;
  }

  private changed(): void {
    for (const callback of this.callbacks) callback();
  }
}

const next = (again: Piece[], fresh: Piece[]) => again.shift() ?? fresh.shift();

/** All queues of a bus within one process, kept by it and not by its ends. */
export class MemoryWorkStore {
  private readonly queues = new Map<string, MemoryWork>();

  queue(name: string): MemoryWork {
    const known = this.queues.get(name) ?? new MemoryWork();
    this.queues.set(name, known);
    return known;
  }
}

/** One service's end of a {@link MemoryWorkStore}. */
export class MemoryWorkQueue implements WorkQueue {
  constructor(
    private readonly store: MemoryWorkStore,
    private readonly link: { readonly connected: boolean },
    private readonly settings: {
      readonly owner: string;
      readonly piecesMax: number;
      readonly idleMs: number;
    },
    private readonly logger: Logger,
  ) {}

  async ensure(): Promise<void> {
    this.assertOpen();
  }

  async add(item: WorkItem): Promise<void> {
    assertAddable(item);
    this.assertOpen();
    if (this.work(item.queue).add(item, this.settings.piecesMax)) return;
    throw problem('QUEUE_FULL', `The queue ${item.queue} is full`, { retryAfterSeconds: 1 });
  }

  async consume(options: WorkConsumerOptions, handler: WorkHandler): Promise<WorkConsumer> {
    assertQueueName(options.queue);
    const pumpOptions = pumpOptionsOf(options, this.settings.idleMs);
    const turns = new PriorityTurns();
    const bury = (item: WorkItem) => void this.dead(options.queue).add(item, Infinity);
    const source = this.source(this.work(options.queue), work => {
      const held = work.take(turns.next(), pumpOptions.ackWaitMs, bury);
      if (held) turns.pass();
      return held;
    });
    return this.begin(new WorkPump(source, pumpOptions, handler, this.logger));
  }

  async consumeDead(queue: string, handler: WorkHandler): Promise<WorkConsumer> {
    assertQueueName(queue);
    const source = this.source(this.dead(queue), work =>
      work.take(WORK_PRIORITIES, DEAD_PUMP.ackWaitMs, () => undefined),
    );
    return this.begin(
      new WorkPump(source, { ...DEAD_PUMP, idleMs: this.settings.idleMs }, handler, this.logger),
    );
  }

  async depth(queue: string): Promise<number> {
    assertQueueName(queue);
    this.assertOpen();
    return this.work(queue).size;
  }

  private begin(pump: WorkPump): WorkPump {
    this.assertOpen();
    return pump.start();
  }

  /** A link that is closed is a worker that has died: nothing is taken by it, and nothing that it says is heard. */
  private source(work: MemoryWork, take: (work: MemoryWork) => HeldWork | undefined): WorkSource {
    return {
      prepare: async () => this.assertOpen(),
      take: async () => {
        this.assertOpen();
        const held = take(work);
        return held && this.whileOpen(held);
      },
      onArrival: callback => work.onChange(callback),
    };
  }

  private whileOpen(held: HeldWork): HeldWork {
    const heard =
      <A extends unknown[]>(say: (...args: A) => void) =>
      (...args: A) => {
        if (this.link.connected) say(...args);
      };
    return {
      ...held,
      working: heard(held.working),
      done: heard(held.done),
      retryIn: heard(held.retryIn),
      giveBack: async () => (this.link.connected ? held.giveBack() : undefined),
      bury: async () => (this.link.connected ? held.bury() : undefined),
    };
  }

  private assertOpen(): void {
    if (!this.link.connected)
      throw problem('SERVICE_UNAVAILABLE', 'The bus is closed', { retryAfterSeconds: 1 });
  }

  private work(queue: string): MemoryWork {
    return this.store.queue(`${this.settings.owner}/${queue}`);
  }

  private dead(queue: string): MemoryWork {
    return this.store.queue(`${this.settings.owner}/${queue}/dead`);
  }
}
