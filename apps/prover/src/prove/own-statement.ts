import { Injectable } from '@nestjs/common';
import {
  type AirCheckRequest,
  type AirCheckResult,
  type AirFacts,
  OWN_ELEMENTS_MAX,
  OWN_ROWS_MAX,
  type PublicInputs,
  type StarkProveM31Request,
  type StarkProveRequest,
} from '@svc/contracts';
import { problem } from '@svc/platform';
import {
  type Air,
  OWN_DOES_NOT_PROVE,
  ownAir,
  type OwnDefinition,
  type OwnStatement,
  type OwnStatementJson,
  sentColumns,
  StatementError,
} from '@svc/stark-air';
import { OWN_UNITS_MAX, ownProofUnits } from '@svc/stark-prover';
import { type OwnReading, OwnThreads } from '@svc/stark-prover/node';
import {
  maskingRowCount,
  PARAMETER_SETS,
  type ParameterSetId,
  PROFILE_FACTS,
  proofGeometry,
  securityOf,
  setParameters,
  traceLengthFor,
  usableRowCount,
} from '@svc/stark-verifier';
import { engineProblemOf } from './engine-problem.js';
import { planProof, type ProofPlan } from './proof-plan.js';

/** A request for a proof under a definition of the buyer's. */
export type OwnRequest = StarkProveRequest | StarkProveM31Request;

/** A cell of the queue's measure takes as long as so many units, about. */
const UNITS_OF_CELL = 3;

/** Where the caller names none. */
const DEFAULT_SETS = { goldilocks: 'P100', m31: 'm31' } as const;

/** The text of a definition that came as text or as an object. */
export const definitionText = (air: NonNullable<AirCheckRequest['air']>): string =>
  typeof air === 'string' ? air : JSON.stringify(air);

/** A plan of a proof under a definition, which `plan.witness` is still to be made a trace of. */
interface OwnPlan extends ProofPlan {
  readonly units: number;
}

/** Proofs of statements that the buyer defines: what they would take, and their plans. Definitions are read in a thread of their own. */
@Injectable()
export class OwnStatements {
  constructor(private readonly threads: OwnThreads) {}

  /**
   * The plan of a proof, before any of its work: the definition and the statement are read, and the price covers it.
   * @throws ProblemError VALIDATION_FAILED or UNPROCESSABLE, naming field, bound and value; OVERLOADED
   */
  async plan(request: OwnRequest): Promise<ProofPlan> {
    const { parameterSet } = request;
    const reading = await this.read(request, traceOf(request));
    assertSent(reading);
    const plan = this.planOf(reading, { ...request, parameterSet });
    if (plan.units <= OWN_UNITS_MAX) return plan;
    throw overBudget(plan.units, roomOf(reading, plan));
  }

  /** `POST /v1/zk/airs/check`. @throws ProblemError, as {@link plan} */
  async check(request: AirCheckRequest): Promise<AirCheckResult> {
    const asked = traceOf(request);
    const reading = await this.read(request, Object.keys(asked).length > 0 ? asked : undefined);
    const { definition, facts } = reading;
    const about = {
      ...{ airId: definition.id, field: definition.field, air: definition.canonical },
      facts: shownFacts(facts),
      trace: sentColumns(definition, reading.statement?.hints),
    };
    if (!reading.statement) return about;
    assertSent(reading);
    const parameterSet = request.parameterSet ?? DEFAULT_SETS[definition.field];
    const plan = this.planOf(reading, { ...request, parameterSet });
    const cost = {
      ...{ rows: reading.statement.rows, traceLength: plan.parameters.traceLength },
      ...{ units: plan.units, unitsMax: OWN_UNITS_MAX, memoryBytes: plan.memoryBytes },
      security: securities(definition, plan, reading.statement.rows + 1, request.degree ?? 0),
    };
    // A trace that costs more than is sold is not made for nothing.
    if (plan.units > OWN_UNITS_MAX)
      return { ...about, cost: { ...cost, rowsThatFit: roomOf(reading, plan) } };
    return { ...about, cost, ...(await this.lookAtTrace(reading, plan)) };
  }

  private async lookAtTrace({ definition, statement }: OwnReading, plan: ProofPlan) {
    try {
      const rowCount = usableRowCount(plan.parameters);
      const made = await this.threads.trace(definition, statement as OwnStatement, rowCount);
      const inputs = { rows: statement!.rows, values: made.publicInputs };
      return { holds: true, publicInputs: plan.air.publicInputsToJson(inputs) as PublicInputs };
    } catch (error) {
      if (!(error instanceof StatementError && error.broken))
        throw engineProblemOf(error, { friBlowup: plan.parameters.blowupFactor });
      const { row, constraint, column, operands } = error.broken;
      const place = {
        ...(constraint === undefined ? {} : { constraint }),
        ...(column === undefined ? {} : { column }),
      };
      return {
        holds: false,
        broken: { row, ...place, operands: operands.map(String), message: error.message },
      };
    }
  }

  private async read(
    { air, airId, friBlowup, zeroKnowledge = true }: AirCheckRequest | OwnRequest,
    statement?: OwnStatementJson,
  ): Promise<OwnReading> {
    const named = air === undefined ? { id: airId ?? '' } : { text: definitionText(air) };
    const reading = await this.threads.read(named, statement).catch((error: unknown) => {
      throw engineProblemOf(error, { friBlowup, zeroKnowledge, sent: statement });
    });
    const { id } = reading.definition;
    if (airId === undefined || airId === id) return reading;
    const message = `is not the id of \`air\`, which is ${id}`;
    throw problem('UNPROCESSABLE', `airId ${message}`, {
      errors: [{ path: 'airId', message, bound: id, got: airId }],
      extensions: { reason: 'air-id-mismatch' },
    });
  }

