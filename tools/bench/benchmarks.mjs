import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { workspaceRoot } from '../setup/workspace.mjs';

const folder = join(workspaceRoot, 'bench');

/** Recorded runs. */
export const resultsFile = join(folder, 'RESULTS.md');

/**
 * A benchmark, `bench/NAME/bench.mjs`: its default export measures.
 *
 * @typedef {object} Benchmark
 * @property {(run: { report: import('./report.mjs').Report; options: Record<string, any>; smoke: boolean }) => Promise<void>} default
 *   `smoke` leaves out, and names, what needs another toolchain
 * @property {Record<string, unknown>} options all that it takes, each with what it is where nobody says it
 * @property {Record<string, unknown>} smoke those that are smaller with `--smoke`
 * @property {readonly string[]} [packages] whose versions stand beside the figures
 */

/** The benchmarks that there are, by their folders. @returns {string[]} */
export function benchmarkNames() {
  return readdirSync(folder).filter(name => existsSync(join(folder, name, 'bench.mjs')));
}

/** @param {string} name @returns {Promise<Benchmark>} */
export function loadBenchmark(name) {
  return import(pathToFileURL(join(folder, name, 'bench.mjs')).href);
}
