import type { LightningNetwork } from '../mpp/lightning-charge.js';

/** What an invoice says. */
export interface InvoiceContent {
  readonly network: LightningNetwork;
  readonly amountSats: number;
  /** Lower-case hex, 32 bytes. */
  readonly paymentHash: string;
  /** Lower-case hex, 32 bytes; BOLT 11 tag `s`. */
  readonly paymentSecret: string;
  readonly description: string;
  /** Unix seconds. */
  readonly createdAt: number;
  readonly expirySeconds: number;
}

/** How BOLT 11 names the networks, after `ln`. */
export const INVOICE_PREFIXES: Readonly<Record<LightningNetwork, string>> = {
  mainnet: 'bc',
  signet: 'tbs',
  regtest: 'bcrt',
};
