import { type Origin, SyncSession, UpdateRefused } from '@svc/mesh';
import { ProblemError } from '@svc/platform';
import type { Logger } from 'pino';
import { setTimeout as delay } from 'node:timers/promises';
import type { Peer } from '../peer/peer.js';
import { type DocumentReplica, TooManyWriters } from './document-replica.js';
import type { DocumentChannel, DocumentOutlet } from './mesh-documents.js';
import type { PeerAllowance } from './peer-allowance.js';

/** Messages that wait to be taken, and their bytes; who sends more is refused and closed. */
const BACKLOG_MESSAGES_MAX = 8_192;
const BACKLOG_BYTES_MAX = 4 * 1024 * 1024;
/** Answers that wait until what they say is stored. */
const HELD_BYTES_MAX = 16 * 1024 * 1024;
/** Messages after which others have their turn. */
const TURN_MESSAGES = 256;
/** Between two looks whether Postgres takes updates again, milliseconds. */
const LOOK_MS = 100;
const REFUSALS_MAX = 8;
/** First byte of a message that says what a replica has and asks for the rest (y-protocols, step 1). */
const STEP_1 = 0;

export interface PeerChannelParts {
  readonly peer: Peer;
  readonly outlet: DocumentOutlet;
  readonly replica: DocumentReplica;
  readonly allowance: PeerAllowance;
  readonly logger: Logger;
  /** Nothing comes of it any more. */
  onClosed(channel: PeerChannel): void;
}

/**
 * A peer's channel to this replica: y-protocols' sync, message after message.
 *
 * The peer is told only what is stored: an answer waits until all that it says is, and others' updates come after their commit.
 * It is told of none before it has asked, as it would not have what they build on; nor of its own, whose storing it sees in
 * that the service asks for them no more.
 */
export class PeerChannel implements DocumentChannel {
  private readonly origin: Origin;
  private readonly backlog: Uint8Array[] = [];
  private readonly held: { readonly message: Uint8Array; readonly takenCount: number }[] = [];
  private readonly ended = new AbortController();
  private backlogBytes = 0;
  private heldBytes = 0;
  private session: SyncSession;
  private isWorking = false;
  private isAnswering = false;
  /** The peer is yet to say what the service lacks: what it sends until then may build on that. */
  private isAsking = false;
  private refusals = 0;
  /** The update of the message at hand. */
  private received: Uint8Array | undefined;
  /** What the peer asked with the last time. */
  private asked: Uint8Array | undefined;

  constructor(private readonly parts: PeerChannelParts) {
    this.origin = { kind: 'peer', name: parts.peer.keyHash };
    this.session = this.newSession();
  }

  get isClosed(): boolean {
    return this.ended.signal.aborted;
  }

  /** Says what is here, and so asks for what is not. */
  begin(): void {
    this.isAsking = true;
    this.session.begin();
  }

  receive(message: Uint8Array): void {
    if (this.isClosed) return;
    if (this.backlog.length >= BACKLOG_MESSAGES_MAX || this.backlogBytes + message.length > BACKLOG_BYTES_MAX)
      return this.refuse('RATE', 'more was sent than is taken in such a time', true);
    // The caller may use its bytes again.
    this.backlog.push(message.slice());
    this.backlogBytes += message.length;
    if (!this.isWorking) void this.work();
  }

  close(): void {
    if (this.isClosed) return;
    this.ended.abort();
    this.backlog.splice(0);
    this.held.splice(0);
    this.parts.onClosed(this);
  }

  /** Updates are stored: the peer is told of those that are not its own. */
  stored(updates: readonly { readonly bytes: Uint8Array; readonly from?: object }[]): void {
    if (this.isClosed) return;
    this.release();
    if (!this.asked) return;
    for (const { bytes, from } of updates) if (from !== this) this.session.sendUpdate(bytes);
  }

  /** What the peer wrote can never be stored: it would send the same again. */
  givenUp(): void {
    this.refuse('NOT_STORED', 'an update cannot be stored', true);
  }

  /** The document is another one: what was held back may never be stored, and is said anew. */
  restart(): void {
    this.held.splice(0);
    this.heldBytes = 0;
    this.session = this.newSession();
    this.begin();
    if (!this.asked) return;
    this.backlog.unshift(this.asked);
    this.backlogBytes += this.asked.length;
    if (!this.isWorking) void this.work();
  }

  private newSession(): SyncSession {
    const { replica } = this.parts;
    return new SyncSession(
      {
        readStateVector: () => replica.document.stateVector,
        encode: stateVector => replica.document.encode(stateVector),
        // Merged by `take`, which may have to ask Postgres before.
        apply: update => {
          this.received = update;
          return { changed: false, newWriters: [] };
        },
      },
      message => this.send(message),
      { refusalsMax: Infinity, assembledBytesMax: replica.document.bounds.updateBytesMax },
    );
  }

