import fc from 'fast-check';
import Stripe from 'stripe';
import type { StripeEmulator } from '../src/stripe/stripe-emulator.js';
import { NO_REDIRECTS, startEmulatedStripe } from './emulated-stripe.js';

/** What the payments of one account have come to, as a reader of Stripe's documentation would keep count. */
interface Model {
  payments: {
    id: string;
    state: 'open' | 'held' | 'paid' | 'over';
    amount: number;
    captured: number;
    refunded: number;
  }[];
}

interface Real {
  emulator: StripeEmulator;
  stripe: Stripe;
}

/** The status of a call that was refused, 200 of one that was not. */
async function statusOf(call: Promise<unknown>): Promise<number> {
  try {
    await call;
    return 200;
  } catch (error) {
    if (error instanceof Stripe.errors.StripeError) return error.statusCode!;
    throw error;
  }
}

/** How often a step was one that may be taken: a step that is always refused shows nothing. */
const taken = { confirm: 0, decline: 0, capture: 0, cancel: 0, refund: 0 };

/** A step at one of the payments, told by its position, and what the model expects of it. */
type Step = (payment: Model['payments'][number], real: Real) => Promise<void>;

class AtPayment implements fc.AsyncCommand<Model, Real> {
  constructor(
    private readonly name: string,
    private readonly position: number,
    private readonly step: Step,
  ) {}
  check({ payments }: Model): boolean {
    return payments.length > 0;
  }
  async run({ payments }: Model, real: Real): Promise<void> {
    const payment = payments[this.position % payments.length];
    await this.step(payment, real);
    const intent = await real.stripe.paymentIntents.retrieve(payment.id, { expand: ['latest_charge'] });
    const charge = intent.latest_charge as Stripe.Charge | null;
    expect(intent.amount_received).toBe(payment.captured);
    expect(intent.amount_capturable).toBe(payment.state === 'held' ? payment.amount : 0);
    const statuses = {
      open: ['requires_payment_method', 'requires_confirmation'],
      held: ['requires_capture'],
      paid: ['succeeded'],
      over: ['canceled'],
    };
    expect(statuses[payment.state]).toContain(intent.status);
    // What a capture lets go counts as refunded.
    const refunded = payment.amount - payment.captured + payment.refunded;
    if (payment.state === 'paid') expect(charge).toMatchObject({ amount_refunded: refunded });
  }
  toString(): string {
    return `${this.name}(${this.position})`;
  }
}

class Begin implements fc.AsyncCommand<Model, Real> {
  constructor(
    private readonly amount: number,
    private readonly manual: boolean,
    private readonly atOnce: boolean,
  ) {}
  check(): boolean {
    return true;
  }
  async run({ payments }: Model, { stripe }: Real): Promise<void> {
    const { id } = await stripe.paymentIntents.create({
      amount: this.amount,
      currency: 'usd',
      automatic_payment_methods: NO_REDIRECTS,
      ...(this.manual ? { capture_method: 'manual' } : {}),
      ...(this.atOnce ? { confirm: true, payment_method: 'pm_card_visa' } : {}),
    });
    const state = !this.atOnce ? 'open' : this.manual ? 'held' : 'paid';
    const captured = state === 'paid' ? this.amount : 0;
    payments.push({ id, state, amount: this.amount, captured, refunded: 0 });
  }
  toString(): string {
    return `begin(${this.amount}, ${this.manual}, ${this.atOnce})`;
  }
}

const confirm =
  (method: string): Step =>
  async (payment, { stripe }) => {
    const status = await statusOf(stripe.paymentIntents.confirm(payment.id, { payment_method: method }));
    if (payment.state !== 'open') return expect(status).toBe(400);
    if (method !== 'pm_card_visa') {
      taken.decline += 1;
      return expect(status).toBe(402);
    }
    expect(status).toBe(200);
    taken.confirm += 1;
    const { capture_method: capture } = await stripe.paymentIntents.retrieve(payment.id);
    payment.state = capture === 'manual' ? 'held' : 'paid';
    if (payment.state === 'paid') payment.captured = payment.amount;
  };

const capture =
  (amount: number): Step =>
  async (payment, { stripe }) => {
    const status = await statusOf(stripe.paymentIntents.capture(payment.id, { amount_to_capture: amount }));
    if (payment.state !== 'held' || amount > payment.amount) return expect(status).toBe(400);
    expect(status).toBe(200);
    taken.capture += 1;
    Object.assign(payment, { state: 'paid', captured: amount });
  };

const cancel: Step = async (payment, { stripe }) => {
  const status = await statusOf(stripe.paymentIntents.cancel(payment.id));
  if (payment.state === 'paid' || payment.state === 'over') return expect(status).toBe(400);
  expect(status).toBe(200);
  taken.cancel += 1;
  payment.state = 'over';
};

const refund =
  (amount: number): Step =>
  async (payment, { stripe }) => {
    const status = await statusOf(stripe.refunds.create({ payment_intent: payment.id, amount }));
    if (amount > payment.captured - payment.refunded) return expect(status).toBe(400);
    expect(status).toBe(200);
    taken.refund += 1;
    payment.refunded += amount;
  };

const position = fc.nat(2);
const amount = fc.integer({ min: 50, max: 400 });
const part = fc.oneof(fc.integer({ min: 1, max: 100 }), amount);
const commands = [
  fc.tuple(amount, fc.boolean(), fc.boolean()).map(([cents, ...how]) => new Begin(cents, ...how)),
  position.map(at => new AtPayment('confirm', at, confirm('pm_card_visa'))),
  position.map(at => new AtPayment('decline', at, confirm('pm_card_chargeDeclined'))),
  fc.tuple(position, part).map(([at, cents]) => new AtPayment(`capture ${cents}`, at, capture(cents))),
  position.map(at => new AtPayment('cancel', at, cancel)),
  fc.tuple(position, part).map(([at, cents]) => new AtPayment(`refund ${cents}`, at, refund(cents))),
];

/**
 * Money that moves in any order of steps, against the bookkeeping of a reader of Stripe's documentation.
 * @param seed of the orders; a fresh one where it is left out
 */
export function describeMoney(numRuns: number, seed?: number): void {
  it('takes and gives back exactly what was asked for, in any order of steps', async () => {
    await fc.assert(
      fc.asyncProperty(fc.commands(commands, { maxCommands: 40, size: 'max' }), async steps => {
        const { emulator, stripe } = await startEmulatedStripe();
        const model: Model = { payments: [] };
        try {
          await fc.asyncModelRun(() => ({ model, real: { emulator, stripe } }), steps);
          const { available } = await stripe.balance.retrieve();
          const kept = model.payments.reduce((sum, { captured, refunded }) => sum + captured - refunded, 0);
          expect(available).toMatchObject([{ amount: kept, currency: 'usd' }]);
        } finally {
          await emulator.close();
        }
      }),
      { numRuns, seed },
    );
    for (const [step, count] of Object.entries(taken)) expect([step, count > 5]).toEqual([step, true]);
  });
}
