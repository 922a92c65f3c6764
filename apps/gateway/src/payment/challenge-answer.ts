import type { ChallengeReply } from '@svc/contracts';
import type { ProblemError } from '@svc/platform';
import { composeChallenge } from '@svc/protocols';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { extended, typedForPaymentScheme } from './payment-problem.js';

const AUTHENTICATE = 'WWW-Authenticate';

/** Sets the headers of the challenge, and adds its members to the refusal. */
export function offering(
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

/** Clients of the `Payment` scheme know its problem types, and no others. */
export function typedFor({ headers }: FastifyRequest, refusal: ProblemError): ProblemError {
  const speaksPayment =
    /^\s*payment\b/i.test(headers.authorization ?? '') || headers['accept-payment'] !== undefined;
  return speaksPayment ? typedForPaymentScheme(refusal) : refusal;
}

/** The host that the client called, as it can stand in a header. */
export function realmOf({ headers }: FastifyRequest): string {
  const { host = '' } = headers;
  return /^[A-Za-z0-9.:[\]-]{1,255}$/.test(host) ? host : 'localhost';
}

const oneLine = (header: string | string[] | undefined) =>
  Array.isArray(header) ? header.join(', ') : header;
