import { type BaseField, type Field, goldilocks, m31 } from '@svc/kernels';
import type { Air } from '@svc/stark-air';

const OPERATIONS = { add: 0, sub: 1, mul: 2 } as const;
type Operation = keyof typeof OPERATIONS;

/** Words of one instruction: operation, target, left, right. */
export const INSTRUCTION_WORDS = 4;

/**
 * An AIR's transition constraints as a straight-line program for the kernel `evaluateConstraints`. Registers are numbered
 * current row, next row, periodic columns, constants, working registers; the constraints' values end up in the last ones.
 */
export interface ConstraintProgram {
  readonly instructions: Uint32Array;
  readonly constants: readonly bigint[];
  readonly workingRegisterCount: number;
}

/**
 * Compiles the constraints by running them once over symbols. Equal subexpressions are computed once, unused ones not at
 * all, and registers are given back after their last use, so that the working set stays in the innermost cache.
 */
export function compileConstraints(air: Air): ConstraintProgram {
  const graph = new ExpressionGraph(air.field === 'm31' ? m31 : goldilocks);
  const { columnCount, periodicColumns } = air;
  const inputs = (count: number) => Array.from({ length: count }, () => graph.input());
  const frame = {
    current: inputs(columnCount),
    next: inputs(columnCount),
    periodic: inputs(periodicColumns.length),
  };
  const results = air.evaluateTransition<number>(graph, frame);
  return new ProgramWriter(graph, results).write();
}

/**
 * Compiles the step of an AIR whose every constraint says that a column's next value is some function of the current row:
 * its results are the next row, column after column. Undefined for other AIRs.
 */
export function compileRecurrence(air: Air): ConstraintProgram | undefined {
  const { columnCount, periodicColumns, transitionNames } = air;
  if (periodicColumns.length > 0 || transitionNames.length !== columnCount) return undefined;
  const graph = new ExpressionGraph(air.field === 'm31' ? m31 : goldilocks);
  const inputs = () => Array.from({ length: columnCount }, () => graph.input());
  const [current, next] = [inputs(), inputs()];
  const steps = new Map<number, number>();
  for (const constraint of air.evaluateTransition<number>(graph, { current, next, periodic: [] })) {
    const expression = graph.expressions[constraint];
    if (expression.kind !== 'sub') return undefined;
    const column = next.indexOf(expression.left);
    if (column < 0 || graph.dependsOn(expression.right, next)) return undefined;
    steps.set(column, expression.right);
  }
  if (steps.size !== columnCount) return undefined;
  return new ProgramWriter(
    graph,
    current.map((_, column) => steps.get(column) as number),
  ).write();
}

type Expression =
  | { readonly kind: 'input' }
  | { readonly kind: 'constant'; readonly value: bigint }
  | { readonly kind: Operation; readonly left: number; readonly right: number };

/** A field whose elements are indices of expressions; equal expressions have equal indices. */
class ExpressionGraph implements Field<number> {
  readonly expressions: Expression[] = [];
  private readonly known = new Map<string, number>();
  readonly zero = this.fromBase(0n);
  readonly one = this.fromBase(1n);

  /** @param base the field that constants are folded in */
  constructor(private readonly base: BaseField) {}

  input(): number {
    return this.expressions.push({ kind: 'input' }) - 1;
  }

  fromBase(value: bigint): number {
    return this.intern(`constant ${value}`, { kind: 'constant', value });
  }

  add(a: number, b: number): number {
    if (a === this.zero) return b;
    if (b === this.zero) return a;
    return this.combine('add', Math.min(a, b), Math.max(a, b));
  }

  sub(a: number, b: number): number {
    if (b === this.zero) return a;
    return this.combine('sub', a, b);
  }

  mul(a: number, b: number): number {
    if (a === this.one) return b;
    if (b === this.one) return a;
    if (a === this.zero || b === this.zero) return this.zero;
    return this.combine('mul', Math.min(a, b), Math.max(a, b));
  }

  scale(a: number, c: bigint): number {
    return this.mul(a, this.fromBase(c));
  }

  equals(a: number, b: number): boolean {
    return a === b;
  }

  inverse(a: number): number {
    return this.fromBase(this.base.inverse(this.constantOf(a, 'the inverse')));
  }

  dependsOn(index: number, inputs: readonly number[]): boolean {
    const expression = this.expressions[index];
    if (!('left' in expression)) return inputs.includes(index);
    return this.dependsOn(expression.left, inputs) || this.dependsOn(expression.right, inputs);
  }

