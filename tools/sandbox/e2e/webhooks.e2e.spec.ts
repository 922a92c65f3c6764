import { join } from 'node:path';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import Stripe from 'stripe';
import { startStripeEmulator, type StripeEmulator } from '../src/stripe/stripe-emulator.js';
import { clientOf, type Receiver, startReceiver } from './emulated-stripe.js';

const DAY_MS = 86_400_000;

let receiver: Receiver;
let emulator: StripeEmulator;
let stripe: Stripe;
/** By which the emulator's clock is ahead. */
let passedMs = 0;

beforeEach(async () => {
  passedMs = 0;
  receiver = await startReceiver();
  emulator = await startStripeEmulator({
    ...{ webhookUrl: receiver.url, webhookRetryDelaysMs: [5, 10, 20] },
    clock: () => Date.now() + passedMs,
  });
  stripe = clientOf(emulator);
});
afterEach(async () => {
  await emulator.close();
  await receiver.close();
});

const received = () =>
  receiver.arrivals.map(({ body, signature }) =>
    stripe.webhooks.constructEvent(body, signature, emulator.webhookSecret),
  );
const settled = async (deliveries: number) => {
  while (emulator.control.deliveries().length < deliveries)
    await new Promise(resolve => setTimeout(resolve, 5));
  await emulator.idle();
};

it('signs each event so that stripe-node believes it, and nobody else', async () => {
  const customer = await stripe.customers.create({ email: 'ü@example.com' });
  await emulator.idle();
  const [event] = received();
  expect(event).toMatchObject({ type: 'customer.created', data: { object: { id: customer.id } } });
  expect(await stripe.events.retrieve(event.id)).toMatchObject({ id: event.id, pending_webhooks: 0 });
  const [{ body, signature }] = receiver.arrivals;
  const { webhookSecret } = emulator;
  expect(() => stripe.webhooks.constructEvent(`${body} `, signature, webhookSecret)).toThrow();
  expect(() => stripe.webhooks.constructEvent(body, signature, 'whsec_of_somebody_else')).toThrow();
});

it('is sent again until it is taken, waiting longer, and given up in the end', async () => {
  receiver.statuses.push(500, 302, 204);
  await stripe.customers.create({});
  await settled(3);
  expect(received().map(({ id }) => id)).toEqual(Array(3).fill(received()[0].id));
  expect(emulator.control.deliveries().map(({ attempt, status }) => [attempt, status])).toEqual([
    [3, 204],
    [2, 302],
    [1, 500],
  ]);
  receiver.statuses.push(500, 500, 500, 500, 500);
  await stripe.customers.create({});
  await settled(7);
  // Nothing is due later either.
  passedMs += DAY_MS;
  await emulator.idle();
  expect(receiver.arrivals).toHaveLength(7);
});

it('comes twice, and the newest first, on demand; and once more when asked', async () => {
  emulator.control.configureWebhooks({ paused: true, duplicates: 1, order: 'reversed' });
  const { id: first } = await stripe.customers.create({});
  const { id: second } = await stripe.customers.create({});
  await emulator.idle();
  expect(receiver.arrivals).toHaveLength(0);
  emulator.control.configureWebhooks({ paused: false });
  await emulator.idle();
  const ids = () => received().map(event => (event.data.object as { id: string }).id);
  expect(ids()).toEqual([second, second, first, first]);
  const newest = emulator.control.deliveries().at(-1)!;
  expect(newest.event).toBe((await stripe.events.list({ limit: 1 })).data[0].id);
  emulator.control.redeliver(newest.event);
  await emulator.idle();
  expect(receiver.arrivals).toHaveLength(5);
});

it('waits for a receiver that has no address yet, and survives a restart on the way', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'stripe-webhooks-'));
  const stateFile = join(folder, 'state');
  const address: { url?: string } = {};
  const first = await startStripeEmulator({ stateFile, webhookUrl: () => address.url });
  const { id } = await clientOf(first).customers.create({});
  await first.idle();
  await first.close();
  expect(receiver.arrivals).toHaveLength(0);
  address.url = receiver.url;
  const second = await startStripeEmulator({ stateFile, webhookUrl: () => address.url });
  while (receiver.arrivals.length === 0) await new Promise(resolve => setTimeout(resolve, 20));
  await second.close();
  rmSync(folder, { recursive: true, force: true });
  expect(JSON.parse(receiver.arrivals[0].body)).toMatchObject({ data: { object: { id } } });
});

it('goes nowhere but to this machine', async () => {
  const away = await startStripeEmulator({
    webhookUrl: 'http://192.0.2.1/webhooks',
    webhookRetryDelaysMs: [],
  });
  await clientOf(away).customers.create({});
  await away.idle();
  expect(away.control.deliveries()).toMatchObject([{ error: 'the receiver is not on this machine' }]);
  await away.close();
});
