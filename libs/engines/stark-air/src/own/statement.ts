import type { BaseFieldName } from '@svc/kernels';
import { fieldOf } from '../check-trace.js';
import { DEFINITION_BOUNDS, type OwnDefinition, readDefinition } from './definition.js';
import { canonicalText } from './strict-json.js';

/** What stands where a term may: a number is a constant, of the field, so that −1 is p − 1. */
export type Operand = Term | bigint | number;

/** A place in a row of which the statement speaks. */
type CellValue = PublicTerm | bigint | number;

/** A polynomial in cells of two neighbouring rows, as nodes of its statement. Immutable. */
export class Term {
  constructor(
    readonly statement: Statement,
    /** Its node among those of the statement. */
    readonly node: number,
    /** Its degree in columns and cycles. */
    readonly degree: number,
  ) {}

  add(other: Operand): Term {
    return this.statement.combine('add', this, other);
  }

  sub(other: Operand): Term {
    return this.statement.combine('sub', this, other);
  }

  /** @throws RangeError above degree 3: {@link Statement.let} puts a factor into a column of its own */
  mul(other: Operand): Term {
    return this.statement.combine('mul', this, other);
  }
}

/** A column: as a term it is its cell in the current row. */
export class ColumnTerm extends Term {
  constructor(
    statement: Statement,
    readonly name: string,
    node: number,
  ) {
    super(statement, node, 1);
  }

  /** Its cell in the next row. */
  get next(): Term {
    return this.statement.leaf('next', this.name, 1);
  }
}

/** A value that the statement shows. */
export class PublicTerm extends Term {
  constructor(
    statement: Statement,
    readonly name: string,
    node: number,
  ) {
    super(statement, node, 0);
  }
}

/**
 * Writes a definition: columns, what holds between rows, and what is public. Equal terms are one node, and those that nothing needs are
 * left out, so that one program has one definition, and one id.
 *
 * @example
 * const s = statement('goldilocks');
 * const [a, b] = [s.column('a'), s.column('b')];
 * s.require('shift', a.next.sub(b));
 * s.require('sum', b.next.sub(a.add(b)));
 * s.first(a, s.public('first'));
 * s.last(b, s.public('result'));
 * console.log(s.id, s.json());
 */
export class Statement {
  private readonly columns: string[] = [];
  private readonly publicInputs: string[] = [];
  private readonly cycles: { readonly name: string; readonly values: readonly string[] }[] = [];
  private readonly nodes: (readonly (string | number)[])[] = [];
  private readonly places = new Map<string, number>();
  private readonly constraints: { readonly name: string; readonly node: number }[] = [];
  private readonly cells: {
    readonly column: string;
    readonly row: number | 'last';
    readonly value: string[];
  }[] = [];

  constructor(readonly field: BaseFieldName) {}

  column(name: string): ColumnTerm {
    this.columns.push(name);
    return new ColumnTerm(this, name, this.place('cur', name));
  }

  public(name: string): PublicTerm {
    this.publicInputs.push(name);
    return new PublicTerm(this, name, this.place('public', name));
  }

  /** Values that repeat, row by row: a power of two of them. */
  cycle(name: string, values: readonly (bigint | number)[]): Term {
    this.cycles.push({ name, values: values.map(value => this.element(value)) });
    return this.leaf('periodic', name, 1);
  }

  constant(value: bigint | number): Term {
    return this.leaf('const', this.element(value), 0);
  }

  /** Demands that a term is zero in every row. @throws RangeError for one of another statement */
  require(name: string, term: Term): void {
    if (term.statement !== this) throw new RangeError(`${name} is a term of another statement`);
    this.constraints.push({ name, node: term.node });
  }

  /** A column that has a term's value in every row: a product of it has degree 1 less for each. @throws RangeError where it looks at the next row */
  let(name: string, term: Term): ColumnTerm {
    const column = this.column(name);
    this.require(name, column.sub(term));
    return column;
  }

  /** Fixes a column in row 0. */
  first(column: ColumnTerm, value: CellValue): void {
    this.at(column, 0, value);
  }

  /** Fixes a column in the last row that the statement speaks of. */
  last(column: ColumnTerm, value: CellValue): void {
    this.at(column, 'last', value);
  }

  /** Fixes a column in one of the first rows, or the last. @throws TypeError for a term that is no column */
  at(column: ColumnTerm, row: number | 'last', value: CellValue): void {
    if (!(column instanceof ColumnTerm))
      throw new TypeError('a cell is of a column, and this is none: `s.let(name, term)` makes a term one');
    const { name } = column;
    const said = value instanceof PublicTerm ? ['public', value.name] : ['const', this.element(value)];
    this.cells.push({ column: name, row, value: said });
  }

