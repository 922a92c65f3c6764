import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { fetchWithL402 } from '@getalby/lightning-tools/402/l402';
import { findAnvil } from '@svc/sandbox';
import { AlbyWallet, MemoryTokenStore, setupL402Interceptor } from 'l402';
import { Challenge, Credential } from 'mppx';
import { Mppx, stripe as stripeMethod } from 'mppx/client';
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AllRails } from './all-rails-fixture.js';
import { type Answer, payInvoice, post } from './paid-call.js';
import { fetchV1, fetchV2, fundedWallet } from './x402-wallet.js';

const MPPX = join(createRequire(import.meta.url).resolve('mppx'), '../bin.js');
/** The very axios that the client under test brings along. */
const { default: axios } = createRequire(createRequire(import.meta.url).resolve('l402'))(
  'axios',
) as typeof import('axios');

const [CHALLENGE, VERIFY, EXECUTE] = ['/v1/x402/challenge', '/v1/x402/verify', '/v1/x402/execute'];

let rails: AllRails;
let home: string;
const at = (path: string) => rails.route.address + path;
const JSON_TYPE = { 'content-type': 'application/json' };
/** A licence that no other call of these tests asks for. */
const licence = () => ({ licenseeAgentId: `agent-${crypto.randomUUID()}` });

/** Runs the tool of a ticket. */
const execute = (ticket: unknown): Promise<Answer> =>
  post(at(EXECUTE), licence(), { 'X-Execution-Ticket': String(ticket) });

interface Sold {
  readonly status?: unknown;
  readonly ticket?: unknown;
  readonly walCount?: unknown;
  readonly m2mLicenseToken?: unknown;
}
const expectTicket = (sold: Sold) =>
  expect(sold).toMatchObject({ status: 'PAYMENT_CLEARED', ticket: expect.stringMatching(/^tkt_/) });
const expectLicence = (sold: Sold) =>
  expect(sold).toMatchObject({
    status: 'COMPLETED',
    walCount: 10,
    m2mLicenseToken: expect.stringMatching(/^m2m1\./),
  });

/** A call as a client makes it that pays by itself: the body of its answer, and the headers. */
type PayingCall = (path: string, body: object) => Promise<{ json: Sold; headers: Headers }>;

const overFetch =
  (fetchOf: () => Promise<typeof fetch> | typeof fetch): PayingCall =>
  async (path, body) => {
    const paying = await fetchOf();
    const init = { method: 'POST', headers: JSON_TYPE, body: JSON.stringify(body) };
    const response = await paying(at(path), init);
    return { json: (await response.json()) as Sold, headers: response.headers };
  };

const mppx = overFetch(() => {
  const createToken = ({ paymentMethod }: { paymentMethod?: string }) => rails.mintToken(paymentMethod);
  const methods = [stripeMethod({ paymentMethod: 'pm_card_visa', createToken })];
  return Mppx.create({ polyfill: false, methods }).fetch as typeof fetch;
});

const lightningTools = overFetch(
  () => (input, init) =>
    fetchWithL402(input as string, init ?? {}, {
      wallet: {
        payInvoice: async ({ invoice }: { invoice: string }) => ({
          preimage: await payInvoice(rails.route.address, invoice),
        }),
      },
    }),
);

const l402: PayingCall = async (path, body) => {
  const client = axios.create({ baseURL: rails.route.address });
  const account = {
    sendPayment: async ({ invoice }: { invoice: string }) => ({
      payment_preimage: await payInvoice(rails.route.address, invoice),
    }),
  };
  setupL402Interceptor(client, new AlbyWallet(account as never), new MemoryTokenStore());
  const { data, headers } = await client.post(path, body);
  return { json: data, headers: new Headers(headers as Record<string, string>) };
};

const x402v2 = overFetch(async () => fetchV2(await fundedWallet(rails.chain!)));
const x402v1 = overFetch(async () => {
  const wallet = await fundedWallet(rails.chain!);
  // Clients of version 1 know nothing of the header; the library that stands for them here knows both.
  const withoutHeader: typeof fetch = async (input, init) => {
    const response = await fetch(input, init);
    const headers = new Headers(response.headers);
    headers.delete('PAYMENT-REQUIRED');
    return new Response(await response.arrayBuffer(), { status: response.status, headers });
  };
  return fetchV1(wallet, withoutHeader);
});

