import { findAir, PARAMETER_SETS, PROFILE_FACTS } from '@svc/stark-verifier';
import type { PublicInputs } from '../api-types.js';
import {
  type AskedStatement,
  askedStatement,
  AskedStatementError,
  type ProofPath,
} from './asked-statement.js';
import {
  type AcceptedProof,
  type LocalVerdict,
  type RejectedProof,
  verifyLocally,
} from './verify-locally.js';

type JsonObject = Readonly<Record<string, unknown>>;

/** An answer of a route that sells proofs, and the request that it was bought with. */
export interface BoughtProof {
  readonly path: ProofPath;
  /** The body as it was sent. */
  readonly request: object;
  /** The answer as it came; that of a tool with the proof that it names (`withNamedProof`). */
  readonly answer: object;
  /**
   * Least proven security that you accept, bits. Default 80; of a request that names its parameter set, what that set
   * has.
   */
  readonly securityBitsMin?: number;
}

/** A member that is not what was asked for. */
interface Difference {
  readonly member: string;
  readonly asked: unknown;
  readonly came: unknown;
}

/**
 * Verifies a proof that was bought, on this machine, and that it is of the statement that was asked for: AIR, field,
 * parameter set, blowup, rows, zero knowledge, domain tag and the public inputs that follow from the request. What a gateway,
 * or whoever sits before it, made of the request does not matter. What is false is a value, never an exception.
 *
 * @example
 * const request = { traceData: 'hello', degree: 1024 } as const;
 * const { data: answer } = await client.prove(request);
 * const verdict = verifyBought({ path: '/v1/zk/prove', request, answer });
 * if (!verdict.valid) throw new Error(`${verdict.reason}: ${verdict.detail}`);
 */
export function verifyBought(bought: BoughtProof): LocalVerdict {
  const startedAt = performance.now();
  const { path } = bought;
  const [request, answer] = [bought.request as JsonObject, bought.answer as JsonObject];
  const rejected = (reason: string, detail: string): RejectedProof => ({
    valid: false,
    airId: String(answer['airId']),
    reason,
    detail,
    verificationLatencyMs: performance.now() - startedAt,
  });
  let asked: AskedStatement;
  try {
    asked = askedStatement(path, request, answer['opening'], answer['airId']);
  } catch (error) {
    if (error instanceof AskedStatementError) return rejected('statement-unknown', error.message);
    throw error;
  }
  const stated = statedDifference(asked, answer);
  if (stated !== undefined) return rejected('statement-mismatch', sentenceOf(stated, 'the answer has'));
  const { airId, air, contextDomain, parameters, isSetNamed } = asked;
  const { traceData } = request;
  const verdict = verifyLocally({
    airId,
    ...(air !== undefined && { air, airIds: [airId] }),
    contextDomain,
    traceLength: parameters.traceLength,
    proof: answer['proof'] as string,
    publicInputs: answer['publicInputs'] as PublicInputs,
    ...(path === '/v1/zk/prove' && { traceData: traceData as string }),
    securityBitsMin: bought.securityBitsMin ?? (isSetNamed ? 0 : undefined),
  });
  if (!verdict.valid) return verdict;
  const proved = firstDifference(headerOf(asked), { ...verdict });
  if (proved !== undefined) return rejected('statement-mismatch', sentenceOf(proved, 'the proof has'));
  const named = namedDifference(answer, verdict);
  return named === undefined ? verdict : rejected('proof-mismatch', named);
}

/** Why a proof is not the one that an answer names, by what the answer repeats of it; undefined where it is. */
export function namedDifference(answer: JsonObject, verdict: AcceptedProof): string | undefined {
  const proved: JsonObject = { ...verdict };
  const differs = (name: string) => answer[name] !== undefined && answer[name] !== proved[name];
  const name = ['starkRootCommitment', 'proofRootHash'].find(differs);
  return name && `${name}: the answer names ${String(answer[name])}, the proof has ${String(proved[name])}`;
}

/** What the header of the proof must say; AIR, rows and domain tag are part of what is verified. */
function headerOf({ parameterSet, parameters }: AskedStatement): JsonObject {
  const { blowupFactor, zeroKnowledge } = parameters;
  return { parameterSet, friBlowup: blowupFactor, zeroKnowledge };
}

/** The first member that the answer itself states otherwise; members that answers of its kind lack are not compared. */
function statedDifference(asked: AskedStatement, answer: JsonObject): Difference | undefined {
  const { airId, contextDomain, parameters, parameterSet } = asked;
  const { traceLength } = parameters;
  const stated = { airId, parameterSet, traceLength, ...headerOf(asked), contextDomain };
  const present = Object.entries(stated).filter(([name]) => answer[name] !== undefined);
  return firstDifference(Object.fromEntries(present), answer) ?? inputDifference(asked, answer);
}

function inputDifference({ airId, parameterSet, publicInputs }: AskedStatement, answer: JsonObject) {
  const came = canonicalInputs(airId, parameterSet, answer['publicInputs']);
  const difference = firstDifference(publicInputs, came);
  return difference && { ...difference, member: `publicInputs.${difference.member}` };
}

/** Public inputs in the form that the AIR writes; as they came where they are none, which the verification refuses. */
function canonicalInputs(airId: string, parameterSet: AskedStatement['parameterSet'], json: unknown) {
  const air = findAir(airId, PROFILE_FACTS[PARAMETER_SETS[parameterSet].profile].base);
  try {
    return air!.publicInputsToJson(air!.publicInputsFromJson(json));
  } catch {
    return typeof json === 'object' && json !== null ? (json as JsonObject) : {};
  }
}

function firstDifference(asked: JsonObject, came: JsonObject): Difference | undefined {
  const differs = ([name, value]: [string, unknown]) => JSON.stringify(came[name]) !== JSON.stringify(value);
  const found = Object.entries(asked).find(differs);
  return found && { member: found[0], asked: found[1], came: came[found[0]] };
}

const DETAIL_CHARS_MAX = 160;

function sentenceOf({ member, asked, came }: Difference, whose: string): string {
  const shown = (value: unknown) => {
    const text = JSON.stringify(value) ?? 'none';
    return text.length > DETAIL_CHARS_MAX ? `${text.slice(0, DETAIL_CHARS_MAX)}…` : text;
  };
  return `${member}: ${shown(asked)} was asked for, ${whose} ${shown(came)}`;
}
