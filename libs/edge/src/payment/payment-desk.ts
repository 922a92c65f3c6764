import type { PricedCall } from './priced-call.js';
import { Injectable } from '@nestjs/common';
import type { ClaimReply, ProblemCode, ProblemPayload, StoredResponse } from '@svc/contracts';
import { asProblem, BusClient, parseOrProblem, problem, ProblemError, runInTurn } from '@svc/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { vouchFor } from '../http/connection-bounds.js';
import { hangUpSignal } from '../http/hang-up.js';
import { idempotencyKeyOf } from '../http/idempotency-key.js';
import { BurstLimits } from '../rate-limit/burst-limits.js';
import { AnsweredSales } from './answered-sale.js';
import { boundDigest } from './bound-digest.js';
import { calledRequest } from './called-request.js';
import { ChallengeMaker } from './challenge-maker.js';
import { runFree, runMetered } from './metered-call.js';
import { AnswerOfPayment, DeferredAnswer, givePaidCall, UnchargedAnswer } from './paid-call.js';
import { endsWithCall } from './paid-operation.js';
import {
  sendDeferred,
  sendPaid,
  sendUncharged,
  shownRefusal,
  showPayment,
  storedAnswerOf,
  withCredit,
} from './payment-answer.js';
import { type HeldClaim, PaymentClaims } from './payment-claims.js';
import { requireWithinMaxPrice } from './max-price.js';
import { inFlight } from './payment-in-flight.js';
import { overQuota, paymentRequired, retained, undecided } from './payment-problem.js';
import { isPublishedExample } from './published-example.js';
import { presentPayment, turnOfAdmission } from './present-payment.js';
import {
  bringsCredential,
  bringsPayment,
  isEmptyBody,
  type PresentedCredential,
  readCredential,
} from './presented-credential.js';

/**
 * Sells calls. A body is looked at before money is: what is malformed costs nothing. A payment is claimed before the
 * handler runs, but of work that may run first (see {@link AnsweredSales}), and its answer recorded before it leaves, so that an answer
 * that is lost on its way can be asked for again.
 */
@Injectable()
export class PaymentDesk {
  private readonly claims: PaymentClaims;
  private readonly answered: AnsweredSales;

  constructor(
    private readonly bus: BusClient,
    private readonly challenges: ChallengeMaker,
    private readonly bursts: BurstLimits,
  ) {
    this.claims = new PaymentClaims(bus);
    this.answered = new AnsweredSales(this.claims, bursts);
  }

  /** Whose key this is, where it has paid here within a minute: see {@link Purses.accountOf}. */
  accountOf(accountKey: string): string | undefined {
    return this.answered.purses.accountOf(accountKey);
  }

  /**
   * The bytes of the answer, its status and headers set on the reply.
   * @throws ProblemError 402 with a challenge, and every refusal of the body, the payment or the handler
   */
  async answer(call: PricedCall): Promise<Buffer> {
    const { operation, request, reply, run } = call;
    if (operation.isFree && !isEmptyBody(request.body)) {
      const body = parseOrProblem(operation.body, request.body);
      if (operation.isFree(body)) return runFree(this.bursts, body, request, reply, run);
    }
    let asked = paymentRequired(operation.operationId);
    if (operation.metered && !bringsPayment(request.raw)) {
      const metered = await runMetered(this.bus, this.bursts, call);
      if (metered.outcome === 'answered') return metered.body;
      asked = overQuota(operation.operationId, metered.quota);
    }
    const pays = operation.isPaidApart ? bringsPayment(request.raw) : bringsCredential(request.raw);
    if (!pays && isEmptyBody(request.body)) {
      const challenge = await this.challenges.quote(operation.operationId, request);
      return this.challenges.ask(asked, challenge, request, reply);
    }
    const body = parseOrProblem(operation.body, request.body);
    return pays ? this.sell(call, body) : this.askFor(call, body, asked);
  }

  /** Says what a call costs that could be done now, or what the published example of one costs. */
  private async askFor(call: PricedCall, body: unknown, asked: ProblemPayload): Promise<Buffer> {
    const { operation, request, reply } = call;
    idempotencyKeyOf(request.raw);
    // Nobody is asked to pay for what no payment can be bound to.
    const digest = await boundDigest(operation.operationId, body);
    const admit = isPublishedExample(operation.operationId, digest) ? undefined : operation.admit;
    await this.bursts.takeFile(request, body);
    // Both at once: most requests are admitted, and a challenge that is not sent binds nobody.
    const [challenge] = await Promise.all([
      this.challenges.quote(operation.operationId, request),
      runInTurn(await turnOfAdmission(this.bursts, request), () => admit?.(this.bus, body, request)),
    ]);
    return this.challenges.ask(asked, challenge, request, reply);
  }

