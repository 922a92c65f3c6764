import { Inject, Injectable } from '@nestjs/common';
import { BUNDLE_BUDGETS_MAX } from '@svc/contracts';
import { inTransaction, problem } from '@svc/platform';
import { base32, bundleOperation, type CountedBudget, microUsdFromSats, requestDigest } from '@svc/protocols';
import { randomUUID } from 'node:crypto';
import { DataSource, type EntityManager } from 'typeorm';
import { DerivedCredit } from '../account/derived-credit.js';
import type { HashedKey } from '../account/key-hash.js';
import { type ArrivedMoney, type FirstClaim, insertClaims, insertValues } from '../claim/claim-insert.js';
import { clearingOf } from '../claim/claim-postings.js';
import { receiptOf } from '../claim/claim-receipt.js';
import { customer, Ledger } from '../ledger/ledger.js';
import { PAYMENT_KEYS, type PaymentKeys } from '../payments-config.js';
import type { PresentedBundle, PresentedPayment, Rail, RailFamily } from '../rail/rail.js';
import { bundleEnded } from './bundle-problems.js';

/** Rails of bundles: an invoice of Lightning pays for each. */
const FAMILY: RailFamily = 'lightning';
/** As the ids of keys. */
const KEY_ID_CHARS = 16;
const UUID_BYTES = 16;
/** Budgets that are known to be there without a question. */
const KNOWN_MAX = 10_000;
/** Its claim is delivered where it is made: no lease is waited for. */
const NO_LEASE = 0;

type BundleMoney = ArrivedMoney & Pick<FirstClaim, 'paidIn'>;

/** Under which account calls are booked, and within which budget. */
export interface OpenBundle extends HashedKey {
  readonly accountId: string;
}

/**
 * Bundles as accounts: the money of one is credit of an account that its payment makes, and each budget is a limit with a key that no text
 * is. A credential opens what it needs of both when it first comes, so that nothing is stored of an invoice that is not paid.
 */
@Injectable()
export class Bundles {
  /** Ids of keys: each is there for good. Whether its bundle was ended, the statement says that books the call. */
  private readonly known = new Set<string>();
  private readonly opening = new Map<string, Promise<void>>();

  constructor(
    private readonly dataSource: DataSource,
    private readonly ledger: Ledger,
    private readonly derived: DerivedCredit,
    @Inject(PAYMENT_KEYS) private readonly keys: Pick<PaymentKeys, 'requests'>,
  ) {}

  /**
   * Sees to it that calls can be booked under a credential's narrowest budget.
   * @throws ProblemError PAYMENT_INVALID where the node has no money, the bundle was ended or has too many budgets; SETTLEMENT_UNKNOWN
   */
  async open(bundle: PresentedBundle, rail: Rail): Promise<OpenBundle> {
    const { accountId } = this.derived.keyOf(FAMILY, bundle.payment.proofKey);
    const open = { accountId, ...keyOf(bundle.budgets.at(-1)!) };
    if (this.known.has(open.keyId)) return open;
    let opening = this.opening.get(open.keyId);
    if (!opening) {
      opening = this.record(bundle, accountId, rail).finally(() => this.opening.delete(open.keyId));
      this.opening.set(open.keyId, opening);
    }
    await opening;
    this.known.add(open.keyId);
    if (this.known.size > KNOWN_MAX) this.known.delete(this.known.values().next().value as string);
    return open;
  }

  private async record(bundle: PresentedBundle, accountId: string, rail: Rail): Promise<void> {
    const { keyId } = keyOf(bundle.budgets.at(-1)!);
    const { proofKey } = bundle.payment;
    const [found]: { budget: boolean; payment: boolean }[] = await this.dataSource.query(
      `SELECT EXISTS (SELECT FROM api_key WHERE key_id = $1) AS budget,
              EXISTS (SELECT FROM payment_claim WHERE rail_family = $2 AND proof_key = $3) AS payment`,
      [keyId, FAMILY, proofKey],
    );
    if (found.budget) return;
    const money = found.payment ? undefined : await arrived(bundle.payment, rail);
    await inTransaction(this.dataSource, async manager => {
      const isNew =
        money !== undefined &&
        (await this.credit(manager, bundle, accountId, { ...money, paidIn: rail.money }));
      await addBudgets(manager, bundle, accountId, isNew);
    });
  }

