import {
  departmentTaskContract,
  type ReplyOf,
  type RequestOf,
  TASK_EVENTS_WAIT_MS_MAX,
  type TaskEvent,
} from '@svc/contracts';
import type { BusClient } from '@svc/platform';
import { NOTHING_NEW, STREAM_BEGIN } from '../http/event-streams.js';

type Batch = ReplyOf<typeof departmentTaskContract.taskEvents>;

/** Whose events a stream has, and up to which one its reader has them. */
export type FollowedTask = Omit<RequestOf<typeof departmentTaskContract.taskEvents>, 'waitMs'>;

/**
 * The events of a task as `text/event-stream`, until it has ended or the signal aborts. Where its desk is away the stream
 * breaks off, and its reader goes on from its last event.
 * @param first the events after the reader's last one that are known already
 */
export async function* taskEventStream(
  bus: Pick<BusClient, 'call'>,
  followed: FollowedTask,
  first: Batch,
  signal: AbortSignal,
): AsyncGenerator<string> {
  let { after } = followed;
  let batch = first;
  yield STREAM_BEGIN;
  for (;;) {
    for (const event of batch.events) {
      yield textOf(event);
      after = event.seq;
    }
    if (batch.ended || signal.aborted) return;
    if (batch.events.length === 0) yield NOTHING_NEW;
    try {
      const asked = { ...followed, after, waitMs: TASK_EVENTS_WAIT_MS_MAX };
      batch = await bus.call(departmentTaskContract.taskEvents, asked, { signal });
    } catch {
      return;
    }
  }
}

const textOf = (event: TaskEvent) =>
  `id: ${event.seq}\nevent: ${event.status}\ndata: ${JSON.stringify(event)}\n\n`;
