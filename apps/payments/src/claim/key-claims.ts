import { Inject, Injectable } from '@nestjs/common';
import {
  type KeySpending,
  paymentsContract,
  type Purse,
  type QuotaState,
  type StoredResponse,
} from '@svc/contracts';
import { Batch, type KeyedDigest, prepared, problem, ProblemError, repeated } from '@svc/platform';
import { keyReceipt, mayPayFor, PLANS, type Price, QUOTA_PRICE_MICRO_USD_MAX, usdText } from '@svc/protocols';
import { randomUUID } from 'node:crypto';
import { DataSource } from 'typeorm';
import { type PlanId } from '../account/accounts.js';
import { ApiKeys } from '../account/api-keys.js';
import { notAllowed } from '../account/key-limits.js';
import { bundleEnded, bundleExhausted } from '../bundle/bundle-problems.js';
import type { OpenBundle } from '../bundle/bundles.js';
import { PAYMENT_KEYS, type PaymentKeys } from '../payments-config.js';
import { limitOf, quotaState } from '../quota/quotas.js';
import type { SoldClaim } from '../receipt/receipt-payload.js';
import { type CalledUrl, type Delivery, StoredReceipt } from '../receipt/stored-receipt.js';
import { SHARED_BYTES_MAX } from './claim-deliveries.js';
import { calledText } from './claim-store.js';
import { sealAnswer } from './sealed-answer.js';
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
/** How long until claims are let go that nobody has heard of, milliseconds. */
const LET_GO_AFTER_MS = 1_000;
/** How often that is tried again while the database is away. */
const LET_GO_TRIES_MAX = 120;
/** How long a caller waits for a sale before it asks again. */
const SELLER_WAITS_MS = paymentsContract.sell.timeoutMs;
const DAY_MS = 86_400_000;
/** Asked of a caller whose call is still running, or whose batch is in doubt. */
const WAIT_SECONDS = 2;

/** Requests a month of the plans whose quota covers priced calls; null is unlimited. */
const PLAN_LIMITS = JSON.stringify(
  Object.fromEntries(
    PLANS.filter(plan => plan.amountMicroUsdPerMonth > 0).map(plan => [plan.planId, limitOf(plan.planId)]),
  ),
);

const BUY = prepared(
  `SELECT place, outcome, claim_id, attempt, given_up_count, funding, receipt,
          balance_micro_usd::float8 AS balance, plan, used::float8 AS used, month::text,
          cap_micro_usd::float8 AS cap, cap_spent_micro_usd::float8 AS spent, cap_by_day AS by_day, operations
     FROM buy_by_key($1, $2, $3, $4, $5)`,
);
const FIND_STANDING = prepared(
  `SELECT q.place::int, s.verdict AS outcome, s.claim_id, s.attempt
     FROM jsonb_to_recordset($1) AS q (place integer, payer text, operation text, idempotency text, forms text),
          LATERAL standing_claim_by_key(q.payer, q.operation, q.idempotency, q.forms) AS s
    WHERE s.verdict NOT IN ('none', 'lapsed')`,
);

/** What is left for a key: the balance of its account, and of the caps that hold for it the one that leaves least. */
const LEFT = prepared(
  `SELECT account.balance_micro_usd::float8 AS balance, capped.cap::float8 AS cap, capped.spent::float8 AS spent
     FROM api_key JOIN account USING (account_id) LEFT JOIN key_limit lim USING (limit_id)
     LEFT JOIN LATERAL (
       SELECT one.cap, one.spent
         FROM key_limit up, LATERAL (VALUES
           (up.cap_day_micro_usd, CASE WHEN up.spent_day = (now() AT TIME ZONE 'UTC')::date
                                       THEN up.spent_day_micro_usd ELSE 0 END),
           (up.cap_total_micro_usd, up.spent_micro_usd)) AS one (cap, spent)
        WHERE up.limit_id = ANY (lim.lineage) AND one.cap IS NOT NULL ORDER BY one.cap - one.spent LIMIT 1) capped ON true
    WHERE api_key.key_id = $1`,
);

