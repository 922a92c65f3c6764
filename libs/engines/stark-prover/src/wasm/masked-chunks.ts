import type { KernelExecutor } from '@svc/kernels';
import type { ProofGeometry } from '@svc/stark-verifier';
import type { ZeroKnowledgeMasks } from '../masks.js';

/**
 * Cuts the composition into chunks of S = N − t coefficients, C = Σ_k X^(kS)·C_k, and hides them: chunk k becomes
 * C_k + X^S·r_k − r_(k−1), whose masks cancel in the sum. The random polynomial follows the chunks.
 * @param whole address of the composition's coefficients: from c·N on, one plane a coordinate
 * @param cosetCount multiples of N that they fill
 * @param columns where the chunks and the random polynomial go, one plane a coordinate
 */
export function writeMaskedChunks(
  { arena, kernels }: KernelExecutor,
  { traceLength, chunkCount, chunkMaskLength, profile }: ProofGeometry,
  masks: ZeroKnowledgeMasks,
  cosetCount: number,
  whole: number,
  columns: number,
): void {
  const { degree } = profile.extension;
  const plane = 8 * traceLength;
  const stride = traceLength - chunkMaskLength;
  const maskPlanes = arena.store(masks.chunkMasks as BigUint64Array);
  const maskAt = (k: number, i: number) => maskPlanes + 8 * chunkMaskLength * (degree * k + i);
  for (let k = 0; k < chunkCount; k++) {
    for (let i = 0; i < degree; i++) {
      const target = arena.elements(columns + (degree * k + i) * plane, traceLength).fill(0n);
      // Coefficients kS … (k + 1)S − 1 lie in at most two planes of N.
      for (let from = k * stride; from < Math.min((k + 1) * stride, cosetCount * traceLength);) {
        const [c, start] = [Math.floor(from / traceLength), from % traceLength];
        const count = Math.min((k + 1) * stride - from, traceLength - start);
        target.set(arena.elements(whole + (degree * c + i) * plane + 8 * start, count), from - k * stride);
        from += count;
      }
      if (k + 1 < chunkCount) target.set(arena.elements(maskAt(k, i), chunkMaskLength), stride);
      const at = columns + (degree * k + i) * plane;
      if (k > 0) kernels.vectorSub(at, at, maskAt(k - 1, i), chunkMaskLength);
    }
  }
  const random = columns + chunkCount * degree * plane;
  arena.elements(random, degree * traceLength).set(masks.randomPolynomial as BigUint64Array);
}
