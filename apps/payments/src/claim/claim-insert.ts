import type { Receipt } from '@svc/contracts';
import type { KeyedDigests } from '@svc/platform';
import type { RailFamily } from '../rail/rail.js';
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
  readonly receipt: Receipt;
}

/** Money that has arrived before its claim. */
export interface ArrivedMoney {
  readonly reference: string;
  readonly chargedMicroUsd: number;
}

/** Columns of a first claim, in the order of {@link insertValues}. */
const FIRST_COLUMNS = `claim_id, rail_family, proof_key, operation_id, request_digest, credential_digest, amount_micro_usd,
  amount_sats, receipt, token_digest, payer, idempotency_key, settlement_evidence, settlement_reference,
  charged_micro_usd`;
const FIRST_COLUMN_COUNT = 15;
/** Families, and the account that the money of each comes in by. */
export const CLEARING_ACCOUNTS = (['lightning', 'stripe', 'x402'] as const).reduce<[string[], string[]]>(
  ([families, accounts], family) => [
    [...families, family],
    [...accounts, clearingOf(family)],
  ],
  [[], []],
);

/** A claim each, unless its proof or its token was claimed before. @param from number of the first parameter */
function insertInto(
  settlement: 'settled' | 'pending',
  leaseSeconds: number,
  from: number,
  count: number,
): string {
  const row = (index: number) =>
    Array.from(
      { length: FIRST_COLUMN_COUNT },
      (_, column) => `$${from + index * FIRST_COLUMN_COUNT + column}`,
    );
  const rows = Array.from(
    { length: count },
    (_, index) =>
      `(${row(index).join(', ')}, 'claimed', 1, now() + make_interval(secs => ${leaseSeconds}), '${settlement}')`,
  );
  return `INSERT INTO payment_claim (${FIRST_COLUMNS}, state, attempt, lease_until, settlement)
    VALUES ${rows.join(', ')} ON CONFLICT DO NOTHING
    RETURNING claim_id, rail_family, amount_micro_usd, settlement_reference`;
}

/** One claim of {@link insertValues}. */
export const insertClaim = (settlement: 'settled' | 'pending', leaseSeconds: number) =>
  insertInto(settlement, leaseSeconds, 1, 1);

/** Claims whose money has arrived, after the parameters of {@link CLEARING_ACCOUNTS}. */
export const insertClaims = (count: number, leaseSeconds: number) =>
  insertInto('settled', leaseSeconds, 1 + CLEARING_ACCOUNTS.length, count);

export const insertValues = (first: FirstClaim, requests: KeyedDigests, money?: ArrivedMoney): unknown[] => [
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
  JSON.stringify(first.evidence),
  money?.reference ?? null,
  money?.chargedMicroUsd ?? null,
];
