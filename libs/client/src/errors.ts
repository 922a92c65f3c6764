import type { ProblemDetails } from './api-types.js';
import type { Payment } from './payment.js';

/** Base of everything that this library throws on purpose. `code` is stable. */
export class SvcError extends Error {
  override readonly name: string = 'SvcError';
  /**
   * The payment that was made in the course of the failed call, if any: pass it back as
   * `payment` to use it for the same request, instead of paying again.
   */
  payment?: Payment;

  constructor(
    readonly code: string,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** The server answered with a problem (RFC 9457). `code` is one of docs/errors.md. */
export class ProblemError extends SvcError {
  override readonly name = 'ProblemError';

  constructor(
    readonly problem: ProblemDetails,
    /** What the server asked to wait before another try. */
    readonly retryAfterSeconds?: number,
  ) {
    super(problem.code, problem.detail);
  }

  get status(): number {
    return this.problem.status;
  }

  get traceId(): string {
    return this.problem.traceId;
  }

  /** Whether money was taken for the request and has not gone back; `unknown` where the server does not say. */
  get charged(): 'no' | 'yes' | 'unknown' {
    return this.problem.charged ?? 'unknown';
  }

  /** Faults of single fields, for bad input. */
  get errors(): NonNullable<ProblemDetails['errors']> {
    return this.problem.errors ?? [];
  }
}

/** No answer: the address is wrong, the connection broke, or it took longer than `timeoutMs`. */
export class ConnectionError extends SvcError {
  override readonly name = 'ConnectionError';

  constructor(code: 'UNREACHABLE' | 'TIMED_OUT', message: string, options?: ErrorOptions) {
    super(code, message, options);
  }
}

/** An answer that no server of this API gives. Never retried. */
export class UnexpectedResponseError extends SvcError {
  override readonly name = 'UnexpectedResponseError';

  constructor(
    message: string,
    readonly status: number,
  ) {
    super('UNEXPECTED_RESPONSE', message);
  }
}

export const PAYMENT_REFUSALS = [
  'CHALLENGE_MALFORMED',
  'CHALLENGE_UNSUPPORTED',
  'INVOICE_INVALID',
  'INVOICE_EXPIRED',
  'INVOICE_OF_OTHER_NETWORK',
  'PRICE_NOT_STATED',
  'PRICE_MISMATCH',
  'PRICE_ABOVE_LIMIT',
  'PAYMENT_HASH_MISMATCH',
  'INSECURE_CONTEXT',
] as const;
export type PaymentRefusal = (typeof PAYMENT_REFUSALS)[number];

/** This side refused to pay; no money moved. */
export class PaymentRefusedError extends SvcError {
  override readonly name = 'PaymentRefusedError';

  constructor(
    override readonly code: PaymentRefusal,
    message: string,
    /** The bound that was broken and what came, where there is one. */
    readonly fault: { max?: unknown; expected?: unknown; got?: unknown } = {},
  ) {
    super(code, message);
  }
}

/** The wallet failed. */
export class WalletError extends SvcError {
  override readonly name = 'WalletError';

  constructor(
    message: string,
    /** False: no money moved. Unknown: the wallet's answer was lost; the same invoice may be tried again. */
    readonly moneyMoved: false | 'unknown',
    options?: ErrorOptions,
  ) {
    super('WALLET_FAILED', message, options);
  }
}
