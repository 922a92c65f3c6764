import { QuestionPlaces } from '../rail/shared-questions.js';

/** For how long it is not asked again about what was not settled, milliseconds. */
export const STRIPE_ASKED_AGAIN_MS = 2_000;

/**
 * Questions to Stripe that cost their callers nothing: whether a checkout or an escrow was paid, and pages and payments that are made
 * without being paid for. Stripe answers a hundred in a second to all of a merchant's calls, charges among them; eight at a time are
 * less than half of that.
 */
export class StripeQuestions extends QuestionPlaces {
  /** @param now a clock, milliseconds */
  constructor(readonly now?: () => number) {
    super({ name: 'checkouts and escrows', atOnceMax: 8, parts: 4, waitingMax: 64, waitMsMax: 5_000 });
  }
}