  private async work(): Promise<void> {
    this.isWorking = true;
    // What it throws closes the channel; nothing is awaited here but what ends with that.
    for (let n = 1; this.backlog.length > 0 && !this.isClosed; n++) {
      const message = this.backlog.shift() as Uint8Array;
      this.backlogBytes -= message.length;
      try {
        await this.turn(message);
      } catch (error) {
        if (!this.isClosed) this.fail(error);
      }
      if (n % TURN_MESSAGES === 0) await new Promise(resolve => setImmediate(resolve));
    }
    this.isWorking = false;
  }

  private async turn(message: Uint8Array): Promise<void> {
    const { allowance, replica } = this.parts;
    const { signal } = this.ended;
    if (allowance.waitMs > 0) await delay(allowance.waitMs, undefined, { signal });
    while (!replica.hasRoom) await delay(LOOK_MS, undefined, { signal });
    allowance.take('messages', 1);
    allowance.take('bytes', message.length);
    if (message[0] === STEP_1) {
      // Made when less waits to be stored, so that fewer answers are held back with Postgres away.
      if (replica.counts.stored < replica.counts.taken) await replica.whenStored();
      this.asked = message;
    }
    this.received = undefined;
    this.isAnswering = true;
    let kind;
    try {
      ({ kind } = this.session.receive(message));
    } finally {
      this.isAnswering = false;
    }
    if (!this.received) return;
    const isUpdate = kind === 'update';
    if (!isUpdate) this.isAsking = false;
    try {
      await this.takeUpdate(this.received);
    } catch (error) {
      // All that the peer has comes with its answer, if need be to another question; only that has to be whole.
      if (!isUpdate || !(error instanceof UpdateRefused) || error.code !== 'INCOMPLETE') throw error;
      if (!this.isAsking) this.begin();
    }
  }

  private async takeUpdate(update: Uint8Array): Promise<void> {
    const { peer, replica, allowance } = this.parts;
    if (peer.identity !== 'verified') {
      if (!this.isKnown(update))
        this.refuse('UNVERIFIED', 'a peer that has not proved its key may read only');
      return;
    }
    for (;;) {
      try {
        const claimed = replica.take(update, this.origin, this, n => allowance.takeIfThere('clientIds', n));
        if (claimed) await claimed;
        return;
      } catch (error) {
        if (!(error instanceof ProblemError) || error.code !== 'SERVICE_UNAVAILABLE') throw error;
        // Its client ids cannot be claimed now: it waits, and whatever comes behind it.
        await delay(LOOK_MS, undefined, { signal: this.ended.signal });
      }
    }
  }

  /** Whether an update says nothing that is not here. */
  private isKnown(update: Uint8Array): boolean {
    try {
      return !this.parts.replica.document.judge(update, this.origin).changed;
    } catch (error) {
      if (error instanceof UpdateRefused) return false;
      throw error;
    }
  }

  private fail(error: unknown): void {
    if (error instanceof UpdateRefused) return this.refuse(error.code, error.detail);
    if (error instanceof TooManyWriters)
      return this.refuse(
        'RATE',
        'a peer writes under a few client ids, and not under new ones each time',
        true,
      );
    this.parts.logger.error({ err: error }, 'A message of a peer could not be taken');
    this.refuse('INTERNAL', 'the message could not be taken', true);
  }

  private refuse(code: string, detail: string, closesNow = false): void {
    this.refusals += 1;
    const closes = closesNow || this.refusals >= REFUSALS_MAX;
    this.parts.outlet.refused({ code, detail, closes });
    if (closes) this.close();
  }

  private send(message: Uint8Array): void {
    if (this.isClosed) return;
    const { allowance, replica } = this.parts;
    // A few bytes ask for all that there is.
    if (this.isAnswering) allowance.take('bytes', message.length);
    const { taken, stored } = replica.counts;
    // That the service has something is no news to whoever wrote it, and to nobody else a use.
    if (message[0] === STEP_1 || (this.held.length === 0 && stored >= taken)) return this.put(message);
    this.held.push({ message, takenCount: taken });
    this.heldBytes += message.length;
    if (this.heldBytes > HELD_BYTES_MAX) this.refuse('OVERLOADED', 'too much waits to be stored', true);
  }

  private release(): void {
    const { stored } = this.parts.replica.counts;
    while (this.held.length > 0 && this.held[0].takenCount <= stored && !this.isClosed) {
      const { message } = this.held.shift() as { message: Uint8Array };
      this.heldBytes -= message.length;
      this.put(message);
    }
  }

  private put(message: Uint8Array): void {
    if (!this.parts.outlet.send(message)) this.close();
  }
}
