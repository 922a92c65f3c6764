import { performance } from 'node:perf_hooks';
import { typescriptIsStale } from '../setup/outputs.mjs';
import { seconds } from '../setup/progress.mjs';

import { gitTree } from '../tidy/tidy.mjs';
import { baseOf, changedSince, isWholeTree } from './change.mjs';
import { GATES, jestSuites, lintOf, nodeSuites, sumOf, typesOf } from './gates.mjs';
import { referenceSeconds } from './cpu-seconds.mjs';
import { missingTools } from './missing-tools.mjs';
import { relatedSuites } from './related-suites.mjs';
import { packageFolders } from './package-entries.mjs';
import { expectedSeconds, recordedCosts, suiteOf } from './suites.mjs';
import { closingLine, NOTHING } from './tally.mjs';

/** After the start of the whole: what of layout and types has not ended is ended. */
const GATES_END_MS = 80_000;
/** After the start of the whole: no suite is started that would not have ended, by what it took when it was measured. */
const SUITES_END_MS = 115_000;
/** Of the time that is left for suites, what each may take before the next begins. */
const [TOOLS_SHARE, UNIT_SHARE] = [0.3, 0.6];

/** What `npm run check` does: gates on the changed files, then the suites that they reach. */
export class ChangeCheck {
  /** @type {import('./gates.mjs').GateResult[]} */
  #results = [];
  /** @type {string[]} sentences on what did not run */
  #left = [];

  /**
   * @param {string} root
   * @param {number} startedMs since 1970
   * @param {string} [ref] the commit to hold the change against; else see `baseOf`
   * @param {(copies: number) => Promise<number>} [reference] CPU seconds of the loop that the recorded costs are held against
   */
  constructor(root, startedMs, ref, reference = referenceSeconds) {
    this.root = root;
    this.startedMs = startedMs;
    this.reference = reference;
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
    const since = isWholeTree(this.root, this.base)
      ? 'count as changed: this clone holds no earlier commit'
      : `changed since ${this.base.slice(0, 10)}`;
    process.stdout.write(`${this.changed.length} files ${since}\n`);
    if (this.changed.length === 0) return 0;
    const ending = AbortSignal.timeout(Math.max(1, this.startedMs + GATES_END_MS - Date.now()));
    const costs = recordedCosts(this.root);
    const [loop] = await Promise.all([this.reference(2), this.#style(ending), this.#types(ending)]);
    const related = await this.#suites(costs, Math.max(1, loop / costs.reference));
    this.#close(related);
    return sumOf(this.#results).failed;
  }

  #close({ long, ...quick }) {
    const related = Object.values(quick).flat().length;
    const records = this.#results.flatMap(result => result.records ?? []);
    const nodeRecords = this.#results.flatMap(result => result.nodeRecords ?? []);
    // Node tells of tests by the file that defines them, which may be no suite.
    const ran = [...records.filter(({ notStarted }) => !notStarted), ...nodeRecords].filter(({ file }) =>
      suiteOf(file),
    ).length;
    const lines = [...missingTools([...records, ...nodeRecords]), ...this.#left];
    lines.push(...this.#results.flatMap(({ faults = [] }) => faults));
    const rest = [
      ...(ran < related ? ['npm test runs the rest'] : []),
      ...(long.length > 0 ? [`${long.length} long ones are left to npm run test:full`] : []),
    ];
    const took = seconds(Date.now() - this.startedMs);
    lines.push([`ran ${ran} of ${related} related suites in ${took}`, ...rest].join('; '));
    process.stdout.write(`${lines.join('\n')}\n${closingLine(sumOf(this.#results))}\n`);
  }

  async #style(ending) {
    const { root, base } = this;
    await this.#part('tidy', print => GATES.tidy(root, print));
    await this.#part('format', print => GATES.format(root, print, { base, signal: ending }), ending);
    const linted = this.files.filter(file => /\.(ts|mjs)$/.test(file));
    if (linted.length > 0) await this.#part('lint', print => lintOf(root, print, linted, ending), ending);
  }

  /** Of the changed packages alone, with what they import; programs that suites start are built on the way. */
  async #types(ending) {
    const configs = this.projects.map(project => `${project}/tsconfig.json`);
    if (configs.length === 0 && !typescriptIsStale(this.root)) return;
    await this.#part('types', print => typesOf(this.root, print, configs, ending), ending);
  }

  /**
   * @param {ReturnType<typeof recordedCosts>} costs
   * @param {number} slowness how many times as long as recorded a suite takes on this machine, as busy as it is
   * @returns {Promise<ReturnType<typeof relatedSuites>>} those that the change reaches
   */
  async #suites(costs, slowness) {
    const { root, changed, projects } = this;
    const related = relatedSuites({ tree: gitTree(root), changed, projects, costs });
    const { nearTools, unit, service, farTools } = related;
    const deadline = this.startedMs + SUITES_END_MS;
    /** Until the end, or a share of the time up to it where something else has to come. */
    const limit = (share, ...others) => {
      const left = Math.max(0, deadline - Date.now());
      const ms = others.some(suites => suites.length > 0) ? Date.now() + share * left : deadline;
      return { deadline: ms, secondsOf: suite => slowness * expectedSeconds(suite, costs) };
    };
    const inNode = (suites, until) => this.#part('tools', print => nodeSuites(root, print, suites, until));
    const inJest = (name, suites, until) =>
      this.#part(name, () => jestSuites(root, suites, { inOrder: true, limit: until }));
    // Programs that are older than their source would tell of another state than the one that is checked.
    const isBuilt = !typescriptIsStale(root);
    const needBuild = service.length + nearTools.length + farTools.length;
    if (!isBuilt && needBuild > 0)
      this.#left.push('Service suites and those of the tools did not run: what they start is not built.');
    if (isBuilt && nearTools.length > 0) await inNode(nearTools, limit(TOOLS_SHARE, unit, service));
    if (unit.length > 0) await inJest('unit', unit, limit(UNIT_SHARE, isBuilt ? service : []));
    if (isBuilt && service.length > 0) await inJest('service', service, limit(1));
    if (isBuilt && farTools.length > 0) await inNode(farTools, limit(1));
    return related;
  }

  /**
   * Runs one part, and prints what it has to say at once.
   *
   * @param {string} name
   * @param {(print: (text: string) => void) => Promise<import('./gates.mjs').GateResult>} work
   * @param {AbortSignal} [ending] what it ends has neither passed nor failed
   */
  async #part(name, work, ending) {
    const from = performance.now();
    let text = '';
    const result = await work(piece => (text += piece)).catch(error => {
      if (!ending?.aborted) throw error;
      return { tally: { passed: 0, failed: 1, skipped: 0 } };
    });
    const isEnded = ending?.aborted && result.tally.failed > 0;
    if (isEnded) this.#left.push(`${name} took too long and was ended; npm test -- ${name} runs it.`);
    this.#results.push(isEnded ? { tally: NOTHING } : result);
    const fate = isEnded ? 'ended, its time was up' : closingLine(result.tally);
    process.stdout.write(`${text}› ${name}: ${fate}, ${seconds(performance.now() - from)}\n`);
  }
}
