import type { BaseField } from '@svc/kernels';
import type { Air, BoundaryConstraint } from './air.js';
import { checkTrace, fieldOf } from './check-trace.js';
import { type AirDefinition, defineAir } from './define-air.js';
import {
  elementFromJson,
  elementToJson,
  integerFromJson,
  PublicInputError,
  recordFromJson,
} from './public-input.js';
import { type WitnessBound, WitnessError } from './witness-error.js';
import { witnessElement, witnessInteger, witnessRecord } from './witness-json.js';

/** Every raw statement speaks of the first `rows` rows; whatever follows them only fills the trace. */
export interface RawPublicInputs {
  readonly rows: number;
}

/** A trace that somebody else ran: one array a column, all equally long, of canonical elements. */
export interface RawTrace {
  readonly trace: readonly (readonly bigint[])[];
}

/** What a generator starts from, or a whole trace. */
export type RawWitness<Inputs extends object> = Inputs | RawTrace;

/** How a trace comes about whose every row follows from the one before: by row 0 and the constraints alone. */
export interface Recurrence<PublicInputs = unknown, Witness = unknown> {
  /**
   * Writes row 0.
   * @returns the rows that the statement speaks of; undefined where `execute` has to be asked: for a given trace, or one
   * that does not fit
   * @throws WitnessError
   */
  begin(witness: Witness, columns: readonly BigUint64Array[]): number | undefined;
  publicInputsOf(columns: readonly ArrayLike<bigint>[], rows: number): PublicInputs;
}

/** An AIR of which traces can be given as well as generated. */
export interface RawAir<PublicInputs = unknown, Witness = unknown> extends Air<PublicInputs, Witness> {
  readonly columnNames: readonly string[];
  /** Undefined where rows depend on inputs of their own. */
  readonly recurrence: Recurrence<PublicInputs, Witness> | undefined;
  witnessFromJson(json: unknown): Witness;
}

type Given = 'zeroKnowledge' | 'columnCount' | 'traceLengthMin' | 'periodicColumns';
type Derived = 'boundaryConstraints' | 'rowsNeeded' | 'execute' | 'witnessFromJson' | 'opening';

/** What is particular to one raw AIR. */
export interface RawAirDefinition<PublicInputs extends RawPublicInputs, Inputs extends object> extends Omit<
  AirDefinition<PublicInputs, RawWitness<Inputs>>,
  Given | Derived
> {
  readonly columnNames: readonly string[];
  /** Columns that hold inputs of each row, so that a row does not follow from the one before alone. */
  readonly inputColumns: readonly number[];
  /** Values of columns at row 0 and at row `rows − 1`. */
  boundary(publicInputs: PublicInputs): {
    readonly first: readonly (readonly [column: number, value: bigint])[];
    readonly last: readonly (readonly [column: number, value: bigint])[];
  };
  /** @throws WitnessError if the first row of a given trace can be no statement */
  publicInputsOf(columns: readonly ArrayLike<bigint>[], rows: number): PublicInputs;
  inputsFromJson(json: unknown): Inputs;
  /** Rows that the statement of these inputs has; undefined for all there are. @throws WitnessError */
  rowsOf(inputs: Inputs): number | undefined;
  /** Writes row 0, and the input columns. */
  begin(inputs: Inputs, columns: readonly BigUint64Array[]): void;
  /** Fills what follows from row 0 and the input columns. */
  fill(over: BaseField, columns: readonly BigUint64Array[]): void;
}

const ROWS_MIN = 2;
const ROWS_MAX = 2 ** 20;

