import type { AirFacts } from '@svc/contracts';
import { problem } from '@svc/platform';
import { type Air, findAir, type OwnDefinition } from '@svc/stark-air';
import { assertProverMemory, estimateProverMemoryBytes } from '@svc/stark-prover';
import {
  maskingRowCount,
  PARAMETER_SETS,
  type ParameterSetId,
  parametersOf,
  PROFILE_FACTS,
  type ProofParameters,
  setParameters,
  TRACE_LENGTH_MAX,
  traceLengthFor,
} from '@svc/stark-verifier';
import { engineProblemOf } from './engine-problem.js';
import type { ProofSize } from './proof-queue.js';

/** Everything that a proof takes, found out before any of its work. */
export interface ProofPlan extends ProofSize {
  readonly air: Air;
  readonly witness: unknown;
  readonly parameters: ProofParameters;
  readonly parameterSet: ParameterSetId;
  readonly contextDomain: string;
  readonly doesNotProve: string;
  /** The definition that the statement is under, where the buyer has made it. */
  readonly definition?: OwnDefinition;
  /** What can be told of it without running it. */
  readonly facts?: AirFacts;
  /** What its proof takes, by which the price bounds it. */
  readonly units?: number;
  /** What is proved in place of `witness`, made when its turn has come. @throws what it cannot be made for; the signal's reason */
  readonly prepare?: (signal?: AbortSignal) => Promise<unknown>;
}

/** What a plan is made from. */
export interface ProofWish {
  readonly airId: string;
  /** In place of the published AIR of that id; `witness` is its own then. */
  readonly air?: Air;
  /** As the AIR's `witnessFromJson` takes it. */
  readonly witness: unknown;
  readonly parameterSet: ParameterSetId;
  readonly friBlowup: number;
  /** Rows asked for; by default what the statement needs. */
  readonly degree?: number;
  /** Of an AIR that leaves the choice. */
  readonly zeroKnowledge?: boolean;
  readonly contextDomain?: string;
  readonly doesNotProve: string;
}

/** Columns of chunks, DEEP quotient and FRI beside the trace's, about. */
const FURTHER_COLUMNS = 8;

/**
 * Reads the witness and finds the length of the trace, the memory and the cells of its proof. Memory alone bounds
 * degree, friBlowup and columns.
 * @throws ProblemError VALIDATION_FAILED or UNPROCESSABLE, naming field, bound and value
 */
export function planProof(wish: ProofWish): ProofPlan {
  const { parameterSet, friBlowup, contextDomain = '', doesNotProve } = wish;
  try {
    const air = wish.air ?? airOf(wish);
    const zeroKnowledge = zeroKnowledgeOf(air, wish.zeroKnowledge);
    const witness = wish.air ? wish.witness : air.witnessFromJson!(wish.witness);
    const set = setParameters(PARAMETER_SETS[parameterSet], friBlowup, zeroKnowledge);
    const rowsNeeded = air.rowsNeeded(witness);
    const least = traceLengthFor(set, rowsNeeded, air.traceLengthMin);
    const traceLength = Math.max(least, wish.degree ?? least);
    assertLength(wish, Math.max(wish.degree ?? 0, air.traceLengthMin), rowsNeeded);
    assertProvable(wish, traceLength, rowsNeeded, TRACE_LENGTH_MAX - maskingRowCount(set));
    const parameters = parametersOf(PARAMETER_SETS[parameterSet], traceLength, friBlowup, zeroKnowledge);
    const { columnCount, constraintDegree, boundaryRowCount } = air;
    const memory = { ...parameters, columnCount, constraintDegree, boundaryRowCount };
    assertProverMemory(memory);
    return {
      air,
      witness,
      parameters,
      parameterSet,
      contextDomain,
      doesNotProve,
      memoryBytes: estimateProverMemoryBytes(memory),
      cells: traceLength * friBlowup * (columnCount + FURTHER_COLUMNS),
    };
  } catch (error) {
    const { degree, zeroKnowledge, witness: sent } = wish;
    throw engineProblemOf(error, { degree, friBlowup, sent, zeroKnowledge });
  }
}

function airOf({ airId, parameterSet }: ProofWish): Air {
  const { base } = PROFILE_FACTS[PARAMETER_SETS[parameterSet].profile];
  const air = findAir(airId, base);
  if (air?.witnessFromJson) return air;
  throw problem('UNPROCESSABLE', `airId ${airId} is not proved over the field ${base}`, {
    errors: [{ path: 'airId', message: `is not an AIR over ${base}`, got: airId }],
  });
}

function zeroKnowledgeOf({ id, zeroKnowledge }: Air, asked: boolean | undefined): boolean {
  if (zeroKnowledge === 'optional') return asked ?? false;
  if (asked !== undefined && asked !== (zeroKnowledge === 'always')) {
    const message = `is ${zeroKnowledge} so for ${id}`;
    throw problem('UNPROCESSABLE', `zeroKnowledge ${message}`, {
      errors: [{ path: 'zeroKnowledge', message, bound: zeroKnowledge, got: asked }],
    });
  }
  return zeroKnowledge === 'always';
}

function assertLength({ degree }: ProofWish, rowsAsked: number, rowsNeeded: number): void {
  if (degree === undefined || rowsNeeded <= rowsAsked) return;
  const message = `is less than the ${rowsNeeded} rows that the statement needs`;
  throw problem('UNPROCESSABLE', `degree ${degree} ${message}`, {
    errors: [{ path: 'degree', message, bound: rowsNeeded, got: degree }],
  });
}

/** @param rowsMax that a statement may have beside the masks of the longest trace */
function assertProvable(
  { witness }: ProofWish,
  traceLength: number,
  rowsNeeded: number,
  rowsMax: number,
): void {
  if (traceLength <= TRACE_LENGTH_MAX) return;
  const path = rowsPathOf(witness);
  const message = `must have at most ${rowsMax} rows: the statement needs a trace of ${traceLength}, and ${TRACE_LENGTH_MAX} are proved`;
  throw problem('UNPROCESSABLE', `${path} ${message}`, {
    errors: [{ path, message, bound: rowsMax, got: rowsNeeded }],
  });
}

/** The member of a witness that says how many rows the statement has. */
function rowsPathOf(witness: unknown): string {
  const { inputs, trace } = witness as { inputs?: object; trace?: unknown };
  if (trace !== undefined) return 'trace';
  if ('rows' in (witness as object)) return 'rows';
  return inputs && Object.hasOwn(inputs, 'rows') ? 'inputs.rows' : 'inputs';
}
