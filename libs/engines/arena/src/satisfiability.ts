import type { RandomSource } from './random-source.js';

/** A disjunction: variable v as v, its negation as −v, numbered from 1. */
export type Clause = readonly number[];

export interface SatProblem {
  readonly variables: number;
  readonly clauses: readonly Clause[];
}

const VARIABLES = [5, 9, 14, 20, 30, 42, 56, 72, 88, 104];
const LITERALS = 3;
/** Clauses to a variable: hard formulas lie about 4.27, where half of them have an answer. */
const DENSITY = 4.2;

/**
 * A formula with three literals a clause, drawn evenly from those that can be satisfied: drawn at random just below the
 * threshold, and again until the solver finds an answer. Nothing is planted that would help to find it.
 */
export function drawSat(level: number, random: RandomSource): SatProblem {
  const variables = VARIABLES[level - 1];
  const count = Math.round(DENSITY * variables);
  for (;;) {
    const clauses = Array.from({ length: count }, () => drawClause(variables, random));
    if (satisfy({ variables, clauses }) !== undefined) return { variables, clauses };
  }
}

function drawClause(variables: number, random: RandomSource): number[] {
  const chosen = new Set<number>();
  while (chosen.size < LITERALS) chosen.add(random.between(1, variables));
  return [...chosen].map(variable => (random.below(2) === 0 ? variable : -variable));
}

/** How many clauses an assignment, `0` or `1` for each variable in order, satisfies. */
export function satisfiedClauses({ clauses }: SatProblem, assignment: string): number {
  const holds = (literal: number) => (assignment[Math.abs(literal) - 1] === '1') === literal > 0;
  return clauses.filter(clause => clause.some(holds)).length;
}

/** An assignment that satisfies every clause; undefined where there is none, which is certain then. */
export function satisfy(problem: SatProblem): string | undefined {
  return new Dpll(problem).solve();
}

/** Davis, Putnam, Logemann and Loveland's search: unit propagation, and branches on the literal of most short clauses. */
class Dpll {
  /** 0 unset, 1 true, −1 false; by variable, from 1. */
  private readonly value: Int8Array;
  /** Clauses of each literal: 2v for v, 2v + 1 for −v. */
  private readonly occurrences: number[][];
  private readonly trueCount: Int32Array;
  private readonly unsetCount: Int32Array;
  private readonly trail: number[] = [];

  constructor(private readonly problem: SatProblem) {
    const { variables, clauses } = problem;
    this.value = new Int8Array(variables + 1);
    this.occurrences = Array.from({ length: 2 * variables + 2 }, () => []);
    this.trueCount = new Int32Array(clauses.length);
    this.unsetCount = Int32Array.from(clauses, clause => clause.length);
    clauses.forEach((clause, c) => clause.forEach(literal => this.occurrences[slotOf(literal)].push(c)));
  }

  solve(): string | undefined {
    const units = this.problem.clauses.filter(({ length }) => length === 1).map(([literal]) => literal);
    if (this.problem.clauses.some(({ length }) => length === 0)) return undefined;
    if (!this.assignAll(units) || !this.search()) return undefined;
    return Array.from(this.value.subarray(1), value => (value === 1 ? '1' : '0')).join('');
  }

  private search(): boolean {
    const literal = this.branchLiteral();
    if (literal === undefined) return true;
    const mark = this.trail.length;
    for (const tried of [literal, -literal]) {
      if (this.assignAll([tried]) && this.search()) return true;
      this.undo(mark);
    }
    return false;
  }

  /** Sets literals and all that follow from them; false where that contradicts itself. */
  private assignAll(literals: readonly number[]): boolean {
    const queue = [...literals];
    for (let literal = queue.pop(); literal !== undefined; literal = queue.pop()) {
      const wanted = literal > 0 ? 1 : -1;
      const now = this.value[Math.abs(literal)];
      if (now === wanted) continue;
      if (now !== 0) return false;
      this.set(literal);
      for (const c of this.occurrences[slotOf(-literal)]) {
        if (this.trueCount[c] > 0) continue;
        if (this.unsetCount[c] === 0) return false;
        if (this.unsetCount[c] === 1) queue.push(this.unsetLiteral(c));
      }
    }
    return true;
  }

  private set(literal: number): void {
    this.value[Math.abs(literal)] = literal > 0 ? 1 : -1;
    this.trail.push(literal);
    this.count(literal, 1);
  }

  private undo(mark: number): void {
    while (this.trail.length > mark) {
      const literal = this.trail.pop()!;
      this.count(literal, -1);
      this.value[Math.abs(literal)] = 0;
    }
  }

  private count(literal: number, step: 1 | -1): void {
    for (const c of this.occurrences[slotOf(literal)]) {
      this.trueCount[c] += step;
      this.unsetCount[c] -= step;
    }
    for (const c of this.occurrences[slotOf(-literal)]) this.unsetCount[c] -= step;
  }

  private unsetLiteral(c: number): number {
    return this.problem.clauses[c].find(literal => this.value[Math.abs(literal)] === 0)!;
  }

  /** The unset literal that the most open clauses have, those of two literals counting five times; undefined: all hold. */
  private branchLiteral(): number | undefined {
    const weight = new Float64Array(this.occurrences.length);
    let isOpen = false;
    this.problem.clauses.forEach((clause, c) => {
      if (this.trueCount[c] > 0) return;
      isOpen = true;
      const more = this.unsetCount[c] <= 2 ? 5 : 1;
      for (const literal of clause) if (this.value[Math.abs(literal)] === 0) weight[slotOf(literal)] += more;
    });
    if (!isOpen) return undefined;
    let best = 1;
    let most = -1;
    for (let variable = 1; variable < this.value.length; variable++) {
      const [yes, no] = [weight[2 * variable], weight[2 * variable + 1]];
      const score = yes + no === 0 ? -1 : yes * no * 1_024 + yes + no;
      if (score <= most) continue;
      most = score;
      best = yes >= no ? variable : -variable;
    }
    return best;
  }
}

const slotOf = (literal: number) => (literal > 0 ? 2 * literal : 1 - 2 * literal);
