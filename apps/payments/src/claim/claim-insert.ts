import type { KeyedDigests } from '@svc/platform';
import type { Rail, RailFamily } from '../rail/rail.js';
import type { StoredReceipt } from '../receipt/stored-receipt.js';
import { clearingOf } from './claim-postings.js';
import { type ClaimedRequest, digestOwnerOf } from './standing-claim.js';

/** The first claim of a payment. */
export interface FirstClaim extends ClaimedRequest {
  readonly claimId: string;
  readonly family: RailFamily;
  readonly proofKey: string;
  readonly credentialDigest: string;
  readonly tokenDigest?: string;
  readonly payer?: string;
  readonly idempotencyKey?: string;
  readonly amountMicroUsd: number;
  readonly amountSats: number;
  readonly evidence: Readonly<Record<string, unknown>>;
  /** Which money: what goes out for the claim goes out in it. */
  readonly paidIn: Rail['money'];
  readonly receipt: StoredReceipt;
}

/** Money that has arrived before its claim. */
export interface ArrivedMoney {
  readonly reference: string;
  readonly chargedMicroUsd: number;
}

/** Columns of a first claim and their types, in the order of {@link insertValues}. */
const FIRST_COLUMNS = {
  ...{
    claim_id: 'uuid',
    rail_family: 'text',
    proof_key: 'text',
    operation_id: 'text',
    request_digest: 'text',
  },
  ...{ credential_digest: 'text', amount_micro_usd: 'bigint', amount_sats: 'bigint', receipt: 'jsonb' },
  ...{ token_digest: 'text', payer: 'text', idempotency_key: 'text', settlement_evidence: 'jsonb' },
  ...{ settlement_reference: 'text', charged_micro_usd: 'bigint' },
};
/** Families, and the account that the money of each comes in by. */
export const CLEARING_ACCOUNTS = (['lightning', 'stripe', 'x402'] as const).reduce<[string[], string[]]>(
  ([families, accounts], family) => [
    [...families, family],
    [...accounts, clearingOf(family)],
  ],
  [[], []],
);

/**
 * A claim each, unless its proof or its token was claimed before: one text for any number of them.
 * @param from number of the first parameter; those are of {@link insertValues}
 */
export function insertClaims(settlement: 'settled' | 'pending', from = 1): string {
  const names = Object.keys(FIRST_COLUMNS).join(', ');
  const arrays = Object.values(FIRST_COLUMNS).map((type, index) => `$${from + index}::${type}[]`);
  return `INSERT INTO payment_claim (${names}, state, attempt, lease_until, settlement)
    SELECT ${names}, 'claimed', 1, now() + make_interval(secs => $${from + arrays.length}), '${settlement}'
      FROM unnest(${arrays.join(', ')}) WITH ORDINALITY AS given (${names}, place) ORDER BY place
    ON CONFLICT DO NOTHING RETURNING claim_id, rail_family, amount_micro_usd, settlement_reference`;
}

/** Claims in the order in which they are to be made, and those that money has arrived for. */
export function insertValues(
  firsts: readonly { readonly first: FirstClaim; readonly money?: ArrivedMoney }[],
  requests: KeyedDigests,
  leaseSeconds: number,
): unknown[] {
  const rows = firsts.map(({ first, money }) => [
    first.claimId,
    first.family,
    first.proofKey,
    first.operationId,
    requests.of(first.requestDigest, digestOwnerOf(first.claimId, first.payer)).stored,
    first.credentialDigest,
    first.amountMicroUsd,
    first.amountSats,
    JSON.stringify(first.receipt),
    first.tokenDigest ?? null,
    first.payer ?? null,
    first.idempotencyKey ?? null,
    JSON.stringify({ ...first.evidence, money: first.paidIn }),
    money?.reference ?? null,
    money?.chargedMicroUsd ?? null,
  ]);
  return [...Object.keys(FIRST_COLUMNS).map((_, column) => rows.map(row => row[column])), leaseSeconds];
}
