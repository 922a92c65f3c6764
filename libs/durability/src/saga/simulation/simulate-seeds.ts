import { simulateSagas } from './simulate-sagas.js';
import type { Turn } from './virtual-time.js';

/** Worlds that share the turns of one event loop; more of them live longer, and cost more to collect. */
const WORLDS_AT_A_TIME = 10;

/** How often what was seen. */
export type Sightings = Record<string, number>;

/** Everything that is ready runs before the next turn of the event loop, which all worlds wait for together. */
export function sharedTurn(immediately: (run: () => void) => void): Turn {
  let next: Promise<void> | undefined;
  return () =>
    (next ??= new Promise(resolve =>
      immediately(() => {
        next = undefined;
        resolve();
      }),
    ));
}

/** A seed whose world did not end as every world must. */
export class SeedError extends Error {
  constructor(
    readonly seed: number,
    override readonly cause: unknown,
  ) {
    super(`SAGA_SEED=${seed}: ${cause instanceof Error ? cause.message : String(cause)}`);
  }
}

/**
 * Worlds of consecutive seeds; what happens in one does not depend on those beside it.
 *
 * @returns what was seen in all of them together
 * @throws SeedError
 */
export async function simulateSeeds(first: number, count: number, turn: Turn): Promise<Sightings> {
  const seen: Sightings = {};
  let seed = first;
  const lane = async () => {
    while (seed < first + count) await simulateSeed(seed++, turn, seen);
  };
  await Promise.all(Array.from({ length: WORLDS_AT_A_TIME }, lane));
  return seen;
}

async function simulateSeed(seed: number, turn: Turn, seen: Sightings): Promise<void> {
  try {
    for (const [what, times] of Object.entries(await simulateSagas(seed, { turn })))
      seen[what] = (seen[what] ?? 0) + times;
  } catch (error) {
    throw new SeedError(seed, error);
  }
}

/** What a simulation must have seen to be worth anything. */
export const SIGHTINGS = [
  'commits in flight',
  'compensations that failed',
  'late effects refused',
  'late writes refused',
  'processes killed',
  'processes stopped',
  'requests delivered twice',
  'sagas compensated',
  'sagas completed',
  'sagas completed by another owner',
  'sagas resumed',
  'sagas stuck',
  'sagas taken over',
  'store away',
  'tombstones before their effect',
];
