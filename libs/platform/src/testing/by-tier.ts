/** Tier of the suite that runs, told by the name of its file; undefined outside of the runner of the suites. */
export type SuiteTier = 'unit' | 'service' | 'long' | undefined;

/**
 * A count for tests that a quick and a long suite share: `X.long.spec.ts` imports `X.spec.ts`, and how often differs. The runner of
 * the suites says in `SUITE_TIER` which of them runs.
 * @param quick in the unit and service tiers
 * @param long in the long tier
 * @example
 * const RUNS = byTier(60, 1_000);
 */
export function byTier<T>(quick: T, long: T): T {
  const tier = process.env.SUITE_TIER as SuiteTier;
  return tier === 'long' ? long : quick;
}

/**
 * A helper that waits for something in a test gives up after so long, milliseconds: a little before the wall limit of a test of the tier
 * that runs, which the runner says in `SUITE_LIMIT_MS`, so as to say what did not come. It is no bound on how long anything takes.
 */
export const HANGS_MS = (Number(process.env.SUITE_LIMIT_MS ?? 240_000) * 5) / 6;
