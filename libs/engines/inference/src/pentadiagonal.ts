/** A symmetric matrix of bandwidth 2 by its diagonals: `first[i]` stands at (i, i+1), `second[i]` at (i, i+2). */
export interface Pentadiagonal {
  readonly diagonal: Float64Array;
  readonly first: Float64Array;
  readonly second: Float64Array;
}

/**
 * M = L·D·Lᵀ of a positive definite pentadiagonal M: L has ones on its diagonal and two diagonals below it, so that solving,
 * the determinant and the entries of the inverse near its diagonal all take O(n).
 */
export class PentadiagonalFactor {
  /** D, all above 0. */
  private readonly pivots: Float64Array;
  /** L at (i+1, i) and (i+2, i). */
  private readonly below: Float64Array;
  private readonly secondBelow: Float64Array;

  /** @throws RangeError where the matrix is not positive definite */
  constructor({ diagonal, first, second }: Pentadiagonal) {
    const n = diagonal.length;
    const pivots = (this.pivots = new Float64Array(n));
    const below = (this.below = new Float64Array(n));
    const secondBelow = (this.secondBelow = new Float64Array(n));
    for (let i = 0; i < n; i++) {
      let pivot = diagonal[i];
      let next = i + 1 < n ? first[i] : 0;
      if (i >= 1) {
        pivot -= below[i - 1] ** 2 * pivots[i - 1];
        next -= below[i - 1] * secondBelow[i - 1] * pivots[i - 1];
      }
      if (i >= 2) pivot -= secondBelow[i - 2] ** 2 * pivots[i - 2];
      if (!(pivot > 0)) throw new RangeError(`the matrix is not positive definite at row ${i}`);
      pivots[i] = pivot;
      below[i] = i + 1 < n ? next / pivot : 0;
      secondBelow[i] = i + 2 < n ? second[i] / pivot : 0;
    }
  }

  /** M⁻¹·b. */
  solve(b: Float64Array): Float64Array {
    const { pivots, below, secondBelow } = this;
    const x = Float64Array.from(b);
    const n = x.length;
    for (let i = 1; i < n; i++) {
      x[i] -= below[i - 1] * x[i - 1] + (i >= 2 ? secondBelow[i - 2] * x[i - 2] : 0);
    }
    for (let i = n - 1; i >= 0; i--) {
      x[i] /= pivots[i];
      if (i + 1 < n) x[i] -= below[i] * x[i + 1];
      if (i + 2 < n) x[i] -= secondBelow[i] * x[i + 2];
    }
    return x;
  }

  /** ln det M. */
  logDeterminant(): number {
    let sum = 0;
    for (const pivot of this.pivots) sum += Math.log(pivot);
    return sum;
  }

  /**
   * The diagonal of M⁻¹, by Takahashi's recursion from its last entry up: Z = D⁻¹L⁻¹ + (I − Lᵀ)·Z needs no entry of Z outside
   * of the band.
   *
   * Source: A. M. Erisman and W. F. Tinney: On computing certain elements of the inverse of a sparse matrix, 1975.
   */
  inverseDiagonal(): Float64Array {
    const { pivots, below, secondBelow } = this;
    const n = pivots.length;
    const diagonal = new Float64Array(n);
    // Z at (i+1, i+1), (i+1, i+2) and (i+2, i+2) of the row above the one that is computed; 0 outside of the matrix.
    let near = 0;
    let aside = 0;
    let far = 0;
    for (let i = n - 1; i >= 0; i--) {
      const beside = -below[i] * near - secondBelow[i] * aside;
      const second = -below[i] * aside - secondBelow[i] * far;
      const own = 1 / pivots[i] - below[i] * beside - secondBelow[i] * second;
      diagonal[i] = own;
      far = near;
      near = own;
      aside = beside;
    }
    return diagonal;
  }
}
