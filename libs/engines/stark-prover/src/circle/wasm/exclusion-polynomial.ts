import { circleGenerator, type KernelExecutor, m31, M31_MODULUS } from '@svc/kernels';
import { exclusionLines, type ProofGeometry } from '@svc/stark-verifier';

/** Twin-cosets below this size have no transform. */
const SIZE_MIN = 16;

/**
 * The coefficients, in the circle basis, of what excludes rows U − 1 … N − 1 from the transition constraints: t + 3 of them,
 * and zeros up to a power of two of at least 16. The lines' product, taken on a coset of that size.
 */
export function exclusionPolynomial(
  { arena, kernels }: KernelExecutor,
  geometry: Pick<ProofGeometry, 'traceLength' | 'rowCount'>,
): bigint[] {
  const length = geometry.traceLength - geometry.rowCount + 3;
  const log2Size = Math.ceil(Math.log2(Math.max(SIZE_MIN, length)));
  const size = 2 ** log2Size;
  const mark = arena.usedBytes;
  const [tree, inverses, line, product] = [0, 0, 0, 0].map(() => arena.allocate(4 * size));
  const start = circleGenerator(log2Size + 1);
  kernels.circleTwiddles(tree, 1, log2Size, Number(start.x), Number(start.y));
  arena.words(tree, 1)[0] = 1;
  kernels.m31BatchInverse(inverses, tree, size);
  arena.words(product, size).fill(Number(M31_MODULUS - 1n));
  for (const { direction, offset } of exclusionLines(geometry)) {
    const constant = Number(m31.sub(0n, offset));
    kernels.circleLine(line, log2Size, tree, 1, Number(direction.x), Number(direction.y), constant);
    kernels.m31VectorMul(product, product, line, size);
  }
  kernels.circleInverseFft(product, log2Size, inverses, 1);
  const coefficients = Array.from(arena.words(product, size), BigInt);
  arena.release(mark);
  return coefficients;
}
