import fc from 'fast-check';
import { RandomSource } from './random-source.js';
import { drawSat, satisfiedClauses, type SatProblem, satisfy } from './satisfiability.js';

function canBeSatisfied(problem: SatProblem): boolean {
  for (let bits = 0; bits < 2 ** problem.variables; bits++) {
    const assignment = bits.toString(2).padStart(problem.variables, '0');
    if (satisfiedClauses(problem, assignment) === problem.clauses.length) return true;
  }
  return false;
}

const literals = (variables: number) =>
  fc.tuple(fc.integer({ min: 1, max: variables }), fc.boolean()).map(([v, yes]) => (yes ? v : -v));
const formulas = fc.integer({ min: 1, max: 7 }).chain(variables =>
  fc.record({
    variables: fc.constant(variables),
    clauses: fc.array(fc.array(literals(variables), { minLength: 1, maxLength: 3 }), { maxLength: 32 }),
  }),
);

/** Pigeons that need a hole each, one fewer: no assignment satisfies it. */
function pigeonhole(holes: number): SatProblem {
  const variable = (pigeon: number, hole: number) => pigeon * holes + hole + 1;
  const range = (length: number) => Array.from({ length }, (_, i) => i);
  const housed = range(holes + 1).map(pigeon => range(holes).map(hole => variable(pigeon, hole)));
  const alone = range(holes).flatMap(hole =>
    range(holes + 1).flatMap(one => range(one).map(other => [-variable(one, hole), -variable(other, hole)])),
  );
  return { variables: holes * (holes + 1), clauses: [...housed, ...alone] };
}

describe('satisfiability', () => {
  it('is what trying every assignment says, and the answer satisfies every clause', () => {
    fc.assert(
      fc.property(formulas, formula => {
        const found = satisfy(formula);
        expect(found !== undefined).toBe(canBeSatisfied(formula));
        if (found !== undefined) expect(satisfiedClauses(formula, found)).toBe(formula.clauses.length);
      }),
      { numRuns: 300 },
    );
  });

  it('refutes the pigeonhole formulas', () => {
    for (const holes of [1, 2, 3, 4, 5]) expect(satisfy(pigeonhole(holes))).toBeUndefined();
  });

  it('of drawn formulas is certain, with three different variables a clause', () => {
    for (let level = 1; level <= 10; level++) {
      const problem = drawSat(level, new RandomSource(new Uint8Array(32).fill(level)));
      const found = satisfy(problem)!;
      expect(satisfiedClauses(problem, found)).toBe(problem.clauses.length);
      for (const clause of problem.clauses) expect(new Set(clause.map(Math.abs)).size).toBe(3);
    }
  });
});
