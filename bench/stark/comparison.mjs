// Whole proofs: the same AIR, blowup, queries and grinding for all, contender after contender, round after round.
import { COMPARISON_SET, PARAMETER_SETS } from '@svc/stark-verifier';
import { buildPeer, ours, peer } from './contenders.mjs';

const BLOWUP = 8;
const QUERIES = 42;
const GRINDING_BITS = 16;
const CUBIC8 = {
  airId: 'raw/cubic8/v1',
  witness: { inputs: { input: ['1', '2', '3', '4', '5', '6', '7', '8'] } },
};
const HASH_CHAIN = { airId: 'hash-chain/v1', witness: { traceData: '0x68656c6c6f' } };

/** Timed runs in a process: short proofs vary more and cost less. */
function runsOf(log2Rows) {
  return log2Rows >= 18 ? 1 : log2Rows >= 14 ? 3 : 9;
}

/** @returns {Record<string, import('./contenders.mjs').Contender[]>} by the table that they stand in; the peer comes first */
export function contenders(report) {
  const winterfell = buildPeer('winterfell', report);
  const plonky3 = buildPeer('plonky3', report);
  const peers = (program, name, ...arguments_) =>
    program
      ? [GRINDING_BITS, 0].map(bits => peer(`${name}, ${bits} bits`, program, arguments_, QUERIES, bits))
      : [];
  const cubic8 = (name, set, zeroKnowledge = false) =>
    ours(name, { ...CUBIC8, blowup: BLOWUP, zeroKnowledge, set });
  const comparison = (profile, grindingBits = GRINDING_BITS) => ({
    ...COMPARISON_SET,
    profile,
    grindingBits,
    queryCounts: { [BLOWUP]: QUERIES },
  });
  const hashChain = set =>
    ours(`hash-chain/v1, ${set.id}`, { ...HASH_CHAIN, blowup: BLOWUP, zeroKnowledge: false, set });
  const { P100, m31 } = PARAMETER_SETS;
  return {
    'cubic8, Goldilocks': [
      ...peers(winterfell, 'Winterfell GL², BLAKE3'),
      ...peers(plonky3, 'Plonky3 GL², Keccak', 'goldilocks'),
      cubic8('ours GL², 16 bits', comparison('gl2')),
      cubic8('ours GL², 0 bits', comparison('gl2', 0)),
      cubic8('ours GL³, 16 bits', comparison('gl3')),
      cubic8('ours GL², 16 bits, zero knowledge', comparison('gl2'), true),
    ],
    'cubic8, M31': [
      ...peers(plonky3, 'Plonky3 M31³ circle, Keccak', 'circle'),
      cubic8('ours QM31 circle, 16 bits', comparison('m31')),
      cubic8('ours QM31 circle, 0 bits', comparison('m31', 0)),
      cubic8('ours QM31 circle, 16 bits, zero knowledge', comparison('m31'), true),
    ],
    'published sets': [
      cubic8('cubic8, P100', P100),
      cubic8('cubic8, P100, zero knowledge', P100, true),
      hashChain(P100),
      hashChain(m31),
    ],
  };
}

/**
 * Proves with every contender at every size and prints a table for each; a contender that cannot is noted once and left out.
 *
 * @param {{ sizes: number[]; threadCounts: number[]; rounds: number; tables?: string }} options
 */
export async function benchComparison(report, { sizes, threadCounts, rounds, tables }) {
  const failed = new Set();
  const chosen = Object.entries(contenders(report)).filter(([title]) => !tables || title.includes(tables));
  for (const [title, all] of chosen) {
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
