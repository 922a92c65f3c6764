import {
  type AppliedRun,
  type CarriedChange,
  DOCUMENT_BOUNDS,
  type DocumentBounds,
  MeshDocument,
  type Origin,
  UpdateRefused,
} from '@svc/mesh';
import type { Logger } from 'pino';
import { AddressShares } from './address-shares.js';
import { makeRenewal } from './document-compactor.js';
import {
  DocumentRenewed,
  type DocumentStore,
  type Renewal,
  type RenewalAct,
  type RenewalTime,
  type StoredRange,
} from './document-store.js';
import { EndedDocument } from './ended-document.js';
import { StoredCursor } from './stored-cursor.js';
import type { StoredUpdate } from './stored-news.js';
import { type TakenUpdate, UpdateKeeper } from './update-keeper.js';

const SERVICE: Origin = { kind: 'service' };
/** Of the bound of client ids: with so many the document is begun anew. */
const CROWDED_SHARE = 3 / 4;
/** Of the bounds of client ids and of bytes, what one address may have: of ids, and of bytes of epochs that ended, within {@link SHARE_MS}. */
const ADDRESS_SHARE = 1 / 4;
const SHARE_MS = 60 * 60 * 1_000;
/** Least time between two times that the document is begun anew by itself, milliseconds: every peer gets all of it then. */
const RENEWAL_GAP_MS = 60_000;
/** How long what peers wrote before they heard of it is taken over into a document that was begun anew, milliseconds. */
const LATE_MS = 60_000;
/** A state vector with more client ids that nobody knows is of a document that ended long ago. */
const STRANGERS_MAX = 64;

/** How a replica bounds its document; by default as the constants of this file say. */
export interface ReplicaOptions {
  readonly bounds?: Partial<DocumentBounds>;
  /** Least time between two times that it is begun anew by itself, milliseconds. */
  readonly renewalGapMs?: number;
  /** Within which an address may have its share, milliseconds. */
  readonly shareMs?: number;
  /** How long what is late is taken over into a document that was begun anew, milliseconds. */
  readonly lateMs?: number;
}

/** Who writes, and may ask for client ids. */
export interface Claimant {
  /** Whether it may have so many client ids. */
  may(count: number): boolean;
  /** Keyed digest of the caller's address; none has no share. */
  readonly address?: string | undefined;
}

/** What a replica tells those who look at it. */
export interface ReplicaListener {
  /** Updates are stored, and in the document: taken here, or elsewhere. `from` is whoever one came through here. */
  onStored?(updates: readonly StoredUpdate[]): void;
  /** Updates that were taken here were committed. */
  onCommitted?(updates: readonly TakenUpdate[], range: StoredRange): void;
  /** An update that was taken here cannot be stored, and is in the document no longer than until that is replaced. */
  onGivenUp?(update: TakenUpdate): void;
  /**
   * The document is another one, read anew: what was made of the one before may hold what is stored nowhere.
   * @param isRenewed it was begun anew: nothing that was made of the one before fits it
   */
  onReplaced?(isRenewed: boolean): void;
  /** The document was begun anew by this replica. */
  onRenewed?(range: StoredRange): void;
}

/**
 * This replica of the document: in memory, in step with what is stored.
 *
 * What a peer writes is judged and merged here first, then stored, and told to others when it is committed. So a replica that
 * dies loses nothing that anybody else was told of; what its own peers wrote and it has not stored, they send again wherever
 * they connect next. An id to write under is claimed in Postgres before its first operation is merged: of two replicas at which
 * two peers use the same one, one refuses.
 */
export class DocumentReplica {
  private current: MeshDocument;
  private cursor = new StoredCursor();
  private currentEpoch = 0;
  private renewing: Promise<unknown> | undefined;
  private readonly keeper: UpdateKeeper;
  private readonly shares: AddressShares;
  private readonly ended: EndedDocument;
  private readonly listeners = new Set<ReplicaListener>();
  /** What reads from Postgres goes one after the other. */
  private reading: Promise<void> = Promise.resolve();
  private catching: Promise<void> | undefined;
  /** Whether this replica's own client id is claimed. */
  private mayWrite = false;
  /** The document holds what nobody else will ever have, and is to be read anew. */
  private isSpoilt = false;

