import { describe, expect, it } from '@jest/globals';
import { Batch } from './batch.js';

describe('a batch', () => {
  it('runs what arrived together as one, and what arrives meanwhile as the next', async () => {
    const runs: number[][] = [];
    let open = () => {};
    const gate = new Promise<void>(resolve => (open = resolve));
    const batch = new Batch<number, number>(async items => {
      runs.push([...items]);
      if (runs.length === 1) await gate;
      return items.map(item => item * 10);
    });
    const first = [batch.add(1), batch.add(2)];
    while (runs.length === 0) await new Promise(setImmediate);
    const later = [batch.add(3), batch.add(4), batch.add(5)];
    open();
    expect(await Promise.all([...first, ...later])).toEqual([10, 20, 30, 40, 50]);
    expect(runs).toEqual([
      [1, 2],
      [3, 4, 5],
    ]);
  });

  it('never runs two at once, nor more than its size', async () => {
    let atWork = 0;
    const sizes: number[] = [];
    const batch = new Batch<number, number>(
      async items => {
        expect(++atWork).toBe(1);
        sizes.push(items.length);
        await new Promise(setImmediate);
        atWork--;
        return items;
      },
      { sizeMax: 4 },
    );
    const numbers = Array.from({ length: 10 }, (_, index) => index);
    expect(await Promise.all(numbers.map(number => batch.add(number)))).toEqual(numbers);
    expect(sizes).toEqual([4, 4, 2]);
  });

  it('fails the calls of a run that failed, and no others', async () => {
    const batch = new Batch<string, string>(
      async ([item]) => {
        if (item === 'bad') throw new Error('this run failed');
        return [item];
      },
      { sizeMax: 1 },
    );
    const calls = ['good', 'bad', 'better'].map(item => batch.add(item));
    expect(await Promise.allSettled(calls)).toMatchObject([
      { status: 'fulfilled', value: 'good' },
      { status: 'rejected', reason: { message: 'this run failed' } },
      { status: 'fulfilled', value: 'better' },
    ]);
    expect(await batch.add('again')).toBe('again');
  });

  it('runs each of a failed run by itself, where that is harmless', async () => {
    const runs: string[][] = [];
    const batch = new Batch<string, string>(
      async items => {
        runs.push([...items]);
        if (items.includes('bad')) throw new Error('this run failed');
        return items;
      },
      { alone: error => (error as Error).message === 'this run failed' },
    );
    const calls = ['good', 'bad', 'better'].map(item => batch.add(item));
    expect(await Promise.allSettled(calls)).toMatchObject([
      { status: 'fulfilled', value: 'good' },
      { status: 'rejected', reason: { message: 'this run failed' } },
      { status: 'fulfilled', value: 'better' },
    ]);
    expect(runs).toEqual([['good', 'bad', 'better'], ['good'], ['bad'], ['better']]);
    const away = new Batch<string, string>(() => Promise.reject(new Error('away')), {
      alone: error => (error as Error).message === 'this run failed',
    });
    await expect(Promise.all([away.add('good'), away.add('better')])).rejects.toThrow('away');
  });

  it('refuses results that are not one for each item', async () => {
    const batch = new Batch<number, number>(async () => []);
    await expect(batch.add(1)).rejects.toThrow('a run of 1 items gave 0 results');
  });
});
