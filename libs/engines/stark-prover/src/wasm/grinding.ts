import { GRINDING_KEY, type KernelExecutor } from '@svc/kernels';

const NONCES_PER_CALL = 4096;

/**
 * The least nonce for which the first word of H_grind(seed ‖ nonce) ends in `bits` zero bits. Each batch covers a
 * contiguous range in order, so the first hit of a batch is the least of all.
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
  // Enough for one batch to succeed more often than not, little enough not to run far past the nonce.
  const expected = 2 ** Math.min(bits, 20);
  const perCall = Math.max(4, Math.min(NONCES_PER_CALL, expected / 4));
  const callCount = Math.max(executor.concurrency, Math.ceil(expected / (2 * perCall)));
  for (let first = 0; ; first += perCall * callCount) {
    signal?.throwIfAborted();
    const found = await executor.run(
      Array.from(
        { length: callCount },
        (_, i) => ['grind', seedAddress, BigInt(first + i * perCall), BigInt(perCall), bits, key] as const,
      ),
    );
    const nonce = found.find(result => result !== -1n);
    if (nonce !== undefined) {
      arena.release(mark);
      return nonce as bigint;
    }
  }
}
