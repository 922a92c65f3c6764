import { MeshDocument, PeerDocument } from '@svc/mesh';
import fc from 'fast-check';
import { StoredNews, type StoredUpdate } from './stored-news.js';

const RUNS = process.env.SUITE_TIER === 'long' ? 2_000 : 60;
const KEYS = ['a', 'b', 'c'];

/** What a document keeps of what peers write at the same time, each under its own name. */
function storedOf(program: readonly { writer: number; key: string; value: number | null }[]) {
  const document = new MeshDocument();
  const writers = [0, 1, 2].map(() => new PeerDocument());
  const updates: StoredUpdate[] = [];
  for (const [n, from] of writers.entries())
    from.document.on('update', (update: Uint8Array, origin: unknown) => {
      if (origin === 'other') return;
      const { stored } = document.apply(update, { kind: 'peer', name: `peer ${n}` });
      if (stored) updates.push({ bytes: stored, from });
    });
  for (const { writer, key, value } of program) {
    if (value === null) writers[writer].shared.delete(key);
    else writers[writer].shared.set(key, value);
    // One of them hears of what the others do, and builds on it.
    if (writer > 0) writers[0].apply(document.encode(writers[0].readStateVector()));
  }
  return { document, writers, updates };
}

const program = fc.array(
  fc.record({
    writer: fc.nat(2),
    key: fc.constantFrom(...KEYS),
    value: fc.option(fc.nat(), { nil: null, freq: 4 }),
  }),
  { minLength: 2, maxLength: 60, size: 'max' },
);

describe('what peers are told of what is stored', () => {
  it('is all of it, in whatever pieces it was stored, and none of their own', () => {
    let spared = 0;
    const property = fc.property(
      program,
      fc.array(fc.integer({ min: 1, max: 30 }), { maxLength: 9 }),
      (all, cuts) => {
        const { document, writers, updates } = storedOf(all);
        const reader = new PeerDocument();
        for (let at = 0, n = 0; at < updates.length; n++) {
          const batch = updates.slice(at, at + (cuts[n] ?? updates.length));
          at += batch.length;
          const news = new StoredNews(batch);
          expect(news.for(reader)).toHaveLength(1);
          for (const update of news.for(reader)) expect(reader.apply(update).changed).toBe(true);
          for (const writer of writers) {
            const others = batch.filter(({ from }) => from !== writer).map(({ bytes }) => bytes);
            const isWriter = others.length < batch.length;
            expect(news.for(writer)).toEqual(isWriter ? others : news.for(reader));
          }
          spared += batch.length - 1;
        }
        expect(reader.stateHash).toBe(document.stateHash);
        expect(reader.readStateVector()).toEqual(document.stateVector);
      },
    );
    fc.assert(property, { numRuns: RUNS, seed: 2026 });
    expect(spared).toBeGreaterThan(5 * RUNS);
  });

  it('is made one update once for all of them', () => {
    const { updates } = storedOf(KEYS.map((key, value) => ({ writer: 0, key, value })));
    const news = new StoredNews(updates);
    expect(news.for({})[0]).toBe(news.for({})[0]);
    const [alone] = updates;
    expect(new StoredNews([alone]).for({})).toEqual([alone.bytes]);
    expect(new StoredNews([alone]).for(alone.from as object)).toEqual([]);
  });

  it('is told as it is where it is too much for one message, or too many', () => {
    const large = ['x', 'y'].map(letter => letter.repeat(100_000));
    const document = new MeshDocument();
    const bytes = large.map(value => document.write(({ shared }) => shared.set('key', value)) as Uint8Array);
    expect(new StoredNews(bytes.map(each => ({ bytes: each }))).for({})).toEqual(bytes);
    const many = Array.from({ length: 513 }, (_, n) => ({
      bytes: document.write(({ shared }) => shared.set('key', n)) as Uint8Array,
    }));
    expect(new StoredNews(many).for({})).toHaveLength(513);
    expect(new StoredNews(many.slice(1)).for({})).toHaveLength(1);
  });
});
