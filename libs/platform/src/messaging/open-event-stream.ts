import type { BusLink } from './bus-link.js';
import type { Logger } from 'pino';
import { JetStreamEvents } from './event-jetstream.js';
import { MemoryEvents } from './event-memory.js';
import { MemoryLink } from './memory-bus.js';
import { NatsLink } from './nats-link.js';
import type { EventStream, EventStreamSettings } from './event-stream.js';

const BYTES_MAX_DEFAULT = 512 * 1024 * 1024;
/** What a bus within a process keeps is in its memory. */
const MEMORY_SHARE = 32;

/** The stream of events of a bus. */
export function openEventStream(
  link: BusLink,
  { replicas = 1, bytesMax }: EventStreamSettings,
  logger: Logger,
): EventStream {
  if (link instanceof NatsLink)
    return new JetStreamEvents(link, { replicas, bytesMax: bytesMax ?? BYTES_MAX_DEFAULT }, logger);
  if (link instanceof MemoryLink) {
    const log = link.events;
    // Many services share it: its size is for the one to say that makes the stream elsewhere.
    if (bytesMax !== undefined) log.bytesMax = Math.ceil(bytesMax / MEMORY_SHARE);
    return new MemoryEvents(log, logger);
  }
  throw new TypeError('this bus has no stream of events');
}
