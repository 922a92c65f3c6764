import { createInbox, headers, type Msg, type MsgHdrs, nanos } from '@nats-io/transport-node';
import type { NatsLink } from './nats-link.js';
import type { HeldWork } from './work-pump.js';
import type { WorkItem, WorkPriority } from './work-queue.js';

const WORK_ID_HEADER = 'Work-Id';
const PRIORITY_HEADER = 'Work-Priority';
const NO_MESSAGES = 404;
const REQUEST_TIMEOUT = 408;

/** One message of a durable consumer, or undefined where it has none now. @throws Error while there is no such consumer */
export async function pullOne(
  link: NatsLink,
  stream: string,
  durable: string,
  answerMs: number,
): Promise<Msg | undefined> {
  const subject = `$JS.API.CONSUMER.MSG.NEXT.${stream}.${durable}`;
  const message = await answerTo(link, subject, JSON.stringify({ batch: 1, no_wait: true }), answerMs);
  const code = message.headers?.code ?? 0;
  if (code === 0) return message;
  if (code === NO_MESSAGES || code === REQUEST_TIMEOUT) return undefined;
  throw new Error(`${durable} has nothing to give: ${code} ${message.headers?.description}`);
}

/**
 * The first message that comes back, on an inbox of its own: it has its own subject, by which the inbox that a connection
 * shares among its requests would not know it again.
 */
function answerTo(
  { nats: connection, inboxPrefix }: NatsLink,
  subject: string,
  request: string,
  answerMs: number,
): Promise<Msg> {
  return new Promise((resolve, reject) => {
    const inbox = createInbox(inboxPrefix);
    const callback = (error: Error | null, message: Msg) => {
      clearTimeout(timer);
      if (error) reject(error);
      else resolve(message);
    };
    const subscription = connection.subscribe(inbox, { max: 1, callback });
    const timer = setTimeout(() => {
      subscription.unsubscribe();
      reject(new Error(`${subject} did not answer within ${answerMs} ms`));
    }, answerMs);
    const onClosed = () => {
      clearTimeout(timer);
      reject(new Error('the connection is closed'));
    };
    void subscription.closed.then(onClosed, onClosed);
    connection.publish(subject, request, { reply: inbox });
  });
}

/** What a hold writes beside its acknowledgement. */
interface Aside {
  bury(item: WorkItem, sequence: number): Promise<void>;
  noteReturn(queue: string, sequence: number, delivery: number): Promise<void>;
  /** How often a piece was given back. */
  returnsOf(queue: string, sequence: number): Promise<number>;
  wake(queue: string): void;
}

/** A message of JetStream that a worker holds; it is acknowledged over the connection that it came by. */
export class JetStreamHold implements HeldWork {
  readonly item: Required<WorkItem>;
  readonly delivery: number;
  private readonly sequence: number;

  constructor(
    private readonly message: Msg,
    { queue, priority }: { queue: string; priority: WorkPriority },
    private readonly aside: Aside,
  ) {
    const given = message.headers?.get(PRIORITY_HEADER) as WorkPriority | undefined;
    const info = deliveryOf(message.reply ?? '');
    this.delivery = info.delivery;
    this.sequence = info.sequence;
    const id = message.headers?.get(WORK_ID_HEADER) || `seq:${this.sequence}`;
    this.item = { queue, id, priority: given || priority, data: message.data };
  }

  static headersOf(id: string, priority: WorkPriority): MsgHdrs {
    const made = headers();
    made.set(WORK_ID_HEADER, id);
    made.set(PRIORITY_HEADER, priority);
    return made;
  }

  /** The server counts every delivery; what was given back is noted beside it. */
  async counted(): Promise<number> {
    return this.delivery - (await this.aside.returnsOf(this.item.queue, this.sequence));
  }

  working(): void {
    this.message.respond('+WPI');
  }

  done(): void {
    this.message.respond('+ACK');
  }

  retryIn(ms: number): void {
    this.message.respond(`-NAK ${JSON.stringify({ delay: nanos(ms) })}`);
  }

  async giveBack(): Promise<void> {
    try {
      await this.aside.noteReturn(this.item.queue, this.sequence, this.delivery);
    } finally {
      // Also where it cannot be noted: it is more use to another worker now than when the silence is noticed.
      this.message.respond('-NAK');
      this.aside.wake(this.item.queue);
    }
  }

  async bury(): Promise<void> {
    await this.aside.bury(this.item, this.sequence);
    this.message.respond('+TERM');
  }
}

/**
 * Delivery count and sequence in the stream, as the reply subject has them: `$JS.ACK.<stream>.<consumer>.<delivered>.
 * <stream sequence>.…`, on newer servers with the domain and the account before the stream (ADR-15 of NATS).
 */
function deliveryOf(reply: string): { delivery: number; sequence: number } {
  const tokens = reply.split('.');
  const at = tokens.length === 9 ? 4 : 6;
  return { delivery: Number(tokens[at]), sequence: Number(tokens[at + 1]) };
}
