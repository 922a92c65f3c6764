import fc from 'fast-check';
import { StoredCursor } from './stored-cursor.js';

describe('the cursor of what is stored', () => {
  it('is at the end once all ranges are in, in whatever order and however often they come', () => {
    const lengths = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(lengths, fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true })), (sizes, random) => {
        let end = 0;
        const ranges = sizes.map(size => ({ after: end, upto: (end += size) }));
        const order = [...ranges, ...ranges.filter(() => random.next().value! < 0.3)]
          .map(range => ({ range, at: random.next().value! }))
          .sort((a, b) => a.at - b.at);
        const cursor = new StoredCursor();
        const seen = new Set<number>();
        for (const { range } of order) {
          cursor.take(range);
          seen.add(range.after);
          // As far as there is no hole, by a model that looks at all of them each time.
          let reached = 0;
          for (const each of ranges) if (each.after === reached && seen.has(each.after)) reached = each.upto;
          expect(cursor.seq).toBe(reached);
          expect(cursor.hasGap).toBe(
            [...seen].some(after => after >= reached && reached < end && after > reached),
          );
        }
        expect(cursor.seq).toBe(end);
      }),
      { numRuns: 200 },
    );
  });

  it('never goes back', () => {
    const cursor = new StoredCursor();
    cursor.moveTo(7);
    cursor.take({ after: 2, upto: 5 });
    cursor.moveTo(3);
    expect(cursor.seq).toBe(7);
    cursor.take({ after: 5, upto: 9 });
    expect(cursor.seq).toBe(9);
  });

  it('keeps a bounded number of ranges that lack what is before them', () => {
    const cursor = new StoredCursor();
    for (let i = 1; i <= 10_000; i++) cursor.take({ after: i, upto: i + 1 });
    expect(cursor.hasGap).toBe(true);
    cursor.moveTo(1);
    // The others are read from where they are stored.
    expect([cursor.seq, cursor.hasGap]).toEqual([257, false]);
  });
});