  constructor(
    private readonly store: DocumentStore,
    private readonly logger: Logger,
    private readonly options: ReplicaOptions = {},
  ) {
    this.current = this.emptyDocument();
    const bytesMax = Math.floor(this.current.bounds.documentBytesMax * ADDRESS_SHARE);
    this.shares = new AddressShares(bytesMax, address => this.bytesFrom(address));
    this.ended = new EndedDocument(options.lateMs ?? LATE_MS, this.shares);
    this.keeper = new UpdateKeeper({
      logger,
      append: updates => store.append(updates),
      onStored: (updates, range) => this.committed(updates, range),
      onRefused: update => {
        this.tell(listener => listener.onGivenUp?.(update));
        return this.readAnewSoon();
      },
      onRenewed: () => this.reload(),
    });
  }

  get document(): MeshDocument {
    return this.current;
  }

  /** How often the document was begun anew. */
  get epoch(): number {
    return this.currentEpoch;
  }

  /** Whether what is late is taken over no more, or there is nothing that it could be of. */
  get hasEnded(): boolean {
    return !this.ended.isKept;
  }

  /** Up to where all that is stored is in the document. */
  get seq(): number {
    return this.cursor.seq;
  }

  /** Whether the document is what is stored up to {@link seq}, no more and no less. */
  get isAtRest(): boolean {
    return this.keeper.unstored.length === 0 && !this.cursor.hasGap;
  }

  /** Whether something was stored here behind what others have stored and is not here. */
  get hasGap(): boolean {
    return this.cursor.hasGap;
  }

  /** How many updates were taken here, and how many of these are stored: always the first ones. */
  get counts(): { readonly taken: number; readonly stored: number } {
    return { taken: this.keeper.addedCount, stored: this.keeper.storedCount };
  }

  /** Whether more may be taken from peers; false while too much waits for Postgres, or the document is of no use. */
  get hasRoom(): boolean {
    return this.keeper.hasRoom && !this.isSpoilt;
  }

  listen(listener: ReplicaListener): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  /** Resolves when all that was taken so far is stored. */
  whenStored(): Promise<void> {
    return this.keeper.whenStored();
  }

  /**
   * Takes a peer's updates that came one behind the other, in one piece, up to one that is refused or that writes under a new
   * client id; that one is taken when it is the first. A promise where Postgres is asked for its client ids before, or for those of
   * its address, whose bytes are measured; otherwise they are in the document already.
   * @param from not told of them when they are stored
   * @returns how many were taken, at least one
   * @throws UpdateRefused where the first one is refused, also by the promise; by the promise ProblemError SERVICE_UNAVAILABLE, and
   *   DocumentRenewed where a client id is of a document that has ended
   */
  take(
    updates: readonly Uint8Array[],
    origin: Origin,
    from: object,
    claimant: Claimant,
  ): Promise<number> | number {
    const { address } = claimant;
    if (address === undefined) return this.takeWithin(updates, origin, from, claimant);
    const count = this.shares.countWithin(address, updates);
    if (count === 0) return this.takeMeasured(updates, origin, from, { ...claimant, address });
    return this.takeWithin(updates.slice(0, count), origin, from, claimant);
  }

  private takeWithin(
    updates: readonly Uint8Array[],
    origin: Origin,
    from: object,
    claimant: Claimant,
  ): Promise<number> | number {
    try {
      const { count, newWriters } = this.merge(updates, origin, from, claimant);
      if (count > 0) return count;
      const taken = this.takeOfNew(newWriters, updates, origin, from, claimant);
      return taken.catch((error: unknown) => this.makeRoomFor(error));
    } catch (error) {
      return this.makeRoomFor(error);
    }
  }

