import { MemoryPresenceStore } from '../presence/presence-memory.js';
import { problem } from '../problem-details/problem-error.js';
import type { BusLink, InboundRequest, RequestOptions } from './bus-link.js';
import {
  copyOfPlain,
  type DecodedEnvelope,
  decodeEnvelope,
  encodeEnvelope,
  ENVELOPE_BYTES_MAX,
} from './envelope.js';
import type { Reply } from './wire.js';
import { MemoryEventLog } from './event-memory.js';
import { MemoryWorkStore } from './work-queue-memory.js';

type Listener = (request: InboundRequest) => void;
type Hearer = (envelope: Uint8Array) => void;

/** Members of one queue group on one subject, asked in turn. */
interface Group {
  readonly listeners: Listener[];
  next: number;
}

/**
 * The bus of the in-process default: a registry of who listens. A message crosses as what reading its envelope would give,
 * so what cannot cross over NATS cannot cross here.
 */
export class MemoryBus {
  readonly events = new MemoryEventLog();
  readonly work = new MemoryWorkStore();
  readonly presence = new MemoryPresenceStore();
  private readonly groups = new Map<string, Group>();
  private readonly hearers = new Map<string, Set<Hearer>>();

  /** Adds a member to the subject's group; the returned function takes it out again. */
  join(subject: string, listener: Listener): () => void {
    const group = this.groups.get(subject) ?? { listeners: [], next: 0 };
    group.listeners.push(listener);
    this.groups.set(subject, group);
    return () => {
      const index = group.listeners.indexOf(listener);
      if (index >= 0) group.listeners.splice(index, 1);
    };
  }

  /** The member whose turn it is, or undefined when nobody listens. */
  pick(subject: string): Listener | undefined {
    const group = this.groups.get(subject);
    if (!group || group.listeners.length === 0) return undefined;
    group.next = (group.next + 1) % group.listeners.length;
    return group.listeners[group.next];
  }

  /** Hears what is told on a subject; the returned function ends that. */
  hear(subject: string, hearer: Hearer): () => void {
    const hearers = this.hearers.get(subject) ?? new Set();
    hearers.add(hearer);
    this.hearers.set(subject, hearers);
    return () => void hearers.delete(hearer);
  }

  /** Tells everyone who hears a subject by the time that it arrives. */
  tell(subject: string, envelope: Uint8Array): void {
    const sent = envelope.slice();
    // As over a socket: the sender's code goes on first, and each gets bytes of its own.
    setImmediate(() => {
      for (const hearer of [...(this.hearers.get(subject) ?? [])]) hearer(sent.slice());
    });
  }
}

/** One service's end of a {@link MemoryBus}. */
export class MemoryLink implements BusLink {
  private readonly leave: (() => void)[] = [];
  private readonly deaf: (() => void)[] = [];
  private open = true;

  constructor(private readonly bus: MemoryBus) {}

  /** The events of the bus, kept by it and not by its ends. */
  get events(): MemoryEventLog {
    return this.bus.events;
  }

  /** The work queues of the bus, kept by it as the events are. */
  get work(): MemoryWorkStore {
    return this.bus.work;
  }

  /** The presence boards of the bus, kept by it as the events are. */
  get presence(): MemoryPresenceStore {
    return this.bus.presence;
  }

  async connect(): Promise<void> {
    if (!this.open) throw problem('SERVICE_UNAVAILABLE', 'The bus is closed', { retryAfterSeconds: 1 });
  }

  get connected(): boolean {
    return this.open;
  }

  async request(subject: string, sent: unknown, options: RequestOptions): Promise<DecodedEnvelope> {
    options.signal?.throwIfAborted();
    if (!this.open) throw problem('SERVICE_UNAVAILABLE', 'The bus is closed', { retryAfterSeconds: 1 });
    const payload = across(subject, sent);
    const listener = this.bus.pick(subject);
    if (!listener) {
      throw problem('SERVICE_UNAVAILABLE', `No service answers ${subject}`, { retryAfterSeconds: 1 });
    }
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        settle();
        reject(problem('TIMEOUT', `${subject} did not answer within ${options.timeoutMs} ms`));
      }, options.timeoutMs);
      const onAbort = () => {
        settle();
        reject(options.signal!.reason);
      };
      const settle = () => {
        clearTimeout(timer);
        options.signal?.removeEventListener('abort', onAbort);
      };
      options.signal?.addEventListener('abort', onAbort);
      const respond = (reply: Reply) => {
        const answer = across(subject, reply);
        settle();
        resolve(answer);
      };
      // Delivery is asynchronous, as over a socket: the sender's code goes on first.
      const { traceparent, turn } = options;
      setImmediate(() => listener({ subject, payload, traceparent, turn, respond }));
    });
  }

  listen(subject: string, _queue: string, onRequest: Listener): void {
    this.leave.push(this.bus.join(subject, onRequest));
  }

  tell(subject: string, envelope: Uint8Array): void {
    if (!this.open) throw problem('SERVICE_UNAVAILABLE', 'The bus is closed', { retryAfterSeconds: 1 });
    assertFits(subject, envelope);
    this.bus.tell(subject, envelope);
  }

  hear(subject: string, onNotice: Hearer): void {
    this.deaf.push(this.bus.hear(subject, onNotice));
  }

  async flush(): Promise<void> {}

  async stopListening(): Promise<void> {
    for (const leave of this.leave.splice(0)) leave();
    // Requests that were picked but not yet handed over are on the immediate queue.
    await new Promise(resolve => setImmediate(resolve));
  }

  async close(): Promise<void> {
    await this.stopListening();
    for (const end of this.deaf.splice(0)) end();
    this.open = false;
  }
}

/** What the other end gets of a value. @throws as writing and sending its envelope does */
function across(subject: string, value: unknown): DecodedEnvelope {
  const copy = copyOfPlain(value);
  if (copy) return copy;
  const envelope = encodeEnvelope(value);
  assertFits(subject, envelope);
  return decodeEnvelope(envelope);
}

function assertFits(subject: string, envelope: Uint8Array): void {
  if (envelope.length <= ENVELOPE_BYTES_MAX) return;
  throw problem(
    'BODY_TOO_LARGE',
    `A message of ${subject} has ${envelope.length} bytes; the bus carries at most ${ENVELOPE_BYTES_MAX}`,
  );
}
