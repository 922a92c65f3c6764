import fc from 'fast-check';
import { StatementBatch } from './statement-batch.js';

/** What typeorm throws of an answer of Postgres. */
const refusal = (code: string) => Object.assign(new Error(code), { driverError: { code } });
const settled = async (calls: Promise<unknown>[]) =>
  (await Promise.allSettled(calls)).map(each => (each.status === 'fulfilled' ? each.value : each.reason));

it('gives calls of one turn what they would have got one after the other, in few statements', async () => {
  const call = fc.record({ topic: fc.integer({ min: 0, max: 5 }), isFaulty: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(
      fc.array(call, { maxLength: 20 }),
      fc.integer({ min: 1, max: 8 }),
      async (calls, sizeMax) => {
        const counts = new Map<number, number>();
        const statements: number[] = [];
        const error = refusal('23514');
        const batch = new StatementBatch<(typeof calls)[number], number>(
          async items => {
            statements.push(items.length);
            expect(new Set(items.map(({ topic }) => topic)).size).toBe(items.length);
            if (items.some(({ isFaulty }) => isFaulty)) throw error;
            return items.map(({ topic }) => {
              counts.set(topic, (counts.get(topic) ?? 0) + 1);
              return counts.get(topic)!;
            });
          },
          { sizeMax, apart: ({ topic }) => [String(topic)] },
        );
        const outcomes = await settled(calls.map(each => batch.add(each)));
        const model = new Map<number, number>();
        const expected = calls.map(({ topic, isFaulty }) => {
          if (isFaulty) return error;
          model.set(topic, (model.get(topic) ?? 0) + 1);
          return model.get(topic);
        });
        expect(outcomes).toEqual(expected);
        expect(Math.max(0, ...statements)).toBeLessThanOrEqual(sizeMax);
        if (
          calls.every(({ isFaulty }) => !isFaulty) &&
          new Set(calls.map(({ topic }) => topic)).size === calls.length
        )
          expect(statements.length).toBe(Math.ceil(calls.length / sizeMax));
      },
    ),
    { numRuns: 200 },
  );
});

it('is cut before what has to see an earlier call, and no more often', async () => {
  const statements: string[] = [];
  const batch = new StatementBatch<string, string>(async items => (statements.push(items.join('')), items), {
    sizeMax: 16,
    apart: item => [item],
  });
  await Promise.all([...'abcadbb'].map(item => batch.add(item)));
  expect(statements).toEqual(['abc', 'adb', 'b']);
});

it.each([
  ['a connection that was ended', new Error('Connection terminated')],
  ['a socket that is gone', refusal('EPIPE')],
])('asks nothing again of which nobody knows whether it was written: %s', async (_what, lost) => {
  let count = 0;
  const batch = new StatementBatch<number, number>(
    async () => {
      count++;
      throw lost;
    },
    { sizeMax: 16 },
  );
  expect(await settled([1, 2, 3].map(item => batch.add(item)))).toEqual([lost, lost, lost]);
  expect(count).toBe(1);
});

it('is repeated where Postgres asks for that, of one call too, and not for ever', async () => {
  for (const code of ['40001', '40P01']) {
    let left = 4;
    let count = 0;
    const batch = new StatementBatch<number, number>(
      async items => {
        count++;
        if (left-- > 0) throw refusal(code);
        return items;
      },
      { sizeMax: 16 },
    );
    expect(await batch.add(7)).toBe(7);
    expect(count).toBe(5);
    left = 1_000;
    expect(await settled([batch.add(8)])).toMatchObject([{ message: code }]);
    expect(count).toBe(10);
  }
});

it('fails where the results are not as many as the calls', async () => {
  const batch = new StatementBatch<number, number>(async () => [1], { sizeMax: 16 });
  expect(await settled([batch.add(1), batch.add(2)])).toMatchObject([
    expect.any(RangeError),
    expect.any(RangeError),
  ]);
});
