import fc from 'fast-check';
import {
  type AlgebraProblem,
  checkAlgebra,
  drawAlgebra,
  isPrime,
  modPower,
  solveLinear,
} from './modular-algebra.js';
import { RandomSource } from './random-source.js';

const seeded = (n: number) =>
  new RandomSource(Uint8Array.from({ length: 32 }, (_, i) => (n >> (8 * (i % 4))) & 255));

/** Problems of one kind, levels 1 to 10. */
function drawn(kind: AlgebraProblem['kind'], level: number): AlgebraProblem {
  for (let n = 0; ; n++) {
    const problem = drawAlgebra(level, seeded(n));
    if (problem.kind === kind) return problem;
  }
}

describe('modular algebra', () => {
  it('tells primes from other numbers', () => {
    const isPrimeByTrying = (n: number) => {
      for (let d = 2; d * d <= n; d++) if (n % d === 0) return false;
      return n > 1;
    };
    for (let n = 0; n < 3_000; n++) expect([n, isPrime(BigInt(n))]).toEqual([n, isPrimeByTrying(n)]);
    // Carmichael numbers, the largest prime below 2^64, and a strong pseudoprime to the first nine bases.
    for (const n of [561n, 41_041n, 825_265n, 3_825_123_056_546_413_051n]) expect(isPrime(n)).toBe(false);
    expect(isPrime(18_446_744_073_709_551_557n)).toBe(true);
  });

  it('solves linear systems that have one solution, and no others', () => {
    const prime = 101n;
    const entries = fc.bigInt({ min: 0n, max: prime - 1n });
    const systems = fc
      .integer({ min: 1, max: 4 })
      .chain(n =>
        fc.tuple(
          fc.array(fc.array(entries, { minLength: n, maxLength: n }), { minLength: n, maxLength: n }),
          fc.array(entries, { minLength: n, maxLength: n }),
        ),
      );
    const determinant = (rows: bigint[][]): bigint =>
      rows.length === 0
        ? 1n
        : rows[0].reduce((sum, entry, j) => {
            const minor = rows.slice(1).map(row => row.filter((_, k) => k !== j));
            return sum + (j % 2 === 0 ? 1n : -1n) * entry * determinant(minor);
          }, 0n);
    fc.assert(
      fc.property(systems, ([matrix, values]) => {
        const x = solveLinear(matrix, values, prime);
        expect(x === undefined).toBe(determinant(matrix) % prime === 0n);
        x?.forEach(value => expect(value >= 0n && value < prime).toBe(true));
        if (!x) return;
        matrix.forEach((row, i) => {
          const sum = row.reduce((total, entry, j) => total + entry * x[j], 0n);
          expect(sum % prime).toBe(values[i]);
        });
      }),
      { numRuns: 200 },
    );
  });

  it('takes the one solution of each kind and nothing beside it', () => {
    const remainders: AlgebraProblem = {
      kind: 'chinese-remainder',
      moduli: ['3', '5', '7'],
      residues: ['2', '3', '2'],
    };
    for (let x = 0; x < 105; x++) expect(checkAlgebra(remainders, String(x))).toEqual({ solves: x === 23 });
    expect(checkAlgebra(remainders, '128')).toHaveProperty('fault');
    const logarithm = drawn('discrete-logarithm', 1) as AlgebraProblem & { kind: 'discrete-logarithm' };
    const solutions = [];
    for (let x = 0n; x < BigInt(logarithm.order); x++) {
      const checked = checkAlgebra(logarithm, String(x));
      if ('solves' in checked && checked.solves) solutions.push(x);
    }
    expect(solutions).toHaveLength(1);
    expect(checkAlgebra(logarithm, logarithm.order)).toHaveProperty('fault');
    const system = drawn('linear-system', 1) as AlgebraProblem & { kind: 'linear-system' };
    const p = BigInt(system.modulus);
    const x = solveLinear(
      system.matrix.map(row => row.map(BigInt)),
      system.values.map(BigInt),
      p,
    )!;
    expect(checkAlgebra(system, x.map(String))).toEqual({ solves: true });
    expect(checkAlgebra(system, [String((x[0] + 1n) % p), String(x[1])])).toEqual({ solves: false });
    expect(checkAlgebra(system, [String(x[0] + p), String(x[1])])).toHaveProperty('fault');
    expect(checkAlgebra(system, [String(x[0])])).toHaveProperty('fault');
    expect(checkAlgebra(system, String(x[0]))).toHaveProperty('fault');
  });

  it('draws moduli that are primes and differ, and logarithms in a group whose order is prime', () => {
    for (let level = 1; level <= 10; level++) {
      const remainders = drawn('chinese-remainder', level) as AlgebraProblem & { kind: 'chinese-remainder' };
      expect(new Set(remainders.moduli).size).toBe(remainders.moduli.length);
      expect(remainders.moduli.every(modulus => isPrime(BigInt(modulus)))).toBe(true);
      const logarithm = drawn('discrete-logarithm', level) as AlgebraProblem & { kind: 'discrete-logarithm' };
      const [p, q, g] = [logarithm.modulus, logarithm.order, logarithm.base].map(BigInt);
      expect([isPrime(p), isPrime(q), p === 2n * q + 1n]).toEqual([true, true, true]);
      expect(modPower(g, q, p)).toBe(1n);
      expect(g).not.toBe(1n);
    }
  });
});
