import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { runChild } from '../setup/child.mjs';
import { buildTypeScript } from '../setup/outputs.mjs';
import { gitTree, tidy } from '../tidy/tidy.mjs';
import { tallyOfJest, tallyOfNodeTests } from './tally.mjs';

/** @typedef {(root: string) => Promise<import('./tally.mjs').Tally>} Gate */

const passed = { passed: 1, failed: 0, skipped: 0 };
const failed = { passed: 0, failed: 1, skipped: 0 };
const WORKERS = 2;

/** Runs a tool of node_modules to its end; the gate is passed when all of its commands exit with 0. */
const commands =
  (...list) =>
  async root => {
    let good = true;
    for (const [tool, ...args] of list) {
      const env = { ...process.env, NX_DAEMON: 'false', NX_TUI: 'false' };
      const exitCode = await runChild(process.execPath, [join('node_modules', tool), ...args], {
        cwd: root,
        env,
      });
      good &&= exitCode === 0;
    }
    return good ? passed : failed;
  };

/** @type {Gate} */
async function tidyGate(root) {
  const findings = tidy(gitTree(root));
  for (const finding of findings) process.stdout.write(`${finding}\n`);
  return findings.length === 0 ? passed : failed;
}

/** Compiles the packages to their dist/, which end-to-end tests start, then checks the tests' types. */
async function typesGate(root) {
  try {
    await buildTypeScript(root);
  } catch (error) {
    process.stdout.write(`${error.message}\n`);
    return failed;
  }
  return commands(['typescript/bin/tsc', '-b'])(root);
}

/** @type {Gate} */
async function toolTests(root) {
  const specs = gitTree(root).files.filter(file => /^(tools|bench)\/.*\.spec\.mjs$/.test(file));
  const events = run({ files: specs.map(file => join(root, file)), concurrency: WORKERS });
  events.compose(spec).pipe(process.stdout);
  return tallyOfNodeTests(events);
}

/** @type {Gate} */
async function jestTests(root) {
  const folder = mkdtempSync(join(tmpdir(), 'svc-jest-'));
  try {
    const report = join(folder, 'report.json');
    const args = ['--experimental-vm-modules', 'node_modules/jest/bin/jest.js', `--maxWorkers=${WORKERS}`];
    let output = '';
    await runChild(process.execPath, [...args, '--json', `--outputFile=${report}`], {
      cwd: root,
      env: { ...process.env, NODE_NO_WARNINGS: '1' },
      onOutput: text => (output += text),
    });
    return tallyOfJest(readOrUndefined(report), output);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function readOrUndefined(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

/**
 * Everything that `npm test` runs, the quick gates first. A gate that is a single check counts as one
 * test. The boundary lint lets everything through without a project graph, so the graph comes first.
 *
 * @type {Record<string, Gate>}
 */
export const GATES = {
  format: commands(['prettier/bin/prettier.cjs', '--check', '--log-level=warn', '.']),
  tidy: tidyGate,
  lint: commands(
    ['nx/dist/bin/nx.js', 'show', 'projects'],
    ['nx/dist/bin/nx.js', 'run-many', '-t', 'lint'],
    ['eslint/bin/eslint.js', '--no-error-on-unmatched-pattern', 'tools', 'bench', '*.mjs'],
  ),
  types: typesGate,
  tools: toolTests,
  jest: jestTests,
};
