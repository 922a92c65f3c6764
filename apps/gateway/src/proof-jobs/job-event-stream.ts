import { JOB_EVENTS_WAIT_MS_MAX, type ProofJobEvent, proofJobContract, type ReplyOf } from '@svc/contracts';
import type { BusClient } from '@svc/platform';
import { NOTHING_NEW, STREAM_BEGIN } from '@svc/edge';

type Batch = ReplyOf<typeof proofJobContract.jobEvents>;

/**
 * The events of a job as `text/event-stream`, until it has ended or the signal aborts. Where the prover
 * is away the stream breaks off, and its reader goes on from its last event.
 *
 * @param after the last event that the reader has
 * @param first the events after it that are known already
 */
export async function* jobEventStream(
  bus: Pick<BusClient, 'call'>,
  jobId: string,
  after: number,
  first: Batch,
  signal: AbortSignal,
): AsyncGenerator<string> {
  let last = after;
  let batch = first;
  yield STREAM_BEGIN;
  for (;;) {
    for (const event of batch.events) {
      yield textOf(event);
      last = event.seq;
    }
    if (batch.ended || signal.aborted) return;
    if (batch.events.length === 0) yield NOTHING_NEW;
    try {
      const waitMs = JOB_EVENTS_WAIT_MS_MAX;
      batch = await bus.call(proofJobContract.jobEvents, { jobId, after: last, waitMs }, { signal });
    } catch {
      return;
    }
  }
}

const textOf = (event: ProofJobEvent) =>
  `id: ${event.seq}\nevent: ${event.state}\ndata: ${JSON.stringify(event)}\n\n`;
