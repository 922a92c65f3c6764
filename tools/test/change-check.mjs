import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { runChild } from '../setup/child.mjs';
import { seconds } from '../setup/progress.mjs';

import { gitTree } from '../tidy/tidy.mjs';
import { baseOf, changedSince } from './change.mjs';
import { GATES, jestSuites, nodeSuites, sumOf } from './gates.mjs';
import { relatedSuites } from './related-suites.mjs';
import { packageFolders } from './package-entries.mjs';
import { recordedCosts } from './suites.mjs';
import { closingLine } from './tally.mjs';

/** No suite is started later than this after the start of the whole. */
const LAST_START_MS = 95_000;
/** Of the time that is left for suites, what the unit tier may take before the service tier begins. */
const UNIT_SHARE = 0.6;

/** What `npm run check` does: gates on the changed files, then the suites that they reach. */
export class ChangeCheck {
  /** @type {import('./gates.mjs').GateResult[]} */
  #results = [];

  /**
   * @param {string} root
   * @param {number} startedMs since 1970
   * @param {string} [ref] the commit to hold the change against; else see `baseOf`
   */
  constructor(root, startedMs, ref) {
    this.root = root;
    this.startedMs = startedMs;
    this.base = baseOf(root, ref);
    const { files, gone } = changedSince(root, this.base);
    this.files = files;
    this.changed = [...files, ...gone];
    this.projects = packageFolders(root).filter(folder =>
      this.changed.some(file => file.startsWith(`${folder}/`)),
    );
  }

  /** @returns {Promise<number>} how much failed */
  async run() {
    process.stdout.write(`${this.changed.length} files changed since ${this.base.slice(0, 10)}\n`);
    if (this.changed.length === 0) return 0;
    await Promise.all([this.#style(), this.#types()]);
    const related = await this.#suites();
    const ran = this.#results.reduce(
      (sum, { records = [], count = 0 }) =>
        sum + count + records.filter(({ notStarted }) => !notStarted).length,
      0,
    );
    const rest = ran < related ? '; npm test runs the rest' : '';
    process.stdout.write(
      `ran ${ran} of ${related} related suites in ${seconds(Date.now() - this.startedMs)}${rest}\n`,
    );
    const total = sumOf(this.#results);
    process.stdout.write(`${closingLine(total)}\n`);
    return total.failed;
  }

  async #style() {
    const { root, base } = this;
    await this.#part('tidy', print => GATES.tidy(root, print));
    await this.#part('format', print => GATES.format(root, print, { base }));
    const linted = this.files.filter(file => /\.(ts|mjs)$/.test(file));
    if (linted.length > 0)
      await this.#part('lint', this.#command('eslint/bin/eslint.js', '--no-warn-ignored', ...linted));
  }

  /** Of the changed packages alone, with what they import: the compiler keeps what it knows of the others. */
  async #types() {
    if (this.projects.length === 0) return;
    const configs = this.projects.map(project => `${project}/tsconfig.json`);
    await this.#part('types', this.#command('typescript/bin/tsc', '-b', ...configs));
  }

  /** @returns {Promise<number>} suites that the change reaches */
  async #suites() {
    const { root, changed, projects } = this;
    const parts = { tree: gitTree(root), changed, projects, costs: recordedCosts(root) };
    const { unit, service, tools } = relatedSuites(parts);
    const end = this.startedMs + LAST_START_MS;
    const unitEnd = service.length > 0 ? Date.now() + UNIT_SHARE * Math.max(0, end - Date.now()) : end;
    if (tools.length > 0) await this.#part('tools', print => nodeSuites(root, print, tools));
    if (unit.length > 0)
      await this.#part('unit', () => jestSuites(root, unit, { inOrder: true, deadline: unitEnd }));
    if (service.length > 0)
      await this.#part('service', () => jestSuites(root, service, { inOrder: true, deadline: end }));
    return unit.length + service.length + tools.length;
  }

  async #part(name, work) {
    const from = performance.now();
    let text = '';
    const result = await work(piece => (text += piece));
    this.#results.push(result);
    process.stdout.write(
      `${text}› ${name}: ${closingLine(result.tally)}, ${seconds(performance.now() - from)}\n`,
    );
  }

  #command(tool, ...args) {
    return async print => {
      const options = { cwd: this.root, env: { ...process.env, NX_DAEMON: 'false' }, onOutput: print };
      const code = await runChild(process.execPath, [join('node_modules', tool), ...args], options);
      return { tally: { passed: Number(code === 0), failed: Number(code !== 0), skipped: 0 } };
    };
  }
}
