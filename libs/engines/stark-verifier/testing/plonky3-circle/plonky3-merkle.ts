import { keccak_256 } from '@noble/hashes/sha3.js';
import { baseToBytes, m31 } from '@svc/kernels';

/** A committed matrix: its height, and the row opened for each query. */
export interface OpenedMatrix {
  readonly height: number;
  /** Base-field elements, of queries in the order of the indices. */
  readonly rows: readonly (readonly bigint[])[];
}

/**
 * Whether rows lie under the root of a Plonky3 MMCS: rows of the tallest matrices are hashed into leaves, those of shorter ones are
 * compressed in where the tree has narrowed to their height. Siblings are given level by level, ascending, each once.
 * @param indices of the tallest matrices' rows, possibly repeated
 */
export function verifyPlonky3Openings(
  root: Uint8Array,
  matrices: readonly OpenedMatrix[],
  indices: readonly number[],
  siblings: readonly Uint8Array[],
): boolean {
  const queryOf = new Map<number, number>();
  for (const [query, index] of indices.entries()) {
    const first = queryOf.get(index);
    if (first === undefined) queryOf.set(index, query);
    else if (!matrices.every(({ rows }) => sameRow(rows[first], rows[query]))) return false;
  }
  const height = Math.max(...matrices.map(matrix => matrix.height));
  const rowsHash = (query: number, at: number) => {
    const rows = matrices.filter(matrix => matrix.height === at).map(matrix => matrix.rows[query]);
    return rows.length === 0 ? undefined : keccak_256(baseToBytes(rows.flat(), m31));
  };

  let used = 0;
  let level = [...queryOf]
    .sort(([a], [b]) => a - b)
    .map(([index, query]) => ({ index, query, digest: rowsHash(query, height) as Uint8Array }));
  for (let width = height / 2; width >= 1; width /= 2) {
    const parents: typeof level = [];
    for (let i = 0; i < level.length; i++) {
      const { index, query, digest } = level[i];
      const paired = level[i + 1]?.index === (index ^ 1);
      const sibling = paired ? level[++i].digest : siblings[used++];
      if (!sibling) return false;
      const joined = index % 2 === 0 ? compress(digest, sibling) : compress(sibling, digest);
      const injected = rowsHash(query, width);
      parents.push({
        index: index >> 1,
        query,
        digest: injected ? compress(joined, injected) : joined,
      });
    }
    level = parents;
  }
  return (
    used === siblings.length && level.length === 1 && level[0].digest.every((byte, i) => byte === root[i])
  );
}

function compress(left: Uint8Array, right: Uint8Array): Uint8Array {
  return keccak_256(Uint8Array.from([...left, ...right]));
}

function sameRow(a: readonly bigint[], b: readonly bigint[]): boolean {
  return a.length === b.length && a.every((value, i) => value === b[i]);
}
