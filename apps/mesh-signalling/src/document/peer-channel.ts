import { type Origin, readSyncMessage, SyncSession, UpdateRefused, writeRenewed } from '@svc/mesh';
import { ProblemError } from '@svc/platform';
import type { Logger } from 'pino';
import { setTimeout as delay } from 'node:timers/promises';
import type { Peer } from '../peer/peer.js';
import { type DocumentReplica, TooManyWriters } from './document-replica.js';
import { DocumentRenewed } from './document-store.js';
import type { DocumentChannel, DocumentOutlet } from './mesh-documents.js';
import type { PeerAllowance } from './peer-allowance.js';
import type { StoredNews } from './stored-news.js';

/** Messages that wait to be taken, and their bytes; who sends more is refused and closed. */
const BACKLOG_MESSAGES_MAX = 8_192;
const BACKLOG_BYTES_MAX = 4 * 1024 * 1024;
/** Answers that wait until what they say is stored. */
const HELD_BYTES_MAX = 16 * 1024 * 1024;
/** Messages, and their bytes, after which others have their turn; updates that wait are taken so many in one piece. */
const TURN_MESSAGES = 256;
const TURN_BYTES = 262_144;
/** Between two looks whether Postgres takes updates again, milliseconds. */
const LOOK_MS = 100;
const REFUSALS_MAX = 8;
/** First byte of a message that says what a replica has and asks for the rest (y-protocols, step 1). */
const STEP_1 = 0;
/** First byte of a message with an update that is new. */
const UPDATE = 2;

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
 *
 * When the document is begun anew the peer is told, and what it sent before it heard of that is taken over by its values. It is
 * given nothing until it asks with a state vector of the new document, or of an empty one.
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
  /** The peer was given something of the document, or has written in it. */
  private hasUsed = false;
  /** The peer has a document that has ended. */
  private isOutdated = false;
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
    this.wake();
  }

  close(): void {
    if (this.isClosed) return;
    this.ended.abort();
    this.backlog.splice(0);
    this.held.splice(0);
    this.parts.onClosed(this);
  }

  /** Updates are stored: the peer is told of those that are not its own. */
  stored(news: StoredNews): void {
    if (this.isClosed) return;
    this.release();
    if (!this.asked) return;
    for (const update of news.for(this)) this.session.sendUpdate(update);
  }

  /** What the peer wrote can never be stored: it would send the same again. */
  givenUp(): void {
    this.refuse('NOT_STORED', 'an update cannot be stored', true);
  }

  /**
   * The document is another one: what was held back may never be stored, and is said anew.
   * @param isRenewed it was begun anew, and what the peer has does not fit it
   */
  restart(isRenewed: boolean): void {
    this.held.splice(0);
    this.heldBytes = 0;
    this.session = this.newSession();
    if (this.isOutdated) return;
    // Whoever has neither asked nor written has nothing that has ended, or says so with its question.
    if (isRenewed && this.hasUsed) return this.tellRenewed();
    this.begin();
    if (!this.asked) return;
    this.backlog.unshift(this.asked);
    this.backlogBytes += this.asked.length;
    this.wake();
  }

  private tellRenewed(): void {
    this.isOutdated = true;
    this.asked = undefined;
    this.put(writeRenewed(this.parts.replica.epoch));
    const detail = 'the document was begun anew: go on with an empty one, which begins with step 1';
    if (!this.isClosed) this.parts.outlet.refused({ code: 'RENEWED', detail, closes: false });
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

  /** Begins to work when this turn of the event loop is over: whatever else it brings is taken together. */
  private wake(): void {
    if (this.isWorking) return;
    this.isWorking = true;
    setImmediate(() => void this.work());
  }

  private async work(): Promise<void> {
    // What it throws closes the channel; nothing is awaited here but what ends with that.
    while (this.backlog.length > 0 && !this.isClosed) {
      try {
        await this.turn();
      } catch (error) {
        if (!this.isClosed) this.fail(error);
      }
      await new Promise(resolve => setImmediate(resolve));
    }
    this.isWorking = false;
  }

  /** Takes what comes next: updates as many as a turn may have, or one message of another kind. */
  private async turn(): Promise<void> {
    const { allowance, replica } = this.parts;
    const { signal } = this.ended;
    if (allowance.waitMs > 0) await delay(allowance.waitMs, undefined, { signal });
    while (!replica.hasRoom) await delay(LOOK_MS, undefined, { signal });
    if (this.backlog[0][0] === UPDATE) return this.takeUpdates(this.nextUpdates());
    const message = this.shift();
    if (message[0] === STEP_1) {
      for (let epoch = -1; epoch !== replica.epoch;) {
        epoch = replica.epoch;
        if (await this.asksOfEnded(message)) return this.refuseEnded();
      }
      // In one piece with the answer: what is told from here on builds on it.
      this.asked = message;
      this.hasUsed = true;
      if (this.isOutdated) this.begin();
      this.isOutdated = false;
    }
    const update = this.read(message);
    if (!update) return;
    this.isAsking = false;
    await this.takeFirst([update]);
  }

  /** Whether a question is of a document that has ended. @throws UpdateRefused */
  private async asksOfEnded(message: Uint8Array): Promise<boolean> {
    const { replica } = this.parts;
    // Answered when less waits to be stored, so that fewer answers are held back with Postgres away.
    if (replica.counts.stored < replica.counts.taken) await replica.whenStored();
    return this.untilServed(() => replica.isOfEnded(stateVectorIn(message)));
  }

  private refuseEnded(): void {
    this.refusals += 1;
    if (this.refusals < REFUSALS_MAX) this.tellRenewed();
    else this.refuse('RENEWED', 'asks again and again with a document that has ended', true);
  }

  private shift(): Uint8Array {
    const message = this.backlog.shift() as Uint8Array;
    this.backlogBytes -= message.length;
    this.parts.allowance.take('messages', 1);
    this.parts.allowance.take('bytes', message.length);
    return message;
  }

  /** Answers what is asked. @returns the update that is whole with this message. @throws UpdateRefused */
  private read(message: Uint8Array): Uint8Array | undefined {
    this.received = undefined;
    this.isAnswering = true;
    try {
      if (this.session.receive(message).kind === 'renewed')
        throw new UpdateRefused('MALFORMED', 'the service alone begins the document anew');
    } finally {
      this.isAnswering = false;
    }
    return this.received;
  }

  /** The updates that wait, up to a message of another kind, or to one that cannot be read. @throws UpdateRefused for the first */
  private nextUpdates(): Uint8Array[] {
    const updates: Uint8Array[] = [];
    let sizeBytes = 0;
    while (this.backlog.length > 0 && updates.length < TURN_MESSAGES) {
      const [message] = this.backlog;
      sizeBytes += message.length;
      if (message[0] !== UPDATE || (updates.length > 0 && sizeBytes > TURN_BYTES)) break;
      try {
        updates.push(this.read(message) as Uint8Array);
      } catch (error) {
        // Refused in its turn, behind what becomes of those before it.
        if (updates.length > 0) break;
        this.shift();
        throw error;
      }
      this.shift();
    }
    return updates;
  }

  /** Takes all of them; one that is refused is passed over. */
  private async takeUpdates(updates: readonly Uint8Array[]): Promise<void> {
    for (let next = 0; next < updates.length && !this.isClosed;) {
      try {
        next += await this.takeFirst(updates.slice(next));
      } catch (error) {
        if (this.isClosed) return;
        next += 1;
        // All that the peer has comes with its answer, if need be to another question; only that has to be whole.
        if (!(error instanceof UpdateRefused) || error.code !== 'INCOMPLETE') this.fail(error);
        else if (!this.isAsking) this.begin();
      }
    }
  }

  /** @returns how many of them were taken, at least one. @throws UpdateRefused for the first one */
  private async takeFirst(updates: readonly Uint8Array[]): Promise<number> {
    const { peer, replica, allowance } = this.parts;
    if (peer.identity !== 'verified') {
      if (!this.isOutdated && !this.isKnown(updates[0]))
        this.refuse('UNVERIFIED', 'a peer that has not proved its key may read only');
      return 1;
    }
    if (this.isOutdated) return this.takeLate(updates);
    try {
      const { address } = peer;
      const claimant = { may: (count: number) => allowance.takeIfThere('clientIds', count), address };
      this.hasUsed = true;
      return await this.untilServed(() => replica.take(updates, this.origin, this, claimant));
    } catch (error) {
      if (!(error instanceof DocumentRenewed)) throw error;
      // It was told when the replica learned of it, or writes under what ended before it came.
      if (!this.isOutdated) this.tellRenewed();
      return this.takeLate(updates);
    }
  }

  /** @returns how many that are: what does not fit the document that has ended is nobody's fault */
  private async takeLate(updates: readonly Uint8Array[]): Promise<number> {
    await this.untilServed(() => this.parts.replica.takeLate(updates, this.origin, this.parts.peer));
    return updates.length;
  }

  /** Does what needs Postgres when it is there: the peer's messages wait meanwhile. */
  private async untilServed<Result>(work: () => Promise<Result> | Result): Promise<Result> {
    for (;;) {
      try {
        return await work();
      } catch (error) {
        if (!(error instanceof ProblemError) || error.code !== 'SERVICE_UNAVAILABLE') throw error;
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
    if (error instanceof UpdateRefused) return this.refuse(error.code, error.detail, false, error);
    if (error instanceof TooManyWriters)
      return this.refuse(
        'RATE',
        'a peer writes under a few client ids, and not under new ones each time',
        true,
      );
    this.parts.logger.error({ err: error }, 'A message of a peer could not be taken');
    this.refuse('INTERNAL', 'the message could not be taken', true);
  }

  private refuse(
    code: string,
    detail: string,
    closesNow = false,
    { max, got }: Pick<UpdateRefused, 'max' | 'got'> = {},
  ): void {
    this.refusals += 1;
    const closes = closesNow || this.refusals >= REFUSALS_MAX;
    this.parts.outlet.refused({ code, detail, closes, ...(max !== undefined && { max, got }) });
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

/** @throws UpdateRefused MALFORMED */
function stateVectorIn(message: Uint8Array): Uint8Array {
  const read = readSyncMessage(message);
  return read.kind === 'step1' ? read.stateVector : Uint8Array.of(0);
}
