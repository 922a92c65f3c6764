import { findAir } from '@svc/stark-verifier';
import { type AskedStatement, askedStatement, AskedStatementError } from './asked-statement.js';
import { proofPathOf } from './named-proof.js';

type JsonObject = Readonly<Record<string, unknown>>;

/** What became of a commitment that an answer says how to open. */
export type OpeningVerdict =
  | { readonly state: 'opens' }
  | { readonly state: 'differs'; readonly detail: string }
  | { readonly state: 'not-checked'; readonly detail: string };

/** What an answer commits to in private, by its AIR. */
const PRIVATE_MEMBER: Readonly<Record<string, string>> = {
  'spatial-box/v1': 'coordinates',
  'binding/v1': 'privateWitness',
  'binding/v2': 'privateWitness',
};

/**
 * Checks that `opening` of an answer opens its commitment: made of it and of the request, the commitment is the one among the
 * public inputs. The evidence of an answer says nothing of what opens it, so that a changed opening is seen here alone.
 * @param request with what is private, as it was sent
 * @param publicInputs of the answer, or of the proof that it names
 * @returns undefined for an answer without an opening
 */
export function verifyOpening(
  answer: JsonObject,
  request: JsonObject | undefined,
  publicInputs: unknown,
): OpeningVerdict | undefined {
  const { opening, airId } = answer;
  const hidden = PRIVATE_MEMBER[String(airId)];
  const path = proofPathOf(answer);
  if (opening === undefined || hidden === undefined || path === undefined) return undefined;
  if (request === undefined)
    return { state: 'not-checked', detail: 'it takes the request, with what is private' };
  let asked: AskedStatement;
  try {
    asked = askedStatement(path, request, opening, airId);
  } catch (error) {
    if (!(error instanceof AskedStatementError)) throw error;
    if (request[hidden] === undefined) return withoutPrivate(hidden);
    return { state: 'differs', detail: error.message };
  }
  const stated = commitmentIn(publicInputs, asked);
  if (stated === String(asked.publicInputs['commitment'])) return { state: 'opens' };
  if (request[hidden] === undefined) return withoutPrivate(hidden);
  return { state: 'differs', detail: 'opening and request make another commitment than the proof is of' };
}

const withoutPrivate = (member: string): OpeningVerdict => ({
  state: 'not-checked',
  detail: `it takes ${member} in the request`,
});

/** The commitment of public inputs in the form that its AIR writes. */
function commitmentIn(publicInputs: unknown, { airId, parameterSet }: AskedStatement): string | undefined {
  const air = findAir(airId, parameterSet.startsWith('m31') ? 'm31' : 'goldilocks');
  try {
    return String(air?.publicInputsToJson(air.publicInputsFromJson(publicInputs))['commitment']);
  } catch {
    return undefined;
  }
}
