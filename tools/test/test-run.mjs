import { performance } from 'node:perf_hooks';
import { seconds } from '../setup/progress.mjs';
import { buildTypeScript, typescriptIsStale } from '../setup/outputs.mjs';
import { gitTree } from '../tidy/tidy.mjs';
import { baseOf, changedSince, turnOf } from './change.mjs';
import { referenceSeconds } from './cpu-seconds.mjs';
import { GATES, jestSuites, LANES, nodeSuites, SERVICE_WORKERS, sumOf, WORKERS } from './gates.mjs';
import { ImportGraph } from './import-graph.mjs';
import { longShare } from './long-share.mjs';
import { missingTools } from './missing-tools.mjs';
import { grownMost, heldAgainst, readBudgets, recordCosts, spendingOf, spentInAll } from './spending.mjs';
import { expectedSeconds, recordedCosts, suiteOf, suitesAmong } from './suites.mjs';
import { closingLine } from './tally.mjs';
import { choose } from './test-choice.mjs';

/** Tests that were skipped for what `SKIPS_ALLOWED` names: what a machine of CI could not install is named, and is no failure there. */
const spared = records =>
  records
    .flatMap(({ missing }) => missing)
    .filter(reason => process.env.SKIPS_ALLOWED && reason.startsWith(`${process.env.SKIPS_ALLOWED}: `))
    .length;

/** One run of `npm test`: gates in two lanes, then the tiers one after another. */
export class TestRun {
  /** @type {{ name: string; tally: import('./tally.mjs').Tally; durationMs: number }[]} */
  #parts = [];
  /** @type {import('./suite-reporter.mjs').SuiteRecord[]} */
  #records = [];
  /** @type {import('./gates.mjs').NodeRecord[]} */
  #nodeRecords = [];
  /** @type {string[]} failures of no suite */
  #faults = [];
  /** @type {ReturnType<typeof longShare>} */
  #landing = [];
  /** @type {Set<string>} files of the landing that there was no time for */
  #late = new Set();

  /**
   * @param {string} root
   * @param {{ words: string[]; full: boolean; record: boolean; landing?: string; bin?: string }} wanted gates, tiers and paths
   * @param {(copies: number) => Promise<number>} [reference] CPU seconds of the loop that all else is held against
   * @throws {SetupError} when a word selects nothing
   */
  constructor(root, wanted, reference = referenceSeconds) {
    this.root = root;
    this.wanted = wanted;
    this.reference = reference;
    this.tree = gitTree(root);
    const { files } = this.tree;
    const { words, full } = wanted;
    this.choice = choose({ root, cwd: process.cwd(), files, words, gates: Object.keys(GATES), full });
    // Before anything is run: a base that is not there is an error at once.
    if (this.choice.gates.includes('format') || wanted.landing) this.base = baseOf(root);
  }

  /** Runs all that was asked for. @returns {Promise<{ closing: string[]; failed: boolean }>} lines for the end */
  async all() {
    const { tiers, suites, nodeSuites: inNode, everything } = this.choice;
    const measured = everything || this.wanted.record ? [await this.reference(WORKERS)] : [];
    await this.#runGates();
    if (suites.length + inNode.length > 0 && typescriptIsStale(this.root))
      await this.#part('build', () => this.#build());
    if (inNode.length > 0) await this.#part('tools', print => nodeSuites(this.root, print, inNode));
    for (const tier of tiers) {
      const ofTier = suites.filter(suite => suite.tier === tier);
      const workers = tier === 'service' ? SERVICE_WORKERS : WORKERS;
      if (ofTier.length > 0) await this.#part(tier, () => jestSuites(this.root, ofTier, { workers }));
    }
    if (this.wanted.landing) await this.#runLongShare(measured[0]);
    if (measured.length > 0) measured.push(await this.reference(WORKERS));
    return this.#close(measured.reduce((sum, value) => sum + value, 0) / (measured.length || 1));
  }

