import type { RandomSource } from './random-source.js';

/** Numbers are decimal text: they outgrow what JSON's numbers hold exactly. */
export type AlgebraProblem =
  | {
      /** The x from 0 to the product of the moduli − 1 with x ≡ residues[i] mod moduli[i]. */
      readonly kind: 'chinese-remainder';
      readonly moduli: readonly string[];
      readonly residues: readonly string[];
    }
  | {
      /** The vector x with matrix · x ≡ values mod the prime. */
      readonly kind: 'linear-system';
      readonly modulus: string;
      readonly matrix: readonly (readonly string[])[];
      readonly values: readonly string[];
    }
  | {
      /** The x from 0 to order − 1 with base^x ≡ power mod the prime; `order` is that of the base, a prime too. */
      readonly kind: 'discrete-logarithm';
      readonly modulus: string;
      readonly base: string;
      readonly order: string;
      readonly power: string;
    };

/** One number, or one for each unknown. */
export type AlgebraAnswer = string | readonly string[];

const MODULI = [2, 3, 4, 5, 7, 9, 12, 16, 20, 24];
const MODULUS_BITS = [5, 7, 9, 12, 16, 20, 26, 32, 40, 48];
const UNKNOWNS = [2, 3, 4, 5, 7, 9, 11, 13, 15, 18];
const PRIME_BITS = [7, 10, 14, 18, 24, 31, 40, 48, 56, 64];
/** Bits of a logarithm: its search takes the square root of 2^bits multiplications. */
const ORDER_BITS = [6, 9, 12, 15, 18, 22, 26, 30, 34, 38];

/** One of three kinds, each as likely as the others. */
export function drawAlgebra(level: number, random: RandomSource): AlgebraProblem {
  const draw = [drawRemainders, drawSystem, drawLogarithm][random.below(3)];
  return draw(level, random);
}

function drawRemainders(level: number, random: RandomSource): AlgebraProblem {
  const moduli = new Set<bigint>();
  while (moduli.size < MODULI[level - 1]) moduli.add(drawPrime(MODULUS_BITS[level - 1], random));
  const residues = [...moduli].map(modulus => String(random.belowBig(modulus)));
  return { kind: 'chinese-remainder', moduli: [...moduli].map(String), residues };
}

function drawSystem(level: number, random: RandomSource): AlgebraProblem {
  const modulus = drawPrime(PRIME_BITS[level - 1], random);
  const unknowns = UNKNOWNS[level - 1];
  for (;;) {
    const matrix = Array.from({ length: unknowns }, () =>
      Array.from({ length: unknowns }, () => random.belowBig(modulus)),
    );
    const values = Array.from({ length: unknowns }, () => random.belowBig(modulus));
    if (solveLinear(matrix, values, modulus) === undefined) continue;
    return {
      kind: 'linear-system',
      modulus: String(modulus),
      matrix: matrix.map(row => row.map(String)),
      values: values.map(String),
    };
  }
}

/** In the squares of a safe prime: their number is prime, so that no smaller groups help (Pohlig and Hellman). */
function drawLogarithm(level: number, random: RandomSource): AlgebraProblem {
  const bits = ORDER_BITS[level - 1];
  for (;;) {
    const order = drawPrime(bits, random);
    const modulus = 2n * order + 1n;
    if (!isPrime(modulus)) continue;
    const root = 2n + random.belowBig(modulus - 3n);
    const base = (root * root) % modulus;
    if (base === 1n) continue;
    const power = modPower(base, random.belowBig(order), modulus);
    const texts = [modulus, base, order, power].map(String);
    return {
      kind: 'discrete-logarithm',
      modulus: texts[0],
      base: texts[1],
      order: texts[2],
      power: texts[3],
    };
  }
}

