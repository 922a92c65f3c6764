import { spawn } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { withDescendants } from '../test/cpu-seconds.mjs';
import { ImportGraph } from '../test/import-graph.mjs';
import { expectedSeconds, suiteOf, suitesAmong, TIERS } from '../test/suites.mjs';
import { applyChange } from './scratch-copy.mjs';

/**
 * @typedef {'unit' | 'service' | 'long'} Tier
 * @typedef {{ suite: string; test?: string; isStale?: boolean }} Failure what went red first: a path relative to the root, and its
 *   test, if one failed; stale: it was red for outputs that are missing or old, which tells nothing of a fault
 * @typedef {{ failure?: Failure; suites: string[] }} Run the suites that ran to their end
 * @typedef {{ caughtBy?: string; tier?: Tier; test?: string; suites: number; notLoaded: string[]; brokenSuites: string[] }} Finding
 *   what catches a fault, and how many suites were run for it; those are not loaded that the fault made red before a test could fail;
 *   those are broken that are red without it, too
 */

/** Related suites of each tier that are looked through, nearest first. */
const SEARCHED_MAX = { unit: 40, service: 24, long: 4 };
/** Suites of one run of Jest, which ends with the first that is red. */
const BATCH = 6;
/** What a suite may take by the wall, seconds. A fault is caught that makes one hang which else takes less than half of it. */
const SUITE_SECONDS_MAX = { unit: 60, service: 90, long: 600 };

/** Stands for the name of a test where a suite had to be ended. */
const HANGS = 'does not end';

/** What suites say that find what is built missing or older than its source. */
const STALE = /^\s*(?:Error: )?(?:What is built is missing|The packages are not built)/m;

const tierOf = suite => suiteOf(suite).tier;

/**
 * Finds the suites that a file reaches, in the order in which they are asked about a fault in it: the quick tiers first, in
 * each those with the fewest imports between, and of those the cheapest; services of the same package before others.
 *
 * @param {import('../tidy/tidy.mjs').Tree} tree
 * @param {import('../test/suites.mjs').Costs} costs
 * @returns {(file: string) => string[]}
 */
export function suiteSearch(tree, costs) {
  const graph = new ImportGraph(tree);
  const suites = suitesAmong(tree.files).filter(({ runner }) => runner === 'jest');
  return file => {
    const distances = graph.distancesFrom([file]);
    // Suites with a service start it whole: how far away the file is says little, but for whose it is.
    const isFar = ({ tier, project }) => Number(tier !== 'unit' && !file.startsWith(`${project}/`));
    const rank = suite =>
      TIERS.indexOf(suite.tier) * 2_000 + isFar(suite) * 1_000 + distances.get(suite.file);
    return suites
      .filter(suite => distances.has(suite.file))
      .sort((a, b) => rank(a) - rank(b) || expectedSeconds(a, costs) - expectedSeconds(b, costs))
      .map(suite => suite.file);
  };
}

/** A copy of the checkout in which suites are run, one at a time. */
export class SuiteRunner {
  /**
   * @param {string} folder of the copy
   * @param {string} scratch folder of its own for the report and Jest's cache
   * @param {(file: string) => string[]} search suites that a file reaches, the first to be asked first
   * @param {Map<string, Promise<boolean>>} soundness of suites that were run without a fault; shared by all copies
   * @param {Record<Tier, number>} secondsMax what a suite may take
   */
  constructor(folder, scratch, search, soundness, secondsMax = SUITE_SECONDS_MAX) {
    this.folder = folder;
    this.scratch = scratch;
    this.search = search;
    this.soundness = soundness;
    this.secondsMax = secondsMax;
    this.child = undefined;
  }

