import { Inject, Injectable } from '@nestjs/common';
import { type QuotaState, Receipt } from '@svc/contracts';
import { Batch, type KeyedDigest, prepared, problem, ProblemError } from '@svc/platform';
import { encodeReceipt, PLANS, type Price, QUOTA_PRICE_MICRO_USD_MAX, usdText } from '@svc/protocols';
import { randomUUID } from 'node:crypto';
import { DataSource } from 'typeorm';
import { type PlanId } from '../account/accounts.js';
import { ApiKeys } from '../account/api-keys.js';
import { PAYMENT_KEYS, type PaymentKeys } from '../payments-config.js';
import { limitOf, quotaState } from '../quota/quotas.js';
import {
  CALLER_WAITS_MS,
  CLAIM_LEASE,
  GIVE_UPS_MAX,
  type HeldClaim,
  inFlight,
  LEASE_SECONDS,
  settlementUnknown,
} from './standing-claim.js';

/** Calls of one transaction: a page of them is quick to book, and no call waits long for its batch. */
const BATCH_SIZE_MAX = 128;
/** How often a batch is repeated that Postgres aborted for another's sake. */
const ATTEMPTS_MAX = 5;
/** How long until claims are let go that nobody has heard of, milliseconds. */
const LET_GO_AFTER_MS = 1_000;
/** How often that is tried again while the database is away. */
const LET_GO_TRIES_MAX = 120;
/** Asked of a caller whose call is still running, or whose batch is in doubt. */
const WAIT_SECONDS = 2;

/** SQLSTATEs after which the same batch may succeed: serialization failure, deadlock. */
const REPEATABLE = new Set(['40001', '40P01']);

/** Requests a month of the plans whose quota covers priced calls; null is unlimited. */
const PLAN_LIMITS = JSON.stringify(
  Object.fromEntries(
    PLANS.filter(plan => plan.amountMicroUsdPerMonth > 0).map(plan => [plan.planId, limitOf(plan.planId)]),
  ),
);

const CLAIM = prepared(
  `SELECT place, outcome, claim_id, attempt, given_up_count, funding, receipt,
          balance_micro_usd::float8 AS balance, plan, used::float8 AS used, month::text
     FROM claim_by_key($1, $2, $3)`,
);
const FIND_STANDING = prepared(
  `SELECT q.place::int, s.verdict AS outcome, s.claim_id, s.attempt
     FROM jsonb_to_recordset($1) AS q (place integer, payer text, operation text, idempotency text, forms text),
          LATERAL standing_claim_by_key(q.payer, q.operation, q.idempotency, q.forms) AS s
    WHERE s.verdict NOT IN ('none', 'lapsed')`,
);

/** A call that a key pays. */
export interface KeyCall {
  readonly accountKey: string;
  readonly price: Price;
  readonly requestDigest: string;
  readonly idempotencyKey?: string;
}

/** What a call by key came to: a claim of its own, or one that was delivered before and answers it. */
export type KeyClaim =
  | {
      readonly outcome: 'claimed';
      readonly held: HeldClaim;
      readonly accountId: string;
      readonly quota?: QuotaState;
    }
  | { readonly outcome: 'delivered'; readonly claimId: string };

interface Item {
  readonly accountId: string;
  readonly claimId: string;
  readonly credentialDigest: string;
  readonly request: KeyedDigest;
  readonly receipt: Receipt;
  readonly call: KeyCall;
}

interface Decision {
  readonly place: number;
  readonly outcome:
    'claimed' | 'insufficient' | 'in-flight' | 'delivered' | 'unknown' | 'mismatch' | 'no-account';
  readonly claim_id: string;
  readonly attempt: number;
  readonly given_up_count: number;
  readonly funding: 'credit' | 'quota' | null;
  readonly receipt: unknown;
  readonly balance: number;
  readonly plan: PlanId;
  readonly used: number | null;
  readonly month: string;
}

/** A claim that stands in the way of a call, or answers it. */
interface Standing {
  readonly outcome: 'in-flight' | 'delivered' | 'unknown' | 'mismatch';
  readonly claim_id: string;
  readonly attempt: number;
}

/** A call, as rows have it. */
interface StandingQuestion {
  readonly payer: string;
  readonly operation: string;
  readonly idempotency: string | null;
  readonly forms: string;
}

/**
 * Claims paid by key: from the plan's quota where it covers the price, else from credit. Calls that arrive while a batch
 * is at work are the next batch: one transaction, one lock on each account, one flush for all of them, and each of them
 * is decided on its own. Counter or debit, ledger and claim are one transaction.
 */
