import { type KernelCall, type KernelExecutor, poseidon2Goldilocks } from '@svc/kernels';
import {
  hashChainInitialState,
  type HashChainPublicInputs,
  parseChainInput,
  ROWS_PER_PERMUTATION,
  SPONGES,
} from '@svc/stark-air';

const WIDTH = poseidon2Goldilocks.width;

/**
 * Fills the columns of `hash-chain/v1` in kernel memory: the chain itself on one thread, the S-box columns on all.
 * Does what `hashChainAir.execute` does.
 * @param columns address of 25 columns of `traceLength` elements, one after the other
 * @param beside tasks for the threads that the chain leaves idle
 * @throws WitnessError
 */
export async function writeHashChainTrace(
  executor: KernelExecutor,
  columns: number,
  traceData: string,
  traceLength: number,
  beside: readonly KernelCall[][],
): Promise<HashChainPublicInputs> {
  const { arena } = executor;
  const input = parseChainInput(traceData, traceLength);
  const blockCount = SPONGES.goldilocks.blockCountOf(input.bytes.length);
  const mark = arena.usedBytes;
  const stride = 8 * traceLength;
  const blocks = arena.store(SPONGES.goldilocks.blocks(input.bytes).flat());
  const finalState = arena.allocate(8 * WIDTH);
  await executor.run([
    [
      'hashChainStates',
      columns,
      stride,
      arena.store(hashChainInitialState(input)),
      blocks,
      blockCount,
      traceLength / ROWS_PER_PERMUTATION,
      arena.store(poseidon2Goldilocks.rounds.flatMap(round => round.constants)),
      arena.store(poseidon2Goldilocks.internalDiagonal),
      finalState,
    ],
    ...beside,
  ]);
  const keys = sboxKeys().map(values => arena.store(values));
  await executor.run(
    keys.map((key, lane) => {
      const [state, cube, seventh] = [0, 1, 2].map(group => columns + (group * WIDTH + lane) * stride);
      return ['sboxColumns', cube, seventh, state, key, traceLength] as const;
    }),
  );
  const absorbedRows = blockCount * ROWS_PER_PERMUTATION;
  const absorbing = arena.elements(columns + 3 * WIDTH * stride, traceLength);
  absorbing.fill(1n, 0, absorbedRows).fill(0n, absorbedRows);

  const output = [...arena.elements(finalState, WIDTH)];
  // The last row of a permutation holds its result, as the first row of the next holds it after absorption.
  const inputDigest = Array.from(
    { length: WIDTH },
    (_, lane) => arena.elements(columns + lane * stride, traceLength)[absorbedRows - 1],
  );
  arena.release(mark);
  return { domain: input.domain, length: input.bytes.length, inputDigest, output };
}

/** For each lane, the constant added before the S-box in each of the 32 rows: zero in the linear and the absorbing row. */
function sboxKeys(): bigint[][] {
  return Array.from({ length: WIDTH }, (_, lane) => [
    0n,
    ...poseidon2Goldilocks.rounds.map(round => round.constants[lane]),
    0n,
  ]);
}