/** Whether an answer is the one there is: each kind has exactly one, and it is checked by putting it in. */
export function checkAlgebra(
  problem: AlgebraProblem,
  answer: AlgebraAnswer,
): { solves: boolean } | { fault: string } {
  if (problem.kind === 'linear-system') return checkSystem(problem, answer);
  if (typeof answer !== 'string') return { fault: 'x is one number, as decimal text' };
  const x = BigInt(answer);
  if (problem.kind === 'chinese-remainder') {
    const moduli = problem.moduli.map(BigInt);
    if (x >= moduli.reduce((product, modulus) => product * modulus, 1n)) {
      return { fault: 'x must be below the product of the moduli' };
    }
    return { solves: moduli.every((modulus, i) => x % modulus === BigInt(problem.residues[i])) };
  }
  if (x >= BigInt(problem.order)) return { fault: 'x must be below the order' };
  const modulus = BigInt(problem.modulus);
  return { solves: modPower(BigInt(problem.base), x, modulus) === BigInt(problem.power) };
}

function checkSystem(
  problem: Extract<AlgebraProblem, { kind: 'linear-system' }>,
  answer: AlgebraAnswer,
): { solves: boolean } | { fault: string } {
  const modulus = BigInt(problem.modulus);
  if (typeof answer === 'string' || answer.length !== problem.values.length) {
    return { fault: `x is an array of ${problem.values.length} numbers, as decimal text` };
  }
  const x = answer.map(BigInt);
  if (x.some(value => value >= modulus)) return { fault: 'every x must be below the modulus' };
  const solves = problem.matrix.every((row, i) => {
    const sum = row.reduce((total, factor, j) => total + BigInt(factor) * x[j], 0n);
    return sum % modulus === BigInt(problem.values[i]);
  });
  return { solves };
}

/** base^exponent mod modulus. */
export function modPower(base: bigint, exponent: bigint, modulus: bigint): bigint {
  let [result, square] = [1n % modulus, base % modulus];
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = (result * square) % modulus;
    square = (square * square) % modulus;
  }
  return result;
}

/** The x with matrix · x ≡ values mod a prime, by elimination; undefined where the matrix has no inverse. */
export function solveLinear(
  matrix: readonly (readonly bigint[])[],
  values: readonly bigint[],
  prime: bigint,
): bigint[] | undefined {
  const rows = matrix.map((row, i) => [...row, values[i]]);
  const n = rows.length;
  for (let column = 0; column < n; column++) {
    const pivot = rows.findIndex((row, i) => i >= column && row[column] !== 0n);
    if (pivot < 0) return undefined;
    [rows[column], rows[pivot]] = [rows[pivot], rows[column]];
    const inverse = modPower(rows[column][column], prime - 2n, prime);
    rows[column] = rows[column].map(entry => (entry * inverse) % prime);
    for (let i = 0; i < n; i++) {
      const factor = rows[i][column];
      if (i === column || factor === 0n) continue;
      rows[i] = rows[i].map((entry, j) => (entry + (prime - factor) * rows[column][j]) % prime);
    }
  }
  return rows.map(row => row[n]);
}

/** A prime of exactly so many bits. */
function drawPrime(bits: number, random: RandomSource): bigint {
  const low = 1n << BigInt(bits - 1);
  for (;;) {
    const drawn = (low + random.belowBig(low)) | 1n;
    if (isPrime(drawn)) return drawn;
  }
}

/** These twelve bases decide primality below 3.3 · 10^24. (J. Sorenson, J. Webster: Strong pseudoprimes to twelve prime bases.) */
const WITNESSES = [2n, 3n, 5n, 7n, 11n, 13n, 17n, 19n, 23n, 29n, 31n, 37n];

/** Miller and Rabin's test, which errs for no number below 3.3 · 10^24. */
export function isPrime(n: bigint): boolean {
  if (n < 2n) return false;
  for (const witness of WITNESSES) if (n % witness === 0n) return n === witness;
  let [odd, twos] = [n - 1n, 0];
  for (; (odd & 1n) === 0n; odd >>= 1n) twos++;
  return WITNESSES.every(witness => {
    let x = modPower(witness, odd, n);
    if (x === 1n) return true;
    for (let i = 0; i < twos; i++) {
      if (x === n - 1n) return true;
      x = (x * x) % n;
    }
    return false;
  });
}
