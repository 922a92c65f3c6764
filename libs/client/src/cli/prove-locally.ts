import {
  type OwnDefinition,
  OWN_DOES_NOT_PROVE,
  type OwnStatementJson,
  type ParameterSetId,
  StatementError,
  WitnessError,
} from '@svc/stark-verifier';
import { decodeBase64 } from '../challenge/byte-text.js';
import type { LocalProof } from '../prover/local-proof.js';
import { wholeNumber } from './connection.js';
import { ExitCode, UsageError } from './exit-code.js';
import { mustBeWritable, saveFile, saveJson } from './paid-answer.js';
import { provingOptions } from './prove.verb.js';
import { columns, grouped } from './terminal.js';
import { textOption, type VerbContext } from './verb.js';

/** Where a trace breaks, as members of a result and as its line. */
export function brokenTrace({ code, broken, message }: StatementError) {
  const operands = broken?.operands.map(String) ?? [];
  const shown = operands.length > 0 ? `: ${operands.join(' and ')}` : '';
  return { members: { code, ...broken, operands }, line: ['BREAKS', `${message}${shown}`] as const };
}

/** Proves a statement on this machine: nothing is sent, and nothing is paid. The proof was verified before it is shown. */
export async function proveLocally(
  context: VerbContext,
  definition: OwnDefinition,
  json: OwnStatementJson,
): Promise<ExitCode> {
  const { values, terminal, signal } = context;
  const [out, save] = [textOption(values, 'out'), textOption(values, 'save')];
  const buying = Object.keys(provingOptions).find(
    name => name !== 'out' && name !== 'save' && values[name] !== undefined,
  );
  if (buying !== undefined)
    throw new UsageError(`--${buying} is for a proof that is bought, and --local buys none`);
  for (const path of [out, save]) if (path !== undefined) await mustBeWritable(path);
  // A command that does not prove here loads no prover.
  const { ParameterError, proveOwn, ProverMemoryError } = await import('../prover/index.js');
  let proof: LocalProof;
  try {
    proof = await proveOwn(definition.canonical, json, {
      ...{ parameterSet: textOption(values, 'set') as ParameterSetId | undefined, signal },
      friBlowup: wholeNumber('--blowup', textOption(values, 'blowup'), 1),
      zeroKnowledge: values['open'] !== true,
      onStage: stage => terminal.progress(`proving here: ${stage}`),
    });
  } catch (error) {
    if (
      error instanceof WitnessError ||
      error instanceof ParameterError ||
      error instanceof ProverMemoryError
    )
      throw new UsageError(error.message);
    if (!(error instanceof StatementError)) throw error;
    const { members, line } = brokenTrace(error);
    terminal.result({ holds: false, trace: members }, columns([line]));
    return ExitCode.failure;
  } finally {
    terminal.endProgress();
  }
  const bytes = decodeBase64(proof.proof) ?? new Uint8Array();
  if (out !== undefined) await saveFile(out, bytes);
  await saveJson(save, proof);
  terminal.result(proof, report(proof, bytes.length, out ?? save));
  return ExitCode.ok;
}

function report(proof: LocalProof, bytes: number, file: string | undefined): string[] {
  const { securityBits, conjecturedSecurityBits, parameterSet, publicInputs } = proof;
  return columns([
    ['proof', `${grouped(bytes)} bytes${file === undefined ? '' : `, saved to ${file}`}`],
    ['checked', 'valid, made and checked here: nothing was sent and nothing paid'],
    ['statement', `${proof.airId}, ${grouped(proof.traceLength)} rows, blowup ${proof.friBlowup}`],
    [
      'public',
      Object.entries(publicInputs)
        .map(([name, value]) => `${name} = ${value}`)
        .join(', '),
    ],
    ['security', `${securityBits} bits proven, ${conjecturedSecurityBits} heuristic (${parameterSet})`],
    ['hides', proof.zeroKnowledge ? 'the trace' : 'nothing'],
    ['time', `${proof.proverLatencyMs.toFixed(1)} ms`],
    ['caveat', OWN_DOES_NOT_PROVE],
  ]);
}
