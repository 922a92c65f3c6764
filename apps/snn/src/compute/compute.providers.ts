import { Inject, Injectable, type OnApplicationShutdown, type Provider } from '@nestjs/common';
import { ComputeThreads } from './compute-threads.js';

/** Threads for what ends within a second or two: models, parcels, reading graphs, pictures. */
export const QUICK_THREADS = Symbol('QUICK_THREADS');
/** The threads that graphs are solved in: one for small ones, one for large. */
export const GRAPH_THREADS = Symbol('GRAPH_THREADS');

/** A million edges as JSON and as columns stay well below; what does not is ended, and not the service. */
const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 768, maxYoungGenerationSizeMb: 64 };

/** Ends the threads when the service has drained. */
@Injectable()
export class ComputeShutdown implements OnApplicationShutdown {
  constructor(
    @Inject(QUICK_THREADS) private readonly quick: ComputeThreads,
    @Inject(GRAPH_THREADS) private readonly graphs: ComputeThreads,
  ) {}

  async onApplicationShutdown(): Promise<void> {
    await Promise.all([this.quick.close(), this.graphs.close()]);
  }
}

export const computeProviders: Provider[] = [
  {
    provide: QUICK_THREADS,
    useFactory: () => new ComputeThreads({ threads: 2, waitingMax: 64, resourceLimits: RESOURCE_LIMITS }),
  },
  {
    provide: GRAPH_THREADS,
    // How many wait is bounded by their lane.
    useFactory: () => new ComputeThreads({ threads: 2, waitingMax: 8, resourceLimits: RESOURCE_LIMITS }),
  },
  ComputeShutdown,
];
