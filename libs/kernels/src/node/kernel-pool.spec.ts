import { readdirSync, readFileSync } from 'node:fs';
import type { Worker } from 'node:worker_threads';
import { KERNEL_MEMORY_BYTES_MAX, KernelMemoryError } from '../wasm/arena.js';
import type { KernelCall } from '../wasm/kernel-exports.js';
import { collectGarbage } from './collect-garbage.js';
import { KernelPool, KernelPoolError } from './kernel-pool.js';

let pool: KernelPool;
afterEach(() => pool?.close());

const multiplications = (count: number): KernelCall[] =>
  Array.from({ length: count }, (_, i) => ['glMul', BigInt(i), 3n] as const);
const OUT_OF_BOUNDS: KernelCall = ['vectorAdd', KERNEL_MEMORY_BYTES_MAX - 16, 0, 0, 2];

it.each([1, 2, 4])('does every call exactly once and keeps results in order on %i threads', async threads => {
  pool = await KernelPool.open(threads);
  expect(pool.concurrency).toBe(threads);
  for (const count of [1, 7, 200]) {
    const results = await pool.run(multiplications(count));
    expect(results).toEqual(Array.from({ length: count }, (_, i) => BigInt(3 * i)));
  }
  expect(await pool.run([])).toEqual([]);
});

it('shares one memory between the threads and the caller', async () => {
  pool = await KernelPool.open(2);
  const { arena } = pool;
  const at = arena.store(Array.from({ length: 4096 }, (_, i) => BigInt(i)));
  const part = 1024;
  const calls = [0, 1, 2, 3].map(
    i => ['vectorScale', at + 8 * part * i, at + 8 * part * i, 5n, part] as const,
  );
  await pool.run(calls);
  expect([...arena.elements(at, 4096)]).toEqual(Array.from({ length: 4096 }, (_, i) => BigInt(5 * i)));
});

it('sees memory that grew after the threads had started', async () => {
  pool = await KernelPool.open(2);
  await pool.run(multiplications(4));
  const before = pool.arena.memory.buffer.byteLength;
  const at = pool.arena.allocate(before + (1 << 20));
  const end = at + before + (1 << 20) - 16;
  pool.arena.elements(end, 2).set([11n, 12n]);
  await pool.run([['vectorScale', end, end, 2n, 2]]);
  expect([...pool.arena.elements(end, 2)]).toEqual([22n, 24n]);
});

it('rejects a batch in which a kernel traps, and goes on with the next', async () => {
  pool = await KernelPool.open(2);
  await expect(pool.run([...multiplications(3), OUT_OF_BOUNDS])).rejects.toThrow(KernelPoolError);
  expect(pool.isBroken).toBe(false);
  expect(await pool.run(multiplications(2))).toEqual([0n, 3n]);
});

it('rejects what is running, and everything after, when it is closed', async () => {
  pool = await KernelPool.open(2);
  const running = pool.run([['grind', 0, 0n, 1n << 40n, 60, 0]]);
  await Promise.all([expect(running).rejects.toThrow('the pool was closed'), pool.close()]);
  expect(pool.isBroken).toBe(true);
  await expect(pool.run(multiplications(1))).rejects.toThrow(KernelPoolError);
});

it('rejects what is running when a thread is lost, and says that it is broken', async () => {
  pool = await KernelPool.open(2);
  const [victim] = Reflect.get(pool, 'workers') as Worker[];
  const running = pool.run([['grind', 0, 0n, 1n << 40n, 60, 0]]);
  await Promise.all([expect(running).rejects.toThrow('a kernel thread ended'), victim.terminate()]);
  expect(pool.isBroken).toBe(true);
});

it('refuses a second batch while one is running', async () => {
  pool = await KernelPool.open(1);
  const first = pool.run(multiplications(10));
  await expect(pool.run(multiplications(1))).rejects.toThrow('already running');
  await first;
});

it.each([0, 5, 1.5, Number.NaN])('refuses %p threads', async threads => {
  await expect(KernelPool.open(threads)).rejects.toThrow(`threads must be an integer in 1…4, got ${threads}`);
});

it('names the bound when more memory is asked for than there may be', async () => {
  pool = await KernelPool.open(1);
  const used = pool.arena.usedBytes;
  expect(() => pool.arena.allocate(KERNEL_MEMORY_BYTES_MAX)).toThrow(KernelMemoryError);
  expect(() => pool.arena.allocate(KERNEL_MEMORY_BYTES_MAX)).toThrow(
    `bounded by ${KERNEL_MEMORY_BYTES_MAX} bytes`,
  );
  expect(pool.arena.usedBytes).toBe(used);
});

it('frees its memory once it is closed and garbage is collected', async () => {
  async function useMemory(): Promise<WeakRef<WebAssembly.Memory>> {
    const own = await KernelPool.open(1);
    own.arena.allocate(1 << 24);
    await own.run(multiplications(2));
    await own.close();
    return new WeakRef(own.arena.memory);
  }
  const memory = await useMemory();
  await new Promise(setImmediate);
  collectGarbage();
  expect(memory.deref()).toBeUndefined();
});

it('lowers the priority of its own threads, and of no other, where threads have one', async () => {
  const isLinux = process.platform === 'linux';
  const nicenessOf = (thread: string) =>
    readFileSync(`/proc/self/task/${thread}/stat`, 'utf8').split(') ')[1].split(' ')[16];
  const niceThreads = () =>
    isLinux ? readdirSync('/proc/self/task').filter(thread => nicenessOf(thread) === '7').length : 0;
  expect(niceThreads()).toBe(0);
  pool = await KernelPool.open(2, 7);
  await pool.run(multiplications(200));
  expect(niceThreads()).toBe(isLinux ? 2 : 0);
});