const TOUCH_LEASE = `UPDATE payment_claim SET lease_until = lease_until WHERE claim_id = $1`;
/** A claim that was taken over is for the request of who has it now, as its signed receipt is to name it. */
const CALL_AGAIN = `UPDATE payment_claim SET receipt = (receipt - 'called') || $3
  WHERE claim_id = $1 AND attempt = $2 AND state = 'claimed'`;

/** A call that a key pays, or a bundle. */
export interface KeyCall {
  /** The text of a key, not yet looked at, or a bundle that was opened. */
  readonly accountKey: string | OpenBundle;
  readonly price: Price;
  readonly requestDigest: string;
  readonly idempotencyKey?: string;
  readonly called?: CalledUrl;
}

/** It was delivered before, and that answers it. */
type Delivered = { readonly outcome: 'delivered'; readonly claimId: string };

/** What a call by key came to: a claim of its own, or one that was delivered before. */
export type KeyClaim =
  | {
      readonly outcome: 'claimed';
      readonly held: HeldClaim;
      readonly purse: Purse;
      readonly quota?: QuotaState;
    }
  | Delivered;

/** What the sale of an answer came to: none where a claim stands that has to be taken over. */
export type KeySale =
  | {
      readonly outcome: 'sold';
      readonly receipt: StoredReceipt;
      /** What its signed receipt says beside. */
      readonly claim: Omit<SoldClaim, 'receipt'>;
      readonly purse: Purse;
      readonly quota?: QuotaState;
    }
  | Delivered
  | { readonly outcome: 'to-be-claimed' };

/** An answer that is there before it is paid for. */
export interface SoldAnswer {
  readonly claimId: string;
  readonly soldAt: string;
  readonly response: StoredResponse;
  readonly delivery?: Delivery;
}

interface Item {
  readonly accountId: string;
  readonly keyId: string;
  readonly claimId: string;
  readonly credentialDigest: string;
  readonly request: KeyedDigest;
  readonly receipt: StoredReceipt;
  readonly call: KeyCall;
  /** Of a call that is sold: sealed, and until when its caller waits to hear of it. */
  readonly answer?: StoredResponse;
  readonly untilMs?: number;
}

interface Decision {
  readonly place: number;
  readonly outcome:
    | ('claimed' | 'sold' | 'insufficient' | 'exhausted' | 'not-allowed' | 'no-key' | 'late')
    // Of a claim that stands: the last is told of sales alone.
    | ('in-flight' | 'delivered' | 'unknown' | 'mismatch' | 'lapsed');
  readonly claim_id: string;
  readonly attempt: number;
  readonly given_up_count: number;
  readonly funding: 'credit' | 'quota' | null;
  readonly receipt: unknown;
  readonly balance: number;
  readonly plan: PlanId;
  readonly used: number | null;
  readonly month: string;
  /** Of the caps of the key the one that leaves least, and what it may pay for: null where it has none. */
  readonly cap: number | null;
  readonly spent: number | null;
  readonly by_day: boolean | null;
  readonly operations: string[] | null;
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
 * Claims and sales paid by key: from the plan's quota where it covers the price, else from credit. Calls that arrive while a batch
 * is at work are the next batch: one transaction, one lock on each account, one flush for all of them, and each of them
 * is decided on its own. Counter or debit, ledger, claim and, of a sale, the answer are one transaction.
 */
@Injectable()
export class KeyClaims {
  private readonly durable = new Batch<Item, Decision>(items => this.decide(items), {
    sizeMax: BATCH_SIZE_MAX,
  });
  /** Commits without waiting for the disk: the next durable commit flushes them too. */
  private readonly lazy = new Batch<Item, Decision>(items => this.decide(items, true), {
    sizeMax: BATCH_SIZE_MAX,
  });
  private readonly lookups = new Batch<StandingQuestion, Standing | undefined>(asked => this.findAll(asked), {
    sizeMax: BATCH_SIZE_MAX,
  });

  constructor(
    private readonly dataSource: DataSource,
    private readonly keys: ApiKeys,
    @Inject(PAYMENT_KEYS) private readonly paymentKeys: Pick<PaymentKeys, 'requests' | 'storedAnswer'>,
    @Inject(CLAIM_LEASE) private readonly leaseSeconds: number = LEASE_SECONDS,
  ) {}

