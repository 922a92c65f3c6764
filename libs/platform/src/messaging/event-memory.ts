import type { Logger } from 'pino';
import type {
  EventHandler,
  EventStream,
  EventSubscription,
  EventSubscriptionOptions,
  StreamEvent,
} from './event-stream.js';
import {
  assertPublishable,
  assertSubscribable,
  deadLetterOf,
  isDeadLetter,
  subjectMatches,
} from './event-subject.js';

/** As long as JetStream's window here. */
const DUPLICATE_WINDOW_MS = 10 * 60 * 1_000;
const AGE_MS_MAX = 7 * 24 * 60 * 60 * 1_000;
const BYTES_MAX_DEFAULT = 16 * 1024 * 1024;
/** What an event takes beside its data, about. */
const OVERHEAD_BYTES = 256;
const DELIVERIES_MAX = 5;
const RETRY_MS = 500;

interface StoredEvent extends StreamEvent {
  readonly sequence: number;
  readonly atMs: number;
}

/** What a durable consumer has behind it. */
interface Consumer {
  /** Sequence of the first event that is not done. */
  next: number;
  /** Deliveries of that event so far. */
  deliveries: number;
  busy: boolean;
}

/** The events of a bus within one process: gone with it, and bounded as a stream of JetStream is. */
export class MemoryEventLog {
  bytesMax = BYTES_MAX_DEFAULT;
  private readonly events: StoredEvent[] = [];
  private readonly consumers = new Map<string, Consumer>();
  /** Ids of the duplicate window in the order of their times. */
  private readonly ids = new Map<string, number>();
  private readonly waiting = new Set<() => void>();
  private bytes = 0;
  private sequence = 0;

  constructor(private readonly now: () => number = Date.now) {}

  /** Size of what is kept. */
  get sizeBytes(): number {
    return this.bytes;
  }

  append({ subject, id, data }: StreamEvent): void {
    const atMs = this.now();
    for (const [known, since] of this.ids) {
      if (since > atMs - DUPLICATE_WINDOW_MS) break;
      this.ids.delete(known);
    }
    if (this.ids.has(id)) return;
    this.ids.set(id, atMs);
    // A copy: the sender's buffer stays the sender's.
    this.events.push({ subject, id, data: new Uint8Array(data), sequence: ++this.sequence, atMs });
    this.bytes += data.length + OVERHEAD_BYTES;
    while (this.bytes > this.bytesMax || this.events[0]?.atMs < atMs - AGE_MS_MAX) {
      const oldest = this.events.shift();
      if (!oldest) break;
      this.bytes -= oldest.data.length + OVERHEAD_BYTES;
    }
    this.changed();
  }

  /** Takes the next event of a consumer that nobody is at work on; the consumer is busy until `done` or `failed`. */
  take(durable: string, filter: string): { event: StoredEvent; delivery: number } | undefined {
    const consumer = this.consumerOf(durable);
    if (consumer.busy) return undefined;
    const first = this.events[0]?.sequence ?? this.sequence + 1;
    if (consumer.next < first) Object.assign(consumer, { next: first, deliveries: 0 });
    for (let i = consumer.next - first; i < this.events.length; i++) {
      const event = this.events[i];
      if (!subjectMatches(filter, event.subject)) continue;
      if (event.sequence !== consumer.next) Object.assign(consumer, { next: event.sequence, deliveries: 0 });
      Object.assign(consumer, { busy: true, deliveries: consumer.deliveries + 1 });
      return { event, delivery: consumer.deliveries };
    }
    return undefined;
  }

  done(durable: string, sequence: number): void {
    Object.assign(this.consumerOf(durable), { next: sequence + 1, deliveries: 0, busy: false });
    this.changed();
  }

  failed(durable: string): void {
    this.consumerOf(durable).busy = false;
    this.changed();
  }

  /** Resolves at the next change; to be asked for before looking, so that none is missed. */
  nextChange(): Promise<void> {
    return new Promise(resolve => this.waiting.add(resolve));
  }

  /** Has everybody who waits look again. */
  changed(): void {
    const waiting = [...this.waiting];
    this.waiting.clear();
    for (const resolve of waiting) resolve();
  }

  private consumerOf(durable: string): Consumer {
    const known = this.consumers.get(durable);
    if (known) return known;
    const consumer = { next: 1, deliveries: 0, busy: false };
    this.consumers.set(durable, consumer);
    return consumer;
  }
}

/** One service's end of a {@link MemoryEventLog}. */
export class MemoryEvents implements EventStream {
  constructor(
    private readonly log: MemoryEventLog,
    private readonly logger: Logger,
  ) {}

  async ensure(): Promise<void> {}

  async publish(event: StreamEvent): Promise<void> {
    assertPublishable(event);
    this.log.append(event);
  }

  async subscribe(options: EventSubscriptionOptions, handler: EventHandler): Promise<EventSubscription> {
    assertSubscribable(options);
    let open = true;
    const running = this.deliver(options, handler, () => open);
    return {
      stop: async () => {
        open = false;
        this.log.changed();
        await running;
      },
    };
  }

  private async deliver(
    options: EventSubscriptionOptions,
    handler: EventHandler,
    isOpen: () => boolean,
  ): Promise<void> {
    const { durable, filter, deliveriesMax = DELIVERIES_MAX, retryMs = RETRY_MS } = options;
    while (isOpen()) {
      const change = this.log.nextChange();
      const taken = this.log.take(durable, filter);
      if (!taken) {
        await change;
        continue;
      }
      const { event, delivery } = taken;
      try {
        const { subject, id, data } = event;
        await handler({ subject, id, data: new Uint8Array(data), delivery });
        this.log.done(durable, event.sequence);
      } catch (error) {
        this.logger.warn(
          { event: event.id, durable, delivery, reason: (error as Error).message },
          'An event was not handled',
        );
        if (delivery < deliveriesMax) {
          await new Promise(resolve => setTimeout(resolve, retryMs));
          this.log.failed(durable);
          continue;
        }
        if (!isDeadLetter(event)) this.log.append(deadLetterOf(event, durable));
        this.log.done(durable, event.sequence);
      }
    }
  }
}
