import {
  capNodeCount,
  DIGEST_BYTES,
  type Ext,
  type ExtensionDegree,
  InlineKernelExecutor,
  LEAF_KEY,
  log2Exact,
  multiproofNodeCount,
  NODE_KEY,
} from '@svc/kernels';
import type { DeepInput, VerifierBackend } from '../backend.js';
import { wasmCircleKernels } from '../circle/wasm/wasm-circle-kernels.js';
import { FOLDING_FACTOR } from '../profile-facts.js';

/** Mode flag of keyed BLAKE3. */
const KEYED_HASH = 16;
const WORKSPACE_BYTES_PER_ROW = 32;

/**
 * The verifier's loops on the WebAssembly kernels, one instance where the caller stands. Its memory grows to the largest
 * proof it has checked, and everything is given back to it after each call.
 * @param module kernels.wasm, compiled; its memory is shared, so a browser page has to be cross-origin isolated
 */
export function wasmVerifierBackend(module: WebAssembly.Module): VerifierBackend {
  const executor = new InlineKernelExecutor(module);
  const { arena, kernels } = executor;

  /** Runs `work` and takes back what it allocated. */
  function scoped<T>(work: () => T): T {
    const mark = arena.usedBytes;
    try {
      return work();
    } finally {
      arena.release(mark);
    }
  }

  return {
    name: 'wasm',
    circle: wasmCircleKernels(executor),

    hashMany: (key, messages, messageBytes) =>
      scoped(() => {
        const count = messages.length / messageBytes;
        const out = arena.allocate(count * DIGEST_BYTES);
        const input = arena.storeBytes(messages);
        kernels.blake3Many(out, input, messageBytes, messageBytes, count, arena.storeBytes(key), KEYED_HASH);
        return arena.bytes(out, count * DIGEST_BYTES).slice();
      }),

    verifyMultiproof: ({ cap, leafCount, indices, leaves, leafBytes, nodes }) =>
      scoped(() => {
        const { length: count } = indices;
        const capNodes = capNodeCount(leafCount);
        if (cap.length !== capNodes * DIGEST_BYTES || leaves.length !== count * leafBytes) return false;
        if (nodes.length !== multiproofNodeCount(indices, leafCount) * DIGEST_BYTES) return false;
        const digests = arena.allocate(count * DIGEST_BYTES);
        const leafKey = arena.storeBytes(LEAF_KEY);
        kernels.blake3Many(
          digests,
          arena.storeBytes(leaves),
          leafBytes,
          leafBytes,
          count,
          leafKey,
          KEYED_HASH,
        );
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
      }),

    deepValues: (input: DeepInput) =>
      scoped(() => {
        const rowCount = input.points.length;
        const degree = kernelDegree(input.z);
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
          arena.store(
            [input.z, input.zNext, input.valueAtZ, input.valueAtZNext, ...input.gammaPowers].flat(),
          ),
          arena.allocate(WORKSPACE_BYTES_PER_ROW * rowCount),
        );
        return arena.elements(out, degree * rowCount).slice();
      }),

    foldCosets: (values, points, lambda) =>
      scoped(() => {
        const degree = kernelDegree(lambda);
        const count = values.length / (degree * FOLDING_FACTOR);
        const out = arena.allocate(8 * degree * count);
        const inversePoints = arena.allocate(8 * count);
        kernels.batchInverse(inversePoints, arena.store(points), count);
        kernels.foldCosets(degree, out, arena.store(values), inversePoints, arena.store(lambda), count);
        return arena.elements(out, degree * count).slice();
      }),

    evaluatePolynomial: (coefficients, points) =>
      scoped(() => {
        const degree = kernelDegree(coefficients[0]);
        const out = arena.allocate(8 * degree * points.length);
        const polynomial = arena.store(coefficients.flat());
        kernels.evaluateAtBasePoints(
          degree,
          out,
          polynomial,
          coefficients.length,
          arena.store(points),
          points.length,
        );
        return arena.elements(out, degree * points.length).slice();
      }),
  };
}

/** The extension of an element by its number of coordinates. */
function kernelDegree({ length }: Ext): ExtensionDegree {
  if (length !== 2 && length !== 3) throw new RangeError(`degree must be 2 or 3, got ${length}`);
  return length;
}
