import { send } from './load.mjs';

/**
 * One of the loads that are compared.
 *
 * @typedef {object} Side
 * @property {string} name
 * @property {import('./served-process.mjs').ServedProcess} to
 * @property {string} path
 * @property {(count: number) => Promise<Record<string, string>[]>} [headers] makes those of so many calls, each good for one, before
 *   the clock runs
 * @property {() => string} bodyOf of the next call
 * @property {boolean} [mayRefuse] whether answers of another status are counted and not an error
 */

/**
 * Sends slices of several loads by turns, so that all meet the same machine, and reports the medians of the rounds. The first is the warm-up.
 *
 * @param {import('./report.mjs').Report} report
 * @param {Side[]} sides
 * @param {{ slice: number; rounds: number; connections: number; status: number }} load `slice` calls of each side a round
 * @returns {Promise<(name: string, peer: string) => number>} calls a second of the one beside those of the other
 */
export async function byTurns(report, sides, { slice, rounds, connections, status }) {
  const figures = new Map(sides.map(({ name }) => [name, []]));
  for (let round = 0; round <= rounds; round++) {
    for (const { name, to, path, headers, bodyOf, mayRefuse } of sides) {
      const list = await headers?.(slice);
      const load = { to, path, connections, amount: slice, status, mayRefuse, bodyOf };
      const result = await send({ ...load, ...(list && { headersOf: i => list[i] }) });
      if (round > 0) figures.get(name).push(result);
    }
  }
  for (const [name, rows] of figures) {
    const medians = ['perSecond', 'p50Ms', 'p99Ms', 'cpuMsEach'].map(figure => [
      figure,
      median(rows, figure),
    ]);
    const refused = rows.reduce((sum, row) => sum + row.refused, 0);
    report.row(name, { ...Object.fromEntries(medians), calls: slice * rounds, refused });
  }
  return (name, peer) => {
    const ratios = figures.get(name).map(({ perSecond }, round) => ({
      ratio: perSecond / figures.get(peer)[round].perSecond,
    }));
    return median(ratios, 'ratio');
  };
}

/** The median of one figure of several rows. */
export const median = (rows, figure) =>
  rows.map(each => each[figure]).sort((a, b) => a - b)[Math.floor(rows.length / 2)];
