import { describe, expect, it } from '@jest/globals';
import { runInTurn } from '@svc/platform';
import fc from 'fast-check';
import { AuditBatcher, type BatcherOptions, type ItemSize } from './audit-batcher.js';

const tick = () => new Promise(resolve => setImmediate(resolve));
const OPTIONS: BatcherOptions = { shortCapacity: 4, longCapacity: 12, waitingMax: 16 };

interface HeldStage {
  readonly items: readonly number[];
  end(error?: Error): void;
}

/** Of an item that has so many leaves of its own. */
const own = (leaves: number): ItemSize => ({ leaves, inner: 0 });
/** Of one that shares the one leaf. */
const within = (inner: number): ItemSize => ({ leaves: 0, inner });

/** Batches whose stages end when the test says so. */
function heldBatcher(more: Partial<BatcherOptions> = {}) {
  const making: HeldStage[] = [];
  const completing: HeldStage[] = [];
  const held = <T>(stages: HeldStage[], items: readonly number[], result: T) =>
    new Promise<T>((resolve, reject) => {
      stages.push({ items, end: error => (error ? reject(error) : resolve(result)) });
    });
  const batcher = new AuditBatcher<number, readonly number[], string>(
    { ...OPTIONS, ...more },
    {
      make: items => held(making, items, items),
      complete: items =>
        held(
          completing,
          items,
          items.map(item => `answer ${item}`),
        ),
    },
  );
  const endNext = async (stages: HeldStage[], error?: Error) => {
    stages.splice(0, 1)[0].end(error);
    await tick();
  };
  const itemsOf = (stages: HeldStage[]) => stages.map(({ items }) => items);
  return { batcher, making, completing, endNext, itemsOf };
}

