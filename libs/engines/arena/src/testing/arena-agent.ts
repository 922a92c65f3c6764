import type { ArenaAnswer } from '../challenge.js';
import type { CutEdge, MaxCutProblem } from '../max-cut.js';
import type { AlgebraProblem } from '../modular-algebra.js';
import type { SatProblem } from '../satisfiability.js';
import type { ShortestPathProblem } from '../shortest-path.js';

/**
 * An agent that plays the arena as anybody can: it is told a problem and nothing else, and finds its answers by other
 * means than the grader does: label setting, tabu search, a random walk, elimination with fractions left whole, and baby
 * steps with giant steps.
 */
export class ArenaAgent {
  private state: number;

  /** @param seed of its random numbers; not 0 */
  constructor(seed = 0x9e3779b9) {
    this.state = seed;
  }

  /** @throws Error where it finds no answer within its tries */
  answer(family: string, problem: unknown): ArenaAnswer {
    switch (family) {
      case 'shortest-path':
        return { path: this.path(problem as ShortestPathProblem) };
      case 'max-cut':
        return { side: this.cut(problem as MaxCutProblem) };
      case 'sat':
        return { assignment: this.assignment(problem as SatProblem) };
      case 'modular-algebra':
        return { x: algebra(problem as AlgebraProblem) };
      default:
        throw new Error(`no such family: ${family}`);
    }
  }

  /** All ways that no other reaches the same vertex both lighter and cheaper than, extended until none is left. */
  private path({ edges, source, target, tollMax = Infinity }: ShortestPathProblem): number[] {
    interface Label {
      readonly at: number;
      readonly weight: number;
      readonly toll: number;
      readonly before?: Label;
    }
    const kept = new Map<number, Label[]>([[source, [{ at: source, weight: 0, toll: 0 }]]]);
    let open: Label[] = kept.get(source)!;
    while (open.length > 0) {
      const next: Label[] = [];
      for (const label of open) {
        if (!kept.get(label.at)!.includes(label)) continue;
        for (const [from, to, weight, toll = 0] of edges) {
          if (from !== label.at) continue;
          const longer = { at: to, weight: label.weight + weight, toll: label.toll + toll, before: label };
          const there = kept.get(to) ?? [];
          if (longer.toll > tollMax) continue;
          if (there.some(other => other.weight <= longer.weight && other.toll <= longer.toll)) continue;
          kept.set(to, [
            ...there.filter(other => other.weight < longer.weight || other.toll < longer.toll),
            longer,
          ]);
          next.push(longer);
        }
      }
      open = next;
    }
    const best = kept.get(target)!.reduce((one, other) => (other.weight < one.weight ? other : one));
    const path: number[] = [];
    for (let label: Label | undefined = best; label; label = label.before) path.unshift(label.at);
    return path;
  }

  /** Tabu search from random cuts: always the best flip that was not made of late. */
  private cut({ vertices, edges }: MaxCutProblem): string {
    const near: [other: number, weight: number][][] = Array.from({ length: vertices }, () => []);
    for (const [one, other, weight] of edges) {
      near[one].push([other, weight]);
      near[other].push([one, weight]);
    }
    let best = { weight: -Infinity, side: '' };
    for (let restart = 0; restart < 40; restart++) {
      const found = this.tabu(near, edges, 60 * vertices);
      if (found.weight > best.weight) best = found;
    }
    return best.side;
  }

  private tabu(near: readonly [number, number][][], edges: readonly CutEdge[], steps: number) {
    const side = near.map(() => this.below(2));
    const gain = near.map((ends, v) =>
      ends.reduce((sum, [other, weight]) => sum + (side[v] === side[other] ? weight : -weight), 0),
    );
    let weight = edges.reduce((sum, [one, other, more]) => sum + (side[one] === side[other] ? 0 : more), 0);
    let best = { weight, side: side.join('') };
    const until = near.map(() => 0);
    for (let step = 1; step <= steps; step++) {
      let chosen = -1;
      for (let v = 0; v < side.length; v++) {
        if (until[v] > step && weight + gain[v] <= best.weight) continue;
        if (chosen < 0 || gain[v] > gain[chosen]) chosen = v;
      }
      if (chosen < 0) continue;
      weight += gain[chosen];
      side[chosen] ^= 1;
      gain[chosen] = -gain[chosen];
      for (const [other, more] of near[chosen]) {
        gain[other] += side[chosen] === side[other] ? 2 * more : -2 * more;
      }
      until[chosen] = step + 3 + this.below(7);
      if (weight > best.weight) best = { weight, side: side.join('') };
    }
    return best;
  }

