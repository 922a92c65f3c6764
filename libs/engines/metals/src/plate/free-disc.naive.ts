import type { DiscMode } from './free-disc.js';

/** Powers of r that a mode is made of. */
const TERMS = 9;
const GAUSS_POINTS = 40;

/**
 * λ² of a free disc by Ritz's method: bending energy over kinetic energy, made least over polynomials times cos nθ. Free edges
 * need no conditions in it. The readable oracle of the frequency equation's roots.
 */
export function ritzLambdaSquared({ diameters: n, circles }: DiscMode, poisson: number): number {
  const powers = Array.from({ length: TERMS }, (_, k) => n + 2 * k);
  const stiffness = powers.map(p => powers.map(q => bendingEnergy(p, q, n, poisson)));
  const mass = powers.map(p => powers.map(q => 1 / (p + q + 2)));
  const eigenvalues = generalEigenvalues(stiffness, mass)
    .map(value => Math.sqrt(Math.max(0, value)))
    .sort((a, b) => a - b);
  // Moving and tilting as a whole cost nothing, and come first.
  const rigid = n < 2 ? 1 : 0;
  return eigenvalues[rigid + (n < 2 ? circles - 1 : circles)];
}

/** ∫ of the bending energy's bilinear form of r^p cos nθ and r^q cos nθ over the unit disc, without the angle's π. */
function bendingEnergy(p: number, q: number, n: number, poisson: number): number {
  const form = (r: number) => {
    const [a, b] = [curvatures(p, n, r), curvatures(q, n, r)];
    const laplacian = (a.radial + a.hoop) * (b.radial + b.hoop);
    const gauss = a.radial * b.hoop + a.hoop * b.radial - 2 * a.twist * b.twist;
    return (laplacian - (1 - poisson) * gauss) * r;
  };
  return gaussLegendre(form);
}

/** Of r^p cos nθ: w_rr, w_r/r + w_θθ/r² and the twist, without their cosine and sine. */
function curvatures(p: number, n: number, r: number) {
  return {
    radial: p * (p - 1) * r ** (p - 2),
    hoop: (p - n * n) * r ** (p - 2),
    twist: n * (p - 1) * r ** (p - 2),
  };
}

function gaussLegendre(f: (x: number) => number): number {
  let sum = 0;
  for (let i = 1; i <= GAUSS_POINTS; i++) {
    let x = Math.cos((Math.PI * (i - 0.25)) / (GAUSS_POINTS + 0.5));
    let slope = 0;
    for (let step = 0; step < 50; step++) {
      let [before, value] = [1, x];
      for (let k = 2; k <= GAUSS_POINTS; k++)
        [before, value] = [value, ((2 * k - 1) * x * value - (k - 1) * before) / k];
      slope = (GAUSS_POINTS * (x * value - before)) / (x * x - 1);
      x -= value / slope;
    }
    sum += f((x + 1) / 2) / ((1 - x * x) * slope * slope);
  }
  return sum;
}

/** Eigenvalues of A x = λ B x, both symmetric, B positive definite: Cholesky, then Jacobi's rotations. */
function generalEigenvalues(a: readonly number[][], b: readonly number[][]): number[] {
  const size = a.length;
  const lower = b.map(() => new Array<number>(size).fill(0));
  for (let i = 0; i < size; i++) {
    for (let j = 0; j <= i; j++) {
      let sum = b[i][j];
      for (let k = 0; k < j; k++) sum -= lower[i][k] * lower[j][k];
      lower[i][j] = i === j ? Math.sqrt(sum) : sum / lower[j][j];
    }
  }
  const solve = (rows: readonly number[][]) => {
    const out = rows.map(row => [...row]);
    for (let column = 0; column < size; column++) {
      for (let i = 0; i < size; i++) {
        for (let k = 0; k < i; k++) out[i][column] -= lower[i][k] * out[k][column];
        out[i][column] /= lower[i][i];
      }
    }
    return out;
  };
  const transposed = (rows: readonly number[][]) => rows.map((_, i) => rows.map(row => row[i]));
  return jacobiEigenvalues(solve(transposed(solve(a))));
}

function jacobiEigenvalues(matrix: number[][]): number[] {
  const size = matrix.length;
  for (let sweep = 0; sweep < 60; sweep++) {
    for (let p = 0; p < size; p++) {
      for (let q = p + 1; q < size; q++) {
        if (matrix[p][q] === 0) continue;
        const theta = (matrix[q][q] - matrix[p][p]) / (2 * matrix[p][q]);
        const t = Math.sign(theta || 1) / (Math.abs(theta) + Math.hypot(theta, 1));
        const [cos, sin] = [1 / Math.hypot(t, 1), t / Math.hypot(t, 1)];
        for (let k = 0; k < size; k++)
          [matrix[k][p], matrix[k][q]] = [
            cos * matrix[k][p] - sin * matrix[k][q],
            sin * matrix[k][p] + cos * matrix[k][q],
          ];
        for (let k = 0; k < size; k++)
          [matrix[p][k], matrix[q][k]] = [
            cos * matrix[p][k] - sin * matrix[q][k],
            sin * matrix[p][k] + cos * matrix[q][k],
          ];
      }
    }
  }
  return matrix.map((row, i) => row[i]);
}
