import { EventOutboxTable } from '@svc/platform';

/** The events of the tasks that have not left yet. */
export class EventOutbox1764101000000 extends EventOutboxTable {
  readonly name = 'EventOutbox1764101000000';
}
