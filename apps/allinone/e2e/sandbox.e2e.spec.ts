import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { SECRET_VARIABLES } from '@svc/platform';
import { findAnvil } from '@svc/sandbox';
import { chmod, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createPublicClient, http, parseAbi } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { payInvoice, post } from './paid-call.js';
import { AppProcess, processesWith, Program, until, workspace } from './processes.js';
import { fetchV2 } from './x402-wallet.js';

const GATEWAY = /gateway {5}(http:\/\/127\.0\.0\.1:\d+)/;
const STRIPE = /sandbox {5}Stripe on (http:\/\/127\.0\.0\.1:\d+), secret key (sk_test_\w+)/;
const CHAIN = /sandbox {5}chain on (http:\/\/127\.0\.0\.1:\d+), id 84532, USDC at (0x[0-9a-fA-F]{40})/;
const WALLET = /^ {2}(0x[0-9a-fA-F]{40}) {3}(0x[0-9a-f]{64})$/m;
const PROOF = { traceData: '0x48656c6c6f', degree: 8, friBlowup: 8 };
const hasAnvil = findAnvil() !== undefined;
if (!hasAnvil) console.log('SKIPPED: anvil is not installed');

describe('the sandbox of npm start', () => {
  let folder: string;
  const processes: AppProcess[] = [];
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-sandbox-'));
    await chmod(folder, 0o755);
  });
  afterEach(async () => {
    await Promise.all(processes.splice(0).map(each => each.end()));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  async function launch() {
    const app = new AppProcess('allinone', { PORT: '0', DATA_DIR: folder });
    processes.push(app);
    const [, address] = await app.says(GATEWAY);
    return { app, address };
  }
  const end = async (app: AppProcess) => {
    app.signal('SIGINT');
    expect(await app.exit()).toBe(0);
    expect(await processesWith(folder)).toEqual([]);
  };
  const railsOf = async (address: string) =>
    (await post(`${address}/v1/zk/prove`, undefined)).json.rails as string[];
  /** Mints a token as the text that is printed says it. */
  const mintToken = async (url: string, secretKey: string) => {
    const response = await fetch(`${url}/v1/test_helpers/shared_payment/granted_tokens`, {
      method: 'POST',
      headers: {
        authorization: `Basic ${Buffer.from(`${secretKey}:`).toString('base64')}`,
        'stripe-version': '2026-07-29.preview',
      },
      body: new URLSearchParams({
        payment_method: 'pm_card_visa',
        'usage_limits[currency]': 'usd',
        'usage_limits[max_amount]': '1000',
        'usage_limits[expires_at]': String(Math.floor(Date.now() / 1_000) + 3_600),
      }),
    });
    return ((await response.json()) as { id: string }).id;
  };
  const dollarsOf = async (app: AppProcess, address: string) => {
    const [, rpcUrl, asset] = await app.says(CHAIN);
    return createPublicClient({ transport: http(rpcUrl) }).readContract({
      address: asset as `0x${string}`,
      abi: parseAbi(['function balanceOf(address) view returns (uint256)']),
      functionName: 'balanceOf',
      args: [address as `0x${string}`],
    });
  };

  it('is payable by Lightning, card and chain as it prints, keeps all of it over a restart, and ends with Ctrl-C', async () => {
    const { app, address } = await launch();
    const [, stripeUrl, secretKey] = await app.says(STRIPE);
    const expected = ['l402', 'mpp-lightning', 'mpp-stripe', 'spt', ...(hasAnvil ? ['x402'] : [])];
    await until(
      async () => (await railsOf(address)).length === expected.length,
      () => `all rails at ${address}`,
    );
    expect((await railsOf(address)).sort()).toEqual(expected);
    let health: { rails?: string[]; status?: string; domainsOnline?: number } = {};
    await until(
      async () => {
        health = (await (await fetch(`${address}/health`)).json()) as typeof health;
        return health.status === 'OPERATIONAL';
      },
      () => `OPERATIONAL in ${JSON.stringify(health)}`,
    );
    expect([[...health.rails!].sort(), health.domainsOnline]).toEqual([expected, 6]);
    expect(app.output).toContain(`database    embedded Postgres in ${folder}/postgres`);

    const challenge = await post(`${address}/v1/zk/prove`, undefined);
    const macaroon = /macaroon="([^"]+)"/.exec(challenge.headers.get('www-authenticate')!)![1];
    const preimage = await payInvoice(address, challenge.json.invoice as string);
    const lightning = await post(`${address}/v1/zk/prove`, PROOF, {
      authorization: `L402 ${macaroon}:${preimage}`,
    });
    expect(lightning.status).toBe(200);

    const spt = await mintToken(stripeUrl, secretKey);
    const byCard = {
      'payment-credential': `SPT ${spt}`,
      'x-402-challenge': challenge.json.challengeToken as string,
    };
    const card = await post(`${address}/v1/zk/prove`, PROOF, byCard);
    expect(card.status).toBe(200);
    // The card's least amount is half a dollar: the rest is credit.
    expect(card.headers.get('x-svc-key')).toMatch(/^svc_test_/);

    let left: bigint | undefined;
    if (hasAnvil) {
      const [, wallet, key] = await app.says(WALLET);
      const before = await dollarsOf(app, wallet);
      const pay = fetchV2(privateKeyToAccount(key as `0x${string}`));
      const init = {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(PROOF),
      };
      expect((await pay(`${address}/v1/zk/prove`, init)).status).toBe(200);
      left = await dollarsOf(app, wallet);
      expect(before - left).toBe(1_000n);
    }
    await end(app);

    const again = await launch();
    expect((await again.app.says(STRIPE))[2]).toBe(secretKey);
    await until(
      async () => (await railsOf(again.address)).includes('spt'),
      () => 'the card processor',
    );
    const repeated = await post(`${again.address}/v1/zk/prove`, PROOF, byCard);
    expect([repeated.status, repeated.text]).toEqual([200, card.text]);
    if (hasAnvil) {
      const [, wallet] = await again.app.says(WALLET);
      // Wallets are filled up again at a start; what was paid has arrived for good.
      expect(await dollarsOf(again.app, '0x70997970C51812dc3A010C7d01b50e0d17dc79C8')).toBe(1_000n);
      expect(await dollarsOf(again.app, wallet)).toBeGreaterThan(left!);
    }
    await end(again.app);
  });

  it('is paid for by processes that have the rail alone: payments load no chain library before it opens', async () => {
    const loaded = join(folder, 'loaded');
    const entry = join(workspace, 'apps/payments/dist/index.js');
    const program = ['--input-type=module', '-e', `await import(${JSON.stringify(entry)})`];
    expect(await new Program(process.execPath, program, { NODE_V8_COVERAGE: loaded }).exit()).toBe(0);
    const [report] = await readdir(loaded);
    const { result } = JSON.parse(await readFile(join(loaded, report), 'utf8')) as {
      result: { url: string }[];
    };
    const urls = result.map(({ url }) => url);
    expect(urls.some(url => url.endsWith('/onchain/onchain-rail.js'))).toBe(true);
    expect(urls.filter(url => /node_modules\/(viem|@x402)\//.test(url))).toEqual([]);
  });

  it('is not started in production', async () => {
    const secrets = Object.fromEntries(
      SECRET_VARIABLES.map(name => [name, 'a-secret-of-thirty-two-characters-']),
    );
    const app = new AppProcess('allinone', {
      ...secrets,
      SANDBOX_LIGHTNING_KEY: '',
      NODE_ENV: 'production',
      PUBLIC_URL: 'https://svc.example',
      PORT: '0',
      DATA_DIR: folder,
      DATABASE_URL: 'postgres://nobody:nothing@127.0.0.1:1/svc',
      DATABASE_MIGRATION_URL: 'postgres://owner:nothing@127.0.0.1:1/svc',
    });
    processes.push(app);
    await until(
      () => app.hasExited || /LND_REST_URL/.test(app.output),
      () => `a refusal in:\n${app.output}`,
    );
    expect(app.output).toMatch(/LND_REST_URL: is not set/);
    expect(app.output).not.toMatch(/^sandbox/m);
    expect((await processesWith(folder)).filter(line => line.includes('anvil'))).toEqual([]);
  });
});
