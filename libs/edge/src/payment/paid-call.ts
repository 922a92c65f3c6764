import { newId } from '@svc/platform';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { PaymentCredit, Receipt, StoredResponse, TaskPayment } from '@svc/contracts';
import type { FastifyRequest } from 'fastify';

/** What the handler of a priced route may know of the payment of its call. */
export interface PaidCall {
  readonly claim: {
    readonly claimId: string;
    readonly attempt: number;
    readonly receipt: Receipt;
    /** Where not, work that has begun must go on to its end, whatever becomes of the client. */
    readonly canBeGivenUp: boolean;
    /** The account whose key or bundle pays, where one does. */
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

/** What the handler of a metered route may know of its call. */
export interface MeteredCall {
  /** Aborts when the client hangs up before it has its answer. */
  readonly signal: AbortSignal;
  /** What pays for it: a claim, or the quota; nothing for what is free. A task of the id below takes it over. */
  readonly payment?: Exclude<TaskPayment, { ticket: string }>;
  /** Id of the task that this call becomes, where it does; what gives its count back but once. */
  readonly taskId: string;
}

const METERED_CALL = Symbol('METERED_CALL');
interface WithMeteredCall {
  [METERED_CALL]?: MeteredCall;
}

/** Hands what pays for a call that claims nothing to its handler: the quota, or nothing. */
export function giveMeteredCall(
  request: FastifyRequest,
  signal: AbortSignal,
  payment?: MeteredCall['payment'],
): MeteredCall {
  const call = { signal, payment, taskId: newTaskId() };
  (request as WithMeteredCall)[METERED_CALL] = call;
  return call;
}

const HANDED_OVER = new WeakSet<MeteredCall>();

/** Says that a task may have taken a call over: from then on whoever gives its count back does so under the id of the task. */
export const handOver = (call: MeteredCall): void => void HANDED_OVER.add(call);

/** Whether a task may have taken it over. */
export const isHandedOver = (call: MeteredCall): boolean => HANDED_OVER.has(call);

/** The {@link MeteredCall} of a handler that {@link Metered} guards. */
export const MeteredCallOf = createParamDecorator(
  (_data: unknown, context: ExecutionContext): MeteredCall => {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const given = (request as WithMeteredCall)[METERED_CALL];
    if (given) return given;
    const paid = paidCallOf(request);
    return { signal: paid.signal, payment: { claim: taskClaimOf(paid) }, taskId: newTaskId() };
  },
);

/** The claim of a call, as a task takes it over. */
export function taskClaimOf(paid: PaidCall) {
  const { claimId, attempt, canBeGivenUp } = paid.claim;
  return { claimId, attempt, canBeGivenUp, receipt: receiptTextOf(paid) };
}

/** A fresh id of a task: 128 random bits. */
export const newTaskId = (): string => newId('tsk');

/** An answer that says where the work goes on: it has taken the claim on the payment over. */
export class DeferredAnswer {
  /** @param whenEnded settles when the work has ended, saying whether its payment went back, or when nobody can say that any more */
  constructor(
    readonly body: object,
    readonly headers: Readonly<Record<string, string>>,
    readonly whenEnded?: () => Promise<{ readonly isUncharged: boolean }>,
  ) {}
}

/** An answer with another status than its route's own: delivered, and given again, as any other. */
export class AnswerWithStatus {
  constructor(
    readonly status: number,
    readonly body: object,
  ) {}
}

/** An answer that says nothing that was paid for: it is sent, and the payment given back. */
export class UnchargedAnswer {
  constructor(readonly body: object) {}
}

/** Says that work which has taken the claim over was waited for: what it came to is asked of the payment, unless it is known. */
export class AnswerOfPayment {
  /**
   * @param answer as it was recorded with the payment
   * @param credit that the payment has become
   */
  constructor(
    readonly answer?: StoredResponse,
    readonly credit?: PaymentCredit,
  ) {}
}
