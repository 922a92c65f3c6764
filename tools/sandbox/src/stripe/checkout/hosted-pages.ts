import { timingSafeEqual } from 'node:crypto';
import { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { type EmulatedAccount } from '../account/emulated-account.js';
import { decodeForm } from '../api/form-encoding.js';
import { Parameters } from '../api/parameters.js';
import { StripeError } from '../api/stripe-error.js';
import { attempt, failIntent, type PaymentIntent } from '../payment/payment-intent.js';
import { type PaymentMethod } from '../payment/payment-method.js';
import { authenticationForm, cardForm, type CardForm, readCardForm } from './card-form.js';
import { type CheckoutSession, lineItemsOf, payCheckout, SESSION_KIND } from './checkout-session.js';
import { html, type Markup, moneyText, page } from './page.js';

const REFUSED = 'The payment was not confirmed. Try again, or pay another way.';

interface Visit {
  account: EmulatedAccount;
  reply: FastifyReply;
  /** Effects are on disk before the answer goes out. */
  commit: () => void;
}

/** The pages that a customer sees: a checkout at `/c/pay/:session`, a payment at `/pay/:client_secret`. */
export function servePages(server: FastifyInstance, account: EmulatedAccount, committed: () => void): void {
  const commit = () => {
    account.store.commit();
    committed();
  };
  type Named = FastifyRequest<{ Params: { name: string } }>;
  const serve = (path: string, visit: (name: string, visit: Visit, form?: Parameters) => FastifyReply) => {
    server.get(path, (request: Named, reply) => visit(request.params.name, { account, reply, commit }));
    server.post(path, (request: Named, reply) => {
      const form = new Parameters(decodeForm(typeof request.body === 'string' ? request.body : ''));
      return visit(request.params.name, { account, reply, commit }, form);
    });
  };
  serve('/c/pay/:name', visitCheckout);
  serve('/pay/:name', visitPayment);
}

/** No script, no other origin; a form leads here or, by a redirect, to where the page was told to lead. */
function sendPage(reply: FastifyReply, status: number, text: string, leadsTo: (string | null)[] = []) {
  const origins = leadsTo.flatMap(url => (url === null ? [] : [new URL(url).origin]));
  const policy = [
    "default-src 'none'",
    "style-src 'unsafe-inline'",
    `form-action ${["'self'", ...new Set(origins)].join(' ')}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
  return reply
    .code(status)
    .header('Content-Type', 'text/html; charset=utf-8')
    .header('Content-Security-Policy', policy)
    .header('Referrer-Policy', 'no-referrer')
    .header('X-Content-Type-Options', 'nosniff')
    .header('Cache-Control', 'no-store')
    .send(text);
}

function said(reply: FastifyReply, status: number, title: string, text: string): FastifyReply {
  const content = html`<div class="card">
    <h2>${title}</h2>
    <p>${text}</p>
  </div>`;
  return sendPage(reply, status, page(title, content, { single: true }));
}

function visitCheckout(id: string, visit: Visit, form?: Parameters): FastifyReply {
  const { account, reply } = visit;
  const session = account.store.find<CheckoutSession>(SESSION_KIND, id);
  if (!session) return said(reply, 404, 'Not found', 'There is no such checkout.');
  const target = session.success_url.replaceAll('{CHECKOUT_SESSION_ID}', session.id);
  // A second press of the button finds the checkout paid, and is led on.
  if (session.status === 'complete' && form) return reply.redirect(target, 303);
  if (session.status === 'complete') {
    return said(reply, 200, 'All done', 'This checkout is complete. You may close this page.');
  }
  if (session.status === 'expired') {
    return said(reply, 410, 'Expired', 'This checkout has expired. Nothing was charged.');
  }
  if (!form) return checkoutPage(visit, session);
  const step = form.text('step');
  if (step === 'cancel' && session.cancel_url) return reply.redirect(session.cancel_url, 303);
  if (step === 'refused') {
    refuseAuthentication(visit, session.payment_intent);
    return checkoutPage(visit, session, { faults: { alert: REFUSED } });
  }
  const authenticated = step === 'authenticated';
  const read = authenticated
    ? authenticatedMethod(account, form)
    : readCardForm(account, form, { email: emailOf(session), bank: hasBank(session) });
  if (read && 'faults' in read) return checkoutPage(visit, session, read);
  if (!read) return checkoutPage(visit, session);
  try {
    const result = payCheckout(account, session, { ...read, authenticated });
    visit.commit();
    if (result === 'complete') return reply.redirect(target, 303);
    const action = `/c/pay/${session.id}`;
    const summary = summaryOf(account, session);
    const content = html`${summary}${authenticationForm(action, read.method.id, read.email)}`;
    return sendPage(reply, 200, page('Confirm', content), [session.success_url, session.cancel_url]);
  } catch (error) {
    visit.commit();
    if (!(error instanceof StripeError)) throw error;
    const typed = { email: read.email ?? '', number: '', expiry: '' };
    return checkoutPage(visit, session, { typed, faults: { alert: error.message } });
  }
}

function emailOf({ customer_details: details }: CheckoutSession): CardForm['email'] {
  return details?.email ? { fixed: details.email } : 'asked';
}

function hasBank({ payment_method_types: types, mode }: CheckoutSession): boolean {
  return mode === 'payment' && types.includes('us_bank_account');
}

function checkoutPage(
  visit: Visit,
  session: CheckoutSession,
  { typed, faults }: Pick<CardForm, 'typed' | 'faults'> = {},
): FastifyReply {
  const { account, reply } = visit;
  const amount = moneyText(session.amount_total, session.currency);
  const form = cardForm({
    action: `/c/pay/${session.id}`,
    pay: session.mode === 'subscription' ? `Subscribe for ${amount}` : `Pay ${amount}`,
    email: emailOf(session),
    bank: hasBank(session),
    cancel: session.cancel_url !== null,
    typed,
    faults,
  });
  const text = page('Checkout (sandbox)', html`${summaryOf(account, session)}${form}`);
  return sendPage(reply, faults ? 402 : 200, text, [session.success_url, session.cancel_url]);
}

function summaryOf(account: EmulatedAccount, session: CheckoutSession): Markup {
  const { data } = lineItemsOf(account, session);
  const recurring = data.find(({ price }) => price.recurring)?.price.recurring;
  const total = moneyText(session.amount_total, session.currency);
  const rows = data.map(
    ({ description, quantity, amount_total: amount, currency, price }) =>
      html`<tr>
        <td>
          ${description}<small
            >${quantity > 1 && html`${quantity} × ${moneyText(price.unit_amount, currency)}`}</small
          >
        </td>
        <td>${moneyText(amount, currency)}</td>
      </tr>`,
  );
  return html`<section class="card">
    <h1>${session.mode === 'subscription' ? 'Subscribe' : 'Pay'}</h1>
    <p class="total">${total} ${recurring && html`<small>per ${recurring.interval}</small>`}</p>
    <table>
      ${rows}
      <tr class="sum">
        <td>Total</td>
        <td>${total}</td>
      </tr>
    </table>
  </section>`;
}

function authenticatedMethod(account: EmulatedAccount, form: Parameters) {
  const method = account.store.find<PaymentMethod>('payment_method', form.text('method') ?? '');
  return method && { method, email: form.text('email') ?? method.billing_details.email };
}

function refuseAuthentication(visit: Visit, intentId: string | null): void {
  const { account } = visit;
  const intent = intentId ? account.store.find<PaymentIntent>('payment_intent', intentId) : undefined;
  if (intent?.status !== 'requires_action') return;
  const code = 'payment_intent_authentication_failure';
  failIntent(account, intent, { code, message: 'The provided PaymentMethod has failed authentication.' });
  visit.commit();
}

function intentOfSecret(account: EmulatedAccount, secret: string): PaymentIntent | undefined {
  const intent = account.store.find<PaymentIntent>('payment_intent', secret.split('_secret_')[0]);
  if (!intent || intent.client_secret.length !== Buffer.byteLength(secret)) return undefined;
  return timingSafeEqual(Buffer.from(intent.client_secret), Buffer.from(secret)) ? intent : undefined;
}

const ENDED: Partial<Record<PaymentIntent['status'], [title: string, text: string]>> = {
  succeeded: ['Paid', 'This payment is complete. You may close this page.'],
  requires_capture: [
    'Authorised',
    'The amount is held, and is taken or let go later. You may close this page.',
  ],
  processing: ['Under way', 'The bank has not said yet whether it pays.'],
  canceled: ['Canceled', 'This payment was canceled. Nothing was charged.'],
};

function visitPayment(secret: string, visit: Visit, form?: Parameters): FastifyReply {
  const { account, reply } = visit;
  const intent = intentOfSecret(account, secret);
  if (!intent) return said(reply, 404, 'Not found', 'There is no such payment.');
  const ended = ENDED[intent.status];
  if (ended) return said(reply, 200, ...ended);
  if (!form)
    return intent.status === 'requires_action' ? confirmPage(visit, intent) : paymentPage(visit, intent);
  const returnUrl = returnUrlOf(intent);
  const step = form.text('step');
  if (step === 'refused') {
    refuseAuthentication(visit, intent.id);
    if (returnUrl) return reply.redirect(resultUrl(returnUrl, intent, 'failed'), 303);
    return paymentPage(visit, intent, { faults: { alert: REFUSED } });
  }
  const authenticated = step === 'authenticated' && intent.status === 'requires_action';
  const read = authenticated
    ? { method: account.require<PaymentMethod>('payment_method', intent.payment_method!) }
    : readCardForm(account, form, { email: 'none', bank: false });
  if ('faults' in read) return paymentPage(visit, intent, read);
  try {
    attempt(account, intent, read.method, { authenticated });
    visit.commit();
  } catch (error) {
    visit.commit();
    if (!(error instanceof StripeError)) throw error;
    return paymentPage(visit, intent, { faults: { alert: error.message } });
  }
  if (intent.status === 'requires_action') return confirmPage(visit, intent);
  if (returnUrl) return reply.redirect(resultUrl(returnUrl, intent, 'succeeded'), 303);
  return said(reply, 200, ...ENDED[intent.status]!);
}

function returnUrlOf({ next_action: action }: PaymentIntent): string | undefined {
  return (action as { redirect_to_url?: { return_url: string } } | null)?.redirect_to_url?.return_url;
}

function resultUrl(returnUrl: string, intent: PaymentIntent, status: string): string {
  const url = new URL(returnUrl);
  url.searchParams.set('payment_intent', intent.id);
  url.searchParams.set('payment_intent_client_secret', intent.client_secret);
  url.searchParams.set('redirect_status', status);
  return url.href;
}

function confirmPage({ reply }: Visit, intent: PaymentIntent): FastifyReply {
  const form = authenticationForm(`/pay/${intent.client_secret}`, intent.payment_method ?? '', null);
  const text = page('Confirm', html`${paymentSummary(intent)}${form}`);
  return sendPage(reply, 200, text, [returnUrlOf(intent) ?? null]);
}

function paymentSummary(intent: PaymentIntent): Markup {
  const held = intent.capture_method === 'manual';
  return html`<section class="card">
    <h1>${held ? 'Authorise' : 'Pay'}</h1>
    <p class="total">${moneyText(intent.amount, intent.currency)}</p>
    <table>
      <tr>
        <td>
          ${intent.description ?? 'Payment'}<small
            >${held && 'The amount is held first, and taken or let go within seven days.'}</small
          >
        </td>
        <td>${moneyText(intent.amount, intent.currency)}</td>
      </tr>
    </table>
  </section>`;
}

function paymentPage(
  { reply }: Visit,
  intent: PaymentIntent,
  { typed, faults }: Pick<CardForm, 'typed' | 'faults'> = {},
): FastifyReply {
  const amount = moneyText(intent.amount, intent.currency);
  const form = cardForm({
    action: `/pay/${intent.client_secret}`,
    pay: intent.capture_method === 'manual' ? `Authorise ${amount}` : `Pay ${amount}`,
    email: 'none',
    bank: false,
    cancel: false,
    typed,
    faults,
  });
  const text = page('Payment (sandbox)', html`${paymentSummary(intent)}${form}`);
  return sendPage(reply, faults ? 402 : 200, text);
}
