import { Injectable } from '@nestjs/common';
import type { ClaimReply, ParsedRequestOf, paymentsContract, StoredResponse } from '@svc/contracts';
import { ClaimReleases } from '../claim/claim-releases.js';
import { ClaimService } from '../claim/claim.service.js';
import { settlementUnknown } from '../claim/standing-claim.js';
import { withoutHandle } from './claimed-route.js';
import { type FreshTicket, TicketIssuer, type TicketOrder } from './ticket-issuer.js';

type Claim = ParsedRequestOf<typeof paymentsContract.claim>;
type Claimed = Extract<ClaimReply, { outcome: 'claimed' }>;

/** What of a claim its payer is told: the receipt, and what is left on the account of a key or bundle. */
export type PaidPart = Pick<ClaimReply, 'receipt' | 'credit' | 'quota' | 'balanceMicroUsd' | 'limits'>;

/** What a payment has bought: a ticket just now, or what an answer before said. */
export type Purchase = PaidPart &
  (
    | { readonly outcome: 'issued'; readonly fresh: FreshTicket }
    | {
        readonly outcome: 'replayed';
        readonly response: StoredResponse;
        /** Whether the credential shows who paid. */
        readonly isPayers: boolean;
        /** Whether everybody can read it: then it is no word of the payer's. */
        readonly isPublic: boolean;
      }
  );

/** Takes a payment and gives a ticket for it; what fails in between gives the payment back. */
@Injectable()
export class TicketPurchase {
  constructor(
    private readonly claims: ClaimService,
    private readonly releases: ClaimReleases,
    private readonly issuer: TicketIssuer,
  ) {}

  /**
   * @param answerOf what the payment is answered with whenever it is shown again
   * @throws ProblemError those of `payments.claim`
   */
  async buy(
    claim: Claim,
    order: TicketOrder,
    answerOf: (fresh: FreshTicket) => StoredResponse,
  ): Promise<Purchase> {
    const reply = await this.claims.claim(claim).catch((error: unknown) => {
      throw withoutHandle(error);
    });
    const { receipt, credit, quota, balanceMicroUsd, limits } = reply;
    const paid: PaidPart = { receipt, credit, quota, balanceMicroUsd, limits };
    if (reply.outcome === 'replayed') {
      const { response, isPayers = false, isPublic = false } = reply;
      return { outcome: 'replayed', response, isPayers, isPublic, ...paid };
    }
    return { outcome: 'issued', fresh: await this.issue(reply, order, answerOf), ...paid };
  }

  private async issue(
    claimed: Claimed,
    order: TicketOrder,
    answerOf: (fresh: FreshTicket) => StoredResponse,
  ): Promise<FreshTicket> {
    const { claimId, attempt } = claimed;
    let fresh: FreshTicket | undefined;
    try {
      fresh = await this.issuer.issue(claimed, order, answerOf);
    } catch (error) {
      // The claim is nobody's now: the same credential buys the ticket in its next try. Where the ticket was recorded
      // all the same, nothing is given back, and that is what the next try finds.
      await this.releases.release(claimId, attempt, 'no ticket was issued', false).catch(() => undefined);
      throw settlementUnknown(1, error);
    }
    if (!fresh) throw settlementUnknown(1);
    return fresh;
  }
}