  /**
   * @param lazily the hold is not on the disk yet when this resolves; for work without an effect, whose delivery is waited for
   * @throws ProblemError UNKNOWN_CREDENTIAL (401); FORBIDDEN (403) for what the key may not pay for; PAYMENT_INSUFFICIENT (402) with
   * balance and price; BUDGET_EXHAUSTED (402) with the cap that is reached;
   * PAYMENT_IN_FLIGHT (409) for a request that runs already; UNPROCESSABLE (422) when the Idempotency-Key came with
   * another request; SETTLEMENT_UNKNOWN (503) when it is not known whether it was booked
   */
  async claim(call: KeyCall, lazily = false): Promise<KeyClaim> {
    const begunMs = Date.now();
    const item = await this.itemOf(call, randomUUID(), new Date().toISOString());
    const decision = await (lazily ? this.lazy : this.durable).add(item);
    if (decision.outcome === 'claimed' && Date.now() - begunMs > CALLER_WAITS_MS) {
      this.letGo([decision.claim_id], decision.attempt);
      throw settlementUnknown(WAIT_SECONDS);
    }
    if (decision.outcome !== 'claimed') return this.standing(decision, item);
    const held = {
      claimId: decision.claim_id,
      attempt: decision.attempt,
      receipt: StoredReceipt.parse(decision.receipt),
      canBeGivenUp: decision.given_up_count < GIVE_UPS_MAX,
    };
    if (held.attempt > 1)
      await this.dataSource.query(CALL_AGAIN, [held.claimId, held.attempt, calledText(call)]);
    // Its work may go on after the call: a write that is waited for brings the hold to the disk.
    if (lazily && !held.canBeGivenUp) await this.dataSource.query(TOUCH_LEASE, [held.claimId]);
    return { outcome: 'claimed', held, ...leftAfter(decision, item) };
  }

  /**
   * Sells an answer. A caller that gets no reply sends the same sale again, which finds it delivered.
   * @throws ProblemError as {@link claim}
   */
  async sell(call: KeyCall, { claimId, soldAt, response, delivery }: SoldAnswer): Promise<KeySale> {
    const body = sealAnswer(this.paymentKeys.storedAnswer, claimId, response.body);
    const untilMs = Date.now() + SELLER_WAITS_MS;
    const made = await this.itemOf(call, claimId, soldAt);
    const own = { ...made.receipt, ...(delivery && { delivery }) };
    const item = { ...made, receipt: own, answer: { ...response, body }, untilMs };
    const isShared = body.length <= SHARED_BYTES_MAX;
    const decision = isShared ? await this.durable.add(item) : (await this.decide([item]))[0];
    if (decision.outcome === 'lapsed') return { outcome: 'to-be-claimed' };
    if (decision.outcome !== 'sold') return this.standing(decision, item);
    const receipt = StoredReceipt.parse(decision.receipt);
    return { outcome: 'sold', receipt, claim: soldOf(decision, item), ...leftAfter(decision, item) };
  }

  private async itemOf(call: KeyCall, claimId: string, at: string): Promise<Item> {
    const { accountKey } = call;
    const { accountId, keyId, hash } =
      typeof accountKey === 'string' ? await this.keys.identify(accountKey) : accountKey;
    return {
      ...{ accountId, keyId, claimId, call },
      credentialDigest: hash.toString('hex'),
      request: this.paymentKeys.requests.of(call.requestDigest, `account:${accountId}`),
      receipt: { ...keyReceipt(claimId, call.price, at), ...(call.called && { called: call.called }) },
    };
  }

  /** @throws ProblemError of a call that was neither claimed nor sold, and was not delivered before */
  private standing(decision: Decision, { keyId, call: { price, accountKey } }: Item): Delivered {
    const { outcome, balance, claim_id, attempt } = decision;
    switch (outcome) {
      case 'no-key':
        if (typeof accountKey !== 'string') throw bundleEnded();
        this.keys.forget(keyId);
        throw problem('UNKNOWN_CREDENTIAL', 'The account key is not known here, or was revoked');
      case 'not-allowed':
        throw notAllowed(price.operationId, decision.operations ?? []);
      case 'exhausted':
        if (typeof accountKey !== 'string') throw ofBundle(decision, price);
        throw exhausted(decision, price);
      case 'insufficient':
        // Of its money some was refunded.
        if (typeof accountKey !== 'string') throw ofBundle(decision, price);
        throw insufficient(balance, price, quotaOf(decision));
      case 'late':
        throw settlementUnknown(WAIT_SECONDS);
      case 'claimed':
      case 'sold':
      case 'lapsed':
        throw new TypeError(`a call was ${outcome}`);
      default:
        return standingClaim({ outcome, claim_id, attempt });
    }
  }

