import { columnSources, nodesOfRow, type OwnDefinition, type OwnHint } from '@svc/stark-air';
import { type ProofParameters, proofGeometry } from '@svc/stark-verifier';
import { compositionCosetCount } from '../wasm/composition.js';

/**
 * What the largest proof of a definition that is sold by the call may take: as long as the default proof of a hash chain, 0.3 s. A unit is
 * 10 ns, on the two cores that it was measured on (`bench stark --only own`).
 */
export const OWN_UNITS_MAX = 30_000_000;

/** Rows that what is committed to takes as if they were extended, beside those of its extension: it is evaluated outside the domain, too. */
const BESIDE_EXTENSION = 2;
/**
 * In units: what does not grow with the proof, beside the work that is ground; a cell of a column's extension, and of the composition's; an
 * operation of a constraint at a point of a coset; one at a row that is checked; a node at a row that is made; a row; a row of masks.
 * Machines differ in how fast JavaScript is beside kernels: at 6.5 units for what is made, definitions of 2,048 operations took 0.72 to 1.07
 * times a unit of the others, on three machines. 5.4 lies between.
 */
const TAKES = {
  goldilocks: {
    fixed: 550_000,
    column: 0.62,
    composition: 1.3,
    operation: 0.28,
    checked: 0.55,
    made: 5.4,
    row: 0,
    mask: 100,
  },
  // The kernels have no check over M31: it runs in JavaScript, as the making of all traces does.
  m31: {
    fixed: 500_000,
    column: 0.3,
    composition: 0.47,
    operation: 0.1,
    checked: 2.6,
    made: 4.1,
    row: 12,
    mask: 290,
  },
} as const;

/** What one row of a trace takes beside the constraints that it is checked by. */
export interface OwnRowWork {
  /** Nodes that are evaluated for it. */
  readonly nodes: number;
  /** Units of its hints. */
  readonly hints: number;
}

/** In units: a bits hint and each of its bits; an inverse of a column that is sent, and of one that follows from others. */
const HINT = { bits: 25, bit: 2, sentInverse: 70, inverse: 1_600 } as const;

/** What a row takes; that of a definition that was made for it takes a tenth of a second to find. */
export function ownRowWork(definition: OwnDefinition, hints: readonly OwnHint[] = []): OwnRowWork {
  const { stepped, local } = columnSources(definition);
  const follows = (name: string) => {
    const at = definition.columns.indexOf(name);
    return (
      stepped.has(at) || local.has(at) || hints.some(hint => 'bits' in hint && hint.bits.into.includes(name))
    );
  };
  const unitsOf = (hint: OwnHint) =>
    'bits' in hint
      ? HINT.bits + HINT.bit * hint.bits.into.length
      : follows(hint.inverse.of)
        ? HINT.inverse
        : HINT.sentInverse;
  return { nodes: nodesOfRow(definition), hints: hints.reduce((sum, hint) => sum + unitsOf(hint), 0) };
}

/**
 * What a proof of a definition takes, in {@link OWN_UNITS_MAX units}: the extension of its columns, its constraints on the cosets that their
 * quotient is taken from, the making and checking of its trace, and the work that is ground.
 */
export function ownProofUnits(
  definition: OwnDefinition,
  parameters: ProofParameters,
  work: OwnRowWork = ownRowWork(definition),
): number {
  const { columns, nodes, constraints, field, degree: constraintDegree } = definition;
  const { traceLength, blowupFactor, grindingBits } = parameters;
  const columnCount = columns.length;
  const geometry = proofGeometry(parameters, { columnCount, constraintDegree });
  const { rowCount, compositionColumnCount, profile } = geometry;
  const { fixed, column, composition, operation, checked, made, row, mask } = TAKES[field];
  const cell = columnCount * column + compositionColumnCount * profile.extension.degree * composition;
  const operations = nodes.filter(node => 'left' in node).length + 2 * constraints.length;
  const cosets = compositionCosetCount({ constraintDegree }, geometry);
  return Math.ceil(
    fixed +
      mask * (traceLength - rowCount) +
      2 ** grindingBits +
      traceLength * ((blowupFactor + BESIDE_EXTENSION) * cell + row + cosets * operations * operation) +
      rowCount * (operations * checked + work.nodes * made + work.hints),
  );
}
