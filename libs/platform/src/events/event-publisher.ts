import { openEventStream } from '../messaging/open-event-stream.js';
import type { OnApplicationBootstrap, OnApplicationShutdown, Provider } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { BusLink } from '../messaging/bus-link.js';
import { BUS_LINK } from '../messaging/bus.module.js';
import { type EventStream, type EventStreamSettings } from '../messaging/event-stream.js';
import { LeaderLoop } from '../persistence/leader-loop.js';
import { SessionLock } from '../persistence/session-lock.js';
import type { ServiceEnvironment } from '../runtime/service-definition.js';
import { EventOutbox } from './event-outbox.js';
import { OutboxRelay } from './outbox-relay.js';

/** Injection token of the {@link EventStream} of this deployment. */
export const EVENT_STREAM = Symbol('EVENT_STREAM');

/** Between two looks at the outbox, and two tries to become the one who publishes, milliseconds. */
const POLL_MS = 250;

/**
 * Publishes what lies in a service's outbox: one process of a deployment at a time, as long as it holds the lock; the
 * others stand by. While the stream is away the events wait, and the service goes on.
 */
export class EventPublisher implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly loop: LeaderLoop;

  constructor(
    { outbox, relay, lock, logger }: EventPublisherParts,
    { pollMs = POLL_MS }: { readonly pollMs?: number } = {},
  ) {
    this.loop = new LeaderLoop(
      { turn: async session => (await relay.round(session)).more },
      { lock, logger, pollMs, onFailure: 'Events are held up' },
    );
    outbox.notify(() => this.loop.wake());
  }

  get leads(): boolean {
    return this.loop.leads;
  }

  onApplicationBootstrap(): void {
    this.loop.start();
  }

  /** Ends after the round at hand; whoever publishes next finds what is left. */
  onApplicationShutdown(): Promise<void> {
    return this.loop.stop();
  }
}

export interface EventPublisherParts {
  readonly outbox: EventOutbox;
  readonly relay: OutboxRelay;
  readonly lock: SessionLock;
  readonly logger: ServiceEnvironment['logger'];
}

/**
 * The outbox of a service with a table of events ({@link EventOutboxTable}), and what publishes it. The stream is made by
 * one service, which says how large it is; until then the events of the others wait.
 */
export function eventOutboxProviders(
  { logger }: Pick<ServiceEnvironment, 'logger'>,
  settings: EventStreamSettings = {},
): Provider[] {
  return [
    EventOutbox,
    {
      provide: EVENT_STREAM,
      inject: [BUS_LINK],
      useFactory: (link: BusLink) => openEventStream(link, settings, logger),
    },
    {
      provide: EventPublisher,
      inject: [DataSource, EVENT_STREAM, EventOutbox],
      useFactory: (dataSource: DataSource, stream: EventStream, outbox: EventOutbox) => {
        const lock = new SessionLock(dataSource, 'event publisher', logger);
        return new EventPublisher({ outbox, relay: new OutboxRelay(stream), lock, logger });
      },
    },
  ];
}
