import { Inject, Injectable, type OnApplicationShutdown, type Provider } from '@nestjs/common';
import { ComputeThreads } from './compute-threads.js';

/** Threads for what ends within a second or two: models, parcels, reading graphs, pictures. */
export const QUICK_THREADS = Symbol('QUICK_THREADS');
/** What graphs are solved in: small ones beside large ones, also where there is one core. */
export const GRAPH_THREADS = Symbol('GRAPH_THREADS');
export type GraphThreads = Readonly<Record<'small' | 'large', ComputeThreads>>;

/** A million edges as JSON and as columns stay well below; what does not is ended, and not the service. */
const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 768, maxYoungGenerationSizeMb: 24 };

const threadsOf = (threadsMax: number, waitingMax: number) =>
  new ComputeThreads({ threadsMax, waitingMax, resourceLimits: RESOURCE_LIMITS });

/** Ends the threads when the service has drained. */
@Injectable()
export class ComputeShutdown implements OnApplicationShutdown {
  constructor(
    @Inject(QUICK_THREADS) private readonly quick: ComputeThreads,
    @Inject(GRAPH_THREADS) private readonly graphs: GraphThreads,
  ) {}

  async onApplicationShutdown(): Promise<void> {
    await Promise.all([this.quick, this.graphs.small, this.graphs.large].map(threads => threads.close()));
  }
}

export const computeProviders: Provider[] = [
  {
    provide: QUICK_THREADS,
    useFactory: () => threadsOf(2, 64),
  },
  {
    provide: GRAPH_THREADS,
    // How many wait is bounded by their lane, which gives them one at a time.
    useFactory: (): GraphThreads => ({ small: threadsOf(1, 8), large: threadsOf(1, 8) }),
  },
  ComputeShutdown,
];
