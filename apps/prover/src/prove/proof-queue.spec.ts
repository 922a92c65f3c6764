import { ProofQueue } from './proof-queue.js';

/** A promise and the function that settles it. */
function gate() {
  let open!: () => void;
  const opened = new Promise<void>(resolve => (open = resolve));
  return { opened, open };
}

describe('ProofQueue', () => {
  it('runs one job at a time, in the order they came', async () => {
    const queue = new ProofQueue();
    const first = gate();
    const order: string[] = [];
    const a = queue.run(1, async () => {
      order.push('a begins');
      await first.opened;
      order.push('a ends');
    });
    const b = queue.run(1, async () => void order.push('b'));
    await new Promise(resolve => setImmediate(resolve));
    expect(order).toEqual(['a begins']);
    first.open();
    await Promise.all([a, b]);
    expect(order).toEqual(['a begins', 'a ends', 'b']);
  });

  it('refuses a job once the bound is reached, and takes jobs again when it has drained', async () => {
    const queue = new ProofQueue(2);
    const busy = gate();
    const running = [
      queue.run(1, () => busy.opened),
      queue.run(1, () => busy.opened),
      queue.run(1, () => busy.opened),
    ];
    expect(() => queue.run(1, async () => 1)).toThrow(
      expect.objectContaining({ code: 'OVERLOADED', status: 503 }),
    );
    busy.open();
    await Promise.all(running);
    await expect(queue.run(1, async () => 1)).resolves.toBe(1);
  });

  it('goes on after a job that fails', async () => {
    const queue = new ProofQueue();
    await expect(queue.run(1, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    await expect(queue.run(1, async () => 'next')).resolves.toBe('next');
  });

  it('refuses what would begin too late, by the sizes of the proofs ahead and not by their number', async () => {
    const queue = new ProofQueue();
    const busy = gate();
    const largest = 2 ** 24;
    const large = queue.run(largest, () => busy.opened);
    expect(() => queue.assertRoom()).toThrow(expect.objectContaining({ code: 'OVERLOADED' }));
    busy.open();
    await large;
    const small = Array.from({ length: 16 }, () => queue.run(2 ** 13, async () => undefined));
    expect(() => queue.assertRoom()).not.toThrow();
    await Promise.all(small);
  });
});
