import { type BaseField, type BaseFieldName, goldilocks, m31 } from '@svc/kernels';
import type { Air } from './air.js';

const FIELDS: Readonly<Record<BaseFieldName, BaseField>> = { goldilocks, m31 };

/** The field of an AIR's trace, as arithmetic. */
export function fieldOf(air: { readonly field: BaseFieldName }): BaseField {
  return FIELDS[air.field];
}

/** Where a trace is not what its AIR demands. */
export interface BrokenConstraint {
  readonly row: number;
  /** The constraint's name, or `column 3 is fixed by the statement` for a boundary. */
  readonly constraint: string;
}

/**
 * The first row, from the top, at which a trace breaks a constraint, and the first constraint it breaks there; undefined if
 * the statement holds of it. Transition constraints are asked on every row but the last, as by a proof.
 * @param columns one array a column, each of at least `rowCount` canonical elements
 */
export function checkTrace<PublicInputs>(
  air: Air<PublicInputs>,
  columns: readonly ArrayLike<bigint>[],
  publicInputs: PublicInputs,
  rowCount: number,
): BrokenConstraint | undefined {
  const boundary = firstBrokenBoundary(air, columns, publicInputs, rowCount);
  const field = fieldOf(air);
  const lastRow = Math.min(boundary?.row ?? rowCount - 2, rowCount - 2);
  for (let row = 0; row <= lastRow; row++) {
    const values = air.evaluateTransition(field, {
      current: columns.map(column => column[row]),
      next: columns.map(column => column[row + 1]),
      periodic: air.periodicColumns.map(column => column[row % column.length]),
    });
    const index = values.findIndex(value => value !== 0n);
    if (index >= 0) return { row, constraint: air.transitionNames[index] };
  }
  return boundary;
}

function firstBrokenBoundary<PublicInputs>(
  air: Air<PublicInputs>,
  columns: readonly ArrayLike<bigint>[],
  publicInputs: PublicInputs,
  rowCount: number,
): BrokenConstraint | undefined {
  let first: BrokenConstraint | undefined;
  for (const { column, row, value } of air.boundaryConstraints(publicInputs, rowCount)) {
    if (columns[column][row] === value || (first && first.row <= row)) continue;
    first = { row, constraint: `column ${column} is fixed by the statement` };
  }
  return first;
}
