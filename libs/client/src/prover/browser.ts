/** Proofs of your own statements, made in a page or a worker of it: nothing is sent and nothing is paid. See docs/own-statements.md. */
import { proveOwnInline } from '@svc/stark-prover';
import { ownStatementFromJson, type OwnStatementJson, readDefinition } from '@svc/stark-verifier';
import {
  assertOptions,
  definitionText,
  type LocalProof,
  type LocalProofOptions,
  timedProof,
} from './local-proof.js';

export type { LocalProof, LocalProofOptions } from './local-proof.js';
export { ProverMemoryError } from '@svc/stark-prover';
export { ParameterError } from '@svc/stark-verifier';

export interface PageProofOptions extends LocalProofOptions {
  /** `kernels.wasm` of `@svc/kernels`, compiled. */
  readonly kernels: WebAssembly.Module;
}

/**
 * As `proveOwn` in Node.js, where the caller stands: a page does nothing else meanwhile, a worker is better. The kernels' memory is shared, so
 * that the page must be isolated (`Cross-Origin-Opener-Policy: same-origin`, `Cross-Origin-Embedder-Policy: require-corp`).
 *
 * @throws DefinitionError, WitnessError, StatementError, ParameterError and ProverMemoryError
 *
 * @example
 * const kernels = await WebAssembly.compileStreaming(fetch('/kernels.wasm'));
 * const proof = await proveOwn(text, { rows: 4_096, start: { x: '2' } }, { kernels });
 */
export function proveOwn(
  air: string | object,
  statement: OwnStatementJson,
  { kernels, ...options }: PageProofOptions,
): Promise<LocalProof> {
  return timedProof(async () => {
    assertOptions(options);
    const definition = readDefinition(definitionText(air));
    return proveOwnInline(definition, ownStatementFromJson(definition, statement), kernels, options);
  });
}
