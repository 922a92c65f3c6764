import { privateKeyToAccount } from 'viem/accounts';
import { type ClientOptions, createClient, type TokenRequest, verifyBought } from '../src/index.js';
import { LossyProxy } from './lossy-proxy.js';
import { settled } from '../testing/settled.js';
import type { RunningProduct } from './running-product.js';

const CHAIN = 'eip155:84532';

/**
 * Payments by the card processor and the chain that stand beside the product.
 * @param size of the proofs that are bought; the published default where it is left out
 */
export function describeRails(product: () => RunningProduct, size: { readonly degree?: 64 } = {}): void {
  let rails: string[];

  /** What the product prints of the sandbox, for a person to pay with. */
  const printed = (pattern: RegExp): string => pattern.exec(product().printed())?.[1] ?? '';

  beforeAll(async () => {
    const hasChain = /chain on http/.test(product().printed());
    // The payments look every few seconds whether a rail can settle.
    await settled(async () => {
      const refused = await fetch(`${product().address}/v1/zk/prove`, { method: 'POST' });
      ({ rails } = (await refused.json()) as { rails: string[] });
      return rails.includes('spt') && (rails.includes('x402') || !hasChain);
    }, 100);
  });

  const clientOf = (options: Partial<ClientOptions>) =>
    createClient({ baseUrl: product().address, ...options });
  /** A request that no other call of these tests makes. */
  const fresh = () => ({
    traceData: `paid ${crypto.randomUUID()}`,
    ...size,
  });
  const stablecoin = () => {
    const key = printed(/0x[0-9a-fA-F]{40}\s+(0x[0-9a-f]{64})/) as `0x${string}`;
    return { signer: privateKeyToAccount(key), networks: [CHAIN] };
  };

  /** Has a token granted as the sandbox's card processor does, by its own interface. */
  async function createToken({ amount, currency, expiresAt }: TokenRequest): Promise<string> {
    const [url, secretKey] = [printed(/Stripe on (http:[^,\s]+)/), printed(/secret key (\S+)/)];
    const answer = await fetch(`${url}/v1/test_helpers/shared_payment/granted_tokens`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secretKey}`, 'stripe-version': '2026-07-29.preview' },
      body: new URLSearchParams({
        payment_method: 'pm_card_visa',
        'usage_limits[currency]': currency,
        'usage_limits[max_amount]': amount,
        'usage_limits[expires_at]': String(Math.floor(Date.parse(expiresAt) / 1_000)),
      }),
    });
    return ((await answer.json()) as { id: string }).id;
  }

  test('a proof is bought in stablecoin, once, though its answer is lost on the way', async () => {
    // Where anvil is not installed there is no chain, and the 402 does not offer it.
    if (!rails.includes('x402')) return expect(product().printed()).toContain('no chain');
    const proxy = await LossyProxy.start(product().address);
    try {
      proxy.losePaidAnswers(1);
      const request = fresh();
      const x402 = stablecoin();
      const client = createClient({ baseUrl: proxy.url, x402 });
      const { data, payment, headers } = await client.prove(request);
      expect(verifyBought({ path: '/v1/zk/prove', request, answer: data })).toMatchObject({ valid: true });
      expect(proxy.lost).toBe(1);
      expect(payment).toMatchObject({ rail: 'x402', amountMicroUsd: 1_000 });
      const receipt = JSON.parse(Buffer.from(headers.get('payment-response') ?? '', 'base64').toString());
      expect(receipt).toMatchObject({ success: true, network: CHAIN });
      expect(String(receipt.payer).toLowerCase()).toBe(x402.signer.address.toLowerCase());
    } finally {
      await proxy.close();
    }
  });

  test('a proof is bought by card token, and the rest of the charge pays the next ones by key', async () => {
    const { data, payment, headers } = await clientOf({ cardTokens: { centsMax: 50, createToken } }).prove(
      fresh(),
    );
    expect(data.proof.length).toBeGreaterThan(1_000);
    expect(payment).toMatchObject({ rail: 'spt', amountMicroUsd: 500_000 });
    const key = headers.get('x-svc-key') ?? '';
    expect(key).toMatch(/^svc_test_/);

    const request = fresh();
    const byKey = await clientOf({ key }).prove(request);
    expect(byKey.payment).toBeUndefined();
    expect(verifyBought({ path: '/v1/zk/prove', request, answer: byKey.data })).toMatchObject({
      valid: true,
    });
    const account = await clientOf({ key }).request('GET', '/v1/account');
    expect(account.data).toMatchObject({ balanceMicroUsd: 498_000 });
  });

  test('a call by key whose answer is lost is charged once', async () => {
    const { headers } = await clientOf({ cardTokens: { centsMax: 50, createToken } }).prove(fresh());
    const key = headers.get('x-svc-key') ?? '';
    const proxy = await LossyProxy.start(product().address);
    try {
      proxy.losePaidAnswers(1);
      const { data } = await createClient({ baseUrl: proxy.url, key }).prove(fresh());
      expect(data.proof.length).toBeGreaterThan(1_000);
      expect(proxy.lost).toBe(1);
    } finally {
      await proxy.close();
    }
    const account = await clientOf({ key }).request('GET', '/v1/account');
    expect(account.data).toMatchObject({ balanceMicroUsd: 498_000 });
  });
}