  /**
   * Takes over what a peer wrote in the document that has ended, before it heard of that: the values of the keys that it changed.
   * @throws UpdateRefused as {@link EndedDocument.take}; ProblemError SERVICE_UNAVAILABLE
   */
  async takeLate(
    updates: readonly Uint8Array[],
    origin: Origin,
    { address }: Pick<Claimant, 'address'> = {},
  ): Promise<void> {
    const carrying = this.ended.take(updates, origin, address);
    if (carrying) await this.write(carrying);
  }

  /**
   * Whether a replica with this state vector has a document that has ended. Postgres is asked only of client ids that are new here.
   * @throws UpdateRefused MALFORMED; ProblemError SERVICE_UNAVAILABLE
   */
  async isOfEnded(stateVector: Uint8Array): Promise<boolean> {
    const { current, epoch } = this;
    const strangers = strangersIn(current, stateVector);
    if (strangers.length === 0) return false;
    return strangers.length > STRANGERS_MAX || this.store.hasEnded(strangers, epoch);
  }

  /**
   * Begins the document anew: with its content or empty, under one client id, which makes room for those that are to come.
   * @param when not where the epoch is another one by then, or begun less than `gapMs` ago; by default always
   * @returns undefined where it did not come to it
   * @throws ProblemError SERVICE_UNAVAILABLE: then it may be done all the same
   */
  renew(act: RenewalAct): Promise<Renewal>;
  renew(act: RenewalAct, when: RenewalTime): Promise<Renewal | undefined>;
  async renew(act: RenewalAct, when?: RenewalTime): Promise<Renewal | undefined> {
    const renewal = await this.store.renew(from => makeRenewal(from, act.content), act, when);
    if (renewal) {
      const { epoch, writers, bytes, bytesBefore } = renewal;
      this.logger.info({ epoch, writers, bytes, bytesBefore, ...act }, 'The document was begun anew');
      this.tell(listener => listener.onRenewed?.(renewal.range));
    }
    await this.catchUp();
    return renewal;
  }

  /** Writes as the service. @throws ProblemError SERVICE_UNAVAILABLE */
  async write(change: Parameters<MeshDocument['write']>[0]): Promise<void> {
    if (!this.mayWrite) await this.claimOwn();
    this.writeNow(change);
  }

  /** Reads what is stored, at the start. @throws ProblemError SERVICE_UNAVAILABLE; Error for a snapshot that was changed */
  load(): Promise<void> {
    return this.afterReading(async () => {
      const { document, cursor, epoch } = await this.readFresh();
      [this.current, this.cursor, this.currentEpoch] = [document, cursor, epoch];
    });
  }

  /** Reads all that is stored and not here. Those who ask before it runs share the run. */
  catchUp(): Promise<void> {
    if (this.isSpoilt) return this.reload();
    this.catching ??= this.afterReading(() => {
      this.catching = undefined;
      return this.readOn();
    });
    return this.catching;
  }

  /** Takes what another replica has stored, where nothing is missing before it, and reads what is stored otherwise. */
  takeStored(range: StoredRange, updates: readonly Uint8Array[]): Promise<void> {
    if (range.upto <= this.seq) return Promise.resolve();
    return this.afterReading(async () => {
      if (range.upto <= this.seq) return;
      if (range.after > this.seq) return this.readOn();
      await this.mergeStored(updates);
      this.cursor.moveTo(range.upto);
    });
  }

  /** Reads the whole document anew, and adds what is not stored yet. @throws ProblemError SERVICE_UNAVAILABLE */
  reload(): Promise<void> {
    return this.afterReading(() => this.readAnew());
  }

  /** Stores what it can within the time. */
  async close(withinMs: number): Promise<void> {
    this.ended.close();
    const left = await this.keeper.close(withinMs);
    if (left > 0) this.logger.error({ updates: left }, 'Updates could not be stored before the end');
    await this.renewing;
    await this.reading;
  }

