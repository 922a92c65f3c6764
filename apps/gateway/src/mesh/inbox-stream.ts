import { INBOX_WAIT_MS_MAX, meshContract } from '@svc/contracts';
import { NOTHING_NEW, STREAM_BEGIN } from '@svc/edge';
import type { BusClient } from '@svc/platform';

type Bus = Pick<BusClient, 'call'>;

/**
 * The events of an inbox as `text/event-stream`, until the signal aborts; then the inbox is closed, also where no event was asked
 * for yet. Where the service is away the stream breaks off, and its reader opens another inbox and goes on from its last event.
 *
 * @param after the last event that the reader has; undefined for one that has none, which begins with what waits
 */
export function inboxStream(
  bus: Bus,
  inboxId: string,
  after: number | undefined,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const close = () => void closeInbox(bus, inboxId);
  if (signal.aborted) close();
  else signal.addEventListener('abort', close, { once: true });
  return eventsOf(bus, inboxId, after, signal);
}

/** Closes an inbox; one that cannot be closed ends with its lease. */
export async function closeInbox(bus: Bus, inboxId: string): Promise<void> {
  await bus.call(meshContract.closeInbox, { inboxId }).catch(() => undefined);
}

async function* eventsOf(
  bus: Bus,
  inboxId: string,
  after: number | undefined,
  signal: AbortSignal,
): AsyncGenerator<string> {
  let afterSeq = after;
  try {
    yield STREAM_BEGIN;
    while (!signal.aborted) {
      const asked = { inboxId, waitMs: INBOX_WAIT_MS_MAX, ...(afterSeq !== undefined && { afterSeq }) };
      const { events, lastSeq } = await bus.call(meshContract.inboxEvents, asked, { signal });
      for (const { seq, event } of events) {
        yield `id: ${seq}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
      }
      if (events.length === 0) yield NOTHING_NEW;
      afterSeq = lastSeq;
    }
  } catch {
    // The reader has gone, the gateway closes, or the service is away: whoever is still there comes back.
  }
}
