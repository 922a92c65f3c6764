import {
  type Arena,
  capNodeCount,
  DIGEST_BYTES,
  type Ext,
  type ExtensionDegree,
  InlineKernelExecutor,
  type KernelExecutor,
  type KernelExports,
  LEAF_KEY,
  log2Exact,
  type MultiproofClaim,
  multiproofNodeCount,
  NODE_KEY,
} from '@svc/kernels';
import type { DeepInput, ExtensionPolynomial, VerifierBackend } from '../backend.js';
import { wasmCircleKernels } from '../circle/wasm/wasm-circle-kernels.js';
import { FOLDING_FACTOR } from '../profile-facts.js';

/** Mode flags of keyed and of plain BLAKE3; the key of the latter is its initial vector. */
const KEYED_HASH = 16;
const PLAIN_HASH = 0;
const BLAKE3_INITIAL_VECTOR = new Uint8Array(
  Uint32Array.of(
    0x6a09e667,
    0xbb67ae85,
    0x3c6ef372,
    0xa54ff53a,
    0x510e527f,
    0x9b05688c,
    0x1f83d9ab,
    0x5be0cd19,
  ).buffer,
);
const WORKSPACE_BYTES_PER_ROW = 32;

/**
 * The verifier's loops on the WebAssembly kernels, one instance where the caller stands. Its memory grows to the largest
 * proof it has checked, and everything is given back to it after each call.
 * @param module kernels.wasm, compiled; its memory is shared, so a browser page has to be cross-origin isolated
 */
export function wasmVerifierBackend(module: WebAssembly.Module): VerifierBackend {
  return new WasmVerifierBackend(new InlineKernelExecutor(module));
}

class WasmVerifierBackend implements VerifierBackend {
  readonly name = 'wasm';
  readonly circle: VerifierBackend['circle'];
  private readonly arena: Arena;
  private readonly kernels: KernelExports;

  constructor(executor: KernelExecutor) {
    this.arena = executor.arena;
    this.kernels = executor.kernels;
    this.circle = wasmCircleKernels(executor);
  }

  hashMany(key: Uint8Array, messages: Uint8Array, messageBytes: number): Uint8Array {
    const { arena } = this;
    return this.scoped(() => {
      const count = messages.length / messageBytes;
      const digests = this.hashInto(key, messages, messageBytes, count);
      return arena.bytes(digests, count * DIGEST_BYTES).slice();
    });
  }

  hash(message: Uint8Array): Uint8Array {
    const { arena, kernels } = this;
    return this.scoped(() => {
      const digest = arena.allocate(DIGEST_BYTES);
      const input = arena.storeBytes(message);
      const key = arena.storeBytes(BLAKE3_INITIAL_VECTOR);
      kernels.blake3Many(digest, input, message.length, message.length, 1, key, PLAIN_HASH);
      return arena.bytes(digest, DIGEST_BYTES).slice();
    });
  }

  verifyMultiproof({ cap, leafCount, indices, leaves, leafBytes, nodes }: MultiproofClaim): boolean {
    const { arena, kernels } = this;
    const { length: count } = indices;
    const capNodes = capNodeCount(leafCount);
    if (cap.length !== capNodes * DIGEST_BYTES || leaves.length !== count * leafBytes) return false;
    if (nodes.length !== multiproofNodeCount(indices, leafCount) * DIGEST_BYTES) return false;
    return this.scoped(() => {
      const digests = this.hashInto(LEAF_KEY, leaves, leafBytes, count);
      const known = arena.storeWords(indices);
      const levels = log2Exact(leafCount / capNodes);
      const nodesAt = arena.storeBytes(nodes);
      const pairs = arena.allocate(count * 2 * DIGEST_BYTES);
      const nodeKey = arena.storeBytes(NODE_KEY);
      const reached = kernels.climbMultiproof(digests, known, count, nodesAt, levels, pairs, nodeKey);
      const got = arena.bytes(digests, reached * DIGEST_BYTES);
      return arena.words(known, reached).every((node, i) => {
        const expected = cap.subarray(node * DIGEST_BYTES, (node + 1) * DIGEST_BYTES);
        return expected.every((byte, j) => byte === got[i * DIGEST_BYTES + j]);
      });
    });
  }

  deepValues(input: DeepInput): BigUint64Array {
    const { arena, kernels } = this;
    const { z, zNext, valueAtZ, valueAtZNext, gammaPowers } = input;
    const rowCount = input.points.length;
    const degree = kernelDegree(z.length);
    return this.scoped(() => {
      const out = arena.allocate(8 * degree * rowCount);
      kernels.deepValues(
        degree,
        out,
        arena.store(input.traceRows),
        arena.store(input.compositionRows),
        arena.store(input.points),
        rowCount,
        input.columnCount,
        input.compositionColumnCount,
        arena.store([z, zNext, valueAtZ, valueAtZNext, ...gammaPowers].flat()),
        arena.allocate(WORKSPACE_BYTES_PER_ROW * rowCount),
      );
      return arena.elements(out, degree * rowCount).slice();
    });
  }

  foldCosets(values: BigUint64Array, points: BigUint64Array, lambda: Ext): BigUint64Array {
    const { arena, kernels } = this;
    const degree = kernelDegree(lambda.length);
    return this.scoped(() => {
      const count = values.length / (degree * FOLDING_FACTOR);
      const out = arena.allocate(8 * degree * count);
      const inversePoints = arena.allocate(8 * count);
      kernels.batchInverse(inversePoints, arena.store(points), count);
      kernels.foldCosets(degree, out, arena.store(values), inversePoints, arena.store(lambda), count);
      return arena.elements(out, degree * count).slice();
    });
  }

  evaluatePolynomial(polynomial: ExtensionPolynomial, points: BigUint64Array): BigUint64Array {
    const { arena, kernels } = this;
    const { coefficients } = polynomial;
    const degree = kernelDegree(polynomial.degree);
    return this.scoped(() => {
      const out = arena.allocate(8 * degree * points.length);
      const source = arena.store(coefficients);
      const at = arena.store(points);
      kernels.evaluateAtBasePoints(degree, out, source, coefficients.length / degree, at, points.length);
      return arena.elements(out, degree * points.length).slice();
    });
  }

  /** Runs `work` and takes back what it allocated. */
  private scoped<T>(work: () => T): T {
    const mark = this.arena.usedBytes;
    try {
      return work();
    } finally {
      this.arena.release(mark);
    }
  }

  /** @returns the digests' address */
  private hashInto(key: Uint8Array, messages: Uint8Array, messageBytes: number, count: number): number {
    const { arena, kernels } = this;
    const digests = arena.allocate(count * DIGEST_BYTES);
    const input = arena.storeBytes(messages);
    kernels.blake3Many(digests, input, messageBytes, messageBytes, count, arena.storeBytes(key), KEYED_HASH);
    return digests;
  }
}

function kernelDegree(degree: number): ExtensionDegree {
  if (degree !== 2 && degree !== 3) throw new RangeError(`degree must be 2 or 3, got ${degree}`);
  return degree;
}