/** The program as it is published; the JSON of its output. */
const mppxProgram: PayingCall = async (path, body) => {
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    MPPX_STRIPE_SECRET_KEY: rails.emulator.secretKey,
    MPPX_STRIPE_SPT_URL: `${rails.emulator.url}/v1/test_helpers/shared_payment/granted_tokens`,
  };
  const argv = [MPPX, at(path), '-J', JSON.stringify(body), '-M', 'paymentMethod=pm_card_visa', '-i', '-v'];
  const output = await new Promise<string>(resolve =>
    execFile(process.execPath, argv, { env, timeout: 60_000 }, (_error, stdout, stderr) =>
      resolve(`${stdout}\n${stderr}`),
    ),
  );
  const found = output.split('\n').find(line => line.startsWith('{'));
  const headers = output.matchAll(/^\s*([\w-]+): (.*)$/gm);
  return {
    json: JSON.parse(found ?? '{}') as Sold,
    headers: new Headers([...headers].map(([, name, value]): [string, string] => [name, value])),
  };
};

const CLIENTS: [name: string, call: PayingCall][] = [
  ['mppx', mppx],
  ['the program mppx', mppxProgram],
  ['the L402 fetch of @getalby/lightning-tools', lightningTools],
  ['l402 for axios', l402],
];
const ON_CHAIN: typeof CLIENTS = [
  ['@x402/fetch of version 2', x402v2],
  ['@x402/fetch of version 1', x402v1],
];
const hasAnvil = findAnvil() !== undefined;

