// Kernels against plain JavaScript, vector constants from one V8 to the next, and whole proofs against Winterfell and Plonky3.
import { availableParallelism, loadavg } from 'node:os';
import { benchComparison } from './comparison.mjs';
import { benchConstantTrap } from './constant-trap.mjs';
import { benchKernels } from './kernels.mjs';

export const packages = ['@noble/hashes', 'assemblyscript'];

const PARTS = { kernels: benchKernels, constants: benchConstantTrap, proofs: benchComparison };

/**
 * `--part kernels|constants|proofs` runs one part alone; of the proofs, `--sizes 10,16` (log2 of the rows), `--threads 1,2`,
 * `--rounds 3` and `--tables Goldilocks` (a part of a table's title) choose.
 *
 * @param {{ report: import('../../tools/bench/report.mjs').Report, options: Record<string, string | number> }} run
 */
export default async function bench({ report, options }) {
  const { part, sizes = '10,16,20', threads = '1,2', rounds = 3, tables } = options;
  const chosen = part === undefined ? Object.values(PARTS) : [PARTS[part]];
  if (chosen.includes(undefined))
    throw new RangeError(`--part must be one of ${Object.keys(PARTS).join(', ')}`);
  const comparison = { sizes: numbers(sizes), threadCounts: numbers(threads), rounds, tables };
  const loadBefore = loadavg()[0].toFixed(2);
  for (const run of chosen) await run(report, comparison);
  report.note(
    `Load average before ${loadBefore} and after ${loadavg()[0].toFixed(2)} on ${availableParallelism()} cores. ` +
      'Times are medians over all rounds; proveMs is from the trace to the proof’s bytes, verifyMs from the bytes to the ' +
      'verdict, each process warmed up. Winterfell and Plonky3 are native builds for this processor.',
  );
}

function numbers(list) {
  return String(list).split(',').map(Number);
}
