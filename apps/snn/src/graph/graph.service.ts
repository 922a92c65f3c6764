import { Inject, Injectable } from '@nestjs/common';
import { type GraphReply, SNN_RUN_MS_MAX, SNN_SYNC_MS_MAX } from '@svc/contracts';
import { isSettledCall, problem, WorkLane } from '@svc/platform';
import type { ReadGraph } from '../compute/compute-task.js';
import { ComputeThreads } from '../compute/compute-threads.js';
import { GRAPH_THREADS, type GraphThreads, QUICK_THREADS } from '../compute/compute.providers.js';
import { KeptReadings } from '../compute/kept-readings.js';
import type { SimulationObserver, WaitMode } from '../simulation/simulation.service.js';

/** A graph that was read is kept for its solution, which mostly follows at once. */
const KEPT_MS = 60_000;
const KEPT_BYTES_MAX = 96_000_000;
/** Of an edge in columns. */
const EDGE_BYTES = 16;
const READ_MS_MAX = 15_000;
/** Graphs that are expected to take so long, with so few edges, do not wait behind large ones. */
const SMALL = { seconds: 0.5, edges: 10_000 };
const WAITING_MAX: Readonly<Record<GraphSize, number>> = { small: 64, large: 8 };
const TOTAL_MS_MAX: Readonly<Record<WaitMode, number>> = { sync: SNN_SYNC_MS_MAX, task: SNN_RUN_MS_MAX };

type GraphSize = keyof GraphThreads;

const sizeOf = ({ seconds, problem: { u } }: ReadGraph): GraphSize =>
  seconds <= SMALL.seconds && u.length <= SMALL.edges ? 'small' : 'large';

const laneOf = (size: GraphSize) =>
  new WorkLane({
    name: `${size} graphs`,
    waitingMax: WAITING_MAX[size],
    waitMsMax: SNN_RUN_MS_MAX,
    unitMsFirst: 1,
  });

/** Reads graphs and solves them, one large one at a time and a small one beside it, in a thread that ends when its caller goes. */
@Injectable()
export class GraphService {
  private readonly readings = new KeptReadings<ReadGraph>({
    keptMs: KEPT_MS,
    bytesMax: KEPT_BYTES_MAX,
    bytesOf: ({ problem: { u } }) => EDGE_BYTES * u.length,
  });
  private readonly lanes: Readonly<Record<GraphSize, WorkLane>> = {
    small: laneOf('small'),
    large: laneOf('large'),
  };

  constructor(
    @Inject(QUICK_THREADS) private readonly quick: ComputeThreads,
    @Inject(GRAPH_THREADS) private readonly solvers: GraphThreads,
  ) {}

  /**
   * @param packed the request's text, deflated without a header
   * @throws ProblemError MALFORMED_JSON, BODY_TOO_LARGE, VALIDATION_FAILED, UNPROCESSABLE naming place, bound and value; QUEUE_FULL
   */
  async admit(packed: Uint8Array, mode: WaitMode): Promise<{ seconds: number; waitMs: number }> {
    const graph = await this.read(packed);
    return { seconds: graph.seconds, waitMs: Math.round(this.assertRoom(graph, mode)) };
  }

  /** @throws ProblemError as {@link admit}; the signal's reason */
  async solve(packed: Uint8Array, { signal, note, mode }: SimulationObserver): Promise<GraphReply> {
    note?.(0, 'reading');
    const graph = await this.read(packed);
    this.assertRoom(graph, mode);
    note?.(0, 'queued');
    const solve = () => this.solveNow(graph, { signal, note, mode });
    return this.lanes[sizeOf(graph)].run(1_000 * graph.seconds + 1, solve, { signal });
  }

  private async solveNow(graph: ReadGraph, { signal, note, mode }: SimulationObserver): Promise<GraphReply> {
    const onShare: (share: number) => void = share => note?.(share, 'solving');
    onShare(0);
    const { problem: asked, requestDigest } = graph;
    const options = { signal, timeoutMs: TOTAL_MS_MAX[mode], onShare };
    const solver = this.solvers[sizeOf(graph)];
    const { solveMs, solution, path, ...rest } = await solver.run('solveGraph', asked, options);
    return {
      problem: asked.problem,
      ...rest,
      solution: Array.from(solution),
      ...(path ? { path: Array.from(path) } : {}),
      solveMs,
      requestDigest,
    };
  }

  private assertRoom(graph: ReadGraph, mode: WaitMode): number {
    const { seconds } = graph;
    const waitMs = this.lanes[sizeOf(graph)].assertRoom();
    const maxMs = TOTAL_MS_MAX[mode];
    if (isSettledCall() || waitMs + 1_000 * seconds <= maxMs) return waitMs;
    const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1_000));
    const detail = `The graphs ahead take about ${retryAfterSeconds} s, and with its own time a graph has ${maxMs / 1_000} s`;
    throw problem('QUEUE_FULL', detail, { retryAfterSeconds });
  }

  /** Reads a graph once for its admission and its solution. */
  private read(packed: Uint8Array): Promise<ReadGraph> {
    return this.readings.of(packed, () =>
      this.quick.run('readGraph', { packed }, { timeoutMs: READ_MS_MAX }),
    );
  }
}
