import { type NamedProof, proofPathOf } from '../proof/named-proof.js';
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

/** What became of a proof, and what it was held against. */
export interface HeldVerdict {
  readonly verdict: LocalVerdict;
  /** What it was compared with, for a person; undefined where it was with nothing. */
  readonly compared?: string;
}

/**
 * Holds a proof that was verified against the request of `--request` too, where it has what is private.
 * @param answer with its proof
 * @throws UsageError for a request that cannot be read
 */
export async function heldAgainstRequest(
  { values }: VerbContext,
  answer: JsonObject,
  verdict: LocalVerdict,
): Promise<HeldVerdict> {
  const path = textOption(values, 'request');
  const request = path === undefined ? undefined : readJsonObject(await readOperandFile(path), path);
  if (!verdict.valid) return { verdict };
  const aboutData = verdict.boundToTraceData ? 'the proof is about this trace data' : undefined;
  if (request === undefined) return { verdict, compared: aboutData };
  const securityBitsMin = wholeNumber('--security-bits', textOption(values, 'security-bits'), 0);
  const { compared, ...held } = comparedToRequest(answer, { request, verdict, securityBitsMin });
  return { ...held, compared: aboutData ? `${aboutData}; of the request: ${compared}` : compared };
}

/** As `svc tool` does with the answer that it bought. @param answer with its proof */
export function comparedToRequest(
  answer: JsonObject,
  known: { readonly request: JsonObject; readonly verdict: LocalVerdict; readonly securityBitsMin?: number },
): HeldVerdict & { readonly compared: string } {
  const { request, verdict, securityBitsMin } = known;
  const path = proofPathOf(answer);
  const opening = verifyOpening(answer, request, answer['publicInputs']);
  if (path === undefined) return { verdict, compared: 'not compared: the answer does not say what it is of' };
  if (opening?.state === 'not-checked') return { verdict, compared: `not compared: ${opening.detail}` };
  const opened = opening === undefined ? '' : ', opened by the opening of the answer';
  const bought = verifyBought({ path, request, answer, securityBitsMin });
  return { verdict: bought, compared: `what was asked for${opened}` };
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