@Injectable()
export class KeyClaims {
  private readonly batch = new Batch<Item, Decision>(items => this.decide(items), {
    sizeMax: BATCH_SIZE_MAX,
  });
  private readonly lookups = new Batch<StandingQuestion, Standing | undefined>(asked => this.findAll(asked), {
    sizeMax: BATCH_SIZE_MAX,
  });

  constructor(
    private readonly dataSource: DataSource,
    private readonly keys: ApiKeys,
    @Inject(PAYMENT_KEYS) private readonly paymentKeys: Pick<PaymentKeys, 'requests'>,
    @Inject(CLAIM_LEASE) private readonly leaseSeconds: number = LEASE_SECONDS,
  ) {}

  /**
   * @throws ProblemError UNKNOWN_CREDENTIAL (401); PAYMENT_INSUFFICIENT (402) with balance and price;
   * PAYMENT_IN_FLIGHT (409) for a request that runs already; UNPROCESSABLE (422) when the Idempotency-Key came with
   * another request; SETTLEMENT_UNKNOWN (503) when it is not known whether it was booked
   */
  async claim(call: KeyCall): Promise<KeyClaim> {
    const holder = await this.keys.authenticate(call.accountKey);
    const claimId = randomUUID();
    const begunMs = Date.now();
    const decision = await this.batch.add({
      accountId: holder.accountId,
      claimId,
      credentialDigest: this.keys.hash(call.accountKey).hash.toString('hex'),
      request: this.paymentKeys.requests.of(call.requestDigest, `account:${holder.accountId}`),
      receipt: receiptOf(claimId, call.price),
      call,
    });
    if (decision.outcome === 'claimed' && Date.now() - begunMs > CALLER_WAITS_MS) {
      this.letGo([decision.claim_id], decision.attempt);
      throw settlementUnknown(WAIT_SECONDS);
    }
    return claimOf(decision, call, holder.accountId);
  }

  /**
   * As {@link claim}, but that nothing is claimed: what was delivered before, or undefined where the call would have to be paid for.
   * @throws ProblemError as {@link claim}, but PAYMENT_INSUFFICIENT
   */
  async find({
    accountKey,
    price,
    requestDigest,
    idempotencyKey,
  }: KeyCall): Promise<Extract<KeyClaim, { outcome: 'delivered' }> | undefined> {
    const { accountId } = await this.keys.authenticate(accountKey);
    const payer = `account:${accountId}`;
    const standing = await this.lookups.add({
      ...{ payer, operation: price.operationId, idempotency: idempotencyKey ?? null },
      forms: this.paymentKeys.requests.of(requestDigest, payer).forms.join(' '),
    });
    return standing && standingClaim(standing);
  }

  private async findAll(asked: readonly StandingQuestion[]): Promise<(Standing | undefined)[]> {
    const rows: { place: number; outcome: string; claim_id: string; attempt: number }[] =
      await this.dataSource.query(FIND_STANDING, [
        JSON.stringify(asked.map((question, place) => ({ place, ...question }))),
      ]);
    const found = new Map(rows.map(row => [row.place, row as Standing]));
    return asked.map((_, place) => found.get(place));
  }

  private async decide(items: readonly Item[]): Promise<Decision[]> {
    const byAccount = new Map<string, ReturnType<typeof rowOf>[]>();
    items.forEach((item, place) => {
      const own = byAccount.get(item.accountId) ?? [];
      own.push(rowOf(item, place));
      byAccount.set(item.accountId, own);
    });
    const calls = [...byAccount].map(([account_id, own]) => ({ account_id, calls: own }));
    const decisions = await this.run(items, JSON.stringify(calls));
    return decisions.sort((a, b) => a.place - b.place);
  }

  /** One statement is the transaction: what it answers is committed. */
  private async run(items: readonly Item[], calls: string): Promise<Decision[]> {
    for (let attempt = 1; ; attempt++) {
      const runner = this.dataSource.createQueryRunner();
      try {
        // Where it cannot connect, nothing was sent: the caller is told that the service is away.
        await runner.connect();
        return await this.ask(runner, items, calls);
      } catch (error) {
        const sqlState = (error as { driverError?: { code?: string } }).driverError?.code;
        if (attempt >= ATTEMPTS_MAX || sqlState === undefined || !REPEATABLE.has(sqlState)) throw error;
      } finally {
        await runner.release();
      }
    }
  }

