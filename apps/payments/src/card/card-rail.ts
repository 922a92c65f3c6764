import type { PaymentCredential, RailOffer } from '@svc/contracts';
import { problem } from '@svc/platform';
import {
  type CardTerms,
  cardChargeMicroUsd,
  issueStripeCharge,
  openChallengeToken,
  parsePaymentCredential,
  paymentChallengeHeader,
  PaymentRefusal,
  type Price,
  sharedPaymentTokenOffer,
  verifySharedPaymentToken,
  verifyStripeCharge,
} from '@svc/protocols';
import { createHash } from 'node:crypto';
import type Stripe from 'stripe';
import type { PaymentKeys } from '../payments-config.js';
import { paymentMethodOf } from '../rail/payment-method.js';
import type {
  ClaimedPayment,
  PresentedPayment,
  QuotedOffers,
  Quote,
  Rail,
  Settlement,
} from '../rail/rail.js';
import { ReadinessProbe } from '../rail/readiness-probe.js';
import { CardRefunds } from './card-refunds.js';
import { ChargeFailed } from './charge-tries.js';
import type { StripeAdapter } from './stripe-adapter.js';
import { hasMadeNothing, stripeFaultOf } from './stripe-fault.js';

const MICRO_USD_PER_CENT = 10_000;
/** From then on a payment that Stripe does not list was never made: longer than all tries of a charge take. */
export const CHARGE_DECIDED_AFTER_MS = 120_000;

/** States of a payment that took nothing. */
const UNPAID: readonly string[] = ['requires_payment_method', 'requires_confirmation', 'canceled'];

/** What of the adapter the rail needs. */
export type CardProcessor = Pick<
  StripeAdapter,
  'testMode' | 'isReachable' | 'charge' | 'findByClaim' | 'cancelIntent' | 'refund' | 'findRefund'
>;

/**
 * Cards by shared payment tokens: the `stripe` method of MPP, and a bare token beside the echoed challenge. A card is
 * charged the least bundle or the price, whichever is more; the remainder is the payer's credit. The idempotency key
 * of a charge is its claim, so one claim is charged once.
 */
export class CardRail implements Rail {
  readonly family = 'stripe';
  readonly names = ['mpp-stripe', 'spt'];
  readonly observes = false;
  readonly money: string;
  readonly sandbox: boolean;
  readonly refunds: CardRefunds;
  private readonly probe: ReadinessProbe;
  private readonly terms: CardTerms;

  constructor(
    private readonly processor: CardProcessor,
    private readonly keys: Pick<PaymentKeys, 'paymentChallenge' | 'challengeToken'>,
    networkId: string,
    private readonly decidedAfterMs = CHARGE_DECIDED_AFTER_MS,
    probeEveryMs?: number,
  ) {
    this.sandbox = processor.testMode;
    // The processor knows of payments of the one mode nothing in the other.
    this.money = processor.testMode ? 'usd:test' : 'usd';
    this.refunds = new CardRefunds(processor, decidedAfterMs);
    this.terms = { networkId, paymentMethodTypes: ['card'] };
    this.probe = new ReadinessProbe(() => processor.isReachable(), probeEveryMs);
  }

  open(): Promise<void> {
    return this.probe.start();
  }

  isReady(): boolean {
    return this.probe.ready;
  }

  async quote({ price, realm, expiresAtMs, jti }: Quote): Promise<QuotedOffers> {
    const challenge = issueStripeCharge(this.keys.paymentChallenge, {
      ...this.terms,
      operationId: price.operationId,
      chargeMicroUsd: cardChargeMicroUsd(price.amountMicroUsd),
      description: price.description,
      // Two challenges of one instant are two: the id covers it.
      metadata: { jti },
      realm,
      expiresAtMs,
    });
    const charge: RailOffer = {
      rail: 'mpp-stripe',
      scheme: 'Payment',
      method: 'stripe',
      intent: 'charge',
      wwwAuthenticate: paymentChallengeHeader(challenge),
    };
    const terms = { ...this.terms, priceMicroUsd: price.amountMicroUsd, expiresAtMs };
    const token: RailOffer = {
      rail: 'spt',
      scheme: 'SPT',
      body: { sharedPaymentToken: sharedPaymentTokenOffer(terms) },
    };
    return { offers: [charge, token] };
  }

