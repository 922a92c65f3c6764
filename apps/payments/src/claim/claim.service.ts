import { Inject, Injectable } from '@nestjs/common';
import type { ClaimHandle, ClaimReply, ParsedRequestOf, paymentsContract, Receipt } from '@svc/contracts';
import { problem } from '@svc/platform';
import { encodeReceipt, findPrice } from '@svc/protocols';
import { randomUUID } from 'node:crypto';
import { readerOf } from '../rail/payment-method.js';
import { type PresentedPayment, type Rail, RAILS } from '../rail/rail.js';
import {
  type ClaimRequest,
  ClaimStore,
  type HeldClaim,
  RESPONSE_KEPT_HOURS,
  type StandingClaim,
} from './claim-store.js';

/** Wait that is asked of a caller whose request is still running. */
const IN_FLIGHT_WAIT_SECONDS_MAX = 5;
/** A claim may change hands while it is looked at; more often than this within one call it does not. */
const LOOKS_MAX = 4;

type Claim = ParsedRequestOf<typeof paymentsContract.claim>;
type Deliver = ParsedRequestOf<typeof paymentsContract.deliver>;
type Release = ParsedRequestOf<typeof paymentsContract.release>;
type Renew = ParsedRequestOf<typeof paymentsContract.renew>;

/** Decides what a presented payment buys: the call now, the answer it bought before, or nothing. */
@Injectable()
export class ClaimService {
  constructor(
    private readonly store: ClaimStore,
    @Inject(RAILS) private readonly rails: readonly Rail[],
  ) {}

  async claim({ operationId, requestDigest, credential }: Claim): Promise<ClaimReply> {
    const price = findPrice(operationId);
    if (!price) throw problem('VALIDATION_FAILED', `operationId: ${operationId} has no price`);
    if (!credential) throw problem('PAYMENT_REQUIRED', 'No payment credential came');
    const rail = readerOf(this.rails, credential);
    const payment = await rail.verify(credential, price);
    const request: ClaimRequest = { proofKey: payment.proofKey, operationId, requestDigest };
    for (let look = 0; look < LOOKS_MAX; look++) {
      const standing = await this.store.find(payment.proofKey);
      const held = standing
        ? await this.claimAgain(standing, request)
        : await this.claimFirst(rail, payment, request);
      if (held) return { outcome: 'claimed', ...held };
      if (standing) {
        const reply = replyTo(standing, request);
        if (reply) return reply;
      }
    }
    throw inFlight(1);
  }

  async deliver({ claimId, attempt, response }: Deliver): Promise<{ deliveredAt: string }> {
    const deliveredAt = await this.store.deliver(claimId, attempt, response);
    if (!deliveredAt) throw problem('CONFLICT', 'The claim was lost to a later attempt, or never was');
    return { deliveredAt: deliveredAt.toISOString() };
  }

  async release({ claimId, attempt, reason, givenUp }: Release): Promise<{ released: boolean }> {
    return { released: await this.store.release(claimId, attempt, reason, givenUp) };
  }

  async renew({ claimId, attempt }: Renew): Promise<{ renewed: boolean }> {
    return { renewed: await this.store.renew(claimId, attempt) };
  }

  private claimAgain(
    standing: StandingClaim,
    request: ClaimRequest,
  ): Promise<HeldClaim | undefined> | undefined {
    const open =
      standing.state === 'settled' || (standing.state === 'claimed' && standing.leaseSecondsLeft === 0);
    return open ? this.store.claimAgain(request) : undefined;
  }

  private async claimFirst(
    rail: Rail,
    payment: PresentedPayment,
    request: ClaimRequest,
  ): Promise<HeldClaim | undefined> {
    if (Date.now() >= payment.expiresAtMs) throw expired(payment);
    const claimId = randomUUID();
    const settlement = await rail.settle(payment, claimId);
    if (settlement.outcome === 'refused') throw problem(settlement.code, settlement.detail);
    if (settlement.outcome === 'unknown') {
      const { detail, cause } = settlement;
      throw problem('SETTLEMENT_UNKNOWN', detail, { retryAfterSeconds: 5, cause });
    }
    return this.store.claimFirst({
      ...request,
      claimId,
      credentialDigest: payment.credentialDigest,
      amountMicroUsd: payment.amountMicroUsd,
      amountSats: payment.amountSats,
      receipt: receiptOf(payment, payment.amountMicroUsd),
    });
  }
}

/** What a claim that stands means for a request, or undefined when it has to be looked at again. */
function replyTo(standing: StandingClaim, request: ClaimRequest): ClaimReply | undefined {
  const { state, receipt, response, deliveredAt } = standing;
  if (standing.operationId !== request.operationId) throw boundElsewhere('another operation');
  if (state === 'settled') return undefined;
  if (standing.requestDigest !== request.requestDigest) throw boundElsewhere('a request with another body');
  if (state === 'unknown') {
    throw problem('SETTLEMENT_UNKNOWN', 'The payment is being reconciled; keep the credential', {
      retryAfterSeconds: 30,
    });
  }
  if (state === 'claimed') {
    if (standing.leaseSecondsLeft === 0) return undefined;
    throw inFlight(standing.leaseSecondsLeft, standing);
  }
  if (response) return { outcome: 'replayed', response, receipt };
  throw problem(
    'EXPIRED',
    `The answer was delivered at ${deliveredAt?.toISOString()} and kept for ${RESPONSE_KEPT_HOURS} hours; the payment is used`,
  );
}

/** What a caller learns of a payment whose time has passed before it was first presented. */
function expired({ expiresAtMs, expiryHint = '' }: PresentedPayment) {
  return problem('PAYMENT_EXPIRED', `It expired at ${new Date(expiresAtMs).toISOString()}${expiryHint}`);
}

function boundElsewhere(what: string) {
  return problem('PAYMENT_BOUND_ELSEWHERE', `The payment was used for ${what}; a payment buys one answer`);
}

/** @param claim which one: so that the gateway, to which alone it is told, finds who holds it */
function inFlight(leaseSecondsLeft: number, claim?: ClaimHandle) {
  const retryAfterSeconds = Math.max(1, Math.min(IN_FLIGHT_WAIT_SECONDS_MAX, Math.ceil(leaseSecondsLeft)));
  return problem(
    'PAYMENT_IN_FLIGHT',
    'A request with this payment is still running; ask again with the same credential',
    {
      retryAfterSeconds,
      ...(claim ? { extensions: { claimId: claim.claimId, attempt: claim.attempt } } : {}),
    },
  );
}

function receiptOf(payment: PresentedPayment, amountMicroUsd: number): Receipt {
  const timestamp = new Date().toISOString();
  const header = encodeReceipt({
    status: 'success',
    method: 'lightning',
    timestamp,
    reference: payment.proofKey,
    ...(payment.challengeId === undefined ? {} : { challengeId: payment.challengeId }),
  });
  return {
    rail: payment.rail,
    reference: payment.proofKey,
    amountMicroUsd,
    amountSats: payment.amountSats,
    timestamp,
    headers: { 'Payment-Receipt': header },
  };
}
