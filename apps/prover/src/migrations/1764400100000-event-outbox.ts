import { EventOutboxTable } from '@svc/platform';

/** Events for other services, until they have left. */
export class EventOutbox1764400100000 extends EventOutboxTable {
  readonly name = 'EventOutbox1764400100000';
}
