import { Inject, Injectable } from '@nestjs/common';
import {
  type ClaimHandle,
  type ClaimReply,
  type ParsedRequestOf,
  type PaymentCredential,
  type PaymentCredit,
  type paymentsContract,
  type ReplyOf,
  type SaleReply,
  type StoredResponse,
} from '@svc/contracts';
import { problem, type ProblemError } from '@svc/platform';
import {
  findPrice,
  mayPayFor,
  microUsdFromSats,
  type Price,
  type SaleOrder,
  saleOrderOf,
} from '@svc/protocols';
import { randomUUID } from 'node:crypto';
import { ApiKeys } from '../account/api-keys.js';
import { DerivedCredit } from '../account/derived-credit.js';
import { bundleElsewhere, hasExpired } from '../bundle/bundle-problems.js';
import { Bundles } from '../bundle/bundles.js';
import { SALE_ORDERS, type SaleOrders } from '../payments-config.js';
import { readerOf } from '../rail/payment-method.js';
import {
  type PresentedBundle,
  type PresentedPayment,
  type Rail,
  type RailFamily,
  RAILS,
  type Settlement,
} from '../rail/rail.js';
import { SignedReceipts } from '../receipt/signed-receipts.js';
import { ClaimReconciler } from '../reconcile/claim-reconciler.js';
import {
  type Bid,
  expired,
  firstClaimOf,
  isPayers,
  requireFirstCredential,
  requirePayers,
  settled,
} from './bid.js';
import { ClaimDeliveries } from './claim-deliveries.js';
import { receiptOf } from './claim-receipt.js';
import { ClaimReleases, type Released } from './claim-releases.js';
import { ClaimSettlements } from './claim-settlements.js';
import { ClaimStore } from './claim-store.js';
import { type KeyCall, KeyClaims } from './key-claims.js';
import {
  CALLER_WAITS_MS,
  type ClaimedRequest,
  type HeldClaim,
  inFlight,
  isLapsed,
  replyTo,
  settlementUnknown,
  type StandingClaim,
  WORK_LEASE_SECONDS,
} from './standing-claim.js';

/** How long a payment must still be good that is claimed without a wait for the disk: longer than a database is away. */
const LAZY_LEFT_MS_MIN = 3_600_000;

/** A claim may change hands while it is looked at; more often than this within one call it does not. */
const LOOKS_MAX = 4;

type Claim = ParsedRequestOf<typeof paymentsContract.claim>;
type Sell = ParsedRequestOf<typeof paymentsContract.sell>;
type Bought = ParsedRequestOf<typeof paymentsContract.boughtAnswer>;
type Deliver = ParsedRequestOf<typeof paymentsContract.deliver>;
type Delivered = ReplyOf<typeof paymentsContract.deliver>;
type Release = ParsedRequestOf<typeof paymentsContract.release>;
type Renew = ParsedRequestOf<typeof paymentsContract.renew>;
type Heartbeat = ParsedRequestOf<typeof paymentsContract.heartbeat>;

/**
 * A reply, and of the credential that a stored answer is given to, whether it shows who paid, and whether everybody can read
 * it by now.
 */
export type ClaimDecision = ClaimReply & { readonly isPayers?: boolean; readonly isPublic?: boolean };

/** Decides what a presented payment buys: the call now, the answer it bought before, or nothing. */
@Injectable()
export class ClaimService {
  constructor(
    private readonly store: ClaimStore,
    private readonly settlements: ClaimSettlements,
    private readonly deliveries: ClaimDeliveries,
    private readonly releases: ClaimReleases,
    private readonly reconciler: ClaimReconciler,
    private readonly keyClaims: KeyClaims,
    private readonly bundles: Bundles,
    private readonly receipts: SignedReceipts,
    private readonly apiKeys: ApiKeys,
    private readonly derived: DerivedCredit,
    @Inject(RAILS) private readonly rails: readonly Rail[],
    @Inject(SALE_ORDERS) private readonly orders: SaleOrders,
  ) {}

