import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  Client as LaterClient,
  StreamableHTTPClientTransport as LaterTransport,
} from '@modelcontextprotocol/client';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Progress } from '@modelcontextprotocol/sdk/types.js';
import { priceOf } from '@svc/protocols';
import { x402Client } from '@x402/core/client';
import { ExactEvmScheme } from '@x402/evm';
import { stripe as stripeMethod } from 'mppx/client';
import { McpClient } from 'mppx/mcp-sdk/client';
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import type { AllRails } from './all-rails-fixture.js';
import { ADMIN_KEY } from './card-fixture.js';
import { post } from './paid-call.js';
import { fundedWallet } from './x402-wallet.js';

type Json = Record<string, any>; // eslint-disable-line @typescript-eslint/no-explicit-any -- of any tool

const CATALOGUE = { name: 'get_product_catalog', arguments: {} };
/** About as much as the tool takes, which is 8,192 bytes: many stages go by before there is an answer. */
const LONG = Array.from({ length: 60 }, (_, i) => `0x${String(i).padStart(254, '1')}`);
/** Of the answer by default: its text, and the link to its proof. */
const RESULT_CHARS_MAX = 2_000;
const RECEIPT = 'org.paymentauth/receipt';

let rails: AllRails;
let key: string;
const at = (path: string) => rails.route.address + path;

async function keyOf(amountMicroUsd: number): Promise<string> {
  const admin = { 'x-svc-key': ADMIN_KEY };
  const { json: account } = await post(at('/v1/admin/accounts'), {}, admin);
  const accounts = at(`/v1/admin/accounts/${String(account.accountId)}`);
  if (amountMicroUsd > 0) await post(`${accounts}/credit`, { amountMicroUsd, reason: 'test' }, admin);
  return (await post(`${accounts}/keys`, {}, admin)).json.key as string;
}

const sha256 = (bytes: Uint8Array) => `0x${createHash('sha256').update(bytes).digest('hex')}`;
const balanceOf = async (svcKey: string) =>
  ((await (await fetch(at('/v1/account'), { headers: { 'x-svc-key': svcKey } })).json()) as Json)
    .balanceMicroUsd as number;

/** What left for the gateway, so that it can be sent again. */
interface Sent {
  readonly body: string;
  readonly headers: Headers;
}

interface ClientOptions {
  readonly headers?: Record<string, string>;
  readonly capabilities?: object;
  readonly sent?: Sent[];
}

async function connected({ headers = {}, capabilities = {}, sent }: ClientOptions = {}): Promise<Client> {
  const client = new Client({ name: 'a client', version: '1' }, { capabilities });
  await client.connect(new StreamableHTTPClientTransport(new URL(at('/mcp')), recording(headers, sent)));
  // So that its validators hold every answer against the schemas that are published.
  await client.listTools();
  return client;
}

const recording = (headers: Record<string, string>, sent?: Sent[]) => ({
  requestInit: { headers },
  fetch: (url: string | URL, init?: RequestInit) => {
    if (typeof init?.body === 'string') sent?.push({ body: init.body, headers: new Headers(init.headers) });
    return fetch(url, init);
  },
});

/** The SDK's successor, whose clients speak 2026-07-28; the wrapper of a payer takes it for the client that it replaces. */
async function connectedLater({
  headers = {},
  capabilities = {},
  sent,
}: ClientOptions = {}): Promise<Client> {
  const client = new LaterClient(
    { name: 'a client', version: '1' },
    { capabilities, versionNegotiation: { mode: 'auto' } },
  );
  await client.connect(new LaterTransport(new URL(at('/mcp')), recording(headers, sent)));
  expect(client.getNegotiatedProtocolVersion()).toBe('2026-07-28');
  await client.listTools();
  return client as unknown as Client;
}

const valueFor = (argument: string) =>
  ({ tool: 'get_product_catalog', licensingTier: 'm2m_enterprise_mesh' })[argument] ?? 'something';

