import { InlineKernelExecutor } from '@svc/kernels';
import { loadKernelModule } from '@svc/kernels/node';
import { type Air, fibonacciAir, hashChainAir } from '@svc/stark-air';
import type { ProverBackend } from '../backend.js';
import { prove } from '../prove.js';
import {
  assertProverMemory,
  estimateProverMemoryBytes,
  PROVER_MEMORY_BYTES_MAX,
  ProverMemoryError,
  retainsExtension,
} from './prover-memory.js';
import { WasmSession } from './wasm-session.js';

const module = await loadKernelModule();

/** Memory that a proof made on one thread has grown to. */
async function measure<P, W>(
  air: Air<P, W>,
  witness: W,
  traceLength: number,
  isRetained: boolean,
): Promise<number> {
  const executor = new InlineKernelExecutor(module);
  const backend: ProverBackend = {
    name: 'inline',
    begin: async input => new WasmSession(executor, input, isRetained, () => undefined),
  };
  const parameters = { traceLength, blowupFactor: 8, queryCount: 20, grindingBits: 0 };
  await prove({ air, witness, parameters, backend });
  return executor.arena.memory.buffer.byteLength;
}

it.each([
  [1024, true],
  [8192, true],
  [8192, false],
])(
  'bounds the memory of %i rows, and not by a quarter more (extension kept: %p)',
  async (traceLength, isRetained) => {
    const fixedBytes = 2 << 20;
    for (const [air, witness] of [
      [hashChainAir as Air, { traceData: 'x' }],
      [fibonacciAir as Air, { first: 1n, second: 1n }],
    ] as const) {
      const { columnCount, constraintDegree } = air;
      const size = { columnCount, constraintDegree, traceLength, blowupFactor: 8 };
      const estimate = estimateProverMemoryBytes(size, isRetained ? undefined : 0);
      const used = await measure(air, witness, traceLength, isRetained);
      expect(used).toBeLessThanOrEqual(estimate);
      expect(used).toBeGreaterThan(0.8 * (estimate - fixedBytes));
    }
  },
);

it('admits the defaults with the extension kept, and 2^20 rows at blowup 8 without', () => {
  const chain = { columnCount: 25, constraintDegree: 3, blowupFactor: 8 };
  expect(retainsExtension({ ...chain, traceLength: 65_536 })).toBe(true);
  expect(retainsExtension({ ...chain, traceLength: 2 ** 20 })).toBe(false);
  expect(estimateProverMemoryBytes({ ...chain, traceLength: 2 ** 20 })).toBeLessThan(PROVER_MEMORY_BYTES_MAX);
});

it('names the bound and the need when a proof is too large', () => {
  const size = { columnCount: 25, constraintDegree: 3, traceLength: 2 ** 20, blowupFactor: 32 };
  expect(() => assertProverMemory(size)).toThrow(ProverMemoryError);
  expect(() => assertProverMemory(size)).toThrow(
    `may take ${PROVER_MEMORY_BYTES_MAX} bytes of memory (degree × blowup × columns), this one needs ${estimateProverMemoryBytes(size)}`,
  );
});
