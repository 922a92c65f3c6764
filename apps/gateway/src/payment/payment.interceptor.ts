import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { HTTP_CODE_METADATA } from '@nestjs/common/constants.js';
import { Reflector } from '@nestjs/core';
import {
  type ChallengeReply,
  type ClaimReply,
  type PaymentCredential,
  paymentsContract,
  type Receipt,
  type StoredResponse,
} from '@svc/contracts';
import { BusClient, parseOrProblem, problem, ProblemError } from '@svc/platform';
import { JcsError, requestDigest } from '@svc/protocols';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { setTimeout as delay } from 'node:timers/promises';
import { from, lastValueFrom, type Observable } from 'rxjs';
import { hangUpSignal } from '../http/hang-up.js';
import { offering, realmOf, typedFor } from './challenge-answer.js';
import { AnswerOfPayment, DeferredAnswer, givePaidCall } from './paid-call.js';
import { PAID_OPERATION, type PaidOperation } from './paid-operation.js';
import { inFlight } from './payment-in-flight.js';
import { isOutcomeUnknown, paymentRequired, retained, settlementUnknown } from './payment-problem.js';
import { bringsCredential, readCredential } from './presented-credential.js';

const JSON_TYPE = 'application/json; charset=utf-8';
/** Waits between the tries to record a delivery; the same record may be sent again. */
const DELIVER_WAITS_MS = [100, 400];

type HeldClaim = Extract<ClaimReply, { outcome: 'claimed' }>;

/**
 * Stands before every priced route. A body is looked at before money is: what is malformed costs
 * nothing. A payment is claimed before the handler runs, and its answer recorded before it leaves, so
 * that an answer that is lost on its way can be asked for again.
 */
@Injectable()
export class PaymentInterceptor implements NestInterceptor {
  constructor(
    private readonly bus: BusClient,
    private readonly reflector: Reflector,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const operation = this.reflector.get<PaidOperation>(PAID_OPERATION, context.getHandler());
    const status = this.reflector.get<number | undefined>(HTTP_CODE_METADATA, context.getHandler()) ?? 201;
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const reply = http.getResponse<FastifyReply>();
    const run = () => lastValueFrom(next.handle(), { defaultValue: undefined });
    return from(this.sell(operation, request, reply, run, status));
  }

  private async sell(
    operation: PaidOperation,
    request: FastifyRequest,
    reply: FastifyReply,
    run: () => Promise<unknown>,
    status: number,
  ): Promise<Buffer> {
    const { operationId } = operation;
    if (!bringsCredential(request.raw) && isEmpty(request.body)) {
      throw await this.challenge(operationId, request, reply, paymentRequired(operationId));
    }
    const body = parseOrProblem(operation.body, request.body);
    const digest = digestOf(operationId, body);
    const payment = await this.paymentOf(operation, body, request, reply);
    const claiming = () => this.claim(operation, digest, payment, request, reply);
    const claim = await claiming();
    if (claim.outcome === 'replayed') return send(reply, claim.response, claim.receipt);
    request.body = body;
    const signal = hangUpSignal(reply);
    givePaidCall(request, { claim, signal });
    const response = await this.fulfil(claim, run, status, signal);
    if (response instanceof DeferredAnswer) return sendDeferred(reply, response);
    if (response instanceof AnswerOfPayment) return this.sendAnswerOf(await claiming(), reply);
    await this.deliver(claim, response);
    return send(reply, response, claim.receipt);
  }