/** Completes a raw AIR: rows, given traces, and what a generator's trace and a given one have in common. */
export function defineRawAir<PublicInputs extends RawPublicInputs, Inputs extends object>(
  definition: RawAirDefinition<PublicInputs, Inputs>,
): RawAir<PublicInputs, RawWitness<Inputs>> {
  const { columnNames } = definition;
  const columnCount = columnNames.length;
  const field = fieldOf(definition);
  const rowsOf = (witness: RawWitness<Inputs>) =>
    isRawTrace(witness) ? traceRows(witness.trace, columnNames) : definition.rowsOf(witness);
  const air = defineAir<PublicInputs, RawWitness<Inputs>>({
    ...definition,
    zeroKnowledge: 'optional',
    columnCount,
    traceLengthMin: 64,
    periodicColumns: [],

    boundaryConstraints(publicInputs, rowCount): BoundaryConstraint[] {
      const { rows } = publicInputs;
      if (rows > rowCount) {
        throw new PublicInputError('rows', `must be at most ${rowCount} in this trace, got ${rows}`);
      }
      const { first, last } = definition.boundary(publicInputs);
      return [
        ...first.map(([column, value]) => ({ column, row: 0, value })),
        ...last.map(([column, value]) => ({ column, row: rows - 1, value })),
      ];
    },

    rowsNeeded: witness => rowsOf(witness) ?? ROWS_MIN,

    execute(over, witness, rowCount) {
      const rows = rowsOf(witness) ?? rowCount;
      if (rows > rowCount) {
        throw new WitnessError('input-exceeds-trace', 'rows', `must be at most ${rowCount}, got ${rows}`, {
          max: rowCount,
          got: rows,
        });
      }
      const columns = Array.from({ length: columnCount }, () => new BigUint64Array(rowCount));
      if (isRawTrace(witness)) {
        const { trace } = witness;
        assertCanonical(trace, field);
        assertValid(air, trace, definition.publicInputsOf(trace, rows), rows);
        trace.forEach((column, c) => (columns[c][0] = column[0]));
        for (const c of definition.inputColumns) columns[c].set(trace[c].slice(0, rows - 1));
      } else {
        definition.begin(witness, columns);
      }
      definition.fill(over, columns);
      return { columns, publicInputs: definition.publicInputsOf(columns, rows) };
    },

    witnessFromJson(json): RawWitness<Inputs> {
      const { inputs, trace } = witnessRecord(json, [], ['inputs', 'trace']);
      if ((inputs === undefined) === (trace === undefined)) {
        throw new WitnessError('malformed-witness', 'witness', 'must hold either inputs or trace');
      }
      if (trace === undefined) return definition.inputsFromJson(inputs);
      return { trace: traceFromJson(trace, columnNames, field) };
    },
  });
  return {
    ...air,
    columnNames,
    recurrence: definition.inputColumns.length > 0 ? undefined : recurrenceOf(definition, rowsOf),
    witnessFromJson: air.witnessFromJson as (json: unknown) => RawWitness<Inputs>,
  };
}

function recurrenceOf<PublicInputs extends RawPublicInputs, Inputs extends object>(
  definition: RawAirDefinition<PublicInputs, Inputs>,
  rowsOf: (witness: RawWitness<Inputs>) => number | undefined,
): Recurrence<PublicInputs, RawWitness<Inputs>> {
  return {
    begin(witness, columns) {
      const rowCount = columns[0].length;
      const rows = rowsOf(witness) ?? rowCount;
      if (isRawTrace(witness) || rows > rowCount) return undefined;
      definition.begin(witness, columns);
      return rows;
    },
    publicInputsOf: (columns, rows) => definition.publicInputsOf(columns, rows),
  };
}

/** The rows of a statement, from public inputs. @throws PublicInputError */
export function rowsFromJson(json: unknown): number {
  return integerFromJson(json, 'rows', ROWS_MIN, ROWS_MAX);
}

/** The rows that a generator is asked for, absent for all there are. @throws WitnessError */
export function witnessRows(json: unknown): { rows?: number } {
  return json === undefined ? {} : { rows: witnessInteger(json, 'inputs.rows', ROWS_MIN, ROWS_MAX) };
}