  reads(credential: PaymentCredential): boolean {
    return credential.scheme === 'SPT' || paymentMethodOf(credential) === 'stripe';
  }

  operationOf({ scheme, value, challengeToken = '' }: PaymentCredential): string | undefined {
    try {
      if (scheme === 'SPT') return openChallengeToken(this.keys.challengeToken, challengeToken).operationId;
      const { externalId } = parsePaymentCredential(value).challenge.request;
      return typeof externalId === 'string' ? externalId : undefined;
    } catch {
      return undefined;
    }
  }

  known(credential: PaymentCredential, price: Price): PresentedPayment {
    return presented(credential, price, this.read(credential));
  }

  requireOffered(credential: PaymentCredential, price: Price): void {
    requireOffered(this.read(credential), price);
  }

  async verify(credential: PaymentCredential, price: Price): Promise<PresentedPayment> {
    const paid = this.read(credential);
    requireOffered(paid, price);
    return presented(credential, price, paid);
  }

  async settle(payment: PresentedPayment, claimId: string): Promise<Settlement> {
    let intent: Stripe.PaymentIntent;
    try {
      intent = await this.processor.charge({
        claimId,
        amountCents: payment.chargeMicroUsd / MICRO_USD_PER_CENT,
        token: payment.secret as string,
        description: String(payment.evidence.description),
        metadata: { operation_id: String(payment.evidence.operationId), proof_key: payment.proofKey },
      });
    } catch (error) {
      return refusalOf(error);
    }
    return this.settlementOf(intent);
  }

  async enquire({ claimId, claimedAtMs }: ClaimedPayment): Promise<Settlement> {
    try {
      const found = await this.processor.findByClaim(claimId, claimedAtMs);
      if (typeof found === 'object') return await this.settlementOf(found);
      if (found === 'none' && Date.now() - claimedAtMs > this.decidedAfterMs) {
        const detail = 'The card processor has no such payment: nothing was taken';
        return { outcome: 'refused', code: 'PAYMENT_INVALID', detail };
      }
      return { outcome: 'unknown', detail: 'The card processor has no such payment yet' };
    } catch (cause) {
      return { outcome: 'unknown', detail: 'The card processor cannot be asked now', cause };
    }
  }

  async close(): Promise<void> {
    this.probe.stop();
  }

  /** What a payment's status means. One that waits for its payer is ended: an agent has nobody to confirm it. */
  private async settlementOf(intent: Stripe.PaymentIntent): Promise<Settlement> {
    switch (intent.status) {
      case 'succeeded':
        return {
          outcome: 'settled',
          reference: intent.id,
          chargedMicroUsd: intent.amount_received * MICRO_USD_PER_CENT,
        };
      case 'processing':
        return { outcome: 'unknown', detail: 'The card payment is being processed' };
      case 'canceled':
        return notTaken('The card payment was cancelled; nothing was taken');
      default:
        return this.end(intent);
    }
  }

  private async end({ id, status }: Stripe.PaymentIntent): Promise<Settlement> {
    try {
      await this.processor.cancelIntent(id, 'abandoned', `end:${id}`);
    } catch (cause) {
      return { outcome: 'unknown', detail: `The card payment is ${status} and could not be ended`, cause };
    }
    return notTaken(`The card payment needs more than the token (${status}); nothing was taken`);
  }

