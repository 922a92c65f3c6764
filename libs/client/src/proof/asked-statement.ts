import {
  type AirDefinition,
  ProveRequest,
  SpatialProveRequest,
  StarkProveM31Request,
  StarkProveRequest,
} from '@svc/contracts';
import {
  definitionFromJson,
  findAir,
  findRawAir,
  galleryText,
  hashChainInputDigest,
  makeOwnTrace,
  ownAir,
  type OwnDefinition,
  type OwnStatement,
  ownStatementFromJson,
  PARAMETER_SETS,
  type ParameterSetId,
  parametersOf,
  parseTraceData,
  type ProofParameters,
  profileOf,
  readDefinition,
  setParameters,
  traceLengthFor,
  usableRowCount,
} from '@svc/stark-verifier';
import type { z } from 'zod';
import type { ProvePath } from '../client.js';

type JsonObject = Readonly<Record<string, unknown>>;

/** Where proofs are sold: whole, or by tools whose answers name them. */
export type ProofPath =
  ProvePath | '/v1/tools/zk_prove_spatial' | '/v1/tools/generate_goldilocks_stark_proof';

/** What a proof must be of, by the request that it was bought with. */
export interface AskedStatement {
  readonly airId: string;
  /** The definition that it is under, where the buyer has made it: its canonical text. */
  readonly air?: string;
  readonly contextDomain: string;
  readonly parameterSet: ParameterSetId;
  /** Whether the request names its set, so that it is taken at the security that the set has. */
  readonly isSetNamed: boolean;
  readonly parameters: ProofParameters;
  /** The public inputs that follow from the request; what only the computation tells is not among them. */
  readonly publicInputs: JsonObject;
}

/** A request that no statement follows from: the published rules refuse it, or what opens its commitment is missing. */
export class AskedStatementError extends Error {
  override readonly name = 'AskedStatementError';
}

/** What a request says of its proof, with the published defaults of what it leaves out. */
interface Wish {
  readonly airId: string;
  /** The definition that the statement is under, where the buyer has made it. */
  readonly definition?: OwnDefinition;
  /** As the AIR's `witnessFromJson` takes it; under a definition what the request says of the trace. */
  readonly witness: JsonObject;
  readonly parameterSet: ParameterSetId;
  readonly friBlowup: number;
  readonly contextDomain: string;
  readonly degree?: number;
  readonly zeroKnowledge?: boolean;
}

type Air = NonNullable<ReturnType<typeof findAir>>;

const CHAIN_SET: ParameterSetId = 'P100';
/** What every proof of a box is made with. */
const BOX = { airId: 'spatial-box/v1', parameterSet: CHAIN_SET, friBlowup: 8, contextDomain: '' } as const;
/** Each statement's AIRs: the one that is proved now, then those that proofs sold before are of. */
const STATEMENT_AIRS = {
  binding: ['binding/v2', 'binding/v1'],
  preimage: ['preimage/v2', 'preimage/v1'],
} as const;

/**
 * The statement that a request asks for. Nothing is taken from the answer but what opens a commitment, which the service
 * draws, so that the commitment follows from it and from the request; and which version of the statement it is of, where a
 * proof may have been sold before the present one.
 * @param stated the answer's `airId`
 * @throws AskedStatementError
 */
export function askedStatement(
  path: ProofPath,
  request: JsonObject,
  opening?: unknown,
  stated?: unknown,
): AskedStatement {
  try {
    const wish = wishOf(path, request, opening, stated);
    const { base } = profileOf(PARAMETER_SETS[wish.parameterSet].profile);
    if (wish.definition) return ownAsked(wish, wish.definition, request['parameterSet'] !== undefined);
    const air = findAir(wish.airId, base.name);
    if (!air?.witnessFromJson) {
      throw new AskedStatementError(`airId ${wish.airId} is not proved over the field ${base.name}`);
    }
    const witness = air.witnessFromJson(wish.witness);
    const parameters = parametersFor(air, witness, wish);
    const publicInputs =
      path === '/v1/zk/prove'
        ? chainInputs(air, String(request['traceData']))
        : statementInputs(air, witness, wish, parameters);
    const { airId, contextDomain, parameterSet } = wish;
    const isSetNamed = request['parameterSet'] !== undefined;
    return { airId, contextDomain, parameterSet, isSetNamed, parameters, publicInputs };
  } catch (error) {
    if (error instanceof AskedStatementError) throw error;
    throw new AskedStatementError(error instanceof Error ? error.message : String(error));
  }
}

/** Nodes times rows up to which a trace is made here, half a second at most, to know every public input of a statement under a definition. */
const OWN_MADE_MAX = 2 ** 22;

/**
 * What a request under a definition asks for. Of a long trace only those public inputs are known that the request names and that stand in the
 * cells that it gives, for the proof shows the rest.
 */
function ownAsked(wish: Wish, definition: OwnDefinition, isSetNamed: boolean): AskedStatement {
  const { contextDomain, parameterSet, airId } = wish;
  const statement = ownStatementFromJson(definition, wish.witness);
  const { rows } = statement;
  const isMade = rows * definition.nodes.length <= OWN_MADE_MAX;
  const known: Record<string, bigint> = isMade
    ? { ...makeOwnTrace(definition, statement, rows + 1).publicInputs }
    : givenInputs(definition, statement);
  const air = ownAir(definition, known) as Air;
  const values = Object.fromEntries(definition.publicInputs.map(name => [name, known[name] ?? 0n]));
  const shown = Object.entries(air.publicInputsToJson({ rows, values }));
  const publicInputs = Object.fromEntries(
    shown.filter(([name]) => name === 'rows' || Object.hasOwn(known, name)),
  );
  const parameters = parametersFor(air, statement, { zeroKnowledge: true, ...wish });
  return {
    airId,
    air: definition.canonical,
    contextDomain,
    parameterSet,
    isSetNamed,
    parameters,
    publicInputs,
  };
}

