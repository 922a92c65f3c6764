/** What is published: `id` is the same however often it is sent. */
export interface StreamEvent {
  /** `events.` and at least one more token. */
  readonly subject: string;
  /** At most 256 visible characters. */
  readonly id: string;
  readonly data: Uint8Array;
}

/** An event as it is handed to a consumer. */
export interface DeliveredEvent extends StreamEvent {
  /** Which delivery this is, from 1. */
  readonly delivery: number;
}

export interface EventSubscriptionOptions {
  /** A subject, with `*` for one token and `>` for all that follow; it covers no dead letters unless it names them. */
  readonly filter: string;
  /** Name of the consumer: what it has acknowledged stays so, whoever subscribes under it. */
  readonly durable: string;
  /** Deliveries before an event is put aside as a dead letter; 5 by default. */
  readonly deliveriesMax?: number;
  /** Between two deliveries of an event that was not handled, milliseconds; 500 by default. */
  readonly retryMs?: number;
  /** After that long a consumer that says nothing is taken to be dead, milliseconds; 30,000 by default. */
  readonly ackWaitMs?: number;
}

/** Resolves: the event is done. Rejects: it is delivered again. */
export type EventHandler = (event: DeliveredEvent) => Promise<void>;

export interface EventSubscription {
  /** Takes no further event; resolves when the one at hand is done. */
  stop(): Promise<void>;
}

/**
 * A log of events that services leave behind, and consumers read at their own pace. What it promises:
 *
 * - `publish` resolves when the event is stored; where it rejects, the event may be stored or not, and the same event
 *   published again is stored once within ten minutes at the least.
 * - Events are stored in the order in which their publications resolve.
 * - A durable consumer gets every event of its filter that is still there, from the oldest on, at least once, one at a
 *   time, in the order of the stream: the next one comes when the one before was handled, or put aside as a dead letter
 *   after `deliveriesMax` deliveries. However slow it is, one event of it is in flight.
 * - The stream has bounds in bytes and in time; what is beyond them is discarded, oldest first.
 */
export interface EventStream {
  /** Makes the stream where it is missing. @throws ProblemError SERVICE_UNAVAILABLE while it cannot be reached */
  ensure(): Promise<void>;
  /** @throws RangeError for a subject or an id that cannot be; ProblemError SERVICE_UNAVAILABLE */
  publish(event: StreamEvent): Promise<void>;
  /**
   * Events are handed to the handler from now on, also after the stream was away.
   * @throws RangeError for a filter or a durable that cannot be; ProblemError SERVICE_UNAVAILABLE
   */
  subscribe(options: EventSubscriptionOptions, handler: EventHandler): Promise<EventSubscription>;
}

export interface EventStreamSettings {
  /** Servers that keep each event; 1 by default. */
  readonly replicas?: number;
  /** Size of the stream at most, 512 MiB by default; in process a 32nd of it. */
  readonly bytesMax?: number;
}
