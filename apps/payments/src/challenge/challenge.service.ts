import { Inject, Injectable } from '@nestjs/common';
import type { ChallengeReply, ParsedRequestOf, paymentsContract, RailOffer } from '@svc/contracts';
import { DatabasePulse, problem } from '@svc/platform';
import {
  findPrice,
  issueLightningCharge,
  l402ChallengeHeader,
  mintL402Token,
  paymentChallengeHeader,
  type Price,
  signChallengeToken,
} from '@svc/protocols';
import { randomBytes } from 'node:crypto';
import {
  type IssuedInvoice,
  LIGHTNING_BACKEND,
  type LightningBackend,
} from '../lightning/lightning-backend.js';
import { PAYMENT_KEYS, type PaymentKeys } from '../payments-config.js';

/** How long an invoice can be paid. */
export const INVOICE_EXPIRY_SECONDS = 600;
/** How long a paid L402 token can still be presented after its invoice has expired. */
export const L402_GRACE_SECONDS = 86_400;

type ChallengeRequest = ParsedRequestOf<typeof paymentsContract.challenge>;

/**
 * Makes challenges, while the database is there that will take the claim. Nothing is stored: what a
 * challenge says is signed into it.
 */
@Injectable()
export class ChallengeService {
  constructor(
    @Inject(LIGHTNING_BACKEND) private readonly lightning: LightningBackend,
    @Inject(PAYMENT_KEYS) private readonly keys: PaymentKeys,
    private readonly database: DatabasePulse,
  ) {}

  async challenge({ operationId, realm, description }: ChallengeRequest): Promise<ChallengeReply> {
    const price = findPrice(operationId);
    if (!price) {
      const errors = [{ path: 'operationId', message: 'has no price', got: operationId }];
      throw problem('VALIDATION_FAILED', `operationId: ${operationId} has no price`, { errors });
    }
    // Nobody is asked to pay while no payment could be claimed.
    this.database.assertPresent();
    const invoice = await this.lightning.createInvoice({
      amountSats: price.amountSats,
      description: description ?? price.description,
      expirySeconds: INVOICE_EXPIRY_SECONDS,
    });
    return {
      challengeToken: signChallengeToken(this.keys.challengeToken, {
        jti: randomBytes(16).toString('base64url'),
        operationId,
        amountMicroUsd: price.amountMicroUsd,
        amountSats: price.amountSats,
        paymentHash: invoice.paymentHash,
        exp: invoice.expiresAtMs / 1_000,
      }),
      amountMicroUsd: price.amountMicroUsd,
      amountSats: price.amountSats,
      expiresAt: new Date(invoice.expiresAtMs).toISOString(),
      offers: this.offers(price, realm, invoice),
    };
  }

  /** One invoice serves both Lightning rails. */
  private offers(price: Price, realm: string, invoice: IssuedInvoice): RailOffer[] {
    const offers = [this.l402Offer(price, realm, invoice)];
    // The tool catalogue says `lightningSupported: false` for its MPP payments.
    if (!price.operationId.startsWith('tool.')) offers.push(this.chargeOffer(price, realm, invoice));
    return offers;
  }

  private l402Offer(
    price: Price,
    realm: string,
    { invoice, paymentHash, expiresAtMs }: IssuedInvoice,
  ): RailOffer {
    const token = mintL402Token(this.keys.l402, {
      location: realm,
      paymentHash,
      tokenId: randomBytes(32).toString('hex'),
      capabilities: [price.operationId],
      amountSats: price.amountSats,
      validUntil: expiresAtMs / 1_000 + L402_GRACE_SECONDS,
    });
    return {
      rail: 'l402',
      scheme: 'L402',
      wwwAuthenticate: l402ChallengeHeader(token, invoice),
      body: { invoice },
    };
  }

  private chargeOffer(
    price: Price,
    realm: string,
    { invoice, paymentHash, expiresAtMs }: IssuedInvoice,
  ): RailOffer {
    const challenge = issueLightningCharge(this.keys.paymentChallenge, {
      operationId: price.operationId,
      amountSats: price.amountSats,
      description: price.description,
      invoice,
      paymentHash,
      network: this.lightning.network,
      realm,
      expiresAtMs,
    });
    return {
      rail: 'mpp-lightning',
      scheme: 'Payment',
      method: 'lightning',
      intent: 'charge',
      wwwAuthenticate: paymentChallengeHeader(challenge),
      body: { invoice },
    };
  }
}
