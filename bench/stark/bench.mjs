// Kernels against plain JavaScript, vector constants from one V8 to the next, whole proofs against Winterfell and Plonky3, and
// definitions as JSON against statements that are built in.
import { availableParallelism, loadavg } from 'node:os';
import { numbersOf, partsOf } from '../../tools/bench/options.mjs';
import { benchComparison } from './comparison.mjs';
import { benchConstantTrap } from './constant-trap.mjs';
import { benchKernels } from './kernels.mjs';
import { benchOwn } from './own.mjs';

export const packages = ['@noble/hashes', 'assemblyscript'];

const PARTS = { kernels: benchKernels, constants: benchConstantTrap, proofs: benchComparison, own: benchOwn };

/** `milliseconds` are those over which the time of a kernel is taken; `warmup`, of a prover, those before the first run counts. */
export const options = {
  ...{ only: undefined, sizes: '10,16,20', threads: '1,2', rounds: 3, tables: '' },
  ...{ milliseconds: 400, warmup: 600 },
};
export const smoke = { sizes: '6', threads: '1', rounds: 1, milliseconds: 1, warmup: 0 };

/**
 * `--only kernels,constants,proofs,own` runs some parts alone; of the proofs, `--sizes 10,16` (log2 of the rows), `--threads 1,2`,
 * `--rounds 3` and `--tables Goldilocks` (a part of a table's title) choose.
 *
 * @param {{ report: import('../../tools/bench/report.mjs').Report, options: typeof options, smoke: boolean }} run
 */
export default async function bench({ report, options, smoke }) {
  const { only, sizes, threads } = options;
  const chosen = partsOf(PARTS, only);
  const setting = { ...options, smoke, sizes: numbersOf(sizes), threadCounts: numbersOf(threads) };
  const loadBefore = loadavg()[0].toFixed(2);
  for (const run of chosen) await run(report, setting);
  report.note(
    `Load average before ${loadBefore} and after ${loadavg()[0].toFixed(2)} on ${availableParallelism()} cores. ` +
      'Times are medians over all rounds; proveMs is from the trace to the proof’s bytes, verifyMs from the bytes to the ' +
      'verdict, each process warmed up. Winterfell and Plonky3 are native builds for this processor.',
  );
}
