/** Proofs of your own statements, made on your own machine: nothing is sent and nothing is paid. See docs/own-statements.md. */
import { proveOwn as proveMadeTrace } from '@svc/stark-prover';
import { createWasmBackend, OwnThreads } from '@svc/stark-prover/node';
import type { OwnStatementJson } from '@svc/stark-verifier';
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

export interface ThreadedProofOptions extends LocalProofOptions {
  /** 1 to 4; by default one a core, at most 4. */
  readonly threads?: number | undefined;
}

/** Longer than any trace takes: the signal ends it. */
const TRACE_MS_MAX = 2 ** 31 - 1;

/**
 * Makes a proof under a definition of yours in threads of this process, and verifies it.
 *
 * @param air the definition, its text or the object of it
 * @param statement rows, start, trace, public inputs and hints, as a request has them
 * @throws DefinitionError, WitnessError, StatementError (where the trace breaks, with row and constraint), ParameterError and ProverMemoryError;
 * the signal's reason
 *
 * @example
 * const proof = await proveOwn(text, { rows: 65_536, start: { x: '2' } });
 * console.log(verifyLocally({ ...proof, airIds: [proof.airId] }).valid);
 */
export function proveOwn(
  air: string | object,
  statement: OwnStatementJson,
  { threads, ...options }: ThreadedProofOptions = {},
): Promise<LocalProof> {
  return timedProof(async () => {
    assertOptions(options);
    const definitions = new OwnThreads({ taskMsMax: TRACE_MS_MAX });
    const backend = createWasmBackend({ ...(threads !== undefined && { threads }) });
    const { signal } = options;
    const abortable = signal ? { signal } : {};
    try {
      const reading = await definitions.read({ text: definitionText(air) }, statement);
      const own = reading.statement!;
      const { rows } = own;
      const trace = async (rowCount: number) => ({
        ...(await definitions.trace(reading.definition, own, rowCount, abortable)),
        rows,
      });
      return await proveMadeTrace(reading.definition, rows, trace, { ...options, backend });
    } finally {
      await Promise.all([definitions.close(), backend.close()]);
    }
  });
}
