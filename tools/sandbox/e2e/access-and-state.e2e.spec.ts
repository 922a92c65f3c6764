import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Stripe from 'stripe';
import { Journal } from '../src/stripe/account/journal.js';
import { ObjectStore } from '../src/stripe/account/object-store.js';
import { startStripeEmulator } from '../src/stripe/stripe-emulator.js';
import { clientOf, NO_REDIRECTS, refusalOf, startEmulatedStripe } from './emulated-stripe.js';

const folder = mkdtempSync(join(tmpdir(), 'stripe-emulator-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const PARAMS = {
  amount: 50,
  currency: 'usd',
  confirm: true,
  payment_method: 'pm_card_visa',
  automatic_payment_methods: NO_REDIRECTS,
} satisfies Stripe.PaymentIntentCreateParams;

describe('access', () => {
  it('does not start in production, off loopback, or with a key that is not of test mode', async () => {
    const before = process.env.NODE_ENV;
    process.env.NODE_ENV = 'production';
    try {
      await expect(startStripeEmulator()).rejects.toThrow('production');
    } finally {
      process.env.NODE_ENV = before;
    }
    await expect(startStripeEmulator({ host: '0.0.0.0' })).rejects.toThrow('loopback');
    await expect(startStripeEmulator({ secretKey: 'sk_live_0123456789abcdef' })).rejects.toThrow('sk_test_');
    await expect(startStripeEmulator({ secretKey: 'sk_test_1' })).rejects.toThrow('characters');
    await expect(startStripeEmulator({ webhookSecret: 'secret-0123456789' })).rejects.toThrow('whsec_');
  });

  it('answers its key alone, as bearer or as basic, and never repeats a wrong one', async () => {
    const { emulator } = await startEmulatedStripe();
    try {
      const wrong = 'sk_test_thisIsTheWrongKeyOfSomebody';
      const { port } = emulator;
      const stranger = new Stripe(wrong, { host: '127.0.0.1', port, protocol: 'http', maxNetworkRetries: 0 });
      const error = await refusalOf(stranger.balance.retrieve());
      expect(error).toMatchObject({ type: 'StripeAuthenticationError', statusCode: 401 });
      expect(error.message).toContain('sk_test_');
      expect(error.message).not.toContain(wrong);
      const plain = (authorization?: string) =>
        fetch(`${emulator.url}/v1/balance`, { headers: authorization ? { authorization } : {} });
      expect((await plain()).status).toBe(401);
      expect((await plain(`Basic ${btoa(`${emulator.secretKey}:`)}`)).status).toBe(200);
      expect((await plain(`Bearer ${emulator.secretKey}x`)).status).toBe(401);
    } finally {
      await emulator.close();
    }
  });

  it('refuses other hosts, unknown versions and paths, and bodies over 64 KiB', async () => {
    const { emulator } = await startEmulatedStripe();
    try {
      const headers = { authorization: `Bearer ${emulator.secretKey}` };
      const statusOfHost = await new Promise<number>((resolve, reject) => {
        const options = {
          port: emulator.port,
          path: '/v1/balance',
          headers: { ...headers, host: 'evil.example' },
        };
        request(options, answer => resolve(answer.resume().statusCode!))
          .on('error', reject)
          .end();
      });
      expect(statusOfHost).toBe(421);
      const get = (path: string, more = {}) =>
        fetch(emulator.url + path, { headers: { ...headers, ...more } });
      expect((await get('/v1/balance', { 'stripe-version': 'new' })).status).toBe(400);
      expect((await get('/v1/balance', { 'stripe-version': '2020-08-27' })).status).toBe(200);
      const unknown = await get('/v1/nothing');
      expect([unknown.status, await unknown.json()]).toMatchObject([
        404,
        { error: { type: 'invalid_request_error' } },
      ]);
      const send = (body: string) =>
        fetch(`${emulator.url}/v1/customers`, {
          method: 'POST',
          headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' },
          body,
        });
      expect((await send(`name=${'x'.repeat(65_536)}`)).status).toBe(413);
      expect((await send('name=%E0%A4')).status).toBe(400);
      expect((await send('name[a]=1')).status).toBe(400);
      expect((await send('__proto__[x]=1')).status).toBe(400);
      expect((await send('metadata[__proto__]=1')).status).toBe(200);
      expect(({} as { x?: string }).x).toBeUndefined();
    } finally {
      await emulator.close();
    }
  });

  it('pages through a list from either end, and expands what can be expanded', async () => {
    const { emulator, stripe } = await startEmulatedStripe();
    try {
      const ids: string[] = [];
      for (let i = 0; i < 7; i++) ids.unshift((await stripe.customers.create({ name: `n${i}` })).id);
      const all: string[] = [];
      for await (const { id } of stripe.customers.list({ limit: 3 })) all.push(id);
      expect(all).toEqual(ids);
      const before = await stripe.customers.list({ limit: 2, ending_before: ids[3] });
      expect([before.data.map(({ id }) => id), before.has_more]).toEqual([ids.slice(1, 3), true]);
      await refusalOf(stripe.customers.list({ limit: 101 }));
      await refusalOf(stripe.customers.list({ starting_after: 'cus_none' }));
      await stripe.paymentIntents.create(PARAMS);
      const expand = ['data.latest_charge.payment_method_details', 'data.latest_charge'];
      await stripe.paymentIntents.list({ expand });
      const error = await refusalOf(stripe.paymentIntents.list({ expand: ['data.amount'] }));
      expect(error.statusCode).toBe(400);
    } finally {
      await emulator.close();
    }
  });
});

describe('state', () => {
  it('outlives a restart: port, keys, objects, kept answers', async () => {
    const stateFile = join(folder, 'restart', 'state');
    const first = await startStripeEmulator({ stateFile });
    const paid = await clientOf(first).paymentIntents.create(PARAMS, { idempotencyKey: 'once' });
    await first.close();
    const second = await startStripeEmulator({ stateFile });
    try {
      expect([second.port, second.secretKey, second.webhookSecret]).toEqual([
        first.port,
        first.secretKey,
        first.webhookSecret,
      ]);
      const again = await clientOf(second).paymentIntents.create(PARAMS, { idempotencyKey: 'once' });
      expect(again.id).toBe(paid.id);
      expect((await clientOf(second).charges.list()).data).toHaveLength(1);
    } finally {
      await second.close();
    }
  });

  it('takes another port where its own is taken', async () => {
    const stateFile = join(folder, 'port');
    const first = await startStripeEmulator({ stateFile });
    try {
      const second = await startStripeEmulator({ stateFile });
      expect(second.port).not.toBe(first.port);
      await second.close();
    } finally {
      await first.close();
    }
  });

  it('is on disk before the answer goes out, whole or not at all, and its keys readable by its owner alone', async () => {
    const stateFile = join(folder, 'killed');
    const emulator = await startStripeEmulator({ stateFile });
    const paid = await clientOf(emulator).paymentIntents.create(PARAMS, { idempotencyKey: 'killed' });
    // What a kill leaves behind, and one in the middle of the next write.
    const copy = join(folder, 'copy');
    const text = readFileSync(stateFile, 'utf8');
    writeFileSync(copy, text);
    const lines = text.trimEnd().split('\n');
    appendFileSync(copy, lines[lines.length - 1].slice(0, 200));
    expect(statSync(stateFile).mode & 0o077).toBe(0);
    await emulator.close();
    const after = await startStripeEmulator({ stateFile: copy });
    const found = await clientOf(after).paymentIntents.retrieve(paid.id);
    expect(found).toMatchObject({ status: 'succeeded' });
    const more = await clientOf(after).customers.create({});
    await after.close();
    const last = await startStripeEmulator({ stateFile: copy });
    expect(await clientOf(last).customers.retrieve(more.id)).toMatchObject({ id: more.id });
    await last.close();
  });

  it('keeps a bounded number of objects of a kind, the newest', () => {
    const file = join(folder, 'bounded');
    const store = new ObjectStore(new Journal(file), 10);
    for (let i = 0; i < 100; i++) store.save({ id: `e${i}`, object: 'event' });
    store.close();
    const read = new ObjectStore(new Journal(file), 10);
    const ids = read.all('event').map(({ id }) => id);
    expect(ids).toEqual(Array.from({ length: 10 }, (_, i) => `e${99 - i}`));
    read.close();
  });
});
