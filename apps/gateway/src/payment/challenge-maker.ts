import { Injectable } from '@nestjs/common';
import { type ChallengeReply, paymentsContract } from '@svc/contracts';
import { BusClient, ProblemError } from '@svc/platform';
import { composeChallenge } from '@svc/protocols';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { BurstLimits } from '../rate-limit/burst-limits.js';
import { realmOf, schemeOf } from '../rate-limit/caller.js';
import { extended, typedForPaymentScheme } from './payment-problem.js';

const AUTHENTICATE = 'WWW-Authenticate';
const RESOURCE_CHARS_MAX = 2_048;

/** Makes the 402 that every client can pay. A challenge costs an invoice, so of one caller only so many are made. */
@Injectable()
export class ChallengeMaker {
  constructor(
    private readonly bus: BusClient,
    private readonly bursts: BurstLimits,
  ) {}

  /**
   * A fresh challenge at the operation's price.
   * @param path path of the resource that is paid for; by default that of the request
   * @throws ProblemError RATE_LIMITED, SERVICE_UNAVAILABLE
   */
  async quote(operationId: string, request: FastifyRequest, path = pathOf(request)): Promise<ChallengeReply> {
    await this.bursts.takeChallenge(request);
    const realm = realmOf(request);
    const resource = `${schemeOf(request)}://${realm}${path}`.slice(0, RESOURCE_CHARS_MAX);
    return this.bus.call(paymentsContract.challenge, { operationId, realm, resource });
  }

  /** Sets the headers of the challenge, and adds its members to the refusal. */
  offer(
    refusal: ProblemError,
    challenge: ChallengeReply,
    request: FastifyRequest,
    reply: FastifyReply,
  ): ProblemError {
    const { headers, body } = composeChallenge(challenge, oneLine(request.headers['accept-payment']));
    const authenticate = headers.filter(([name]) => name === AUTHENTICATE);
    reply.header(
      AUTHENTICATE,
      authenticate.map(([, value]) => value),
    );
    for (const [name, value] of headers) if (name !== AUTHENTICATE) reply.header(name, value);
    return extended(typedFor(request, refusal), body);
  }

  /** Puts a fresh challenge on a refusal that a payment mends; other errors pass as they are. */
  async refuse(
    operationId: string,
    error: unknown,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<unknown> {
    if (!(error instanceof ProblemError)) return error;
    if (error.status !== 402) return typedFor(request, error);
    try {
      return this.offer(error, await this.quote(operationId, request), request, reply);
    } catch (failure) {
      const isLimited = failure instanceof ProblemError && failure.code === 'RATE_LIMITED';
      // Whoever paid must learn what became of it, if with no further challenge.
      if (isLimited && error.code !== 'PAYMENT_REQUIRED') return typedFor(request, error);
      throw failure;
    }
  }
}

/** Clients of the `Payment` scheme know its problem types, and no others. */
function typedFor({ headers }: FastifyRequest, refusal: ProblemError): ProblemError {
  const speaksPayment =
    /^\s*payment\b/i.test(headers.authorization ?? '') || headers['accept-payment'] !== undefined;
  return speaksPayment ? typedForPaymentScheme(refusal) : refusal;
}

const pathOf = ({ url }: FastifyRequest) => url.split('?', 1)[0];
const oneLine = (header: string | string[] | undefined) =>
  Array.isArray(header) ? header.join(', ') : header;
