import { type NamedProof, proofPathOf, verifyNamedProof, withNamedProof } from '../proof/named-proof.js';
import { verifyBought } from '../proof/verify-bought.js';
import type { LocalVerdict } from '../proof/verify-locally.js';
import { verifyOpening } from '../proof/verify-opening.js';
import { wholeNumber } from './connection.js';
import { fetchNamedProof, isNamedProof } from './fetch-named-proof.js';
import { cut, printable } from './layout.js';
import { readJsonObject, readOperandFile } from './operand.js';
import { textOption, type VerbContext } from './verb.js';

type JsonObject = Readonly<Record<string, unknown>>;
type Row = readonly [string, string];

/** The proof that an answer names: from the file that it was saved in, else from the gateway. */
export function namedProofOf(
  context: VerbContext,
  saved: JsonObject & { proofId: string },
): Promise<NamedProof> {
  const { starkProof, proofId } = saved;
  return isNamedProof(starkProof) ? Promise.resolve(starkProof) : fetchNamedProof(context, proofId);
}

/** What became of the proof that an answer names, and what it was held against. */
export interface NamedVerdict {
  readonly verdict: LocalVerdict;
  /** What of the request was compared, for a person. */
  readonly compared: string;
}

/** Verifies the proof that a saved answer names, and holds it against the request of `--request`, where it has what is private. */
export async function verifyNamed(
  { values }: VerbContext,
  saved: JsonObject,
  named: NamedProof,
  traceData: string | undefined,
): Promise<NamedVerdict> {
  const securityBitsMin = wholeNumber('--security-bits', textOption(values, 'security-bits'), 0);
  const path = textOption(values, 'request');
  const request = path === undefined ? undefined : readJsonObject(await readOperandFile(path), path);
  const verdict = verifyNamedProof(saved, named, { traceData, securityBitsMin });
  if (!verdict.valid) return { verdict, compared: '' };
  if (verdict.boundToTraceData) return { verdict, compared: 'the proof is about this trace data' };
  return request === undefined
    ? { verdict, compared: 'not compared: give --request' }
    : comparedToRequest(saved, named, { request, verdict, securityBitsMin });
}

/** As `svc tool` does with the answer that it bought. */
export function comparedToRequest(
  saved: JsonObject,
  named: NamedProof,
  known: { readonly request: JsonObject; readonly verdict: LocalVerdict; readonly securityBitsMin?: number },
): NamedVerdict {
  const { request, verdict, securityBitsMin } = known;
  const answer = withNamedProof(saved, named);
  const path = proofPathOf(answer);
  const opening = verifyOpening(answer, request, answer['publicInputs']);
  if (path === undefined) return { verdict, compared: 'not compared: the answer does not say what it is of' };
  if (opening?.state === 'not-checked') return { verdict, compared: `not compared: ${opening.detail}` };
  const bought = verifyBought({ path, request, answer, securityBitsMin });
  return { verdict: bought, compared: 'what was asked for, opened by the opening of the answer' };
}

/** What a proof states in public, for a person. */
export function statementRows(publicInputs: unknown): Row[] {
  const { axes, publicInputs: numbers } = Object(publicInputs) as Record<string, unknown>;
  if (Array.isArray(axes)) return axes.map((axis, i) => [i === 0 ? 'box' : '', printable(axisText(axis))]);
  return Array.isArray(numbers) ? [['public inputs', cut(printable(numbers.join(', ')), '--json')]] : [];
}

/** One axis of a box. Angles are stated in whole ten-millionths of a degree, and shown in degrees. */
function axisText(axis: unknown): string {
  const { name, unit, min, max } = Object(axis) as Record<string, unknown>;
  const [perUnit, units] = unit === '1e-7 degree' ? [1e7, 'degrees'] : [1, `in units of a ${String(unit)}`];
  return `${String(name)} ${Number(min) / perUnit} to ${Number(max) / perUnit} ${units}`;
}
