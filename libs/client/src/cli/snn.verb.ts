import { SnnRequest as SnnSchema } from '@svc/contracts';
import type {
  SnnEstimate,
  SnnRequest,
  SnnResult,
  SolveGraphRequest,
  SolveGraphResult,
} from '../api-types.js';
import {
  given,
  numberOption,
  purchase,
  PURCHASE_NOTES,
  purchaseOptions,
  requestOf,
} from './agent-purchase.js';
import { openClient, wholeNumber } from './connection.js';
import { ExitCode, UsageError } from './exit-code.js';
import { readFileOrStdin, readJsonObject } from './operand.js';
import { columns } from './terminal.js';
import { textOption, type Verb, type VerbContext, type VerbOption } from './verb.js';

/** Neurons of the raster where a picture of it is asked for and nobody says how many. */
const RASTER_NEURONS = 200;
/** Nodes of a path or solution that are shown. */
const SHOWN_MAX = 20;

const { price: _price, ...buying } = purchaseOptions;

const count = (value: number): string => value.toLocaleString('en-US', { maximumFractionDigits: 1 });
const listed = (values: readonly number[]): string =>
  values.length <= SHOWN_MAX
    ? values.join(', ')
    : `${values.slice(0, SHOWN_MAX).join(', ')}, … ${count(values.length)} in all (use --json or --save)`;

function whole({ values }: VerbContext, name: string, min: number): number | undefined {
  return wholeNumber(`--${name}`, textOption(values, name), min);
}

async function simulationOf(context: VerbContext): Promise<SnnRequest> {
  const { values } = context;
  const rule = textOption(values, 'rule');
  const [rates, raster] = [textOption(values, 'svg'), textOption(values, 'raster-svg')];
  const rasterNeurons = whole(context, 'raster', 0) ?? (raster === undefined ? undefined : RASTER_NEURONS);
  const record = given({ rasterNeurons, svg: (rates ?? raster) === undefined ? undefined : true });
  const request = await requestOf(context);
  return {
    ...request,
    ...given({
      neuronCount: whole(context, 'neurons', 1),
      iterations: whole(context, 'iterations', 1),
      dtMs: numberOption(context, 'dt'),
      seed: whole(context, 'seed', 0),
      outDegree: whole(context, 'out-degree', 1),
      plasticity: rule === undefined ? undefined : { rule },
      connectivity: textOption(values, 'connectivity'),
      backend: textOption(values, 'backend'),
      threads: whole(context, 'threads', 1),
      warmupSteps: whole(context, 'warmup', 0),
      record:
        Object.keys(record).length === 0
          ? undefined
          : { ...(request['record'] as object | undefined), ...record },
    }),
  } as SnnRequest;
}

function simulationLines(data: SnnResult): (readonly [string, string])[] {
  const { seed, neuronCount, iterations, threads, backend, connectivity, adapter } = data;
  const on = adapter === undefined ? `${threads} threads` : adapter;
  return [
    ['network', `${count(neuronCount)} neurons, ${count(iterations)} steps, seed ${seed}`],
    ['spikes', `${count(data.spikeCount)} of ${count(data.activeNeurons)} neurons`],
    ['mean rate', `${data.meanRateHz.toFixed(2)} Hz`],
    [
      'frame rate',
      `${count(data.framerateFps)} steps a second, ${data.realTimeFactor.toFixed(3)} of real time`,
    ],
    ['events', `${count(data.synapticEvents)} at synapses`],
    ['memory', `${data.vramConsumedMb.toFixed(1)} MB (${data.memoryKind})`],
    ['run by', `${backend}, ${connectivity} synapses, ${on}`],
    ['state', data.stateHash],
    ...(data.weights
      ? [['weights', `${data.weights.meanMv.toFixed(3)} ± ${data.weights.sdMv.toFixed(3)} mV`] as const]
      : []),
  ];
}

async function estimate(context: VerbContext, request: SnnRequest): Promise<ExitCode> {
  const client = await openClient(context, 'free');
  const { data } = await client.estimateSimulation(request, { signal: context.signal });
  const { memoryMb, memoryKind, synapses, seconds, backend, connectivity, threads }: SnnEstimate = data;
  context.terminal.result(
    data,
    columns([
      ['memory', `${memoryMb.toFixed(1)} MB (${memoryKind})`],
      ['synapses', count(synapses)],
      ['time', `about ${seconds.toFixed(1)} s`],
      ['run by', `${backend}, ${connectivity} synapses, ${threads} threads`],
      ['paid', 'nothing: an estimate is not counted either'],
    ]),
  );
  return ExitCode.ok;
}

