import { cloudEventOf, type OutgoingEvent } from '@svc/contracts';

/** What runs a query within the caller's transaction: an EntityManager, a query runner, a session. */
export interface TransactionQueries {
  query(text: string, values: unknown[]): Promise<unknown>;
}

/**
 * Events of a service, written in the transaction of the change that they tell of: both are there, or neither is. They are
 * published later, by one process of the deployment, each at least once and under its id.
 *
 * Events of one subject are published in the order in which they were written, where those who write them wait for each
 * other: the row that changes is locked before its event is added.
 */
export class EventOutbox {
  private onAdded: () => void = () => undefined;

  /** One statement, however many events. @throws the database's error for a subject, an id or a size that cannot be */
  async add(transaction: TransactionQueries, events: readonly OutgoingEvent[]): Promise<void> {
    if (events.length === 0) return;
    await transaction.query(
      `INSERT INTO event_outbox (subject, event_id, data)
       SELECT subject, id, data
         FROM unnest($1::text[], $2::text[], $3::text[]) WITH ORDINALITY AS event (subject, id, data, place)
        ORDER BY place`,
      [
        events.map(({ subject }) => subject),
        events.map(({ id }) => id),
        events.map(event => JSON.stringify(cloudEventOf(event))),
      ],
    );
  }

  /** What was added is committed: where this process publishes, it looks at once instead of within a quarter second. */
  wake(): void {
    this.onAdded();
  }

  /** Who is told of {@link wake}. */
  notify(onAdded: () => void): void {
    this.onAdded = onAdded;
  }
}
