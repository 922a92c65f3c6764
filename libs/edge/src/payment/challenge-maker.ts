import { Injectable } from '@nestjs/common';
import {
  type ChallengeReply,
  l402BundleRoutes,
  paymentsContract,
  type ProblemPayload,
  type RequestOf,
} from '@svc/contracts';
import { BusClient, currentTrace, problemDetails, ProblemError, runInTurn } from '@svc/platform';
import { composeChallenge } from '@svc/protocols';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { BurstLimits } from '../rate-limit/burst-limits.js';
import { originOf, realmOf, schemeOf } from '../rate-limit/caller.js';
import { extended, paymentAuthTypeOf, typedForPaymentScheme } from './payment-problem.js';
import { bringsLogin } from './presented-credential.js';

const AUTHENTICATE = 'WWW-Authenticate';
const PROBLEM_TYPE = 'application/problem+json; charset=utf-8';
const RESOURCE_CHARS_MAX = 2_048;

type OfferTerms = Pick<RequestOf<typeof paymentsContract.challenge>, 'families' | 'bundle'>;

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
   * @param terms what is offered, where that is not the call itself by every rail
   * @throws ProblemError RATE_LIMITED, SERVICE_UNAVAILABLE
   */
  async quote(
    operationId: string,
    request: FastifyRequest,
    path = pathOf(request),
    terms: OfferTerms = {},
  ): Promise<ChallengeReply> {
    await this.bursts.takeChallenge(request);
    const realm = realmOf(request);
    const resource = `${schemeOf(request)}://${realm}${path}`.slice(0, RESOURCE_CHARS_MAX);
    const turn = { subject: this.bursts.subjectOf(request), standing: 'later' as const };
    const asked = { operationId, realm, resource, ...terms };
    return runInTurn(turn, () => this.bus.call(paymentsContract.challenge, asked));
  }

  /** Sets the headers of the challenge, and adds its members to the refusal. */
  offer(
    refusal: ProblemError,
    challenge: ChallengeReply,
    request: FastifyRequest,
    reply: FastifyReply,
  ): ProblemError {
    const members = { ...bundleMembers(refusal, request), ...offered(challenge, request, reply) };
    return extended(typedFor(request, refusal), members);
  }

  /**
   * The 402 of a request that brings no payment. It is what most callers see first, and no failure: it is sent as it is,
   * without an exception on its way.
   */
  ask(
    { extensions, ...asked }: ProblemPayload,
    challenge: ChallengeReply,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Buffer {
    const type = speaksPayment(request) ? { type: paymentAuthTypeOf(asked.code) } : {};
    const members = { ...extensions, ...type, ...offered(challenge, request, reply) };
    const { traceId } = currentTrace();
    const context = { instance: pathOf(request), origin: originOf(request), traceId };
    const details = problemDetails({ payload: { ...asked, extensions: members } }, context);
    reply.status(details.status).header('content-type', PROBLEM_TYPE);
    return Buffer.from(JSON.stringify(details), 'utf8');
  }

  /**
   * Puts a fresh challenge on a refusal that a payment mends; other errors pass as they are.
   * @param path as of {@link quote}
   */
  async refuse(
    operationId: string,
    error: unknown,
    request: FastifyRequest,
    reply: FastifyReply,
    path?: string,
  ): Promise<unknown> {
    if (!(error instanceof ProblemError)) return error;
    if (error.status !== 402) return typedFor(request, error);
    try {
      return this.offer(error, await this.quote(operationId, request, path), request, reply);
    } catch (failure) {
      const isLimited = failure instanceof ProblemError && failure.code === 'RATE_LIMITED';
      // Whoever paid must learn what became of it, if with no further challenge.
      if (isLimited && error.code !== 'PAYMENT_REQUIRED') return typedFor(request, error);
      throw failure;
    }
  }
}

/** Sets the headers of a challenge; the members that its body has. */
function offered(
  challenge: ChallengeReply,
  request: FastifyRequest,
  reply: FastifyReply,
): Readonly<Record<string, unknown>> {
  const { headers, body } = composeChallenge(challenge, oneLine(request.headers['accept-payment']), {
    besideLogin: bringsLogin(request.raw),
  });
  const authenticate = headers.filter(([name]) => name === AUTHENTICATE);
  reply.header(
    AUTHENTICATE,
    authenticate.map(([, value]) => value),
  );
  for (const [name, value] of headers) if (name !== AUTHENTICATE) reply.header(name, value);
  return body;
}

/** Where the next bundle is sold, for who has spent one. */
const bundleMembers = ({ payload: { extensions } }: ProblemError, request: FastifyRequest) =>
  extensions?.budgetSats === undefined
    ? {}
    : { bundleUrl: `${schemeOf(request)}://${realmOf(request)}${l402BundleRoutes.bundle.path}` };

/** Clients of the `Payment` scheme know its problem types, and no others. */
const typedFor = (request: FastifyRequest, refusal: ProblemError) =>
  speaksPayment(request) ? typedForPaymentScheme(refusal) : refusal;

const speaksPayment = ({ headers }: FastifyRequest) =>
  /^\s*payment\b/i.test(headers.authorization ?? '') ||
  headers['payment-authorization'] !== undefined ||
  headers['accept-payment'] !== undefined;

/** Path of a request, without its query. */
export const pathOf = ({ url }: FastifyRequest) => url.split('?', 1)[0];
const oneLine = (header: string | string[] | undefined) =>
  Array.isArray(header) ? header.join(', ') : header;
