import type { LightningNetwork } from '../challenge/bolt11.js';

export interface PayOptions {
  /** SHA-256 of the preimage, as the invoice states it. */
  readonly paymentHash: string;
  readonly signal?: AbortSignal;
}

export interface PaidInvoice {
  /** 64 hex digits; its SHA-256 is the invoice's payment hash. */
  readonly preimage: string;
  readonly feeSats: number;
}

/**
 * Pays Lightning invoices.
 *
 * Guarantee: paying one invoice any number of times moves its amount at most once, and after it
 * has moved, every later call gives the preimage. A caller whose answer was lost may so ask again.
 */
export interface Wallet {
  readonly name: string;
  /** Invoices of other networks are refused before the wallet is asked. */
  readonly network: LightningNetwork;
  /** @throws {WalletError} with `moneyMoved` false or unknown */
  pay(invoice: string, options: PayOptions): Promise<PaidInvoice>;
}
