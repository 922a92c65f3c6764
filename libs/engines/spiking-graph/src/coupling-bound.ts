import type { Adjacency } from './adjacency.js';
import { greatestEigenvalue } from './greatest-eigenvalue.js';

/** Steps of the search for triangles; what it has found until then is as good a proof. */
const TRIANGLE_WORK_MAX = 2e7;
/** Above, a dense matrix costs more than what it says is worth. */
const SPECTRAL_NODES_MAX = 256;
/** What rounding may take off a bound is added to it: of eigenvalues, and of sums where weights are no whole numbers. */
const SPECTRAL_ROUNDING = 1e-9;
const SUM_ROUNDING = 1e-12;

/**
 * What Σ J_uv s_u s_v over the edges, J = sign·w, is at most, for any s of ±1: the lesser of two proofs.
 *
 * All edges satisfied would give Σ|J|. In a triangle whose J multiply to less than 0 one edge at least is not, whatever s: it
 * costs twice the least |J| of the three. Triangles that share no part of an edge's weight add up.
 *
 * And ½·sᵀ(J + diag c)s − ½Σc is at most ½·n·λmax(J + diag c) − ½Σc, for any c: taken with c = 0 and with the Laplacian's
 * (Mohar & Poljak 1990).
 */
export function couplingBound(graph: Adjacency, sign: 1 | -1): number {
  let total = 0;
  for (let k = 0; k < graph.weight.length; k++) total += Math.abs(graph.weight[k]);
  total /= 2;
  const rounding = graph.weight.every(Number.isInteger) ? 0 : SUM_ROUNDING * total;
  const byTriangles = total - 2 * frustration(graph, sign) + rounding;
  if (graph.nodes > SPECTRAL_NODES_MAX) return byTriangles;
  return Math.min(byTriangles, spectralBound(graph, sign) + SPECTRAL_ROUNDING * total);
}

/** Σ of the least |J| of frustrated triangles that share no part of an edge's weight, packed greedily. */
export function frustration({ nodes, offset, neighbour, weight }: Adjacency, sign: 1 | -1): number {
  const left = weight.map(Math.abs);
  let sum = 0;
  let work = 0;
  for (let i = 0; i < nodes && work < TRIANGLE_WORK_MAX; i++) {
    for (let ij = offset[i]; ij < offset[i + 1]; ij++) {
      const j = neighbour[ij];
      if (j <= i) continue;
      // Both rows ascend: nodes k > j that are in both close a triangle.
      let ik = ij + 1;
      let jk = offset[j];
      work += offset[i + 1] - ik + offset[j + 1] - jk;
      while (ik < offset[i + 1] && jk < offset[j + 1] && left[ij] > 0) {
        if (neighbour[ik] < neighbour[jk]) ik++;
        else if (neighbour[ik] > neighbour[jk]) jk++;
        else {
          const signs = sign * Math.sign(weight[ij]) * Math.sign(weight[ik]) * Math.sign(weight[jk]);
          const least = signs < 0 ? Math.min(left[ij], left[ik], left[jk]) : 0;
          sum += least;
          left[ij] -= least;
          left[ik++] -= least;
          left[jk++] -= least;
        }
      }
    }
  }
  return sum;
}

function spectralBound({ nodes, offset, neighbour, weight }: Adjacency, sign: 1 | -1): number {
  const matrix = new Float64Array(nodes * nodes);
  const withLaplacian = new Float64Array(nodes * nodes);
  let sum = 0;
  for (let i = 0; i < nodes; i++) {
    for (let k = offset[i]; k < offset[i + 1]; k++) {
      matrix[i * nodes + neighbour[k]] = sign * weight[k];
      withLaplacian[i * nodes + neighbour[k]] = sign * weight[k];
      withLaplacian[i * nodes + i] -= sign * weight[k];
      sum -= sign * weight[k];
    }
  }
  const plain = (nodes / 2) * greatestEigenvalue(matrix, nodes);
  return Math.min(plain, (nodes / 2) * greatestEigenvalue(withLaplacian, nodes) - sum / 2);
}
