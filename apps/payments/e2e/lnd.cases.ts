import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { paymentsContract } from '@svc/contracts';
import { decode } from 'light-bolt11-decoder';
import { LndLightning } from '../src/lightning/lnd-lightning.js';
import { lightningBackendOf, paymentKeysOf } from '../src/payments-config.js';
import { LndEmulator, MACAROON_HEX, TLS_CERTIFICATE } from './lnd-emulator.js';
import { foreignInvoice } from './refund-fixture.js';
import { type PaymentsFixture, startPayments } from './payments-fixture.js';

const order = { amountSats: 60, description: 'Valuation of a graded sports card', expirySeconds: 600 };

let emulator: LndEmulator;
let url: string;

const connect = (more: object = {}) =>
  new LndLightning({
    url,
    macaroonHex: MACAROON_HEX,
    tlsCertificate: TLS_CERTIFICATE,
    network: 'regtest',
    ...more,
  });

async function using<T>(node: LndLightning, work: (node: LndLightning) => Promise<T>): Promise<T> {
  try {
    return await work(node);
  } finally {
    node.close();
    emulator.misbehave = undefined;
    emulator.invoicedSats = undefined;
  }
}

export function describeLnd(): void {
  describe('lnd', () => {
    beforeAll(async () => {
      emulator = new LndEmulator();
      url = await emulator.listen();
    });
    afterAll(() => emulator.close());

    describe('LND over REST', () => {
      it('is asked for an invoice as its API names the fields, and answers one that reads as ordered', () =>
        using(connect(), async node => {
          const { invoice, paymentHash, expiresAtMs } = await node.createInvoice(order);
          expect(emulator.requests.at(-1)).toEqual({
            method: 'POST',
            path: '/v1/invoices',
            body: { value: '60', memo: order.description, expiry: '600' },
          });
          const { sections } = decode(invoice);
          const value = (name: string) =>
            (sections.find(section => section.name === name) as { value?: unknown }).value;
          expect([value('amount'), value('payment_hash'), value('description')]).toEqual([
            '60000',
            paymentHash,
            order.description,
          ]);
          expect(expiresAtMs - Date.now()).toBeGreaterThan(590_000);
        }));

      it('tells open, settled, cancelled and unknown invoices apart', () =>
        using(connect(), async node => {
          const first = await node.createInvoice(order);
          const second = await node.createInvoice(order);
          expect(await node.lookup(first)).toBe('open');
          emulator.finish(first.paymentHash, 'SETTLED');
          emulator.finish(second.paymentHash, 'CANCELED');
          expect(await node.lookup(first)).toBe('settled');
          expect(await node.lookup(second)).toBe('cancelled');
          expect(await node.lookup({ paymentHash: 'ab'.repeat(32) })).toBe('unknown');
        }));

      it('pays an invoice within a fee, says what became of it, and of a lost answer when it is asked', () =>
        using(connect(), async node => {
          const pay = (sats = 60) => {
            const foreign = foreignInvoice(sats);
            const paid = node.payInvoice({ ...foreign, amountSats: sats });
            return { ...foreign, paid };
          };
          const first = pay();
          expect(await first.paid).toBe('paid');
          expect(emulator.requests.at(-1)).toEqual({
            ...{ method: 'POST', path: '/v2/router/send' },
            body: {
              ...{ payment_request: first.invoice, timeout_seconds: 15, no_inflight_updates: true },
              fee_limit_sat: '10',
            },
          });
          expect(await node.paymentOf(first.paymentHash)).toBe('paid');
          expect(await node.paymentOf('ab'.repeat(32))).toBe('none');
          emulator.paying = 'fails';
          const refused = pay();
          expect([await refused.paid, await node.paymentOf(refused.paymentHash)]).toEqual([
            'failed',
            'failed',
          ]);
          emulator.paying = 'loses';
          const lost = pay();
          await expect(lost.paid).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
          emulator.paying = 'pays';
          expect(await node.paymentOf(lost.paymentHash)).toBe('paid');
          // Sent again, it is no failure: the node says that it was paid, and that is no word on this call.
          await expect(node.payInvoice({ ...lost, amountSats: 60 })).rejects.toThrow();
          emulator.misbehave = response =>
            response.writeHead(500).end(JSON.stringify({ code: 2, message: 'permission denied' }));
          expect(await pay().paid).toBe('failed');
          emulator.misbehave = response =>
            response.end('{"result":{"status":"IN_FLIGHT"}}\n{"result":{"status":"SUCCEEDED"}}\n');
          expect(await pay().paid).toBe('paid');
        }));

      it('is ready only when it follows the chain', async () => {
        emulator.syncedToChain = false;
        expect(await using(connect(), node => node.isReady())).toBe(false);
        emulator.syncedToChain = true;
        expect(await using(connect(), node => node.isReady())).toBe(true);
        expect(await using(connect({ macaroonHex: '00' }), node => node.isReady())).toBe(false);
      });

      it('is not spoken to when its certificate is not the one that is pinned', async () => {
        const before = emulator.requests.length;
        await using(connect({ tlsCertificate: undefined }), node =>
          expect(node.createInvoice(order)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' }),
        );
        expect(emulator.requests).toHaveLength(before);
      });

      it.each([
        ['no JSON', (node: LndEmulator) => (node.misbehave = response => response.end('<html>'))],
        [
          'more than is read',
          (node: LndEmulator) => (node.misbehave = response => response.end('x'.repeat(300_000))),
        ],
        ['a broken connection', (node: LndEmulator) => (node.misbehave = response => response.destroy())],
        [
          'an invoice that is none',
          (node: LndEmulator) =>
            (node.misbehave = response => response.end('{"payment_request":"lnbcrt1","r_hash":"AA=="}')),
        ],
        ['an invoice for another amount', (node: LndEmulator) => (node.invoicedSats = 1)],
      ])('that answers %s is away, and nothing of its answer leaks', async (_name, arrange) => {
        arrange(emulator);
        await using(connect(), async node => {
          const error = await node.createInvoice(order).catch((thrown: unknown) => thrown);
          expect(error).toMatchObject({ code: 'SERVICE_UNAVAILABLE', message: 'The Lightning node is away' });
        });
      });
    });

    describe('payments over LND', () => {
      let payments: PaymentsFixture;
      beforeAll(async () => {
        payments = await startPayments({ lightning: connect() });
      });
      afterAll(() => payments.close());

      async function challenged() {
        const { offers } = await payments.bus.call(paymentsContract.challenge, {
          operationId: 'zk.prove',
          realm: 'r',
        });
        const { wwwAuthenticate = '' } = offers[0];
        const invoice = /invoice="([^"]*)"/.exec(wwwAuthenticate)![1];
        const hash = decode(invoice).sections.find(section => section.name === 'payment_hash') as {
          value: string;
        };
        return { token: /macaroon="([^"]*)"/.exec(wwwAuthenticate)![1], paymentHash: hash.value };
      }
      const claim = (token: string, preimage: string) =>
        payments.bus.call(paymentsContract.claim, {
          operationId: 'zk.prove',
          requestDigest: 'ab'.repeat(32),
          credential: { scheme: 'L402', value: `${token}:${preimage}` },
        });

      it('takes a settled invoice, and no preimage of one that the node does not call settled', async () => {
        const settled = await challenged();
        const cancelled = await challenged();
        expect(await claim(settled.token, emulator.finish(settled.paymentHash, 'SETTLED'))).toMatchObject({
          outcome: 'claimed',
        });
        await expect(
          claim(cancelled.token, emulator.finish(cancelled.paymentHash, 'CANCELED')),
        ).rejects.toMatchObject({
          code: 'PAYMENT_INVALID',
        });
      });

      it('answers 503 and never a fresh 402 while the node cannot be asked, and takes the payment afterwards', async () => {
        const { token, paymentHash } = await challenged();
        const preimage = emulator.finish(paymentHash, 'SETTLED');
        emulator.misbehave = response => response.destroy();
        await expect(claim(token, preimage)).rejects.toMatchObject({
          code: 'SETTLEMENT_UNKNOWN',
          payload: { retryAfterSeconds: 5 },
        });
        emulator.misbehave = undefined;
        expect(await claim(token, preimage)).toMatchObject({ outcome: 'claimed' });
      });

      it('has no sandbox wallet', async () => {
        await expect(
          payments.bus.call(paymentsContract.sandboxPay, { invoice: 'lnbcrt1' }),
        ).rejects.toMatchObject({ code: 'FORBIDDEN' });
        expect(await payments.bus.call(paymentsContract.rails, {})).toMatchObject({ sandbox: false });
      });

      it('is the only choice in production, and refuses half a configuration by name', () => {
        const production = { ...payments.environment, production: true };
        expect(() => lightningBackendOf(production, {})).toThrow(/LND_REST_URL/);
        expect(() => lightningBackendOf(production, { LND_REST_URL: url })).toThrow(/LND_MACAROON_HEX/);
        expect(() =>
          lightningBackendOf(production, { LND_REST_URL: 'http://lnd.example:8080', LND_MACAROON_HEX: '00' }),
        ).toThrow(/https/);
        expect(() => paymentKeysOf({ ...production, secrets: {} })).toThrow(
          /PAYMENTS_SECRET[\s\S]*MACAROON_SECRET/,
        );
        expect(lightningBackendOf(production, { LND_REST_URL: url, LND_MACAROON_HEX: '00' }).kind).toBe(
          'lnd',
        );
      });
    });
  });
}
