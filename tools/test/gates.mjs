import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { runChild } from '../setup/child.mjs';
import { buildTypeScript, typescriptIsStale } from '../setup/outputs.mjs';
import { gitTree, tidy } from '../tidy/tidy.mjs';
import { changedSince, baseOf, isWholeTree } from './change.mjs';
import { suiteLine } from './suite-reporter.mjs';
import { suiteOf, TIMEOUT_MS } from './suites.mjs';
import { NOTHING, recordsOfNodeTests, sum } from './tally.mjs';

/**
 * What a gate came to. `records` of the suites that Jest ran, `nodeRecords` of those that Node's runner ran, `late` ones that were
 * not started since they would not have ended in time; `faults` are failures of no suite.
 *
 * @typedef {object} GateResult
 * @property {import('./tally.mjs').Tally} tally
 * @property {import('./suite-reporter.mjs').SuiteRecord[]} [records]
 * @property {NodeRecord[]} [nodeRecords]
 * @property {string[]} [late]
 * @property {string[]} [faults]
 */

/**
 * `failed` is 1 where the suite failed: its failures may be told of another file, which defines its tests.
 *
 * @typedef {import('./tally.mjs').NodeRecord & { cpuSeconds: number; wallSeconds: number; failed: number }} NodeRecord
 */

/**
 * Until when suites may run, and what each is expected to take: one that would not end in time is not started.
 *
 * @typedef {{ deadline: number; secondsOf: (suite: import('./suites.mjs').Suite) => number }} Limit `deadline` in ms since 1970
 */

/** @typedef {{ whole?: boolean; base?: string; signal?: AbortSignal }} GateOptions `signal` ends what a gate started */

/** Suites that run side by side. */
export const WORKERS = 2;
/** Service suites wait for databases, leases and processes half of their time: one more keeps both cores at work. */
export const SERVICE_WORKERS = 3;

const PASSED = { tally: { passed: 1, failed: 0, skipped: 0 } };
const FAILED = { tally: { passed: 0, failed: 1, skipped: 0 } };
/** A change of these may change how every file is laid out. */
const LAYOUT = new Set(['.prettierrc.json', '.prettierignore', '.editorconfig', 'package-lock.json']);
const LAID_OUT = /\.(ts|mjs|js|json|md|ya?ml|html|css)$|(^|\/)\.prettierrc/;

/** Runs commands of node_modules one after another; passed when all exit with 0. What they print comes at the end, together. */
async function commands(root, print, signal, ...list) {
  let good = true;
  for (const [tool, ...args] of list) {
    const env = {
      ...process.env,
      NX_DAEMON: 'false',
      NX_TUI: 'false',
      FORCE_COLOR: process.stdout.isTTY ? '1' : '0',
    };
    const command = [join('node_modules', tool), ...args];
    const code = await runChild(process.execPath, command, { cwd: root, env, onOutput: print, signal });
    good &&= code === 0;
  }
  return good ? PASSED : FAILED;
}

/**
 * Prettier on what changed since the base, or on everything: with `whole`, and where its settings or its version may have changed.
 */
async function format(root, print, { whole = false, base = baseOf(root), signal } = {}) {
  const { files, gone } = changedSince(root, base);
  const isAlone = isWholeTree(root, base);
  if (isAlone) print('This clone holds no earlier commit: the format of every file is looked at.\n');
  const all = whole || isAlone || [...files, ...gone].some(file => LAYOUT.has(file));
  const paths = all ? ['.'] : files.filter(file => LAID_OUT.test(file));
  if (paths.length === 0) return PASSED;
  const options = ['--check', '--log-level=warn', '--ignore-unknown'];
  return commands(root, print, signal, ['prettier/bin/prettier.cjs', ...options, ...paths]);
}

async function tidyAll(root, print) {
  const findings = tidy(gitTree(root));
  for (const finding of findings) print(`${finding}\n`);
  return findings.length === 0 ? PASSED : FAILED;
}

/** The rule of the layers lets everything through without a project graph. */
const PROJECT_GRAPH = ['nx/dist/bin/nx.js', 'show', 'projects'];