  async claim({
    operationId,
    requestDigest,
    credential,
    accountKey,
    idempotencyKey,
    called: path,
    standingOnly = false,
    lazily = false,
  }: Claim): Promise<ClaimDecision> {
    const price = findPrice(operationId);
    if (!price) throw problem('VALIDATION_FAILED', `operationId: ${operationId} has no price`);
    const called = path && this.receipts.calledUrl(path);
    if (!credential) {
      if (accountKey === undefined) throw problem('PAYMENT_REQUIRED', 'No payment credential came');
      const call = { accountKey, price, requestDigest, idempotencyKey, called };
      return this.claimByKey(call, { standingOnly, lazily });
    }
    // Reject an invalid key, also where something else pays.
    if (accountKey !== undefined) await this.apiKeys.authenticate(accountKey);
    const rail = readerOf(this.rails, credential);
    const bundle = rail.bundleOf?.(credential);
    if (bundle) {
      const call = { price, requestDigest, idempotencyKey, called };
      return this.claimByBundle(call, bundle, { rail, standingOnly, lazily });
    }
    const isLazy = lazily && this.orders === 'declared';
    const request = { operationId, requestDigest, called };
    const isPure = this.orderOf(price) !== 'hold-first';
    const bid = { rail, request, idempotencyKey, standingOnly, lazily: isLazy, isPure };
    return this.claimByPayment(bid, { credential, price });
  }

  /**
   * Sells the answer of an operation that may run before it is paid for.
   * @returns `to-be-claimed` for one that may not
   * @throws ProblemError those of {@link claim} by key
   */
  async sell({ operationId, claimId, soldAt, response, called, ...call }: Sell): Promise<SaleReply> {
    const price = findPrice(operationId);
    if (!price) throw problem('VALIDATION_FAILED', `operationId: ${operationId} has no price`);
    // Another replica may have said so, with another setting.
    if (this.orderOf(price) !== 'run-first') return { outcome: 'to-be-claimed' };
    const asked = { ...call, price, called: called && this.receipts.calledUrl(called) };
    const delivery = this.receipts.deliveryOf(response);
    return this.lookAgain(asked, async () => {
      const sale = await this.keyClaims.sell(asked, { claimId, soldAt, response, delivery });
      if (sale.outcome !== 'sold') return sale;
      const { claim, ...sold } = sale;
      return { ...sold, receipt: this.receipts.shown({ ...claim, receipt: sold.receipt }) };
    });
  }

  /**
   * What a claim has bought that an account's key paid. A key with limits reads what was paid under those.
   * @throws ProblemError UNKNOWN_CREDENTIAL; NOT_FOUND also for another's claim, which must not be told from none
   */
  async boughtAnswer({ claimId, accountKey }: Bought): Promise<StoredResponse> {
    const holder = await this.apiKeys.authenticate(accountKey);
    const standing = await this.store.findById(claimId);
    const isOwn = standing?.family === 'account' && standing.digestOwner === `account:${holder.accountId}`;
    const isShown = isOwn && (await this.apiKeys.mayRead(holder, claimId));
    const response = isShown ? this.store.answerOf(standing) : undefined;
    if (response) return response;
    throw problem('NOT_FOUND', `No answer that this key may read is kept under this id`);
  }

  async deliver({ claimId, attempt, response }: Deliver): Promise<Delivered> {
    const delivery = this.receipts.deliveryOf(response);
    const delivered = await this.deliveries.deliver(claimId, attempt, response, delivery);
    if (!delivered) throw problem('CONFLICT', 'The claim was lost to a later attempt, or never was');
    const { headers } = this.receipts.shown(delivered);
    return { deliveredAt: delivered.deliveredAt.toISOString(), headers };
  }

  /** The headers of an answer that an attempt has delivered, its signed receipt among them. */
  async delivery(claim: ClaimHandle): Promise<{ headers: Record<string, string> }> {
    const delivered = await this.deliveries.find(claim);
    if (!delivered) throw problem('CONFLICT', 'The claim was lost to a later attempt, or was not delivered');
    return { headers: this.receipts.shown(delivered).headers };
  }

