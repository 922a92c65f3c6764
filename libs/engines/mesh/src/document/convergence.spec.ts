import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import * as Y from 'yjs';
import { compact } from './compact.js';
import { MeshDocument } from './mesh-document.js';
import { hashState, stateHash } from './state-hash.js';
import { type Edit, edits, jsonValues, makeEdit } from './testing/editing.js';

const RUNS = process.env.SUITE_TIER === 'long' ? 3_000 : 30;
const REPLICAS = 4;
const peer = (index: number) => ({ kind: 'peer', name: `peer ${index}` }) as const;

/** Replicas that change each on its own, and what each of them says of it. */
function isolated(program: readonly Edit[], start?: Uint8Array): { index: number; update: Uint8Array }[] {
  const said: { index: number; update: Uint8Array }[] = [];
  const documents = Array.from({ length: REPLICAS }, (_, index) => {
    const document = Object.assign(new Y.Doc(), { clientID: 100 + index });
    if (start) Y.applyUpdate(document, start);
    document.on('update', (update: Uint8Array) => said.push({ index, update }));
    return document;
  });
  for (const edit of program) makeEdit(documents[edit.replica], edit);
  return said;
}

/** Each writer's updates in their order, the writers mixed by `picks`. */
function mixed<T extends { index: number }>(said: readonly T[], picks: readonly number[]): T[] {
  const queues = Array.from({ length: REPLICAS }, (_, index) => said.filter(each => each.index === index));
  const order: T[] = [];
  for (let i = 0; order.length < said.length; i++) {
    const open = queues.filter(queue => queue.length > 0);
    order.push(open[(picks[i % picks.length] + i) % open.length].shift() as T);
  }
  return order;
}

const picks = fc.array(fc.nat(REPLICAS - 1), { minLength: 1, maxLength: 20 });

it('has one hash whatever the order of the writers, with updates repeated, and whoever handed them on', () => {
  let changed = 0;
  const property = fc.property(edits(REPLICAS, 40), picks, picks, (program, one, two) => {
    const said = isolated(program, STARTING);
    const [a, b, relayed] = [0, 1, 2].map(() => new MeshDocument({ snapshot: STARTING }));
    for (const { index, update } of mixed(said, one)) {
      const { stored } = a.apply(update, peer(index));
      expect(a.apply(update, peer(index))).toEqual({ changed: false, newWriters: [] });
      if (stored) relayed.apply(stored, peer(index));
    }
    for (const { index, update } of mixed(said, two)) b.apply(update, peer(index));
    for (const { index, update } of said) expect(b.apply(update, peer(index)).changed).toBe(false);
    expect(b.stateHash).toBe(a.stateHash);
    expect(relayed.stateHash).toBe(a.stateHash);
    expect(relayed.stateVector).toEqual(a.stateVector);
    expect(a.encode().length).toBeLessThanOrEqual(a.bytesAtMost);
    changed += said.length > 0 ? 1 : 0;
  });
  fc.assert(property, { numRuns: RUNS, seed: 2026 });
  expect(changed).toBeGreaterThan(RUNS / 2);
});

it('has one hash again after losses and a partition, once replicas say what they have', () => {
  let lost = 0;
  const half = fc.tuple(edits(REPLICAS, 25), edits(REPLICAS, 25), fc.infiniteStream(fc.boolean()));
  const property = fc.property(half, ([before, after, losses]) => {
    const documents = Array.from({ length: REPLICAS }, (_, i) =>
      Object.assign(new Y.Doc(), { clientID: i + 1 }),
    );
    const replicas = documents.map(() => new MeshDocument());
    for (const [index, document] of documents.entries())
      document.on('update', (update: Uint8Array, origin: unknown) => {
        if (origin === 'other') return;
        // Of every peer its own replica of the service hears all, and the others what is not lost.
        const { stored } = replicas[index].apply(update, peer(index));
        for (const [other, replica] of replicas.entries()) {
          if (other === index || !stored) continue;
          const isLost = losses.next().value;
          lost += isLost ? 1 : 0;
          if (!isLost) tolerantly(() => replica.apply(stored, peer(index)));
        }
      });
    for (const edit of before) makeEdit(documents[edit.replica], edit);
    // Half of them meet in the middle; the others are on their own until the end.
    meet(replicas.slice(0, 2));
    for (const [i, document] of documents.entries()) Y.applyUpdate(document, replicas[i].encode(), 'other');
    for (const edit of after) makeEdit(documents[edit.replica], edit);
    meet(replicas);
    meet(replicas);
    const [first, ...others] = replicas;
    for (const other of others) expect(other.stateHash).toBe(first.stateHash);
    for (const document of documents) {
      Y.applyUpdate(document, first.encode(), 'other');
      expect(stateHash(document)).toBe(first.stateHash);
    }
  });
  fc.assert(property, { numRuns: RUNS, seed: 2026 });
  expect(lost).toBeGreaterThan(RUNS);
});

