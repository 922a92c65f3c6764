import type { ServiceName } from '@svc/contracts';
import type { WorkItem, WorkPriority } from './work-queue.js';

/** From the first that is taken to the last. */
export const WORK_PRIORITIES = ['high', 'normal', 'low'] as const satisfies readonly WorkPriority[];

const QUEUE = /^[a-z0-9-]{1,64}$/;
const ID = /^[\x21-\x7e]{1,256}$/;
const DATA_BYTES_MAX = 64 * 1024;

/** @throws RangeError */
export function assertQueueName(queue: string): void {
  if (!QUEUE.test(queue)) throw new RangeError(`"${queue}" is no name of a queue`);
}

/** @throws RangeError */
export function assertAddable({ queue, id, priority, data }: WorkItem): void {
  assertQueueName(queue);
  if (!ID.test(id)) throw new RangeError(`"${id}" is no id of a piece of work`);
  if (priority !== undefined && !WORK_PRIORITIES.includes(priority))
    throw new RangeError(`"${String(priority)}" is no priority`);
  if (data.length > DATA_BYTES_MAX)
    throw new RangeError(`work of ${data.length} bytes is more than ${DATA_BYTES_MAX}`);
}

/** Where the queues of one service are, on NATS. */
export interface WorkNames {
  /** Stream of what is to be done. */
  readonly stream: string;
  /** Stream of what was put aside: dead letters, and notes of deliveries that were given back. */
  readonly aside: string;
  readonly streamSubjects: readonly string[];
  readonly asideSubjects: readonly string[];
  /** `dept.<queue>.tasks.<priority>` */
  task(queue: string, priority: WorkPriority | '*'): string;
  /** `dept.<queue>.dead` */
  dead(queue: string): string;
  /** `dept.<queue>.returned.<sequence>` */
  returned(queue: string, sequence: number): string;
  /** Told, without promise, when a worker that idles should look again: `dept.<queue>.wake`. */
  wake(queue: string): string;
}

/** The desks' queues are `dept.<desk>.…`; those of any other service `work.<service>.<queue>.…`. */
export function workNamesOf(owner: ServiceName): WorkNames {
  const prefix = owner === 'department' ? 'dept' : `work.${owner}`;
  const stream = `WORK_${owner.toUpperCase().replaceAll('-', '_')}`;
  return {
    stream,
    aside: `${stream}_ASIDE`,
    streamSubjects: [`${prefix}.*.tasks.*`],
    asideSubjects: [`${prefix}.*.dead`, `${prefix}.*.returned.*`],
    task: (queue, priority) => `${prefix}.${queue}.tasks.${priority}`,
    dead: queue => `${prefix}.${queue}.dead`,
    returned: (queue, sequence) => `${prefix}.${queue}.returned.${sequence}`,
    wake: queue => `${prefix}.${queue}.wake`,
  };
}

/** Of ten pieces that are taken while there is work of every priority, six are `high`, three `normal` and one `low`. */
const TURNS: readonly WorkPriority[] = [
  ...(['high', 'normal', 'high', 'high', 'normal'] as const),
  ...(['high', 'low', 'high', 'normal', 'high'] as const),
];

/** Whose turn it is; where there is none of that, the others follow from the highest on. */
export class PriorityTurns {
  private taken = 0;

  next(): readonly WorkPriority[] {
    const first = TURNS[this.taken % TURNS.length];
    return [first, ...WORK_PRIORITIES.filter(priority => priority !== first)];
  }

  /** A piece was taken: the turn is the next one's. */
  pass(): void {
    this.taken++;
  }
}
