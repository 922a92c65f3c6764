import type Stripe from 'stripe';
import type { OrderedRefund, RefundOutcome, RefundPlan, RefundPort } from '../rail/rail.js';
import { ChargeFailed } from './charge-tries.js';
import type { StripeAdapter } from './stripe-adapter.js';
import { hasMadeNothing, stripeFaultOf } from './stripe-fault.js';

const MICRO_USD_PER_CENT = 10_000;

/**
 * Refunds to cards: whole cents of a payment, by the processor, whose idempotency key is the refund's id and who keeps that id as
 * metadata, by which a refund is found whose answer was lost.
 */
export class CardRefunds implements RefundPort {
  readonly unitMicroUsd = MICRO_USD_PER_CENT;

  /** @param decidedAfterMs from then on a refund that the processor does not list was never made */
  constructor(
    private readonly processor: Pick<StripeAdapter, 'refund' | 'findRefund'>,
    private readonly decidedAfterMs: number,
  ) {}

  async plan(): Promise<RefundPlan> {
    return {};
  }

  async send({ refundId, amountMicroUsd, paymentReference }: OrderedRefund): Promise<RefundOutcome> {
    try {
      const amountCents = amountMicroUsd / MICRO_USD_PER_CENT;
      return outcomeOf(
        await this.processor.refund({ refundId, amountCents, paymentIntentId: paymentReference }),
      );
    } catch (error) {
      return refusalOf(error);
    }
  }

  async enquire(
    { refundId, paymentReference }: OrderedRefund,
    _plan: RefundPlan,
    sentAtMs: number,
  ): Promise<RefundOutcome> {
    try {
      const found = await this.processor.findRefund(paymentReference, refundId);
      if (found) return outcomeOf(found);
      if (Date.now() - sentAtMs > this.decidedAfterMs)
        return { outcome: 'refused', detail: 'The card processor has no such refund: nothing was moved' };
      return { outcome: 'unknown', detail: 'The card processor has no such refund yet' };
    } catch (cause) {
      return { outcome: 'unknown', detail: 'The card processor cannot be asked now', cause };
    }
  }
}

function outcomeOf({ id, status }: Stripe.Refund): RefundOutcome {
  switch (status) {
    case 'succeeded':
      return { outcome: 'done', reference: id };
    case 'failed':
    case 'canceled':
      return { outcome: 'refused', detail: `The refund ${id} has ${status}: nothing was moved` };
    default:
      return { outcome: 'unknown', detail: `The refund ${id} is ${status}` };
  }
}

/**
 * What a refund that failed means. All its tries have one idempotency key, so that a request that the processor does not take is final for
 * every one of them; what comes from before it says only that this try did nothing.
 */
function refusalOf(error: unknown): RefundOutcome {
  if (!(error instanceof ChargeFailed)) throw error;
  const { kind, detail } = stripeFaultOf(error.cause);
  const mayBeDone = kind === 'unknown' || (error.mayHaveTaken && kind !== 'refused');
  if (mayBeDone || !hasMadeNothing(error.cause)) return { outcome: 'unknown', detail, cause: error.cause };
  return { outcome: 'refused', detail: `${detail}; nothing was moved` };
}
