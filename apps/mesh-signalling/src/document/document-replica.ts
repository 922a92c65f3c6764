import { type AppliedRun, MeshDocument, type Origin, UpdateRefused } from '@svc/mesh';
import type { Logger } from 'pino';
import type { DocumentStore, StoredRange } from './document-store.js';
import { StoredCursor } from './stored-cursor.js';
import type { StoredUpdate } from './stored-news.js';
import { type TakenUpdate, UpdateKeeper } from './update-keeper.js';

const SERVICE: Origin = { kind: 'service' };

/** What a replica tells those who look at it. */
export interface ReplicaListener {
  /** Updates are stored, and in the document: taken here, or elsewhere. `from` is whoever one came through here. */
  onStored?(updates: readonly StoredUpdate[]): void;
  /** Updates that were taken here were committed. */
  onCommitted?(updates: readonly TakenUpdate[], range: StoredRange): void;
  /** An update that was taken here cannot be stored, and is in the document no longer than until that is replaced. */
  onGivenUp?(update: TakenUpdate): void;
  /** The document is another one, read anew: what was made of the one before may hold what is stored nowhere. */
  onReplaced?(): void;
}

/** Asked before client ids become a peer's: false refuses. */
type MayClaim = (count: number) => boolean;

/**
 * This replica of the document: in memory, in step with what is stored.
 *
 * What a peer writes is judged and merged here first, then stored, and told to others when it is committed. So a replica that
 * dies loses nothing that anybody else was told of; what its own peers wrote and it has not stored, they send again wherever
 * they connect next. An id to write under is claimed in Postgres before its first operation is merged: of two replicas at which
 * two peers use the same one, one refuses.
 */
export class DocumentReplica {
  private current = new MeshDocument();
  private cursor = new StoredCursor();
  private readonly keeper: UpdateKeeper;
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
  ) {
    this.keeper = new UpdateKeeper({
      logger,
      append: updates => store.append(updates),
      onStored: (updates, range) => this.committed(updates, range),
      onRefused: update => {
        this.tell(listener => listener.onGivenUp?.(update));
        return this.renew();
      },
    });
  }

  get document(): MeshDocument {
    return this.current;
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
   * client id; that one is taken when it is the first. A promise where Postgres is asked for its client ids before; otherwise
   * they are in the document already.
   * @param from not told of them when they are stored
   * @returns how many were taken, at least one
   * @throws UpdateRefused where the first one is refused, also by the promise; ProblemError SERVICE_UNAVAILABLE by the promise
   */
  take(
    updates: readonly Uint8Array[],
    origin: Origin,
    from: object,
    mayClaim: MayClaim,
  ): Promise<number> | number {
    const { count, newWriters } = this.merge(updates, origin, from);
    return count > 0 ? count : this.takeOfNew(newWriters, updates, origin, from, mayClaim);
  }

  /** Writes as the service. @throws ProblemError SERVICE_UNAVAILABLE */
  async write(change: Parameters<MeshDocument['write']>[0]): Promise<void> {
    if (!this.mayWrite) await this.claimOwn();
    const bytes = this.current.write(change);
    if (bytes) this.keeper.add({ bytes, origin: SERVICE });
  }

  /** Reads what is stored, at the start. @throws ProblemError SERVICE_UNAVAILABLE; Error for a snapshot that was changed */
  load(): Promise<void> {
    return this.afterReading(async () => {
      this.enter(this.current, await this.store.writers());
      await this.readInto(this.current, this.cursor, { isFresh: true });
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
    return this.afterReading(async () => {
      const document = new MeshDocument({ writers: await this.store.writers() });
      const cursor = new StoredCursor();
      await this.readInto(document, cursor, { isFresh: true });
      // From here on nothing else happens in between: what is unstored now is all that the new document would lack.
      for (const [clientId, owner] of this.current.writers)
        if (!document.writers.has(clientId)) document.claimWriter(clientId, owner);
      this.keeper.giveUp(
        new Set(this.keeper.unstored.filter(({ bytes }) => !this.mergeTaken(document, bytes))),
      );
      [this.current, this.cursor, this.mayWrite, this.isSpoilt] = [document, cursor, false, false];
      this.tell(listener => listener.onReplaced?.());
      await this.readOn();
    });
  }

  /** Stores what it can within the time. */
  async close(withinMs: number): Promise<void> {
    const left = await this.keeper.close(withinMs);
    if (left > 0) this.logger.error({ updates: left }, 'Updates could not be stored before the end');
    await this.reading;
  }

  private async takeOfNew(
    clientIds: readonly number[],
    updates: readonly Uint8Array[],
    origin: Origin,
    from: object,
    mayClaim: MayClaim,
  ): Promise<number> {
    if (!mayClaim(clientIds.length)) throw new TooManyWriters();
    const owners = await this.store.claimWriters(clientIds, origin);
    this.enter(this.current, owners);
    // Judged again, against what the document is by now.
    return this.merge(updates, origin, from).count;
  }

  private merge(updates: readonly Uint8Array[], origin: Origin, from: object): AppliedRun {
    try {
      const applied = this.current.applyRun(updates, origin);
      const { stored: bytes, changes: count } = applied;
      if (bytes) this.keeper.add({ bytes, count, origin, from });
      return applied;
    } catch (error) {
      // What is merged in part is of no use to anybody.
      if (!(error instanceof UpdateRefused)) void this.renew();
      throw error;
    }
  }

  private async claimOwn(): Promise<void> {
    const document = this.current;
    const own = [...document.writers].filter(([, { kind }]) => kind === 'service').map(([id]) => id);
    const owners = await this.store.claimWriters(own, SERVICE);
    if (document !== this.current) return this.claimOwn();
    const lost = [...owners].find(([, { kind }]) => kind !== 'service');
    if (lost) {
      // Drawn at random, and somebody's already: another is drawn.
      await this.reload();
      return this.claimOwn();
    }
    this.mayWrite = true;
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
    await this.readInto(this.current, this.cursor, { onRead });
  }

  /** @param options.isFresh nobody writes to the document meanwhile, so it must be what the snapshot says */
  private async readInto(
    document: MeshDocument,
    cursor: StoredCursor,
    { isFresh, onRead }: { isFresh?: boolean; onRead?: (updates: readonly Uint8Array[]) => void },
  ): Promise<void> {
    for (;;) {
      const found = await this.store.read(cursor.seq);
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
        if (newWriters.length > 0) this.enter(document, await this.store.writers(newWriters));
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
  private async renew(): Promise<void> {
    this.isSpoilt = true;
    await this.reload().catch((error: unknown) =>
      this.logger.error({ err: error }, 'The document could not be read anew yet'),
    );
  }
}

/** A peer asks for more client ids than it may have in such a time. */
export class TooManyWriters extends Error {
  constructor() {
    super('too many client ids of one peer');
    this.name = 'TooManyWriters';
  }
}