  release({ claimId, attempt, reason, givenUp }: Release): Promise<Released> {
    return this.releases.release(claimId, attempt, reason, givenUp);
  }

  async renew(claim: Renew): Promise<{ renewed: boolean }> {
    const [held] = await this.store.renew([claim], WORK_LEASE_SECONDS);
    return { renewed: held !== undefined || (await this.deliveries.find(claim)) !== undefined };
  }

  async heartbeat({ claims }: Heartbeat): Promise<{ held: string[] }> {
    return { held: await this.store.renew(claims) };
  }

  private orderOf({ operationId }: Price): SaleOrder {
    return this.orders === 'declared' ? saleOrderOf(operationId) : 'hold-first';
  }

  private async claimByKey(
    call: KeyCall,
    { standingOnly, lazily, otherwise = noRoom }: KeyTerms,
  ): Promise<ClaimReply> {
    const order = this.orderOf(call.price);
    const isLazy = lazily && order === 'hold-lazily';
    return this.lookAgain(call, async () => {
      const claim = standingOnly ? await this.keyClaims.find(call) : await this.keyClaims.claim(call, isLazy);
      if (claim?.outcome !== 'claimed') return claim ?? Promise.reject(otherwise());
      const { held, purse, quota } = claim;
      return {
        ...{ outcome: 'claimed' as const, ...held, accountId: purse.accountId },
        balanceMicroUsd: purse.balanceMicroUsd,
        ...(purse.limits && { limits: purse.limits }),
        ...(quota ? { quota } : {}),
        ...(order === 'run-first' ? { purse } : {}),
      };
    });
  }

  /**
   * A bundle pays as a key does, at the price in whole satoshis. One that has expired is given what it bought before.
   * @throws ProblemError as {@link claim}: PAYMENT_BOUND_ELSEWHERE, before anything is taken, for what it does not cover
   */
  private async claimByBundle(
    asked: Omit<KeyCall, 'accountKey'>,
    bundle: PresentedBundle,
    { rail, standingOnly, lazily }: KeyTerms & { readonly rail: Rail },
  ): Promise<ClaimReply> {
    const { operationId, amountSats } = asked.price;
    if (!mayPayFor(bundle.capabilities, operationId)) throw bundleElsewhere(bundle.capabilities, operationId);
    const over = hasExpired(bundle)
      ? expired({ ...bundle.payment, expiresAtMs: bundle.expiresAtMs })
      : undefined;
    const accountKey = await this.bundles.open(bundle, rail);
    const price = { ...asked.price, amountMicroUsd: microUsdFromSats(amountSats) };
    const terms = { standingOnly: standingOnly || over !== undefined, lazily };
    return this.claimByKey(
      { ...asked, accountKey, price },
      { ...terms, ...(over && { otherwise: () => over }) },
    );
  }

  /** What a call by key comes to, or the answer that it finds delivered; its claim may be let go while it is looked at. */
  private async lookAgain<T extends { readonly outcome: string }>(
    { accountKey, price: { operationId }, requestDigest }: KeyCall,
    ask: () => Promise<T | { readonly outcome: 'delivered'; readonly claimId: string }>,
  ): Promise<T | Extract<ClaimReply, { outcome: 'replayed' }>> {
    for (let look = 0; look < LOOKS_MAX; look++) {
      const found = await ask();
      if (!('claimId' in found) || found.outcome !== 'delivered') return found as T;
      const standing = await this.store.findById(found.claimId);
      const reply = standing && this.replyTo(standing, { operationId, requestDigest });
      if (reply?.outcome === 'replayed') return { ...reply, ...(await this.keyClaims.left(accountKey)) };
    }
    throw inFlight(1);
  }