/** @param names clients that buy; all of them by default */
export function describeTicketClients(railsOf: () => AllRails, names?: readonly string[]): void {
  const asked = ([name]: [string, PayingCall]) => names?.includes(name) ?? true;
  const tried = [...CLIENTS, ...(hasAnvil ? ON_CHAIN : [])].filter(asked);
  beforeAll(async () => {
    [rails, home] = [railsOf(), await mkdtemp(join(tmpdir(), 'mppx-'))];
  });
  afterAll(() => rm(home, { recursive: true, force: true }));
  if (!hasAnvil && ON_CHAIN.some(asked))
    it.each(ON_CHAIN.filter(asked))('%s needs anvil', () => console.log('SKIPPED: anvil is not installed'));

  describe.each(tried)('%s, unmodified', (_, call) => {
    it('buys a ticket, and the ticket runs its tool', async () => {
      const { json } = await call(VERIFY, { agentId: undefined, capability: crypto.randomUUID() });
      expectTicket(json);
      expectLicence((await execute(json.ticket)).json);
    });

    it('pays for an execution in one call', async () => {
      const { json, headers } = await call(EXECUTE, licence());
      expectLicence(json);
      expect(
        headers.get('payment-receipt') ??
          headers.get('payment-response') ??
          headers.get('x-payment-response'),
      ).toEqual(expect.any(String));
    });

    it('pays for a tool by its name', async () => {
      const { json } = await call(`${EXECUTE}?tool=get_product_catalog`, {});
      expect(json).toMatchObject({ status: 'COMPLETED', catalog: expect.any(Array) });
    });
  });

  describe('the challenge of a tool', () => {
    const challenge = async (query = '') => {
      const response = await fetch(at(CHALLENGE + query));
      expect(response.status).toBe(402);
      return { headers: response.headers, json: (await response.json()) as Record<string, unknown> };
    };
    const verify = (headers: Record<string, string>, body: object = {}) => post(at(VERIFY), body, headers);

    async function expectSold(sold: Answer, rail: string): Promise<void> {
      expect([sold.status, sold.json.rail]).toEqual([200, rail]);
      expectTicket(sold.json);
      expectLicence((await execute(sold.json.ticket)).json);
    }

    it('that is paid over Lightning buys a ticket', async () => {
      const { headers, json } = await challenge();
      const macaroon = /macaroon="([^"]+)"/.exec(headers.get('www-authenticate')!)![1];
      const preimage = await payInvoice(rails.route.address, json.invoice as string);
      await expectSold(await verify({ Authorization: `L402 ${macaroon}:${preimage}` }), 'l402');
    });

    it('that is paid by card through MPP buys a ticket, and the rest is on a key', async () => {
      const { headers } = await challenge();
      const [offer] = Challenge.fromHeadersList(headers).filter(({ method }) => method === 'stripe');
      const credential = Credential.serialize({
        challenge: offer,
        payload: { spt: await rails.mintToken() },
      });
      const sold = await verify({ Authorization: credential });
      await expectSold(sold, 'mpp-stripe');
      expect(sold.headers.get('x-svc-key')).toMatch(/^svc_test_/);
    });

    it.each(['header', 'body'])(
      'that a shared payment token is for, in the %s, buys a ticket',
      async place => {
        const { json } = await challenge();
        const token = { 'Payment-Credential': `SPT ${await rails.mintToken()}` };
        const challengeToken = json.challengeToken as string;
        const sold =
          place === 'body'
            ? await verify(token, { challengeToken })
            : await verify({ ...token, 'X-402-Challenge': challengeToken });
        await expectSold(sold, 'spt');
        const again =
          place === 'body'
            ? await verify({ ...token, 'X-402-Challenge': challengeToken })
            : await verify(token, { challengeToken });
        expect(again.json.ticket).toBe(sold.json.ticket);
      },
    );

    it('names its tool to the ticket, whatever the rail', async () => {
      const { headers, json } = await challenge('?tool=get_product_catalog');
      const macaroon = /macaroon="([^"]+)"/.exec(headers.get('www-authenticate')!)![1];
      const preimage = await payInvoice(rails.route.address, json.invoice as string);
      const byLightning = await verify({ Authorization: `L402 ${macaroon}:${preimage}` });
      const card = await challenge('?tool=get_product_catalog');
      const [offer] = Challenge.fromHeadersList(card.headers).filter(({ method }) => method === 'stripe');
      const spt = await rails.mintToken();
      const byCard = await verify({
        Authorization: Credential.serialize({ challenge: offer, payload: { spt } }),
      });
      for (const { json: sold } of [byLightning, byCard]) expect(sold.tool).toBe('get_product_catalog');
      const elsewhere = await post(
        `${at(VERIFY)}?tool=m2m_license_contract`,
        {},
        {
          Authorization: `L402 ${macaroon}:${preimage}`,
        },
      );
      expect([elsewhere.status, elsewhere.json.code]).toEqual([400, 'VALIDATION_FAILED']);
    });

    if (!hasAnvil)
      it('one that is signed for x402 needs anvil', () => console.log('SKIPPED: anvil is not installed'));
    else {
      it.each([
        ['PAYMENT-SIGNATURE', fetchV2],
        ['X-PAYMENT', fetchV1],
      ] as const)(
        'that is signed for x402, by %s, stays unpaid there, and buys a ticket where its link leads',
        async (name, clientOf) => {
          const signed: string[] = [];
          const noting: typeof fetch = async (input, init) => {
            const sent = new Request(input, init);
            const value = sent.headers.get(name);
            if (value !== null) signed.push(value);
            const response = await fetch(sent);
            const headers = new Headers(response.headers);
            if (name === 'X-PAYMENT') headers.delete('PAYMENT-REQUIRED');
            return new Response(await response.arrayBuffer(), { status: response.status, headers });
          };
          const wallet = await fundedWallet(rails.chain!);
          const response = await clientOf(wallet, noting)(at(`${CHALLENGE}?tool=get_product_catalog`));
          expect([response.status, ((await response.json()) as { code: string }).code]).toEqual([
            402,
            'PAY_AT_VERIFY',
          ]);
          const [, target] = /^<(.*)>; rel="payment"$/.exec(response.headers.get('link')!)!;
          expect(target).toBe(`${VERIFY}?tool=get_product_catalog`);
          const sold = await post(at(target), { capability: crypto.randomUUID() }, { [name]: signed[0] });
          expect([sold.status, sold.json.rail]).toEqual([200, 'x402']);
          expectTicket(sold.json);
        },
      );
    }

    it('that nobody has paid buys nothing', async () => {
      const { headers } = await challenge();
      const macaroon = /macaroon="([^"]+)"/.exec(headers.get('www-authenticate')!)![1];
      const refused = await verify({ Authorization: `L402 ${macaroon}:${'00'.repeat(32)}` });
      expect([refused.status, refused.json.code]).toEqual([402, 'PAYMENT_INVALID']);
      expect(refused.headers.get('x-402-challenge')).not.toBeNull();
    });
  });
}