/** Every replica gives every other what it lacks, and says who wrote it. */
function meet(replicas: readonly MeshDocument[]): void {
  for (const one of replicas)
    for (const other of replicas)
      if (one !== other) {
        for (const [clientId, owner] of other.writers) one.claimWriter(clientId, owner);
        one.apply(other.encode(one.stateVector), { kind: 'service' });
      }
}

function tolerantly(apply: () => void): void {
  try {
    apply();
  } catch (error) {
    // What came before was lost.
    expect(error).toMatchObject({ code: 'INCOMPLETE' });
  }
}

it('has the hash of a plain object that the same changes were made to, where they follow on each other', () => {
  const change = fc.record({
    replica: fc.nat(REPLICAS - 1),
    key: fc.constantFrom('a', 'b', 'constructor', '', '\u{1f600}', '10', '9'),
    value: fc.option(jsonValues(3), { nil: undefined }),
  });
  const property = fc.property(fc.array(change, { maxLength: 40 }), changes => {
    const replica = new MeshDocument();
    const model = new Map<string, unknown>();
    const documents = Array.from({ length: REPLICAS }, (_, i) =>
      Object.assign(new Y.Doc(), { clientID: i + 1 }),
    );
    for (const { replica: index, key, value } of changes) {
      const document = documents[index];
      Y.applyUpdate(document, replica.encode());
      const clock = Y.encodeStateVector(document);
      if (value === undefined) document.getMap('shared').delete(key);
      else document.getMap('shared').set(key, value);
      replica.apply(Y.encodeStateAsUpdate(document, clock), peer(index));
      if (value === undefined) model.delete(key);
      else model.set(key, value);
    }
    const state = { nodes: {}, shared: Object.fromEntries(model) };
    expect(replica.stateHash).toBe(hashState(JSON.parse(JSON.stringify(state))));
  });
  fc.assert(property, { numRuns: RUNS, seed: 2026 });
});

it('keeps state and state vector when a snapshot and what came after it are made one', () => {
  const property = fc.property(edits(REPLICAS, 40), fc.nat(40), picks, (program, cut, order) => {
    const said = isolated(program);
    const whole = new MeshDocument();
    const stored = said.flatMap(({ index, update }) => whole.apply(update, peer(index)).stored ?? []);
    const snapshot = compact(undefined, stored.slice(0, cut));
    const rest = mixed(
      stored.slice(cut).map((update, i) => ({ update, index: said[cut + i].index })),
      order,
    );
    const compacted = compact(
      snapshot,
      rest.map(({ update }) => update),
    );
    const loaded = new MeshDocument({ snapshot: compacted });
    expect(loaded.stateHash).toBe(whole.stateHash);
    expect(loaded.stateVector).toEqual(whole.stateVector);
    expect(compacted.length).toBeLessThanOrEqual(whole.encode().length);
  });
  fc.assert(property, { numRuns: RUNS, seed: 2026 });
});

it('makes nothing one that builds on what is not there', () => {
  const document = new Y.Doc();
  const updates: Uint8Array[] = [];
  document.on('update', (update: Uint8Array) => updates.push(update));
  for (const value of [1, 2, 3]) document.getMap('shared').set('a', value);
  expect(() => compact(updates[0], [updates[2]])).toThrow(expect.objectContaining({ code: 'INCOMPLETE' }));
  const other = new Y.Doc();
  const set: Uint8Array[] = [];
  other.on('update', (update: Uint8Array) => set.push(update));
  for (const key of ['a', 'b']) other.getMap('shared').set(key, 1);
  other.getMap('shared').delete('a');
  // Operations alone that are missing something, and deletions alone.
  for (const alone of [set[1], set[2]])
    expect(() => compact(undefined, [alone])).toThrow(expect.objectContaining({ code: 'INCOMPLETE' }));
  expect(compact(updates[0], [updates[2], updates[1]])).toEqual(Y.encodeStateAsUpdate(document));
});

/** A list and a text that all replicas know, so that their changes meet. */
function startingUpdate(): Uint8Array {
  const document = Object.assign(new Y.Doc(), { clientID: 99 });
  document.getMap('shared').set('list', Y.Array.from([1, 2, 3, 4]));
  document.getMap('shared').set('text', new Y.Text('a text of all'));
  return Y.encodeStateAsUpdate(document);
}
const STARTING = startingUpdate();
