import { MICRO_USD_PER_SAT } from '@svc/protocols';
import type { StandingClaim } from '../claim/standing-claim.js';

/** What of a claim that was delivered its signed receipt is made of. */
export type SoldClaim = Pick<
  StandingClaim,
  'claimId' | 'operationId' | 'family' | 'funding' | 'payer' | 'chargedMicroUsd' | 'receipt'
>;

/** The smallest unit of a dollar here, and of a bitcoin that is paid with. */
const MICRO_USD_DECIMALS = 6;
const SAT_DECIMALS = 8;

/**
 * Payload of the signed receipt of a delivery (x402 "Offer and Receipt Extension", 5.2, and what binds request and answer beside);
 * undefined where the claim does not say for which request, was not delivered, or was paid by a plan.
 * @param opened a hash of the row as it was before it was sealed, lower-case hex
 */
export function receiptPayload(
  claim: SoldClaim,
  opened: (sealed: string) => string,
): Readonly<Record<string, unknown>> | undefined {
  const { claimId, operationId, family, funding, receipt } = claim;
  const { called, delivery, rail, reference, amountMicroUsd } = receipt;
  if (!called || !delivery || funding === 'quota') return undefined;
  const { version, issuedAt, responseHash } = delivery;
  return {
    ...{ version, resourceUrl: called.url, issuedAt, id: claimId, rail },
    ...(family === 'account' ? {} : { transaction: reference }),
    ...settledBy(claim),
    usage: { operationId, calls: 1, amountMicroUsd },
    requestHash: `0x${opened(called.requestHash)}`,
    responseHash: `0x${opened(responseHash)}`,
    ...(version === 2 ? { responseHashAlg: 'sha256', responseHashEncoding: 'raw' } : {}),
  };
}

/** Who has paid, where, and what was settled. Where a rail proves no payer, that is empty; `network` is CAIP-2 of chains alone. */
function settledBy({ family, payer = '', chargedMicroUsd, receipt }: SoldClaim) {
  const { chain, amountSats, amountMicroUsd } = receipt;
  if (family === 'lightning') {
    // What the invoice was over: a price that has fallen since is less.
    const sats = chargedMicroUsd === undefined ? amountSats : chargedMicroUsd / MICRO_USD_PER_SAT;
    return { network: family, payer, amount: String(sats), decimals: SAT_DECIMALS, asset: 'BTC' };
  }
  const amount = String(chargedMicroUsd ?? amountMicroUsd);
  // The tokens that are taken have six decimals: their units are micro-USD.
  if (chain) return { ...chain, payer: payer.slice(payer.indexOf(':') + 1), amount };
  return { network: family, payer, amount, decimals: MICRO_USD_DECIMALS, asset: 'USD' };
}
