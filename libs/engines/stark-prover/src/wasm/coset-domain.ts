import { goldilocks, type KernelCall, type KernelExecutor, rootOfUnity } from '@svc/kernels';

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
 * 2^log2Size; coset c holds the indices j ≡ c. Its tables are still to be made.
 * @param roots bitReversedRoots of this size or a larger one
 */
export function layOutCosetDomain(
  { arena }: KernelExecutor,
  roots: number,
  log2Size: number,
  log2Blowup: number,
  shift: bigint,
): CosetDomain {
  const generator = rootOfUnity(log2Size + log2Blowup);
  const shifts = [shift];
  while (shifts.length < 1 << log2Blowup) shifts.push(goldilocks.mul(shifts[shifts.length - 1], generator));
  const trees = shifts.map(() => arena.allocate(8 << log2Size));
  return { log2Size, log2Blowup, shifts, roots, trees };
}

/** What fills the domain's tables, once its roots are there. */
export function domainTables({ log2Size, shifts, roots, trees }: CosetDomain): KernelCall[] {
  return shifts.map((shift, c) => ['twiddleTree', trees[c], roots, log2Size, shift]);
}
