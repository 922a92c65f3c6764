import { hexToBytes } from '@noble/hashes/utils.js';
import { type Field } from '@svc/kernels';
import type { Air, BoundaryConstraint, TransitionFrame } from '../air.js';
import { fieldOf } from '../check-trace.js';
import { defineAir } from '../define-air.js';
import {
  elementFromJson,
  elementToJson,
  integerFromJson,
  PublicInputError,
  recordFromJson,
} from '../public-input.js';
import { nodeValues, type OwnDefinition } from './definition.js';
import {
  makeOwnTrace,
  type NamedElements,
  type OwnStatement,
  type OwnTrace,
  ownMembers,
  ROWS_MIN,
} from './own-trace.js';

/** Longer traces than the format has rows for. */
const ROWS_MAX = 2 ** 20;
/** What every answer and verdict says of a proof under a definition. */
export const OWN_DOES_NOT_PROVE =
  'The proof shows that a trace exists which fulfils the published constraints and values. It does not show that they mean what their names say, nor where hidden values come from.';
/** Every id of a definition begins so, and no other does. */
const OWN_ID = /^air\//;

/** What a statement under a definition says: of how many rows, and the public inputs by name. */
export interface OwnPublicInputs {
  readonly rows: number;
  readonly values: NamedElements;
}

/** A trace that was made before, of as many rows as a proof has for it. */
export interface MadeOwnTrace extends OwnTrace {
  /** Rows that the statement speaks of. */
  readonly rows: number;
}

/** Whether an id is of a definition, which no registry knows. */
export const isOwnAirId = (id: string): boolean => OWN_ID.test(id);

/**
 * The AIR of a definition, for one statement: what its constraints take of the public inputs are constants of it.
 *
 * Soundness: the transcript holds the id, a digest of the definition, rows and public inputs before any challenge is drawn, so that neither
 * constants nor constraints can be chosen after one.
 *
 * @param known those that constraints use; others may be left to the trace
 */
export function ownAir(
  definition: OwnDefinition,
  known: NamedElements,
): Air<OwnPublicInputs, OwnStatement | MadeOwnTrace> {
  const { field: name, columns, constraints, boundary, cycles, nodes } = definition;
  const field = fieldOf({ field: name });
  const constants = ownMembers(known);
  const publicInputs = definition.publicInputs.map(each => constants[each] ?? 0n);
  const operations = nodes.filter(node => 'left' in node);
  return defineAir<OwnPublicInputs, OwnStatement | MadeOwnTrace>({
    id: definition.id,
    definitionDigest: hexToBytes(definition.id.slice('air/sha256:'.length)),
    field: name,
    zeroKnowledge: 'optional',
    doesNotProve: OWN_DOES_NOT_PROVE,
    columnCount: columns.length,
    constraintDegree: definition.degree,
    boundaryRowCount: new Set(boundary.map(({ row }) => row)).size,
    transitionNames: constraints.map(({ name: each }) => each),
    traceLengthMin: Math.max(64, ...cycles.map(({ values }) => values.length)),
    periodicColumns: cycles.map(({ values }) => values),

    evaluateTransition<E>(over: Field<E>, frame: TransitionFrame<E>): E[] {
      const inputs = publicInputs.map(value => over.fromBase(value));
      const values = nodeValues(over, definition, { ...frame, publicInputs: inputs });
      return constraints.map(({ node }) => values[node]);
    },

    boundaryConstraints({ rows, values }, rowCount): BoundaryConstraint[] {
      const least = ownRowsMin(definition);
      // One row more than the statement: without it a constraint of a single row would not be asked on the last of them.
      if (rows < least || rows >= rowCount) {
        throw new PublicInputError(
          'rows',
          `must be from ${least} to ${rowCount - 1} in this trace, got ${rows}`,
        );
      }
      return fixedCells(definition, { rows, values });
    },

    publicInputElements: ({ rows, values }) => {
      const own = ownMembers(values);
      return [BigInt(rows), ...definition.publicInputs.map(each => own[each])];
    },
    publicInputsFromJson: json => ownPublicInputsFromJson(definition, json),
    publicInputsToJson: ({ rows, values }) => {
      const own = ownMembers(values);
      const list = definition.publicInputs.map(each => [each, elementToJson(own[each], field)]);
      return { rows, ...(Object.fromEntries(list) as object) };
    },

    rowsNeeded: ({ rows }) => rows + 1,
    execute: (_over, statement, rowCount) => {
      const given = { ...constants, ...statement.publicInputs };
      const made =
        'columns' in statement
          ? statement
          : makeOwnTrace(definition, { ...statement, publicInputs: given }, rowCount);
      return { columns: made.columns, publicInputs: { rows: statement.rows, values: made.publicInputs } };
    },
    executionOperations: rowCount => ({
      additions: rowCount * operations.filter(({ op }) => op !== 'mul').length,
      multiplications: rowCount * operations.filter(({ op }) => op === 'mul').length,
    }),
  });
}

function fixedCells({ boundary, publicInputs }: OwnDefinition, { rows, values }: OwnPublicInputs) {
  const own = ownMembers(values);
  return boundary.map(({ column, row, value }) => ({
    column,
    row: row === 'last' ? rows - 1 : row,
    value: 'constant' in value ? value.constant : own[publicInputs[value.publicInput]],
  }));
}

/** Rows that a statement has at least: one more than the last that a boundary fixes. */
export const ownRowsMin = ({ boundary }: OwnDefinition): number =>
  Math.max(ROWS_MIN, ...boundary.map(({ row }) => (row === 'last' ? 0 : row + 1)));

/** Reads the public inputs of a statement: `rows`, and each by its name. @throws PublicInputError */
export function ownPublicInputsFromJson(definition: OwnDefinition, json: unknown): OwnPublicInputs {
  const { publicInputs } = definition;
  const field = fieldOf(definition);
  const record = recordFromJson(json, ['rows', ...publicInputs]);
  const values = publicInputs.map(name => [name, elementFromJson(record[name], name, field)] as const);
  return {
    rows: integerFromJson(record['rows'], 'rows', ROWS_MIN, ROWS_MAX),
    values: Object.fromEntries(values),
  };
}
