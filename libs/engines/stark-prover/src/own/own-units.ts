import { nodesOfRow, type OwnDefinition } from '@svc/stark-air';
import { type ProofParameters, proofGeometry } from '@svc/stark-verifier';
import { compositionCosetCount } from '../wasm/composition.js';

/**
 * What the largest proof of a definition that is sold by the call may take: the default proof of a hash chain takes about as long.
 * A unit is the work of one cell of a low-degree extension, 33 ns on two slow cores.
 */
export const OWN_UNITS_MAX = 20_000_000;

/** Columns of chunks, DEEP quotient and FRI beside the trace's, about. */
const FURTHER_COLUMNS = 8;
/** An operation of a constraint at a point of a coset, in cells. */
const OPERATION_CELLS = 1 / 18;
/** A node at a row of the trace as it is made, in cells. */
const MADE_NODE_CELLS = 2;
/** An operation at a row of the trace as it is checked, in cells: the kernels have no check over M31. */
const CHECKED_CELLS = { goldilocks: 1 / 9, m31: 1 };

/**
 * What a proof of a definition takes, in {@link OWN_UNITS_MAX units}: the extension of its columns, its constraints on the cosets that their
 * quotient is taken from, and the making and checking of its trace.
 */
export function ownProofUnits(definition: OwnDefinition, parameters: ProofParameters): number {
  const { columns, nodes, constraints, field, degree: constraintDegree } = definition;
  const { traceLength, blowupFactor } = parameters;
  const columnCount = columns.length;
  const geometry = proofGeometry(parameters, { columnCount, constraintDegree });
  const cosets = compositionCosetCount({ constraintDegree }, geometry);
  const operations = nodes.filter(node => 'left' in node).length + 2 * constraints.length;
  const extension = traceLength * blowupFactor * (columnCount + FURTHER_COLUMNS);
  const composition = traceLength * cosets * operations * OPERATION_CELLS;
  const making = nodesOfRow(definition) * MADE_NODE_CELLS + operations * CHECKED_CELLS[field];
  return Math.ceil(extension + composition + geometry.rowCount * making);
}
