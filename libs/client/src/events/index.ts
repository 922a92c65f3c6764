export { consumeEvents } from './consume-events.js';
export type { ConsumeOptions, EventConsumption } from './consume-events.js';
export { READ_BYTES_MAX, readEvent } from './read-event.js';
export type { ReadEvent } from './read-event.js';
export type {
  ConsumedEvent,
  EventConsumerManager,
  EventOf,
  EventStreamClient,
  FamiliesOf,
  PutAside,
  StreamMessage,
} from './event-types.js';