async function solve(context: VerbContext): Promise<ExitCode> {
  const { values } = context;
  const request = await simulationOf(context);
  if (values['dry-run'] === true) return estimate(context, request);
  // Its evidence speaks of the request as the gateway reads it: with its defaults.
  const read = SnnSchema.safeParse({ ...request, dryRun: false });
  return purchase<SnnResult>(context, {
    doing: 'simulating',
    request: read.success ? { ...read.data } : { ...request },
    buy: (client, options) => client.simulate(request, options),
    lines: simulationLines,
    keep: [
      { path: textOption(values, 'svg'), contentOf: ({ svg }) => svg?.rates },
      { path: textOption(values, 'raster-svg'), contentOf: ({ svg }) => svg?.raster },
    ],
  });
}

function graphLines(data: SolveGraphResult): (readonly [string, string])[] {
  const { problem, exact, objective, bound, solution, path, valid } = data;
  return [
    ['problem', `${problem}, ${exact ? 'exact' : 'the best that was found'}`],
    ['objective', bound === undefined ? count(objective) : `${count(objective)}, bound ${count(bound)}`],
    ['checked', valid ? 'the solution holds on the graph' : 'THE SOLUTION DOES NOT HOLD'],
    ...(path === undefined ? [] : [['path', path.length === 0 ? 'none' : listed(path)] as const]),
    ['solution', listed(solution)],
    ['spikes', `${count(data.spikes)}, ${count(data.events)} events, ${count(data.simSteps)} steps`],
    ['server time', `${data.solveMs.toFixed(1)} ms`],
  ];
}

async function graph(context: VerbContext): Promise<ExitCode> {
  const [, path] = context.positionals;
  if (path === undefined) throw new UsageError('FILE is missing: the request as JSON, - for stdin');
  const request = readJsonObject(await readFileOrStdin(path, context.streams), path);
  return purchase<SolveGraphResult>(context, {
    doing: 'solving',
    request,
    buy: (client, options) => client.solveGraph(request as SolveGraphRequest, options),
    lines: graphLines,
  });
}

const text = (placeholder: string, help: string): VerbOption => ({ type: 'string', placeholder, help });

export const snnVerb: Verb = {
  name: 'snn',
  summary: 'simulate a spiking network; solve a graph with spikes',
  operands: 'solve | graph FILE',
  positionalsMin: 1,
  positionalsMax: 2,
  options: {
    neurons: text('N', '100 to 4,000,000 (default 1,000,000)'),
    iterations: text('N', 'steps of the whole network (default 100)'),
    dt: text('MS', 'length of a step (default 0.1)'),
    seed: text('N', 'the same seed is the same network and state (default: drawn, and told)'),
    'out-degree': text('N', 'synapses of a neuron (default 80)'),
    rule: text('NAME', 'none, stdp-nn or stdp-all (default stdp-nn)'),
    connectivity: text('NAME', 'procedural or stored: the same network, other memory and speed'),
    backend: text('NAME', 'auto, wasm or webgpu'),
    threads: text('N', 'threads at most'),
    warmup: text('N', 'steps before those that are measured'),
    raster: text('N', 'neurons of which each spike is told'),
    svg: text('FILE', 'save a picture of the rates'),
    'raster-svg': text(
      'FILE',
      `save a picture of the spikes of --raster neurons (default ${RASTER_NEURONS})`,
    ),
    'dry-run': { type: 'boolean', help: 'print what the run would take, for nothing' },
    ...buying,
  },
  notes: [
    ...PURCHASE_NOTES,
    'Within the month’s requests of the key, or of the address, a call costs nothing.',
    'FILE is the body of POST /v1/snn/solve-graph: {"problem":"sssp","nodes":3,"edges":[[0,1,2],[1,2,3]],"source":0}.',
    'To check a simulation, run it again with its seed on the backend wasm, at another gateway too: state is the same.',
    'A run of minutes is a task: svc task neuro --capability snn.solve --input @request.json --wait 0',
    '',
    'Examples:',
    '  svc snn solve --neurons 1000000 --iterations 1000 --dry-run',
    '  svc snn solve --neurons 10000 --iterations 5000 --seed 7 --svg rates.svg --raster-svg raster.svg',
    '  svc snn graph graph.json --save answer.json',
  ],
  run(context) {
    const [what, operand] = context.positionals;
    if (what === 'solve' && operand === undefined) return solve(context);
    if (what === 'graph') return graph(context);
    throw new UsageError('say solve, or graph and FILE');
  },
};
