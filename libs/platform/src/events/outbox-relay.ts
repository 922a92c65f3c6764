import type { EventStream } from '../messaging/event-stream.js';
import { prepared } from '../persistence/prepared-statements.js';
import type { LockedSession } from '../persistence/session-lock.js';

/** Events of one page: those of different subjects are published side by side, those of one one after the other. */
const PAGE_EVENTS_MAX = 500;
/** Subjects that failed and are passed over until the outbox has been gone through. */
const HELD_UP_MAX = 10_000;

const PAGE = prepared(
  `SELECT seq, subject, event_id, data FROM event_outbox WHERE seq > $1 ORDER BY seq LIMIT $2`,
);
const DROP_STORED = prepared(`DELETE FROM event_outbox WHERE seq = ANY ($1::bigint[])`);

interface OutboxRow {
  readonly seq: string;
  readonly subject: string;
  readonly event_id: string;
  readonly data: string;
}

/**
 * Takes a service's events out of its outbox: each at least once, and under its id once; those of a subject in their
 * order, because none is sent before the one before it is known to be stored. A row goes when its event is stored.
 */
export class OutboxRelay {
  /** Pages go through the outbox, so that what cannot be published holds nobody else up. */
  private cursor = '0';
  private readonly heldUp = new Set<string>();

  constructor(private readonly stream: EventStream) {}

  /**
   * Publishes one page. To be run by one process of a deployment at a time, as far as that can be known.
   * @returns how many events, and whether more may be waiting
   * @throws the error of the first event that could not be stored; those that were are gone nevertheless
   */
  async round(session: LockedSession): Promise<{ published: number; more: boolean }> {
    const page = await session.query<OutboxRow & Record<string, unknown>>(PAGE, [
      this.cursor,
      PAGE_EVENTS_MAX,
    ]);
    const outcomes = await Promise.all(bySubject(page).map(rows => this.publishInOrder(rows)));
    const stored = outcomes.flatMap(outcome => outcome.stored);
    if (stored.length > 0) await session.query(DROP_STORED, [stored]);
    const more = page.length === PAGE_EVENTS_MAX;
    this.cursor = more ? page[page.length - 1].seq : '0';
    if (!more || this.heldUp.size > HELD_UP_MAX) {
      this.cursor = '0';
      this.heldUp.clear();
    }
    const failed = outcomes.find(outcome => outcome.failure !== undefined);
    if (failed) throw failed.failure;
    return { published: stored.length, more };
  }

  /** Stops at the first event that cannot be stored: what comes after it, also on the next pages, must not overtake it. */
  private async publishInOrder(rows: readonly OutboxRow[]): Promise<{ stored: string[]; failure?: unknown }> {
    const stored: string[] = [];
    if (this.heldUp.has(rows[0].subject)) return { stored };
    for (const { seq, subject, event_id: id, data } of rows) {
      try {
        await this.stream.publish({ subject, id, data: Buffer.from(data) });
      } catch (failure) {
        this.heldUp.add(subject);
        return { stored, failure };
      }
      stored.push(seq);
    }
    return { stored };
  }
}

function bySubject(page: readonly OutboxRow[]): OutboxRow[][] {
  const groups = new Map<string, OutboxRow[]>();
  for (const row of page) {
    const group = groups.get(row.subject);
    if (group) group.push(row);
    else groups.set(row.subject, [row]);
  }
  return [...groups.values()];
}
