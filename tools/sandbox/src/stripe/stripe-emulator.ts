import { type AddressInfo, createServer as createNetServer } from 'node:net';
import fastify, { type FastifyInstance } from 'fastify';
import { accountRoutes } from './account/account-routes.js';
import { EmulatedAccount, randomId } from './account/emulated-account.js';
import { Journal } from './account/journal.js';
import { ObjectStore, type StripeObject } from './account/object-store.js';
import { serveApi } from './api/api-server.js';
import { isLoopbackHost } from './api/loopback.js';
import { type Route } from './api/route.js';
import { StripeError } from './api/stripe-error.js';
import { customerRoutes } from './billing/customer.js';
import { invoiceRoutes } from './billing/invoice.js';
import { priceRoutes } from './billing/price.js';
import {
  renewDue,
  renewSubscription,
  type Subscription,
  subscriptionRoutes,
} from './billing/subscription.js';
import { checkoutRoutes } from './checkout/checkout-routes.js';
import {
  type CheckoutSession,
  checkoutsDue,
  SESSION_KIND,
  settleCheckout,
} from './checkout/checkout-session.js';
import { servePages } from './checkout/hosted-pages.js';
import { serveControl } from './control/control-surface.js';
import { type FaultRule, Faults } from './control/faults.js';
import { chargeRoutes } from './payment/charge.js';
import { paymentIntentRoutes } from './payment/payment-intent-routes.js';
import { expireAuthorisations } from './payment/payment-intent.js';
import { refundRoutes, refundsDue } from './payment/refund.js';
import { sharedPaymentTokenRoutes } from './payment/shared-payment-token.js';
import {
  type DeliveryAttempt,
  RETRY_DELAYS_MS,
  type WebhookConduct,
  WebhookDelivery,
} from './webhook/webhook-delivery.js';

const BODY_BYTES_MAX = 64 * 1024;
const TICK_MS = 1_000;
const KEY_CHARACTERS_MIN = 16;

export interface StripeEmulatorOptions {
  /** 0, the default, takes the port of the state file again if it is free, else any. */
  port?: number;
  /** A loopback address; 127.0.0.1 without it. */
  host?: string;
  /** Where the state is kept over a restart; without it, it ends with the process. */
  stateFile?: string;
  /** Where events go: an address on this machine, or what tells it when it is known. */
  webhookUrl?: string | (() => string | undefined);
  /** `sk_test_…`; made and kept in the state without it. */
  secretKey?: string;
  /** `whsec_…`; made and kept in the state without it. */
  webhookSecret?: string;
  /** Milliseconds since 1970. */
  clock?: () => number;
  /** Waits before each further attempt at a webhook. */
  webhookRetryDelaysMs?: readonly number[];
  log?: (line: string) => void;
}

/** What a test does to the emulator, beside what Stripe's own interface offers. */
export interface StripeEmulatorControl {
  /** @throws Error for a rule that is none */
  fault(rule: FaultRule): void;
  clearFaults(): void;
  /** Those that still wait for their calls. */
  faults(): FaultRule[];
  configureWebhooks(conduct: WebhookConduct): void;
  redeliver(eventId: string): void;
  deliveries(): DeliveryAttempt[];
  /** Begins the next period now; with `fails`, the bank refuses to pay for it. */
  renewSubscription(subscriptionId: string, outcome?: { fails?: boolean }): void;
  /** Ends the bank debit of a checkout now. */
  settleBankDebit(sessionId: string, outcome?: { fails?: boolean }): void;
  /** Moves the clock of the account forwards, and does what falls due. */
  advance(seconds: number): void;
}

/** A running emulator. */
export interface StripeEmulator {
  url: string;
  port: number;
  secretKey: string;
  webhookSecret: string;
  control: StripeEmulatorControl;
  /** Until no webhook is under way and none is due. */
  idle(): Promise<void>;
  close(): Promise<void>;
}

/** What outlives a restart beside the objects. */
interface Settings extends StripeObject {
  object: 'emulator.settings';
  port: number;
  secretKey: string;
  webhookSecret: string;
}

const LOOPBACK_HOSTS = ['127.0.0.1', '::1', 'localhost'];

const ROUTES: readonly Route[] = [
  ...accountRoutes,
  ...chargeRoutes,
  ...paymentIntentRoutes,
  ...refundRoutes,
  ...sharedPaymentTokenRoutes,
  ...customerRoutes,
  ...priceRoutes,
  ...subscriptionRoutes,
  ...invoiceRoutes,
  ...checkoutRoutes,
];

/**
 * Starts a stand-in for Stripe on this machine: unmodified clients of Stripe's speak to it, and no
 * money moves.
 *
 * @throws Error in production, for an address that others reach, for a key that is not of test mode,
 * for a port that is taken
 * @example
 * const emulator = await startStripeEmulator({ webhookUrl: 'http://127.0.0.1:3000/webhooks/stripe' });
 * const { host, port } = { host: '127.0.0.1', port: emulator.port };
 * const stripe = new Stripe(emulator.secretKey, { host, port, protocol: 'http' });
 */
