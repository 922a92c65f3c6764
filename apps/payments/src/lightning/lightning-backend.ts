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

/** An invoice of somebody else that is to be paid; its text says the rest. */
export interface PayableInvoice {
  readonly invoice: string;
  /** Lower-case hex */
  readonly paymentHash: string;
  readonly amountSats: number;
}

/** What became of a payment that the node made: `failed` only where nothing of it is on its way, and nothing was paid. */
export type PaymentState = 'paid' | 'failed' | 'pending';

/** Most that is spent on routing a payment, satoshis: never more than is paid, for the payer's own node may take it. */
export const routingFeeMax = (amountSats: number): number =>
  Math.min(amountSats, 10 + Math.floor(amountSats / 100));
/** How long a node looks for a way to pay, seconds, and how long it is waited for, milliseconds. */
export const PAYING_SECONDS = 15;
export const PAYING_MS = 25_000;

/**
 * A Lightning node that receives payments, and pays refunds.
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
  /**
   * Pays an invoice, once for its payment hash, however often it is asked. Throws where the node does not say what became of it, which
   * {@link paymentOf} then does.
   */
  payInvoice(invoice: PayableInvoice): Promise<PaymentState>;
  /** What became of a payment that this node made; `none` where it has begun none. */
  paymentOf(paymentHash: string): Promise<PaymentState | 'none'>;
  /** Whether an invoice could be made and paid now; never throws. */
  isReady(): Promise<boolean>;
  /** Ends its connections. */
  close(): void;
}

/** Injection token of the {@link LightningBackend}. */
export const LIGHTNING_BACKEND = Symbol('LIGHTNING_BACKEND');
