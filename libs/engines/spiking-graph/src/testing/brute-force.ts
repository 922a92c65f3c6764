import type { Edge } from './random-graph.js';

/** The heaviest cut's weight over all 2^(n−1) of them, by Gray code. */
export function bestCut(nodes: number, edges: readonly Edge[]): number {
  const weights = Array.from({ length: nodes }, () => new Float64Array(nodes));
  for (const [u, v, w] of edges) {
    weights[u][v] += w;
    weights[v][u] += w;
  }
  const side = new Int8Array(nodes);
  let cut = 0;
  let best = 0;
  for (let code = 1; code < 2 ** (nodes - 1); code++) {
    const flipped = 31 - Math.clz32(code & -code);
    for (let j = 0; j < nodes; j++) cut += (side[j] === side[flipped] ? 1 : -1) * weights[flipped][j];
    side[flipped] ^= 1;
    best = Math.max(best, cut);
  }
  return best;
}

/** The largest independent set's size over all 2^n sets. */
export function largestIndependentSet(nodes: number, edges: readonly Edge[]): number {
  const forbids = new Int32Array(nodes);
  for (const [u, v] of edges) {
    forbids[u] |= 1 << v;
    forbids[v] |= 1 << u;
  }
  const extend = (open: number): number => {
    if (open === 0) return 0;
    const node = 31 - Math.clz32(open & -open);
    const without = open & ~(1 << node);
    return Math.max(1 + extend(without & ~forbids[node]), extend(without));
  };
  return extend((1 << nodes) - 1);
}

/** The fewest colours, by trying all colourings with one more until one is proper. */
export function chromaticNumber(nodes: number, edges: readonly Edge[]): number {
  const color = new Int32Array(nodes);
  const place = (node: number, colors: number, used: number): boolean => {
    if (node === nodes) return true;
    for (let c = 0; c < Math.min(colors, used + 1); c++) {
      const isFree = edges.every(
        ([u, v]) =>
          !((u === node && v < node && color[v] === c) || (v === node && u < node && color[u] === c)),
      );
      color[node] = c;
      if (isFree && place(node + 1, colors, Math.max(used, c + 1))) return true;
    }
    return false;
  };
  for (let colors = 1; ; colors++) if (place(0, colors, 0)) return colors;
}
