import { Inject, Injectable } from '@nestjs/common';
import type { ChallengeReply, ParsedRequestOf, paymentsContract } from '@svc/contracts';
import {
  DatabasePulse,
  freshBytes,
  problem,
  ProblemError,
  SERVICE_ENVIRONMENT,
  type ServiceEnvironment,
} from '@svc/platform';
import { findPrice, type Price, signChallengeToken } from '@svc/protocols';
import { PAYMENT_KEYS, type PaymentKeys } from '../payments-config.js';
import { type QuotedOffers, type Quote, type Rail, type RailFamily, RAILS } from '../rail/rail.js';

/** How long a challenge can be paid. */
export const CHALLENGE_EXPIRY_SECONDS = 600;

type ChallengeRequest = ParsedRequestOf<typeof paymentsContract.challenge>;

/**
 * Makes challenges, while the database is there that will take the claim: one for all rails that can settle now.
 * Nothing is stored: what a challenge says is signed into it.
 */
@Injectable()
export class ChallengeService {
  constructor(
    @Inject(RAILS) private readonly rails: readonly Rail[],
    @Inject(PAYMENT_KEYS) private readonly keys: PaymentKeys,
    private readonly database: DatabasePulse,
    @Inject(SERVICE_ENVIRONMENT) private readonly environment: Pick<ServiceEnvironment, 'logger'>,
  ) {}

  async challenge(request: ChallengeRequest): Promise<ChallengeReply> {
    const { operationId, realm, resource, description, families, bundle } = request;
    const price = findPrice(operationId);
    if (!price) {
      const errors = [{ path: 'operationId', message: 'has no price', got: operationId }];
      throw problem('VALIDATION_FAILED', `operationId: ${operationId} has no price`, { errors });
    }
    // Nobody is asked to pay while no payment could be claimed.
    this.database.assertPresent();
    const nowMs = Date.now();
    const quote: Quote = {
      price,
      description: description ?? price.description,
      realm,
      resource: resource ?? `https://${realm}/`,
      jti: freshBytes(16).toString('base64url'),
      expiresAtMs: nowMs + expirySeconds(bundle) * 1_000,
      ...(bundle && {
        bundle: {
          capabilities: bundle.capabilities,
          validUntil: Math.floor(nowMs / 1_000) + bundle.validSeconds,
        },
      }),
    };
    return this.replyOf(quote, price, await this.quotedOffers(quote, families));
  }

  /** A rail that fails to quote, or has no offer at this price, is left out: the others can be paid. */
  private async quotedOffers(
    quote: Quote,
    families: readonly RailFamily[] | undefined,
  ): Promise<QuotedOffers[]> {
    const isWanted = ({ family }: Rail) => families?.includes(family) ?? true;
    const ready = this.rails.filter(rail => isWanted(rail) && rail.isReady());
    const quoting = await Promise.allSettled(ready.map(rail => rail.quote(quote)));
    const quoted: QuotedOffers[] = [];
    let failure: unknown;
    for (const [index, outcome] of quoting.entries()) {
      if (outcome.status === 'fulfilled') {
        quoted.push(outcome.value);
        continue;
      }
      failure ??= outcome.reason;
      const reason = (outcome.reason as Error).message;
      this.environment.logger.warn({ rail: ready[index].family, reason }, 'A challenge goes without a rail');
    }
    if (quoted.some(({ offers }) => offers.length > 0)) return quoted;
    // Who names the rails learns that these have no offer at this price.
    if (families && quoted.length > 0 && failure === undefined) return quoted;
    if (failure instanceof ProblemError) throw failure;
    throw problem('SERVICE_UNAVAILABLE', 'No payment could be settled now', {
      retryAfterSeconds: 5,
      cause: failure,
    });
  }

  private replyOf(quote: Quote, price: Price, quoted: readonly QuotedOffers[]): ChallengeReply {
    // In whole seconds, as the token says it; no offer is promised for longer than it can be paid.
    const exp = Math.floor(
      Math.min(...quoted.map(each => each.expiresAtMs ?? Infinity), quote.expiresAtMs) / 1_000,
    );
    const { amountMicroUsd, amountSats, operationId } = price;
    const paymentHash = quoted.find(each => each.paymentHash !== undefined)?.paymentHash;
    return {
      challengeToken: signChallengeToken(this.keys.challengeToken, {
        jti: quote.jti,
        operationId,
        amountMicroUsd,
        amountSats,
        paymentHash,
        exp,
      }),
      amountMicroUsd,
      amountSats,
      expiresAt: new Date(exp * 1_000).toISOString(),
      offers: quoted.flatMap(({ offers }) => offers),
    };
  }
}

/** Who pays an invoice of a bundle at its end has half of the time that was bought, at least. */
const expirySeconds = (bundle: ChallengeRequest['bundle']): number =>
  Math.min(CHALLENGE_EXPIRY_SECONDS, bundle ? bundle.validSeconds / 2 : Infinity);
