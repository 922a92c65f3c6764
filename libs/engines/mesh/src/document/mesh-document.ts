import * as Y from 'yjs';
import { CarriedChange } from './carried-change.js';
import { DOCUMENT_BOUNDS, type DocumentBounds } from './document-bounds.js';
import { DocumentSize, writtenBytes } from './document-size.js';
import { DocumentView } from './document-view.js';
import { type Judgement, judgeUpdate } from './judge-update.js';
import { changeOf, mergeInChange, mergeJudged } from './merge-judged.js';
import { type DocumentState, documentState, hashState } from './state-hash.js';
import { type SyncReplica, SyncSession, type SyncSessionOptions, type Applied } from './sync-session.js';
import { readUpdate } from './update-reader.js';
import { requireAtMost, UpdateRefused } from './update-refused.js';
import { type Origin, WriterRegistry } from './writer-registry.js';

/** A peer as the service enters it, under the hex SHA-256 of its public key. */
export interface MeshNode {
  readonly publicKey: string;
  readonly identity: 'verified' | 'unverified';
  /** Unix milliseconds. */
  readonly since: number;
}

export interface MeshDocumentOptions {
  readonly bounds?: Partial<DocumentBounds>;
  /** Of the document as it was kept, one update; trusted. */
  readonly snapshot?: Uint8Array;
  /** Who wrote in it under which client id; ids of the snapshot that are not among them are the service's. */
  readonly writers?: Iterable<readonly [clientId: number, owner: Origin]>;
}

/** What became of updates that one origin sent one behind the other. */
export interface AppliedRun {
  /** So many of the first ones were taken. */
  readonly count: number;
  /** How many of those had something new. */
  readonly changes: number;
  /** What was new in them, as one update. None where nothing was. */
  readonly stored?: Uint8Array;
  /** Where none was taken: client ids to be claimed before the first one may be. */
  readonly newWriters: readonly number[];
}

const SERVICE: Origin = { kind: 'service' };

/**
 * One of the service's replicas of the mesh's document, and who may write what in it.
 *
 * Two maps: `nodes`, which the service alone writes ({@link MeshNode} under the hash of its key), and `shared`, where every peer
 * may set and delete whatever it likes: JSON, or maps, lists and texts inside each other. An update is judged whole before any
 * of it is merged, so one that is refused leaves no trace; what judging costs is bounded by the update's bytes and by
 * `stepsMax`, whatever the size of the document.
 *
 * A peer hands on its own writing alone; others' comes by way of the service, which holds that a client id is for whoever used
 * it first. Between replicas of the service, what one has taken the others must take: it is applied with the origin `service`
 * (no bounds of size or work, no ownership), after {@link claimWriter} for what is new.
 */
export class MeshDocument {
  readonly bounds: DocumentBounds;
  readonly #document = new Y.Doc();
  readonly #view = new DocumentView(this.#document);
  readonly #writers: WriterRegistry;
  readonly #size: DocumentSize;
  #hash?: string;

  /** @throws UpdateRefused for a snapshot that no replica made */
  constructor({ bounds, snapshot, writers = [] }: MeshDocumentOptions = {}) {
    this.bounds = { ...DOCUMENT_BOUNDS, ...bounds };
    this.#writers = new WriterRegistry(writers, this.bounds.writersMax);
    if (snapshot) this.#merge(snapshot, this.#judgeBytes(snapshot, SERVICE));
    this.#claimFree([...this.#document.store.clients.keys(), this.#document.clientID], SERVICE);
    this.#size = new DocumentSize(this.#document, this.bounds.documentBytesMax);
  }