/** ESLint in one process. */
const lint = (root, print) => commands(root, print, undefined, PROJECT_GRAPH, ['eslint/bin/eslint.js', '.']);

/** Compiles the packages to their dist/, which service suites start, where those are stale. */
async function build(root, print, signal) {
  if (!typescriptIsStale(root)) return true;
  try {
    await buildTypeScript(root, { onOutput: print, signal });
    return true;
  } catch (error) {
    print(`${error.message}\n`);
    return false;
  }
}

/** Builds, then checks the types of the tests. */
const types = (root, print) => typesOf(root, print, []);

/**
 * Builds, and checks the types of some projects with their tests: the compiler keeps what it knows of the others. The build writes
 * down what it was made of, which suites ask for; the compiler alone would leave that as it was.
 *
 * @param {string} root
 * @param {(text: string) => void} print
 * @param {string[]} configs of the projects; none for all of them
 * @param {AbortSignal} [signal]
 * @returns {Promise<GateResult>}
 */
export async function typesOf(root, print, configs, signal) {
  if (!(await build(root, print, signal))) return FAILED;
  return commands(root, print, signal, ['typescript/bin/tsc', '-b', ...configs]);
}

/**
 * Layout of some files.
 *
 * @param {string} root
 * @param {(text: string) => void} print
 * @param {string[]} files
 * @param {AbortSignal} [signal]
 * @returns {Promise<GateResult>}
 */
export const lintOf = (root, print, files, signal) =>
  commands(root, print, signal, PROJECT_GRAPH, ['eslint/bin/eslint.js', '--no-warn-ignored', ...files]);

/**
 * Suites that Node's own runner runs: those of the tools and of the benchmarks.
 *
 * @param {string} root
 * @param {(text: string) => void} print
 * @param {import('./suites.mjs').Suite[]} suites
 * @param {Limit} [limit] those that stand first are chosen, as many as it holds
 * @returns {Promise<GateResult>}
 */
export async function nodeSuites(root, print, suites, limit) {
  const chosen = limit ? thoseThatFit(suites, limit, Date.now()) : suites;
  const late = suites.filter(suite => !chosen.includes(suite)).map(({ file }) => file);
  if (chosen.length === 0) return { tally: NOTHING, nodeRecords: [], late };
  const { tally, records, costs } = await inNode(root, print, chosen);
  const told = records.map(record => ({ ...record, file: relative(root, record.file) }));
  const silent = chosen.filter(({ file }) => !told.some(record => record.file === file));
  const nodeRecords = [...told, ...silent.map(({ file }) => ({ file, ...SILENT }))].map(record => ({
    ...record,
    ...(costs.get(record.file) ?? NO_COST),
  }));
  for (const record of nodeRecords.filter(({ file }) => suiteOf(file))) print(`${suiteLine(record)}\n`);
  return { tally: { ...tally, failed: tally.failed + silent.length }, nodeRecords, late };
}

/** Of a suite that was to run and of which nothing was heard. */
const SILENT = { failures: ['it was not run'], missing: [] };
/** Of a suite that was ended, and of a file that defines tests and is no suite. */
const NO_COST = { cpuSeconds: 0, wallSeconds: 0, failed: 1 };

