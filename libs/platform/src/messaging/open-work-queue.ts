import type { BusLink } from './bus-link.js';
import type { Logger } from 'pino';
import { JetStreamWorkQueue } from './work-queue-jetstream.js';
import { MemoryLink } from './memory-bus.js';
import { MemoryWorkQueue } from './work-queue-memory.js';
import { NatsLink } from './nats-link.js';
import type { WorkQueue, WorkQueueSettings } from './work-queue.js';

const PIECES_MAX_DEFAULT = 10_000;
const BYTES_MAX_DEFAULT = 64 * 1024 * 1024;
const IDLE_MS_DEFAULT = 500;
const ANSWER_MS_DEFAULT = 5_000;

/** The work queues of a service on its bus. */
export function openWorkQueue(link: BusLink, settings: WorkQueueSettings, logger: Logger): WorkQueue {
  const { owner, piecesMax = PIECES_MAX_DEFAULT, idleMs = IDLE_MS_DEFAULT } = settings;
  if (link instanceof NatsLink) {
    const { replicas = 1, bytesMax = BYTES_MAX_DEFAULT, answerMs = ANSWER_MS_DEFAULT } = settings;
    return new JetStreamWorkQueue(link, { owner, replicas, bytesMax, piecesMax, idleMs, answerMs }, logger);
  }
  if (link instanceof MemoryLink)
    return new MemoryWorkQueue(link.work, link, { owner, piecesMax, idleMs }, logger);
  throw new TypeError('this bus has no work queues');
}
