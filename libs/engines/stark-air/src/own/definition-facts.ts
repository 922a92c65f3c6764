import { fieldOf } from '../check-trace.js';
import { nodeValues, type OwnDefinition, type OwnNode } from './definition.js';
import { columnSources } from './own-trace.js';

/** What can be said of a definition without knowing what it is meant to say. None of it is a fault; each is a reason to look. */
export interface DefinitionFacts {
  readonly columns: number;
  readonly nodes: number;
  readonly constraints: number;
  readonly degree: number;
  /** Columns that follow from the row before, from others of their row, and those that the prover has to give. */
  readonly stepped: readonly string[];
  readonly local: readonly string[];
  readonly given: readonly string[];
  /** Columns of which no constraint looks at the next row: each row may hold another value. */
  readonly freeOfNext: readonly string[];
  /** Whether no cell is fixed: a proof then shows that some trace keeps the constraints, whichever it is. */
  readonly fixesNothing: boolean;
  /** Whether nothing is public but the number of rows. */
  readonly showsNothing: boolean;
  /** Whether a trace of zeros fulfils it; undefined where looking would take too long. */
  readonly zeroHolds: boolean | undefined;
}

/** Nodes times rows of the longest cycle that are looked at. */
const LOOKED_AT_MAX = 65_536;

export function definitionFacts(definition: OwnDefinition): DefinitionFacts {
  const { columns, nodes, constraints, degree, boundary, publicInputs } = definition;
  const { stepped, local, given } = columnSources(definition);
  const names = (places: Iterable<number>) => [...places].map(at => columns[at]);
  const withNext = new Set(nodes.flatMap(node => (node.op === 'next' ? [node.at] : [])));
  return {
    ...{ columns: columns.length, nodes: nodes.length, constraints: constraints.length, degree },
    ...{ stepped: names(stepped.keys()), local: names(local.keys()), given: names(given) },
    freeOfNext: columns.filter((_, at) => !withNext.has(at) && !local.has(at)),
    fixesNothing: boundary.length === 0,
    showsNothing: publicInputs.length === 0,
    zeroHolds: zeroHolds(definition),
  };
}

function zeroHolds(definition: OwnDefinition): boolean | undefined {
  const { nodes, cycles, boundary, columns, publicInputs, constraints } = definition;
  const fixesZero = boundary.every(({ value }) => 'publicInput' in value || value.constant === 0n);
  if (!fixesZero) return false;
  const rows = Math.max(1, ...cycles.map(({ values }) => values.length));
  if (rows * nodes.length > LOOKED_AT_MAX) return undefined;
  const field = fieldOf(definition);
  const zeros = columns.map(() => 0n);
  // A public input may be anything; those that a cell of zeros is fixed to are 0 then.
  const fixed = new Set(boundary.flatMap(({ value }) => ('publicInput' in value ? [value.publicInput] : [])));
  const inputs = publicInputs.map((_, at) => (fixed.has(at) ? 0n : 1_000_003n + BigInt(at)));
  for (let row = 0; row < rows; row++) {
    const periodic = cycles.map(({ values }) => values[row % values.length]);
    const values = nodeValues(field, definition, {
      ...{ current: zeros, next: zeros, periodic, publicInputs: inputs },
    });
    if (constraints.some(({ node }) => values[node] !== 0n)) return false;
  }
  return true;
}

const SIGNS = { add: '+', sub: '−', mul: '·' } as const;

/**
 * The constraints for people, a line each: `sum: next b − (a + b) = 0`. What is used more than once has a line of its own before them, so that
 * the lines are no longer than the definition.
 */
export function definitionLines(definition: OwnDefinition): string[] {
  const { nodes, constraints } = definition;
  const uses = new Array<number>(nodes.length).fill(0);
  for (const node of nodes) {
    if (!('left' in node)) continue;
    uses[node.left]++;
    uses[node.right]++;
  }
  for (const { node } of constraints) uses[node]++;
  const terms: { readonly text: string; readonly isSum: boolean }[] = [];
  const lines: string[] = [];
  nodes.forEach((node, at) => {
    const text = 'left' in node ? operationText(node, terms) : leafText(definition, node);
    const isShared = 'left' in node && (uses[at] > 1 || text.length > LINE_CHARS_MAX);
    if (isShared) lines.push(`t${at} = ${text}`);
    const isSum = node.op === 'add' || node.op === 'sub';
    terms.push(isShared ? { text: `t${at}`, isSum: false } : { text, isSum });
  });
  return [...lines, ...constraints.map(({ name, node }) => `${name}: ${terms[node].text} = 0`)];
}

/** Longer expressions get a line of their own, so that none is repeated in ever longer ones. */
const LINE_CHARS_MAX = 200;

type Operation = Extract<OwnNode, { left: number }>;

function operationText(
  { op, left, right }: Operation,
  terms: readonly { readonly text: string; readonly isSum: boolean }[],
): string {
  const [one, other] = [terms[left], terms[right]];
  const bracketed = ({ text, isSum }: typeof one, when: boolean) => (isSum && when ? `(${text})` : text);
  return `${bracketed(one, op === 'mul')} ${SIGNS[op]} ${bracketed(other, op !== 'add')}`;
}

function leafText(
  { columns, cycles, publicInputs }: OwnDefinition,
  node: Exclude<OwnNode, Operation>,
): string {
  switch (node.op) {
    case 'cur':
      return columns[node.at];
    case 'next':
      return `next ${columns[node.at]}`;
    case 'periodic':
      return `cycle ${cycles[node.at].name}`;
    case 'public':
      return `public ${publicInputs[node.at]}`;
    case 'const':
      return String(node.value);
  }
}
