import { ProofQueue, type ProofSize } from './proof-queue.js';

/** A promise and the function that settles it. */
function gate() {
  let open!: () => void;
  const opened = new Promise<void>(resolve => (open = resolve));
  return { opened, open };
}
const turn = () => new Promise(resolve => setImmediate(resolve));

const SMALL: ProofSize = { cells: 1_000, memoryBytes: 1_000_000 };
const LARGE: ProofSize = { cells: 2 ** 20, memoryBytes: 1_400_000_000 };
const LANES = {
  small: { cellsMax: 1_000, memoryBytesMax: 64_000_000, waitingMax: 2 },
  medium: { cellsMax: 10_000, memoryBytesMax: 512_000_000, waitingMax: 2 },
  large: { cellsMax: Infinity, memoryBytesMax: Infinity, waitingMax: 1 },
};
const full = expect.objectContaining({
  code: 'QUEUE_FULL',
  status: 429,
  payload: expect.objectContaining({ retryAfterSeconds: expect.any(Number) }),
});

describe('ProofQueue', () => {
  it.each([
    ['small', 1_000, 64_000_000],
    ['medium', 1_001, 64_000_000],
    ['medium', 1_000, 64_000_001],
    ['medium', 10_000, 512_000_000],
    ['large', 10_001, 1],
    ['large', 1, 512_000_001],
  ])('calls a proof %s by its time and its memory: %d cells, %d bytes', (name, cells, memoryBytes) => {
    expect(new ProofQueue(LANES).sizeClassOf({ cells, memoryBytes })).toBe(name);
  });

  it('makes one proof of a class at a time, in the order they came', async () => {
    const queue = new ProofQueue(LANES);
    const first = gate();
    const order: string[] = [];
    const a = queue.run(SMALL, async () => {
      order.push('a begins');
      await first.opened;
      order.push('a ends');
    });
    const b = queue.run(SMALL, async () => void order.push('b'));
    const c = queue.run(SMALL, async () => void order.push('c'));
    await turn();
    expect(order).toEqual(['a begins']);
    first.open();
    await Promise.all([a, b, c]);
    expect(order).toEqual(['a begins', 'a ends', 'b', 'c']);
  });

  it('makes a small proof while a large one is being made, and the other way round', async () => {
    const queue = new ProofQueue(LANES);
    const large = gate();
    const running = queue.run(LARGE, () => large.opened);
    await expect(queue.run(SMALL, async sizeClass => sizeClass)).resolves.toBe('small');
    large.open();
    await running;
    const small = gate();
    const held = queue.run(SMALL, () => small.opened);
    await expect(queue.run(LARGE, async sizeClass => sizeClass)).resolves.toBe('large');
    small.open();
    await held;
  });

  it('refuses a proof of a class whose queue is full, says when to come back, and takes one again when it has drained', async () => {
    const queue = new ProofQueue(LANES);
    const busy = gate();
    const running = [1, 2, 3].map(() => queue.run(SMALL, () => busy.opened));
    expect(() => queue.assertRoom(SMALL)).toThrow(full);
    await expect(queue.run(SMALL, async () => 1)).rejects.toEqual(full);
    expect(() => queue.assertRoom(LARGE)).not.toThrow();
    busy.open();
    await Promise.all(running);
    await expect(queue.run(SMALL, async () => 1)).resolves.toBe(1);
  });

  it('lets a proof that waits leave, which makes room and changes no turn', async () => {
    const queue = new ProofQueue(LANES);
    const busy = gate();
    const caller = new AbortController();
    const order: string[] = [];
    const first = queue.run(SMALL, () => busy.opened);
    const left = queue.run(SMALL, async () => void order.push('left'), { signal: caller.signal });
    const last = queue.run(SMALL, async () => void order.push('last'));
    expect(() => queue.assertRoom(SMALL)).toThrow(full);
    caller.abort(new Error('gone'));
    await expect(left).rejects.toThrow('gone');
    expect(() => queue.assertRoom(SMALL)).not.toThrow();
    busy.open();
    await Promise.all([first, last]);
    expect(order).toEqual(['last']);
    expect(queue.assertRoom(SMALL)).toBe(0);
  });

  it('does not begin for a caller that is gone before it came', async () => {
    const queue = new ProofQueue(LANES);
    let begun = false;
    const gone = queue.run(SMALL, async () => void (begun = true), {
      signal: AbortSignal.abort(new Error('gone')),
    });
    await expect(gone).rejects.toThrow('gone');
    expect([begun, queue.assertRoom(SMALL)]).toEqual([false, 0]);
  });

  it('goes on after a proof that fails', async () => {
    const queue = new ProofQueue(LANES);
    await expect(queue.run(SMALL, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    await expect(queue.run(SMALL, async () => 'next')).resolves.toBe('next');
  });

  it('refuses what would begin too late, by the cells ahead and not by their number', async () => {
    const queue = new ProofQueue({ ...LANES, large: { ...LANES.large, waitingMax: 9 } });
    const busy = gate();
    const large = queue.run({ ...LARGE, cells: 2 ** 31 }, () => busy.opened);
    expect(() => queue.assertRoom(LARGE)).toThrow(full);
    busy.open();
    await large;
    expect(queue.assertRoom(LARGE)).toBe(0);
  });

  it('waits for room where whoever asks bounds that itself, and refuses others as before', async () => {
    const queue = new ProofQueue(LANES);
    const busy = gate();
    const running = queue.run(SMALL, () => busy.opened);
    const order: number[] = [];
    const waiting = Array.from({ length: 5 }, (_, i) =>
      queue.run(SMALL, async () => void order.push(i), { waitsForRoom: true }),
    );
    expect(() => queue.assertRoom(SMALL)).toThrow(full);
    await expect(queue.run(SMALL, async () => undefined)).rejects.toThrow(full);
    busy.open();
    await Promise.all([running, ...waiting]);
    expect(order).toEqual([0, 1, 2, 3, 4]);
  });
});