  /** A walk that mends a broken clause at a time, by the flip that breaks fewest (B. Selman, H. Kautz, B. Cohen). */
  private assignment({ variables, clauses }: SatProblem): string {
    const of: number[][] = Array.from({ length: variables + 1 }, () => []);
    clauses.forEach((clause, c) => clause.forEach(literal => of[Math.abs(literal)].push(c)));
    for (let restart = 0; restart < 50; restart++) {
      const value = Array.from({ length: variables + 1 }, () => this.below(2) === 1);
      const holds = (literal: number) => value[Math.abs(literal)] === literal > 0;
      const trueCount = clauses.map(clause => clause.filter(holds).length);
      const broken = new Set(clauses.flatMap((_, c) => (trueCount[c] === 0 ? [c] : [])));
      for (let flips = 0; flips < 200_000 && broken.size > 0; flips++) {
        const list = [...broken];
        const clause = clauses[list[this.below(list.length)]];
        const breaks = clause.map(literal => {
          const variable = Math.abs(literal);
          return of[variable].filter(
            c => trueCount[c] === 1 && clauses[c].some(other => Math.abs(other) === variable && holds(other)),
          ).length;
        });
        const fewest = Math.min(...breaks);
        const isRandom = fewest > 0 && this.below(100) < 50;
        const flipped = Math.abs(clause[isRandom ? this.below(clause.length) : breaks.indexOf(fewest)]);
        value[flipped] = !value[flipped];
        for (const c of of[flipped]) {
          trueCount[c] = clauses[c].filter(holds).length;
          if (trueCount[c] === 0) broken.add(c);
          else broken.delete(c);
        }
      }
      if (broken.size === 0) return value.slice(1).map(Number).join('');
    }
    throw new Error('the walk found no assignment');
  }

  /** Marsaglia's xorshift: whole numbers from 0 to bound − 1. */
  private below(bound: number): number {
    this.state ^= this.state << 13;
    this.state ^= this.state >>> 17;
    this.state ^= this.state << 5;
    return (this.state >>> 0) % bound;
  }
}

function algebra(problem: AlgebraProblem): string | string[] {
  switch (problem.kind) {
    case 'chinese-remainder':
      return String(remainder(problem.moduli.map(BigInt), problem.residues.map(BigInt)));
    case 'linear-system':
      return systemOf(problem).map(String);
    case 'discrete-logarithm':
      return String(logarithm(problem));
  }
}

const modulo = (n: bigint, m: bigint) => ((n % m) + m) % m;

/** Bézout's factor of `a`, by Euclid's algorithm: the inverse of `a` modulo `m`. */
function inverse(a: bigint, m: bigint): bigint {
  let [r0, r1, s0, s1] = [a, m, 1n, 0n];
  while (r1 !== 0n) {
    const q = r0 / r1;
    [r0, r1, s0, s1] = [r1, r0 - q * r1, s1, s0 - q * s1];
  }
  return modulo(s0, m);
}

/** Garner's way: one modulus after another. */
function remainder(moduli: readonly bigint[], residues: readonly bigint[]): bigint {
  let [x, product] = [0n, 1n];
  moduli.forEach((modulus, i) => {
    x += product * modulo((residues[i] - x) * inverse(product % modulus, modulus), modulus);
    product *= modulus;
  });
  return x;
}

/** Elimination downwards with cross multiplication, then substitution upwards. */
function systemOf({ modulus, matrix, values }: Extract<AlgebraProblem, { kind: 'linear-system' }>): bigint[] {
  const p = BigInt(modulus);
  const rows = matrix.map((row, i) => [...row.map(BigInt), BigInt(values[i])]);
  const n = rows.length;
  for (let k = 0; k < n; k++) {
    const pivot = rows.findIndex((row, i) => i >= k && row[k] !== 0n);
    [rows[k], rows[pivot]] = [rows[pivot], rows[k]];
    for (let i = k + 1; i < n; i++) {
      const [a, b] = [rows[k][k], rows[i][k]];
      rows[i] = rows[i].map((entry, j) => modulo(a * entry - b * rows[k][j], p));
    }
  }
  const x = new Array<bigint>(n).fill(0n);
  for (let k = n - 1; k >= 0; k--) {
    const known = x.reduce((sum, value, j) => sum + (j > k ? value * rows[k][j] : 0n), 0n);
    x[k] = modulo((rows[k][n] - known) * inverse(rows[k][k], p), p);
  }
  return x;
}

/** Baby steps and giant steps (D. Shanks). */
function logarithm(problem: Extract<AlgebraProblem, { kind: 'discrete-logarithm' }>): bigint {
  const [p, base, order, power] = [problem.modulus, problem.base, problem.order, problem.power].map(BigInt);
  const width = BigInt(Math.ceil(Math.sqrt(Number(order))));
  const baby = new Map<bigint, bigint>();
  let value = 1n;
  for (let i = 0n; i < width; i++) {
    baby.set(value, i);
    value = (value * base) % p;
  }
  const giant = inverse(value, p);
  let left = power;
  for (let i = 0n; i <= width; i++) {
    const found = baby.get(left);
    if (found !== undefined) return (i * width + found) % order;
    left = (left * giant) % p;
  }
  throw new Error('the power has no logarithm');
}
