/** Solution of a least-squares problem over the complex numbers. */
export interface ComplexSolution {
  /** Interleaved, as many as columns. */
  readonly solution: Float64Array;
  /** Diagonal of (AᴴA)⁻¹: times the variance of a row it is the variance of each unknown. */
  inverseDiagonal(): Float64Array;
}

/**
 * Finds x for which |A·x − b|² is least, by the normal equations and Cholesky; the columns are scaled to length one first.
 *
 * @param columns of A, interleaved complex numbers, all as long as b
 * @param damping added to the diagonal of the scaled AᴴA (Levenberg and Marquardt); 0 for the plain problem
 * @returns null where the columns depend on one another
 */
export function solveLeastSquares(
  columns: readonly Float64Array[],
  b: Float64Array,
  damping = 0,
): ComplexSolution | null {
  const n = columns.length;
  const product = new Float64Array(2);
  const scales = columns.map(column => 1 / Math.sqrt(dot(column, column, product)[0]));
  if (!scales.every(Number.isFinite)) return null;
  const factor = new Float64Array(2 * n * n);
  const right = new Float64Array(2 * n);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j <= i; j++) {
      dot(columns[i], columns[j], product);
      factor[2 * (i * n + j)] = product[0] * scales[i] * scales[j] + (i === j ? damping : 0);
      factor[2 * (i * n + j) + 1] = product[1] * scales[i] * scales[j];
    }
    dot(columns[i], b, product);
    right[2 * i] = product[0] * scales[i];
    right[2 * i + 1] = product[1] * scales[i];
  }
  if (!cholesky(factor, n)) return null;
  const solution = substitute(factor, n, right);
  for (let i = 0; i < n; i++) {
    solution[2 * i] *= scales[i];
    solution[2 * i + 1] *= scales[i];
  }
  return { solution, inverseDiagonal: () => inverseDiagonal(factor, n, scales) };
}

function inverseDiagonal(factor: Float64Array, n: number, scales: readonly number[]): Float64Array {
  const diagonal = new Float64Array(n);
  for (let i = 0; i < n; i++) {
    const unit = new Float64Array(2 * n);
    unit[2 * i] = 1;
    diagonal[i] = substitute(factor, n, unit)[2 * i] * scales[i] ** 2;
  }
  return diagonal;
}

/** Σ a*·b. */
function dot(a: Float64Array, b: Float64Array, product: Float64Array): Float64Array {
  let re = 0;
  let im = 0;
  for (let k = 0; k < a.length; k += 2) {
    re += a[k] * b[k] + a[k + 1] * b[k + 1];
    im += a[k] * b[k + 1] - a[k + 1] * b[k];
  }
  product[0] = re;
  product[1] = im;
  return product;
}

/** The lower triangle of a Hermitian matrix becomes L of L·Lᴴ; false where it is not positive. */
function cholesky(matrix: Float64Array, n: number): boolean {
  for (let j = 0; j < n; j++) {
    for (let i = j; i < n; i++) {
      let re = matrix[2 * (i * n + j)];
      let im = matrix[2 * (i * n + j) + 1];
      for (let k = 0; k < j; k++) {
        const [aRe, aIm] = [matrix[2 * (i * n + k)], matrix[2 * (i * n + k) + 1]];
        const [bRe, bIm] = [matrix[2 * (j * n + k)], matrix[2 * (j * n + k) + 1]];
        re -= aRe * bRe + aIm * bIm;
        im -= aIm * bRe - aRe * bIm;
      }
      if (i === j) {
        if (!(re > 1e-13)) return false;
        matrix[2 * (i * n + i)] = Math.sqrt(re);
        matrix[2 * (i * n + i) + 1] = 0;
      } else {
        const diagonal = matrix[2 * (j * n + j)];
        matrix[2 * (i * n + j)] = re / diagonal;
        matrix[2 * (i * n + j) + 1] = im / diagonal;
      }
    }
  }
  return true;
}

/** x of L·Lᴴ·x = right. */
function substitute(factor: Float64Array, n: number, right: Float64Array): Float64Array {
  const x = right.slice();
  for (let i = 0; i < n; i++) {
    for (let k = 0; k < i; k++) {
      const [re, im] = [factor[2 * (i * n + k)], factor[2 * (i * n + k) + 1]];
      x[2 * i] -= re * x[2 * k] - im * x[2 * k + 1];
      x[2 * i + 1] -= re * x[2 * k + 1] + im * x[2 * k];
    }
    x[2 * i] /= factor[2 * (i * n + i)];
    x[2 * i + 1] /= factor[2 * (i * n + i)];
  }
  for (let i = n - 1; i >= 0; i--) {
    for (let k = i + 1; k < n; k++) {
      // Row i of Lᴴ is column i of L, conjugated.
      const [re, im] = [factor[2 * (k * n + i)], -factor[2 * (k * n + i) + 1]];
      x[2 * i] -= re * x[2 * k] - im * x[2 * k + 1];
      x[2 * i + 1] -= re * x[2 * k + 1] + im * x[2 * k];
    }
    x[2 * i] /= factor[2 * (i * n + i)];
    x[2 * i + 1] /= factor[2 * (i * n + i)];
  }
  return x;
}
