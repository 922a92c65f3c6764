import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import * as Y from 'yjs';
import { MeshDocument } from './mesh-document.js';
import { edits, makeEdit } from './testing/editing.js';
import { UpdateRefused } from './update-refused.js';

const RUNS = process.env.SUITE_TIER === 'long' ? 3_000 : 40;
const ANN = { kind: 'peer', name: 'ann' } as const;
const BOB = { kind: 'peer', name: 'bob' } as const;
const ANNS_CLIENT = 1;
const ANNS_OTHER_CLIENT = 2;

/** What an editor says of what is done in it, change after change. */
function saidBy(clientID: number, work: (editor: Y.Doc) => void): Uint8Array[] {
  const editor = Object.assign(new Y.Doc(), { clientID });
  const said: Uint8Array[] = [];
  editor.on('update', (update: Uint8Array) => said.push(update));
  work(editor);
  return said;
}

const sets = (values: readonly unknown[], clientID = ANNS_CLIENT) =>
  saidBy(clientID, editor => {
    for (const value of values) editor.getMap('shared').set('key', value);
  });

const anns = (bounds = {}) =>
  new MeshDocument({ bounds, writers: [ANNS_CLIENT, ANNS_OTHER_CLIENT].map(client => [client, ANN]) });

describe('updates in one piece', () => {
  it('make the document that they make one by one, and are handed on as one update', () => {
    let merged = 0;
    const property = fc.property(edits(1, 40), fc.array(fc.integer({ min: 2, max: 12 })), (program, cuts) => {
      const longer = [...program, ...program, ...program];
      const said = saidBy(ANNS_CLIENT, editor => longer.forEach(edit => makeEdit(editor, edit)));
      const [single, whole, relayed] = [anns(), anns(), anns()];
      for (const update of said) single.apply(update, ANN);
      for (let at = 0, n = 0; at < said.length; n++) {
        const run = said.slice(at, at + (cuts[n] ?? said.length));
        const { count, changes, stored, newWriters } = whole.applyRun(run, ANN);
        expect([count, changes, newWriters]).toEqual([run.length, run.length, []]);
        expect(relayed.apply(stored as Uint8Array, ANN).changed).toBe(true);
        expect(whole.stateHash).toBe(relayed.stateHash);
        at += run.length;
        merged += run.length - 1;
      }
      for (const { stateHash, stateVector } of [whole, relayed])
        expect([stateHash, stateVector]).toEqual([single.stateHash, single.stateVector]);
      expect(whole.encode().length).toBeLessThanOrEqual(whole.bytesAtMost);
      expect(whole.applyRun(said, ANN)).toMatchObject({ count: said.length, changes: 0, stored: undefined });
    });
    fc.assert(property, { numRuns: RUNS, seed: 2026 });
    expect(merged).toBeGreaterThan(RUNS);
  });

  it('are handed on without the values that they overwrite among themselves', () => {
    const document = anns();
    const { stored } = document.applyRun(sets([1, 2, 3]), ANN);
    expect(document.state.shared).toEqual({ key: 3 });
    expect((stored as Uint8Array).length).toBeLessThan(
      sets([1, 2, 3]).reduce((sum, { length }) => sum + length, 0),
    );
  });

  it('end before one that is refused, which is refused at the head of the next', () => {
    const document = anns();
    const [one, two, three] = sets([1, 2, 3]);
    const foreign = saidBy(ANNS_OTHER_CLIENT, editor => editor.getMap('nodes').set('aa', 1))[0];
    expect(document.applyRun([one, foreign, two, three], ANN)).toMatchObject({ count: 1, changes: 1 });
    expect(document.state.shared).toEqual({ key: 1 });
    const before = document.stateHash;
    expect(() => document.applyRun([three, two], ANN)).toThrow(UpdateRefused);
    expect(() => document.applyRun([three, two], ANN)).toThrow(
      expect.objectContaining({ code: 'INCOMPLETE' }),
    );
    expect(document.stateHash).toBe(before);
    expect(document.applyRun([two, three], ANN).count).toBe(2);
    expect(document.state.shared).toEqual({ key: 3 });
  });

  it('end before a client id that is nobody\u2019s yet, and claim none', () => {
    const document = anns();
    const [first] = sets([1]);
    const news = sets([2], 7);
    expect(document.applyRun([first, ...news], ANN)).toMatchObject({ count: 1, newWriters: [] });
    const nothing = { count: 0, changes: 0, stored: undefined, newWriters: [7] };
    expect(document.applyRun(news, BOB)).toEqual(nothing);
    expect([document.state.shared, document.writers.has(7)]).toEqual([{ key: 1 }, false]);
    document.claimWriter(7, BOB);
    expect(() => document.applyRun(news, ANN)).toThrow(expect.objectContaining({ code: 'FOREIGN_WRITER' }));
    expect(document.applyRun(news, BOB)).toMatchObject({ count: 1, changes: 1, newWriters: [] });
  });

  it('have room where what they overwrite makes it, and none beyond the bound', () => {
    const document = anns({ documentBytesMax: 65_536 });
    const overwriting = sets(Array.from({ length: 200 }, (_, n) => `${n} ${'x'.repeat(9_000)}`));
    let runs = 0;
    for (let at = 0; at < overwriting.length; runs++)
      at += document.applyRun(overwriting.slice(at), ANN).count;
    expect(runs).toBeGreaterThan(200 / 8);
    expect(runs).toBeLessThan(200 / 4);
    expect(document.encode().length).toBeLessThanOrEqual(document.bytesAtMost);
    const growing = saidBy(ANNS_OTHER_CLIENT, editor => {
      Y.applyUpdate(editor, document.encode());
      for (let n = 0; n < 8; n++) editor.getMap('shared').set(`key ${n}`, 'x'.repeat(9_000));
    }).slice(1);
    let taken = 0;
    expect(() => {
      while (taken < growing.length) taken += document.applyRun(growing.slice(taken), ANN).count;
    }).toThrow(expect.objectContaining({ code: 'DOCUMENT_FULL' }));
    // With the one above, six of 9 kB in 15/16 of 64 KiB.
    expect(taken).toBe(5);
    expect(document.encode().length).toBeLessThanOrEqual(65_536);
  });
});
