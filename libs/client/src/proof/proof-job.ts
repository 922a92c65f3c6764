import type { ProofJob, ProofJobEvent } from '../api-types.js';
import { ConnectionError, SvcError } from '../errors.js';
import { eventsOf } from '../event-text.js';
import type { Fetch } from '../http-exchange.js';
import { wait } from '../retry-budget.js';

/** Breaks of one stream of events in a row, with nothing read between them, before it is given up. */
const BREAKS_MAX = 5;

/** How a stream of events is asked for. */
export interface Following {
  readonly headers?: Readonly<Record<string, string>>;
  /** Milliseconds before a stream that broke off is asked for again. */
  readonly reconnectMs: number;
  readonly signal?: AbortSignal;
}

/** A job that ended without a proof; its payment has gone back to its credential. */
export class ProofJobError extends SvcError {
  override readonly name = 'ProofJobError';

  constructor(readonly job: ProofJob) {
    super(
      job.problem?.code ?? 'CANCELLED',
      `the job has ${job.state}${job.problem === undefined ? '' : `: ${job.problem.detail}`}`,
    );
  }
}

export const hasEnded = ({ state }: Pick<ProofJob, 'state'>): boolean =>
  state === 'succeeded' || state === 'failed' || state === 'cancelled';

/**
 * Follows the events of a job to its end. A stream that breaks off is taken up again after the last
 * event that was read (`Last-Event-ID`), so that none is missed and none comes twice.
 *
 * @throws {ConnectionError} after five breaks in a row; the reason of the signal
 */
export async function* followEvents(
  fetch: Fetch,
  url: string,
  { headers, reconnectMs, signal }: Following,
): AsyncGenerator<ProofJobEvent> {
  let last = 0;
  for (let breaks = 0; ; breaks++) {
    try {
      const response = await fetch(url, {
        headers: {
          ...headers,
          Accept: 'text/event-stream',
          ...(last > 0 ? { 'Last-Event-ID': `${last}` } : {}),
        },
        redirect: 'manual',
        signal,
      });
      if (response.status === 204) return;
      if (response.status === 404) throw new SvcError('NOT_FOUND', 'the server knows no such job');
      if (response.status === 200 && response.body !== null) {
        for await (const { data } of eventsOf(response.body)) {
          const event = data as ProofJobEvent;
          if (event.seq <= last) continue;
          last = event.seq;
          breaks = 0;
          yield event;
          if (hasEnded(event)) return;
        }
      }
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof SvcError) throw error;
    }
    if (breaks >= BREAKS_MAX) throw new ConnectionError('UNREACHABLE', 'the events of the job break off');
    await wait(reconnectMs, signal);
  }
}
