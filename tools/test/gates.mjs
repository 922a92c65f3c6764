import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { runChild } from '../setup/child.mjs';
import { buildTypeScript } from '../setup/outputs.mjs';
import { gitTree, tidy } from '../tidy/tidy.mjs';
import { changedSince, baseOf } from './change.mjs';
import { NOTHING, sum, tallyOfNodeTests, tallyOfRecords } from './tally.mjs';

/**
 * What a gate came to. `records` of the suites that Jest ran, `count` of those
 * that Node's runner ran.
 *
 * @typedef {{ tally: import('./tally.mjs').Tally; records?: import('./suite-reporter.mjs').SuiteRecord[]; count?: number }} GateResult
 */

/** Suites that run side by side. */
export const WORKERS = 2;

const PASSED = { tally: { passed: 1, failed: 0, skipped: 0 } };
const FAILED = { tally: { passed: 0, failed: 1, skipped: 0 } };
/** A change of these may change how every file is laid out. */
const LAYOUT = new Set(['.prettierrc.json', '.prettierignore', '.editorconfig', 'package-lock.json']);
const LAID_OUT = /\.(ts|mjs|js|json|md|ya?ml|html|css)$|(^|\/)\.prettierrc/;

/** Runs commands of node_modules one after another; passed when all exit with 0. What they print comes at the end, together. */
async function commands(root, print, ...list) {
  let good = true;
  for (const [tool, ...args] of list) {
    const env = {
      ...process.env,
      NX_DAEMON: 'false',
      NX_TUI: 'false',
      FORCE_COLOR: process.stdout.isTTY ? '1' : '0',
    };
    const command = [join('node_modules', tool), ...args];
    const code = await runChild(process.execPath, command, { cwd: root, env, onOutput: print });
    good &&= code === 0;
  }
  return good ? PASSED : FAILED;
}

/**
 * Prettier on what changed since the base, or on everything: with `whole`, and where its settings or its version may have changed.
 */
async function format(root, print, { whole = false, base = baseOf(root) } = {}) {
  const { files, gone } = changedSince(root, base);
  const all = whole || [...files, ...gone].some(file => LAYOUT.has(file));
  const paths = all ? ['.'] : files.filter(file => LAID_OUT.test(file));
  if (paths.length === 0) return PASSED;
  const options = ['--check', '--log-level=warn', '--ignore-unknown'];
  return commands(root, print, ['prettier/bin/prettier.cjs', ...options, ...paths]);
}

async function tidyAll(root, print) {
  const findings = tidy(gitTree(root));
  for (const finding of findings) print(`${finding}\n`);
  return findings.length === 0 ? PASSED : FAILED;
}

/** ESLint in one process. The rule of the layers lets everything through without a project graph, so the graph comes first. */
const lint = (root, print) =>
  commands(root, print, ['nx/dist/bin/nx.js', 'show', 'projects'], ['eslint/bin/eslint.js', '.']);

/** Compiles the packages to their dist/, which service suites start, then checks the types of the tests. */
async function types(root, print) {
  try {
    await buildTypeScript(root);
  } catch (error) {
    print(`${error.message}\n`);
    return FAILED;
  }
  return commands(root, print, ['typescript/bin/tsc', '-b']);
}

/**
 * Suites that Node's own runner runs: those of the tools and of the benchmarks.
 *
 * @param {string} root
 * @param {(text: string) => void} print
 * @param {import('./suites.mjs').Suite[]} suites
 * @returns {Promise<GateResult>}
 */
export async function nodeSuites(root, print, suites) {
  if (suites.length === 0) return { tally: NOTHING };
  const events = run({ files: suites.map(({ file }) => join(root, file)), concurrency: WORKERS });
  events.compose(spec).on('data', chunk => print(String(chunk)));
  return { tally: await tallyOfNodeTests(events), count: suites.length };
}

/**
 * Suites that Jest runs.
 *
 * @param {string} root
 * @param {import('./suites.mjs').Suite[]} suites
 * @param {{ inOrder?: boolean; deadline?: number }} [options] `inOrder` starts them as they are listed instead of the longest first;
 *   `deadline` in ms since 1970: none is started after it
 * @returns {Promise<GateResult>}
 */
export async function jestSuites(root, suites, { inOrder = false, deadline } = {}) {
  if (suites.length === 0) return { tally: NOTHING, records: [] };
  const folder = mkdtempSync(join(tmpdir(), 'svc-jest-'));
  try {
    const [list, records] = [join(folder, 'suites.json'), join(folder, 'records.json')];
    const files = suites.map(({ file }) => file);
    writeFileSync(list, JSON.stringify(files));
    const jest = ['--experimental-vm-modules', 'node_modules/jest/bin/jest.js', `--maxWorkers=${WORKERS}`];
    const variables = {
      ...{ NODE_NO_WARNINGS: '1', SUITE_RECORDS: records },
      ...(inOrder && { SUITE_ORDER: list }),
      ...(deadline && { SUITE_DEADLINE: String(deadline) }),
    };
    const env = { ...process.env, ...variables };
    await runChild(process.execPath, [...jest, '--runTestsByPath', ...files], { cwd: root, env });
    const written = readOrUndefined(records);
    return { tally: tallyOfRecords(written), records: written ?? [] };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

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
 * @type {Record<string, (root: string, print: (text: string) => void, options?: { whole?: boolean; base?: string }) => Promise<GateResult>>}
 */
export const GATES = { tidy: tidyAll, format, lint, types };

/** Gates that run side by side, each lane from left to right: as much work in one as in the other. */
export const LANES = [['tidy', 'format', 'lint'], ['types']];

/** @param {GateResult[]} results */
export const sumOf = results => sum(results.map(({ tally }) => tally));