  private planOf(
    { definition, facts, statement, work }: OwnReading,
    { parameterSet, friBlowup, degree, zeroKnowledge = true, contextDomain }: PlanWish,
  ): OwnPlan {
    const { base } = PROFILE_FACTS[PARAMETER_SETS[parameterSet].profile];
    if (definition.field !== base) {
      const message = `is ${definition.field}, and proofs of this set are over ${base}`;
      throw problem('UNPROCESSABLE', `air.field ${message}`, {
        errors: [{ path: 'air.field', message, bound: base, got: definition.field }],
      });
    }
    const wanted = statement as OwnStatement;
    const plan = planProof({
      ...{ airId: definition.id, air: ownAir(definition, wanted.publicInputs ?? {}) as Air },
      ...{ witness: wanted, parameterSet, friBlowup, degree, zeroKnowledge, contextDomain },
      doesNotProve: OWN_DOES_NOT_PROVE,
    });
    const units = ownProofUnits(definition, plan.parameters, work);
    const rowCount = usableRowCount(plan.parameters);
    return {
      ...plan,
      ...{ cells: Math.ceil(units / UNITS_OF_CELL), units, definition, facts: shownFacts(facts) },
      prepare: async signal => {
        const made = await this.threads.trace(definition, wanted, rowCount, signal ? { signal } : {});
        return { ...made, rows: wanted.rows };
      },
    };
  }
}

/** As answers have them: what was not looked at is absent. */
function shownFacts({ zeroHolds, ...facts }: OwnReading['facts']): AirFacts {
  return { ...facts, ...(zeroHolds === undefined ? {} : { zeroHolds }) } as AirFacts;
}

interface PlanWish {
  readonly parameterSet: ParameterSetId;
  readonly friBlowup: number;
  readonly degree?: number | undefined;
  readonly zeroKnowledge?: boolean | undefined;
  readonly contextDomain?: string | undefined;
}

function traceOf(request: AirCheckRequest | OwnRequest): OwnStatementJson {
  const { public: values, rows, start, trace, traceBytes, filler, hints } = request;
  const members = { public: values, rows, start, trace, traceBytes, filler, hints };
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}

/** As much as bytes may bring, whose elements no schema counts. @throws ProblemError UNPROCESSABLE */
function assertSent({ definition, statement }: OwnReading): void {
  const { rows, hints } = statement as OwnStatement;
  const elements = rows * sentColumns(definition, hints).length;
  const [path, bound, got] =
    rows > OWN_ROWS_MAX ? ['rows', OWN_ROWS_MAX, rows] : ['traceBytes', OWN_ELEMENTS_MAX, elements];
  if (got <= bound) return;
  const message = `must be at most ${bound}${path === 'rows' ? '' : ' elements'}, got ${got}; prove it where the trace is`;
  throw problem('UNPROCESSABLE', `${path} ${message}`, { errors: [{ path, message, bound, got }] });
}

/** Rows that a statement of the definition may have at the price of the route, with the other wishes as they are; 0 for none. */
function roomOf({ definition, work }: OwnReading, { parameters }: ProofPlan): number {
  for (let { traceLength } = parameters; traceLength >= 64; traceLength /= 2) {
    const masks = maskingRowCount(parameters);
    if (masks > 0 && traceLength < 2 * masks) return 0;
    if (ownProofUnits(definition, { ...parameters, traceLength }, work) <= OWN_UNITS_MAX)
      return traceLength - masks - 1;
  }
  return 0;
}

function overBudget(units: number, rows: number) {
  const fits = rows > 0 ? `; ${rows} rows would fit` : '';
  const message = `takes ${units} units, and ${OWN_UNITS_MAX} are sold at this price${fits}`;
  return problem('UNPROCESSABLE', `The proof ${message}`, {
    errors: [{ path: 'rows', message, bound: OWN_UNITS_MAX, got: units }],
    extensions: { reason: 'over-budget', units, unitsMax: OWN_UNITS_MAX, rowsThatFit: rows },
  });
}

/** Bits by parameter set, of those over the definition's field that offer the blowup, each at the trace that it takes. */
function securities(
  definition: OwnDefinition,
  { parameters, air }: ProofPlan,
  rowsNeeded: number,
  least: number,
) {
  const { columns, degree: constraintDegree, constraints, boundary } = definition;
  const columnCount = columns.length;
  return Object.values(PARAMETER_SETS).flatMap(set => {
    if (PROFILE_FACTS[set.profile].base !== definition.field) return [];
    if (set.queryCounts[parameters.blowupFactor] === undefined) return [];
    const rules = setParameters(set, parameters.blowupFactor, parameters.zeroKnowledge);
    const its = {
      ...rules,
      traceLength: Math.max(least, traceLengthFor(rules, rowsNeeded, air.traceLengthMin)),
    };
    const { chunkCount } = proofGeometry(its, air);
    const constraintCount = constraints.length + boundary.length;
    return [
      {
        parameterSet: set.id,
        ...securityOf({ ...its, columnCount, chunkCount, constraintCount, constraintDegree }),
      },
    ];
  });
}
