import { type ProblemCode, type ProblemPayload, PROBLEMS, type QuotaState } from '@svc/contracts';
import { asProblem, problem, ProblemError } from '@svc/platform';
import { priceOf } from '@svc/protocols';

const PAYMENT_AUTH = 'https://paymentauth.org/problems';

/** Problem types of the `Payment` scheme (draft-httpauth-payment section "Error Handling"), by our codes. */
const PAYMENT_AUTH_TYPES: Partial<Record<ProblemCode, string>> = {
  PAYMENT_REQUIRED: 'payment-required',
  PAY_AT_VERIFY: 'payment-required',
  PAYMENT_MALFORMED: 'malformed-credential',
  PAYMENT_INVALID: 'verification-failed',
  PAYMENT_EXPIRED: 'payment-expired',
  PAYMENT_INSUFFICIENT: 'payment-insufficient',
  BUDGET_EXHAUSTED: 'payment-insufficient',
  PAYMENT_BOUND_ELSEWHERE: 'invalid-challenge',
  PAYMENT_METHOD_UNSUPPORTED: 'method-unsupported',
};

/** What is asked of a caller whose plan's requests of the month are used up. */
export function overQuota(operationId: string, { plan, limit, resetsAt }: QuotaState): ProblemPayload {
  const { priceUsd, amountSats } = priceOf(operationId);
  return asked(
    `The ${limit} requests of this month that the plan ${plan} has are used up, until ${resetsAt}; a call is ${priceUsd} USD or ${amountSats} sats until then`,
  );
}

/** What is asked of a request that brings no payment. */
export function paymentRequired(operationId: string): ProblemPayload {
  const { description, priceUsd, amountSats } = priceOf(operationId);
  return asked(`${description}: ${priceUsd} USD or ${amountSats} sats; pay one of the offers`);
}

const asked = (detail: string): ProblemPayload => ({ code: 'PAYMENT_REQUIRED', detail });

/** The same problem with more extension members. */
export function extended(error: ProblemError, extensions: Record<string, unknown>): ProblemError {
  const { payload } = error;
  return new ProblemError(
    { ...payload, extensions: { ...payload.extensions, ...extensions } },
    { cause: error.cause },
  );
}

/** The same problem without some of its extension members. */
export function without(error: ProblemError, members: readonly string[]): ProblemError {
  const { payload } = error;
  const kept = Object.entries(payload.extensions ?? {}).filter(([name]) => !members.includes(name));
  const extensions = kept.length > 0 ? Object.fromEntries(kept) : undefined;
  return new ProblemError({ ...payload, extensions }, { cause: error.cause });
}

/** The problem with the `type` that clients of the `Payment` scheme know, where there is one. */
export function typedForPaymentScheme(error: ProblemError): ProblemError {
  const type = paymentAuthTypeOf(error.code);
  return type === undefined ? error : extended(error, { type });
}

/** The problem type of the `Payment` scheme that a code stands for. */
export function paymentAuthTypeOf(code: ProblemCode): string | undefined {
  const type = PAYMENT_AUTH_TYPES[code];
  return type === undefined ? undefined : `${PAYMENT_AUTH}/${type}`;
}

/**
 * What a payer learns when the call failed after the payment was claimed.
 * @param byAccount where the account of a key or a bundle paid, to which the amount goes back: whether it is known to have done so
 */
export function retained(error: unknown, byAccount?: { readonly isGivenBack: boolean }): ProblemError {
  const failure = asProblem(error);
  const { payload } = failure;
  const keptByAccount = byAccount?.isGivenBack
    ? 'Nothing was taken from the account'
    : 'What was taken from the account will be given back to it within minutes';
  const kept = byAccount ? keptByAccount : 'The payment is kept: it still buys one answer of this operation';
  const detail = `${payload.detail.replace(/\.$/, '')}. ${kept}`;
  const chargedByAccount = byAccount?.isGivenBack ? 'no' : 'unknown';
  const charged = byAccount ? chargedByAccount : 'yes';
  return extended(new ProblemError({ ...payload, detail, charged }, { cause: failure.cause }), {
    paymentRetained: true,
  });
}

/**
 * What a payer learns when it is not known whether a step of the payment was recorded: to ask again
 * with the same credential, and never to pay again.
 */
export function settlementUnknown(cause: unknown): ProblemError {
  const askedToWait = cause instanceof ProblemError ? cause.payload.retryAfterSeconds : undefined;
  return problem(
    'SETTLEMENT_UNKNOWN',
    'It is not known whether the payment was recorded; send the request again with the same credential',
    { retryAfterSeconds: Math.max(2, askedToWait ?? 0), extensions: { paymentRetained: true }, cause },
  );
}

/** A failure while a payment was claimed, which says that it may have taken something unless it says what came of that. */
export function undecided(error: unknown): ProblemError {
  const failure = asProblem(error);
  const { payload, cause } = failure;
  if (payload.charged !== undefined || PROBLEMS[payload.code].charged !== 'no') return failure;
  return new ProblemError({ ...payload, charged: 'unknown' }, { cause });
}

/** The same failure, which says that it may have taken something where it is not known what came of it. */
export function unknownCharge(error: unknown): unknown {
  if (!isOutcomeUnknown(error)) return error;
  const { payload, cause } = error as ProblemError;
  return new ProblemError({ charged: 'unknown', ...payload }, { cause });
}

/** Whether the other side may or may not have done what it was asked. */
export function isOutcomeUnknown(error: unknown): boolean {
  if (!(error instanceof ProblemError)) return false;
  return error.code === 'TIMEOUT' || error.code === 'SERVICE_UNAVAILABLE' || error.code === 'INTERNAL';
}