  /** What a credential says that its challenge, which we have signed, was for. @throws ProblemError */
  private read({ scheme, value, challengeToken }: PaymentCredential): TokenPayment {
    try {
      if (scheme === 'SPT') {
        const token = verifySharedPaymentToken(this.keys.challengeToken, value, challengeToken);
        return { ...token, rail: 'spt', proofKey: `challenge:${token.jti}` };
      }
      const charge = verifyStripeCharge(this.keys.paymentChallenge, parsePaymentCredential(value));
      return { ...charge, rail: 'mpp-stripe', proofKey: `challenge:${charge.challengeId}` };
    } catch (error) {
      if (error instanceof PaymentRefusal) throw problem(error.code, error.message);
      throw error;
    }
  }
}

interface TokenPayment {
  readonly rail: 'mpp-stripe' | 'spt';
  readonly proofKey: string;
  /** Of a charge by MPP. */
  readonly challengeId?: string;
  readonly operationId: string;
  readonly chargeMicroUsd: number;
  readonly sharedPaymentToken: string;
  readonly expiresAtMs: number;
}

/** @throws ProblemError PAYMENT_BOUND_ELSEWHERE, PAYMENT_INSUFFICIENT */
function requireOffered(paid: TokenPayment, price: Price): void {
  if (paid.operationId !== price.operationId) {
    const detail = `The challenge was made for ${paid.operationId.slice(0, 80)}`;
    throw problem('PAYMENT_BOUND_ELSEWHERE', detail);
  }
  if (paid.chargeMicroUsd < price.amountMicroUsd) {
    const detail = `The price is ${price.amountMicroUsd} micro-USD, the challenge ${paid.chargeMicroUsd}`;
    throw problem('PAYMENT_INSUFFICIENT', detail);
  }
}

function presented({ scheme, value }: PaymentCredential, price: Price, paid: TokenPayment): PresentedPayment {
  const { rail, proofKey, challengeId, operationId, chargeMicroUsd, expiresAtMs, sharedPaymentToken } = paid;
  return {
    ...{ rail, proofKey, ...(challengeId !== undefined && { challengeId }) },
    credentialDigest: digestOf(`${scheme} ${value}`),
    tokenDigest: digestOf(sharedPaymentToken),
    amountMicroUsd: price.amountMicroUsd,
    amountSats: price.amountSats,
    chargeMicroUsd,
    expiresAtMs,
    evidence: { operationId, description: price.description, chargeMicroUsd },
    secret: sharedPaymentToken,
  };
}

/**
 * What a failed charge means. An answer that comes out of the charge itself is final for every try of it, since all
 * have one idempotency key: a decline that has its payment, and a request that Stripe does not take. One that comes from
 * before the charge says only that this try took nothing: an earlier one may have, and lost its answer.
 */
function refusalOf(error: unknown): Settlement {
  if (!(error instanceof ChargeFailed)) throw error;
  const { kind, detail, intentStatus } = stripeFaultOf(error.cause);
  const unknown: Settlement = { outcome: 'unknown', detail, cause: error.cause };
  switch (kind) {
    case 'declined':
      return intentStatus !== undefined && UNPAID.includes(intentStatus) ? notTaken(detail) : unknown;
    case 'refused':
      return notTaken(detail);
    case 'busy':
    case 'denied':
      if (error.mayHaveTaken) return unknown;
      return { outcome: 'refused', code: 'SERVICE_UNAVAILABLE', detail: `${detail}; nothing was taken` };
    case 'contended':
      // The token, or its customer, is held by another charge; this one's own key is in use where an earlier try is at work.
      if (error.mayHaveTaken || !hasMadeNothing(error.cause)) return unknown;
      return { outcome: 'refused', code: 'PAYMENT_IN_FLIGHT', detail: `${detail}; nothing was taken` };
    case 'unknown':
      return unknown;
  }
}

const notTaken = (detail: string): Settlement => ({ outcome: 'refused', code: 'PAYMENT_INVALID', detail });

const digestOf = (text: string) => createHash('sha256').update(text).digest('hex');
