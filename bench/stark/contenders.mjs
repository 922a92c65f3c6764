// The provers that are compared: each is a function that proves once more in a process of its own.
import { execFile, execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { FINAL_LENGTH_MAX } from '@svc/stark-verifier';

const ourProver = fileURLToPath(new URL('./our-prover.mjs', import.meta.url));
const peersFolder = fileURLToPath(new URL('../peers', import.meta.url));
/** Coefficients of the final polynomial, log2: as ours, where a peer lets one choose. */
const LOG2_FINAL = Math.log2(FINAL_LENGTH_MAX);
const execute = promisify(execFile);

/**
 * @typedef {object} Measured what one process measured, times one a run
 * @property {number[]} traceMs
 * @property {number[]} proveMs from the trace to the proof's bytes
 * @property {number[]} verifyMs from the proof's bytes to the verdict
 * @property {number} proofBytes the largest
 * @property {number} peakRssKib
 * @property {number} [arenaBytes] of the WebAssembly memory, ours alone
 * @property {number} [securityBits]
 * @property {number} [traceLength]
 *
 * @typedef {object} Contender
 * @property {string} name
 * @property {boolean} isPeer
 * @property {number} grindingBits
 * @property {(size: { log2Rows: number; threads: number; runs: number }) => Promise<Measured>} run
 */

/** Builds a peer with cargo where there is one. @returns {string | undefined} the program, or why there is none */
export function buildPeer(name, report) {
  const folder = join(peersFolder, name);
  try {
    execFileSync('cargo', ['build', '--release', '--locked', '-j1'], {
      cwd: folder,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
  } catch (error) {
    const reason = error.code === 'ENOENT' ? 'cargo is not installed' : lastLine(error.stderr);
    report.note(`SKIPPED ${name}: ${reason}.`);
    return undefined;
  }
  return join(folder, 'target', 'release', `peer-${name}`);
}

/** @returns {Contender} */
export function peer(name, program, arguments_, queries, grindingBits) {
  return {
    name,
    isPeer: true,
    grindingBits,
    run: ({ log2Rows, threads, runs }) =>
      runProcess(program, [...arguments_, log2Rows, queries, grindingBits, LOG2_FINAL, runs].map(String), {
        RAYON_NUM_THREADS: String(threads),
      }),
  };
}

/** @returns {Contender} */
export function ours(name, task) {
  return {
    name,
    isPeer: false,
    grindingBits: task.set.grindingBits,
    run: size => runProcess(process.execPath, [ourProver, JSON.stringify({ ...task, ...size })], {}),
  };
}

async function runProcess(program, arguments_, environment) {
  const { stdout } = await execute(program, arguments_, { env: { ...process.env, ...environment } });
  return JSON.parse(stdout);
}

function lastLine(output) {
  return (
    String(output ?? '')
      .trim()
      .split('\n')
      .at(-1) || 'the build failed'
  );
}