/** @param shared what all suites of the file share */
export function describeMcpPayments(shared: () => AllRails): void {
  describe('tools over MCP', () => {
    beforeAll(async () => {
      rails = shared();
      key = await keyOf(10_000_000);
    });

    describe('the SDK client, unmodified, with a key', () => {
      let client: Client;
      beforeAll(async () => {
        client = await connected({ headers: { 'x-svc-key': key } });
      });
      const read = async (uri: string): Promise<Json> => {
        const { contents } = await client.readResource({ uri });
        return JSON.parse((contents as Json[])[0].text);
      };
      afterAll(() => client.close());

      it.each<[string, Json, Json]>([
        [
          'generate_goldilocks_stark_proof',
          { publicInputs: ['1', '0x02'], contextDomain: 'test' },
          { verified: true, opening: expect.any(Object) },
        ],
        ['zk_prove_spatial', { coordinates: [52.5, 13.4], parcelId: 'p' }, { verified: true }],
        ['get_product_catalog', {}, { catalog: expect.any(Array) }],
        ['create_purchase_link', { tier: 'developer_sdk' }, { checkoutUrl: expect.any(String) }],
        [
          'm2m_license_contract',
          { licenseeAgentId: 'agent-1' },
          { status: expect.any(String), m2mLicenseToken: expect.any(String), walHash: expect.any(String) },
        ],
        ['arena_challenge', {}, { cognitiveScore: 0, satsAwarded: 0 }],
      ])('calls %s, pays its price and gets what the catalogue says', async (name, args, expected) => {
        const before = await balanceOf(key);
        const { structuredContent, isError, content } = (await client.callTool({
          name,
          arguments: args,
        })) as Json;
        expect([isError ?? false, structuredContent]).toEqual([false, expect.objectContaining(expected)]);
        expect(before - (await balanceOf(key))).toBe(priceOf(`tool.${name}`).amountMicroUsd);
        const [{ text }, link] = content;
        expect(text.length + JSON.stringify(link).length).toBeLessThanOrEqual(RESULT_CHARS_MAX);
        expect(JSON.parse(text)).toEqual(structuredContent);

        const { evidence, whole } = structuredContent;
        expect(link).toMatchObject({ type: 'resource_link', uri: evidence.uri });
        const stored = await read(evidence.uri);
        const proof = Buffer.from(stored.proof, 'base64');
        expect([stored.proofId, proof.length, sha256(proof)]).toEqual([
          evidence.proofId,
          evidence.bytes,
          evidence.sha256,
        ]);
        const answer = await read(whole);
        // A saga shows what its inputs were hidden with, too, which is no part of what was answered.
        const { inputSalt: _salt, ...sold } = whole.startsWith('svc://sagas/') ? answer.result : answer;
        const { auditProof, ...result } = sold;
        expect((await post(at('/v1/stark/verify-proof'), { auditProof, result })).json.valid).toBe(true);
      });

      it('has the other view of a purchase under the same key of the caller, and pays once', async () => {
        const before = await balanceOf(key);
        const idem = { 'svc/idempotency-key': 'both views' };
        const named = { name: 'zk_prove_spatial', arguments: { coordinates: [47, 8] } };
        const linked = (await client.callTool({ ...named, _meta: idem })) as Json;
        const inline = (await client.callTool({
          ...named,
          _meta: { ...idem, 'svc/evidence': 'inline' },
        })) as Json;
        const { evidence, whole, ...outputs } = linked.structuredContent;
        expect(inline.structuredContent).toMatchObject({ ...outputs, proofId: evidence.proofId });
        expect(inline.content).toEqual([{ type: 'text', text: JSON.stringify(inline.structuredContent) }]);
        expect(await read(whole)).toEqual(inline.structuredContent);
        expect(before - (await balanceOf(key))).toBe(priceOf('tool.zk_prove_spatial').amountMicroUsd);
        const stranger = await connected({ headers: { 'x-svc-key': await keyOf(0) } });
        await expect(stranger.readResource({ uri: whole })).rejects.toMatchObject({ code: -32_002 });
        await stranger.close();
      });

      it('is told how far a proof has come, before it has the answer', async () => {
        const steps: Progress[] = [];
        const { structuredContent } = (await client.callTool(
          { name: 'generate_goldilocks_stark_proof', arguments: { publicInputs: LONG } },
          undefined,
          { onprogress: step => steps.push(step), timeout: 60_000 },
        )) as Json;
        expect(structuredContent).toMatchObject({ verified: true });
        expect(steps.length).toBeGreaterThan(0);
        const told = steps.map(({ progress }) => progress);
        expect(told).toEqual([...new Set(told)].sort((left, right) => left - right));
        for (const step of steps)
          expect(step).toMatchObject({ total: 1, message: expect.stringMatching(/\S/) });
      });

      it('reads the documents, the prices and a proof that it has paid for', async () => {
        const { resources } = await client.listResources();
        for (const { uri, mimeType } of resources) {
          const { contents } = await client.readResource({ uri });
          expect(contents).toEqual([{ uri, mimeType, text: expect.stringMatching(/\S{3}/) }]);
        }
        const { structuredContent } = (await client.callTool({
          name: 'generate_goldilocks_stark_proof',
          arguments: { publicInputs: ['4'] },
        })) as Json;
        const { proofId } = structuredContent.evidence;
        expect(await read(`svc://proofs/${proofId}`)).toMatchObject({ proofId, proof: expect.any(String) });
        const unknown = `svc://proofs/prf_${'A'.repeat(22)}`;
        await expect(client.readResource({ uri: unknown })).rejects.toMatchObject({ code: -32_002 });
      });

      it('gets the prompts of the common jobs, with their arguments completed', async () => {
        const { prompts } = await client.listPrompts();
        for (const { name, arguments: args = [] } of prompts) {
          const given = Object.fromEntries(args.map(({ name: argument }) => [argument, valueFor(argument)]));
          const { messages } = await client.getPrompt({ name, arguments: given });
          expect(messages).toHaveLength(1);
        }
        await expect(client.getPrompt({ name: 'pay_for_call' })).rejects.toMatchObject({ code: -32_602 });
        const { completion } = await client.complete({
          ref: { type: 'ref/prompt', name: 'pay_for_call' },
          argument: { name: 'tool', value: 'get_' },
        });
        expect(completion.values).toEqual(['get_product_catalog']);
      });
    });

    describe.each([
      ['2025-11-25', connected],
      ['2026-07-28', connectedLater],
    ] as const)('the SDK client of %s, paid for', (_, connect) => {
      describe('mppx, unmodified, by card', () => {
        const card = () => [
          stripeMethod({ createToken: () => rails.mintToken(), paymentMethod: 'pm_card_visa' }),
        ];

        it.each([
          ['which says nothing of payments: by the terms in the result', {}],
          [
            'which has declared the Payment scheme: by the error −32042',
            { experimental: { payment: { methods: ['stripe'], intents: ['charge'] } } },
          ],
        ])('pays %s', async (_, capabilities) => {
          const sent: Sent[] = [];
          const client = await connect({ capabilities, sent });
          const paying = McpClient.wrap(client, { methods: card() });
          const result = (await paying.callTool(CATALOGUE)) as Json;
          expect(result.isError ?? false).toBe(false);
          expect(result.structuredContent.catalog).toEqual(expect.any(Array));
          const { body, headers } = sent.at(-1)!;
          const paid = JSON.parse(body);
          const { challenge } = paid.params._meta['org.paymentauth/credential'];
          expect(result.receipt).toMatchObject({
            status: 'success',
            method: 'stripe',
            challengeId: challenge.id,
          });
          // What the card's minimum left over.
          const creditKey = result._meta['svc/credit-key'] as string;
          const left = await balanceOf(creditKey);

          // The same credential again: the same answer, and no second charge.
          const asBefore = { ...Object.fromEntries(headers), accept: 'application/json' };
          const again = await post(at('/mcp'), paid, asBefore);
          const { result: replayed } = again.json as Json;
          expect(replayed.structuredContent).toEqual(result.structuredContent);
          expect(replayed._meta[RECEIPT]).toEqual(result.receipt);
          expect(await balanceOf(creditKey)).toBe(left);

          // For another tool the credential pays nothing.
          const other = { name: 'create_purchase_link', arguments: {}, _meta: paid.params._meta };
          const named: Record<string, string> = headers.has('mcp-name') ? { 'mcp-name': other.name } : {};
          const refused = await post(at('/mcp'), { ...paid, params: other }, { ...asBefore, ...named });
          expect((refused.json as Json).error).toMatchObject({
            code: -32_043,
            data: { failure: { reason: 'payment-bound-elsewhere' } },
          });
          await client.close();
        });
      });

      describe('x402, by the public client', () => {
        it('pays the terms of the result, gets the settlement, and the same answer again', async () => {
          if (!rails.chain) return console.log('SKIPPED: anvil is not installed');
          const wallet = await fundedWallet(rails.chain);
          const payer = new x402Client().register('eip155:*', new ExactEvmScheme(wallet));
          const client = await connect();
          const asked = (await client.callTool(CATALOGUE)) as Json;
          expect(asked.isError).toBe(true);
          expect(JSON.parse(asked.content[0].text)).toEqual(asked.structuredContent);
          const payment = await payer.createPaymentPayload(asked.structuredContent);
          const params = { ...CATALOGUE, _meta: { 'x402/payment': payment } };
          const result = (await client.callTool(params)) as Json;
          expect(result._meta['x402/payment-response']).toMatchObject({
            success: true,
            payer: wallet.address,
            transaction: expect.stringMatching(/^0x[0-9a-f]{64}$/),
          });
          const again = (await client.callTool(params)) as Json;
          expect(again.structuredContent).toEqual(result.structuredContent);
          expect(again._meta['x402/payment-response']).toEqual(result._meta['x402/payment-response']);
          await client.close();
        });
      });
    });

    describe('the command line of the MCP inspector', () => {
      const inspect = (...args: string[]): Promise<Json> =>
        new Promise((resolve, reject) => {
          // It looks for its own manifest beside the folder that it is called in.
          const cwd = new URL(
            '../../../node_modules/@modelcontextprotocol/inspector-cli/build/',
            import.meta.url,
          ).pathname;
          const bin = `${cwd}cli.js`;
          const target = ['--cli', at('/mcp'), '--transport', 'http', '--header', `X-SVC-KEY: ${key}`];
          execFile(
            process.execPath,
            [bin, ...target, ...args],
            { timeout: 60_000, cwd },
            (error, stdout, stderr) =>
              error ? reject(new Error(`${error.message}\n${stderr}`)) : resolve(JSON.parse(stdout)),
          );
        });

      it('lists the tools, and calls one', async () => {
        const { tools } = await inspect('--method', 'tools/list');
        expect(tools).toHaveLength(17);
        const called = await inspect('--method', 'tools/call', '--tool-name', 'get_product_catalog');
        expect(called.structuredContent.catalog).toEqual(expect.any(Array));
      });
    });

    it('leaves the ledger and the claims without a finding', async () => {
      const { status, json } = await post(at('/v1/admin/reconcile'), {}, { 'x-svc-key': ADMIN_KEY });
      expect([status, json.findings]).toEqual([200, []]);
    });
  });
}