  private async claimByPayment(
    bid: Omit<Bid, 'payment'>,
    { credential, price }: { credential: PaymentCredential; price: Price },
  ): Promise<ClaimDecision> {
    const { rail } = bid;
    const begunMs = Date.now();
    const find = ({ proofKey, tokenDigest }: PresentedPayment) =>
      this.store.find(rail.family, proofKey, tokenDigest);
    const known = rail.known?.(credential, price);
    let verified: PresentedPayment | undefined;
    for (let look = 0; look < LOOKS_MAX; look++) {
      // Whom the rail would ask may be away: what was bought before is answered all the same.
      const own = known && !verified ? await find(known) : undefined;
      if (known && own?.credentialDigest === known.credentialDigest) {
        // What it was paid for it buys, whatever is asked for that by now.
        if (!this.store.isOf(own, bid.request)) rail.requireOffered?.(credential, price);
        const reply = await this.meet(own, { ...bid, payment: known });
        if (reply) return this.inTime(reply, begunMs);
        continue;
      }
      const payment = (verified ??= await rail.verify(credential, price));
      const standing = await find(payment);
      const whole = { ...bid, payment };
      const reply = standing ? await this.meet(standing, whole) : await this.claimFirst(whole);
      if (reply) return this.inTime(reply, begunMs);
    }
    throw inFlight(1);
  }

  /** Gives a claim back that its caller waits for no more, and whose call nobody would run. */
  private async inTime(reply: ClaimDecision, begunMs: number): Promise<ClaimDecision> {
    if (reply.outcome !== 'claimed' || Date.now() - begunMs <= CALLER_WAITS_MS) return reply;
    await this.releases.release(
      reply.claimId,
      reply.attempt,
      'claimed when its caller waited no more',
      false,
    );
    throw settlementUnknown(1);
  }

  /** What a claim that stands means for its credential; undefined when it has to be looked at again. */
  private async meet(standing: StandingClaim, bid: Bid): Promise<ClaimDecision | undefined> {
    // A challenge is no secret: who knows its id alone is told nothing of what it has bought.
    const { tokenDigest } = bid.payment;
    if (tokenDigest !== undefined && standing.tokenDigest !== tokenDigest) {
      throw problem('PAYMENT_BOUND_ELSEWHERE', 'The challenge was paid with another token');
    }
    requireFirstCredential(standing, bid.payment);
    const reply = this.replyTo(standing, bid.request);
    if (reply) {
      const credit = await this.creditOf(standing, bid.payment);
      const { publicOnceSettled: isPublic = false } = bid.payment;
      return { ...reply, ...credit, isPayers: isPayers(standing, bid.payment), isPublic };
    }
    if (bid.standingOnly) throw noRoom();
    const { claimId, state, settlement } = standing;
    if (isLapsed(standing) && settlement !== 'settled') {
      // Whoever was to settle it is gone.
      await this.settlements.unknown(claimId, 0);
      return undefined;
    }
    if (state === 'unknown') {
      if (await this.reconciler.ask(claimId)) return undefined;
      throw settlementUnknown(standing.leaseSecondsLeft);
    }
    if (!this.store.isOf(standing, bid.request)) requirePayers(bid);
    const held = await this.store.claimAgain(standing, bid.request);
    return held && { outcome: 'claimed', ...held, ...(await this.creditOf(standing, bid.payment)) };
  }

  /** As {@link replyTo}, what was delivered with its signed receipt. */
  private replyTo(standing: StandingClaim, request: ClaimedRequest): ClaimReply | undefined {
    const reply = replyTo(standing, request, this.store);
    return reply && { ...reply, receipt: this.receipts.shown(standing) };
  }

  private async claimFirst(bid: Bid): Promise<ClaimReply | undefined> {
    const { rail, payment } = bid;
    if (bid.standingOnly) throw noRoom();
    if (Date.now() >= payment.expiresAtMs) throw expired(payment);
    const claimId = randomUUID();
    if (!rail.observes) return this.claimAndSettle(bid, claimId);
    const settlement = await rail.settle(payment, claimId);
    if (settlement.outcome === 'refused') throw await this.refusal(bid, settlement);
    if (settlement.outcome === 'unknown') {
      const { detail, cause } = settlement;
      throw problem('SETTLEMENT_UNKNOWN', detail, { retryAfterSeconds: 5, cause });
    }
    const receipt = receiptOf(rail.family, payment, settlement, bid.request.called);
    const first = { ...firstClaimOf(bid, claimId), receipt };
    // A claim that is lost is made anew by the same credential, which has to be good for long enough.
    const isLazy = bid.lazily && bid.isPure && payment.expiresAtMs - Date.now() > LAZY_LEFT_MS_MIN;
    const held = await this.store.claimArrived(first, settlement, isLazy);
    return held && this.claimed(bid, held, settlement.chargedMicroUsd);
  }

