import {
  type ClaimReply,
  type KeySpending,
  type PaymentCredit,
  type Purse,
  QuotaState,
  type StoredResponse,
} from '@svc/contracts';
import type { ProblemError } from '@svc/platform';
import { z } from 'zod';
import type { FastifyReply } from 'fastify';
import { AnswerWithStatus, type DeferredAnswer } from './paid-call.js';
import { extended, without } from './payment-problem.js';
import { setMonthlyQuota } from '../rate-limit/rate-limit-fields.js';

export const JSON_TYPE = 'application/json; charset=utf-8';
/** The one header of a receipt that says that the call has succeeded; others say that money has moved. */
const SUCCESS_RECEIPT = 'Payment-Receipt';

const CREDIT_HEADER = 'SVC-Credit';

/** What is left for who has paid: on the account, and of the cap of the key. */
export interface LeftCredit {
  readonly balanceMicroUsd?: number;
  readonly limits?: KeySpending;
}

export interface ShownPayment extends Pick<ClaimReply, 'receipt' | 'credit' | 'quota'>, LeftCredit {
  readonly purse?: Purse;
}

/**
 * What a handler's result is sold as.
 * @param status of the route, where the result has none of its own
 */
export function storedAnswerOf(status: number, result: unknown): StoredResponse {
  const own = result instanceof AnswerWithStatus ? result : { status, body: result };
  return {
    status: own.status,
    contentType: JSON_TYPE,
    body: Buffer.from(JSON.stringify(own.body), 'utf8'),
  };
}

/** Sends an answer that was paid for, with the receipt, and the credit that the payment left. */
export function sendPaid(reply: FastifyReply, response: StoredResponse, payment: ShownPayment): Buffer {
  reply.status(response.status).header('content-type', response.contentType);
  showDelivered(reply, payment);
  return Buffer.from(response.body);
}

/**
 * What an answer says that was paid for: the receipt, what is left of the quota and on the account of the key, and the credit that the
 * payment left.
 */
export function showDelivered(reply: FastifyReply, payment: ShownPayment): void {
  showPayment(reply, payment);
  showCredit(reply, payment.purse ?? payment, payment.credit);
  for (const [name, value] of Object.entries(payment.receipt.headers)) reply.header(name, value);
  if (payment.credit) reply.header('X-SVC-KEY', payment.credit.key);
}

/**
 * Says what is left, micro-USD, as members of RFC 9651: `balance=4210000, cap=5000000, spent=790000`, of the key's caps the one that leaves
 * least. Of a payment that left something over, that is the balance.
 */
function showCredit(reply: FastifyReply, left: LeftCredit, credit: ShownPayment['credit']): void {
  const balance = left.balanceMicroUsd ?? credit?.balanceMicroUsd;
  if (balance === undefined) return;
  const cap = left.limits?.cap;
  const ofKey = cap ? `, cap=${cap.capMicroUsd}, spent=${cap.spentMicroUsd}` : '';
  reply.header(CREDIT_HEADER, `balance=${balance}${ofKey}`);
}

/** Sends an answer that was not charged, with the credit that the payment has become. */
export function sendUncharged(reply: FastifyReply, body: object, payment: ShownPayment): Buffer {
  reply.header('content-type', JSON_TYPE);
  showUnderWay(reply, payment);
  return Buffer.from(JSON.stringify(body), 'utf8');
}

/** The claim goes on with the work: whoever does it delivers it or gives it back. */
export function sendDeferred(
  reply: FastifyReply,
  { body, headers }: DeferredAnswer,
  payment: ShownPayment,
): Buffer {
  reply.status(202).header('content-type', JSON_TYPE);
  showUnderWay(reply, payment);
  for (const [name, value] of Object.entries(headers)) reply.header(name, value);
  return Buffer.from(JSON.stringify(body), 'utf8');
}

/** What an answer says that was not sold, or is not yet: all but that it has succeeded. */
export function showUnderWay(reply: FastifyReply, payment: ShownPayment): void {
  showPayment(reply, payment);
  showCredit(reply, payment.purse ?? payment, payment.credit);
  if (payment.credit) reply.header('X-SVC-KEY', payment.credit.key);
}

/** What every answer to a claimed payment says, a failure too: that money has moved, and what is left of the quota. */
export function showPayment(reply: FastifyReply, { receipt, quota }: ShownPayment): void {
  reply.header('cache-control', 'private');
  for (const [name, value] of Object.entries(receipt.headers)) {
    if (name !== SUCCESS_RECEIPT) reply.header(name, value);
  }
  if (quota) setMonthlyQuota(reply, quota);
}

/** The problem with the credit that the payer has after it. */
export function withCredit(error: ProblemError, credit: PaymentCredit | undefined): ProblemError {
  if (!credit) return error;
  return extended(error, { creditKey: credit.key, creditMicroUsd: credit.balanceMicroUsd });
}

const HouseMembers = z.object({
  credit: z.object({ key: z.string(), balanceMicroUsd: z.number() }).optional().catch(undefined),
  headers: z.record(z.string(), z.string()).optional().catch(undefined),
  quota: QuotaState.optional().catch(undefined),
});

/**
 * The refusal of a claim as the payer sees it. What it carries for the gateway alone becomes headers, such as the
 * `PAYMENT-RESPONSE` of a settlement that failed, and the members of {@link withCredit}.
 */
export function shownRefusal(reply: FastifyReply, refusal: ProblemError): ProblemError {
  const { credit, headers = {}, quota } = HouseMembers.parse(refusal.payload.extensions ?? {});
  for (const [name, value] of Object.entries(headers)) reply.header(name, value);
  if (quota) setMonthlyQuota(reply, quota);
  return withCredit(without(refusal, Object.keys(HouseMembers.shape)), credit);
}
