import { InlineKernelExecutor, type KernelExecutor } from '@svc/kernels';
import { profileOf } from '@svc/stark-verifier';
import type { ProverBackend, ProverSession, SessionInput } from '../backend.js';
import { CircleWasmSession } from '../circle/wasm/circle-wasm-session.js';
import { abortableExecutor } from './abortable-executor.js';
import { assertProverMemory, retainsExtension } from './prover-memory.js';
import { WasmSession } from './wasm-session.js';

/**
 * The session of a proof over the kernels that its profile wants.
 * @param isRetained whether it keeps the whole extension
 * @param onEnd called once the memory is free
 */
export function beginSession<PublicInputs, Witness>(
  executor: KernelExecutor,
  input: SessionInput<PublicInputs, Witness>,
  isRetained: boolean,
  onEnd: () => void,
): ProverSession<PublicInputs> {
  const { domain } = profileOf(input.parameters.profile).facts;
  const Session = domain === 'circle' ? CircleWasmSession : WasmSession;
  return new Session(abortableExecutor(executor, input.signal), input, isRetained, onEnd);
}

/**
 * The prover on WebAssembly kernels where the caller stands, without a thread: for a browser's page or worker, which it holds until the proof
 * is made. Every proof has a memory of its own.
 *
 * @param kernels `kernels.wasm` of `@svc/kernels`, compiled
 */
export function createInlineBackend(kernels: WebAssembly.Module): ProverBackend {
  return {
    name: 'wasm-inline',
    begin: async input => {
      const { columnCount, constraintDegree, boundaryRowCount } = input.air;
      const memory = { columnCount, constraintDegree, boundaryRowCount, ...input.parameters };
      assertProverMemory(memory);
      const executor = new InlineKernelExecutor(kernels);
      return beginSession(executor, input, retainsExtension(memory), () => undefined);
    },
  };
}