/** Public inputs that a request names, or that a cell is fixed to which it gives. */
function givenInputs(definition: OwnDefinition, statement: OwnStatement): Record<string, bigint> {
  const { rows, publicInputs = {}, start = {}, given = {} } = statement;
  const known = { ...publicInputs };
  for (const { column, row, value } of definition.boundary) {
    if (!('publicInput' in value)) continue;
    const name = definition.columns[column];
    const cell =
      row === 0 && Object.hasOwn(start, name) ? start[name] : given[name]?.[row === 'last' ? rows - 1 : row];
    if (cell !== undefined) known[definition.publicInputs[value.publicInput]] ??= cell;
  }
  return known;
}

function wishOf(path: ProofPath, request: JsonObject, opening: unknown, stated: unknown): Wish {
  if (path === '/v1/zk/prove') {
    const { traceData, degree, friBlowup } = ProveRequest.parse(request);
    const wish = { airId: 'hash-chain/v1', parameterSet: CHAIN_SET, contextDomain: '' };
    return { ...wish, witness: { traceData }, degree, friBlowup };
  }
  if (path === '/v1/tools/zk_prove_spatial')
    return { ...BOX, witness: { ...SpatialProveRequest.parse(request), salt: saltOf(opening) } };
  if (path === '/v1/tools/generate_goldilocks_stark_proof')
    return wishOf('/v1/stark/prove-goldilocks', { ...request, statement: 'binding' }, opening, stated);
  const schema = path === '/v1/stark/prove-m31' ? StarkProveM31Request : StarkProveRequest;
  const { statement, parameterSet, friBlowup, contextDomain = '', ...members } = schema.parse(request);
  const { publicInputs = [], privateWitness = [], airId = '', trace, inputs, air, ...choices } = members;
  const wish = { parameterSet, friBlowup, contextDomain, ...choices };
  switch (statement) {
    case 'binding': {
      const salt = saltOf(opening);
      return {
        ...wish,
        airId: airOf('binding', stated),
        witness: { contextDomain, publicInputs, privateWitness, salt },
      };
    }
    case 'preimage':
      return {
        ...wish,
        airId: airOf('preimage', stated),
        witness: { contextDomain, digest: publicInputs, privateWitness },
      };
    case 'raw':
      return { ...wish, airId, witness: trace === undefined ? { inputs } : { trace } };
    case 'own': {
      const definition = definitionOf(air ?? galleryText(airId) ?? '');
      const { public: values, rows, start, traceBytes, filler, hints } = choices;
      return {
        ...wish,
        ...{ airId: definition.id, definition },
        witness: { public: values, rows, start, trace, traceBytes, filler, hints },
      };
    }
  }
}

const definitionOf = (air: z.output<typeof AirDefinition>): OwnDefinition =>
  typeof air === 'string' ? readDefinition(air) : definitionFromJson(air);

function airOf(statement: keyof typeof STATEMENT_AIRS, stated: unknown): string {
  const airs: readonly string[] = STATEMENT_AIRS[statement];
  return airs.find(airId => airId === stated) ?? airs[0];
}

/** Without it nobody could show what was committed to, and nobody could see that it is what was asked for. */
function saltOf(opening: unknown): string {
  const salt = typeof opening === 'object' ? (opening as JsonObject | null)?.['salt'] : undefined;
  if (typeof salt === 'string') return salt;
  throw new AskedStatementError('the answer has no opening.salt, which opens the commitment');
}

/** The parameters that the published rules give such a request (docs/stark-format.md, section 2). */
function parametersFor(air: Air, witness: unknown, wish: Wish): ProofParameters {
  const { parameterSet, friBlowup, degree = 0 } = wish;
  const set = PARAMETER_SETS[parameterSet];
  const zeroKnowledge =
    air.zeroKnowledge === 'optional' ? (wish.zeroKnowledge ?? false) : air.zeroKnowledge === 'always';
  const rules = setParameters(set, friBlowup, zeroKnowledge);
  const least = traceLengthFor(rules, air.rowsNeeded(witness), air.traceLengthMin);
  return parametersOf(set, Math.max(least, degree), friBlowup, zeroKnowledge);
}

/** `output` is left out: to know it is to run the chain, which is what the proof is for. */
function chainInputs({ field, publicInputsToJson }: Air, traceData: string): JsonObject {
  const { domain, bytes } = parseTraceData(traceData);
  const inputDigest = hashChainInputDigest(traceData, field);
  const { output: _output, ...asked } = publicInputsToJson({
    domain,
    length: bytes.length,
    inputDigest,
    output: inputDigest,
  });
  return asked;
}

/**
 * All public inputs of a witness that is the caller's own, by running it in as few rows as it takes. Where every row follows
 * from the one before, the members that the request names are enough, for the proof shows the rest.
 */
function statementInputs(air: Air, witness: unknown, wish: Wish, parameters: ProofParameters): JsonObject {
  const { base } = profileOf(parameters.profile);
  const inputsOf = (run: unknown) =>
    air.publicInputsToJson(air.execute(base, run, air.rowsNeeded(run)).publicInputs);
  const { inputs } = wish.witness;
  if (inputs === undefined || findRawAir(air.id, air.field)?.recurrence === undefined)
    return inputsOf(witness);
  const { rows = usableRowCount(parameters), ...start } = inputs as JsonObject;
  const started = inputsOf(air.witnessFromJson!({ inputs: start }));
  const named = Object.entries(started).filter(([name]) => Object.hasOwn(start, name));
  return { rows, ...Object.fromEntries(named) };
}