  /** The line that counts, the last of the run. */
  line() {
    return closingLine(sumOf(this.#parts));
  }

  async #build() {
    await buildTypeScript(this.root);
    return { tally: { passed: 0, failed: 0, skipped: 0 } };
  }

  async #runGates() {
    const lanes = LANES.map(lane => lane.filter(name => this.choice.gates.includes(name)));
    await Promise.all(
      lanes.map(async lane => {
        for (const name of lane) {
          await this.#part(name, print =>
            GATES[name](this.root, print, { whole: this.wanted.full, base: this.base }),
          );
        }
      }),
    );
  }

  /** @param {number} [reference] CPU seconds of the loop: a slower machine than that of the recorded costs takes longer */
  async #runLongShare(reference) {
    const { root, wanted, tree } = this;
    const { files, gone } = changedSince(root, this.base);
    const changed = [...files, ...gone];
    const costs = recordedCosts(root);
    this.#landing = longShare({
      suites: suitesAmong(tree.files).filter(({ tier }) => tier === 'long'),
      changed,
      distances: new ImportGraph(tree).distancesFrom(changed),
      read: tree.read,
      costs,
      turn: Number(wanted.bin ?? turnOf(root)),
    });
    const slower = reference ? reference / costs.reference : 1;
    const secondsOf = suite => expectedSeconds(suite, costs) * slower;
    const limit = { deadline: Date.now() + Number(wanted.landing) * 60_000, secondsOf };
    const share = isWanted => this.#landing.filter(isWanted).map(({ suite }) => suite);
    const inNode = async suites => {
      if (suites.length > 0) await this.#part('long tools', print => nodeSuites(root, print, suites, limit));
    };
    // Node's runner has no order between its suites and Jest's: they come first, or there would never be time for them.
    await inNode(share(({ suite, isLast }) => suite.runner === 'node' && !isLast));
    const inJest = share(({ suite }) => suite.runner === 'jest');
    await this.#part('long', () => jestSuites(root, inJest, { inOrder: true, limit }));
    await inNode(share(({ isLast }) => isLast));
  }

  /** Runs one part, and prints what it has to say at once: parts of two lanes do not mix. */
  async #part(name, work) {
    const startedMs = performance.now();
    let text = '';
    const result = await work(piece => (text += piece));
    const { tally, records = [], nodeRecords = [], late = [], faults = [] } = result;
    const durationMs = performance.now() - startedMs;
    this.#parts.push({ name, tally, durationMs });
    this.#records.push(...records);
    this.#nodeRecords.push(...nodeRecords);
    this.#faults.push(...faults);
    for (const file of [...late, ...records.filter(({ notStarted }) => notStarted).map(({ file }) => file)])
      this.#late.add(file);
    process.stdout.write(`${text}› ${name}: ${closingLine(tally)}, ${seconds(durationMs)}\n`);
  }

  #close(reference) {
    const lines = this.#parts.map(
      ({ name, tally, durationMs }) =>
        `${name.padEnd(10)} ${closingLine(tally).padEnd(34)} ${seconds(durationMs)}`,
    );
    if (this.#records.length + this.#nodeRecords.length > 0) lines.push(...this.#spent(reference));
    // With what was spent: a project far above its budget is a part that failed.
    const { failed, skipped } = sumOf(this.#parts);
    const missing = missingTools([...this.#records, ...this.#nodeRecords]);
    lines.push(...missing);
    const allowed = spared([...this.#records, ...this.#nodeRecords]);
    const skipFails = process.env.CI === 'true' && skipped > allowed;
    if (skipFails) lines.push('A skipped test is a failure here: its tool has to be installed.');
    lines.push(...this.#leftOver());
    // The last thing on the screen, and in a log that is cut.
    const told = [
      ...this.#nodeRecords.flatMap(({ file, failures }) => failures.map(name => `${file} › ${name}`)),
      ...this.#records.flatMap(({ failures }) => failures),
      ...this.#faults,
    ];
    lines.push(...told.map(failure => `\nFAIL ${failure}`));
    return { closing: lines, failed: failed > 0 || skipFails };
  }

  /** What the suites cost: the sum, the projects above their budget, the suites that grew. A project far above fails the run. */
  #spent(reference) {
    const ran = this.#records.filter(({ notStarted }) => !notStarted);
    const all = [...ran, ...this.#nodeRecords.filter(({ file }) => suiteOf(file))];
    const cpu = all.reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0);
    // A part of the suites is run without the loop, and is compared with nothing.
    const isMeasured = reference > 0;
    const loop = isMeasured ? `; the reference loop took ${reference.toFixed(2)} CPU s` : '';
    const lines = [`${all.length} suites, ${cpu.toFixed(0)} CPU s${loop}.`];
    if (this.choice.everything) {
      const [spending, budgets] = [spendingOf(ran, reference), readBudgets(this.root)];
      const { notices, faults } = heldAgainst(spending, budgets);
      lines.push(spentInAll(spending, budgets), ...notices, ...faults);
      if (faults.length > 0)
        this.#parts.push({
          name: 'budgets',
          tally: { passed: 0, failed: faults.length, skipped: 0 },
          durationMs: 0,
        });
    }
    if (isMeasured) lines.push(...grownMost(ran, reference, recordedCosts(this.root)));
    if (this.wanted.record) recordCosts(this.root, [...ran, ...this.#nodeRecords], reference);
    return lines;
  }

  #leftOver() {
    const left = this.#landing.filter(({ suite }) => this.#late.has(suite.file));
    if (left.length === 0) return [];
    const costs = recordedCosts(this.root);
    const took = suite => seconds(expectedSeconds(suite, costs) * 1000);
    return [
      `${left.length} of ${this.#landing.length} long suites did not fit into ${this.wanted.landing} minutes; npm run test:full runs them:`,
      ...left.map(({ suite, why }) => `  ${suite.file} (${why}; ${took(suite)})`),
    ];
  }
}
