import { EventOutboxTable } from '@svc/platform';

/** The events of payments that have not left yet. */
export class EventOutbox1764600000000 extends EventOutboxTable {
  readonly name = 'EventOutbox1764600000000';
}