  /** Takes the first of them where its address has room for it; what only deletes, or says nothing new, needs none. */
  private async takeMeasured(
    updates: readonly Uint8Array[],
    origin: Origin,
    from: object,
    claimant: Claimant & { readonly address: string },
  ): Promise<number> {
    const { epoch } = this;
    const { address } = claimant;
    const [{ length }] = updates;
    await this.shares.measured(address, length);
    if (epoch !== this.epoch) throw new DocumentRenewed();
    const count = this.shares.countWithin(address, updates, true);
    if (count > 0) return this.takeWithin(updates.slice(0, count), origin, from, claimant);
    const { changed, deletesAlone } = this.current.judge(updates[0], origin);
    if (changed && !deletesAlone) this.shares.require(address, length);
    return this.takeWithin(updates.slice(0, 1), origin, from, claimant);
  }

  /** What of an address is in the document. */
  private async bytesFrom(address: string): Promise<number> {
    const withinMs = this.options.shareMs ?? SHARE_MS;
    const { clientIds, endedBytes } = await this.store.writingOf(address, this.epoch, withinMs);
    return clientIds.reduce((bytes, clientId) => bytes + this.current.bytesOf(clientId), endedBytes);
  }

  private async takeOfNew(
    clientIds: readonly number[],
    updates: readonly Uint8Array[],
    origin: Origin,
    from: object,
    claimant: Claimant,
  ): Promise<number> {
    const { may, address } = claimant;
    if (!may(clientIds.length)) throw new TooManyWriters();
    const { epoch } = this;
    const { writersMax } = this.current.bounds;
    const share = address !== undefined && {
      share: {
        address,
        max: Math.floor(writersMax * ADDRESS_SHARE),
        withinMs: this.options.shareMs ?? SHARE_MS,
      },
    };
    const owners = await this.store
      .claimWriters(clientIds, origin, { epoch, ...share })
      .catch(async (error: unknown) => {
        // Begun anew by another replica, or before the peer came.
        if (error instanceof DocumentRenewed) await this.catchUp();
        throw error;
      });
    if (epoch !== this.epoch) throw new DocumentRenewed();
    this.enter(this.current, owners);
    if (this.current.writers.size >= writersMax * CROWDED_SHARE) void this.makeRoom();
    // Judged again, against what the document is by now.
    return this.merge(updates, origin, from, claimant).count;
  }

  /** @throws what was thrown; DocumentRenewed where that was for want of client ids, and now there are some */
  private async makeRoomFor(error: unknown): Promise<never> {
    const { epoch } = this;
    const { writersMax } = this.current.bounds;
    const isFull =
      error instanceof UpdateRefused && error.code === 'DOCUMENT_FULL' && error.max === writersMax;
    if (isFull) await this.makeRoom();
    throw epoch === this.epoch ? error : new DocumentRenewed();
  }

  /** Begins the document anew for those who come, of all replicas one. Never rejects. */
  private makeRoom(): Promise<unknown> {
    const { epoch } = this;
    const act = { content: 'kept', reason: 'client ids' } as const;
    const gapMs = this.options.renewalGapMs ?? RENEWAL_GAP_MS;
    return (this.renewing ??= this.renew(act, { epoch, gapMs })
      .catch((error: unknown) =>
        this.logger.warn({ reason: (error as Error).message }, 'The document was not begun anew'),
      )
      .finally(() => (this.renewing = undefined)));
  }

  private carry(change: CarriedChange): void {
    this.writeNow(({ shared }) => change.writeTo(shared));
  }

  private writeNow(change: Parameters<MeshDocument['write']>[0]): void {
    const bytes = this.current.write(change);
    if (bytes) this.keeper.add({ bytes, origin: SERVICE, epoch: this.epoch });
  }