/** Runs suites in Node's runner, which ends each that takes longer than a test of the long tier may; with what each cost. */
async function inNode(root, print, suites) {
  const folder = mkdtempSync(join(tmpdir(), 'svc-node-'));
  const list = join(folder, 'costs');
  writeFileSync(list, '');
  const { NODE_OPTIONS = '' } = process.env;
  // The runner gives its suites the environment of this process.
  process.env.NODE_OPTIONS = `${NODE_OPTIONS} --import=${new URL('./node-suite-cost.mjs', import.meta.url)}`;
  process.env.SUITE_COSTS = list;
  try {
    const files = suites.map(({ file }) => join(root, file));
    const events = run({ files, concurrency: WORKERS, timeout: TIMEOUT_MS.long });
    events.compose(spec).on('data', chunk => print(String(chunk)));
    const told = await recordsOfNodeTests(events);
    const lines = readFileSync(list, 'utf8').split('\n').filter(Boolean);
    const costs = lines
      .map(line => JSON.parse(line))
      .map(({ file, ...cost }) => [relative(root, file), cost]);
    return { ...told, costs: new Map(costs) };
  } finally {
    process.env.NODE_OPTIONS = NODE_OPTIONS;
    delete process.env.SUITE_COSTS;
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Suites in their order, each by the worker that is free first, without those that would end after the limit. */
export function thoseThatFit(suites, { deadline, secondsOf }, startMs) {
  const free = Array.from({ length: WORKERS }, () => startMs);
  return suites.filter(suite => {
    const worker = free.indexOf(Math.min(...free));
    const endMs = free[worker] + secondsOf(suite) * 1000;
    if (endMs > deadline) return false;
    free[worker] = endMs;
    return true;
  });
}

/**
 * Suites that Jest runs.
 *
 * @param {string} root
 * @param {import('./suites.mjs').Suite[]} suites
 * @param {{ inOrder?: boolean; limit?: Limit; workers?: number }} [options] `inOrder` starts them as they are listed instead of the longest first
 * @returns {Promise<GateResult>}
 */
export async function jestSuites(root, suites, { inOrder = false, limit, workers = WORKERS } = {}) {
  if (suites.length === 0) return { tally: NOTHING, records: [] };
  const folder = mkdtempSync(join(tmpdir(), 'svc-jest-'));
  try {
    const [list, records, seconds] = ['suites', 'records', 'seconds'].map(name =>
      join(folder, `${name}.json`),
    );
    const files = suites.map(({ file }) => file);
    writeFileSync(list, JSON.stringify(files));
    if (limit)
      writeFileSync(
        seconds,
        JSON.stringify(Object.fromEntries(suites.map(suite => [suite.file, limit.secondsOf(suite)]))),
      );
    const jest = ['--experimental-vm-modules', 'node_modules/jest/bin/jest.js', `--maxWorkers=${workers}`];
    const variables = {
      ...{ NODE_NO_WARNINGS: '1', SUITE_RECORDS: records },
      ...(inOrder && { SUITE_ORDER: list }),
      ...(limit && { SUITE_DEADLINE: String(limit.deadline), SUITE_SECONDS: seconds }),
    };
    const env = { ...process.env, ...variables };
    const code = await runChild(process.execPath, [...jest, '--runTestsByPath', ...files], {
      cwd: root,
      env,
    });
    return heldAgainstAsked(files, readOrUndefined(records), code);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * What Jest wrote down, held against what it was asked for and how it ended: a suite that left no record failed, and so did a run
 * that ended with a fault and tells of none.
 *
 * @param {string[]} files that were asked for
 * @param {import('./suite-reporter.mjs').SuiteRecord[] | undefined} written
 * @param {number} code exit code
 * @returns {GateResult}
 */
function heldAgainstAsked(files, written, code) {
  const known = new Set(written?.map(({ file }) => file));
  const silent = files
    .filter(file => !known.has(file))
    .map(file => ({ file, ...UNHEARD_OF, failures: [`${file} › it was not run`] }));
  const records = [...(written ?? []), ...silent];
  const tally = sum(records);
  if (code === 0 || tally.failed > 0) return { tally, records };
  return {
    tally: { ...tally, failed: 1 },
    records,
    faults: [`Jest ended with ${code}, and no suite failed: what it printed is above.`],
  };
}

/** @type {Omit<import('./suite-reporter.mjs').SuiteRecord, 'file' | 'failures'>} */
const UNHEARD_OF = {
  ...{ cpuSeconds: 0, wallSeconds: 0, passed: 0, expectations: 0, failed: 1, skipped: 0 },
  ...{ notStarted: false, missing: [] },
};

function readOrUndefined(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}

/**
 * Everything but the suites, by name, in the order in which a run shows them.
 *
 * @type {Record<string, (root: string, print: (text: string) => void, options?: GateOptions) => Promise<GateResult>>}
 */
export const GATES = { tidy: tidyAll, format, lint, types };

/** Gates that run side by side, each lane from left to right: as much work in one as in the other. */
export const LANES = [['tidy', 'format', 'lint'], ['types']];

/** @param {GateResult[]} results */
export const sumOf = results => sum(results.map(({ tally }) => tally));
