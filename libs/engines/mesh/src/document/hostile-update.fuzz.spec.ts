import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import * as Y from 'yjs';
import { MeshDocument } from './mesh-document.js';
import type { OperationId } from './update-reader.js';
import { UpdateRefused } from './update-refused.js';
import { type WrittenStruct, type WrittenUpdate, writeUpdateOf } from './testing/write-update.js';

const RUNS = process.env.SUITE_TIER === 'long' ? 10_000 : 150;
const PEERS = [1, 2, 3];
const SERVICE_CLIENT = 9;

/** A document with something of everything in it: maps, lists and texts, split, overwritten and deleted. */
function startingUpdate(): Uint8Array {
  const [service, one, two] = [SERVICE_CLIENT, 1, 2].map(clientID =>
    Object.assign(new Y.Doc(), { clientID }),
  );
  service.getMap('nodes').set('aa', { publicKey: 'aa' });
  Y.applyUpdate(one, Y.encodeStateAsUpdate(service));
  const shared = one.getMap('shared');
  shared.set('a', 1);
  const list = shared.set('list', new Y.Array());
  list.insert(0, [1, 2, 3, 4]);
  const text = shared.set('text', new Y.Text());
  text.insert(0, 'hello \u{1f600} world');
  shared.set('map', new Y.Map()).set('inner', new Y.Array()).push([1]);
  Y.applyUpdate(two, Y.encodeStateAsUpdate(one));
  (two.getMap('shared').get('list') as Y.Array<unknown>).insert(2, ['x', 'y']);
  (two.getMap('shared').get('text') as Y.Text).delete(2, 3);
  two.getMap('shared').set('a', 2);
  two.getMap('shared').delete('map');
  return Y.encodeStateAsUpdate(two);
}

const START = startingUpdate();
/** Operations of the starting document by where they stand, so that neighbours are often in one place. */
function placesOf(update: Uint8Array): { parent: OperationId; ids: OperationId[]; isText: boolean }[] {
  const document = new Y.Doc();
  Y.applyUpdate(document, update);
  return ['list', 'text'].map(key => {
    const type = document.getMap('shared').get(key) as Y.Array<unknown> | Y.Text;
    const ids: OperationId[] = [];
    for (let item = type._start; item; item = item.right)
      for (let i = 0; i < item.length; i++) ids.push({ client: item.id.client, clock: item.id.clock + i });
    return { parent: type._item?.id as Y.ID, ids, isText: key === 'text' };
  });
}

const START_VECTOR = Y.decodeStateVector(Y.encodeStateVectorFromUpdate(START));
const clockOf = (client: number) => START_VECTOR.get(client) ?? 0;
const number = fc.nat(9);
const content = (isText: boolean): fc.Arbitrary<WrittenStruct['content']> =>
  fc.oneof(
    {
      weight: 6,
      arbitrary: isText
        ? fc.record({
            kind: fc.constant('characters' as const),
            text: fc.constantFrom('z', 'ab', '\u{1f601}'),
          })
        : fc.record({
            kind: fc.constant('values' as const),
            values: fc.array(number, { minLength: 1, maxLength: 3 }),
          }),
    },
    { weight: isText ? 0 : 2, arbitrary: fc.record({ kind: fc.constant('type' as const), ref: fc.nat(2) }) },
    fc.record({
      kind: fc.constantFrom('deleted' as const, 'gc' as const),
      length: fc.integer({ min: 1, max: 3 }),
    }),
  );
const anywhere: fc.Arbitrary<OperationId> = fc.record({
  client: fc.constantFrom(...PEERS, SERVICE_CLIENT),
  clock: fc.nat(30),
});

