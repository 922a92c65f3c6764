/** The members of Stripe's error envelope that this emulator fills. */
export interface StripeErrorBody {
  type: 'api_error' | 'card_error' | 'idempotency_error' | 'invalid_request_error';
  message: string;
  code?: string;
  decline_code?: string;
  param?: string;
  doc_url?: string;
  charge?: string;
  advice_code?: string;
  payment_intent?: unknown;
  payment_method?: unknown;
  request_log_url?: string;
}

/** An answer that is an error: thrown by a route, sent as `{ error: … }`. */
export class StripeError extends Error {
  constructor(
    readonly status: number,
    readonly body: StripeErrorBody,
  ) {
    super(body.message);
    this.name = 'StripeError';
    if (body.code) body.doc_url ??= `https://stripe.com/docs/error-codes/${body.code.replaceAll('_', '-')}`;
  }
}

/** 400 for a request that could never succeed. */
export function invalidRequest(message: string, param?: string, code?: string): StripeError {
  return new StripeError(400, { type: 'invalid_request_error', message, param, code });
}

/** 404 for an object that the account does not have. */
export function noSuch(object: string, id: string, param = 'id'): StripeError {
  const body = { message: `No such ${object}: '${id}'`, param, code: 'resource_missing' };
  return new StripeError(404, { type: 'invalid_request_error', ...body });
}

/** 400 for a step that the state of the object does not allow. */
export function unexpectedState(message: string, intent: unknown): StripeError {
  return new StripeError(400, {
    type: 'invalid_request_error',
    code: 'payment_intent_unexpected_state',
    message,
    payment_intent: intent,
  });
}
