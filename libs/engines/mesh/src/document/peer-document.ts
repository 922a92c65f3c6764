import * as Y from 'yjs';
import { CarriedChange, type Touch, touchedBy } from './carried-change.js';
import { DOCUMENT_BOUNDS } from './document-bounds.js';
import { DocumentView } from './document-view.js';
import { judgeUpdate } from './judge-update.js';
import { mergeJudged } from './merge-judged.js';
import type { MeshNode } from './mesh-document.js';
import { stateHash } from './state-hash.js';
import { type SyncReplica, SyncSession, type SyncSessionOptions, type Applied } from './sync-session.js';
import { readUpdate } from './update-reader.js';
import { requireAtMost, UpdateRefused } from './update-refused.js';

const RECEIVED = Symbol('received');
/** What was sent so long ago is taken or refused, milliseconds. */
const SETTLED_MS = 10_000;

export interface PeerDocumentOptions {
  /**
   * Told of a change that the service would refuse, which is then not sent. The document holds it all the same, as Yjs takes
   * nothing back: {@link PeerDocument.withoutRefused} is to take its place. Without it, the service is left to refuse.
   */
  readonly onRefused?: (refused: UpdateRefused) => void;
  /** Told of what is written after another document has taken the place of this one. */
  readonly onOutdated?: (change: CarriedChange) => void;
  /** A clock that never goes back, milliseconds. */
  readonly nowMs?: () => number;
}

/**
 * A peer's replica: change `shared`, read both maps, open a session over a data channel to the service. What is changed goes
 * out of itself; of what comes in only the form is judged, as the service may write anything.
 *
 * @example
 * const peer = new PeerDocument();
 * const session = peer.open(bytes => channel.send(bytes));
 * channel.onmessage = ({ data }) => session.receive(new Uint8Array(data));
 * peer.shared.set('course', { headingDegrees: 270 });
 */
export class PeerDocument implements SyncReplica {
  readonly document = new Y.Doc();
  readonly shared: Y.Map<unknown> = this.document.getMap('shared');
  /** The service's: what is written there by anyone else is refused by it. */
  readonly nodes: Y.Map<MeshNode> = this.document.getMap('nodes');
  readonly #view = new DocumentView(this.document);
  readonly #ownClients = new Set<number>();
  readonly #sessions = new Set<SyncSession>();
  readonly #nowMs: () => number;
  /** What is here but for a change that was refused; kept where changes are judged. */
  readonly #accepted: { readonly document: Y.Doc; readonly view: DocumentView } | undefined;
  /** Keys of `shared` that were written here and may be unknown to the service, and when they were sent. */
  readonly #unsettled = new Map<string, { readonly sentAt: number; readonly touch: Touch }>();
  /** What documents before had and the service may not: written when all of the service's is here. */
  #carried: readonly CarriedChange[] = [];
  #isOutdated = false;

  constructor(private readonly options: PeerDocumentOptions = {}) {
    this.#nowMs = options.nowMs ?? (() => performance.now());
    if (options.onRefused) {
      const document = new Y.Doc();
      this.#accepted = { document, view: new DocumentView(document) };
    }
    this.document.on('update', (update: Uint8Array, origin: unknown) => {
      if (origin === RECEIVED) this.#accept(update);
      else this.#changed(update);
    });
  }

  /** {@link stateHash}: the same as the service's once both have the same. */
  get stateHash(): string {
    return stateHash(this.document);
  }

  readStateVector(): Uint8Array {
    return Y.encodeStateVector(this.document);
  }

  /** Begins a session on a channel that is open; changes go out there until it is closed. */
  open(send: (message: Uint8Array) => void, options?: SyncSessionOptions): SyncSession {
    const session = new SyncSession(this, send, options);
    this.#sessions.add(session);
    session.begin();
    return session;
  }

  close(session: SyncSession): void {
    this.#settle();
    this.#sessions.delete(session);
  }