/** Items of one client, each in a list, a text or under a key, between neighbours that are mostly there. */
function items(client: number): fc.Arbitrary<WrittenStruct[]> {
  const own = fc.nat(5).map(offset => ({ client, clock: clockOf(client) + offset }));
  const listed = fc.constantFrom(...placesOf(START)).chain(({ parent, ids, isText }) => {
    const neighbour = fc.oneof(
      { weight: 4, arbitrary: fc.constantFrom(...ids) },
      { weight: 4, arbitrary: own },
      { weight: 1, arbitrary: anywhere },
      { weight: 4, arbitrary: fc.constant(undefined) },
    );
    const struct = fc.record({
      origin: neighbour,
      rightOrigin: neighbour,
      parent: fc.constant(parent),
      content: content(isText),
    });
    return fc.array(struct, { minLength: 1, maxLength: 4 });
  });
  const keyed = fc.array(
    fc.record({
      origin: fc.option(own, { nil: undefined, freq: 3 }),
      parent: fc.oneof(
        { weight: 6, arbitrary: fc.constant('shared') },
        { weight: 3, arbitrary: fc.constantFrom('nodes', 'nodes', 'else') },
        { weight: 2, arbitrary: own },
      ),
      key: fc.constantFrom('a', 'list', 'n'),
      content: fc.oneof(
        fc.record({ kind: fc.constant('values' as const), values: fc.tuple(number) }),
        fc.record({ kind: fc.constant('type' as const), ref: fc.nat(3) }),
      ),
    }),
    { minLength: 1, maxLength: 3 },
  );
  return fc.oneof({ weight: 3, arbitrary: listed }, { weight: 1, arbitrary: keyed });
}

const clientOf = (client: number) =>
  fc
    .record({ back: fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, fc.nat(3)), structs: items(client) })
    .map(({ back, structs }) => ({ client, clock: Math.max(0, clockOf(client) - back), structs }));
const deleted = fc.uniqueArray(
  fc.record({
    client: fc.constantFrom(1, 2, SERVICE_CLIENT),
    ranges: fc.array(fc.tuple(fc.nat(8), fc.integer({ min: 1, max: 4 })), { maxLength: 1 }),
  }),
  { selector: each => each.client, maxLength: 1 },
);
const written: fc.Arbitrary<WrittenUpdate> = fc
  .tuple(fc.subarray(PEERS, { minLength: 0 }), ...PEERS.map(clientOf))
  .chain(([chosen, ...clients]) =>
    fc.record({ clients: fc.constant(clients.filter(({ client }) => chosen.includes(client))), deleted }),
  );

const PEER = { kind: 'peer', name: 'any' } as const;
const opened = () => new MeshDocument({ snapshot: START, writers: PEERS.map(client => [client, PEER]) });

function attempt(document: MeshDocument, update: Uint8Array): string {
  const before = [document.stateHash, ...document.stateVector].join();
  try {
    const { changed } = document.apply(update, PEER);
    return changed ? 'changed' : 'known';
  } catch (error) {
    expect(error).toBeInstanceOf(UpdateRefused);
    expect([document.stateHash, ...document.stateVector].join()).toBe(before);
    return (error as UpdateRefused).code;
  }
}

it('takes no operation that would leave a replica broken, pending, too large or with other entries of the service', () => {
  const outcomes = new Map<string, number>();
  const property = fc.property(fc.array(written, { minLength: 1, maxLength: 4 }), updates => {
    const document = opened();
    for (const each of updates) {
      const outcome = attempt(document, writeUpdateOf(each));
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
      expect(document.state.nodes).toEqual({ aa: { publicKey: 'aa' } });
      const copy = new MeshDocument({ snapshot: document.encode() });
      expect(copy.stateHash).toBe(document.stateHash);
      expect(copy.encode().length).toBeLessThanOrEqual(document.bytesAtMost);
    }
  });
  fc.assert(property, { numRuns: RUNS, seed: 2026 });
  // The updates are close enough to what an editor makes for all of these to come up.
  for (const outcome of ['changed', 'known', 'MALFORMED', 'INCOMPLETE', 'FOREIGN_ENTRY', 'UNKNOWN_ROOT'])
    expect([outcome, outcomes.get(outcome)]).toEqual([outcome, expect.any(Number)]);
});