  private async ask(
    runner: { query(sql: string, parameters: unknown[]): Promise<Decision[]> },
    items: readonly Item[],
    calls: string,
  ): Promise<Decision[]> {
    try {
      return await runner.query(CLAIM, [calls, PLAN_LIMITS, this.leaseSeconds]);
    } catch (error) {
      if (!(error instanceof ProblemError) || error.code !== 'SERVICE_UNAVAILABLE') throw error;
      this.letGo(items.map(({ claimId }) => claimId));
      throw settlementUnknown(WAIT_SECONDS, error);
    }
  }

  /**
   * Ends the leases of claims that nobody has heard of, once the database is back: nobody runs their calls, so whoever
   * sends the request again takes them over, and the others have their credit back.
   */
  private letGo(claimIds: readonly string[], attempt = 1, triesLeft = LET_GO_TRIES_MAX): void {
    const again = () => {
      this.dataSource
        .query(
          `UPDATE payment_claim SET lease_until = now()
            WHERE claim_id = ANY ($1) AND state = 'claimed' AND attempt = $2`,
          [claimIds, attempt],
        )
        .catch(() => {
          if (triesLeft > 1 && this.dataSource.isInitialized) this.letGo(claimIds, attempt, triesLeft - 1);
        });
    };
    setTimeout(again, LET_GO_AFTER_MS).unref();
  }
}

function rowOf({ claimId, credentialDigest, request, receipt, call }: Item, place: number) {
  const { price, idempotencyKey } = call;
  return {
    place,
    claim_id: claimId,
    operation_id: price.operationId,
    request_digest: request.stored,
    request_forms: request.forms.join(' '),
    idempotency_key: idempotencyKey ?? null,
    credential_digest: credentialDigest,
    amount_micro_usd: price.amountMicroUsd,
    amount_sats: price.amountSats,
    quota_covers: price.amountMicroUsd <= QUOTA_PRICE_MICRO_USD_MAX,
    receipt,
  };
}

function claimOf(decision: Decision, { price }: KeyCall, accountId: string): KeyClaim {
  const { claim_id: claimId, attempt, plan, used, month } = decision;
  const quota = used === null ? undefined : quotaState(plan, used, month);
  switch (decision.outcome) {
    case 'claimed':
      return {
        outcome: 'claimed',
        accountId,
        held: {
          claimId,
          attempt,
          receipt: Receipt.parse(decision.receipt),
          canBeGivenUp: decision.given_up_count < GIVE_UPS_MAX,
        },
        ...(decision.funding === 'quota' && quota ? { quota } : {}),
      };
    case 'no-account':
      throw problem('UNKNOWN_CREDENTIAL', 'The account of the key is not there');
    case 'insufficient':
      throw insufficient(decision.balance, price, quota);
    default:
      return standingClaim({ outcome: decision.outcome, claim_id: claimId, attempt });
  }
}

/** @throws ProblemError of a claim that does not answer the call */
function standingClaim({ outcome, claim_id: claimId, attempt }: Standing) {
  switch (outcome) {
    case 'delivered':
      return { outcome, claimId };
    case 'in-flight':
      throw inFlight(WAIT_SECONDS, { claimId, attempt });
    case 'unknown':
      throw settlementUnknown(WAIT_SECONDS);
    case 'mismatch':
      throw problem(
        'UNPROCESSABLE',
        'The Idempotency-Key came before with another request of this operation',
      );
  }
}

function insufficient(balanceMicroUsd: number, price: Price, quota: QuotaState | undefined): ProblemError {
  const balance = balanceMicroUsd === 0 ? '0' : usdText(balanceMicroUsd);
  const spent = quota ? `; the ${quota.limit} requests of this month are used` : '';
  return problem(
    'PAYMENT_INSUFFICIENT',
    `The call costs ${price.priceUsd} USD and the account of the key has ${balance} USD${spent}`,
    { extensions: { balanceMicroUsd, priceMicroUsd: price.amountMicroUsd, ...(quota ? { quota } : {}) } },
  );
}

function receiptOf(claimId: string, price: Price): Receipt {
  const timestamp = new Date().toISOString();
  return {
    rail: 'svc-key',
    reference: claimId,
    amountMicroUsd: price.amountMicroUsd,
    amountSats: price.amountSats,
    timestamp,
    headers: {
      'Payment-Receipt': encodeReceipt({
        status: 'success',
        method: 'svc-key',
        timestamp,
        reference: claimId,
      }),
    },
  };
}
