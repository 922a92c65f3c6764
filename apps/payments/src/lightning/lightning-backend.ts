import type { LightningNetwork } from '@svc/protocols';

export interface InvoiceOrder {
  readonly amountSats: number;
  /** Printable ASCII, at most 100 characters. */
  readonly description: string;
  readonly expirySeconds: number;
}

export interface IssuedInvoice {
  /** BOLT 11 */
  readonly invoice: string;
  /** Lower-case hex */
  readonly paymentHash: string;
  readonly expiresAtMs: number;
}

/** What a node knows of an invoice. */
export type InvoiceState = 'settled' | 'open' | 'cancelled' | 'unknown';

/**
 * A Lightning node that receives payments.
 *
 * Guarantees: every invoice has a payment hash that was never given before; its preimage leaves the
 * node only by a payment of the full amount; and the invoice asks for exactly the amount ordered.
 * A node that cannot be reached makes a method throw SERVICE_UNAVAILABLE.
 */
export interface LightningBackend {
  readonly kind: 'sandbox' | 'lnd' | 'cln';
  readonly network: LightningNetwork;
  createInvoice(order: InvoiceOrder): Promise<IssuedInvoice>;
  /**
   * The state of the invoice that a presented preimage belongs to. `settled` is said only when the
   * amount has arrived; `unknown` when the node has no such invoice. Without the preimage it is asked about a payment
   * whose preimage has been shown and opened its hash before.
   */
  lookup(payment: { paymentHash: string; preimage?: string }): Promise<InvoiceState>;
  /** Whether an invoice could be made and paid now; never throws. */
  isReady(): Promise<boolean>;
  /** Ends its connections. */
  close(): void;
}

/** Injection token of the {@link LightningBackend}. */
export const LIGHTNING_BACKEND = Symbol('LIGHTNING_BACKEND');