  /** The one text of the definition. @throws DefinitionError for one that is none, by the code of what it lacks */
  json(): string {
    return this.definition().canonical;
  }

  /** Its name, `air/sha256:` and 64 digits. @throws DefinitionError as {@link json} */
  get id(): string {
    return this.definition().id;
  }

  definition(): OwnDefinition {
    const needed = this.needed();
    const at = new Map(needed.map((node, place) => [node, place]));
    const place = (operand: string | number) => (typeof operand === 'number' ? at.get(operand)! : operand);
    return readDefinition(
      canonicalText({
        ...{ format: 'air/1', field: this.field, columns: this.columns, public: this.publicInputs },
        periodic: this.cycles,
        nodes: needed.map(node => this.nodes[node].map(place)),
        constraints: this.constraints.map(({ name, node }) => ({ name, node: at.get(node)! })),
        boundary: this.cells,
      }),
    );
  }

  /** A leaf by its name, for terms. */
  leaf(op: 'cur' | 'next' | 'periodic' | 'public' | 'const', name: string, degree: number): Term {
    return new Term(this, this.place(op, name), degree);
  }

  /** Two terms as one, for terms. @throws RangeError above degree 3, and for a term of another statement */
  combine(op: 'add' | 'sub' | 'mul', left: Term, right: Operand): Term {
    const other = right instanceof Term ? right : this.constant(right);
    if (left.statement !== this || other.statement !== this) {
      throw new RangeError('two terms are of different statements');
    }
    const degree = op === 'mul' ? left.degree + other.degree : Math.max(left.degree, other.degree);
    if (degree > DEFINITION_BOUNDS.degree) {
      const advice = 'let() puts a factor into a column of its own';
      throw new RangeError(
        `the product has degree ${degree}, at most ${DEFINITION_BOUNDS.degree}: ${advice}`,
      );
    }
    return new Term(this, this.place(op, left.node, other.node), degree);
  }

  private place(...node: readonly (string | number)[]): number {
    const text = node.join(' ');
    const known = this.places.get(text);
    if (known !== undefined) return known;
    this.places.set(text, this.nodes.length);
    return this.nodes.push(node) - 1;
  }

  /** The nodes that constraints need, operands first. */
  private needed(): number[] {
    const needed = new Set(this.constraints.map(({ node }) => node));
    for (let node = this.nodes.length - 1; node >= 0; node--) {
      if (!needed.has(node)) continue;
      for (const operand of this.nodes[node]) if (typeof operand === 'number') needed.add(operand);
    }
    return [...needed].sort((one, other) => one - other);
  }

  private element(value: bigint | number): string {
    const { modulus } = fieldOf({ field: this.field });
    return String(((BigInt(value) % modulus) + modulus) % modulus);
  }
}

/** A definition that is written step by step: see {@link Statement}. */
export const statement = (field: BaseFieldName): Statement => new Statement(field);

/** Terms added up. */
export const sum = (terms: readonly Term[]): Term => terms.reduce((all, term) => all.add(term));

/** One of two terms, by a bit. */
export const select = (bit: Term, one: Term, other: Term): Term => other.add(bit.mul(one.sub(other)));

/** A number of so many bits, hidden: a column and a constraint for each bit. @param name of it; its bits are `name_0`, the least, and on */
export function bits(
  s: Statement,
  name: string,
  count: number,
): Term & { readonly bits: readonly ColumnTerm[] } {
  const list = Array.from({ length: count }, (_, i) => bit(s, `${name}_${i}`));
  const value = sum(list.map((each, i) => each.mul(2n ** BigInt(i))));
  return Object.assign(value, { bits: list });
}

/** A column that holds 0 or 1. */
export function bit(s: Statement, name: string): ColumnTerm {
  const column = s.column(name);
  s.require(name, column.mul(column.sub(1)));
  return column;
}

/** A bit that is 1 up to some row and 0 ever after, where a statement ends before its trace does. */
export function flag(s: Statement, name: string): ColumnTerm {
  const column = bit(s, name);
  s.require(`${name}_stays_off`, column.next.mul(column.sub(1)));
  return column;
}

/** A column that begins at a value and adds a term in every row. */
export function accumulate(s: Statement, name: string, term: Term, first: CellValue = 0n): ColumnTerm {
  const column = s.column(name);
  s.require(name, column.next.sub(column.add(term)));
  s.first(column, first);
  return column;
}
