import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type Stripe from 'stripe';
import ts from 'typescript';
import type { StripeEmulator } from '../src/stripe/stripe-emulator.js';
import { CARD, NO_REDIRECTS, startEmulatedStripe, submitPage } from './emulated-stripe.js';

const RESOURCES = join(createRequire(import.meta.url).resolve('stripe'), '../../esm/resources');

/** The members that stripe-node's own types promise of an object, read from its declarations. */
function promisedMembers(file: string, name: string): string[] {
  const text = readFileSync(join(RESOURCES, `${file}.d.ts`), 'utf8');
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const found: ts.InterfaceDeclaration[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isInterfaceDeclaration(node) && node.name.text === name) found.push(node);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found[0].members
    .filter(member => ts.isPropertySignature(member) && !member.questionToken)
    .map(member => member.name!.getText(source));
}

let emulator: StripeEmulator;
let stripe: Stripe;
let answers: [file: string, name: string, answer: object][];

beforeAll(async () => {
  ({ emulator, stripe } = await startEmulatedStripe());
  const intent = await stripe.paymentIntents.create({
    amount: 5_000,
    currency: 'usd',
    confirm: true,
    payment_method: 'pm_card_createDispute',
    automatic_payment_methods: NO_REDIRECTS,
    expand: ['latest_charge', 'payment_method'],
  });
  const refund = await stripe.refunds.create({ payment_intent: intent.id, amount: 100 });
  const recurring = { interval: 'month' } as const;
  const price_data = { currency: 'usd', unit_amount: 4_900, product_data: { name: 'Plan' }, recurring };
  const opened = await stripe.checkout.sessions.create({
    mode: 'subscription',
    line_items: [{ quantity: 1, price_data }],
    success_url: 'http://127.0.0.1:9/',
  });
  await submitPage(opened.url!, { ...CARD, email: 'payer@example.com' });
  const session = await stripe.checkout.sessions.retrieve(opened.id, {
    expand: ['subscription.latest_invoice', 'customer', 'line_items'],
  });
  const subscription = session.subscription as Stripe.Subscription;
  const [item] = subscription.items.data;
  const invoice = subscription.latest_invoice as Stripe.Invoice;
  const [payment] = (await stripe.invoicePayments.list({ invoice: invoice.id })).data;
  const product = await stripe.products.retrieve(item.price.product as string);
  answers = [
    ['PaymentIntents', 'PaymentIntent', intent],
    ['PaymentMethods', 'PaymentMethod', intent.payment_method as object],
    ['Charges', 'Charge', intent.latest_charge as object],
    ['Refunds', 'Refund', refund],
    ['Disputes', 'Dispute', (await stripe.disputes.list()).data[0]],
    ['Checkout/Sessions', 'Session', session],
    ['LineItems', 'LineItem', session.line_items!.data[0]],
    ['Customers', 'Customer', session.customer as object],
    ['Subscriptions', 'Subscription', subscription],
    ['SubscriptionItems', 'SubscriptionItem', item],
    ['Invoices', 'Invoice', invoice],
    ['InvoiceLineItems', 'InvoiceLineItem', invoice.lines.data[0]],
    ['InvoicePayments', 'InvoicePayment', payment],
    ['Prices', 'Price', item.price],
    ['Products', 'Product', product],
    ['Events', 'EventBase', (await stripe.events.list({ limit: 1 })).data[0]],
    ['Balance', 'Balance', await stripe.balance.retrieve()],
  ];
});
afterAll(() => emulator.close());

it('gives every object each member that the types of stripe-node promise', () => {
  for (const [file, name, answer] of answers) {
    const promised = promisedMembers(file, name);
    expect(promised.length).toBeGreaterThan(3);
    expect([name, promised.filter(member => !Object.hasOwn(answer, member))]).toEqual([name, []]);
  }
});
