import { problem, type ProblemError } from '@svc/platform';
import { MICRO_USD_PER_SAT } from '@svc/protocols';
import type { PresentedBundle } from '../rail/rail.js';

/** Whole satoshis: what bundles are charged is a multiple of one. */
export const satsOf = (microUsd: number): number => Math.floor(microUsd / MICRO_USD_PER_SAT);

/** What a budget of a bundle has, micro-USD. */
export interface SpentBudget {
  readonly capMicroUsd: number;
  readonly spentMicroUsd: number;
}

/**
 * @param leftMicroUsd of the budget or of the money of the bundle, whichever is less: some of that may have been refunded
 * @param priceSats of the call, or of the cheapest that the bundle may pay for
 */
export function bundleExhausted(
  { capMicroUsd, spentMicroUsd }: SpentBudget,
  leftMicroUsd: number,
  priceSats: number,
): ProblemError {
  const [budgetSats, spentSats, leftSats] = [capMicroUsd, spentMicroUsd, leftMicroUsd].map(satsOf);
  const detail = `The call costs ${priceSats} sats, and ${leftSats} of the ${budgetSats} sats of the bundle are left: ${spentSats} are spent`;
  return problem('BUDGET_EXHAUSTED', detail, {
    extensions: { budgetSats, spentSats, leftSats, priceSats },
  });
}

/** Its payer has made a key of what it had left. */
export const bundleEnded = (): ProblemError =>
  problem('PAYMENT_INVALID', 'The bundle was ended by its payer, and pays for nothing more');

/** @param what the request is for */
export const bundleElsewhere = (capabilities: readonly string[], what: string): ProblemError =>
  problem(
    'PAYMENT_BOUND_ELSEWHERE',
    `The bundle pays for ${capabilities.join(', ').slice(0, 200)}, and not for ${what}`,
  );

/** A credential that ends before its bundle does ends for itself. */
export const hasExpired = ({ expiresAtMs }: Pick<PresentedBundle, 'expiresAtMs'>): boolean =>
  Date.now() >= expiresAtMs;
