/**
 * The greatest eigenvalue of a symmetric matrix, from above: reduced to three diagonals by Householder's reflections, then
 * bisected by Sturm's count of the eigenvalues below a number (Golub & Van Loan, sections 8.3 and 8.4). Off by rounding
 * alone, some 10^-14 of the norm.
 *
 * @param matrix n·n by rows; it is overwritten
 */
export function greatestEigenvalue(matrix: Float64Array, n: number): number {
  const { diagonal, beside } = tridiagonal(matrix, n);
  // Gershgorin's discs hold all of them.
  let low = -Infinity;
  let high = -Infinity;
  for (let i = 0; i < n; i++) {
    const radius = Math.abs(i > 0 ? beside[i - 1] : 0) + Math.abs(i < n - 1 ? beside[i] : 0);
    high = Math.max(high, diagonal[i] + radius);
    low = Math.max(low, diagonal[i]);
  }
  // λmax is at least the greatest entry of the diagonal; `high` stays above it throughout.
  for (;;) {
    const middle = low + (high - low) / 2;
    if (!(middle > low && middle < high)) return high;
    if (countBelow(diagonal, beside, middle) === n) high = middle;
    else low = middle;
  }
}

function tridiagonal(a: Float64Array, n: number): { diagonal: Float64Array; beside: Float64Array } {
  const beside = new Float64Array(Math.max(0, n - 1));
  const axis = new Float64Array(n);
  const image = new Float64Array(n);
  for (let k = 0; k < n - 2; k++) {
    let norm = 0;
    for (let i = k + 1; i < n; i++) norm += a[i * n + k] ** 2;
    norm = Math.sqrt(norm);
    const head = a[(k + 1) * n + k];
    // The sign that cancels nothing.
    const length = head > 0 ? -norm : norm;
    beside[k] = length;
    if (norm === 0) continue;
    for (let i = k + 1; i < n; i++) axis[i] = a[i * n + k];
    axis[k + 1] -= length;
    const half = norm * norm - head * length;
    // A ← HAH with H = I − axis·axisᵀ/half, as the rank-two update A − axis·qᵀ − q·axisᵀ.
    let along = 0;
    for (let i = k + 1; i < n; i++) {
      let sum = 0;
      for (let j = k + 1; j < n; j++) sum += a[i * n + j] * axis[j];
      image[i] = sum / half;
      along += axis[i] * image[i];
    }
    for (let i = k + 1; i < n; i++) image[i] -= (along / (2 * half)) * axis[i];
    for (let i = k + 1; i < n; i++) {
      for (let j = k + 1; j < n; j++) a[i * n + j] -= axis[i] * image[j] + image[i] * axis[j];
    }
  }
  if (n > 1) beside[n - 2] = a[(n - 1) * n + n - 2];
  return { diagonal: Float64Array.from({ length: n }, (_, i) => a[i * n + i]), beside };
}

/** Eigenvalues below x: the negative pivots of T − xI. */
function countBelow(diagonal: Float64Array, beside: Float64Array, x: number): number {
  let count = 0;
  let pivot = 1;
  for (let i = 0; i < diagonal.length; i++) {
    const square = i === 0 ? 0 : beside[i - 1] ** 2;
    pivot = diagonal[i] - x - (i === 0 ? 0 : square / pivot);
    // A pivot of 0 counts as the small one on the safe side: x is then not yet above all.
    if (pivot === 0) pivot = Number.MIN_VALUE;
    if (pivot < 0) count++;
  }
  return count;
}
