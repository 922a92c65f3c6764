import { posix } from 'node:path';
import { expectedSeconds, longHeader } from './suites.mjs';

/** The bin whose turn it is runs first, so that every long suite runs in one of as many landings, whatever changed. */
const BINS = 10;
/** A suite is up where its bin's turn is now or so many landings off: of money that changed all runs in as many landings. */
const UP_EVERY = 5;
/** A loss here is a loss of somebody's money: these suites come before others that a change touches. */
export const MONEY = /^(apps\/(payments|allinone|prover|department)|libs\/(durability|protocols|platform))$/;

/**
 * Long suites for a landing, in the order in which they are to be started: the bin whose turn it is, those on money and durability that
 * the change touches, others that it touches, then others that are up. Among these those that are up come first, then the nearest.
 * Touched is a suite whose project changed, one that a changed file reaches by imports, and one whose `// watches:` names a path that
 * changed. Suites of the tools that are reached by imports alone come last, since most packages are imported by a benchmark.
 *
 * @param {object} parts
 * @param {import('./suites.mjs').Suite[]} parts.suites all long ones
 * @param {string[]} parts.changed files, gone ones included
 * @param {Map<string, number>} parts.distances of files from the changed ones, by imports
 * @param {(file: string) => string} parts.read
 * @param {import('./suites.mjs').Costs} parts.costs
 * @param {number} parts.turn which bin: the count of commits, say
 * @returns {{ suite: import('./suites.mjs').Suite; why: string; isLast?: boolean }[]}
 */
export function longShare({ suites, changed, distances, read, costs, turn }) {
  const bins = binsOf(suites, costs);
  const placed = suites.map(suite => {
    const bin = bins.get(suite);
    const isUp = bin % UP_EVERY === turn % UP_EVERY;
    const isReached = distances.has(suite.file);
    const [rank, why = `bin ${bin} of ${BINS}`] = touch(suite, { changed, isReached, read });
    const isFirst = bin === turn % BINS;
    const isLast = isReached && rank === UNTOUCHED && !isUp;
    const keys = [Number(!isFirst), Number(isLast), rank, Number(!isUp), distances.get(suite.file) ?? 0];
    return {
      keys,
      isWanted: isUp || isReached || rank < UNTOUCHED,
      told: { suite, why, ...(isLast && { isLast }) },
    };
  });
  return placed
    .filter(({ isWanted }) => isWanted)
    .sort((a, b) => a.keys.reduce((known, key, i) => known || key - b.keys[i], 0))
    .map(({ told }) => told);
}

const UNTOUCHED = 2;

/** How much a change asks for a suite: its rank, and the reason unless it is untouched. */
function touch(suite, { changed, isReached, read }) {
  const paths = [...homes(suite), ...longHeader(read(suite.file)).watches];
  const isWatched = paths.some(path => changed.some(file => file === path || file.startsWith(`${path}/`)));
  if (isWatched && MONEY.test(suite.project)) return [0, 'money or durability, changed'];
  return isWatched || (isReached && suite.runner === 'jest') ? [1, 'reached by the change'] : [UNTOUCHED];
}

/** The folders whose change touches a suite. Suites of the tools have no project: the folder that they lie in stands for it. */
function homes({ file, project, runner }) {
  if (runner === 'jest') return [project];
  const folder = posix.dirname(file);
  return folder === 'tools/bench' ? [folder, 'bench'] : [folder];
}

/** Bins of suites that take about as long as one another: each goes, the longest first, into the one with least in it. */
function binsOf(suites, costs) {
  const filled = Array(BINS).fill(0);
  const sorted = suites
    .map(suite => ({
      suite,
      seconds: expectedSeconds(suite, costs),
      others: Number(!MONEY.test(suite.project)),
    }))
    .sort((a, b) => a.others - b.others || b.seconds - a.seconds || (a.suite.file < b.suite.file ? -1 : 1));
  return new Map(
    sorted.map(({ suite, seconds }) => {
      const bin = filled.indexOf(Math.min(...filled));
      filled[bin] += seconds;
      return [suite, bin];
    }),
  );
}
