import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { AuditBatcher } from './audit-batcher.js';

const tick = () => new Promise(resolve => setImmediate(resolve));

/** Batches that end when the test says so. */
function heldBatcher(options: Partial<ConstructorParameters<typeof AuditBatcher>[0]> = {}) {
  const batches: { items: readonly number[]; end(error?: Error): void }[] = [];
  const batcher = new AuditBatcher<number, string>(
    { capacity: 4, windowMs: 1, waitingMax: 8, ...options },
    items =>
      new Promise((resolve, reject) =>
        batches.push({
          items,
          end: error => (error ? reject(error) : resolve(items.map(item => `answer ${item}`))),
        }),
      ),
  );
  return { batcher, batches };
}

describe('AuditBatcher', () => {
  it('puts what comes within the window into one batch, and gives each caller its own answer', async () => {
    const { batcher, batches } = heldBatcher();
    const answers = Promise.all([batcher.add(1, 1), batcher.add(2, 2)]);
    const drained = batcher.drain();
    await tick();
    expect(batches.map(({ items }) => items)).toEqual([[1, 2]]);
    batches[0].end();
    expect(await answers).toEqual(['answer 1', 'answer 2']);
    await drained;
  });

  it('begins at once when a batch is full, and leaves over what does not fit', async () => {
    const { batcher, batches } = heldBatcher({ windowMs: 60_000 });
    const answers = [batcher.add(1, 3), batcher.add(2, 2), batcher.add(3, 1)];
    expect(batches.map(({ items }) => items)).toEqual([[1]]);
    batches[0].end();
    await answers[0];
    await tick();
    expect(batches.map(({ items }) => items)).toEqual([[1], [2, 3]]);
    batches[1].end();
    await Promise.all(answers);
  });

  it('refuses more than may wait, and takes more again when a batch has begun', async () => {
    const { batcher, batches } = heldBatcher({ windowMs: 60_000 });
    const answers = [batcher.add(0, 4)];
    for (let i = 1; i <= 8; i++) answers.push(batcher.add(i, 1));
    expect(() => batcher.add(9, 1)).toThrow(expect.objectContaining({ code: 'OVERLOADED' }));
    batches[0].end();
    await answers[0];
    await tick();
    answers.push(batcher.add(9, 1));
    const drained = batcher.drain();
    for (let i = 1; i < 4; i++, await tick()) batches[i]?.end();
    await drained;
    expect(await Promise.all(answers)).toHaveLength(10);
  });

  it('fails the callers of a batch that fails, and no others', async () => {
    const { batcher, batches } = heldBatcher();
    const first = batcher.add(1, 4);
    const second = batcher.add(2, 4);
    batches[0].end(new Error('the pool was lost'));
    await expect(first).rejects.toThrow('the pool was lost');
    await tick();
    batches[1].end();
    await expect(second).resolves.toBe('answer 2');
  });

  it('answers everyone exactly once, in order of arrival, in batches within the capacity', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 40 }),
        fc.array(fc.nat({ max: 3 }), { maxLength: 40 }),
        async (sizes, pauses) => {
          const batches: (readonly number[])[] = [];
          const batcher = new AuditBatcher<number, number>(
            { capacity: 4, windowMs: 0, waitingMax: 1_000 },
            async items => {
              batches.push(items);
              await tick();
              return items;
            },
          );
          const answers: Promise<number>[] = [];
          for (const [i, size] of sizes.entries()) {
            answers.push(batcher.add(i, size));
            for (let pause = 0; pause < (pauses[i] ?? 0); pause++) await tick();
          }
          await batcher.drain();
          expect(await Promise.all(answers)).toEqual(sizes.map((_, i) => i));
          expect(batches.flat()).toEqual(sizes.map((_, i) => i));
          for (const items of batches) {
            expect(items.reduce((sum, i) => sum + sizes[i], 0)).toBeLessThanOrEqual(4);
          }
        },
      ),
      { numRuns: 40 },
    );
  });
});
