import { relative, resolve } from 'node:path';
import { SetupError } from '../setup/setup-error.mjs';
import { FOREIGN, suitesAmong, TIERS } from './suites.mjs';

/** Suites of the tools run in Node's own runner; those that are not long go by this name. */
const TOOLS = 'tools';

/**
 * What a run of `npm test` is of.
 *
 * @typedef {object} Choice
 * @property {string[]} gates
 * @property {string[]} tiers of Jest's suites, in their order
 * @property {import('./suites.mjs').Suite[]} suites those of these tiers that Jest runs
 * @property {import('./suites.mjs').Suite[]} nodeSuites
 * @property {boolean} everything nothing was named
 */

/**
 * Reads the words of a command: gates, tiers, folders, files. A word that selects nothing is refused: a run of nothing would be green.
 *
 * @param {object} parts
 * @param {string} parts.root
 * @param {string} parts.cwd from where paths are named
 * @param {string[]} parts.files all of the tree, from the root
 * @param {string[]} parts.words
 * @param {string[]} parts.gates that there are
 * @param {boolean} parts.full every tier where none is named
 * @returns {Choice}
 * @throws {SetupError} with what is nearest to a word that selects nothing
 */
export function choose({ root, cwd, files, words, gates, full }) {
  const known = [...gates, ...TIERS, FOREIGN, TOOLS];
  const names = words.filter(word => known.includes(word));
  const paths = words
    .filter(word => !known.includes(word))
    .map(word => pathOf(word, { root, cwd, files, known }));
  const all = suitesAmong(files);
  const lying = paths.length === 0 ? all : all.filter(({ file }) => paths.some(path => lies(file, path)));
  const everything = words.length === 0;
  const tiers = tiersOf({ names, paths, everything, full });
  const wantsTools = everything || names.includes(TOOLS) || (paths.length > 0 && tiers.includes('unit'));
  const isWanted = ({ tier, runner }) =>
    runner === 'node' && tier === 'unit' ? wantsTools : tiers.includes(tier);
  const suites = lying.filter(isWanted);
  for (const path of paths) mustSelect(path, { suites, all, names });
  for (const name of names) {
    const holds = ({ tier, runner }) => (name === TOOLS ? runner === 'node' : tier === name);
    if (gates.includes(name) || suites.some(holds)) continue;
    throw new SetupError(`No ${name} suite lies in ${paths.join(', ')}${otherwise(lying)}.`, 2);
  }
  return {
    gates: everything ? gates : names.filter(name => gates.includes(name)),
    tiers,
    suites: suites.filter(({ runner }) => runner === 'jest'),
    nodeSuites: suites.filter(({ runner }) => runner === 'node'),
    everything,
  };
}

/** A suite of a tier that is left out usually is meant when its file is named. */
function tiersOf({ names, paths, everything, full }) {
  const named = [...TIERS, FOREIGN].filter(tier => names.includes(tier));
  if (named.length > 0) return named;
  if (names.includes(TOOLS) || (!everything && paths.length === 0)) return [];
  const usual = full ? TIERS : ['unit', 'service'];
  const byFile = [...TIERS, FOREIGN].filter(tier => paths.some(path => path.includes(`.${tier}.spec.`)));
  return [...TIERS, FOREIGN].filter(tier => usual.includes(tier) || byFile.includes(tier));
}

function pathOf(word, { root, cwd, files, known }) {
  const path = relative(root, resolve(cwd, word)).replaceAll('\\', '/');
  if (path === '..' || path.startsWith('../'))
    throw new SetupError(`${word} lies outside of this repository.`, 2);
  if (files.some(file => lies(file, path))) return path;
  const folders = new Set(files.flatMap(foldersAbove));
  const near = nearest(path, [...known, ...folders, ...files]);
  throw new SetupError(`There is no gate, tier, folder or file ${word}; the nearest is ${near}.`, 2);
}

function mustSelect(path, { suites, all, names }) {
  if (suites.some(({ file }) => lies(file, path))) return;
  const what =
    names.length > 0 ? `${names.join(' or ')} suite` : 'suite that a run without a tier would take';
  const there = all.filter(({ file }) => lies(file, path));
  const instead =
    there.length > 0
      ? otherwise(there)
      : `; the nearest suite is ${nearest(
          path,
          all.map(({ file }) => file),
        )}`;
  throw new SetupError(`No ${what} lies in ${path}${instead}.`, 2);
}

/** The tiers that are there: `; there are long, foreign`. */
function otherwise(suites) {
  const nameOf = ({ runner, tier }) => (runner === 'node' && tier === 'unit' ? TOOLS : tier);
  const there = [...new Set(suites.map(nameOf))];
  return there.length > 0 ? `; it has suites of ${there.join(', ')}` : '';
}

const lies = (file, path) => path === '' || file === path || file.startsWith(`${path}/`);

const foldersAbove = file =>
  file
    .split('/')
    .slice(1)
    .map((_, i) => file.split('/', i + 1).join('/'));

/** The text that takes the fewest changes of letters to become another. */
function nearest(word, texts) {
  let [best, least] = [undefined, Infinity];
  for (const text of texts) {
    const distance = changesBetween(word, text);
    if (distance < least) [best, least] = [text, distance];
  }
  return best;
}

function changesBetween(a, b) {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const kept = row[j - 1] + Number(a[i - 1] !== b[j - 1]);
      next.push(Math.min(kept, row[j] + 1, next[j - 1] + 1));
    }
    row = next;
  }
  return row[b.length];
}
