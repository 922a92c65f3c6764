/**
 * One payment for one request. It holds the credential: whoever has it can fetch the answer that
 * was paid for, so keep it like a password, and keep it until the answer is there.
 */
export interface Payment {
  readonly rail: 'l402' | 'mpp-lightning';
  /** Value of the `Authorization` header that proves the payment. */
  readonly authorization: string;
  readonly amountSats: number;
  /** Routing fee that the wallet reports. */
  readonly feeSats: number;
  /** SHA-256 of the preimage, 64 hex digits. */
  readonly paymentHash: string;
}

/** What may be shown and saved of a payment: everything but the credential. */
export function receiptOf({
  authorization: _credential,
  ...receipt
}: Payment): Omit<Payment, 'authorization'> {
  return receipt;
}
