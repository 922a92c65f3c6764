import { describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import * as Y from 'yjs';
import { DOCUMENT_BOUNDS } from './document-bounds.js';
import { MeshDocument, type MeshDocumentOptions } from './mesh-document.js';
import { writeUpdateOf, type WrittenStruct } from './testing/write-update.js';
import type { Origin } from './writer-registry.js';
import { type UpdateFault, UpdateRefused } from './update-refused.js';

const ANN = { kind: 'peer', name: 'ann' } as const;
const BOB = { kind: 'peer', name: 'bob' } as const;
const SERVICE = { kind: 'service' } as const;
const NODE = { publicKey: 'ab', identity: 'verified', since: 1 } as const;

/** A document with an entry of the service's, and an editor of it with all that it has. */
function withNode(options: MeshDocumentOptions = {}): { document: MeshDocument; editor: Y.Doc } {
  const document = new MeshDocument(options);
  document.write(({ nodes }) => nodes.set('aa', NODE));
  return { document, editor: editorOf(document) };
}

function editorOf(document: MeshDocument): Y.Doc {
  const editor = new Y.Doc();
  Y.applyUpdate(editor, document.encode());
  return editor;
}

/** What an editor says of one change. */
function said(editor: Y.Doc, change: (editor: Y.Doc) => void): Uint8Array {
  const before = Y.encodeStateVector(editor);
  let update: Uint8Array | undefined;
  editor.once('update', (bytes: Uint8Array) => (update = bytes));
  editor.transact(() => change(editor));
  return update ?? Y.encodeStateAsUpdate(editor, before);
}

// As text: comparing arrays of bytes one by one takes seconds.
const everythingOf = (document: MeshDocument) => [
  Buffer.from(document.encode()).toString('base64'),
  document.stateHash,
  document.stateVector.join(),
  document.writers.size,
];

function refusal(document: MeshDocument, update: Uint8Array, origin: Origin = ANN): UpdateRefused {
  const before = everythingOf(document);
  let refused: unknown;
  try {
    document.apply(update, origin);
  } catch (error) {
    refused = error;
  }
  expect(refused).toBeInstanceOf(UpdateRefused);
  expect(everythingOf(document)).toEqual(before);
  return refused as UpdateRefused;
}

const faultOf = (...of: Parameters<typeof refusal>): UpdateFault => refusal(...of).code;

describe('the hash of the state', () => {
  it('is that of its domain and its canonical JSON', () => {
    const document = new MeshDocument();
    const hashOf = (json: string) => createHash('sha256').update(`svc-crdt-v1${json}`).digest('hex');
    expect(document.stateHash).toBe(hashOf('{"nodes":{},"shared":{}}'));
    document.write(({ nodes, shared }) => {
      nodes.set('aa', NODE);
      shared.set('z', [1.5, 'ä']);
      shared.set('a', new Y.Map([['text', new Y.Text('x')]]));
    });
    const json =
      '{"nodes":{"aa":{"identity":"verified","publicKey":"ab","since":1}},"shared":{"a":{"text":"x"},"z":[1.5,"ä"]}}';
    expect(document.stateHash).toBe(hashOf(json));
  });
});

describe('a peer', () => {
  it('sets, nests and deletes in shared, also what others set there', () => {
    const { document, editor } = withNode();
    const nothing = Y.encodeStateAsUpdate(editor, document.stateVector);
    expect(document.apply(nothing, ANN)).toEqual({ changed: false, newWriters: [] });
    const set = document.apply(
      said(editor, e => e.getMap('shared').set('a', new Y.Array())),
      ANN,
    );
    expect(set).toEqual({ changed: true, stored: expect.any(Uint8Array), newWriters: [editor.clientID] });
    const other = editorOf(document);
    expect(
      document.apply(
        said(other, e => e.getMap('shared').delete('a')),
        BOB,
      ).newWriters,
    ).toEqual([]);
    expect(document.state.shared).toEqual({});
  });

  it.each<[string, (editor: Y.Doc) => void]>([
    ['sets an entry', editor => editor.getMap('nodes').set('bb', NODE)],
    ['overwrites an entry', editor => editor.getMap('nodes').set('aa', 1)],
    ['deletes an entry', editor => editor.getMap('nodes').delete('aa')],
    [
      'does it beside what it may',
      editor => {
        editor.getMap('shared').set('a', 1);
        editor.getMap('nodes').delete('aa');
      },
    ],
  ])('never touches what the service alone writes: %s', (_, change) => {
    const { document, editor } = withNode();
    expect(faultOf(document, said(editor, change))).toBe('FOREIGN_ENTRY');
    expect(document.apply(said(editorOf(document), change), SERVICE).changed).toBe(true);
  });

  it('never touches what lies deeper there, nor gets to it by a neighbour', () => {
    const document = new MeshDocument();
    document.write(({ nodes }) => nodes.set('aa', new Y.Map([['inner', Y.Array.from([1, 2])]]) as never));
    const inner = (editor: Y.Doc) =>
      (editor.getMap('nodes').get('aa') as Y.Map<Y.Array<unknown>>).get('inner');
    for (const change of [(e: Y.Doc) => inner(e)?.insert(1, [3]), (e: Y.Doc) => inner(e)?.delete(0)])
      expect(faultOf(document, said(editorOf(document), change))).toBe('FOREIGN_ENTRY');
  });

  it('may repeat deletions below nodes that the service made', () => {
    const { document, editor } = withNode();
    document.write(({ nodes }) => nodes.delete('aa'));
    Y.applyUpdate(editor, document.encode());
    editor.getMap('shared').set('a', 1);
    expect(document.apply(Y.encodeStateAsUpdate(editor, document.stateVector), ANN).changed).toBe(true);
  });

  it('writes under its own client ids alone', () => {
    const { document, editor } = withNode();
    document.apply(
      said(editor, e => e.getMap('shared').set('a', 1)),
      ANN,
    );
    expect(document.writers.get(editor.clientID)).toEqual(ANN);
    const next = said(editor, e => e.getMap('shared').set('a', 2));
    expect(faultOf(document, next, BOB)).toBe('FOREIGN_WRITER');
    expect(document.judge(next, ANN)).toEqual({ changed: true, newWriters: [] });
    expect(document.apply(next, ANN).changed).toBe(true);
    // What is known is passed over, whoever says it.
    expect(document.apply(next, BOB)).toEqual({ changed: false, newWriters: [] });
  });

  it('gets no client id of the service, not even one that has written nothing yet', () => {
    const document = new MeshDocument();
    const [own] = document.writers.keys();
    const forged = said(Object.assign(new Y.Doc(), { clientID: own }), e => e.getMap('shared').set('a', 1));
    expect(faultOf(document, forged)).toBe('FOREIGN_WRITER');
  });

  it('gets no client id that a snapshot has and nobody is named for', () => {
    const editor = new Y.Doc();
    editor.getMap('shared').set('a', 1);
    const snapshot = Y.encodeStateAsUpdate(editor);
    const next = said(editor, e => e.getMap('shared').set('a', 2));
    expect(faultOf(new MeshDocument({ snapshot }), next)).toBe('FOREIGN_WRITER');
    const kept = new MeshDocument({ snapshot, writers: [[editor.clientID, ANN]] });
    expect(kept.apply(next, ANN).changed).toBe(true);
  });

  it('is told from the service by more than its name', () => {
    const document = new MeshDocument();
    const editor = new Y.Doc();
    document.claimWriter(editor.clientID, SERVICE);
    const update = said(editor, e => e.getMap('shared').set('a', 1));
    expect(faultOf(document, update, { kind: 'peer', name: 'service' })).toBe('FOREIGN_WRITER');
    expect(() => document.claimWriter(editor.clientID, ANN)).toThrow(UpdateRefused);
  });
});

describe('an update', () => {
  it('is refused that builds on what is not here, and leaves nothing pending', () => {
    const { document, editor } = withNode();
    const first = said(editor, e => e.getMap('shared').set('list', Y.Array.from([1])));
    const second = said(editor, e => (e.getMap('shared').get('list') as Y.Array<unknown>).push([2]));
    const deleted = said(editor, e => (e.getMap('shared').get('list') as Y.Array<unknown>).delete(0));
    expect(faultOf(document, second)).toBe('INCOMPLETE');
    expect(faultOf(document, deleted)).toBe('INCOMPLETE');
    document.apply(first, ANN);
    // Had it been kept, it would have come up now.
    expect(document.state.shared).toEqual({ list: [1] });
    document.apply(second, ANN);
    document.apply(deleted, ANN);
    expect(document.state.shared).toEqual({ list: [2] });
  });

  it('may hold several clients of one peer that build on each other, and none that wait for themselves', () => {
    const value = { kind: 'values', values: [1] } as const;
    const list: WrittenStruct = { key: 'list', content: { kind: 'type', ref: 0 } };
    const parent = { client: 1, clock: 0 };
    const after = (client: number, clock: number) => ({ origin: { client, clock }, content: value });
    const crossed = (second: number) =>
      writeUpdateOf({
        clients: [
          { client: 1, clock: 0, structs: [list, { parent, content: value }, after(2, 0), after(2, 1)] },
          { client: 2, clock: 0, structs: [after(1, 1), after(1, second)] },
        ],
      });
    expect(new MeshDocument().apply(crossed(2), ANN).newWriters).toEqual([1, 2]);
    expect(faultOf(new MeshDocument(), crossed(3))).toBe('INCOMPLETE');
  });

  const value = { kind: 'values', values: [1] } as const;
  const type = (ref: number) => ({ kind: 'type', ref }) as const;
  const id = (clock: number, client = 1) => ({ client, clock });
  /** A list of two values, a text of two characters, and a map, by client 1. */
  const START: WrittenStruct[] = [
    { key: 'list', content: type(0) },
    { parent: id(0), content: { kind: 'values', values: [1, 2] } },
    { key: 'text', content: type(2) },
    { parent: id(3), content: { kind: 'characters', text: 'ab' } },
    { key: 'map', content: type(1) },
    { key: 'plain', content: value },
  ];

  it.each<[string, WrittenStruct, UpdateFault]>([
    ['a value in a text', { parent: id(3), content: value }, 'NOT_JSON'],
    ['a type in a text', { parent: id(3), content: type(0) }, 'NOT_JSON'],
    ['characters in a list', { parent: id(0), content: { kind: 'characters', text: 'x' } }, 'NOT_JSON'],
    [
      'characters in a map',
      { parent: id(6), key: 'k', content: { kind: 'characters', text: 'x' } },
      'NOT_JSON',
    ],
    ['no key in a map', { parent: id(6), content: value }, 'MALFORMED'],
    ['no key in the root', { content: value }, 'MALFORMED'],
    ['a key in a list', { parent: id(0), key: 'k', content: value }, 'MALFORMED'],
    ['a key in a text', { parent: id(3), key: 'k', content: value }, 'MALFORMED'],
    ['two values under a key', { key: 'k', content: { kind: 'values', values: [1, 2] } }, 'MALFORMED'],
    ['a value as a parent', { parent: id(7), key: 'k', content: value }, 'MALFORMED'],
    ['itself as a parent', { parent: id(8), key: 'k', content: value }, 'MALFORMED'],
    ['itself as a neighbour', { origin: id(8), content: value }, 'MALFORMED'],
    ['neighbours in two places', { origin: id(1), rightOrigin: id(4), content: value }, 'MALFORMED'],
    ['neighbours under two keys', { origin: id(6), rightOrigin: id(7), content: value }, 'MALFORMED'],
    ['neighbours in the wrong order', { origin: id(2), rightOrigin: id(1), content: value }, 'MALFORMED'],
    ['one neighbour on both sides', { origin: id(1), rightOrigin: id(1), content: value }, 'MALFORMED'],
    ['a neighbour that nobody made', { origin: id(0, 5), content: value }, 'INCOMPLETE'],
    ['a parent that nobody made', { parent: id(0, 5), content: value }, 'INCOMPLETE'],
  ])(
    'is refused with an item that no editor makes, in what is here and in what it brings: %s',
    (_, item, fault) => {
      const document = new MeshDocument();
      document.apply(writeUpdateOf({ clients: [{ client: 1, clock: 0, structs: START }] }), ANN);
      expect(faultOf(document, writeUpdateOf({ clients: [{ client: 1, clock: 8, structs: [item] }] }))).toBe(
        fault,
      );
      const whole = writeUpdateOf({ clients: [{ client: 1, clock: 0, structs: [...START, item] }] });
      if (!_.includes('wrong order') && !_.includes('both sides'))
        expect(faultOf(new MeshDocument(), whole)).toBe(fault);
    },
  );

  it('is refused with a gap before what is new, and taken with one before what is here', () => {
    const document = new MeshDocument();
    const set = (clock: number, structs: WrittenStruct[]) =>
      writeUpdateOf({ clients: [{ client: 1, clock, structs }] });
    const gap: WrittenStruct = { content: { kind: 'skip', length: 1 } };
    const [a, b] = ['a', 'b'].map((key): WrittenStruct => ({ key, content: value }));
    expect(faultOf(document, set(0, [gap, b]))).toBe('INCOMPLETE');
    document.apply(set(0, [a]), ANN);
    expect(document.apply(set(0, [gap, b]), ANN).changed).toBe(true);
    expect(document.state.shared).toEqual({ a: 1, b: 1 });
  });

  it('is refused with neighbours in the wrong order that are items of their own', () => {
    const structs: WrittenStruct[] = [
      { key: 'list', content: type(0) },
      { parent: id(0), content: value },
      { rightOrigin: id(1), content: { kind: 'values', values: [2] } },
    ];
    const document = new MeshDocument();
    document.apply(writeUpdateOf({ clients: [{ client: 1, clock: 0, structs }] }), ANN);
    const between = (left: number, right: number) =>
      writeUpdateOf({
        clients: [
          { client: 2, clock: 0, structs: [{ origin: id(left), rightOrigin: id(right), content: value }] },
        ],
      });
    expect(faultOf(document, between(1, 2))).toBe('MALFORMED');
    document.apply(between(2, 1), ANN);
    expect(document.state.shared).toEqual({ list: [2, 1, 1] });
  });

  it('is cut where it begins with what is here, also below what was deleted since', () => {
    const { document, editor } = withNode();
    document.apply(
      said(editor, e => e.getMap('shared').set('text', new Y.Text('a'))),
      ANN,
    );
    const other = editorOf(document);
    const before = Y.encodeStateVector(editor);
    document.apply(
      said(editor, e => (e.getMap('shared').get('text') as Y.Text).insert(1, 'b')),
      ANN,
    );
    document.apply(
      said(other, e => e.getMap('shared').delete('text')),
      BOB,
    );
    (editor.getMap('shared').get('text') as Y.Text).insert(2, 'c');
    // One item, 'bc', of which 'b' is here, and deleted with its parent.
    expect(document.apply(Y.encodeStateAsUpdate(editor, before), ANN).changed).toBe(true);
    Y.applyUpdate(editor, document.encode());
    expect(editor.getMap('shared').toJSON()).toEqual(document.state.shared);
    expect(Y.encodeStateVector(editor)).toEqual(document.stateVector);
  });

  it('may put things into what was deleted meanwhile, where they are lost', () => {
    const { document, editor } = withNode();
    document.apply(
      said(editor, e => e.getMap('shared').set('map', new Y.Map())),
      ANN,
    );
    document.apply(
      said(editorOf(document), e => e.getMap('shared').delete('map')),
      BOB,
    );
    const inner = editor.getMap('shared').get('map') as Y.Map<unknown>;
    expect(
      document.apply(
        said(editor, () => inner.set('a', 1)),
        ANN,
      ).changed,
    ).toBe(true);
    // Deleted before it was ever heard of.
    const gone: WrittenStruct[] = [
      { key: 'b', content: { kind: 'deleted', length: 1 } },
      { parent: id(0), key: 'c', content: value },
    ];
    const update = writeUpdateOf({ clients: [{ client: 1, clock: 0, structs: gone }] });
    expect(document.apply(update, BOB).changed).toBe(true);
    expect(document.state.shared).toEqual({});
  });

  it('is passed over as far as it is here, whatever neighbours it names for that', () => {
    const document = new MeshDocument();
    const set = (structs: WrittenStruct[]) => writeUpdateOf({ clients: [{ client: 1, clock: 0, structs }] });
    document.apply(set([{ key: 'a', content: value }]), ANN);
    const other = set([
      { origin: id(7, 77), content: value },
      { key: 'b', content: value },
    ]);
    expect(document.apply(other, ANN).changed).toBe(true);
    expect(document.state.shared).toEqual({ a: 1, b: 1 });
  });
});

describe('a bound', () => {
  it('is held of the bytes of an update', () => {
    const { document, editor } = withNode();
    const { updateBytesMax } = DOCUMENT_BOUNDS;
    const update = said(editor, e => e.getMap('shared').set('a', 'x'.repeat(updateBytesMax - 100)));
    const most = said(editorOf(document), e => e.getMap('shared').set('a', 'x'.repeat(updateBytesMax)));
    expect(document.apply(update, ANN).changed).toBe(true);
    expect(refusal(document, most)).toMatchObject({
      code: 'TOO_LARGE',
      max: updateBytesMax,
      got: most.length,
    });
    // What another replica took, this one takes.
    expect(document.apply(most, SERVICE).changed).toBe(true);
  });

  it('is held of the writers', () => {
    const document = new MeshDocument({ bounds: { writersMax: 3 } });
    const write = () => said(new Y.Doc(), e => e.getMap('shared').set('a', 1));
    document.apply(write(), ANN);
    document.apply(write(), ANN);
    expect(refusal(document, write())).toMatchObject({ code: 'DOCUMENT_FULL', max: 3, got: 4 });
    // Who is among them goes on, even where another replica took more.
    document.claimWriter(77, BOB);
    const known = Object.assign(new Y.Doc(), { clientID: 77 });
    expect(
      document.apply(
        said(known, e => e.getMap('shared').set('a', 2)),
        BOB,
      ).changed,
    ).toBe(true);
  });

  it('is held of the nesting, counted through types and values', () => {
    const { document, editor } = withNode();
    const { nestingMax } = DOCUMENT_BOUNDS;
    let map = editor.getMap('shared');
    const deepen = () => said(editor, () => (map = map.set('in', new Y.Map()) as Y.Map<unknown>));
    for (let i = 1; i < nestingMax; i++) document.apply(deepen(), ANN);
    document.apply(
      said(editor, () => map.set('value', [1])),
      ANN,
    );
    const tooDeep = said(editorOf(document), e => {
      let inner = e.getMap('shared');
      for (let i = 1; i < nestingMax; i++) inner = inner.get('in') as Y.Map<unknown>;
      inner.set('value', [[1]]);
    });
    expect(refusal(document, tooDeep, BOB)).toMatchObject({
      code: 'TOO_LARGE',
      got: nestingMax + 1,
    });
    document.apply(deepen(), ANN);
    expect(refusal(document, deepen())).toMatchObject({ code: 'TOO_LARGE', got: nestingMax + 1 });
  });

  it('is held of the document, which can be made emptier when it is full', () => {
    const bytesMax = 65_536;
    const { document, editor } = withNode({ bounds: { documentBytesMax: bytesMax } });
    const set = (i: number) => said(editor, e => e.getMap('shared').set(`key ${i}`, 'x'.repeat(900)));
    let taken = 0;
    for (let update = set(0); ; update = set(++taken)) {
      if (taken > 100) throw new Error('it never gets full');
      try {
        document.apply(update, ANN);
      } catch (error) {
        expect(error).toMatchObject({ code: 'DOCUMENT_FULL', max: (bytesMax / 16) * 15 });
        break;
      }
    }
    expect(document.encode().length).toBeLessThanOrEqual(bytesMax);
    expect(document.encode().length).toBeGreaterThan(bytesMax * 0.85);
    const cleaner = editorOf(document);
    for (let i = 0; i < taken / 2; i++)
      expect(
        document.apply(
          said(cleaner, e => e.getMap('shared').delete(`key ${i}`)),
          BOB,
        ).changed,
      ).toBe(true);
    expect(
      document.apply(
        said(cleaner, e => e.getMap('shared').set('new', 'x'.repeat(9_000))),
        BOB,
      ).changed,
    ).toBe(true);
    expect(document.encode().length).toBeLessThanOrEqual(document.bytesAtMost);
  });

  it('is held of a full document with the last of its room for deletions, and not of the service', () => {
    const { document, editor } = withNode({ bounds: { documentBytesMax: 65_536 } });
    document.apply(
      said(editor, e => e.getMap('shared').set('a', 1)),
      ANN,
    );
    document.write(({ shared }) => shared.set('fill', 'x'.repeat(62_000)));
    const [set, unset] = [
      said(editor, e => e.getMap('shared').set('b', 1)),
      said(editor, e => e.getMap('shared').delete('a')),
    ];
    expect(faultOf(document, set)).toBe('DOCUMENT_FULL');
    expect(document.apply(unset, ANN).changed).toBe(true);
    expect(document.apply(set, SERVICE).changed).toBe(true);
  });

  it('is never passed by what an update makes of the document beside its own bytes', () => {
    const text: WrittenStruct = { key: 'text', content: { kind: 'type', ref: 2 } };
    const characters: WrittenStruct = {
      parent: { client: 1, clock: 0 },
      content: { kind: 'characters', text: 'x'.repeat(1_000) },
    };
    const everyOther = Array.from({ length: 500 }, (_, i) => [2 * i + 1, 1] as const);
    const split = new MeshDocument();
    split.apply(
      writeUpdateOf({
        clients: [{ client: 1, clock: 0, structs: [text, characters] }],
        deleted: [{ client: 1, ranges: everyOther }],
      }),
      ANN,
    );
    expect(split.bytesAtMost).toBeGreaterThanOrEqual(split.encode().length);

    // Every other operation of one client loses its key to another's.
    const keys = Array.from({ length: 500 }, (_, i): WrittenStruct[] => [
      { key: `${i}`, content: { kind: 'values', values: [1] } },
      { key: `${i} stays`, content: { kind: 'values', values: [1] } },
    ]).flat();
    const snapshot = writeUpdateOf({ clients: [{ client: 1, clock: 0, structs: keys }] });
    const overwritten = new MeshDocument({ snapshot });
    const structs = Array.from({ length: 500 }, (_, i): WrittenStruct => ({
      origin: { client: 1, clock: 2 * i },
      content: { kind: 'values', values: [2] },
    }));
    overwritten.apply(writeUpdateOf({ clients: [{ client: 2, clock: 0, structs }] }), ANN);
    expect(Object.values(overwritten.state.shared).filter(each => each === 2)).toHaveLength(500);
    expect(overwritten.bytesAtMost).toBeGreaterThanOrEqual(overwritten.encode().length);
  });

  it('is held of what deletions split a text into', () => {
    const { document, editor } = withNode({ bounds: { documentBytesMax: 131_072 } });
    document.apply(
      said(editor, e => e.getMap('shared').set('text', new Y.Text('x'.repeat(60_000)))),
      ANN,
    );
    let refused: unknown;
    for (let from = 0; from < 60_000 && !refused; from += 1_000) {
      const ranges = Array.from({ length: 500 }, (_, i) => [from + 2 * i + 1, 1] as const);
      const update = writeUpdateOf({ deleted: [{ client: editor.clientID, ranges }] });
      try {
        document.apply(update, ANN);
      } catch (error) {
        refused = error;
      }
      expect(document.encode().length).toBeLessThanOrEqual(131_072);
    }
    expect(refused).toMatchObject({ code: 'DOCUMENT_FULL' });
  });

  it('is held of the work that a few bytes ask for', () => {
    const values = Array.from({ length: 3_000 }, (): WrittenStruct => ({
      parent: { client: 1, clock: 0 },
      content: { kind: 'values', values: [1] },
    }));
    const list: WrittenStruct = { key: 'list', content: { kind: 'type', ref: 0 } };
    const siblings = writeUpdateOf({ clients: [{ client: 1, clock: 0, structs: [list, ...values] }] });
    const document = new MeshDocument();
    expect(refusal(document, siblings)).toMatchObject({ code: 'TOO_LARGE', max: DOCUMENT_BOUNDS.stepsMax });
    // A document that has them all the same, and an update that walks over all of them, again and again.
    document.apply(
      writeUpdateOf({ clients: [{ client: 1, clock: 0, structs: [list, ...values.slice(0, 1_000)] }] }),
      SERVICE,
    );
    const walk = (count: number) =>
      writeUpdateOf({ clients: [{ client: 2, clock: 0, structs: values.slice(0, count) }] });
    expect(faultOf(document, walk(2_000))).toBe('TOO_LARGE');
    expect(document.apply(walk(300), ANN).changed).toBe(true);
  });

  it('is held of the walk to the first value that a key ever had, and not of one that ends at once', () => {
    const set = (count: number): WrittenStruct[] =>
      Array.from({ length: count }, () => ({ key: 'k', content: { kind: 'values', values: [1] } }));
    const keyed = new MeshDocument();
    keyed.apply(writeUpdateOf({ clients: [{ client: 1, clock: 0, structs: set(3_000) }] }), SERVICE);
    const often = (count: number) =>
      writeUpdateOf({ clients: [{ client: 2, clock: 0, structs: set(count) }] });
    // Twice over them all, there and back.
    expect(faultOf(keyed, often(200))).toBe('TOO_LARGE');
    expect(keyed.apply(often(100), ANN).changed).toBe(true);

    // Each item before the one before: what follows on one in the list was not put behind it, and is nobody's rival there.
    const list: WrittenStruct = { key: 'list', content: { kind: 'type', ref: 0 } };
    const entry = { kind: 'values', values: [1] } as const;
    const entries = Array.from({ length: 3_000 }, (_, i): WrittenStruct => ({
      ...(i === 0 ? { parent: { client: 1, clock: 0 } } : { rightOrigin: { client: 1, clock: i } }),
      content: entry,
    }));
    const listed = new MeshDocument();
    listed.apply(writeUpdateOf({ clients: [{ client: 1, clock: 0, structs: [list, ...entries] }] }), SERVICE);
    const structs = Array.from({ length: 1_000 }, (_, i) => ({
      origin: { client: 1, clock: 3_000 - i },
      content: entry,
    }));
    const behind = writeUpdateOf({ clients: [{ client: 2, clock: 0, structs }] });
    expect(listed.apply(behind, ANN).changed).toBe(true);
    expect((listed.state.shared as { list: number[] }).list).toHaveLength(4_000);
  });

  it('is held of the items that deletions move, and is no hindrance to putting many in front', () => {
    const text: WrittenStruct = { key: 'text', content: { kind: 'type', ref: 2 } };
    const list: WrittenStruct = { key: 'list', content: { kind: 'type', ref: 0 } };
    const characters: WrittenStruct = {
      parent: { client: 1, clock: 0 },
      content: { kind: 'characters', text: 'x'.repeat(10_000) },
    };
    const entries = Array.from({ length: 15_000 }, (): WrittenStruct => ({
      parent: { client: 1, clock: 10_001 },
      content: { kind: 'values', values: [1] },
    }));
    const structs = [text, characters, list, ...entries];
    const document = new MeshDocument();
    document.apply(writeUpdateOf({ clients: [{ client: 1, clock: 0, structs }] }), SERVICE);
    const ranges = Array.from({ length: 4_000 }, (_, i) => [2 * i + 1, 1] as const);
    expect(faultOf(document, writeUpdateOf({ deleted: [{ client: 1, ranges }] }))).toBe('TOO_LARGE');
    const few = writeUpdateOf({ deleted: [{ client: 1, ranges: ranges.slice(0, 100) }] });
    expect(document.apply(few, ANN).changed).toBe(true);
    const inFront = Array.from({ length: 1_000 }, (_, i): WrittenStruct => ({
      rightOrigin: i === 0 ? { client: 1, clock: 10_002 + 14_999 } : { client: 2, clock: i - 1 },
      content: { kind: 'values', values: [2] },
    }));
    const update = writeUpdateOf({ clients: [{ client: 2, clock: 0, structs: inFront }] });
    expect(document.apply(update, ANN).changed).toBe(true);
    expect((document.state.shared as { list: number[] }).list.slice(998, 1_002)).toEqual([2, 2, 1, 1]);
  });

  it('is no hindrance to an editor that was long away', () => {
    const { document, editor } = withNode();
    document.apply(
      said(editor, e => e.getMap('shared').set('list', Y.Array.from([0]))),
      ANN,
    );
    const other = editorOf(document);
    const list = (e: Y.Doc) => e.getMap('shared').get('list') as Y.Array<unknown>;
    for (let i = 0; i < 5_000; i++) list(other).insert(i % 3 === 0 ? 0 : i % list(other).length, [i]);
    for (let i = 0; i < 500; i++)
      document.apply(
        said(editor, e => list(e).insert(0, [i])),
        ANN,
      );
    expect(document.apply(Y.encodeStateAsUpdate(other, document.stateVector), BOB).changed).toBe(true);
    Y.applyUpdate(editor, document.encode());
    expect(list(editor).toJSON()).toEqual((document.state.shared as { list: unknown }).list);
  });
});
