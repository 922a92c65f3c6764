import { beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { findPrice } from '@svc/protocols';
import { findAnvil } from '@svc/sandbox';
import { x402Client } from '@x402/core/client';
import { ExactEvmScheme } from '@x402/evm';
import type { AllRails } from './all-rails-fixture.js';
import { post } from './paid-call.js';
import { chainActor, decodedPayment, encodedPayment, fetchV1, fetchV2, fundedWallet } from './x402-wallet.js';

type Json = Record<string, any>; // eslint-disable-line @typescript-eslint/no-explicit-any -- of any route
type Wallet = Awaited<ReturnType<typeof fundedWallet>>;

const MILLION = 1_000_000n;
const PRICE = BigInt(findPrice('zk.prove')!.amountMicroUsd);

let rails: AllRails;
const at = (path: string) => rails.route.address + path;

/** Somewhere that sells for one price: how a client signs its offer there, and what it says to a payment, PAID or a code. */
interface Counter {
  readonly name: string;
  sign(wallet: Wallet): Promise<string>;
  present(payment: string): Promise<string>;
}

/** Inputs that no other call has, so that none answers for another. */
const trace = () => ({ traceData: `0x${crypto.randomUUID().replaceAll('-', '')}`, degree: 64 });
const TOOL = 'get_product_catalog';
const COUNTERS: readonly Counter[] = [
  route('/v1/zk/prove', trace),
  route('/v1/stark/prove-m31', () => ({ publicInputs: [`0x${crypto.randomUUID().slice(0, 8)}`] })),
  route('/v1/tools/create_purchase_link', () => ({ tier: 'developer_sdk' })),
  route('/departments/proofs', () => ({
    ...{
      capability: 'stark.prove-goldilocks',
      task: { publicInputs: [`0x${crypto.randomUUID().slice(0, 8)}`] },
    },
  })),
  route('/v1/x402/verify?tool=arena_challenge', () => ({ capability: crypto.randomUUID() })),
  { name: `${TOOL} over MCP`, sign: signOverMcp, present: async payment => codeOf(await callTool(payment)) },
];

function route(path: string, bodyOf: () => object): Counter {
  const init = () => ({
    method: 'POST',
    headers: { 'content-type': 'application/json', prefer: 'wait=20' },
    body: JSON.stringify(bodyOf()),
  });
  return {
    name: path,
    sign: wallet => signed('PAYMENT-SIGNATURE', over => fetchV2(wallet, over)(at(path), init())),
    present: async payment => {
      const { version, name } = headerOf(payment);
      const { status, json } = await post(at(path), bodyOf(), { prefer: 'wait=20', [name]: payment });
      return status === 200 ? `PAID in version ${version}` : `${status} ${String(json.code)}`;
    },
  };
}

const headerOf = (payment: string) => {
  const { x402Version: version } = decodedPayment(payment) as unknown as { x402Version: 1 | 2 };
  return { version, name: version === 2 ? 'PAYMENT-SIGNATURE' : 'X-PAYMENT' };
};

/** The payment that an unmodified client makes; it is kept from the gateway. */
async function signed(name: string, call: (over: typeof fetch) => Promise<Response>): Promise<string> {
  let payment: string | undefined;
  await call(async (input, init) => {
    const sent = new Request(input, init);
    payment = sent.headers.get(name) ?? undefined;
    if (payment !== undefined) return new Response('{}');
    const response = await fetch(sent);
    const headers = new Headers(response.headers);
    // A client of version 1 knows nothing of the header.
    if (name === 'X-PAYMENT') headers.delete('PAYMENT-REQUIRED');
    return new Response(await response.arrayBuffer(), { status: response.status, headers });
  });
  return payment!;
}

async function callTool(payment?: string): Promise<Json> {
  const client = new Client({ name: 'a payer', version: '1' });
  await client.connect(new StreamableHTTPClientTransport(new URL(at('/mcp'))));
  try {
    const _meta = payment === undefined ? {} : { 'x402/payment': decodedPayment(payment) };
    return (await client.callTool({ name: TOOL, arguments: {}, _meta })) as Json;
  } finally {
    await client.close();
  }
}

async function signOverMcp(wallet: Wallet): Promise<string> {
  const payer = new x402Client().register('eip155:*', new ExactEvmScheme(wallet));
  const { structuredContent } = await callTool();
  return encodedPayment(await payer.createPaymentPayload(structuredContent));
}

function codeOf({ isError, content }: Json): string {
  if (!isError) return 'PAID in version 2';
  const { status, code } = JSON.parse(content.at(-1).text) as Json;
  return `${status} ${code}`;
}

/** @param shared what all suites of the file share */
export function describeX402Binding(shared: () => AllRails): void {
  describe('an x402 payment, of an unmodified client, of one price with others', () => {
    if (findAnvil() === undefined) {
      it('needs anvil', () => console.log('SKIPPED: anvil is not installed'));
      return;
    }
    let actor: ReturnType<typeof chainActor>;
    beforeAll(() => {
      rails = shared();
      actor = chainActor(rails.chain!);
    });
    /** What the chain and the claims know of a payment, and what its payer has paid. */
    async function traceOf(payment: string): Promise<{ isUsed: boolean; claims: number; paid: bigint }> {
      const { from, nonce } = decodedPayment(payment).payload.authorization;
      const [{ count }] = await rails.database.query<{ count: number }[]>(
        'SELECT count(*)::int AS count FROM payment_claim WHERE proof_key LIKE $1',
        [`%${nonce.toLowerCase()}%`],
      );
      const [isUsed, left] = [await actor.isUsed(from, nonce), await actor.balanceOf(from)];
      return { isUsed, claims: count, paid: MILLION - left };
    }
    const UNTOUCHED = { isUsed: false, claims: 0, paid: 0n };

    it.each(COUNTERS.map((counter, index) => [counter.name, counter, index] as const))(
      'that was offered at %s is refused before and behind it, costs nothing there, and pays at its own',
      async (_name, counter, index) => {
        const payment = await counter.sign(await fundedWallet(rails.chain!));
        for (const other of [COUNTERS.at(index - 1)!, COUNTERS[(index + 1) % COUNTERS.length]])
          expect([other.name, await other.present(payment)]).toEqual([other.name, elsewhere(counter, other)]);
        expect(await traceOf(payment)).toEqual(UNTOUCHED);
        expect(await counter.present(payment)).toBe('PAID in version 2');
        expect(await traceOf(payment)).toEqual({ isUsed: true, claims: 1, paid: PRICE });
      },
    );

    it('is refused by what is left of its echo: the URL alone, and the tag alone', async () => {
      const [own, other] = COUNTERS;
      const payment = await own.sign(await fundedWallet(rails.chain!));
      const { resource, accepted, ...rest } = decodedPayment(payment) as Json;
      const { operationId, ...extra } = accepted.extra;
      expect(operationId).toBe('zk.prove');
      const byUrl = encodedPayment({ ...rest, resource, accepted: { ...accepted, extra } });
      const byTag = encodedPayment({ ...rest, accepted });
      for (const left of [byUrl, byTag])
        expect(await other.present(left)).toBe('402 PAYMENT_BOUND_ELSEWHERE');
      expect(await traceOf(payment)).toEqual(UNTOUCHED);
    });

    it('pays elsewhere where its echo is written anew, or in version 1: its signature covers neither', async () => {
      const [own, other] = COUNTERS;
      const first = await own.sign(await fundedWallet(rails.chain!));
      const { resource: _resource, accepted, ...rest } = decodedPayment(first) as Json;
      const { operationId: _tag, ...extra } = accepted.extra;
      const rewritten = encodedPayment({ ...rest, accepted: { ...accepted, extra } });
      expect(await other.present(rewritten)).toBe('PAID in version 2');
      const wallet = await fundedWallet(rails.chain!);
      const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' };
      const second = await signed('X-PAYMENT', over => fetchV1(wallet, over)(at(own.name), init));
      expect(await other.present(second)).toBe('PAID in version 1');
    });
  });
}

/** A route of tickets names its tool itself, and says so first where the payment names another. */
function elsewhere(from: Counter, to: Counter): string {
  const isTools = ({ name }: Counter) => /tool/.test(name) || name.startsWith(TOOL);
  return to.name.startsWith('/v1/x402/') && isTools(from)
    ? '400 VALIDATION_FAILED'
    : '402 PAYMENT_BOUND_ELSEWHERE';
}