  private async claimAndSettle(bid: Bid, claimId: string): Promise<ClaimReply | undefined> {
    const pending = await this.store.claimPending(firstClaimOf(bid, claimId));
    if (!pending) return undefined;
    if ('repeats' in pending) return this.repeat(pending.repeats, bid);
    const { rail, payment } = bid;
    const settlement = await this.store.whileHeld(pending.held, () => settled(rail, payment, claimId));
    if (settlement.outcome === 'unknown') {
      await this.settlements.unknown(claimId);
      throw settlementUnknown(1, settlement.cause ?? settlement.detail);
    }
    if (settlement.outcome === 'refused') {
      await this.settlements.refused(claimId, `${settlement.code}: ${settlement.detail}`);
      throw await this.refusal(bid, settlement);
    }
    const receipt = receiptOf(rail.family, payment, settlement, bid.request.called);
    const held = await this.settlements.settled(pending.held, settlement, receipt, bid.lazily);
    if (!held) throw settlementUnknown(1);
    return { outcome: 'claimed', ...held };
  }

  /** A payer that has just paid for the very request: the new payment is not taken. */
  private async repeat(standing: StandingClaim, { request }: Bid): Promise<ClaimReply> {
    const reply = this.replyTo(standing, request);
    if (reply) return reply;
    if (standing.state === 'unknown') {
      await this.reconciler.ask(standing.claimId);
      throw settlementUnknown(standing.leaseSecondsLeft);
    }
    throw inFlight(1);
  }

  private async claimed(bid: Bid, held: HeldClaim, chargedMicroUsd: number): Promise<ClaimReply> {
    if (chargedMicroUsd === bid.payment.amountMicroUsd) return { outcome: 'claimed', ...held };
    const credit = await this.derived.of(bid.rail.family, bid.payment.proofKey);
    return { outcome: 'claimed', ...held, ...(credit ? { credit } : {}) };
  }

  /** What a payment has left, for whoever has shown that it is theirs. */
  private async creditOf(
    standing: StandingClaim,
    payment: PresentedPayment,
  ): Promise<{ credit?: PaymentCredit }> {
    const { family, proofKey, funding, creditAccountId } = standing;
    if (funding !== 'rail' || creditAccountId === undefined || !isPayers(standing, payment)) return {};
    const credit = await this.derived.of(family as RailFamily, proofKey);
    return credit ? { credit } : {};
  }

  private async refusal(
    { rail, payment }: Bid,
    { code, detail, headers }: Extract<Settlement, { outcome: 'refused' }>,
  ): Promise<ProblemError> {
    // Of a payment that was held to be void, and whose money came late.
    const credit =
      payment.payer === undefined ? await this.derived.of(rail.family, payment.proofKey) : undefined;
    const retryAfterSeconds = { SERVICE_UNAVAILABLE: 5, PAYMENT_IN_FLIGHT: 1 }[code as string];
    return problem(code, detail, {
      ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds, charged: 'no' as const }),
      extensions: { ...(headers ? { headers } : {}), ...(credit ? { credit } : {}) },
    });
  }
}

/** How a call that an account pays may be claimed. */
interface KeyTerms {
  readonly standingOnly: boolean;
  readonly lazily: boolean;
  /** The refusal of a call that may only be given what was bought before: {@link noRoom} by default. */
  readonly otherwise?: () => ProblemError;
}

/** Refuses a request when the queue for its work is full: no stored answer exists, and no payment is taken. */
const noRoom = (): ProblemError =>
  problem('OVERLOADED', 'Nothing that was bought before answers the request, and nothing was taken for it', {
    retryAfterSeconds: 1,
  });
