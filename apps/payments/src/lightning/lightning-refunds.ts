import { MICRO_USD_PER_SAT } from '@svc/protocols';
import type { OrderedRefund, RefundOutcome, RefundPlan, RefundPort } from '../rail/rail.js';
import type { LightningBackend, PayableInvoice } from './lightning-backend.js';

/** From then on a payment that the node has no record of was never begun: longer than a call to it takes. */
const DECIDED_AFTER_MS = 120_000;

/** Refunds by Lightning: the payer brings an invoice, and a node pays one of a payment hash once. */
export class LightningRefunds implements RefundPort {
  readonly unitMicroUsd = MICRO_USD_PER_SAT;

  constructor(private readonly backend: Pick<LightningBackend, 'payInvoice' | 'paymentOf'>) {}

  async send(_refund: OrderedRefund, plan: RefundPlan): Promise<RefundOutcome> {
    const invoice = plan as unknown as PayableInvoice;
    try {
      return outcomeOf(invoice.paymentHash, await this.backend.payInvoice(invoice));
    } catch (cause) {
      return inDoubt('The Lightning node did not say what became of the payment', cause);
    }
  }

  async enquire(_refund: OrderedRefund, plan: RefundPlan, sentAtMs: number): Promise<RefundOutcome> {
    const { paymentHash } = plan as unknown as PayableInvoice;
    try {
      const payment = await this.backend.paymentOf(paymentHash);
      if (payment !== 'none') return outcomeOf(paymentHash, payment);
      return Date.now() - sentAtMs > DECIDED_AFTER_MS
        ? { outcome: 'refused', detail: 'The Lightning node never began the payment' }
        : inDoubt('The Lightning node has no such payment yet');
    } catch (cause) {
      return inDoubt('The Lightning node cannot be asked now', cause);
    }
  }
}

function outcomeOf(paymentHash: string, state: 'paid' | 'failed' | 'pending'): RefundOutcome {
  if (state === 'paid') return { outcome: 'done', reference: paymentHash };
  if (state === 'pending') return inDoubt('The payment is on its way');
  return { outcome: 'refused', detail: 'The invoice could not be paid: nothing was moved; bring another' };
}

const inDoubt = (detail: string, cause?: unknown): RefundOutcome => ({ outcome: 'unknown', detail, cause });