  private merge(
    updates: readonly Uint8Array[],
    origin: Origin,
    from: object,
    { address }: Claimant,
  ): AppliedRun {
    try {
      const applied = this.current.applyRun(updates, origin);
      const { stored: bytes, changes: count } = applied;
      if (bytes && address !== undefined) this.shares.took(address, bytes.length);
      if (bytes) this.keeper.add({ bytes, count, origin, from, epoch: this.epoch });
      return applied;
    } catch (error) {
      // What is merged in part is of no use to anybody.
      if (!(error instanceof UpdateRefused)) void this.readAnewSoon();
      throw error;
    }
  }

  private async claimOwn(): Promise<void> {
    const document = this.current;
    const isClaimed = await this.claimOwnOf(document, this.epoch);
    if (document !== this.current) return this.claimOwn();
    if (!isClaimed) {
      // Drawn at random, and somebody's already: another is drawn.
      await this.reload();
      return this.claimOwn();
    }
    this.mayWrite = true;
  }

  /** Claims the client ids that the service writes under in a document; false where one is another's. */
  private async claimOwnOf(document: MeshDocument, epoch: number): Promise<boolean> {
    const own = [...document.writers].filter(([, { kind }]) => kind === 'service').map(([id]) => id);
    try {
      const owners = await this.store.claimWriters(own, SERVICE, { epoch });
      return [...owners].every(([, { kind }]) => kind === 'service');
    } catch (error) {
      if (error instanceof DocumentRenewed) return false;
      throw error;
    }
  }

  private committed(updates: readonly TakenUpdate[], range: StoredRange): void {
    this.cursor.take(range);
    this.tell(listener => {
      listener.onStored?.(updates);
      listener.onCommitted?.(updates, range);
    });
  }

  private async readOn(): Promise<void> {
    const onRead = (updates: readonly Uint8Array[]) =>
      this.tell(listener => listener.onStored?.(updates.map(bytes => ({ bytes }))));
    try {
      await this.readInto(this.current, this.cursor, { epoch: this.epoch, onRead });
    } catch (error) {
      if (!(error instanceof DocumentRenewed)) throw error;
      await this.readAnew();
    }
  }

  private async readAnew(): Promise<void> {
    const { document, cursor, epoch } = await this.readFresh();
    const isRenewed = epoch !== this.epoch;
    // Before, so that what is taken over is written before anybody else writes there.
    if (isRenewed && !(await this.claimOwnOf(document, epoch))) return this.readAnew();
    // From here on nothing else happens in between: what is unstored now is all that the new document lacks.
    const carried = isRenewed && this.current.carried(this.keeper.drop().map(({ bytes }) => bytes));
    if (isRenewed) {
      this.ended.keep(this.current);
      this.shares.clear();
    } else this.bringUnstored(document);
    [this.current, this.cursor, this.currentEpoch] = [document, cursor, epoch];
    [this.mayWrite, this.isSpoilt] = [isRenewed, false];
    if (carried) this.carry(carried);
    this.tell(listener => listener.onReplaced?.(isRenewed));
    await this.readOn();
  }

  /** What is not stored yet goes into a document that was read anew, or is given up. */
  private bringUnstored(document: MeshDocument): void {
    for (const [clientId, owner] of this.current.writers)
      if (!document.writers.has(clientId)) document.claimWriter(clientId, owner);
    this.keeper.giveUp(
      new Set(this.keeper.unstored.filter(({ bytes }) => !this.mergeTaken(document, bytes))),
    );
  }

  /** The document as it is stored. */
  private async readFresh(): Promise<{ document: MeshDocument; cursor: StoredCursor; epoch: number }> {
    for (;;) {
      const { epoch, owners } = await this.store.writers();
      const document = this.emptyDocument(owners);
      const cursor = new StoredCursor();
      try {
        await this.readInto(document, cursor, { epoch, isFresh: true });
        return { document, cursor, epoch };
      } catch (error) {
        // Begun anew between two readings.
        if (!(error instanceof DocumentRenewed)) throw error;
      }
    }
  }