  /** What the document says, as JSON: a copy. */
  get state(): DocumentState {
    return documentState(this.#document);
  }

  /** {@link stateHash} of the document; counted again only after a change. */
  get stateHash(): string {
    return (this.#hash ??= hashState(this.state));
  }

  get stateVector(): Uint8Array {
    return Y.encodeStateVector(this.#document);
  }

  get writers(): ReadonlyMap<number, Origin> {
    return this.#writers.owners;
  }

  /** Upper bound of the bytes of {@link encode}. */
  get bytesAtMost(): number {
    return this.#size.bytesAtMost;
  }

  /**
   * One update with all that a replica lacks that has `stateVector`, and with all deletions; without it, the whole.
   * @throws Error where the state vector is not one
   */
  encode(stateVector?: Uint8Array): Uint8Array {
    return Y.encodeStateAsUpdate(this.#document, stateVector);
  }

  /**
   * Says what {@link apply} would do, and does not do it: to claim new writers where all replicas see it before they write.
   * @throws UpdateRefused as {@link apply}
   */
  judge(
    update: Uint8Array,
    origin: Origin,
  ): Pick<Applied, 'changed' | 'newWriters'> & { readonly deletesAlone: boolean } {
    const { judged, newWriters } = this.#judge(update, origin);
    return { changed: judged.changes, newWriters, deletesAlone: judged.writers.length === 0 };
  }

  /**
   * Merges an update, of which it passes over what is known.
   * @param update Yjs encoding v1
   * @throws UpdateRefused with the document as it was; INCOMPLETE asks to be answered by {@link stateVector}
   */
  apply(update: Uint8Array, origin: Origin): Applied {
    const { judged, newWriters } = this.#judge(update, origin);
    if (!judged.changes) return { changed: false, newWriters: [] };
    const stored = this.#merge(update, judged);
    for (const clientId of newWriters) this.#writers.claim(clientId, origin);
    this.#size.grow(update.length + judged.growthBytes);
    return { changed: true, stored, newWriters };
  }

  /**
   * Merges updates as {@link apply} would one after the other, as one change: of hundreds of small ones that costs a fraction.
   * It ends before one that is refused or that writes under a client id that is nobody's yet, but for the first.
   * @throws UpdateRefused where the first is refused
   */
  applyRun(updates: readonly Uint8Array[], origin: Origin): AppliedRun {
    let [count, changes, growthBytes] = [0, 0, 0];
    let newWriters: readonly number[] = [];
    const takesNext = (update: Uint8Array): boolean => {
      const { judged, newWriters: unclaimed } = this.#judge(update, origin, growthBytes);
      if (count === 0) newWriters = unclaimed;
      if (unclaimed.length > 0) return false;
      count += 1;
      if (!judged.changes) return true;
      this.#hash = undefined;
      mergeInChange(this.#document, update, judged, this);
      changes += 1;
      growthBytes += update.length + judged.growthBytes;
      return true;
    };
    const stored = changeOf(this.#document, this, () => {
      try {
        for (const update of updates) if (!takesNext(update)) break;
      } catch (error) {
        // Judged again at the head of a run: what was overwritten in this one is still in the document, and takes its room.
        if (count === 0 || !(error instanceof UpdateRefused)) throw error;
      }
    });
    this.#size.grow(growthBytes);
    return { count, changes, stored, newWriters };
  }

  /** Begins a session on a channel to whoever `origin` is; what {@link SyncSession.receive} gives back is to be kept. */
  open(origin: Origin, send: (message: Uint8Array) => void, options: SyncSessionOptions = {}): SyncSession {
    const replica: SyncReplica = {
      readStateVector: () => this.stateVector,
      encode: stateVector => this.encode(stateVector),
      apply: update => this.apply(update, origin),
    };
    const { updateBytesMax, documentBytesMax } = this.bounds;
    const assembledBytesMax = origin.kind === 'peer' ? updateBytesMax : documentBytesMax;
    const session = new SyncSession(replica, send, { assembledBytesMax, ...options });
    session.begin();
    return session;
  }

  /**
   * Changes the document as the service: all in one transaction.
   * @returns the update to keep and hand on; none where nothing changed
   * @example
   * document.write(({ nodes }) => nodes.set(hash, { publicKey, identity: 'verified', since: Date.now() }));
   */
  write(
    change: (roots: { readonly nodes: Y.Map<MeshNode>; readonly shared: Y.Map<unknown> }) => void,
  ): Uint8Array | undefined {
    let written: Uint8Array | undefined;
    const onUpdate = (update: Uint8Array) => (written = update);
    this.#document.on('update', onUpdate);
    try {
      const roots = {
        nodes: this.#document.getMap<MeshNode>('nodes'),
        shared: this.#document.getMap('shared'),
      };
      this.#document.transact(() => change(roots));
    } finally {
      this.#document.off('update', onUpdate);
      this.#hash = undefined;
    }
    if (written) this.#size.grow(written.length);
    return written;
  }

  /** Bytes that what was written under a client id, and still stands here, takes of {@link encode}. */
  bytesOf(clientId: number): number {
    return writtenBytes(this.#document, clientId);
  }

  /** From now on any number of client ids may write: of a document that is kept for what is late, and for a short time. */
  liftWritersBound(): void {
    this.#writers.liftBound();
  }

  /**
   * What updates that are merged here have changed in `shared`, to be written into another document.
   * @param updates whole: what they build on is here
   */
  carried(updates: readonly Uint8Array[]): CarriedChange {
    return CarriedChange.of(this.#document, updates);
  }

  /**
   * Client ids of a state vector that have written nothing here, and are nobody's.
   * @throws Error where it is not one
   */
  strangersIn(stateVector: Uint8Array): number[] {
    const clientIds = [...Y.decodeStateVector(stateVector).keys()];
    return clientIds.filter(id => this.#view.clockOf(id) === 0 && !this.writers.has(id));
  }

  /**
   * Enters who writes under a client id, as another replica has found.
   * @throws UpdateRefused FOREIGN_WRITER where it is another's
   */
  claimWriter(clientId: number, owner: Origin): void {
    this.#writers.claim(clientId, owner);
  }

  /** @param grownBytes of the change at hand, which the size does not have yet */
  #judge(update: Uint8Array, origin: Origin, grownBytes = 0): { judged: Judgement; newWriters: number[] } {
    const judged = this.#judgeBytes(update, origin);
    const newWriters = this.#writers.unclaimed(judged.writers, origin);
    if (origin.kind === 'peer' && judged.changes)
      this.#size.requireRoom(grownBytes + update.length + judged.growthBytes, judged.writers.length === 0);
    return { judged, newWriters };
  }

  #judgeBytes(update: Uint8Array, origin: Origin): Judgement {
    const isPeer = origin.kind === 'peer';
    if (isPeer) requireAtMost('TOO_LARGE', 'bytes of an update', update.length, this.bounds.updateBytesMax);
    return judgeUpdate(this.#view, readUpdate(update, this.bounds), { isPeer, bounds: this.bounds });
  }

  #merge(update: Uint8Array, judged: Judgement): Uint8Array | undefined {
    if (!judged.changes) return undefined;
    this.#hash = undefined;
    return mergeJudged(this.#document, update, judged, this);
  }

  #claimFree(clientIds: readonly number[], origin: Origin): void {
    for (const clientId of this.#writers.unclaimed(clientIds, origin)) this.#writers.claim(clientId, origin);
  }
}