  /** The money becomes credit of the bundle's account; false where it did before. */
  private async credit(
    manager: EntityManager,
    bundle: PresentedBundle,
    accountId: string,
    money: BundleMoney,
  ): Promise<boolean> {
    await manager.query(
      `INSERT INTO account (account_id, kind) VALUES ($1, 'bundle') ON CONFLICT (account_id) DO NOTHING`,
      [accountId],
    );
    const first = firstClaimOf(bundle, money);
    const { claimId } = first;
    const rows: unknown[] = await manager.query(
      insertClaims('settled'),
      insertValues([{ first, money }], this.keys.requests, NO_LEASE),
    );
    if (rows.length === 0) return false;
    // Its answer says what is left at that moment, so none is kept.
    await manager.query(
      `UPDATE payment_claim SET state = 'delivered', delivered_at = now(), purged_at = now(), credit_account_id = $2
        WHERE claim_id = $1`,
      [claimId, accountId],
    );
    const legs = [
      { account: clearingOf(FAMILY), amountMicroUsd: -money.chargedMicroUsd },
      { account: customer(accountId), amountMicroUsd: money.chargedMicroUsd },
    ];
    await this.ledger.post(manager, { kind: 'top-up', legs, claimId, reference: money.reference });
    return true;
  }
}

/** @throws ProblemError PAYMENT_INVALID where the node has none; SETTLEMENT_UNKNOWN where it cannot be asked */
async function arrived(payment: PresentedPayment, rail: Rail): Promise<ArrivedMoney> {
  const settlement = await rail.settle(payment, randomUUID());
  if (settlement.outcome === 'settled') return settlement;
  const { outcome, detail } = settlement;
  if (outcome === 'refused') throw problem(settlement.code, detail);
  throw problem('SETTLEMENT_UNKNOWN', detail, { retryAfterSeconds: 5, cause: settlement.cause });
}

function firstClaimOf({ payment, issued }: PresentedBundle, { reference, paidIn }: BundleMoney): FirstClaim {
  const operationId = bundleOperation(issued.budgetSats);
  const { proofKey, credentialDigest, amountMicroUsd, amountSats, evidence } = payment;
  return {
    ...{ claimId: randomUUID(), family: FAMILY, proofKey, credentialDigest, operationId },
    requestDigest: requestDigest(operationId, { capabilities: issued.capabilities }),
    ...{ amountMicroUsd, amountSats, evidence, paidIn },
    receipt: receiptOf(FAMILY, payment, { reference }, undefined),
  };
}

/**
 * Adds the limits and keys of the budgets that are not there yet, under the lock of the account, as its payer ends it.
 * @param isNew whether the bundle is opened just now
 */
async function addBudgets(
  manager: EntityManager,
  { budgets, issued }: PresentedBundle,
  accountId: string,
  isNew: boolean,
): Promise<void> {
  await manager.query(`SELECT FROM account WHERE account_id = $1 FOR NO KEY UPDATE`, [accountId]);
  const rows: { limit_id: string; live: boolean }[] = await manager.query(
    `SELECT limit_id, EXISTS (SELECT FROM api_key k WHERE k.limit_id = l.limit_id AND k.state = 'active') AS live
       FROM key_limit l WHERE account_id = $1`,
    [accountId],
  );
  const live = new Map(rows.map(row => [row.limit_id, row.live]));
  if (!isNew && !live.get(limitIdOf(budgets[0]))) throw bundleEnded();
  const missing = budgets.filter(budget => !live.has(limitIdOf(budget))).length;
  if (live.size + missing > BUNDLE_BUDGETS_MAX) {
    const detail = `The bundle has ${live.size} budgets, and has ${BUNDLE_BUDGETS_MAX} at most`;
    throw problem('PAYMENT_INVALID', detail, { extensions: { max: BUNDLE_BUDGETS_MAX } });
  }
  for (const [place, budget] of budgets.entries()) {
    const lineage = budgets.slice(0, place + 1).map(limitIdOf);
    const { keyId, hash } = keyOf(budget);
    await manager.query(
      `INSERT INTO key_limit (limit_id, account_id, lineage, cap_total_micro_usd) VALUES ($1, $2, $3, $4)
       ON CONFLICT (limit_id) DO NOTHING`,
      [lineage.at(-1), accountId, lineage, microUsdFromSats(budget.sats)],
    );
    await manager.query(
      `INSERT INTO api_key (key_id, account_id, key_hash, label, limit_id, ends_at)
       VALUES ($1, $2, $3, 'L402 bundle', $4, $5) ON CONFLICT (key_id) DO NOTHING`,
      [keyId, accountId, hash, lineage.at(-1), new Date(issued.expiresAtMs)],
    );
  }
}

function keyOf({ digest }: CountedBudget): HashedKey {
  return { keyId: base32(digest, KEY_ID_CHARS), hash: Buffer.from(digest) };
}

/** @returns a UUID of the first bytes of what names the budget */
export function limitIdOf({ digest }: CountedBudget): string {
  const hex = Buffer.from(digest.subarray(0, UUID_BYTES)).toString('hex');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
