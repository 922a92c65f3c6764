import type { HouseAccount, LedgerLeg } from '../ledger/ledger.js';
import { customer } from '../ledger/ledger.js';
import type { RailFamily } from '../rail/rail.js';

const CLEARING: Readonly<Record<RailFamily, HouseAccount>> = {
  lightning: 'lightning-clearing',
  stripe: 'processor-clearing',
  x402: 'onchain-clearing',
};

/** The account that a rail's money comes in by. */
export const clearingOf = (family: RailFamily): HouseAccount => CLEARING[family];

/**
 * Money that arrived: the price is held for the call, and what came beyond it is the payer's.
 * @param creditAccountId needed where more was charged than the price
 */
export function settleLegs(
  family: RailFamily,
  amountMicroUsd: number,
  chargedMicroUsd: number,
  creditAccountId?: string,
): LedgerLeg[] {
  const remainderMicroUsd = chargedMicroUsd - amountMicroUsd;
  const legs: LedgerLeg[] = [
    { account: clearingOf(family), amountMicroUsd: -chargedMicroUsd },
    { account: 'holds', amountMicroUsd },
  ];
  if (remainderMicroUsd === 0) return legs;
  if (creditAccountId === undefined) throw new RangeError('a remainder needs an account to lie on');
  return [...legs, { account: customer(creditAccountId), amountMicroUsd: remainderMicroUsd }];
}

/** A call that brought nothing: what was held for it is the payer's credit. */
export const creditLegs = (accountId: string, amountMicroUsd: number): LedgerLeg[] => [
  { account: 'holds', amountMicroUsd: -amountMicroUsd },
  { account: customer(accountId), amountMicroUsd },
];

/** Credit that is held for another try. */
export const holdLegs = (accountId: string, amountMicroUsd: number): LedgerLeg[] => [
  { account: customer(accountId), amountMicroUsd: -amountMicroUsd },
  { account: 'holds', amountMicroUsd },
];