  private async sell(call: PricedCall, body: unknown): Promise<Buffer> {
    const { operation, request, reply } = call;
    requireWithinMaxPrice(request.raw, operation.operationId);
    const digest = await boundDigest(operation.operationId, body);
    const hungUp = hangUpSignal(reply);
    const presented = await this.presentedBy(call, body);
    const refusal = (error: unknown) => this.refusalOf(call, error);
    const sold = await this.answered.answer({ call, body, digest, presented, hungUp, refusal });
    if (sold) return sold;
    const full = await this.refuseImpossible(call, body);
    if (operation.mayBeUncharged) await this.bursts.checkUncharged(request, reply);
    // Nothing is taken of whoever has gone by now.
    hungUp.throwIfAborted();
    const claiming = () => this.claim(call, digest, presented, full);
    const claim = await claiming();
    const isClaimed = claim.outcome === 'claimed';
    try {
      await this.bursts.giveFileBack(body);
      if (!isClaimed) return sendPaid(reply, claim.response, claim);
      const byAccount = !presented.payment || claim.accountId !== undefined;
      if (presented.payment) vouchFor(request.raw.socket);
      if (!byAccount) await this.bursts.givePaidChallengeBack(request);
      return await this.answerClaimed(call, body, claim, { claiming, hungUp, byAccount });
    } catch (error) {
      throw isClaimed ? undecided(error) : error;
    } finally {
      if (isClaimed) this.claims.end(claim);
    }
  }

  /** Runs the call of a claim, and delivers its answer or gives the payment back. */
  private async answerClaimed(
    call: PricedCall,
    body: unknown,
    claim: HeldClaim,
    {
      claiming,
      hungUp,
      byAccount,
    }: { claiming: () => Promise<ClaimReply>; hungUp: AbortSignal; byAccount: boolean },
  ): Promise<Buffer> {
    const { operation, request, reply, run, status } = call;
    request.body = body;
    const signal = call.signal ? AbortSignal.any([hungUp, call.signal]) : hungUp;
    givePaidCall(request, { claim, signal });
    const turn = { subject: this.bursts.subjectOf(request), standing: 'settled' as const };
    const inTurn = () => runInTurn(turn, run);
    const response = await this.fulfil(claim, reply, inTurn, status, signal, byAccount).catch(
      async (error: unknown) => {
        // Work that finds out what its request lacks has been done for nothing.
        const isFault = error instanceof ProblemError && error.status === 422;
        if (operation.mayBeUncharged && isFault) await this.bursts.takeUncharged(request);
        throw error;
      },
    );
    if (response instanceof DeferredAnswer) {
      if (operation.mayBeUncharged) this.countUncharged(request, response);
      return sendDeferred(reply, response, claim);
    }
    if (response instanceof UnchargedAnswer) return this.giveAway(call, claim, response);
    if (response instanceof AnswerOfPayment)
      return response.answer
        ? sendPaid(reply, response.answer, {
            ...(await this.claims.delivered(claim)),
            ...(response.credit && { credit: response.credit }),
          })
        : this.sendAnswerOf(await claiming(), reply, byAccount);
    return sendPaid(reply, response, await this.claims.deliver(claim, response));
  }

  /** What the request pays with; throws the 402, 400 or 401 of what cannot be read. */
  private async presentedBy(
    { operation, request, reply }: PricedCall,
    body: unknown,
  ): Promise<PresentedCredential> {
    try {
      const presented = readCredential(request.raw);
      if (presented.payment) await this.bursts.checkBadPayments(request, presented.payment.scheme);
      // The payment may be none: it is given back where it is good.
      await this.bursts.takeFile(request, body);
      return presented;
    } catch (error) {
      throw await this.challenges.refuse(operation.operationId, error, request, reply);
    }
  }

  /**
   * Refuses, before a claim, what can never be answered. A service that is away or busy is no reason:
   * the payment may have bought an answer that is stored. Where there is room for the work, the service keeps it for a moment.
   * @returns the refusal where there is none
   */
  private async refuseImpossible(
    { operation, request, reply }: PricedCall,
    body: unknown,
  ): Promise<ProblemError | undefined> {
    const { operationId } = operation;
    const turn = await turnOfAdmission(this.bursts, request);
    const asking = runInTurn(turn, () => operation.admit?.(this.bus, body, request));
    return asking?.then(
      () => undefined,
      async (error: unknown) => {
        if (!(error instanceof ProblemError)) return undefined;
        if (NO_ROOM.has(error.code)) return error;
        if (error.status < 500) throw await this.challenges.refuse(operationId, error, request, reply);
        return undefined;
      },
    );
  }

