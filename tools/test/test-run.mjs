import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { seconds } from '../setup/progress.mjs';
import { SetupError } from '../setup/setup-error.mjs';
import { buildTypeScript, typescriptIsStale } from '../setup/outputs.mjs';
import { gitTree } from '../tidy/tidy.mjs';
import { baseOf, changedSince, commitCount } from './change.mjs';
import { referenceSeconds } from './cpu-seconds.mjs';
import { GATES, jestSuites, LANES, nodeSuites, sumOf, WORKERS } from './gates.mjs';
import { ImportGraph } from './import-graph.mjs';
import { longShare } from './long-share.mjs';
import { missingTools } from './missing-tools.mjs';
import { grownMost, heldAgainst, readBudgets, recordCosts, spendingOf } from './spending.mjs';
import { FOREIGN, recordedCosts, suitesAmong, TIERS } from './suites.mjs';
import { closingLine } from './tally.mjs';

/** Suites of the tools run in Node's own runner, which knows no tiers of ours. */
const TOOLS = 'tools';

/** One run of `npm test`: gates in two lanes, then the tiers one after another. */
export class TestRun {
  /** @type {{ name: string; tally: import('./tally.mjs').Tally; durationMs: number }[]} */
  #parts = [];
  /** @type {import('./suite-reporter.mjs').SuiteRecord[]} */
  #records = [];
  /** @type {{ suite: import('./suites.mjs').Suite; why: string }[]} */
  #landing = [];