export async function startStripeEmulator(options: StripeEmulatorOptions = {}): Promise<StripeEmulator> {
  const { host = '127.0.0.1', clock = Date.now, log = () => undefined } = options;
  refuse(options, host);
  const store = new ObjectStore(new Journal(options.stateFile));
  const settings = settingsOf(store, options);
  const account = new EmulatedAccount(store, clock);
  const faults = new Faults();
  const webhooks = new WebhookDelivery({
    account,
    url: options.webhookUrl,
    secret: settings.webhookSecret,
    retryDelaysMs: options.webhookRetryDelaysMs ?? RETRY_DELAYS_MS,
    clock,
    log,
  });
  const server = createServer();
  const after = (change: () => void = () => undefined) => {
    change();
    fallDue(account);
    store.commit();
    webhooks.work();
  };
  const control = controlOf(account, faults, webhooks, after);
  const committed = () => webhooks.work();
  serveApi(server, ROUTES, { account, faults, secretKey: settings.secretKey, committed });
  servePages(server, account, committed);
  serveControl(server, control);
  settings.port = await listen(server, host, options.port ?? 0, settings.port);
  account.url = `http://${host.includes(':') ? `[${host}]` : host}:${settings.port}`;
  after(() => store.save(settings));
  const timer = setInterval(() => {
    try {
      after();
    } catch (error) {
      // Of an object whose parts were forgotten; what else is due is due again in a second.
      log(`what is due failed: ${error instanceof Error ? error.message : String(error)}`);
    }
  }, TICK_MS);
  timer.unref();
  const { secretKey, webhookSecret, port } = settings;
  return {
    url: account.url,
    port,
    secretKey,
    webhookSecret,
    control,
    idle: () => webhooks.idle(),
    close: async () => {
      clearInterval(timer);
      faults.clear();
      await server.close();
      await webhooks.close();
      store.close();
    },
  };
}

function controlOf(
  account: EmulatedAccount,
  faults: Faults,
  webhooks: WebhookDelivery,
  after: (change: () => void) => void,
): StripeEmulatorControl {
  return {
    fault: rule => faults.add(rule),
    clearFaults: () => faults.clear(),
    faults: () => faults.list(),
    configureWebhooks: conduct => webhooks.configure(conduct),
    redeliver: eventId => webhooks.redeliver(eventId),
    deliveries: () => webhooks.log(),
    renewSubscription: (id, outcome) =>
      after(() => renewSubscription(account, account.require<Subscription>('subscription', id), outcome)),
    settleBankDebit: (id, { fails = false } = {}) =>
      after(() => settleCheckout(account, account.require<CheckoutSession>(SESSION_KIND, id), fails)),
    advance: seconds => after(() => account.advance(seconds)),
  };
}

function refuse({ secretKey, webhookSecret }: StripeEmulatorOptions, host: string): void {
  if (process.env.NODE_ENV === 'production') {
    throw new Error('the Stripe emulator is a sandbox and does not start in production');
  }
  if (!LOOPBACK_HOSTS.includes(host))
    throw new Error(`the Stripe emulator listens on loopback, not on ${host}`);
  const isShort = (text: string) => text.length < KEY_CHARACTERS_MIN;
  if (secretKey !== undefined && (!secretKey.startsWith('sk_test_') || isShort(secretKey))) {
    throw new Error(`secretKey starts with sk_test_ and has at least ${KEY_CHARACTERS_MIN} characters`);
  }
  if (webhookSecret !== undefined && (!webhookSecret.startsWith('whsec_') || isShort(webhookSecret))) {
    throw new Error(`webhookSecret starts with whsec_ and has at least ${KEY_CHARACTERS_MIN} characters`);
  }
}

function settingsOf(store: ObjectStore, { secretKey, webhookSecret }: StripeEmulatorOptions): Settings {
  const kept = store.find<Settings>('emulator.settings', 'settings');
  return {
    id: 'settings',
    object: 'emulator.settings',
    port: kept?.port ?? 0,
    secretKey: secretKey ?? kept?.secretKey ?? randomId('sk_test_', 40),
    webhookSecret: webhookSecret ?? kept?.webhookSecret ?? randomId('whsec_', 32),
  };
}

/** What happens by itself when its time has come. */
function fallDue(account: EmulatedAccount): void {
  expireAuthorisations(account);
  checkoutsDue(account);
  renewDue(account);
  refundsDue(account);
}

function createServer(): FastifyInstance {
  const server = fastify({ bodyLimit: BODY_BYTES_MAX, forceCloseConnections: true, logger: false });
  // A page elsewhere whose name was made to lead here is refused by that name.
  server.addHook('onRequest', async (request, reply) => {
    if (isLoopbackHost(request.headers.host)) return;
    const error = { type: 'invalid_request_error', message: 'The sandbox answers on loopback alone.' };
    await reply.code(421).send({ error });
  });
  server.removeContentTypeParser('text/plain');
  server.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    (_request, body, done) => done(null, body),
  );
  server.setErrorHandler((error: Error & { statusCode?: number }, _request, reply) => {
    if (error instanceof StripeError) return reply.code(error.status).send({ error: error.body });
    const status = error.statusCode ?? 500;
    const type = status < 500 ? 'invalid_request_error' : 'api_error';
    return reply.code(status).send({ error: { type, message: status < 500 ? error.message : 'An error.' } });
  });
  return server;
}

async function listen(server: FastifyInstance, host: string, wanted: number, kept: number): Promise<number> {
  await server.listen({ host, port: wanted === 0 && (await isFree(host, kept)) ? kept : wanted });
  return (server.server.address() as AddressInfo).port;
}

function isFree(host: string, port: number): Promise<boolean> {
  if (port === 0) return Promise.resolve(false);
  return new Promise(resolve => {
    const probe = createNetServer();
    probe.once('error', () => resolve(false));
    probe.listen({ host, port, exclusive: true }, () => probe.close(() => resolve(true)));
  });
}