  private async claim(
    call: PricedCall,
    requestDigest: string,
    { payment: credential, accountKey, idempotencyKey }: PresentedCredential,
    full: ProblemError | undefined,
  ): Promise<ClaimReply> {
    const { operation, request } = call;
    const asked = {
      ...{ operationId: operation.operationId, requestDigest, credential, accountKey, idempotencyKey },
      called: calledRequest(request),
      ...(endsWithCall(operation, request) && { lazily: true }),
      ...(full && { standingOnly: true }),
    };
    try {
      const reply = await presentPayment(this.bursts, request, credential, () => this.claims.claim(asked));
      if (reply.outcome === 'claimed' && !credential && accountKey !== undefined)
        this.answered.learn(accountKey, reply);
      return reply;
    } catch (error) {
      const code = error instanceof ProblemError ? error.code : undefined;
      if (code === 'UNKNOWN_CREDENTIAL' && accountKey !== undefined) this.answered.purses.forget(accountKey);
      if (full && code === 'OVERLOADED') throw noRoom(full);
      throw await this.refusalOf(call, error);
    }
  }

  /** The refusal of a payment as its payer sees it. */
  private async refusalOf({ operation, request, reply }: PricedCall, error: unknown): Promise<unknown> {
    if (!(error instanceof ProblemError)) return error;
    const { operationId, workOfClaim } = operation;
    if (error.code === 'PAYMENT_IN_FLIGHT') return inFlight(error, workOfClaim, this.bus, reply);
    return this.challenges.refuse(operationId, shownRefusal(reply, error), request, reply);
  }

  /** Counts work that goes on once its payment has gone back, as an answer that was waited for. */
  private countUncharged(request: FastifyRequest, { whenEnded }: DeferredAnswer): void {
    void whenEnded?.().then(({ isUncharged }) =>
      isUncharged ? this.bursts.takeUncharged(request) : undefined,
    );
  }

  /** The payment goes back before the answer leaves; should that be lost, the end of the lease gives it back. */
  private async giveAway(
    { request, reply }: PricedCall,
    claim: HeldClaim,
    { body }: UnchargedAnswer,
  ): Promise<Buffer> {
    await this.bursts.takeUncharged(request);
    const { credit } = await this.claims.release(claim, 'NOT_CHARGED');
    return sendUncharged(reply, body, { receipt: claim.receipt, credit: credit ?? claim.credit });
  }

  /** What work that had taken the claim over has left with the payment: its answer, or nothing. */
  private async sendAnswerOf(claim: ClaimReply, reply: FastifyReply, byAccount: boolean): Promise<Buffer> {
    if (claim.outcome === 'replayed') return sendPaid(reply, claim.response, claim);
    const detail = 'The work has ended without an answer; send the request again with the same credential';
    const { isGivenBack, credit } = await this.claims.release(claim, 'SERVICE_UNAVAILABLE');
    showPayment(reply, { receipt: claim.receipt });
    const failure = problem('SERVICE_UNAVAILABLE', detail, { retryAfterSeconds: 1 });
    throw withCredit(retained(failure, byAccount ? { isGivenBack } : undefined), credit);
  }

  /** Runs the handler; where it fails, the claim is given back and the payer told so. */
  private async fulfil(
    claim: HeldClaim,
    reply: FastifyReply,
    run: () => Promise<unknown>,
    status: number,
    hungUp: AbortSignal,
    byAccount: boolean,
  ): Promise<StoredResponse | DeferredAnswer | AnswerOfPayment | UnchargedAnswer> {
    try {
      const result = await run();
      return isNoDelivery(result) ? result : storedAnswerOf(status, result);
    } catch (error) {
      const { code } = asProblem(error);
      // Whoever does not wait for an answer has had work done that nobody gets.
      const givenUp = hungUp.aborted || code === 'TIMEOUT';
      const { isGivenBack, credit } = await this.claims.release(claim, code, givenUp);
      showPayment(reply, { receipt: claim.receipt });
      const failure = retained(error, byAccount ? { isGivenBack } : undefined);
      throw withCredit(failure, credit ?? claim.credit);
    }
  }
}

/** Refusals of what could be done another time. */
const NO_ROOM: ReadonlySet<ProblemCode> = new Set(['QUEUE_FULL', 'OVERLOADED']);

/** What a payer learns for whose work there is no room: nothing was taken, so the same credential pays another time. */
function noRoom({ payload: { detail, retryAfterSeconds = 1 } }: ProblemError): ProblemError {
  return problem('OVERLOADED', `${detail}. Nothing was taken for this call`, { retryAfterSeconds });
}

const isNoDelivery = (result: unknown): result is DeferredAnswer | AnswerOfPayment | UnchargedAnswer =>
  result instanceof DeferredAnswer || result instanceof AnswerOfPayment || result instanceof UnchargedAnswer;
