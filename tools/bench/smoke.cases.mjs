import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { promisify } from 'node:util';
import { workspaceRoot } from '../setup/workspace.mjs';
import { resultsFile } from './benchmarks.mjs';

const execute = promisify(execFile);
/** Ends what hangs; a smoke takes ten seconds on a machine that does nothing else. */
const HANGS_MS = 300_000;

/**
 * Each of the benchmarks runs at its smallest size, has every result, and keeps no figure.
 *
 * @param {readonly string[]} names
 */
export function describeSmokes(names) {
  for (const name of names) {
    it(`runs ${name} at its smallest size`, async () => {
      const recorded = readFileSync(resultsFile, 'utf8');
      const { stdout } = await execute(process.execPath, [join('tools', 'bench.mjs'), name, '--smoke'], {
        cwd: workspaceRoot,
        timeout: HANGS_MS,
      });
      const said = new RegExp(`^${name} runs: [1-9]\\d* rows in [1-9]\\d* tables, no result missing$`, 'm');
      assert.match(stdout, said);
      assert.equal(readFileSync(resultsFile, 'utf8'), recorded);
    });
  }
}
