import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Receipt } from '@svc/contracts';
import type { FastifyRequest } from 'fastify';

/** What the handler of a priced route may know of the payment of its call. */
export interface PaidCall {
  readonly claim: {
    readonly claimId: string;
    readonly attempt: number;
    readonly receipt: Receipt;
    /** Where not, work that has begun must go on to its end, whatever becomes of the client. */
    readonly canBeGivenUp: boolean;
    /** The account whose key pays, where one does. */
    readonly accountId?: string;
  };
  /** Aborts when the client hangs up before it has its answer. */
  readonly signal: AbortSignal;
}

const PAID_CALL = Symbol('PAID_CALL');
interface WithPaidCall {
  [PAID_CALL]?: PaidCall;
}

/** Hands the payment of a call to its handler. */
export function givePaidCall(request: FastifyRequest, call: PaidCall): void {
  (request as WithPaidCall)[PAID_CALL] = call;
}

/** The {@link PaidCall} of a request, for whoever runs where it is paid for. */
export function paidCallOf(request: FastifyRequest): PaidCall {
  const call = (request as WithPaidCall)[PAID_CALL];
  if (!call) throw new TypeError('the request is not one that is paid for');
  return call;
}

/** The {@link PaidCall} of a handler that {@link Paid} guards. */
export const PaidCallOf = createParamDecorator((_data: unknown, context: ExecutionContext): PaidCall =>
  paidCallOf(context.switchToHttp().getRequest()),
);

/** The `Payment-Receipt` of a call, empty where its rail has none. */
export const receiptTextOf = ({ claim }: PaidCall): string => claim.receipt.headers['Payment-Receipt'] ?? '';

/** An answer that says where the work goes on: it has taken the claim on the payment over. */
export class DeferredAnswer {
  constructor(
    readonly body: object,
    readonly headers: Readonly<Record<string, string>>,
  ) {}
}

/** An answer that says nothing that was paid for: it is sent, and the payment given back. */
export class UnchargedAnswer {
  constructor(readonly body: object) {}
}

/** Says that work which has taken the claim over was waited for: what it came to is asked of the payment. */
export class AnswerOfPayment {}
