/** Why a payment credential is refused; the codes are those of the problem that the caller gets. */
export type PaymentRefusalCode =
  | 'PAYMENT_MALFORMED'
  | 'PAYMENT_INVALID'
  | 'PAYMENT_EXPIRED'
  | 'PAYMENT_INSUFFICIENT'
  | 'PAYMENT_BOUND_ELSEWHERE'
  | 'PAYMENT_METHOD_UNSUPPORTED';

/** The one error that reading or verifying a credential throws, however hostile its bytes. */
export class PaymentRefusal extends Error {
  constructor(
    readonly code: PaymentRefusalCode,
    detail: string,
  ) {
    super(detail);
    this.name = 'PaymentRefusal';
  }
}

/** @throws {PaymentRefusal} PAYMENT_MALFORMED */
export function malformed(detail: string): never {
  throw new PaymentRefusal('PAYMENT_MALFORMED', detail);
}
