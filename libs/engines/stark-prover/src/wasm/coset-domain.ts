import { goldilocks, type KernelExecutor, power, rootOfUnity } from '@svc/kernels';

/** What a low-degree extension of one size is made with: twiddles of its cosets, in kernel memory. */
export interface CosetDomain {
  /** log2 of the number of coefficients, at least 3. */
  readonly log2Size: number;
  readonly log2Blowup: number;
  /** Shift of each coset: shift·w^c, w the generator of the whole domain. */
  readonly shifts: readonly bigint[];
  /** Address of bitReversedRoots. */
  readonly roots: number;
  /** Address of each coset's twiddle tree. */
  readonly trees: readonly number[];
}

/**
 * Lays out the domain { shift·w^j }, w of order 2^(log2Size + log2Blowup), as 2^log2Blowup cosets of the subgroup of order
 * 2^log2Size; coset c holds the indices j ≡ c.
 * @param roots bitReversedRoots of this size or a larger one
 */
export async function createCosetDomain(
  executor: KernelExecutor,
  roots: number,
  log2Size: number,
  log2Blowup: number,
  shift: bigint,
): Promise<CosetDomain> {
  const generator = rootOfUnity(log2Size + log2Blowup);
  const shifts = Array.from({ length: 1 << log2Blowup }, (_, c) =>
    goldilocks.mul(shift, power(goldilocks, generator, BigInt(c))),
  );
  const trees = shifts.map(() => executor.arena.allocate(8 << log2Size));
  await executor.run(shifts.map((s, c) => ['twiddleTree', trees[c], roots, log2Size, s] as const));
  return { log2Size, log2Blowup, shifts, roots, trees };
}