  private emptyDocument(writers: ReadonlyMap<number, Origin> = new Map()): MeshDocument {
    return new MeshDocument({ bounds: this.options.bounds ?? DOCUMENT_BOUNDS, writers });
  }

  /**
   * @param options.isFresh nobody writes to the document meanwhile, so it must be what the snapshot says
   * @throws DocumentRenewed where what is stored is of another epoch
   */
  private async readInto(
    document: MeshDocument,
    cursor: StoredCursor,
    {
      epoch,
      isFresh,
      onRead,
    }: { epoch: number; isFresh?: boolean; onRead?: (updates: readonly Uint8Array[]) => void },
  ): Promise<void> {
    for (;;) {
      const found = await this.store.read(cursor.seq);
      if (found.epoch !== epoch) throw new DocumentRenewed();
      const updates = 'updates' in found ? found.updates : [found.bytes];
      if (updates.length === 0) return;
      const checks = isFresh && cursor.seq === 0 && 'stateHash' in found;
      await this.mergeInto(document, updates);
      if (checks && found.stateHash !== document.stateHash)
        throw new Error('the stored snapshot is not what was written');
      cursor.moveTo(found.upto);
      // Also what was here: of this replica's own, the commit may not be known here yet, and what comes next builds on it.
      onRead?.(updates);
    }
  }

  private async mergeStored(updates: readonly Uint8Array[]): Promise<void> {
    const changed = await this.mergeInto(this.current, updates);
    this.tell(listener => listener.onStored?.(changed.map(bytes => ({ bytes }))));
  }

  /** @returns what was new */
  private async mergeInto(document: MeshDocument, updates: readonly Uint8Array[]): Promise<Uint8Array[]> {
    const changed: Uint8Array[] = [];
    for (const update of updates) {
      try {
        const { newWriters } = document.judge(update, SERVICE);
        if (newWriters.length > 0) this.enter(document, (await this.store.writers(newWriters)).owners);
        const { stored } = document.apply(update, SERVICE);
        if (stored) changed.push(stored);
      } catch (error) {
        if (!(error instanceof UpdateRefused)) throw error;
        // Every replica passes over the same ones: what they build on is stored nowhere.
        this.logger.error({ reason: error.message }, 'A stored update does not fit the document');
      }
    }
    return changed;
  }

  /** Whether it builds on nothing that is not there. */
  private mergeTaken(document: MeshDocument, update: Uint8Array): boolean {
    try {
      document.apply(update, SERVICE);
      return true;
    } catch (error) {
      if (!(error instanceof UpdateRefused)) throw error;
      this.logger.error({ reason: error.message }, 'An update that was not stored yet is given up');
      return false;
    }
  }

  private enter(document: MeshDocument, owners: ReadonlyMap<number, Origin>): void {
    for (const [clientId, owner] of owners)
      if (!document.writers.has(clientId)) document.claimWriter(clientId, owner);
  }

  private afterReading(work: () => Promise<void>): Promise<void> {
    const done = this.reading.then(work);
    this.reading = done.catch(() => undefined);
    return done;
  }

  private tell(what: (listener: ReplicaListener) => void): void {
    for (const listener of [...this.listeners]) what(listener);
  }

  /** Reads the document anew now, or with the next {@link catchUp}. Never rejects. */
  private async readAnewSoon(): Promise<void> {
    this.isSpoilt = true;
    await this.reload().catch((error: unknown) =>
      this.logger.error({ err: error }, 'The document could not be read anew yet'),
    );
  }
}

/** @throws UpdateRefused MALFORMED */
function strangersIn(document: MeshDocument, stateVector: Uint8Array): number[] {
  try {
    return document.strangersIn(stateVector);
  } catch {
    throw new UpdateRefused('MALFORMED', 'a state vector that is not one');
  }
}

/** A peer asks for more client ids than it may have in such a time. */
export class TooManyWriters extends Error {
  constructor() {
    super('too many client ids of one peer');
    this.name = 'TooManyWriters';
  }
}
