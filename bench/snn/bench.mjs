import { execFileSync } from 'node:child_process';
import { availableParallelism, loadavg } from 'node:os';
import { fileURLToPath } from 'node:url';
import { fetchNewerNode } from '../../tools/bench/newer-node.mjs';
import { numbersOf } from '../../tools/bench/options.mjs';
import { SetupError } from '../../tools/setup/setup-error.mjs';
import { buildNativeLoop, installBrian, KINDS, runBrian, runNative, runOurs } from './contenders.mjs';
import { benchShortestPaths } from './shortest-paths.mjs';

const cache = fileURLToPath(new URL('../../node_modules/.cache/bench-snn', import.meta.url));
const MILLION = 1_000_000;
/** Steps of a block: the loop in C++ counts in whole ones. */
const BLOCK_STEPS = 16;
/** Into which a million neurons are cut; the loop in C++ gives each as many synapses. */
const SECTORS = 16;
/** Frames a second of a million neurons on two threads that are aimed at. */
const AIMS = {
  update: { floor: 3_500, goal: 7_000 },
  procedural: { floor: 3_100, goal: 4_000 },
  stored: { floor: 2_100, goal: 3_000 },
  stdp: { floor: 1_667, goal: 2_000 },
};
/** Times Brian 2 at its best. */
const BRIAN_AIMS = { none: 4.5, stdp: 8 };

/** `neurons` stand where a million is said; of the shortest paths `nodes`, `edges` and `rounds`. */
export const options = {
  ...{ only: undefined, quick: false, neurons: MILLION, steps: 2_000, warmup: 1_600, degree: 80 },
  ...{ threads: [1, Math.min(2, availableParallelism())].join(','), sizes: '10000,100000,4000000' },
  ...{ nodes: 100_000, edges: 1_000_000, rounds: 7 },
};
export const smoke = {
  ...{
    neurons: 1_000,
    steps: 16,
    warmup: 16,
    threads: '1',
    sizes: '1000',
    nodes: 100,
    edges: 1_000,
    rounds: 1,
  },
};

/**
 * Frames a second of the CUBA network on the WASM backend, by kind, size, threads and Node, beside Brian 2 and a loop in C++ with
 * AVX-512 that fires the same spikes; then shortest paths by spikes beside Dijkstra's algorithm.
 *
 * @param {{ report: import('../../tools/bench/report.mjs').Report; options: typeof options; smoke: boolean }} run
 */
export default async function snn({ report, options, smoke }) {
  const plan = planOf(options);
  const loadBefore = loadavg()[0];
  const bench = { report, plan, smoke, hashes: new Map(), spikes: new Map(), brian: {}, native: undefined };
  if (plan.parts.has('million')) await benchMillion(bench);
  if (plan.parts.has('sizes')) await benchSizes(bench);
  if (plan.parts.has('newer')) await benchNewerNode(bench);
  if (plan.parts.has('sssp')) benchShortestPaths(report, options);
  report.note(
    `Load average ${loadBefore.toFixed(1)} before, ${loadavg()[0].toFixed(1)} after. Every row is the mean of ${plan.steps} steps of ` +
      `0.1 ms after ${plan.warmupSteps}; K = ${plan.outDegree} but for the update alone; medianFps is that of the median block.`,
  );
}

function planOf({ only, quick: isQuick, neurons, steps, warmup, degree, threads, sizes }) {
  for (const [name, value] of Object.entries({ steps, warmup })) {
    if (!Number.isInteger(value) || value <= 0 || value % BLOCK_STEPS !== 0) {
      throw new SetupError(`--${name} is a multiple of ${BLOCK_STEPS}`);
    }
  }
  const parts = isQuick ? ['million', 'sssp'] : ['million', 'sizes', 'newer', 'sssp'];
  return {
    isQuick,
    neurons,
    parts: new Set(only === undefined ? parts : String(only).split(',')),
    steps,
    warmupSteps: warmup,
    outDegree: degree,
    threads: numbersOf(threads),
    sizes: numbersOf(sizes),
  };
}

const neuronsOf = count => `${count.toLocaleString('en-US')} neurons`;

/** A million neurons: each kind beside its peers. */
async function benchMillion(bench) {
  const { report, smoke } = bench;
  const { neurons } = bench.plan;
  if (smoke) {
    report.leftOut('Brian 2', 'needs Python');
    report.leftOut('the loop in C++', 'needs g++');
  }
  const python = smoke ? undefined : installBrian(report, cache);
  bench.native = smoke ? undefined : buildNativeLoop(report, cache);
  report.table(`${neuronsOf(neurons)}, update only`);
  await nativeRows(bench, 'update');
  await ourRows(bench, ['update'], neurons);
  report.table(`${neuronsOf(neurons)}, fixed weights`);
  const brianStatic = await brianRows(bench, python, 'none');
  await nativeRows(bench, 'stored');
  const fixed = await ourRows(bench, ['procedural', 'stored'], neurons);
  report.table(`${neuronsOf(neurons)}, STDP`);
  const brianPlastic = await brianRows(bench, python, 'stdp');
  const plastic = await ourRows(bench, ['stdp'], neurons);
  besideBrian(report, 'Fixed weights', brianStatic, fixed, BRIAN_AIMS.none);
  besideBrian(report, 'STDP', brianPlastic, plastic, BRIAN_AIMS.stdp);
}