  /**
   * Looks for a suite of which a test fails with a fault and not without. A suite that does not load catches none: it says that the
   * source is broken, and not what is wrong with what it does.
   *
   * @param {import('./scratch-copy.mjs').Change} change
   * @param {string} [recorded] is asked first
   * @returns {Promise<Finding>}
   */
  async find(change, recorded) {
    const [notLoaded, brokenSuites] = [[], []];
    let suites = 0;
    for (const batch of this.batches(change, recorded)) {
      const queue = [batch];
      for (const asked of queue) {
        const restore = applyChange(this.folder, change);
        const run = await this.run(asked).finally(restore);
        suites += run.suites.length;
        if (!run.failure) continue;
        const { suite, test, isStale } = run.failure;
        if (test === HANGS && asked.length > 1) {
          // Which of them it was is not known.
          queue.push(...asked.map(each => [each]));
          continue;
        }
        const isSound = !isStale && (await this.isSound(suite, test === HANGS ? 0.5 : 1));
        if (isSound && test)
          return { caughtBy: suite, tier: tierOf(suite), test, suites, notLoaded, brokenSuites };
        (isSound ? notLoaded : brokenSuites).push(suite);
        const left = asked.filter(other => other !== suite && !run.suites.includes(other));
        if (left.length > 0) queue.push(left);
      }
    }
    return { suites, notLoaded, brokenSuites };
  }

  *batches(change, recorded) {
    if (recorded) yield [recorded];
    const related = this.search(change.file);
    for (const tier of TIERS) {
      const searched = related
        .filter(suite => tierOf(suite) === tier && suite !== recorded)
        .slice(0, SEARCHED_MAX[tier]);
      for (let at = 0; at < searched.length; at += BATCH) yield searched.slice(at, at + BATCH);
    }
  }

  isSound(suite, share) {
    const name = `${suite} ${share}`;
    const known = this.soundness.get(name) ?? this.run([suite], share).then(({ failure }) => !failure);
    this.soundness.set(name, known);
    return known;
  }

  /**
   * @param {string[]} suites
   * @param {number} share of the time that they may take
   * @returns {Promise<Run>}
   */
  async run(suites, share = 1) {
    const [report, order] = ['report.json', 'order.json'].map(name => join(this.scratch, name));
    rmSync(report, { force: true });
    writeFileSync(order, JSON.stringify(suites));
    const args = ['-i', '--bail=1', '--json', `--outputFile=${report}`, '--runTestsByPath', ...suites];
    const limitSeconds = suites.reduce((sum, suite) => sum + this.secondsMax[tierOf(suite)], 0);
    if (await this.hangs(args, { SUITE_ORDER: order }, limitSeconds * share))
      return { failure: { suite: suites[0], test: HANGS }, suites: [] };
    const { testResults } = JSON.parse(readFileSync(report, 'utf8'));
    const red = testResults.find(({ status }) => status === 'failed');
    return {
      suites: testResults.map(({ name }) => relative(this.folder, name)),
      failure: red && {
        ...{ suite: relative(this.folder, red.name), test: firstRed(red) },
        isStale: STALE.test(red.message),
      },
    };
  }

  /** Runs Jest; true where it had to be ended, here or by its own guard against what hangs. */
  hangs(args, variables, limitSeconds) {
    const cache = `--cacheDirectory=${join(this.scratch, 'cache')}`;
    const command = ['--experimental-vm-modules', 'node_modules/jest/bin/jest.js', cache, ...args];
    return new Promise((resolve, reject) => {
      const env = { ...process.env, NODE_NO_WARNINGS: '1', ...variables };
      this.child = spawn(process.execPath, command, { cwd: this.folder, env, stdio: 'ignore' });
      const timer = setTimeout(() => this.stop(), limitSeconds * 1_000);
      this.child.once('error', reject);
      this.child.once('close', (_code, signal) => {
        clearTimeout(timer);
        this.child = undefined;
        resolve(signal !== null);
      });
    });
  }

  /** Ends what runs, and all that it started: a database that leads a session of its own is in no group of ours. */
  stop() {
    if (this.child) for (const pid of withDescendants(this.child.pid)) end(pid);
  }
}

function end(pid) {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if (error.code !== 'ESRCH') throw error;
  }
}

const firstRed = ({ assertionResults }) =>
  assertionResults.find(({ status }) => status === 'failed')?.fullName;
