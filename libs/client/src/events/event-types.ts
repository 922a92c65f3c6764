import type { EventFamilyName, EVENTS } from '@svc/contracts';
import type { z } from 'zod';

/** Events of a family, as they are published. */
export type EventOf<Family extends EventFamilyName> = Family extends EventFamilyName
  ? (typeof EVENTS)[Family]['messages'] extends Readonly<Record<string, { readonly schema: infer Schema }>>
    ? Schema extends z.ZodType
      ? z.output<Schema>
      : never
    : never
  : never;

/** The families that a filter of subjects covers: `events.task.>` those of tasks. */
export type FamiliesOf<Filter extends string> = Filter extends `events.saga.${string}`
  ? 'saga'
  : Filter extends `events.wal.${string}`
    ? 'checkpoint'
    : Filter extends 'events.payment.low-balance'
      ? 'lowBalance'
      : Filter extends `events.payment.${string}`
        ? 'payment' | 'lowBalance'
        : Filter extends `events.task.${string}`
          ? 'task'
          : Filter extends `events.proof.job.${string}`
            ? 'proofJob'
            : Filter extends `events.proof.made.${string}`
              ? 'proof'
              : Filter extends `events.proof.${string}`
                ? 'proof' | 'proofJob'
                : EventFamilyName;

/** An event as its handler gets it; `family` says what `event` is. */
export type ConsumedEvent<Family extends EventFamilyName> = {
  [Name in Family]: {
    readonly family: Name;
    readonly subject: string;
    /** The same however often it is delivered: what was done for an id is not to be done again. */
    readonly id: string;
    /** Which delivery this is, from 1. */
    readonly delivery: number;
    readonly event: EventOf<Name>;
  };
}[Family];

/** Why an event was put aside without its handler having taken it. */
export type PutAside = 'unreadable' | 'not-handled';

/** A message of JetStream, as `@nats-io/jetstream` has it. */
export interface StreamMessage {
  readonly subject: string;
  readonly data: Uint8Array;
  readonly seq: number;
  readonly headers?: { get(name: string): string };
  readonly info: { readonly deliveryCount: number };
  ack(): void;
  nak(delayMs?: number): void;
  term(): void;
  working(): void;
}

/** What is used of `jetstream(connection)`: the library itself stays the reader's. */
export interface EventStreamClient {
  readonly consumers: {
    get(
      stream: string,
      durable: string,
    ): Promise<{ consume(options: object): Promise<AsyncIterable<StreamMessage> & { stop(): void }> }>;
  };
  publish(subject: string, data: Uint8Array, options: { msgID: string }): Promise<unknown>;
}

/** What is used of `jetstreamManager(connection, { checkAPI: false })`. */
export interface EventConsumerManager {
  readonly consumers: {
    info(stream: string, durable: string): Promise<{ readonly config: { readonly filter_subject?: string } }>;
    add(stream: string, config: object): Promise<unknown>;
    update(stream: string, durable: string, config: object): Promise<unknown>;
  };
}
