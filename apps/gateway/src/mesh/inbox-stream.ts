import { INBOX_WAIT_MS_MAX, meshContract } from '@svc/contracts';
import { NOTHING_NEW, STREAM_BEGIN } from '@svc/edge';
import type { BusClient } from '@svc/platform';

/**
 * The events of an inbox as `text/event-stream`, until the signal aborts; then the inbox is closed. Where the service is
 * away the stream breaks off, and its reader opens another inbox and goes on from its last event.
 *
 * @param after the last event that the reader has; undefined for one that has none, which begins with what waits
 */
export async function* inboxStream(
  bus: Pick<BusClient, 'call'>,
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
  } finally {
    // What cannot be closed ends with its lease.
    await bus.call(meshContract.closeInbox, { inboxId }).catch(() => undefined);
  }
}
