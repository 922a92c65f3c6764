import { describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import * as Y from 'yjs';
import { MeshDocument } from './mesh-document.js';
import { writeUpdateOf, type WrittenStruct } from './testing/write-update.js';
import type { OperationId } from './update-reader.js';
import { type UpdateFault, UpdateRefused } from './update-refused.js';
import { ANN, BOB, editorOf, faultOf, NODE, said, SERVICE, withNode } from './testing/refusal.js';

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
    expect(document.judge(next, ANN)).toEqual({ changed: true, newWriters: [], deletesAlone: false });
    expect(document.apply(next, ANN).changed).toBe(true);
    // What is known is passed over, whoever says it.
    expect(document.apply(next, BOB)).toEqual({ changed: false, newWriters: [] });
  });

  it('counts the bytes of what still stands of a client id, whatever was written over', () => {
    const document = new MeshDocument();
    const [editor, other] = [new Y.Doc(), new Y.Doc()];
    const write = (from: Y.Doc, key: string, text: string) =>
      document.apply(
        said(from, e => e.getMap('shared').set(key, text)),
        ANN,
      );
    write(editor, 'a', 'x'.repeat(2_000));
    write(other, 'b', 'y'.repeat(1_000));
    const [bytes, others] = [editor, other].map(({ clientID }) => document.bytesOf(clientID));
    expect([bytes >= 2_000 && bytes < 2_100, others >= 1_000 && others < 1_100]).toEqual([true, true]);
    const whole = document.encode().length;
    expect(bytes + others <= whole && bytes + others > whole - 100).toBe(true);
    for (let n = 0; n < 50; n++) write(editor, 'a', `${n}`.repeat(1_000));
    expect(document.bytesOf(editor.clientID)).toBeLessThan(2_100);
    expect(document.bytesOf(7)).toBeLessThan(10);
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

  it('is refused with neighbours in the wrong order among what it brings itself, and taken with the right one', () => {
    const list: WrittenStruct[] = [
      { key: 'list', content: type(0) },
      { parent: id(0), content: value },
    ];
    const listed = (structs: WrittenStruct[]) => {
      const document = new MeshDocument();
      document.apply(writeUpdateOf({ clients: [{ client: 1, clock: 0, structs: list }] }), ANN);
      const before = { origin: id(1), content: { kind: 'values', values: [2, 3] } } as const;
      const update = { clients: [{ client: 2, clock: 0, structs: [before, ...structs] }] };
      return { document, update: writeUpdateOf(update) };
    };
    const four = (origin: OperationId, rightOrigin: OperationId): WrittenStruct => ({
      origin,
      rightOrigin,
      content: { kind: 'values', values: [4] },
    });
    for (const [left, right] of [
      [id(1, 2), id(1, 2)],
      [id(1, 2), id(0, 2)],
      [id(0, 2), id(1)],
    ]) {
      const { document, update } = listed([four(left, right)]);
      expect(faultOf(document, update)).toBe('MALFORMED');
    }
    for (const [left, right, state] of [
      [id(0, 2), id(1, 2), [1, 2, 4, 3]],
      [id(1), id(0, 2), [1, 4, 2, 3]],
    ] as const) {
      const { document, update } = listed([four(left, right)]);
      document.apply(update, ANN);
      expect(document.state.shared).toEqual({ list: state });
      expect(new MeshDocument({ snapshot: document.encode() }).stateHash).toBe(document.stateHash);
    }
  });

  it('is refused with neighbours that have something between them which one of them builds on', () => {
    const structs: WrittenStruct[] = [
      { key: 'list', content: type(0) },
      { parent: id(0), content: { kind: 'values', values: [1, 2, 3] } },
      { rightOrigin: id(1), content: value },
      { origin: id(4), rightOrigin: id(1), content: value },
    ];
    // As 4, 5, 1, 2, 3.
    for (const [origin, rightOrigin] of [
      [id(1), id(3)],
      [id(4), id(2)],
      [id(4), undefined],
      [undefined, id(2)],
      [undefined, id(5)],
    ]) {
      const document = new MeshDocument();
      document.apply(writeUpdateOf({ clients: [{ client: 1, clock: 0, structs }] }), ANN);
      const between: WrittenStruct = { origin, rightOrigin, content: value };
      const update = (client: number, clock: number, all: WrittenStruct[]) =>
        writeUpdateOf({ clients: [{ client, clock, structs: all }] });
      expect(faultOf(document, update(2, 0, [between]))).toBe('MALFORMED');
      expect(faultOf(new MeshDocument(), update(1, 0, [...structs, between]))).toBe('MALFORMED');
    }
  });

  it('may name two neighbours that were made apart, and came side by side at its editor', () => {
    const document = new MeshDocument();
    const editor = new Y.Doc();
    document.apply(
      said(editor, e => e.getMap('shared').set('list', Y.Array.from([1, 9]))),
      ANN,
    );
    const others = editorOf(document);
    const list = (e: Y.Doc) => e.getMap('shared').get('list') as Y.Array<unknown>;
    // Of the lower client id, and so the left one.
    [editor.clientID, others.clientID] = [1, 2];
    const known = Y.encodeStateVector(editor);
    list(editor).insert(1, ['left']);
    document.apply(
      said(others, e => list(e).insert(1, ['right'])),
      BOB,
    );
    Y.applyUpdate(editor, document.encode());
    list(editor).insert(2, ['between']);
    expect(document.apply(Y.encodeStateAsUpdate(editor, known), ANN).changed).toBe(true);
    expect(document.state.shared).toEqual({ list: [1, 'left', 'between', 'right', 9] });
    expect(list(editor).toJSON()).toEqual([1, 'left', 'between', 'right', 9]);
  });

  it('is refused that would split an emoji by an item that is then forgotten', () => {
    const text: WrittenStruct[] = [
      { key: 'text', content: type(2) },
      { parent: id(0), content: { kind: 'characters', text: '\u{1f600}' } },
    ];
    const gone: WrittenStruct = { content: { kind: 'gc', length: 1 } };
    const [z, half] = [{ kind: 'characters', text: 'z' } as const, id(1)];
    for (const item of [
      { origin: half, rightOrigin: id(3), content: z },
      { origin: id(3), rightOrigin: id(2), content: z },
    ]) {
      const document = new MeshDocument();
      document.apply(writeUpdateOf({ clients: [{ client: 1, clock: 0, structs: [...text, gone] }] }), ANN);
      const update = writeUpdateOf({ clients: [{ client: 1, clock: 4, structs: [item] }] });
      expect(faultOf(document, update)).toBe('MALFORMED');
    }
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
