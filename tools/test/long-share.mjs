import { posix } from 'node:path';
import { expectedSeconds, longHeader } from './suites.mjs';

/** Every long suite comes up in one of as many landings, whatever changed. */
const BINS = 5;
/** A loss here is a loss of somebody's money: these suites come before others that a change touches. */
const MONEY = /^(apps\/(payments|allinone|prover|department)|libs\/(durability|protocols|platform))$/;

/**
 * Long suites for a landing, in the order in which they are to be started: those on money and durability that the change touches,
 * others that it touches, nearest first, then the bin whose turn it is. Touched is a suite whose project changed, one that a
 * changed file reaches by imports, and one whose `// watches:` names a path that changed. Suites of the tools have no project: the
 * folder that they lie in stands for it, and bench/ for that of the benchmarks. Those that are reached by imports alone come last,
 * since most packages are imported by a benchmark.
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
  const rank = suite => {
    const { watches } = longHeader(read(suite.file));
    const watched = [...homes(suite), ...watches].some(path =>
      changed.some(file => file === path || file.startsWith(`${path}/`)),
    );
    const distance = distances.get(suite.file);
    if (watched && MONEY.test(suite.project)) return [0, distance ?? 0, 'money or durability, changed'];
    if (watched || (distance !== undefined && suite.runner === 'jest'))
      return [1, distance ?? 0, 'reached by the change'];
    return undefined;
  };
  const ranked = suites.map(suite => ({ suite, place: rank(suite) }));
  const touched = ranked
    .filter(({ place }) => place)
    .sort((a, b) => a.place[0] - b.place[0] || a.place[1] - b.place[1])
    .map(({ suite, place }) => ({ suite, why: place[2] }));
  const others = ranked.filter(({ place }) => !place).map(({ suite }) => suite);
  const bin = binsOf(suites, costs)[turn % BINS];
  const rotation = others
    .filter(suite => bin.includes(suite))
    .map(suite => ({ suite, why: `bin ${turn % BINS} of ${BINS}` }));
  const last = others
    .filter(suite => !bin.includes(suite) && distances.has(suite.file))
    .map(suite => ({ suite, why: 'reached by the change', isLast: true }));
  return [...touched, ...rotation, ...last];
}

function homes({ file, project, runner }) {
  if (runner === 'jest') return [project];
  const folder = posix.dirname(file);
  return folder === 'tools/bench' ? [folder, 'bench'] : [folder];
}

/** Suites in bins that take about as long as one another: each goes, the longest first, into the one with least in it. */
function binsOf(suites, costs) {
  const bins = Array.from({ length: BINS }, () => ({ seconds: 0, suites: [] }));
  const sorted = suites
    .map(suite => ({ suite, seconds: expectedSeconds(suite, costs) }))
    .sort((a, b) => b.seconds - a.seconds || (a.suite.file < b.suite.file ? -1 : 1));
  for (const { suite, seconds } of sorted) {
    const least = bins.reduce((a, b) => (b.seconds < a.seconds ? b : a));
    least.seconds += seconds;
    least.suites.push(suite);
  }
  return bins.map(bin => bin.suites);
}