  /**
   * As {@link claim}, but that nothing is claimed: what was delivered before, or undefined where the call would have to be paid for.
   * @throws ProblemError as {@link claim}, but PAYMENT_INSUFFICIENT
   */
  async find({ accountKey, price, requestDigest, idempotencyKey }: KeyCall): Promise<Delivered | undefined> {
    const { accountId, limits } =
      typeof accountKey === 'string'
        ? await this.keys.authenticate(accountKey)
        : { ...accountKey, limits: undefined };
    if (!mayPayFor(limits?.operations, price.operationId))
      throw notAllowed(price.operationId, limits?.operations);
    const payer = `account:${accountId}`;
    const standing = await this.lookups.add({
      ...{ payer, operation: price.operationId, idempotency: idempotencyKey ?? null },
      forms: this.paymentKeys.requests.of(requestDigest, payer).forms.join(' '),
    });
    return standing && standingClaim(standing);
  }

  /** What is left for a key now, for an answer that it is given again. */
  async left(accountKey: KeyCall['accountKey']): Promise<{ balanceMicroUsd?: number; limits?: KeySpending }> {
    const { keyId } = typeof accountKey === 'string' ? this.keys.hash(accountKey) : accountKey;
    const [row]: Pick<Decision, 'balance' | 'cap' | 'spent'>[] = await this.dataSource.query(LEFT, [keyId]);
    return row ? { balanceMicroUsd: row.balance, ...limitsOf({ ...row, operations: null }) } : {};
  }

  private async findAll(asked: readonly StandingQuestion[]): Promise<(Standing | undefined)[]> {
    const rows: { place: number; outcome: string; claim_id: string; attempt: number }[] =
      await this.dataSource.query(FIND_STANDING, [
        JSON.stringify(asked.map((question, place) => ({ place, ...question }))),
      ]);
    const found = new Map(rows.map(row => [row.place, row as Standing]));
    return asked.map((_, place) => found.get(place));
  }

  private async decide(items: readonly Item[], lazily = false): Promise<Decision[]> {
    const byAccount = new Map<string, ReturnType<typeof rowOf>[]>();
    const answers: Uint8Array[] = [];
    const decisions: Decision[] = [];
    const now = Date.now();
    items.forEach((item, place) => {
      // The caller has given up, and may have bought the answer elsewhere.
      if (item.untilMs !== undefined && item.untilMs < now) {
        decisions.push({ place, outcome: 'late' } as Decision);
        return;
      }
      const own = byAccount.get(item.accountId) ?? [];
      // Places in an array of SQL begin with 1.
      const answer = item.answer ? answers.push(item.answer.body) : null;
      own.push(rowOf(item, place, answer));
      byAccount.set(item.accountId, own);
    });
    const accounts = [...byAccount].map(([account_id, calls]) => ({ account_id, calls }));
    const parameters = [JSON.stringify(accounts), answers, PLAN_LIMITS, this.leaseSeconds, lazily];
    if (byAccount.size > 0) decisions.push(...(await this.run(items, parameters)));
    return decisions.sort((a, b) => a.place - b.place);
  }

  /** One statement is the transaction: what it answers is committed. */
  private run(items: readonly Item[], parameters: unknown[]): Promise<Decision[]> {
    return repeated(async () => {
      const runner = this.dataSource.createQueryRunner();
      try {
        // Where it cannot connect, nothing was sent: the caller is told that the service is away.
        await runner.connect();
        return await this.ask(runner, items, parameters);
      } finally {
        await runner.release();
      }
    });
  }

