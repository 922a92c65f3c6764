import { type ReplyOf, x402Contract } from '@svc/contracts';
import type { BusClient } from '@svc/platform';
import { setTimeout as delay } from 'node:timers/promises';
import { NOTHING_NEW, STREAM_BEGIN } from '@svc/edge';

/** How long payments are asked to wait for a change, milliseconds. */
const WAIT_MS = 10_000;
/** Changes that come closer than this are one event, milliseconds: hundreds of sagas may end in a second. */
const EVENTS_APART_MS = 200;

type Snapshot = ReplyOf<typeof x402Contract.telemetry>;

/**
 * The telemetry as `text/event-stream`, an event a change with its version as id, until the signal aborts. Where
 * payments are away the stream breaks off, and its reader goes on from its last event.
 *
 * @param after version that the reader has
 * @param first the telemetry as it is
 */
export async function* telemetryStream(
  bus: Pick<BusClient, 'call'>,
  after: string | undefined,
  first: Snapshot,
  signal: AbortSignal,
): AsyncGenerator<string> {
  let version = after;
  let next = first;
  yield STREAM_BEGIN;
  try {
    for (;;) {
      if (next.version === version) {
        yield NOTHING_NEW;
      } else {
        version = next.version;
        yield `id: ${version}\nevent: telemetry\ndata: ${JSON.stringify(next.telemetry)}\n\n`;
        await delay(EVENTS_APART_MS, undefined, { signal });
      }
      next = await bus.call(x402Contract.telemetry, { version, waitMs: WAIT_MS }, { signal });
    }
  } catch {
    // The reader has gone, the gateway closes, or payments are away: whoever is still there comes back.
  }
}
