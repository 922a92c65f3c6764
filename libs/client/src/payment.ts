/** A payment over Lightning. */
export interface LightningPayment {
  readonly rail: 'l402' | 'mpp-lightning';
  /** Value of the `Authorization` header that proves the payment. */
  readonly authorization: string;
  readonly amountSats: number;
  /** Routing fee that the wallet reports. */
  readonly feeSats: number;
  /** SHA-256 of the preimage, 64 hex digits. */
  readonly paymentHash: string;
}

/** An authorisation to take money, which the server settles: a signed transfer, or a granted card token. */
export interface AuthorizedPayment {
  readonly rail: 'x402' | 'spt';
  /** Headers that carry it. */
  readonly headers: Readonly<Record<string, string>>;
  /** The most that it lets the server take. What exceeds the price becomes credit of the payer. */
  readonly amountMicroUsd: number;
}

/**
 * One payment for one request. It holds the credential: whoever has it can fetch the answer that
 * was paid for, so keep it like a password, and keep it until the answer is there.
 */
export type Payment = LightningPayment | AuthorizedPayment;

/** The headers that a request is paid with. */
export function credentialHeaders(payment: Payment): Readonly<Record<string, string>> {
  return 'headers' in payment ? payment.headers : { Authorization: payment.authorization };
}

/** What was paid, in the money of its rail: `2 sats`, `0.5 USD`. */
export function paidText(payment: Payment): string {
  return 'headers' in payment ? `${payment.amountMicroUsd / 1_000_000} USD` : `${payment.amountSats} sats`;
}

type Receipt = Omit<LightningPayment, 'authorization'> | Omit<AuthorizedPayment, 'headers'>;

/** What may be shown and saved of a payment: everything but the credential. */
export function receiptOf(payment: Payment): Receipt {
  if ('headers' in payment) {
    const { headers: _credential, ...receipt } = payment;
    return receipt;
  }
  const { authorization: _credential, ...receipt } = payment;
  return receipt;
}
