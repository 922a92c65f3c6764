import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import * as Y from 'yjs';
import { rewrite } from './compact.js';
import { MeshDocument } from './mesh-document.js';
import { PeerDocument, type PeerDocumentOptions } from './peer-document.js';
import { documentState, hashState, stateHash } from './state-hash.js';
import type { SyncSession } from './sync-session.js';
import { edits, makeEdit } from './testing/editing.js';
import { UpdateRefused } from './update-refused.js';

const RUNS = process.env.SUITE_TIER === 'long' ? 3_000 : 40;
const ANN = { kind: 'peer', name: 'ann' } as const;
const SERVICE = { kind: 'service' } as const;

/** A document that three editors have changed, and the last of them, who has all of it. */
function edited(program: Parameters<typeof makeEdit>[1][]): Y.Doc {
  const editors = [1, 2, 3].map(clientID => Object.assign(new Y.Doc(), { clientID }));
  for (const edit of program) {
    const editor = editors[edit.replica];
    makeEdit(editor, edit);
    for (const other of editors) if (other !== editor) Y.applyUpdate(other, Y.encodeStateAsUpdate(editor));
  }
  return editors[2];
}

describe('a document begun anew', () => {
  it('says the same under one client id, and takes what was changed in the old one by its values', () => {
    const property = fc.property(edits(3, 30), edits(1, 10), (program, late) => {
      const old = edited(program);
      const bytes = rewrite(Y.encodeStateAsUpdate(old), 77);
      const renewed = new MeshDocument({ snapshot: bytes });
      expect(renewed.stateHash).toBe(stateHash(old));
      expect([...Y.decodeStateVector(renewed.stateVector).keys()].filter(id => id !== 77)).toEqual([]);
      const ended = new MeshDocument({ snapshot: Y.encodeStateAsUpdate(old) });
      const updates: Uint8Array[] = [];
      old.on('update', (update: Uint8Array) => updates.push(update));
      for (const edit of late) makeEdit(old, edit);
      for (const update of updates) ended.apply(update, SERVICE);
      const change = ended.carried(updates);
      renewed.write(({ shared }) => change.writeTo(shared));
      expect(renewed.stateHash).toBe(stateHash(old));
      // Once more it changes nothing.
      expect(renewed.write(({ shared }) => change.writeTo(shared))).toBeUndefined();
      expect(renewed.strangersIn(Y.encodeStateVector(old)).every(id => id <= 3)).toBe(true);
    });
    fc.assert(property, { numRuns: RUNS, seed: 2026 });
  });

  it('forgets what was deleted, and client ids that nobody needs', () => {
    const old = new MeshDocument();
    for (let n = 0; n < 200; n++) {
      const editor = Object.assign(new Y.Doc(), { clientID: n + 1 });
      editor.getMap('shared').set('key', 'x'.repeat(n));
      old.apply(Y.encodeStateAsUpdate(editor), { kind: 'peer', name: `peer ${n}` });
    }
    const bytes = rewrite(old.encode(), 1_000);
    expect(bytes.length).toBeLessThan(300);
    expect(old.encode().length).toBeGreaterThan(10 * bytes.length);
    expect(Y.decodeStateVector(new MeshDocument({ snapshot: bytes }).stateVector)).toEqual(
      new Map([[1_000, 1]]),
    );
  });
});

/** A peer's document that is exchanged for others, as its owner does it, and a service that it is connected to. */
class Owner {
  readonly refused: UpdateRefused[] = [];
  readonly outdated: (readonly string[])[] = [];
  nowMs = 0;
  peer: PeerDocument;
  service = new MeshDocument();
  private toService: Uint8Array[] = [];
  private toPeer: Uint8Array[] = [];
  private sessions: { service: SyncSession; peer: SyncSession } | undefined;

  constructor({ judges = true }: { judges?: boolean } = {}) {
    const options: PeerDocumentOptions = {
      onOutdated: change => {
        this.outdated.push(change.keysInside);
        change.writeTo(this.peer.shared);
      },
      nowMs: () => this.nowMs,
    };
    this.peer = new PeerDocument(
      judges ? { ...options, onRefused: refused => this.replace(refused) } : options,
    );
  }

  connect(): void {
    this.disconnect();
    this.sessions = {
      service: this.service.open(ANN, bytes => this.toPeer.push(bytes)),
      peer: this.peer.open(bytes => this.toService.push(bytes)),
    };
    this.deliver();
  }

  disconnect(): void {
    if (this.sessions) this.peer.close(this.sessions.peer);
    this.sessions = undefined;
    this.toService = [];
    this.toPeer = [];
  }

  deliver(): void {
    while (this.toService.length + this.toPeer.length > 0) {
      for (const message of this.toService.splice(0)) this.sessions!.service.receive(message);
      for (const message of this.toPeer.splice(0)) this.sessions!.peer.receive(message);
    }
  }

