import { GRINDING_KEY, type KernelExecutor } from '@svc/kernels';
import { runTasks } from './small-work.js';

/** Between two batches a proof can be cancelled: some hundredths of a second. */
const NONCES_PER_BATCH_MAX = 2 ** 20;
/** Of the expected number of hashes, how many a batch may need: few searches go on to a second one. */
const EXPECTATIONS_PER_BATCH = 8;
const NANOSECONDS_PER_NONCE = 35;
/** Larger than any nonce. */
const NOT_FOUND = 2n ** 63n - 1n;

/**
 * The least nonce for which the first word of H_grind(seed ‖ nonce) ends in `bits` zero bits. The threads take turns from one
 * range until one of them finds a nonce, so that hardly any of them hashes past it.
 * @param bits 0 … 32
 */
export async function grindInParallel(
  { wide: executor }: KernelExecutor,
  seed: Uint8Array,
  bits: number,
  signal?: AbortSignal,
): Promise<bigint> {
  const { arena } = executor;
  const mark = arena.usedBytes;
  const seedAddress = arena.storeBytes(seed);
  const key = arena.storeBytes(GRINDING_KEY);
  const search = arena.allocate(16);
  const expected = 2 ** bits;
  const batch = BigInt(Math.min(NONCES_PER_BATCH_MAX, EXPECTATIONS_PER_BATCH * expected));
  for (let first = 0n; ; first += batch) {
    signal?.throwIfAborted();
    arena.elements(search, 2).set([first, NOT_FOUND]);
    const task = ['grindTogether', seedAddress, search, first + batch, bits, key] as const;
    const tasks = Array.from({ length: executor.concurrency }, () => task);
    await runTasks(executor, NANOSECONDS_PER_NONCE * expected, tasks);
    const [, nonce] = arena.elements(search, 2);
    if (nonce === NOT_FOUND) continue;
    arena.release(mark);
    return nonce;
  }
}