/** What fuzzing found, each a whole program. */
const FOUND: [string, WrittenUpdate[]][] = [
  [
    'one neighbour on both sides, of its own',
    [
      {
        clients: [
          {
            client: 2,
            clock: 3,
            structs: [
              { origin: { client: 1, clock: 7 }, content: { kind: 'characters', text: 'ab' } },
              {
                origin: { client: 2, clock: 4 },
                rightOrigin: { client: 2, clock: 4 },
                content: { kind: 'characters', text: 'z' },
              },
            ],
          },
        ],
      },
    ],
  ],
  [
    'a neighbour within an emoji, and one that is gone',
    [
      {
        clients: [
          {
            client: 1,
            clock: 24,
            structs: [
              { content: { kind: 'gc', length: 3 } },
              {
                origin: { client: 1, clock: 13 },
                rightOrigin: { client: 1, clock: 26 },
                content: { kind: 'characters', text: 'z' },
              },
            ],
          },
        ],
      },
    ],
  ],
  [
    'a start before what follows on others',
    [
      {
        clients: [
          {
            client: 3,
            clock: 0,
            structs: [{ rightOrigin: { client: 1, clock: 16 }, content: { kind: 'characters', text: 'z' } }],
          },
        ],
      },
    ],
  ],
];

it.each(FOUND)('refuses what replicas would take in different ways: %s', (_, updates) => {
  const document = opened();
  for (const update of updates) expect(attempt(document, writeUpdateOf(update))).toBe('MALFORMED');
});

it('gives one state for hostile updates of two writers in either order, and for what it hands on of them', () => {
  const writtenBy = (client: number) => fc.record({ clients: fc.tuple(clientOf(client)), deleted });
  let both = 0;
  const property = fc.property(fc.tuple(writtenBy(1), writtenBy(2)), updates => {
    const [one, two] = updates.map(writeUpdateOf);
    const takesBoth = (document: MeshDocument, ...inOrder: Uint8Array[]) =>
      inOrder.every(update => attempt(document, update) === 'changed');
    const a = opened();
    fc.pre(takesBoth(a, one, two));
    const [b, c] = [opened(), opened()];
    fc.pre(takesBoth(b, two, one));
    both += 1;
    expect(b.stateHash).toBe(a.stateHash);
    const third = opened();
    for (const update of [one, two]) c.apply(third.apply(update, PEER).stored as Uint8Array, PEER);
    expect(c.stateHash).toBe(a.stateHash);
  });
  fc.assert(property, { numRuns: Math.ceil(RUNS / 10), seed: 2026, maxSkipsPerRun: 1_000 });
  expect(both).toBeGreaterThanOrEqual(RUNS / 10);
});

/** What became of each where as many as will go are taken in one piece, and what was handed on of them. */
function attemptRuns(document: MeshDocument, updates: readonly Uint8Array[]) {
  const outcomes: string[] = [];
  const stored: Uint8Array[] = [];
  while (outcomes.length < updates.length) {
    try {
      const run = document.applyRun(updates.slice(outcomes.length), PEER);
      expect(run.count).toBeGreaterThan(0);
      expect(run.changes > 0).toBe(run.stored !== undefined);
      outcomes.push(...Array<string>(run.count).fill('taken'));
      if (run.stored) stored.push(run.stored);
    } catch (error) {
      expect(error).toBeInstanceOf(UpdateRefused);
      outcomes.push((error as UpdateRefused).code);
    }
  }
  return { outcomes, stored };
}

it('takes and refuses in one piece what it takes and refuses one by one', () => {
  let together = 0;
  const property = fc.property(fc.array(written, { minLength: 2, maxLength: 8 }), program => {
    const updates = program.map(writeUpdateOf);
    const [single, whole, relayed] = [opened(), opened(), opened()];
    const outcomes = updates.map(update => attempt(single, update).replace(/changed|known/, 'taken'));
    const runs = attemptRuns(whole, updates);
    expect(runs.outcomes).toEqual(outcomes);
    expect([whole.stateHash, ...whole.stateVector]).toEqual([single.stateHash, ...single.stateVector]);
    for (const update of runs.stored) relayed.apply(update, { kind: 'service' });
    expect([relayed.stateHash, ...relayed.stateVector]).toEqual([single.stateHash, ...single.stateVector]);
    expect(whole.encode().length).toBeLessThanOrEqual(whole.bytesAtMost);
    together += outcomes.filter(outcome => outcome === 'taken').length - runs.stored.length;
  });
  fc.assert(property, { numRuns: RUNS, seed: 2026 });
  expect(together).toBeGreaterThan(RUNS / 4);
});
