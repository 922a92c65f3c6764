import * as Y from 'yjs';
import { DOCUMENT_BOUNDS } from './document-bounds.js';
import { DocumentView } from './document-view.js';
import { judgeUpdate } from './judge-update.js';
import { mergeJudged } from './merge-judged.js';
import type { Applied, MeshNode } from './mesh-document.js';
import { stateHash } from './state-hash.js';
import { type SyncReplica, SyncSession, type SyncSessionOptions } from './sync-session.js';
import { readUpdate } from './update-reader.js';

const RECEIVED = Symbol('received');

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

  constructor() {
    this.document.on('update', (update: Uint8Array, origin: unknown) => {
      if (origin === RECEIVED) return;
      this.#ownClients.add(this.document.clientID);
      for (const session of this.#sessions) session.sendUpdate(update);
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
    this.#sessions.delete(session);
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
}