/** The JSON and the transcript of public inputs that are `rows` and named elements, some of which a generator starts from. */
export function elementStatement<Start extends string, Result extends string>(
  starts: readonly Start[],
  results: readonly Result[],
  field: BaseField,
) {
  type Inputs = Record<Start, bigint> & { readonly rows?: number };
  type PublicInputs = RawPublicInputs & Record<Start | Result, bigint>;
  const names: readonly (Start | Result)[] = [...starts, ...results];
  const named = <Name extends string>(keys: readonly Name[], valueOf: (name: Name) => unknown) =>
    Object.fromEntries(keys.map(name => [name, valueOf(name)]));
  return {
    publicInputElements: (inputs: PublicInputs) => [BigInt(inputs.rows), ...names.map(name => inputs[name])],

    publicInputsFromJson(json: unknown): PublicInputs {
      const record = recordFromJson(json, ['rows', ...names]);
      const elements = named(names, name => elementFromJson(record[name], name, field));
      return { rows: rowsFromJson(record.rows), ...elements } as PublicInputs;
    },

    publicInputsToJson: (inputs: PublicInputs) => ({
      rows: inputs.rows,
      ...named(names, name => elementToJson(inputs[name], field)),
    }),

    inputsFromJson(json: unknown): Inputs {
      const record = witnessRecord(json, starts, ['rows'], 'inputs');
      const elements = named(starts, name => witnessElement(record[name], `inputs.${name}`, field));
      return { ...elements, ...witnessRows(record.rows) } as Inputs;
    },

    rowsOf: ({ rows }: Inputs) => rows,
  };
}

/** @throws WitnessError unless every named element is below p */
export function assertElements(elements: Readonly<Record<string, bigint>>, field: BaseField): void {
  for (const [name, value] of Object.entries(elements)) {
    if (value < 0n || value >= field.modulus) {
      throw new WitnessError('malformed-element', name, `must be a canonical field element, got ${value}`);
    }
  }
}

function isRawTrace(witness: object): witness is RawTrace {
  return Object.hasOwn(witness, 'trace');
}

function traceFromJson(json: unknown, columnNames: readonly string[], field: BaseField): bigint[][] {
  if (!Array.isArray(json) || json.length !== columnNames.length) {
    throw malformedTrace(
      'trace',
      `must be an array of ${columnNames.length} columns: ${columnNames.join(', ')}`,
      { max: columnNames.length },
    );
  }
  return json.map((column: unknown, c) => {
    if (!Array.isArray(column))
      throw malformedTrace(`trace.${c}`, 'must be an array of field elements', { max: 'array' });
    return column.map((element, row) => witnessElement(element, `trace.${c}.${row}`, field));
  });
}

function traceRows(trace: RawTrace['trace'], columnNames: readonly string[]): number {
  if (trace.length !== columnNames.length) {
    throw malformedTrace('trace', `must have ${columnNames.length} columns, got ${trace.length}`, {
      max: columnNames.length,
      got: trace.length,
    });
  }
  const rows = trace[0].length;
  const uneven = trace.findIndex(column => column.length !== rows);
  if (uneven >= 0) {
    throw malformedTrace(
      `trace.${uneven}`,
      `must have ${rows} rows as column 0 has, got ${trace[uneven].length}`,
      { max: rows, got: trace[uneven].length },
    );
  }
  if (rows < ROWS_MIN || rows > ROWS_MAX) {
    throw new WitnessError(
      'input-out-of-range',
      'trace',
      `must have ${ROWS_MIN} to ${ROWS_MAX} rows, got ${rows}`,
      {
        max: rows < ROWS_MIN ? ROWS_MIN : ROWS_MAX,
        got: rows,
      },
    );
  }
  return rows;
}

function assertCanonical(trace: RawTrace['trace'], field: BaseField): void {
  trace.forEach((column, c) => {
    const row = column.findIndex(value => value < 0n || value >= field.modulus);
    if (row < 0) return;
    const max = String(field.modulus - 1n);
    throw new WitnessError('malformed-element', `trace.${c}.${row}`, 'must be a canonical field element', {
      max,
    });
  });
}

function assertValid<PublicInputs>(
  air: Air<PublicInputs>,
  trace: RawTrace['trace'],
  publicInputs: PublicInputs,
  rows: number,
): void {
  const broken = checkTrace(air, trace, publicInputs, rows);
  if (!broken) return;
  const { row, constraint } = broken;
  throw new WitnessError(
    'constraint-violated',
    'trace',
    `breaks the constraint "${constraint}" at row ${row}`,
    undefined,
    broken,
  );
}

function malformedTrace(path: string, message: string, bound: WitnessBound): WitnessError {
  return new WitnessError('malformed-trace', path, message, bound);
}
