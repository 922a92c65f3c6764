import { Inject, Injectable } from '@nestjs/common';
import type { checkoutContract, ParsedRequestOf, ReplyOf, StoredResponse, TopUpResult } from '@svc/contracts';
import { inTransaction, problem } from '@svc/platform';
import { isTopUp } from '@svc/protocols';
import { DataSource, type EntityManager } from 'typeorm';
import { CreditReversals } from '../card/credit-reversals.js';
import { creditLegs } from '../claim/claim-postings.js';
import { sealAnswer } from '../claim/sealed-answer.js';
import { LOCK_CLAIM, type Row, standingOf } from '../claim/standing-claim.js';
import { Ledger } from '../ledger/ledger.js';
import { PAYMENT_KEYS, type PaymentKeys } from '../payments-config.js';
import type { RailFamily } from '../rail/rail.js';
import { SignedReceipts } from '../receipt/signed-receipts.js';
import { Accounts } from '../account/accounts.js';
import { DerivedCredit } from '../account/derived-credit.js';

type Asked = ParsedRequestOf<typeof checkoutContract.topUp>;

/** Turns payments into credit: what is paid for is the credit, so the claim, its answer and the credit are one transaction. */
@Injectable()
export class TopUps {
  constructor(
    private readonly dataSource: DataSource,
    private readonly ledger: Ledger,
    private readonly accounts: Accounts,
    private readonly derived: DerivedCredit,
    private readonly reversals: CreditReversals,
    private readonly receipts: SignedReceipts,
    @Inject(PAYMENT_KEYS) private readonly keys: Pick<PaymentKeys, 'storedAnswer'>,
  ) {}

  /**
   * @param asked.accountId whose credit it is; absent for the account that the payment makes, whose key is in the reply
   * @throws ProblemError CONFLICT where the claim is another attempt's by now, was delivered or given back, or is no top-up
   */
  async topUp({
    claimId,
    attempt,
    accountId: given,
  }: Asked): Promise<ReplyOf<typeof checkoutContract.topUp>> {
    const { response, family, proofKey } = await inTransaction(this.dataSource, async manager => {
      const [row]: Row[] = await manager.query(LOCK_CLAIM, [claimId]);
      const claim = row && standingOf(row);
      const isHeld =
        claim?.attempt === attempt && claim.state === 'claimed' && claim.settlement === 'settled';
      if (!isHeld || claim.funding !== 'rail' || !isTopUp(claim.operationId))
        throw problem('CONFLICT', 'The claim was lost to a later attempt, or never was');
      const { amountMicroUsd, proofKey } = claim;
      const family = claim.family as RailFamily;
      const accountId = given ?? (await this.derived.ensure(manager, family, proofKey));
      await this.ledger.post(manager, {
        kind: 'top-up',
        claimId,
        legs: creditLegs(accountId, amountMicroUsd),
      });
      // What was asked back of the card meanwhile finds the credit.
      if (family === 'stripe')
        await this.reversals.collectOfClaim(manager, claimId, {
          accountId,
          creditedMicroUsd: amountMicroUsd,
        });
      const response = await this.answerOf(manager, accountId, amountMicroUsd, given === undefined);
      await this.deliver(manager, claimId, accountId, response);
      return { response, family, proofKey };
    });
    const credit = given === undefined ? await this.derived.of(family, proofKey) : undefined;
    return { response, ...(credit && { credit }) };
  }

  private async answerOf(
    manager: EntityManager,
    accountId: string,
    creditedMicroUsd: number,
    isNew: boolean,
  ): Promise<StoredResponse> {
    const { balanceMicroUsd } = (await this.accounts.find(manager, accountId))!;
    // The key is no part of the answer, which who reads a payment on the chain may be given again.
    const result: TopUpResult = {
      ...{ accountId, creditedMicroUsd, balanceMicroUsd },
      ...(isNew && { keyIn: 'X-SVC-KEY' as const }),
    };
    return {
      status: 200,
      contentType: 'application/json; charset=utf-8',
      body: Buffer.from(JSON.stringify(result)),
    };
  }

  private async deliver(
    manager: EntityManager,
    claimId: string,
    accountId: string,
    response: StoredResponse,
  ): Promise<void> {
    const { status, contentType, body } = response;
    const delivery = this.receipts.deliveryOf(response);
    await manager.query(
      `UPDATE payment_claim
          SET state = 'delivered', delivered_at = now(), credit_account_id = $2, response_status = $3,
              response_content_type = $4, response_body = $5, response_sealed = true, receipt = receipt || $6
        WHERE claim_id = $1`,
      [
        ...[claimId, accountId, status, contentType, sealAnswer(this.keys.storedAnswer, claimId, body)],
        JSON.stringify(delivery ? { delivery } : {}),
      ],
    );
  }
}
