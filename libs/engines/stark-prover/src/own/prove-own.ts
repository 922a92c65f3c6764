import { InlineKernelExecutor } from '@svc/kernels';
import {
  type Air,
  type MadeOwnTrace,
  makeOwnTrace,
  ownAir,
  type OwnDefinition,
  type OwnStatement,
} from '@svc/stark-air';
import {
  ownParameters,
  type OwnParameterWish,
  type SecurityFigures,
  usableRowCount,
  verify,
} from '@svc/stark-verifier';
import type { ProverBackend } from '../backend.js';
import { prove, type ProverStage } from '../prove.js';
import { createInlineBackend } from '../wasm/inline-backend.js';
import { assertProverMemory } from '../wasm/prover-memory.js';
import { kernelCheck } from './kernel-check.js';

export interface OwnProofOptions extends OwnParameterWish {
  /** Bound by the proof: for one context it is worthless in another. Default: empty. */
  readonly contextDomain?: string | undefined;
  /** Checked between stages. */
  readonly signal?: AbortSignal | undefined;
  /** Called as each stage begins. */
  readonly onStage?: ((stage: ProverStage | 'trace' | 'verify') => void) | undefined;
}

/** A proof under a definition, with all that verifies it. */
export interface OwnProof extends SecurityFigures {
  readonly proof: Uint8Array;
  readonly airId: string;
  /** The canonical text of the definition. */
  readonly air: string;
  readonly publicInputs: Readonly<Record<string, string | number>>;
  readonly contextDomain: string;
  readonly traceLength: number;
  readonly friBlowup: number;
  readonly parameterSet: string;
  readonly zeroKnowledge: boolean;
}

/** Makes the trace of a statement, of as many rows as its proof has for it. */
export type OwnTraceMaker = (rowCount: number) => Promise<MadeOwnTrace>;

/**
 * Proves a statement under a definition, and verifies the proof.
 * @throws ParameterError, ProverMemoryError before the trace is made; what `trace` throws; the signal's reason when aborted
 */
export async function proveOwn(
  definition: OwnDefinition,
  rows: number,
  trace: OwnTraceMaker,
  { contextDomain = '', signal, onStage, backend, ...wish }: OwnProofOptions & { backend: ProverBackend },
): Promise<OwnProof> {
  const parameters = ownParameters(definition, rows, wish);
  const { columnCount, constraintDegree, boundaryRowCount } = ownAir(definition, {});
  assertProverMemory({ columnCount, constraintDegree, boundaryRowCount, ...parameters });
  onStage?.('trace');
  const witness = await trace(usableRowCount(parameters));
  signal?.throwIfAborted();
  const air = ownAir(definition, witness.publicInputs) as Air;
  const made = await prove({ air, witness, parameters, contextDomain, backend, signal, onStage });
  onStage?.('verify');
  const { traceLength, blowupFactor: friBlowup, zeroKnowledge = false } = parameters;
  const publicInputs = air.publicInputsToJson(made.publicInputs) as OwnProof['publicInputs'];
  const own = { airId: definition.id, air: definition.canonical };
  const claim = { proof: made.proof, ...own, publicInputs, contextDomain, traceLength };
  const verdict = verify(claim, { securityBitsMin: 0, airIds: [definition.id] });
  if (!verdict.valid) throw new Error(`the proof that was made is not valid: ${verdict.reason}`);
  const { securityBits, conjecturedSecurityBits, parameterSet } = verdict;
  return { ...claim, friBlowup, parameterSet, zeroKnowledge, securityBits, conjecturedSecurityBits };
}

/**
 * {@link proveOwn} where the caller stands, without a thread: for a browser.
 * @param kernels `kernels.wasm` of `@svc/kernels`, compiled
 * @throws StatementError where the trace breaks, beside what `proveOwn` throws
 */
export function proveOwnInline(
  definition: OwnDefinition,
  statement: OwnStatement,
  kernels: WebAssembly.Module,
  options: OwnProofOptions = {},
): Promise<OwnProof> {
  const { rows } = statement;
  const trace = async (rowCount: number) => {
    const check = kernelCheck(new InlineKernelExecutor(kernels));
    return { ...makeOwnTrace(definition, statement, rowCount, check), rows };
  };
  return proveOwn(definition, rows, trace, { ...options, backend: createInlineBackend(kernels) });
}
