import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { paymentsContract } from '@svc/contracts';
import { decode } from 'light-bolt11-decoder';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ClnLightning } from '../src/lightning/cln-lightning.js';
import { lightningBackendOf, paymentsFaults } from '../src/payments-config.js';
import { ClnEmulator, RUNE, TLS_CERTIFICATE } from './cln-emulator.js';
import { foreignInvoice } from './refund-fixture.js';
import { type PaymentsFixture, SECRETS, startPayments } from './payments-fixture.js';

const order = { amountSats: 60, description: 'Valuation of a graded sports card', expirySeconds: 600 };

let emulator: ClnEmulator;
let url: string;

const connect = (more: object = {}) =>
  new ClnLightning({ url, rune: RUNE, tlsCertificate: TLS_CERTIFICATE, network: 'regtest', ...more });

async function using<T>(node: ClnLightning, work: (node: ClnLightning) => Promise<T>): Promise<T> {
  try {
    return await work(node);
  } finally {
    node.close();
    emulator.misbehave = undefined;
    emulator.invoicedMsat = undefined;
    emulator.receivedMsat = undefined;
    emulator.info = {};
  }
}

export function describeCln(): void {
  describe('cln', () => {
    beforeAll(async () => {
      emulator = new ClnEmulator();
      url = await emulator.listen();
    });
    afterAll(() => emulator.close());

    describe('Core Lightning over clnrest', () => {
      it('pays an invoice within a fee, says what became of it, and of a lost answer when it is asked', () =>
        using(connect(), async node => {
          const pay = () => {
            const foreign = foreignInvoice(60);
            return { ...foreign, paid: node.payInvoice({ ...foreign, amountSats: 60 }) };
          };
          const first = pay();
          expect(await first.paid).toBe('paid');
          expect(emulator.requests.at(-1)).toEqual({
            ...{ method: 'POST', path: '/v1/pay' },
            body: { bolt11: first.invoice, retry_for: 15, maxfee: 10_000 },
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
          const odd = (status: number, json: object) => {
            emulator.misbehave = response => response.writeHead(status).end(JSON.stringify(json));
            return pay().paid;
          };
          expect(await odd(401, { code: 1502, message: 'Not authorized' })).toBe('failed');
          expect(await odd(201, { status: 'pending' })).toBe('pending');
          await expect(odd(500, { code: 200, message: 'Other payment in progress' })).rejects.toThrow();
        }));

      it('is asked for an invoice as its schema names the fields, and answers one that reads as ordered', () =>
        using(connect(), async node => {
          const { invoice, paymentHash, expiresAtMs } = await node.createInvoice(order);
          expect(emulator.requests.at(-1)).toEqual({
            method: 'POST',
            path: '/v1/invoice',
            body: {
              amount_msat: 60_000,
              label: expect.stringMatching(/^svc-[0-9a-f-]{36}$/),
              description: order.description,
              expiry: 600,
            },
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
          // A label that was used is refused by the node.
          expect((await node.createInvoice(order)).paymentHash).not.toBe(paymentHash);
        }));

      it('tells open, settled, expired and unknown invoices apart', () =>
        using(connect(), async node => {
          const [first, second] = [await node.createInvoice(order), await node.createInvoice(order)];
          expect(await node.lookup(first)).toBe('open');
          emulator.finish(first.paymentHash, 'paid');
          emulator.finish(second.paymentHash, 'expired');
          expect(await node.lookup(first)).toBe('settled');
          expect(await node.lookup(second)).toBe('cancelled');
          expect(await node.lookup({ paymentHash: 'ab'.repeat(32) })).toBe('unknown');
        }));

      it.each([
        [60_000, 'settled'],
        [60_001, 'settled'],
        ['60000msat', 'settled'],
        [59_999, 'open'],
        ['60', 'open'],
        ['60sat', 'open'],
        ['', 'open'],
      ])('calls an invoice for 60 sats that %p arrived for %s', (received, state) =>
        using(connect(), async node => {
          const invoice = await node.createInvoice(order);
          emulator.finish(invoice.paymentHash, 'paid');
          emulator.receivedMsat = received;
          expect(await node.lookup(invoice)).toBe(state);
        }),
      );

      it('is ready when it is of the network, follows the chain, and takes the rune', async () => {
        const readyWith = (info: object, more: object = {}) =>
          using(connect(more), node => {
            emulator.info = { ...info };
            return node.isReady();
          });
        expect(await readyWith({})).toBe(true);
        expect(await readyWith({ network: 'bitcoin' })).toBe(false);
        expect(await readyWith({ warning_bitcoind_sync: 'Bitcoind is not up-to-date with network.' })).toBe(
          false,
        );
        expect(await readyWith({ warning_lightningd_sync: 'Still loading latest blocks' })).toBe(false);
        expect(await readyWith({}, { network: 'mainnet' })).toBe(false);
        expect(await readyWith({}, { rune: 'a'.repeat(20) })).toBe(false);
      });

      it('is not spoken to when its certificate is not the one that is pinned', async () => {
        const before = emulator.requests.length;
        await using(connect({ tlsCertificate: undefined }), node =>
          expect(node.createInvoice(order)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' }),
        );
        expect(emulator.requests).toHaveLength(before);
      });

      it.each<[string, (node: ClnEmulator) => void]>([
        ['no JSON', node => (node.misbehave = response => response.end('<html>'))],
        ['more than is read', node => (node.misbehave = response => response.end('x'.repeat(300_000)))],
        ['a broken connection', node => (node.misbehave = response => response.destroy())],
        [
          'an error',
          node =>
            (node.misbehave = response => response.writeHead(500).end('{"code":-1,"message":"secret"}')),
        ],
        [
          'an invoice that is none',
          node =>
            (node.misbehave = response =>
              response.writeHead(201).end('{"bolt11":"lnbcrt1","payment_hash":"00"}')),
        ],
        ['an invoice for another amount', node => (node.invoicedMsat = 1_000)],
      ])('that answers %s is away, and nothing of its answer leaks', async (_name, arrange) => {
        arrange(emulator);
        await using(connect(), async node => {
          const error = await node.createInvoice(order).catch((thrown: unknown) => thrown);
          expect(error).toMatchObject({ code: 'SERVICE_UNAVAILABLE', message: 'The Lightning node is away' });
        });
      });

      it('that looks up another invoice than it was asked for is away', () =>
        using(connect(), async node => {
          const json = JSON.stringify({ invoices: [{ payment_hash: 'cd'.repeat(32), status: 'paid' }] });
          emulator.misbehave = response => response.writeHead(201).end(json);
          await expect(node.lookup({ paymentHash: 'ab'.repeat(32) })).rejects.toMatchObject({
            code: 'SERVICE_UNAVAILABLE',
          });
        }));
    });

    describe('payments over Core Lightning', () => {
      let payments: PaymentsFixture;
      beforeAll(async () => {
        payments = await startPayments({ lightning: connect() });
      });
      afterAll(() => payments.close());

      it('take a settled invoice, answer 503 while the node cannot be asked, and refuse one that is not paid', async () => {
        const challenged = async () => {
          const { offers } = await payments.bus.call(paymentsContract.challenge, {
            operationId: 'zk.prove',
            realm: 'r',
          });
          const { wwwAuthenticate = '' } = offers[0];
          const invoice = /invoice="([^"]*)"/.exec(wwwAuthenticate)![1];
          const hash = decode(invoice).sections.find(section => section.name === 'payment_hash');
          return {
            token: /macaroon="([^"]*)"/.exec(wwwAuthenticate)![1],
            paymentHash: (hash as { value: string }).value,
          };
        };
        const claim = (token: string, preimage: string) =>
          payments.bus.call(paymentsContract.claim, {
            operationId: 'zk.prove',
            requestDigest: 'ab'.repeat(32),
            credential: { scheme: 'L402', value: `${token}:${preimage}` },
          });
        const [settled, expired] = [await challenged(), await challenged()];
        const preimage = emulator.finish(settled.paymentHash, 'paid');
        emulator.misbehave = response => response.destroy();
        await expect(claim(settled.token, preimage)).rejects.toMatchObject({ code: 'SETTLEMENT_UNKNOWN' });
        emulator.misbehave = undefined;
        expect(await claim(settled.token, preimage)).toMatchObject({ outcome: 'claimed' });
        await expect(
          claim(expired.token, emulator.finish(expired.paymentHash, 'expired')),
        ).rejects.toMatchObject({ code: 'PAYMENT_INVALID' });
        expect(await payments.bus.call(paymentsContract.rails, {})).toMatchObject({
          rails: ['l402', 'mpp-lightning'],
          sandbox: false,
        });
      });
    });

    describe('the configuration of Core Lightning', () => {
      const known = { production: true, secrets: { ...SECRETS, SANDBOX_LIGHTNING_KEY: '' } };
      const variables = {
        ...{ CLN_REST_URL: 'https://cln.example:3010', CLN_RUNE: RUNE },
        PUBLIC_URL: 'https://svc.example',
      };

      it('is enough for production, with the certificate of the node or without', async () => {
        const path = join(tmpdir(), `cln-${process.pid}.pem`);
        await writeFile(path, TLS_CERTIFICATE);
        for (const more of [{}, { CLN_TLS_CERT_PATH: path }]) {
          const node = lightningBackendOf(known, { ...variables, ...more });
          expect([node.kind, node.network]).toEqual(['cln', 'mainnet']);
          node.close();
        }
        const signet = { ...variables, CLN_NETWORK: 'signet' };
        const tried = lightningBackendOf({ ...known, production: false }, signet);
        expect(tried.network).toBe('signet');
        tried.close();
      });

      it('names every fault at once, and does not repeat the rune', () => {
        const faults = paymentsFaults(known, {
          CLN_REST_URL: 'http://cln.example:3010',
          CLN_RUNE: 'not a rune',
          CLN_TLS_CERT_PATH: '/nowhere/ca.pem',
          CLN_NETWORK: 'bitcoin',
          PUBLIC_URL: 'https://svc.example',
        });
        expect(faults).toEqual([
          'CLN_REST_URL: must be https://host:port',
          'CLN_RUNE: must be a rune, base64 for URLs',
          expect.stringMatching(/^CLN_NETWORK: /),
          'CLN_TLS_CERT_PATH: cannot be read (ENOENT)',
        ]);
        const { CLN_RUNE: _none, ...without } = variables;
        expect(paymentsFaults(known, without)).toEqual(['CLN_RUNE: is not set']);
      });

      it('beside LND is refused: one node takes the payments', () => {
        const both = { ...variables, LND_REST_URL: 'https://lnd.example:8080', LND_MACAROON_HEX: '00' };
        expect(paymentsFaults(known, both)).toEqual([
          'CLN_REST_URL: is set beside LND_REST_URL; one node takes the payments',
        ]);
        expect(() => lightningBackendOf(known, both)).toThrow(/CLN_REST_URL/);
      });
    });
  });
}
