// What is compared, each a function that runs once more in a process of its own.
import { execFile, execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const execute = promisify(execFile);
const ourRun = fileURLToPath(new URL('./our-run.mjs', import.meta.url));
const peers = fileURLToPath(new URL('../peers', import.meta.url));
/** Longest that one process may take: Brian 2 compiles, connects 80 million synapses and runs. */
const PROCESS_MS_MAX = 900_000;

const PLASTICITY = {
  rule: 'stdp-nn',
  aPlus: 0.01,
  aMinus: 0.0105,
  tauPlusMs: 20,
  tauMinusMs: 20,
  wMaxMv: 3.24,
};
const RECORDING = { rasterNeurons: 0, rateHistogramBins: 50, binMs: 4 };

/** What of the network runs: nothing but neurons, fixed weights, or plastic ones. */
export const KINDS = {
  update: { name: 'update only', outDegree: 0, connectivity: 'procedural' },
  procedural: { name: 'procedural', connectivity: 'procedural' },
  stored: { name: 'stored', connectivity: 'stored' },
  // As the service runs it where a request says nothing of it.
  stdp: { name: 'STDP', connectivity: 'procedural', plasticity: PLASTICITY },
};

/**
 * @typedef {object} Case
 * @property {number} neuronCount
 * @property {number} outDegree
 * @property {number} steps
 * @property {number} warmupSteps
 * @property {number} threads
 */

/** One run of ours. @param {Case} size */
export async function runOurs(node, kind, { neuronCount, outDegree, steps, warmupSteps, threads }) {
  const { connectivity, plasticity, outDegree: own = outDegree } = KINDS[kind];
  const asked = {
    network: { neuronCount, outDegree: own, dtMs: 0.1, delayMs: 1.5, seed: 1, plasticity },
    run: { iterations: steps, warmupSteps, recording: RECORDING },
    options: { connectivity, threads },
  };
  return jsonOf(node, [ourRun, JSON.stringify(asked)]);
}

/** Compiles the loop in C++. @returns {string | undefined} the program, or undefined where it cannot be had, which is said */
export function buildNativeLoop(report, cache) {
  const program = join(cache, 'lif-avx512');
  const source = join(peers, 'lif-avx512', 'lif.cpp');
  const flags = ['-O3', '-std=c++17', '-march=native', '-ffp-contract=off', '-pthread'];
  try {
    mkdirSync(cache, { recursive: true });
    execFileSync('g++', [...flags, source, '-o', program], { stdio: ['ignore', 'ignore', 'pipe'] });
    // It says itself where the processor lacks AVX-512.
    execFileSync(program, ['1024', '0', '16', '0', '1', '1'], { stdio: ['ignore', 'ignore', 'pipe'] });
    return program;
  } catch (error) {
    report.note(`SKIPPED the loop in C++: ${reasonOf(error, 'g++')}.`);
    return undefined;
  }
}

/** One run of the loop in C++. @param {Case} size */
export async function runNative(program, kind, { neuronCount, outDegree, steps, warmupSteps, threads }) {
  const degree = kind === 'update' ? 0 : outDegree;
  const { loopMs, ...rest } = await jsonOf(
    program,
    [neuronCount, degree, steps, warmupSteps, threads, 1].map(String),
  );
  return { ...rest, fps: (1_000 * steps) / loopMs };
}

/** A Python with Brian 2, made once. @returns {string | undefined} */
export function installBrian(report, cache) {
  const environment = join(cache, 'brian2');
  const python = join(environment, 'bin', 'python');
  const isWhole = join(environment, 'installed');
  if (existsSync(isWhole)) return python;
  const run = (command, ...arguments_) =>
    execFileSync(command, arguments_, { stdio: ['ignore', 'ignore', 'pipe'] });
  try {
    rmSync(environment, { recursive: true, force: true });
    run('python3', '-m', 'venv', environment);
    run(python, '-m', 'pip', 'install', '--quiet', '-r', join(peers, 'brian2', 'requirements.txt'));
    run('g++', '--version');
    writeFileSync(isWhole, '');
    return python;
  } catch (error) {
    report.note(`SKIPPED Brian 2: ${reasonOf(error, 'python3 or g++')}.`);
    return undefined;
  }
}

/** One run of Brian 2. @param {Case} size `threads` 0: without OpenMP; undefined, and said, where it does not run */
export async function runBrian(python, rule, size, report) {
  const { neuronCount, outDegree, steps, warmupSteps, threads } = size;
  const asked = { neurons: neuronCount, degree: outDegree, steps, warmup: warmupSteps, threads };
  const options = Object.entries(asked).flatMap(([name, value]) => [`--${name}`, String(value)]);
  try {
    return await jsonOf(python, [join(peers, 'brian2', 'speed.py'), '--rule', rule, ...options]);
  } catch (error) {
    report.note(`SKIPPED Brian 2 (${rule}, ${threads} threads): ${reasonOf(error, 'python3')}.`);
    return undefined;
  }
}

async function jsonOf(program, arguments_) {
  const { stdout } = await execute(program, arguments_, { timeout: PROCESS_MS_MAX, maxBuffer: 1 << 24 });
  return JSON.parse(stdout.trim().split('\n').at(-1));
}

const reasonOf = (error, program) =>
  error.code === 'ENOENT'
    ? `${program} is not installed`
    : String(error.stderr || error.message)
        .trim()
        .split('\n')
        .at(-1);