  private async ask(
    runner: { query(sql: string, parameters: unknown[]): Promise<Decision[]> },
    items: readonly Item[],
    parameters: unknown[],
  ): Promise<Decision[]> {
    try {
      return await runner.query(BUY, parameters);
    } catch (error) {
      if (!(error instanceof ProblemError) || error.code !== 'SERVICE_UNAVAILABLE') throw error;
      this.letGo(items.flatMap(({ claimId, answer }) => (answer ? [] : [claimId])));
      throw settlementUnknown(WAIT_SECONDS, error);
    }
  }

  /**
   * Ends the leases of claims that nobody has heard of, once the database is back: nobody runs their calls, so whoever
   * sends the request again takes them over, and the others have their credit back.
   */
  private letGo(claimIds: readonly string[], attempt = 1, triesLeft = LET_GO_TRIES_MAX): void {
    if (claimIds.length === 0) return;
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

function rowOf(item: Item, place: number, answer: number | null) {
  const { keyId, claimId, credentialDigest, request, receipt, call } = item;
  const { price, idempotencyKey } = call;
  return {
    place,
    key_id: keyId,
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
    answer,
    status: item.answer?.status ?? null,
    content_type: item.answer?.contentType ?? null,
  };
}

/** The claim of a sale that was made just now. */
const soldOf = (decision: Decision, { accountId, call: { price } }: Item): Omit<SoldClaim, 'receipt'> => ({
  ...{ claimId: decision.claim_id, operationId: price.operationId, family: 'account' },
  ...{ funding: decision.funding ?? 'credit', payer: `account:${accountId}` },
  chargedMicroUsd: price.amountMicroUsd,
});

const quotaOf = ({ plan, used, month }: Decision): QuotaState | undefined =>
  used === null ? undefined : quotaState(plan, used, month);

/** What the account has left, and the quota where that has paid. */
function leftAfter(decision: Decision, { accountId }: Item): { purse: Purse; quota?: QuotaState } {
  const quota = quotaOf(decision);
  const quotaCalls = quota ? (quota.limit ?? Number.MAX_SAFE_INTEGER) - quota.used : 0;
  return {
    // Of a claim that was taken over, another's balance is not asked for.
    purse: {
      ...{ accountId, balanceMicroUsd: decision.balance, quotaCalls: Math.max(0, quotaCalls) },
      ...limitsOf(decision),
    },
    ...(decision.funding === 'quota' && quota ? { quota } : {}),
  };
}

/** What limits the key that pays, where something does. */
function limitsOf({
  cap,
  spent,
  operations,
}: Pick<Decision, 'cap' | 'spent' | 'operations'>): Pick<Purse, 'limits'> {
  if (cap === null && operations === null) return {};
  return {
    limits: {
      ...(cap !== null && { cap: { capMicroUsd: cap, spentMicroUsd: spent ?? 0 } }),
      ...(operations && { operations }),
    },
  };
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

const spentOf = ({ cap, spent }: Decision) => ({ capMicroUsd: cap ?? 0, spentMicroUsd: spent ?? 0 });

function ofBundle(decision: Decision, { amountSats }: Price): ProblemError {
  const { capMicroUsd, spentMicroUsd } = spentOf(decision);
  const leftMicroUsd = Math.min(decision.balance, capMicroUsd - spentMicroUsd);
  return bundleExhausted({ capMicroUsd, spentMicroUsd }, leftMicroUsd, amountSats);
}

function exhausted(decision: Decision, { priceUsd, amountMicroUsd }: Price): ProblemError {
  const { capMicroUsd, spentMicroUsd } = spentOf(decision);
  const isByDay = decision.by_day;
  const resetsAt = isByDay
    ? new Date(Math.ceil((Date.now() + 1) / DAY_MS) * DAY_MS).toISOString()
    : undefined;
  const of = isByDay ? 'a day' : 'in all';
  const used = spentMicroUsd === 0 ? '0' : usdText(spentMicroUsd);
  return problem(
    'BUDGET_EXHAUSTED',
    `The call costs ${priceUsd} USD, and the key has spent ${used} of the ${usdText(capMicroUsd)} USD that it may spend ${of}`,
    {
      extensions: {
        ...{ capMicroUsd, spentMicroUsd, priceMicroUsd: amountMicroUsd },
        ...(resetsAt && { resetsAt }),
      },
    },
  );
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