  private combine(kind: Operation, left: number, right: number): number {
    const [a, b] = [this.expressions[left], this.expressions[right]];
    if (a.kind === 'constant' && b.kind === 'constant')
      return this.fromBase(this.base[kind](a.value, b.value));
    return this.intern(`${kind} ${left} ${right}`, { kind, left, right });
  }

  private constantOf(index: number, what: string): bigint {
    const expression = this.expressions[index];
    if (expression.kind !== 'constant') throw new TypeError(`${what} of a column is not a polynomial`);
    return expression.value;
  }

  private intern(key: string, expression: Expression): number {
    let index = this.known.get(key);
    if (index === undefined) {
      index = this.expressions.push(expression) - 1;
      this.known.set(key, index);
    }
    return index;
  }
}

/** Orders the needed expressions and assigns registers. */
class ProgramWriter {
  private readonly lastUse = new Map<number, number>();
  private readonly register = new Map<number, number>();
  private readonly constants: bigint[] = [];
  private readonly words: number[] = [];
  private readonly free: number[] = [];
  private firstWorking = 0;
  private temporaryCount = 0;

  constructor(
    private readonly graph: ExpressionGraph,
    private readonly results: readonly number[],
  ) {}

  write(): ConstraintProgram {
    const needed = this.findNeeded();
    this.assignFixedRegisters(needed);
    const resultIndex = new Map<number, number>();
    this.results.forEach((expression, i) => {
      if (!resultIndex.has(expression)) resultIndex.set(expression, i);
    });
    // Result registers follow the temporaries, whose number is known only at the end: they are marked by −1 − i until then.
    for (const index of needed) this.emit(index, resultIndex.get(index));
    this.results.forEach((expression, i) => {
      if (resultIndex.get(expression) === i && this.isOperation(expression)) return;
      this.words.push(OPERATIONS.add, -1 - i, this.registerOf(expression), this.registerOf(this.graph.zero));
    });
    const firstResult = this.firstWorking + this.temporaryCount;
    const words = this.words.map(word => (word < 0 ? firstResult - 1 - word : word));
    return {
      instructions: Uint32Array.from(words),
      constants: this.constants,
      workingRegisterCount: this.temporaryCount + this.results.length,
    };
  }

  /** Expressions the results depend on, operands first; notes each one's last user. */
  private findNeeded(): number[] {
    const needed = new Set(this.results);
    for (let index = this.graph.expressions.length - 1; index >= 0; index--) {
      const expression = this.graph.expressions[index];
      if (!needed.has(index) || !('left' in expression)) continue;
      for (const operand of [expression.left, expression.right]) {
        needed.add(operand);
        if (!this.lastUse.has(operand)) this.lastUse.set(operand, index);
      }
    }
    return [...needed].sort((a, b) => a - b);
  }

  private assignFixedRegisters(needed: readonly number[]): void {
    let inputCount = 0;
    this.graph.expressions.forEach((expression, index) => {
      if (expression.kind === 'input') this.register.set(index, inputCount++);
    });
    for (const index of new Set([...needed, this.graph.zero])) {
      const expression = this.graph.expressions[index];
      if (expression.kind !== 'constant') continue;
      this.register.set(index, inputCount + this.constants.length);
      this.constants.push(expression.value);
    }
    this.firstWorking = inputCount + this.constants.length;
  }

  private emit(index: number, result: number | undefined): void {
    const expression = this.graph.expressions[index];
    if (!('left' in expression)) return;
    const { kind, left, right } = expression;
    const operands = [this.registerOf(left), this.registerOf(right)];
    // The kernel reads a lane of both operands before it writes that lane, so a target may reuse an operand's register.
    for (const operand of new Set([left, right])) this.giveBack(operand, index);
    const target = result === undefined ? this.takeTemporary() : -1 - result;
    this.register.set(index, target);
    this.words.push(OPERATIONS[kind], target, ...operands);
  }

  private takeTemporary(): number {
    return this.free.pop() ?? this.firstWorking + this.temporaryCount++;
  }

  private giveBack(operand: number, user: number): void {
    const register = this.registerOf(operand);
    const isTemporary = register >= this.firstWorking;
    if (isTemporary && this.lastUse.get(operand) === user) this.free.push(register);
  }

  private isOperation(index: number): boolean {
    return 'left' in this.graph.expressions[index];
  }

  private registerOf(index: number): number {
    const register = this.register.get(index);
    if (register === undefined) throw new Error(`expression ${index} is used before it is computed`);
    return register;
  }
}
