import type { Telemetry } from '../api-types.js';
import { ConnectionError, SvcError } from '../errors.js';
import { eventsOf } from '../event-text.js';
import { errorOf, type Fetch } from '../http-exchange.js';
import type { Following } from '../proof/proof-job.js';
import { wait } from '../retry-budget.js';

/** Breaks of one stream of events in a row, with nothing read between them, before it is given up. */
const BREAKS_MAX = 5;

/**
 * Each change of the telemetry as it comes, the state of now first, until the signal aborts. A stream that breaks off is
 * taken up again after the last change that was read.
 *
 * @throws {ConnectionError} after five breaks in a row; {@link ProblemError}; the reason of the signal
 */
export async function* followTelemetry(
  fetch: Fetch,
  url: string,
  { reconnectMs, signal }: Following,
): AsyncGenerator<Telemetry> {
  let last: string | undefined;
  for (let breaks = 0; ; breaks++) {
    try {
      const after: Record<string, string> = last === undefined ? {} : { 'Last-Event-ID': last };
      const headers = { Accept: 'text/event-stream', ...after };
      const response = await fetch(url, { headers, redirect: 'manual', signal });
      if (response.status === 200 && response.body !== null) {
        for await (const { id, data } of eventsOf(response.body)) {
          last = id;
          breaks = 0;
          yield data as Telemetry;
        }
      } else if (response.status !== 503) {
        const body = new Uint8Array(await response.arrayBuffer());
        throw errorOf({ status: response.status, headers: response.headers, body });
      }
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof SvcError) throw error;
    }
    if (breaks >= BREAKS_MAX) throw new ConnectionError('UNREACHABLE', 'the telemetry breaks off');
    await wait(reconnectMs, signal);
  }
}
