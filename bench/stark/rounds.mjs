// Contender after contender, round after round, and what comes out of it.

/** Timed runs in a process: short proofs vary more and cost less. */
function runsOf(log2Rows) {
  return log2Rows >= 18 ? 1 : log2Rows >= 14 ? 3 : 9;
}

/**
 * Proves with every contender at every size and prints a table for each; a contender that cannot is noted once and left out.
 *
 * @param {import('../../tools/bench/report.mjs').Report} report
 * @param {[title: string, contenders: import('./contenders.mjs').Contender[]][]} tables
 * @param {{ sizes: number[]; threadCounts: number[]; rounds: number }} options sizes are log2 of the rows
 */
export async function compare(report, tables, { sizes, threadCounts, rounds }) {
  const failed = new Set();
  for (const [title, all] of tables) {
    for (const log2Rows of sizes) {
      for (const threads of threadCounts) {
        const size = { log2Rows, threads, runs: runsOf(log2Rows) };
        const measured = await alternate(all, size, rounds, failed, report);
        report.table(`${title}, 2^${log2Rows} rows, ${threads} thread${threads > 1 ? 's' : ''}`);
        for (const [contender, results] of measured) {
          const peerMs = fastestPeerMs(measured, contender.grindingBits);
          report.row(contender.name, metrics(results, contender.isPeer ? undefined : peerMs));
        }
      }
    }
  }
}

// Round after round, so that what disturbs the machine disturbs all alike.
async function alternate(all, size, rounds, failed, report) {
  const measured = new Map();
  for (let round = 0; round < rounds; round++) {
    for (const contender of all) {
      if (failed.has(contender)) continue;
      try {
        const result = await contender.run(size);
        measured.set(contender, [...(measured.get(contender) ?? []), result]);
      } catch (error) {
        failed.add(contender);
        report.note(`SKIPPED ${contender.name} from 2^${size.log2Rows} on: ${reasonOf(error)}.`);
      }
    }
  }
  return measured;
}

// Of the peers in the table that grind as long: the one to beat.
function fastestPeerMs(measured, grindingBits) {
  const times = [...measured]
    .filter(([contender]) => contender.isPeer && contender.grindingBits === grindingBits)
    .map(([, results]) => median(results.flatMap(({ proveMs }) => proveMs)));
  return times.length > 0 ? Math.min(...times) : undefined;
}

function metrics(results, peerMs) {
  const all = key => results.flatMap(result => result[key]);
  const most = key => Math.max(...results.map(result => result[key]));
  const [{ arenaBytes, securityBits, traceLength }] = results;
  const proveMs = median(all('proveMs'));
  return {
    proveMs,
    ...(peerMs ? { timesFastestPeer: proveMs / peerMs } : {}),
    proveBestMs: Math.min(...all('proveMs')),
    traceMs: median(all('traceMs')),
    verifyMs: median(all('verifyMs')),
    proofBytes: most('proofBytes'),
    peakRssMb: Math.round(most('peakRssKib') / 1024),
    ...(arenaBytes ? { arenaMb: Math.round(most('arenaBytes') / 2 ** 20) } : {}),
    ...(securityBits ? { securityBits } : {}),
    ...(traceLength ? { traceLength } : {}),
  };
}

function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

// The message of the error that a process ended with, not the call stack.
function reasonOf({ stderr, message }) {
  const lines = String(stderr || message).split('\n');
  return (lines.find(line => /error|panicked/i.test(line)) ?? lines[0]).trim();
}