  /** The one payment of the request; throws the 402, 400 or 401 of a request that brings none. */
  private async paymentOf(
    operation: PaidOperation,
    body: unknown,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<PaymentCredential> {
    try {
      const { payment, hasAccountKey } = readCredential(request.raw);
      if (hasAccountKey) {
        const detail =
          'The key of X-SVC-KEY is not known: account keys are not issued yet; send the request without it';
        throw problem('UNKNOWN_CREDENTIAL', detail);
      }
      if (payment) {
        await this.refuseImpossible(operation, body);
        return payment;
      }
    } catch (error) {
      throw await this.challenge(operation.operationId, request, reply, error);
    }
    // Both at once: most requests are admitted, and a challenge that is not sent binds nobody.
    const [challenge] = await Promise.all([
      this.quote(operation.operationId, request),
      operation.admit && this.bus.call(operation.admit, body),
    ]);
    throw offering(paymentRequired(operation.operationId), challenge, request, reply);
  }

  /**
   * Refuses, before a claim, what can never be answered. A service that is away or busy is no reason:
   * the payment may have bought an answer that is stored.
   */
  private async refuseImpossible({ admit }: PaidOperation, body: unknown): Promise<void> {
    if (!admit) return;
    await this.bus.call(admit, body).catch((error: unknown) => {
      if (error instanceof ProblemError && error.status < 500 && error.code !== 'QUEUE_FULL') throw error;
    });
  }

  private async claim(
    { operationId, jobOfClaim }: PaidOperation,
    digest: string,
    credential: PaymentCredential,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<ClaimReply> {
    try {
      return await this.bus.call(paymentsContract.claim, { operationId, requestDigest: digest, credential });
    } catch (error) {
      // A timeout may have claimed: what was paid must be asked for again, never paid again.
      if (isOutcomeUnknown(error)) throw settlementUnknown(error);
      const isInFlight = error instanceof ProblemError && error.code === 'PAYMENT_IN_FLIGHT';
      if (isInFlight) throw await inFlight(error, jobOfClaim, this.bus, reply);
      throw await this.challenge(operationId, request, reply, error);
    }
  }

  /** What work that had taken the claim over has left with the payment: its answer, or nothing. */
  private async sendAnswerOf(claim: ClaimReply, reply: FastifyReply): Promise<Buffer> {
    if (claim.outcome === 'replayed') return send(reply, claim.response, claim.receipt);
    const detail = 'The work has ended without an answer; send the request again with the same credential';
    await this.release(claim, 'SERVICE_UNAVAILABLE').catch(() => undefined);
    throw retained(problem('SERVICE_UNAVAILABLE', detail, { retryAfterSeconds: 1 }));
  }

  /** Runs the handler; where it fails, the claim is given back and the payer told so. */
  private async fulfil(
    claim: HeldClaim,
    run: () => Promise<unknown>,
    status: number,
    hungUp: AbortSignal,
  ): Promise<StoredResponse | DeferredAnswer | AnswerOfPayment> {
    try {
      const result = await run();
      if (result instanceof DeferredAnswer || result instanceof AnswerOfPayment) return result;
      return { status, contentType: JSON_TYPE, body: Buffer.from(JSON.stringify(result), 'utf8') };
    } catch (error) {
      const failure = retained(error);
      // Whoever does not wait for an answer has had work done that nobody gets.
      const givenUp = hungUp.aborted || failure.code === 'TIMEOUT';
      // If this is lost too, the lease ends the claim.
      await this.release(claim, failure.code, givenUp).catch(() => undefined);
      throw failure;
    }
  }

  private async release({ claimId, attempt }: HeldClaim, reason: string, givenUp = false): Promise<void> {
    await this.bus.call(paymentsContract.release, { claimId, attempt, reason, givenUp });
  }

  private async deliver({ claimId, attempt }: HeldClaim, response: StoredResponse): Promise<void> {
    for (let turn = 0; ; turn++) {
      try {
        await this.bus.call(paymentsContract.deliver, { claimId, attempt, response });
        return;
      } catch (error) {
        if (error instanceof ProblemError && error.code === 'CONFLICT') {
          throw problem(
            'PAYMENT_IN_FLIGHT',
            'A later request with this payment has taken over; ask again with the same credential',
            {
              retryAfterSeconds: 1,
            },
          );
        }
        if (!isOutcomeUnknown(error)) throw error;
        if (turn >= DELIVER_WAITS_MS.length) throw settlementUnknown(error);
        await delay(DELIVER_WAITS_MS[turn]);
      }
    }
  }

  /** Puts a fresh challenge on a refusal that a payment mends; other errors pass as they are. */
  private async challenge(
    operationId: string,
    request: FastifyRequest,
    reply: FastifyReply,
    error: unknown,
  ): Promise<unknown> {
    if (!(error instanceof ProblemError)) return error;
    if (error.status !== 402) return typedFor(request, error);
    return offering(error, await this.quote(operationId, request), request, reply);
  }

  private quote(operationId: string, request: FastifyRequest): Promise<ChallengeReply> {
    return this.bus.call(paymentsContract.challenge, { operationId, realm: realmOf(request) });
  }
}

function isEmpty(body: unknown): boolean {
  if (body === undefined) return true;
  return typeof body === 'object' && body !== null && !Array.isArray(body) && Object.keys(body).length === 0;
}

function digestOf(operationId: string, body: unknown): string {
  try {
    return requestDigest(operationId, body);
  } catch (error) {
    if (!(error instanceof JcsError)) throw error;
    throw problem('VALIDATION_FAILED', 'The body holds text that is not well-formed Unicode', {
      errors: [{ path: '', message: 'a string holds half of a surrogate pair' }],
    });
  }
}

/** The claim goes on with the work: whoever does it delivers it or gives it back. */
function sendDeferred(reply: FastifyReply, { body, headers }: DeferredAnswer): Buffer {
  reply.status(202).header('content-type', JSON_TYPE).header('cache-control', 'private');
  for (const [name, value] of Object.entries(headers)) reply.header(name, value);
  return Buffer.from(JSON.stringify(body), 'utf8');
}

function send(reply: FastifyReply, response: StoredResponse, receipt: Receipt): Buffer {
  reply.header('content-type', response.contentType).header('cache-control', 'private');
  for (const [name, value] of Object.entries(receipt.headers)) reply.header(name, value);
  return Buffer.from(response.body);
}
