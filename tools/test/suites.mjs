import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Tiers in the order in which they run, and cross-checks with programs in other languages, which are in none of them. */
export const TIERS = ['unit', 'service', 'long'];
export const FOREIGN = 'foreign';

/** Ends what hangs, in ms; no test is about how long it takes. */
export const TIMEOUT_MS = { unit: 60_000, service: 240_000, long: 600_000, foreign: 600_000 };

/**
 * A suite of tests. The name of its file tells everything: `src/**` is the unit tier, `e2e/**` the service tier, and
 * `X.long.spec.ts` in either the long tier; `X.foreign.spec.ts` needs kubectl, Go, Python or Rust and is of no tier.
 *
 * @typedef {object} Suite
 * @property {string} file from the root, with `/`
 * @property {'unit' | 'service' | 'long' | 'foreign'} tier
 * @property {string} project folder of its package, or `tools`, `bench`
 * @property {'jest' | 'node'} runner specs of the tools run in Node's own test runner
 */

/**
 * What a file is as a suite.
 *
 * @param {string} file from the root, with `/`
 * @returns {Suite | undefined} undefined for a file that is none
 */
export function suiteOf(file) {
  const inPackage = /^((?:apps|libs\/engines|libs|tools(?=\/sandbox))\/[^/]+)\/(src|e2e)\/.*\.spec\.ts$/.exec(
    file,
  );
  if (inPackage) {
    const [, project, folder] = inPackage;
    const tier = namedTier(file) ?? (folder === 'e2e' ? 'service' : 'unit');
    return { file, tier, project, runner: 'jest' };
  }
  const ofTools = /^(tools|bench)\/.*\.spec\.mjs$/.exec(file);
  if (!ofTools) return undefined;
  const tier = namedTier(file) ?? 'unit';
  return { file, tier, project: ofTools[1], runner: 'node' };
}

const namedTier = file => /\.(long|foreign)\.spec\.m?[jt]s$/.exec(file)?.[1];

/**
 * The suites among files.
 *
 * @param {string[]} files from the root, with `/`
 * @returns {Suite[]}
 */
export const suitesAmong = files => files.flatMap(file => suiteOf(file) ?? []);

/**
 * What a long suite says of itself in its first two lines.
 *
 * @param {string} text its source
 * @returns {{ sample?: string; reason?: string; watches: string[] }} `sample` the quick suite beside it (`// commit: ./X.spec.ts`),
 *   or `reason` why there is none (`// commit: none, …`); `watches` paths whose change makes it run at a landing
 */
export function longHeader(text) {
  const [first = '', second = ''] = text.split('\n', 2);
  const [, commit] = /^\/\/ commit: (.+)$/.exec(first) ?? [];
  const [, watches = ''] = /^\/\/ watches: (.+)$/.exec(second) ?? [];
  const none = /^none(?:, (.+))?$/.exec(commit ?? '');
  return {
    ...(none ? { reason: none[1] } : { sample: commit }),
    watches: watches.split(',').flatMap(path => path.trim() || []),
  };
}

/**
 * @typedef {object} Costs
 * @property {number} reference CPU seconds of the reference loop in the run that they are of
 * @property {Record<string, [cpuSeconds: number, wallSeconds: number, expectations?: number]>} suites by file
 */

/**
 * What suites cost in the last recorded run (`npm run test:full -- --record`).
 *
 * @param {string} root
 * @returns {Costs}
 */
export const recordedCosts = root => JSON.parse(readFileSync(join(root, 'tools/test/costs.json'), 'utf8'));

/** Where no suite of a tier has been measured yet, one is taken for these. */
const UNKNOWN_SECONDS = { unit: 2, service: 8, tools: 4, long: 60, foreign: 60 };
/** Quick suites that Node runs each start a process and load what they need anew: they are a kind of their own. */
const kindOf = ({ tier, runner }) => (tier === 'unit' && runner === 'node' ? 'tools' : tier);
/** @type {WeakMap<Costs, Record<string, number>>} median of each kind */
const medians = new WeakMap();

/**
 * Wall seconds that a suite is expected to take: what it took when it was measured, else the median of its tier.
 *
 * @param {Suite} suite
 * @param {Costs} costs
 */
export const expectedSeconds = (suite, costs) =>
  costs.suites[suite.file]?.[1] ?? mediansOf(costs)[kindOf(suite)];

function mediansOf(costs) {
  if (!medians.has(costs)) {
    const ofTiers = Object.entries(UNKNOWN_SECONDS).map(([kind, unknown]) => {
      const measured = Object.entries(costs.suites)
        .filter(([file]) => suiteOf(file) && kindOf(suiteOf(file)) === kind)
        .map(([, [, wallSeconds]]) => wallSeconds)
        .sort((a, b) => a - b);
      return [kind, measured[(measured.length - 1) >> 1] ?? unknown];
    });
    medians.set(costs, Object.fromEntries(ofTiers));
  }
  return medians.get(costs);
}
