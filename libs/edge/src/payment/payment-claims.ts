import {
  type ClaimReply,
  type PaymentCredit,
  paymentsContract,
  type RequestOf,
  type SaleReply,
  type StoredResponse,
} from '@svc/contracts';
import { type BusClient, problem, ProblemError } from '@svc/platform';
import { setTimeout as delay } from 'node:timers/promises';
import { ClaimHeartbeat } from './claim-heartbeat.js';
import { isOutcomeUnknown, settlementUnknown, undecided } from './payment-problem.js';

/** Waits between the tries to record a delivery or a sale; the same record may be sent again. */
const RECORD_WAITS_MS = [100, 400];

/** A claim that this request holds: it, and nobody else, runs the call. */
export type HeldClaim = Extract<ClaimReply, { outcome: 'claimed' }>;

/** The steps of one payment, asked of the payments service: claim, then deliver or release. */
export class PaymentClaims {
  private readonly heartbeat: ClaimHeartbeat;

  constructor(private readonly bus: BusClient) {
    this.heartbeat = new ClaimHeartbeat(bus);
  }

  /**
   * Claims a payment, and holds the claim until {@link end}, whatever becomes of it.
   * @throws ProblemError of the refusal; SETTLEMENT_UNKNOWN where it may have been claimed: what was paid must be asked
   * for again, never paid again
   */
  async claim(request: RequestOf<typeof paymentsContract.claim>): Promise<ClaimReply> {
    try {
      const reply = await this.bus.call(paymentsContract.claim, request);
      if (reply.outcome === 'claimed') this.heartbeat.begin(reply);
      return reply;
    } catch (error) {
      throw isOutcomeUnknown(error) ? settlementUnknown(error) : error;
    }
  }

  /** Holds a claim no longer: it was delivered or given back, or a job or a task has it. */
  end(claim: HeldClaim): void {
    this.heartbeat.end(claim);
  }

  /**
   * Gives the claim back; if that is lost too, the lease ends it.
   * @returns whether it is known to be given back, and the credit to tell the payer of
   */
  async release(
    claim: HeldClaim,
    reason: string,
    givenUp = false,
  ): Promise<{ isGivenBack: boolean; credit?: PaymentCredit }> {
    this.end(claim);
    const { claimId, attempt } = claim;
    const handle = { claimId, attempt, reason, givenUp };
    const reply = await this.bus.call(paymentsContract.release, handle).catch(() => undefined);
    return { isGivenBack: reply?.released === true, credit: reply?.credit };
  }

  /**
   * @returns the claim with what its answer says of the delivery
   * @throws ProblemError PAYMENT_IN_FLIGHT where another attempt has the claim, SETTLEMENT_UNKNOWN
   */
  async deliver(claim: HeldClaim, response: StoredResponse): Promise<HeldClaim> {
    const { claimId, attempt } = claim;
    for (let turn = 0; ; turn++) {
      try {
        return delivered(
          claim,
          await this.bus.call(paymentsContract.deliver, { claimId, attempt, response }),
        );
      } catch (error) {
        if (error instanceof ProblemError && error.code === 'CONFLICT') {
          const detail =
            'A later request with this payment has taken over; ask again with the same credential';
          throw problem('PAYMENT_IN_FLIGHT', detail, { retryAfterSeconds: 1 });
        }
        if (!isOutcomeUnknown(error)) throw error;
        if (turn >= RECORD_WAITS_MS.length) throw settlementUnknown(error);
        await delay(RECORD_WAITS_MS[turn]);
      }
    }
  }

  /** The claim as {@link deliver} returns it, of one that work which took it over has delivered; without a receipt where none is to be had. */
  async delivered(claim: HeldClaim): Promise<HeldClaim> {
    const { claimId, attempt } = claim;
    return this.bus.call(paymentsContract.delivery, { claimId, attempt }).then(
      reply => delivered(claim, reply),
      () => claim,
    );
  }

  /**
   * Sells an answer to the account of a key. Where it is not known what came of that, it is asked for again: it is sold once.
   * @throws ProblemError of the refusal; SETTLEMENT_UNKNOWN where nothing was heard of any try
   */
  async sell(sale: RequestOf<typeof paymentsContract.sell>): Promise<SaleReply> {
    for (let turn = 0; ; turn++) {
      try {
        return await this.bus.call(paymentsContract.sell, sale);
      } catch (error) {
        const isInDoubt = error instanceof ProblemError && error.code === 'SETTLEMENT_UNKNOWN';
        // A refusal after a try that may have sold it says nothing of that.
        if (!isInDoubt && !isOutcomeUnknown(error)) throw turn === 0 ? error : undecided(error);
        if (turn >= RECORD_WAITS_MS.length) throw isInDoubt ? error : settlementUnknown(error);
        await delay(RECORD_WAITS_MS[turn]);
      }
    }
  }
}

const delivered = (claim: HeldClaim, { headers }: { headers?: Record<string, string> }): HeldClaim => ({
  ...claim,
  receipt: { ...claim.receipt, headers: { ...claim.receipt.headers, ...headers } },
});