  /**
   * A document with all that is here but for the change that was refused; it goes on under the same client id, and this one is
   * outdated. Where changes are not judged here, an empty one.
   */
  withoutRefused(): PeerDocument {
    const next = this.#next();
    if (!this.#accepted) return next;
    Y.applyUpdate(next.document, Y.encodeStateAsUpdate(this.#accepted.document), RECEIVED);
    // Nothing was sent under it that is not in there.
    next.document.clientID = this.document.clientID;
    for (const client of this.#ownClients) next.#ownClients.add(client);
    for (const [key, unsettled] of this.#unsettled) next.#unsettled.set(key, unsettled);
    next.#carried = this.#carried;
    return next;
  }

  /**
   * An empty document for a service that has begun its own anew; this one is outdated. What was written here and the service may
   * not have yet is written there, key by key, once it has all that the service has.
   */
  renewed(): PeerDocument {
    this.#settle();
    const next = this.#next();
    const touched = new Map([...this.#unsettled].map(([key, { touch }]) => [key, touch]));
    next.#carried = [...this.#carried, new CarriedChange(this.shared, touched)];
    return next;
  }

  /** An empty document, which is to be what the service has and nothing else; this one is outdated. */
  asServed(): PeerDocument {
    return this.#next();
  }

  /** What a replica lacks of this peer's own writing, which is all that the service takes from it. */
  encode(stateVector: Uint8Array): Uint8Array {
    const known = Y.decodeStateVector(stateVector);
    // As if the other had all of everybody else's.
    for (const client of this.document.store.clients.keys())
      if (!this.#ownClients.has(client)) known.set(client, Number.MAX_SAFE_INTEGER);
    return Y.encodeStateAsUpdate(this.document, Y.encodeStateVector(known));
  }

  apply(update: Uint8Array): Applied {
    const judged = judgeUpdate(this.#view, readUpdate(update, DOCUMENT_BOUNDS), {
      isPeer: false,
      bounds: DOCUMENT_BOUNDS,
    });
    if (!judged.changes) return { changed: false, newWriters: [] };
    const stored = mergeJudged(this.document, update, judged, RECEIVED);
    return { changed: true, stored, newWriters: [] };
  }

  synced(): void {
    // Sent with the answer to the service's own question, at the latest now.
    const sentAt = this.#nowMs();
    for (const [key, { touch }] of this.#unsettled) this.#unsettled.set(key, { sentAt, touch });
    const carried = this.#carried;
    this.#carried = [];
    for (const change of carried) this.document.transact(() => change.writeTo(this.shared));
  }

  #next(): PeerDocument {
    this.#isOutdated = true;
    this.#sessions.clear();
    return new PeerDocument(this.options);
  }

  #changed(update: Uint8Array): void {
    if (this.#isOutdated) return this.options.onOutdated?.(CarriedChange.of(this.document, [update]));
    try {
      this.#judge(update);
    } catch (error) {
      if (!(error instanceof UpdateRefused)) throw error;
      this.options.onRefused?.(error);
      return;
    }
    this.#accept(update);
    this.#ownClients.add(this.document.clientID);
    this.#settle();
    const sentAt = this.#nowMs();
    for (const [key, touch] of touchedBy(this.document, [update]))
      this.#unsettled.set(key, { sentAt, touch });
    for (const session of this.#sessions) session.sendUpdate(update);
  }

  /** @throws UpdateRefused as the service would, for all but the size of the whole document */
  #judge(update: Uint8Array): void {
    if (!this.#accepted) return;
    requireAtMost('TOO_LARGE', 'bytes of an update', update.length, DOCUMENT_BOUNDS.updateBytesMax);
    const read = readUpdate(update, DOCUMENT_BOUNDS);
    judgeUpdate(this.#accepted.view, read, { isPeer: true, bounds: DOCUMENT_BOUNDS });
  }

  #accept(update: Uint8Array): void {
    if (this.#accepted) Y.applyUpdate(this.#accepted.document, update, RECEIVED);
  }

  /** Forgets what was sent long ago, over a connection that was there. */
  #settle(): void {
    if (![...this.#sessions].some(({ isSynced }) => isSynced)) return;
    const until = this.#nowMs() - SETTLED_MS;
    for (const [key, { sentAt }] of this.#unsettled) if (sentAt <= until) this.#unsettled.delete(key);
  }
}
