import type { Purse } from '@svc/contracts';
import type { PricedCall } from './priced-call.js';
import { asProblem, problem, ProblemError, runInTurn } from '@svc/platform';
import { keyReceipt, priceOf, saleOrderOf } from '@svc/protocols';
import { randomUUID } from 'node:crypto';
import { bodyBytesOf, type BurstLimits } from '../rate-limit/burst-limits.js';
import { calledRequest } from './called-request.js';
import { givePaidCall, UnchargedAnswer } from './paid-call.js';
import { sendPaid, sendUncharged, storedAnswerOf } from './payment-answer.js';
import { endsWithCall } from './paid-operation.js';
import type { PaymentClaims } from './payment-claims.js';
import { retained } from './payment-problem.js';
import { presentPayment } from './present-payment.js';
import type { PresentedCredential } from './presented-credential.js';
import { Purses, type UnsoldRun } from './purses.js';

/** Says that the payment is to be held first after all. */
const HELD_FIRST = Symbol('HELD_FIRST');
/** Work on a longer body is not cheap. */
const BODY_BYTES_MAX = 16 * 1024;

/** A call whose payment is asked for once its answer is there. */
export interface AnsweredCall {
  readonly call: PricedCall;
  /** As it was validated. */
  readonly body: unknown;
  readonly digest: string;
  readonly presented: PresentedCredential;
  readonly hungUp: AbortSignal;
  /** The refusal of the payment, as its payer is to see it. */
  readonly refusal: (error: unknown) => Promise<unknown>;
}

/**
 * Sells calls in the order of cheap work that has no effect: the work runs, and its answer is sold to the account of a key in one step,
 * one commit. What the work refuses costs nothing. How much is done in vain is bounded by what the account had left.
 */
export class AnsweredSales {
  readonly purses = new Purses();

  constructor(
    private readonly claims: PaymentClaims,
    private readonly bursts: BurstLimits,
  ) {}

  /** Learns whose a key is that a claim was made with, and what its account has left where that is told. */
  learn(accountKey: string, { purse, accountId }: { purse?: Purse; accountId?: string }): void {
    if (purse) this.purses.remember(accountKey, purse);
    else if (accountId !== undefined) this.purses.recognise(accountKey, accountId);
  }

  /**
   * @returns the bytes of the answer; undefined where the payment is to be held first
   * @throws ProblemError of the work, after which nothing was taken, and of the sale
   */
  async answer(asked: AnsweredCall): Promise<Buffer | undefined> {
    const { call, digest, presented } = asked;
    const { operationId } = call.operation;
    const { payment, accountKey } = presented;
    if (payment || accountKey === undefined || !isCheap(call)) return undefined;
    const run = this.purses.begin(accountKey, priceOf(operationId), digest);
    if (run === 'running') {
      const detail = 'A request with this payment is still running; ask again with the same credential';
      throw problem('PAYMENT_IN_FLIGHT', detail, { retryAfterSeconds: 1 });
    }
    return run && this.runAndSell({ ...asked, accountKey }, run);
  }

  private async runAndSell(
    asked: AnsweredCall & { accountKey: string },
    run: UnsoldRun,
  ): Promise<Buffer | undefined> {
    const { call, body, hungUp, accountKey } = asked;
    const { operation, request, reply } = call;
    const sale = { claimId: randomUUID(), soldAt: new Date().toISOString() };
    const receipt = keyReceipt(sale.claimId, priceOf(operation.operationId), sale.soldAt);
    let left: Parameters<UnsoldRun['end']>[0];
    try {
      if (operation.mayBeUncharged) await this.bursts.checkUncharged(request, reply);
      hungUp.throwIfAborted();
      const signal = call.signal ? AbortSignal.any([hungUp, call.signal]) : hungUp;
      const { accountId } = run;
      const claim = { claimId: sale.claimId, attempt: 1, receipt, canBeGivenUp: true, accountId };
      request.body = body;
      givePaidCall(request, { claim, signal });
      const result = await this.work(call, accountKey, signal);
      // What was bought before is given all the same, by a claim.
      if (result === HELD_FIRST) return undefined;
      if (result instanceof UnchargedAnswer) {
        await this.bursts.takeUncharged(request);
        return sendUncharged(reply, result.body, { receipt });
      }
      const response = storedAnswerOf(call.status, result);
      const sold = await this.sell(asked, { ...sale, response });
      await this.bursts.giveFileBack(body);
      if (sold.outcome === 'sold') {
        left = sold.purse;
        return sendPaid(reply, response, sold);
      }
      this.purses.pause(accountKey);
      return sold.outcome === 'replayed' ? sendPaid(reply, sold.response, sold) : undefined;
    } finally {
      run.end(left);
    }
  }

  /**
   * Work that was given up, or failed by a fault of ours, was done in vain.
   * @returns the result, or {@link HELD_FIRST} where it could not be done now
   */
  private async work(call: PricedCall, accountKey: string, signal: AbortSignal): Promise<unknown> {
    const turn = { subject: this.bursts.subjectOf(call.request), standing: 'settled' as const };
    try {
      return await runInTurn(turn, call.run);
    } catch (error) {
      const { status, code } = asProblem(error);
      const isOurs = status >= 500 || code === 'QUEUE_FULL';
      if (signal.aborted || isOurs) this.purses.pause(accountKey);
      if (isOurs && !signal.aborted) return HELD_FIRST;
      throw retained(error, { isGivenBack: true });
    }
  }

  private async sell(
    {
      call,
      digest,
      presented: { idempotencyKey },
      accountKey,
      refusal,
    }: AnsweredCall & { accountKey: string },
    answer: Pick<Parameters<PaymentClaims['sell']>[0], 'claimId' | 'soldAt' | 'response'>,
  ) {
    const { operationId } = call.operation;
    const called = calledRequest(call.request);
    const sale = { operationId, requestDigest: digest, accountKey, idempotencyKey, called, ...answer };
    try {
      return await presentPayment(this.bursts, call.request, undefined, () => this.claims.sell(sale));
    } catch (error) {
      const isNone = error instanceof ProblemError && error.code === 'UNKNOWN_CREDENTIAL';
      if (isNone) this.purses.forget(accountKey);
      else this.purses.pause(accountKey);
      throw await refusal(error);
    }
  }
}

/** Whether its work is cheap, has no effect, and ends with the call. */
const isCheap = ({ operation, request }: PricedCall): boolean =>
  saleOrderOf(operation.operationId) === 'run-first' &&
  bodyBytesOf(request) <= BODY_BYTES_MAX &&
  endsWithCall(operation, request);
