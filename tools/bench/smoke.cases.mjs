import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { promisify } from 'node:util';
import { workspaceRoot } from '../setup/workspace.mjs';
import { referenceSeconds } from '../test/cpu-seconds.mjs';
import { resultsFile } from './benchmarks.mjs';

const execute = promisify(execFile);
/** Ends what hangs; a smoke is held to its CPU seconds. */
const HANGS_MS = 300_000;
/**
 * Ten CPU seconds, of all its processes, where the reference loop takes 0.42: so many times that loop. As with the budgets of suites more
 * is told, and twice as much fails.
 */
const LOOPS = 24;

/**
 * Each of the benchmarks runs at its smallest size, has every result, keeps no figure, and costs little.
 *
 * @param {readonly string[]} names
 */
export function describeSmokes(names) {
  for (const name of names) {
    it(`runs ${name} at its smallest size`, async test => {
      const recorded = readFileSync(resultsFile, 'utf8');
      const loopBefore = await referenceSeconds(1);
      const { stdout } = await execute(process.execPath, [join('tools', 'bench.mjs'), name, '--smoke'], {
        cwd: workspaceRoot,
        timeout: HANGS_MS,
      });
      const said = new RegExp(
        `^${name} runs: [1-9]\\d* rows in [1-9]\\d* tables, no result missing; ([\\d.]+) CPU seconds$`,
        'm',
      );
      assert.match(stdout, said);
      assert.equal(readFileSync(resultsFile, 'utf8'), recorded);
      // Timed on both sides: what else the machine does changes within the minutes that all of them take.
      const loops = (2 * Number(said.exec(stdout)[1])) / (loopBefore + (await referenceSeconds(1)));
      test.diagnostic(`${name}: ${said.exec(stdout)[1]} CPU seconds, ${loops.toFixed(1)} reference loops`);
      if (loops > LOOPS) test.diagnostic(`${name} is above the ${LOOPS} that a smoke may cost`);
      assert.ok(
        loops <= 2 * LOOPS,
        `${name} costs ${loops.toFixed(1)} reference loops, more than ${2 * LOOPS}`,
      );
    });
  }
}
