import { describe, expect, it } from '@jest/globals';
import * as Y from 'yjs';
import { DOCUMENT_BOUNDS } from './document-bounds.js';
import { MeshDocument } from './mesh-document.js';
import { writeUpdateOf, type WrittenStruct } from './testing/write-update.js';
import { ANN, BOB, editorOf, faultOf, refusal, said, SERVICE, withNode } from './testing/refusal.js';

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
    // Half of them one before the other, and the rest each from the start to one of those, over all that is between.
    const [first, half] = [1, 1_500];
    const crossing = values.map((each, i): WrittenStruct => {
      if (i === 0) return each;
      return {
        rightOrigin: { client: 1, clock: i < half ? first : first + i - half },
        content: each.content,
      };
    });
    const siblings = writeUpdateOf({ clients: [{ client: 1, clock: 0, structs: [list, ...crossing] }] });
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

    // What follows on each in the list was not put behind it, and is nobody's rival there.
    const list: WrittenStruct = { key: 'list', content: { kind: 'type', ref: 0 } };
    const entry = { kind: 'values', values: [1] } as const;
    const parent = { client: 1, clock: 0 };
    const entries = Array.from({ length: 3_000 }, (): WrittenStruct => ({ parent, content: entry }));
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