describe('AuditBatcher', () => {
  it('makes nobody wait for others when nothing is at work, but takes together what comes together', async () => {
    const { batcher, making, completing, endNext, itemsOf } = heldBatcher();
    const answers = Promise.all([batcher.add(1, own(1)), batcher.add(2, own(2))]);
    await tick();
    expect(itemsOf(making)).toEqual([[1, 2]]);
    await endNext(making);
    await endNext(completing);
    expect(await answers).toEqual(['answer 1', 'answer 2']);
  });

  it('takes all that comes until the turn of its batch into it', async () => {
    let begin!: () => void;
    const turn = new Promise<void>(resolve => (begin = resolve));
    const { batcher, making, itemsOf } = heldBatcher({ inTurn: make => turn.then(make) });
    void batcher.add(1, own(1));
    await tick();
    void batcher.add(2, own(1));
    begin();
    await tick();
    void batcher.add(3, own(1));
    await tick();
    expect(itemsOf(making)).toEqual([[1, 2]]);
  });

  it('takes what comes while a batch is made into the next, and leaves over what does not fit', async () => {
    const { batcher, making, endNext, itemsOf } = heldBatcher();
    void batcher.add(1, own(1));
    await tick();
    for (const [item, leafCount] of [
      [2, 3],
      [3, 2],
      [4, 1],
    ])
      void batcher.add(item, own(leafCount));
    await tick();
    expect(itemsOf(making)).toEqual([[1]]);
    await endNext(making);
    expect(itemsOf(making)).toEqual([[2]]);
  });

  it('makes a long batch where more waits than two short ones hold, or where an item needs one', async () => {
    const { batcher, making, completing, endNext, itemsOf } = heldBatcher();
    const next = async () => {
      await endNext(making);
      await endNext(completing);
      return itemsOf(making);
    };
    void batcher.add(0, own(1));
    await tick();
    for (let i = 1; i <= 9; i++) void batcher.add(i, own(1));
    expect(await next()).toEqual([[1, 2, 3, 4, 5, 6, 7, 8, 9]]);
    for (let i = 10; i <= 17; i++) void batcher.add(i, own(1));
    expect(await next()).toEqual([[10, 11, 12, 13]]);
    expect(await next()).toEqual([[14, 15, 16, 17]]);
    void batcher.add(18, own(5));
    expect(await next()).toEqual([[18]]);
  });

  it('gives all answers that share a leaf one place, as many as it holds, beside those with leaves of their own', async () => {
    const { batcher, making, completing, endNext, itemsOf } = heldBatcher({
      ...{ innerCapacity: 6, waitingMax: 40 },
    });
    const next = async () => {
      await endNext(making);
      await endNext(completing);
      return itemsOf(making);
    };
    void batcher.add(0, own(1));
    await tick();
    // Three leaves and the shared one fill a short batch; the next answer would make it seven that share.
    for (let i = 1; i <= 6; i++) void batcher.add(i, within(1));
    void batcher.add(7, own(3));
    void batcher.add(8, within(1));
    expect(await next()).toEqual([[1, 2, 3, 4, 5, 6, 7]]);
    expect(await next()).toEqual([[8]]);
    // An item with both, for which there is no fourth leaf beside the shared one.
    void batcher.add(9, { leaves: 3, inner: 2 });
    void batcher.add(10, own(1));
    expect(await next()).toEqual([[9]]);
    expect(await next()).toEqual([[10]]);
    // What may wait of one caller is bounded all the same.
    for (let i = 11; i <= 50; i++) void batcher.add(i, within(1));
    expect(() => batcher.add(51, within(1))).toThrow(expect.objectContaining({ code: 'OVERLOADED' }));
  });

  it('makes a batch while the one before it is completed, and no third', async () => {
    const { batcher, making, completing, endNext, itemsOf } = heldBatcher();
    const answers = [batcher.add(1, own(12))];
    await tick();
    answers.push(batcher.add(2, own(12)));
    await endNext(making);
    expect([itemsOf(completing), itemsOf(making)]).toEqual([[[1]], [[2]]]);
    answers.push(batcher.add(3, own(12)));
    await endNext(making);
    expect([itemsOf(completing), itemsOf(making)]).toEqual([[[1]], []]);
    await endNext(completing);
    expect(await answers[0]).toBe('answer 1');
    expect([itemsOf(completing), itemsOf(making)]).toEqual([[[2]], [[3]]]);
  });

  it('refuses more than may wait, and takes more again when a batch has begun', async () => {
    const { batcher, making, completing, endNext } = heldBatcher();
    const answers = [batcher.add(0, own(4))];
    await tick();
    for (let i = 1; i <= 16; i++) answers.push(batcher.add(i, own(1)));
    expect(() => batcher.add(17, own(1))).toThrow(expect.objectContaining({ code: 'OVERLOADED' }));
    await endNext(making);
    answers.push(batcher.add(17, own(1)));
    let isDrained = false;
    const drained = batcher.drain().then(() => (isDrained = true));
    while (making.length + completing.length > 0) {
      expect(isDrained).toBe(false);
      await endNext(completing.length > 0 ? completing : making);
    }
    await drained;
    expect(await Promise.all(answers)).toHaveLength(18);
  });

  it('has callers take turns at its places, so that none that fill it keep another out, or behind all of theirs', async () => {
    const { batcher, making, itemsOf } = heldBatcher();
    const ask = (subject: string, item: number, leafCount = 1) =>
      runInTurn({ subject, standing: 'later' }, () => void batcher.add(item, own(leafCount)));
    const fill = (subject: string, item: number) => {
      const before = item;
      try {
        for (;;) ask(subject, item++);
      } catch (error) {
        expect(error).toMatchObject({ code: 'OVERLOADED' });
      }
      return item - before - 1;
    };
    ask('loud', 0, 4);
    await tick();
    expect(itemsOf(making)).toEqual([[0]]);
    // Of 32 leaves, half of what the others leave.
    expect(['loud', 'louder', 'loudest'].map((subject, i) => fill(subject, 100 * (i + 1)))).toEqual([
      16, 8, 4,
    ]);
    ask('quiet', 1);
    making.splice(0, 1)[0].end();
    await tick();
    expect(itemsOf(making)[0].slice(0, 4)).toEqual([100, 200, 300, 1]);
    // What the batch took may wait again, of each as much as it had there.
    for (const subject of ['loud', 'louder', 'loudest']) ask(subject, 2);
  });

  it.each(['making', 'completing'] as const)(
    'fails the callers of a batch that fails in %s, and no others',
    async failing => {
      const held = heldBatcher();
      const { batcher, making, completing, endNext } = held;
      const [first, second] = [batcher.add(1, own(4)), batcher.add(2, own(4))];
      const rejected = expect(first).rejects.toThrow('the pool was lost');
      await tick();
      if (failing === 'completing') await endNext(making);
      await endNext(held[failing], new Error('the pool was lost'));
      await rejected;
      await endNext(making);
      await endNext(completing);
      await expect(second).resolves.toBe('answer 2');
    },
  );

  it('answers everyone exactly once, in order of arrival, in batches within the capacity', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 40 }),
        fc.array(fc.nat({ max: 3 }), { maxLength: 40 }),
        async (sizes, pauses) => {
          const batches: (readonly number[])[] = [];
          const batcher = new AuditBatcher<number, readonly number[], number>(
            { ...OPTIONS, waitingMax: 1_000 },
            {
              make: async items => {
                batches.push(items);
                await tick();
                return items;
              },
              complete: async items => {
                await tick();
                return items;
              },
            },
          );
          const answers: Promise<number>[] = [];
          for (const [i, size] of sizes.entries()) {
            answers.push(batcher.add(i, own(size)));
            for (let pause = 0; pause < (pauses[i] ?? 0); pause++) await tick();
          }
          await batcher.drain();
          expect(await Promise.all(answers)).toEqual(sizes.map((_, i) => i));
          expect(batches.flat()).toEqual(sizes.map((_, i) => i));
          for (const items of batches) {
            expect(items.reduce((sum, i) => sum + sizes[i], 0)).toBeLessThanOrEqual(12);
          }
        },
      ),
      { numRuns: 40 },
    );
  });
});
