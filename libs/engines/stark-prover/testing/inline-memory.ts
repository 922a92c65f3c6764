import { InlineKernelExecutor } from '@svc/kernels';
import { loadKernelModule } from '@svc/kernels/node';
import type { Air } from '@svc/stark-air';
import type { ProofParameters } from '@svc/stark-verifier';
import type { ProverBackend } from '../src/backend.js';
import { prove } from '../src/prove.js';
import { beginSession } from '../src/wasm/inline-backend.js';

/**
 * Bytes of memory that a proof made on one thread has grown to.
 * @param isRetained whether it keeps the whole extension
 */
export async function memoryOfProof(
  air: Air,
  witness: unknown,
  parameters: ProofParameters,
  isRetained: boolean,
): Promise<number> {
  const executor = new InlineKernelExecutor(await loadKernelModule());
  const backend: ProverBackend = {
    name: 'inline',
    begin: async input => beginSession(executor, input, isRetained, () => undefined),
  };
  await prove({ air, witness, parameters, backend });
  return executor.arena.memory.buffer.byteLength;
}
