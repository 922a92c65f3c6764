import { describe, expect, it } from '@jest/globals';
import { BusClient, createLogger, openBusLink } from '@svc/platform';
import { startStripeEmulator, type StripeEmulator } from '@svc/sandbox';
import Stripe from 'stripe';
import { DataSource } from 'typeorm';
import { type PaidRoute, type PaidRouteOptions, startPaidRoute } from './paid-route-fixture.js';

/** Of the fixture of paid routes. */
export const ADMIN_KEY = 'admin key of the tests, at least 32 characters';
export const PREVIEW_VERSION = '2026-07-29.preview';

/** An answer of the gateway. */
export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly json: Record<string, any>; // eslint-disable-line @typescript-eslint/no-explicit-any -- of any route
}

/** Gateway and payments with the emulated card processor, an unmodified client of which the tests hold too. */
export interface CardRoute {
  readonly route: PaidRoute;
  readonly emulator: StripeEmulator;
  readonly stripe: Stripe;
  /** The payments' own tables. */
  readonly database: DataSource;
  /** As the gateway asks the payments. */
  readonly bus: BusClient;
  /** Tokens, keys and the like that went over the wire: what no log may hold. */
  readonly secrets: Set<string>;
  /** Lines of the logs of all services. */
  readonly logs: string[];
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Reply>;
  /** Pays a hosted checkout as a browser's form does; where its page then leads. */
  payCheckout(checkoutUrl: string, fields?: Record<string, string>): Promise<string | null>;
  /** Delivers an event, signed as the processor signs it. */
  deliver(event: object | string, options?: { timestamp?: number; secret?: string }): Promise<Reply>;
  /** A token that may be charged as much as a challenge asks for. */
  mintToken(paymentMethod?: string, maxAmount?: number): Promise<string>;
  close(): Promise<void>;
}

/** @param options as of {@link startPaidRoute}: services beside the payments, further variables */
export async function startCardRoute(
  options: Pick<PaidRouteOptions, 'prover' | 'department' | 'mesh' | 'variables' | 'pace'> = {},
): Promise<CardRoute> {
  let address = '';
  const emulator = await startStripeEmulator({
    webhookUrl: () => (address === '' ? undefined : `${address}/webhooks/stripe`),
    webhookRetryDelaysMs: [50, 100, 200, 400],
  });
  const logs: string[] = [];
  const logger = createLogger('gateway', {
    level: 'debug',
    destination: { write: (line: string) => void logs.push(line) },
  });
  const route = await startPaidRoute({
    ...options,
    logger,
    variables: {
      ...options.variables,
      STRIPE_SECRET_KEY: emulator.secretKey,
      STRIPE_API_URL: emulator.url,
      STRIPE_WEBHOOK_SECRET: emulator.webhookSecret,
    },
  });
  address = route.address;
  const database = await new DataSource({
    type: 'postgres',
    url: route.databaseUrl,
    schema: 'payments',
    extra: { options: '-c search_path=payments' },
  }).initialize();
  const stripe = stripeOf(emulator);
  const secrets = new Set([emulator.secretKey, emulator.webhookSecret]);
  const call: CardRoute['call'] = async (method, path, body, headers) => {
    const reply = await callAt(route.address, { method, path, body, headers });
    const { apiKey, licenseKey, creditKey, clientSecret } = reply.json as Record<string, string | undefined>;
    for (const secret of [apiKey, licenseKey, creditKey, clientSecret, reply.headers.get('x-svc-key')]) {
      // Of a key its secret part: its id may be told.
      if (secret) secrets.add(secret.slice(-43));
    }
    return reply;
  };
  return {
    route,
    emulator,
    stripe,
    database,
    bus: new BusClient(openBusLink(route.bus, 'gateway', logger)),
    logs,
    secrets,
    call,
    payCheckout,
    deliver: (event, { timestamp, secret = emulator.webhookSecret } = {}) => {
      const payload = typeof event === 'string' ? event : JSON.stringify(event);
      const header = stripe.webhooks.generateTestHeaderString({ payload, secret, timestamp });
      return call('POST', '/webhooks/stripe', payload, { 'stripe-signature': header });
    },
    mintToken: async (paymentMethod = 'pm_card_visa', maxAmount = 50) => {
      const token = await mint(emulator, paymentMethod, maxAmount);
      secrets.add(token);
      return token;
    },
    close: async () => {
      await database.destroy();
      await route.close();
      await emulator.close();
    },
  };
}

const stripeOf = ({ secretKey, port }: StripeEmulator) =>
  new Stripe(secretKey, { host: '127.0.0.1', port, protocol: 'http', telemetry: false });

/** A card that pays, as it is typed into the hosted page. */
export const GOOD_CARD = { number: '4242 4242 4242 4242', expiry: '12 / 34', cvc: '123' };

async function payCheckout(checkoutUrl: string, fields: Record<string, string> = {}): Promise<string | null> {
  const response = await fetch(checkoutUrl, {
    method: 'POST',
    body: new URLSearchParams({ email: 'buyer@example.com', ...GOOD_CARD, ...fields, step: 'pay' }),
    redirect: 'manual',
  });
  await response.text();
  return response.headers.get('location');
}

async function callAt(
  address: string,
  {
    method,
    path,
    body,
    headers = {},
  }: { method: string; path: string; body?: unknown; headers?: Record<string, string> },
): Promise<Reply> {
  const response = await fetch(address + path, {
    method,
    headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    redirect: 'manual',
  });
  const text = await response.text();
  const isJson = /json/.test(response.headers.get('content-type') ?? '');
  return { status: response.status, headers: response.headers, text, json: isJson ? JSON.parse(text) : {} };
}

/** By the preview interface itself, which stripe-node has no method for. */
export async function mint(
  emulator: StripeEmulator,
  paymentMethod: string,
  maxAmount: number,
): Promise<string> {
  const form = new URLSearchParams({
    payment_method: paymentMethod,
    'usage_limits[currency]': 'usd',
    'usage_limits[max_amount]': String(maxAmount),
    'usage_limits[expires_at]': String(Math.floor(Date.now() / 1_000) + 3_600),
  });
  const response = await fetch(`${emulator.url}/v1/test_helpers/shared_payment/granted_tokens`, {
    method: 'POST',
    headers: { authorization: `Bearer ${emulator.secretKey}`, 'stripe-version': PREVIEW_VERSION },
    body: form,
  });
  const { id } = (await response.json()) as { id: string };
  return id;
}

/**
 * Two tests for the end of a file: no secret of its callers or of the processor is in a log, and the ledger adds up after all
 * that was done.
 */
export function testAftermath(cardOf: () => CardRoute): void {
  describe('after all of this', () => {
    it('no secret of any caller, nor of the processor, is in a log', () => {
      const { logs, secrets } = cardOf();
      const log = logs.join('\n');
      expect([log.length > 10_000, secrets.size > 5]).toEqual([true, true]);
      for (const secret of secrets) expect(log.includes(secret)).toBe(false);
    });

    it('the whole ledger adds up, entry by entry, balance by balance and claim by claim', async () => {
      const headers = { 'x-svc-key': ADMIN_KEY };
      const { status, json } = await cardOf().call('POST', '/v1/admin/reconcile', {}, headers);
      expect([status, json.balanced, json.findings]).toEqual([200, true, []]);
    });
  });
}
