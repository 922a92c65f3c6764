import { Inject, Injectable } from '@nestjs/common';
import type {
  ClaimReply,
  ParsedRequestOf,
  PaymentCredit,
  paymentsContract,
  StoredResponse,
} from '@svc/contracts';
import { ClaimReleases } from '../claim/claim-releases.js';
import { ClaimService } from '../claim/claim.service.js';
import { settlementUnknown } from '../claim/standing-claim.js';
import { type Rail, RAILS } from '../rail/rail.js';
import { withoutHandle } from './claimed-route.js';
import { type FreshTicket, TicketIssuer, type TicketOrder } from './ticket-issuer.js';

type Claim = ParsedRequestOf<typeof paymentsContract.claim>;
type Claimed = Extract<ClaimReply, { outcome: 'claimed' }>;

/** What a payment has bought: a ticket just now, or what an answer before said. */
export type Purchase = Pick<ClaimReply, 'receipt' | 'credit' | 'quota'> &
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
    @Inject(RAILS) private readonly rails: readonly Rail[],
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
    const { receipt, credit, quota } = reply;
    if (reply.outcome === 'replayed') {
      const { response, isPayers = false, isPublic = false } = reply;
      return { outcome: 'replayed', response, isPayers, isPublic, receipt, credit, quota };
    }
    return { outcome: 'issued', fresh: await this.issue(reply, order, answerOf), receipt, credit, quota };
  }

  /**
   * Turns a payment that bought nothing, and whose money has arrived before it was shown, into credit. What has not
   * arrived is left alone.
   */
  async refund(claim: Claim, reason: string): Promise<PaymentCredit | undefined> {
    const { credential } = claim;
    if (!credential || !this.rails.find(rail => rail.reads(credential))?.observes) return undefined;
    // Of a payment that does not verify, nothing has arrived; one that is at work is shown again.
    const reply = await this.claims.claim(claim).catch(() => undefined);
    if (reply?.outcome !== 'claimed') return undefined;
    return (await this.releases.release(reply.claimId, reply.attempt, reason, false)).credit;
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
