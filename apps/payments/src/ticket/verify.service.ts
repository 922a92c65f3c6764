import { Injectable } from '@nestjs/common';
import {
  type ParsedRequestOf,
  type ReplyOf,
  type StoredResponse,
  VerifyPaymentResult,
  type x402Contract,
} from '@svc/contracts';
import { problem } from '@svc/platform';
import { SignedReceipts } from '../receipt/signed-receipts.js';
import { operationOfTool } from '../execute/tool-sagas.js';
import { digestOf, routeKey } from './claimed-route.js';
import type { FreshTicket } from './ticket-issuer.js';
import { TicketPurchase } from './ticket-purchase.js';

type Verify = ParsedRequestOf<typeof x402Contract.verifyPayment>;

/** Exchanges payments for execution tickets. */
@Injectable()
export class VerifyService {
  constructor(
    private readonly purchase: TicketPurchase,
    private readonly receipts: SignedReceipts,
  ) {}

  /**
   * The ticket of a payment: the same one however often the payment is shown. A ticket is a bearer secret, so a credential
   * that lies open on the chain brings it once; a payment that its payer signs anew, and that is not taken, again.
   * @throws ProblemError those of `payments.claim`
   */
  async verify(request: Verify): Promise<ReplyOf<typeof x402Contract.verifyPayment>> {
    const { tool, agentId, capability, credential, accountKey, idempotencyKey, called } = request;
    const operationId = operationOfTool(tool);
    const claim = {
      operationId,
      requestDigest: digestOf(operationId, { route: 'x402.verify', ...given({ agentId, capability }) }),
      credential,
      accountKey,
      idempotencyKey: routeKey('verify', idempotencyKey),
      called,
    };
    const order = { tool, agentId, capability, inline: false };
    const bought = await this.purchase.buy(claim, order, fresh => answerOf(fresh, request));
    if (bought.outcome === 'replayed' && bought.isPublic) throw shownOnce();
    const { credit, quota, balanceMicroUsd, limits } = bought;
    const [response, receipt] =
      bought.outcome === 'issued'
        ? [answerOf(bought.fresh, request), this.receipts.shown(bought.fresh.claim)]
        : [bought.response, bought.receipt];
    const text = Buffer.from(response.body).toString('utf8');
    const left = given({ credit, quota, balanceMicroUsd, limits });
    return { result: VerifyPaymentResult.parse(JSON.parse(text)), text, receipt, ...left };
  }
}

const shownOnce = () =>
  problem(
    'PAYMENT_INVALID',
    'The payment has bought a ticket, and can be read on the chain by now: sign another for the same request; within a ' +
      'minute, or under the Idempotency-Key of the first, it is not taken and brings that ticket',
  );

/** What is there of some members. */
const given = <T extends object>(members: T): T =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as T;

function answerOf({ ticket, expiresAt, claim }: FreshTicket, { tool, capability }: Verify): StoredResponse {
  const { rail, amountMicroUsd, headers, reference } = claim.receipt;
  const result: VerifyPaymentResult = {
    status: 'PAYMENT_CLEARED',
    ticket,
    tool,
    ...given({ capability }),
    rail,
    amountMicroUsd,
    expiresAt: expiresAt.toISOString(),
    receipt: headers['Payment-Receipt'] ?? reference,
  };
  return { status: 200, contentType: 'application/json', body: Buffer.from(JSON.stringify(result), 'utf8') };
}