function besideBrian(report, what, theirs, ours, aim) {
  if (theirs.length === 0) return;
  const best = Math.max(...theirs);
  const times = Math.max(...ours) / best;
  report.note(
    `${what}: ${times.toFixed(1)} times Brian 2 at its best (${best.toFixed(0)}), ${aim} are aimed at.`,
  );
}

const threadsOf = count => `${count} thread${count > 1 ? 's' : ''}`;

const caseOf = ({ plan }, neuronCount, threads) => ({
  neuronCount,
  threads,
  outDegree: plan.outDegree,
  steps: plan.steps,
  warmupSteps: plan.warmupSteps,
});

/** @returns {Promise<number[]>} frames a second */
async function ourRows(bench, kinds, neuronCount, node = process.execPath) {
  const measured = [];
  for (const kind of kinds) {
    for (const threads of bench.plan.threads) {
      const run = await runOurs(node, kind, caseOf(bench, neuronCount, threads));
      expectSame(bench, kind, neuronCount, run);
      const aim = neuronCount === MILLION && run.threads === 2 ? AIMS[kind] : undefined;
      bench.report.row(`${KINDS[kind].name}, ${threadsOf(run.threads)}`, {
        fps: run.fps,
        medianFps: run.medianFps,
        rateHz: run.rateHz,
        synapticEventsPerS: Math.round(run.eventsPerS),
        MB: run.bytes / 1e6,
        buildMs: run.buildMs,
        ...(aim && { floorFps: aim.floor, goalFps: aim.goal }),
      });
      measured.push(run.fps);
    }
  }
  return measured;
}

/** One network, one state, whatever the threads, the connectivity and the Node; one number of spikes, in C++ too. */
function expectSame({ hashes, spikes }, kind, neuronCount, { stateHash, spikeCount }) {
  const network = `${kind === 'stored' ? 'procedural' : kind} ${neuronCount}`;
  for (const [seen, value] of [
    [hashes, stateHash],
    [spikes, spikeCount],
  ]) {
    if (value === undefined) continue;
    if (seen.has(network) && seen.get(network) !== value) {
      throw new Error(`${network} came to ${value}, and to ${seen.get(network)} before`);
    }
    seen.set(network, value);
  }
}

async function nativeRows(bench, kind) {
  if (!bench.native) return;
  if (kind !== 'update' && bench.plan.outDegree % SECTORS !== 0) return;
  for (const threads of bench.plan.threads) {
    const { neurons } = bench.plan;
    const run = await runNative(bench.native, kind, caseOf(bench, neurons, threads));
    expectSame(bench, kind, neurons, run);
    const rateHz = run.spikeCount / neurons / (bench.plan.steps * 1e-4);
    bench.report.row(
      `C++ with AVX-512, ${kind === 'update' ? 'update only' : 'stored'}, ${threadsOf(threads)}`,
      {
        fps: run.fps,
        rateHz,
        MB: run.bytes / 1e6,
        buildMs: run.buildMs,
      },
    );
  }
}

/** @returns {Promise<number[]>} frames a second */
async function brianRows(bench, python, rule) {
  const measured = [];
  if (!python) return measured;
  const cores = Math.min(2, availableParallelism());
  for (const threads of bench.plan.isQuick ? [0] : [0, cores]) {
    const run = await runBrian(python, rule, caseOf(bench, bench.plan.neurons, threads), bench.report);
    if (!run) continue;
    const how = threads === 0 ? 'without OpenMP' : `OpenMP, ${threads} threads`;
    const buildMs = Math.round(1_000 * (run.wholeS - run.loopS));
    bench.report.row(`Brian ${run.version}, C++ standalone, ${how}`, {
      fps: run.fps,
      rateHz: run.rateHz,
      buildMs,
    });
    measured.push(run.fps);
  }
  return measured;
}

async function benchSizes(bench) {
  for (const neuronCount of bench.plan.sizes) {
    bench.report.table(neuronsOf(neuronCount));
    await ourRows(bench, Object.keys(KINDS), neuronCount);
  }
}

async function benchNewerNode(bench) {
  const { report, plan, smoke } = bench;
  if (smoke) return report.leftOut('a newer Node', 'needs to be fetched');
  const node = fetchNewerNode(report, cache);
  if (!node) return;
  const version = execFileSync(node, ['--version'], { encoding: 'utf8' }).trim();
  report.table(`${neuronsOf(plan.neurons)} on Node ${version}`);
  await ourRows(bench, Object.keys(KINDS), plan.neurons, node);
}
