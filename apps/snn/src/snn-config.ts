import { ConfigError, loadConfig, type Variables } from '@svc/platform';
import { availableParallelism } from 'node:os';
import { z } from 'zod';

/** Variables of the service. */
export const snnConfig = z.object({
  /** Megabytes of 10^6 that one simulation may allocate. */
  SNN_MEMORY_MB_MAX: z.coerce.number().int().min(16).max(65_536).default(1_536),
  /** Neurons × steps × synapses of a neuron that one simulation may have. */
  SNN_WORK_MAX: z.coerce.number().min(1e6).max(1e18).default(1e13),
  /** Threads of a simulation that does not say how many; none takes more than there are cores. */
  SNN_THREADS: z.coerce.number().int().min(1).max(64).optional(),
  /** How long a service that closes goes on with what it has begun before it ends that. */
  SNN_DRAIN_SECONDS: z.coerce.number().int().min(0).max(3_600).default(25),
});

/** Threads that are taken where nobody says how many, at most. */
const THREADS_DEFAULT_MAX = 4;

/** Token of the service's {@link SnnLimits}. */
export const SNN_LIMITS = Symbol('SNN_LIMITS');

/** What the service allows. */
export interface SnnLimits {
  readonly memoryBytesMax: number;
  readonly workMax: number;
  readonly threadsDefault: number;
  readonly threadsMax: number;
  readonly drainMs: number;
}

/** @throws ConfigError */
export function snnLimitsOf(variables: Variables = process.env): SnnLimits {
  const config = loadConfig(snnConfig, variables);
  const threadsMax = availableParallelism();
  return {
    memoryBytesMax: config.SNN_MEMORY_MB_MAX * 1e6,
    workMax: config.SNN_WORK_MAX,
    threadsDefault: Math.min(config.SNN_THREADS ?? THREADS_DEFAULT_MAX, threadsMax),
    threadsMax,
    drainMs: config.SNN_DRAIN_SECONDS * 1_000,
  };
}

/** Faults of the variables, one line each. */
export function snnConfigFaults(variables: Variables): readonly string[] {
  try {
    snnLimitsOf(variables);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
}