  /** As where the service has begun its document anew. */
  renew(change?: Parameters<MeshDocument['write']>[0]): void {
    this.disconnect();
    this.peer = this.peer.renewed();
    this.service = new MeshDocument({ snapshot: rewrite(this.service.encode(), 500 + this.nowMs) });
    if (change) this.service.write(change);
    this.connect();
  }

  private replace(refused: UpdateRefused): void {
    this.refused.push(refused);
    const isConnected = this.sessions !== undefined;
    this.disconnect();
    this.peer = this.peer.withoutRefused();
    if (isConnected) this.connect();
  }
}

describe("a peer's document", () => {
  it.each<[string, string, (document: PeerDocument) => unknown]>([
    ['of another root', 'UNKNOWN_ROOT', ({ document }) => document.getMap('other').set('a', 1)],
    ['that is too large', 'TOO_LARGE', ({ shared }) => shared.set('good', 'x'.repeat(300_000))],
    [
      'of nodes',
      'FOREIGN_ENTRY',
      ({ nodes }) => nodes.set('a', { publicKey: '', identity: 'verified', since: 0 }),
    ],
    ['that is no JSON', 'NOT_JSON', ({ shared }) => shared.set('good', new Uint8Array(3))],
  ])('undoes a change %s, and the next one is taken, as the one before', (_, code, change) => {
    const owner = new Owner();
    owner.peer.shared.set('good', 1);
    owner.connect();
    const before = owner.peer;
    owner.peer.shared.set('on its way', 2);
    change(owner.peer);
    expect(owner.refused.map(refused => refused.code)).toEqual([code]);
    expect(owner.peer).not.toBe(before);
    expect(owner.peer.shared.toJSON()).toEqual({ good: 1, 'on its way': 2 });
    owner.peer.shared.set('next', 3);
    owner.deliver();
    expect(owner.service.state.shared).toEqual({ good: 1, 'on its way': 2, next: 3 });
    expect(owner.peer.stateHash).toBe(owner.service.stateHash);
    // It goes on under its client id: whoever is refused again and again takes no more of them.
    expect([owner.peer.document.clientID, owner.service.writers.size]).toEqual([before.document.clientID, 2]);
    before.shared.set('by whoever kept the old one', 4);
    owner.deliver();
    expect(owner.service.state.shared).toMatchObject({ next: 3, 'by whoever kept the old one': 4 });
    expect(owner.outdated).toEqual([[]]);
  });

  it('undoes a change without a connection, and brings the others when there is one', () => {
    const owner = new Owner();
    owner.peer.shared.set('one', 1);
    owner.peer.document.getText('other').insert(0, 'text');
    owner.peer.shared.set('two', 2);
    owner.connect();
    expect([owner.service.state.shared, owner.refused.length]).toEqual([{ one: 1, two: 2 }, 1]);
  });

  it('writes into a document begun anew what the service may not have, and nothing that it had long ago', () => {
    const owner = new Owner({ judges: false });
    owner.connect();
    owner.peer.shared.set('long ago', 'mine');
    owner.peer.shared.set('deleted', 1);
    owner.deliver();
    owner.nowMs = 20_000;
    owner.peer.shared.set('just now', 'mine');
    owner.peer.shared.delete('deleted');
    owner.deliver();
    owner.disconnect();
    owner.nowMs = 500_000;
    const list = owner.peer.shared.set('offline', new Y.Array<unknown>()) as Y.Array<unknown>;
    list.push([1]);
    owner.renew(({ shared }) => {
      shared.set('long ago', 'changed since');
      shared.set('just now', 'changed since');
      shared.set('deleted', 2);
    });
    expect(owner.service.state.shared).toEqual({
      'long ago': 'changed since',
      'just now': 'mine',
      offline: [1],
    });
    expect(owner.peer.stateHash).toBe(owner.service.stateHash);
    owner.nowMs = 600_000;
    owner.renew();
    // Both of the time before it was begun anew again.
    expect(owner.service.state.shared).toMatchObject({ 'just now': 'mine', offline: [1] });
  });

  it('tells of what is changed inside of a value of the old one', () => {
    const owner = new Owner();
    const list = owner.peer.shared.set('list', Y.Array.from([1])) as Y.Array<number>;
    owner.connect();
    owner.renew();
    list.push([2]);
    expect(owner.outdated).toEqual([['list']]);
  });

  it('is empty to begin with where it is to be what the service has', () => {
    const owner = new Owner();
    owner.peer.shared.set('mine', 1);
    expect(documentState(owner.peer.asServed().document)).toEqual({ nodes: {}, shared: {} });
    expect(owner.peer.asServed().stateHash).toBe(hashState({ nodes: {}, shared: {} }));
  });
});