  /**
   * @param {string} root
   * @param {{ words: string[]; full: boolean; record: boolean; landing?: string; bin?: string }} wanted gates, tiers and paths
   */
  constructor(root, wanted) {
    this.root = root;
    this.wanted = wanted;
    const known = new Set([...Object.keys(GATES), ...TIERS, FOREIGN, TOOLS]);
    const [names, paths] = [
      wanted.words.filter(word => known.has(word)),
      wanted.words.filter(word => !known.has(word)),
    ];
    const lost = paths.find(path => !existsSync(join(root, path)));
    if (lost) throw new SetupError(`There is no gate, tier, folder or file ${lost}.`, 2);
    this.paths = paths.map(path => path.replace(/^\.\//, '').replace(/\/+$/, ''));
    const everything = wanted.words.length === 0;
    this.gates = everything ? Object.keys(GATES) : names.filter(name => name in GATES);
    const tiers = names.filter(name => name === FOREIGN || TIERS.includes(name));
    const usual = wanted.full ? TIERS : ['unit', 'service'];
    // A long suite that is named by its file is meant.
    const named = this.paths.some(path => path.includes('.long.spec.')) ? TIERS : usual;
    this.tiers = everything ? usual : tiers.length > 0 ? tiers : this.paths.length > 0 ? named : [];
    this.tools = everything || names.includes(TOOLS) || names.includes(FOREIGN) || this.paths.length > 0;
    this.everything = everything;
  }

  /** Runs all that was asked for. @returns {Promise<{ closing: string[]; failed: boolean }>} lines for the end */
  async all() {
    const tree = gitTree(this.root);
    const suites = suitesAmong(tree.files).filter(({ file }) => this.#isWanted(file));
    if (this.paths.length > 0 && suites.length === 0)
      throw new SetupError(`No suite lies in ${this.paths.join(', ')}.`, 2);
    const measured = this.everything || this.wanted.record ? [await referenceSeconds(WORKERS)] : [];
    await this.#runGates();
    const inNode = suites.filter(({ runner, tier }) => runner === 'node' && this.#runsIn(tier));
    if (this.tools && inNode.length > 0)
      await this.#part(TOOLS, print => nodeSuites(this.root, print, inNode));
    if (this.tiers.length > 0 && typescriptIsStale(this.root)) await this.#part('build', () => this.#build());
    for (const tier of this.tiers) {
      const ofTier = suites.filter(suite => suite.runner === 'jest' && suite.tier === tier);
      if (ofTier.length > 0) await this.#part(tier, () => jestSuites(this.root, ofTier));
    }
    if (this.wanted.landing) await this.#runLongShare(suites, tree);
    if (measured.length > 0) measured.push(await referenceSeconds(WORKERS));
    return this.#close(suites, measured.reduce((sum, value) => sum + value, 0) / (measured.length || 1));
  }

  /** The line that counts, the last of the run. */
  line() {
    return closingLine(sumOf(this.#parts));
  }

  #isWanted(file) {
    return this.paths.length === 0 || this.paths.some(path => file === path || file.startsWith(`${path}/`));
  }

  /** Long suites of the tools go with the long tier, the others with the tools' gate. */
  #runsIn(tier) {
    return tier === 'unit' ? !this.tiers.includes(FOREIGN) : this.tiers.includes(tier);
  }

  async #build() {
    await buildTypeScript(this.root);
    return { tally: { passed: 0, failed: 0, skipped: 0 } };
  }

  async #runGates() {
    const lanes = LANES.map(lane => lane.filter(name => this.gates.includes(name)));
    await Promise.all(
      lanes.map(async lane => {
        for (const name of lane) {
          await this.#part(name, print => GATES[name](this.root, print, { whole: this.wanted.full }));
        }
      }),
    );
  }

  async #runLongShare(suites, tree) {
    const { root, wanted } = this;
    const { files } = changedSince(root, baseOf(root));
    const distances = new ImportGraph(tree).distancesFrom(files);
    const long = suites.filter(({ tier, runner }) => tier === 'long' && runner === 'jest');
    const turn = Number(wanted.bin ?? commitCount(root));
    this.#landing = longShare({
      suites: long,
      changed: files,
      distances,
      read: tree.read,
      costs: recordedCosts(root),
      turn,
    });
    const deadline = Date.now() + Number(wanted.landing) * 60_000;
    const share = this.#landing.map(({ suite }) => suite);
    await this.#part('long', () => jestSuites(root, share, { inOrder: true, deadline }));
  }

  /** Runs one part, and prints what it has to say at once: parts of two lanes do not mix. */
  async #part(name, work) {
    const startedMs = performance.now();
    let text = '';
    const { tally, records = [] } = await work(piece => (text += piece));
    const durationMs = performance.now() - startedMs;
    this.#parts.push({ name, tally, durationMs });
    this.#records.push(...records);
    process.stdout.write(`${text}› ${name}: ${closingLine(tally)}, ${seconds(durationMs)}\n`);
  }

  #close(suites, reference) {
    const lines = this.#parts.map(
      ({ name, tally, durationMs }) =>
        `${name.padEnd(8)} ${closingLine(tally).padEnd(34)} ${seconds(durationMs)}`,
    );
    const { failed, skipped } = sumOf(this.#parts);
    if (this.#records.length > 0) lines.push(...this.#spent(suites, reference));
    const missing = missingTools(this.#records);
    lines.push(...missing);
    const skipFails = process.env.CI === 'true' && skipped > 0;
    if (skipFails) lines.push('A skipped test is a failure here: its tool has to be installed.');
    lines.push(...this.#leftOver());
    // The last thing on the screen, and in a log that is cut.
    lines.push(...this.#records.flatMap(({ failures }) => failures.map(failure => `\nFAIL ${failure}`)));
    return { closing: lines, failed: failed > 0 || skipFails };
  }

  /** What the suites cost: the sum, the projects above their budget, the suites that grew. A project far above fails the run. */
  #spent(suites, reference) {
    const ran = this.#records.filter(({ notStarted }) => !notStarted);
    const cpu = ran.reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0);
    // A part of the suites is run without the loop, and is compared with nothing.
    const isMeasured = reference > 0;
    const loop = isMeasured ? `; the reference loop took ${reference.toFixed(2)} CPU s` : '';
    const lines = [`${ran.length} suites, ${cpu.toFixed(0)} CPU s${loop}.`];
    if (this.everything) {
      const { notices, faults } = heldAgainst(spendingOf(ran, reference), readBudgets(this.root));
      lines.push(...notices, ...faults);
      if (faults.length > 0)
        this.#parts.push({
          name: 'budgets',
          tally: { passed: 0, failed: faults.length, skipped: 0 },
          durationMs: 0,
        });
    }
    if (isMeasured) lines.push(...grownMost(ran, reference, recordedCosts(this.root)));
    if (this.wanted.record) recordCosts(this.root, ran, reference, new Set(suites.map(({ file }) => file)));
    return lines;
  }

  #leftOver() {
    const waiting = new Set(this.#records.filter(({ notStarted }) => notStarted).map(({ file }) => file));
    const left = this.#landing.filter(({ suite }) => waiting.has(suite.file));
    if (left.length === 0) return [];
    return [
      `${left.length} of ${this.#landing.length} long suites did not fit into ${this.wanted.landing} minutes; npm run test:full runs them:`,
      ...left.map(({ suite, why }) => `  ${suite.file} (${why})`),
    ];
  }
}
