import type { BusLink } from '../messaging/bus-link.js';
import type { Logger } from 'pino';
import { MemoryLink } from '../messaging/memory-bus.js';
import { MemoryPresenceBoard } from './presence-memory.js';
import { NatsLink } from '../messaging/nats-link.js';
import { NatsPresenceBoard } from './presence-nats.js';
import type { PresenceBoard, PresenceSettings } from './presence-board.js';

const TTL_MS_DEFAULT = 60_000;
/** JetStream knows no shorter one. */
const TTL_MS_MIN = 100;
const TTL_MS_MAX = 24 * 60 * 60 * 1_000;
const BYTES_MAX_DEFAULT = 16 * 1024 * 1024;
const HEARTBEAT_MS_DEFAULT = 1_000;

/** The presence board of a service on its bus. @throws RangeError for a lifetime that cannot be */
export function openPresenceBoard(link: BusLink, settings: PresenceSettings, logger: Logger): PresenceBoard {
  const { owner, ttlMs = TTL_MS_DEFAULT } = settings;
  if (!Number.isInteger(ttlMs) || ttlMs < TTL_MS_MIN || ttlMs > TTL_MS_MAX)
    throw new RangeError(`a lifetime of ${ttlMs} ms is not within ${TTL_MS_MIN} to ${TTL_MS_MAX}`);
  if (link instanceof NatsLink) {
    const { replicas = 1, bytesMax = BYTES_MAX_DEFAULT, heartbeatMs = HEARTBEAT_MS_DEFAULT } = settings;
    return new NatsPresenceBoard(link, { owner, ttlMs, replicas, bytesMax, heartbeatMs }, logger);
  }
  if (link instanceof MemoryLink) return new MemoryPresenceBoard(link, { owner, ttlMs }, logger);
  throw new TypeError('this bus has no presence board');
}
