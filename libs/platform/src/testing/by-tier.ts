/**
 * A count for tests that a quick and a long suite share: `X.long.spec.ts` imports `X.spec.ts`, and how often differs. The runner of
 * the suites says in `SUITE_TIER` which of them runs.
 * @param quick in the unit and service tiers
 * @param long in the long tier
 * @example
 * const RUNS = byTier(60, 1_000);
 */
export const byTier = <T>(quick: T, long: T): T => (process.env.SUITE_TIER === 'long' ? long : quick);
