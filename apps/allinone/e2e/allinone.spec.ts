import { beforeAll, describe, expect, it } from '@jest/globals';
import { createLogger, SECRET_VARIABLES, startEmbeddedPostgres } from '@svc/platform';
import { findAnvil } from '@svc/sandbox';
import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { createPublicClient, http, parseAbi } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { describeAllInOne, READY } from './allinone.cases.js';
import { expectHonestUse } from './honest-use.js';
import { expectPayableAsListed, startChainOfProduction } from './listed-resources.js';
import { payInvoice, post } from './paid-call.js';
import { expectPrivateDigests, tracedTo } from './private-digests.cases.js';
import { type AppProcess, processesWith, until } from './processes.js';
import { fetchV2 } from './x402-wallet.js';

const STRIPE = /sandbox {5}Stripe on (http:\/\/127\.0\.0\.1:\d+), secret key (sk_test_\w+)/;
const CHAIN = /sandbox {5}chain on (http:\/\/127\.0\.0\.1:\d+), id 84532, USDC at (0x[0-9a-fA-F]{40})/;
const WALLET = /^ {2}(0x[0-9a-fA-F]{40}) {3}(0x[0-9a-f]{64})$/m;
const PROOF = { traceData: '0x48656c6c6f', degree: 8, friBlowup: 8 };
const hasAnvil = findAnvil() !== undefined;
if (!hasAnvil) console.log('SKIPPED: anvil is not installed');

/** A card processor and a chain that are not there. */
const RAILS = {
  STRIPE_SECRET_KEY: 'sk_test_of_somebody_else',
  STRIPE_WEBHOOK_SECRET: 'whsec_of_somebody_else',
  STRIPE_API_URL: 'http://127.0.0.1:1',
  X402_PAY_TO: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  X402_NETWORK: 'eip155:84532',
  X402_RPC_URL: 'http://127.0.0.1:1',
  X402_FACILITATOR_URL: 'http://127.0.0.1:1',
};

/** What was paid at the first start. */
interface Kept {
  readonly secretKey: string;
  readonly byCard: Record<string, string>;
  readonly answered: string;
  readonly left: bigint | undefined;
}

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

async function end(app: AppProcess, dataDir: string): Promise<void> {
  app.signal('SIGINT');
  expect(await app.exit()).toBe(0);
  expect(await processesWith(dataDir)).toEqual([]);
}

describeAllInOne(({ freshFolder, launch }) => {
  describe('on one folder, start by start', () => {
    let dataDir: string;
    let kept: Kept | undefined;
    beforeAll(() => {
      dataDir = freshFolder();
    });

    it('is payable by Lightning, card and chain over a strict facilitator as it prints, stops no honest use, and ends with Ctrl-C', async () => {
      const app = launch(dataDir, { FACILITATOR: 'strict' });
      const [, address] = await app.says(READY);
      const [, stripeUrl, secretKey] = await app.says(STRIPE);
      const onChain = hasAnvil ? ['mpp-evm', 'x402'] : [];
      const expected = ['l402', 'mpp-lightning', 'mpp-stripe', 'spt', ...onChain].sort();
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
      expect(app.output).toContain(`database    embedded Postgres in ${dataDir}/postgres`);

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
        await app.says(/sandbox {5}strict facilitator on http:\/\/127\.0\.0\.1:\d+/);
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
      await expectHonestUse(address);
      await end(app, dataDir);
      kept = { secretKey, byCard, answered: card.text, left };
    });

    it('keeps over a restart all that was paid, and no digest by which what was sent can be guessed, in no table, stream, log or file', async () => {
      const traced = `${dataDir}.trace`;
      const app = launch(dataDir, tracedTo(traced));
      const [, address] = await app.says(READY);
      const { secretKey, byCard, answered, left } = kept!;
      expect((await app.says(STRIPE))[2]).toBe(secretKey);
      await until(
        async () => (await railsOf(address)).includes('spt'),
        () => 'the card processor',
      );
      const repeated = await post(`${address}/v1/zk/prove`, PROOF, byCard);
      expect([repeated.status, repeated.text]).toEqual([200, answered]);
      if (hasAnvil) {
        const [, wallet] = await app.says(WALLET);
        // Wallets are filled up again at a start; what was paid has arrived for good.
        expect(await dollarsOf(app, '0x70997970C51812dc3A010C7d01b50e0d17dc79C8')).toBe(1_000n);
        expect(await dollarsOf(app, wallet)).toBeGreaterThan(left!);
      }
      await expectPrivateDigests(app, { address, dataDir, traced });
      expect(await processesWith(dataDir)).toEqual([]);
    });

    it('starts with rails of its own, says where it is, reports every service online, and leaves nothing behind on Ctrl-C', async () => {
      const app = launch(dataDir, RAILS);
      const [, address] = await app.says(READY);
      expect(app.output).toContain(`database    embedded Postgres in ${dataDir}/postgres`);
      expect(app.output).toMatch(/^bus {9}\S+/m);
      await app.says(/npx svc prove/);
      const [, consoleUrl] = /^console {5}(\S+)$/m.exec(app.output)!;
      expect((await fetch(consoleUrl)).headers.get('content-type')).toBe('text/html; charset=utf-8');
      const [, operators] = /^operators {3}(\S+)$/m.exec(app.output)!;
      const statusAt = async (path: string) => (await fetch(`${operators}${path}`)).status;
      expect(await Promise.all(['/livez', '/v1/admin/audit', '/health'].map(statusAt))).toEqual([
        200, 401, 404,
      ]);
      const health = async () => (await (await fetch(`${address}/health`)).json()) as Record<string, unknown>;
      await until(
        async () => (await health()).status === 'OPERATIONAL',
        () => 'OPERATIONAL',
      );
      expect(await health()).toMatchObject({ version: '2026.4.2', domainsOnline: 6 });
      // The sandbox gives way to what is configured; neither rail can settle now.
      expect(app.output).not.toMatch(/^sandbox/m);
      const { rails } = (await post(`${address}/v1/zk/prove`, undefined)).json;
      expect([...(rails as string[])].sort()).toEqual(['l402', 'mpp-lightning']);
      // What a caller has used up at one address it has used up at the other.
      const [, desks] = /^departments (\S+) /m.exec(app.output)!;
      await Promise.all(Array.from({ length: 300 }, () => post(`${address}/v1/zk/prove`, undefined)));
      expect((await post(`${desks}/departments/proofs`, undefined)).json.detail).toMatch(/300 challenges/);
      app.signal('SIGINT');
      expect(await app.exit()).toBe(0);
      expect(app.output).toMatch(/Stopped\.\n$/);
      expect(await processesWith(dataDir)).toEqual([]);
    });
  });

  it('has no sandbox in production, and payments load no chain library before the rail of one opens', async () => {
    const dataDir = freshFolder();
    const secrets = Object.fromEntries(
      SECRET_VARIABLES.map(name => [name, 'a-secret-of-thirty-two-characters-']),
    );
    const loaded = `${dataDir}.loaded`;
    const app = launch(dataDir, {
      ...secrets,
      NODE_V8_COVERAGE: loaded,
      SANDBOX_LIGHTNING_KEY: '',
      NODE_ENV: 'production',
      PUBLIC_URL: 'https://svc.example',
      TRUSTED_PROXIES: 'none',
      SECURITY_CONTACT: 'mailto:security@svc.example',
      OPERATOR_PORT: '0',
      DATABASE_URL: 'postgres://nobody:nothing@127.0.0.1:1/svc',
      DATABASE_MIGRATION_URL: 'postgres://owner:nothing@127.0.0.1:1/svc',
    });
    await until(
      () => app.hasExited || /LND_REST_URL/.test(app.output),
      () => `a refusal in:\n${app.output}`,
    );
    expect(app.output).toMatch(/LND_REST_URL: is not set/);
    expect(app.output).not.toMatch(/^sandbox/m);
    expect((await processesWith(dataDir)).filter(line => line.includes('anvil'))).toEqual([]);
    expect(await app.exit()).toBe(1);
    const reports = await Promise.all(
      (await readdir(loaded)).map(
        async file => JSON.parse(await readFile(join(loaded, file), 'utf8')) as { result: { url: string }[] },
      ),
    );
    const urls = reports.flatMap(({ result }) => result.map(({ url }) => url));
    expect(urls.some(url => url.endsWith('/onchain/onchain-rail.js'))).toBe(true);
    expect(urls.filter(url => /node_modules\/(viem|@x402)\//.test(url))).toEqual([]);
  });

  it('starts over a database of its own without a data folder, and in production promises no sandbox and sells what it lists', async () => {
    const logger = createLogger('allinone', { level: 'error' });
    const postgres = await startEmbeddedPostgres({ dataDir: freshFolder(), logger, fsync: false });
    const chain = hasAnvil ? await startChainOfProduction() : undefined;
    try {
      const dataDir = freshFolder();
      const { adminUrl } = postgres;
      const database = { DATABASE_URL: adminUrl, DATABASE_MIGRATION_URL: adminUrl };
      const app = launch(dataDir, database);
      await app.says(/npx svc prove/);
      expect((await stat(dataDir)).mode & 0o777).toBe(0o700);
      app.signal('SIGINT');
      expect(await app.exit()).toBe(0);

      const names = SECRET_VARIABLES.filter(name => !/^(TURN_SECRET|SANDBOX_.*)$/.test(name));
      const published = launch(freshFolder(), {
        ...Object.fromEntries(names.map(name => [name, randomBytes(32).toString('hex')])),
        ...database,
        NODE_ENV: 'production',
        PUBLIC_URL: 'https://svc.example',
        TRUSTED_PROXIES: 'none',
        SECURITY_CONTACT: 'mailto:security@svc.example',
        OPERATOR_PORT: '0',
        LND_REST_URL: 'https://127.0.0.1:9',
        LND_MACAROON_HEX: '0201036c6e64',
        ...chain?.variables,
      });
      await published.says(/The price of a first call:\n {2}curl .*\n/);
      expect(published.output).not.toMatch(/sandbox|svc prove/);
      const [, address] = await published.says(READY);
      if (chain) await expectPayableAsListed(address, 'https://svc.example');
      published.signal('SIGINT');
      expect(await published.exit()).toBe(0);
    } finally {
      await postgres.stop();
      await chain?.close();
    }
  });

  it('says in one sentence that the port is taken, with exit code 1, before it starts anything', async () => {
    const taken = createServer();
    const port = await new Promise<number>(resolve =>
      taken.listen(0, '127.0.0.1', () => resolve((taken.address() as { port: number }).port)),
    );
    const dataDir = freshFolder();
    const app = launch(dataDir, {}, ['--port', String(port)]);
    expect(await app.exit()).toBe(1);
    expect(app.output).toBe(`Port ${port} is in use by another program; choose one with --port.\n`);
    taken.close();
  });

  it('says in one sentence what is wrong with the data folder, with exit code 1', async () => {
    const dataDir = freshFolder();
    await mkdir(join(dataDir, 'postgres'), { recursive: true });
    await writeFile(join(dataDir, 'postgres', 'PG_VERSION'), '14\n');
    const app = launch(freshFolder(), {}, ['--data-dir', dataDir]);
    expect(await app.exit()).toBe(1);
    expect(app.output).toBe(`${dataDir}/postgres was made by Postgres 14, this release runs Postgres 18.\n`);
  });

  it('refuses generated secrets, sandbox keys and an embedded database in production', async () => {
    const app = launch(freshFolder(), {
      NODE_ENV: 'production',
      SANDBOX_LIGHTNING_KEY: randomBytes(32).toString('hex'),
      FACILITATOR: 'strict',
    });
    expect(await app.exit()).toBe(1);
    expect(app.output).toContain('FACILITATOR: is set, and production has no sandbox');
    // Shared with relays of one's own, where there are any.
    const needed = SECRET_VARIABLES.filter(name => name !== 'TURN_SECRET');
    const addresses = ['PUBLIC_URL', 'TRUSTED_PROXIES', 'OPERATOR_PORT', 'SECURITY_CONTACT'];
    for (const name of ['DATABASE_URL', 'DATABASE_MIGRATION_URL', ...addresses, ...needed])
      expect(app.output).toContain(name);
  });

  it('refuses what a service refuses of its variables, with exit code 1', async () => {
    const app = launch(freshFolder(), {
      AUDIT_SIGNING_SEEDS: 'ab'.repeat(32),
      SPECKLE_TRIES_PER_DAY: 'many',
    });
    expect(await app.exit()).toBe(1);
    expect(app.output).toMatch(/AUDIT_SIGNING_SEEDS: /);
    expect(app.output).toMatch(/SPECKLE_TRIES_PER_DAY: /);
    expect(app.output).not.toContain('abab');
  });

  it('refuses a facilitator of the sandbox that is none', async () => {
    const app = launch(freshFolder(), { FACILITATOR: 'lenient' });
    expect(await app.exit()).toBe(1);
    expect(app.output).toMatch(/FACILITATOR: .*got "lenient"/);
  });

  it('refuses to offer the sandbox beyond loopback', async () => {
    const app = launch(freshFolder(), { HOST: '0.0.0.0' });
    expect(await app.exit()).toBe(1);
    expect(app.output).toMatch(/HOST: the payment sandbox listens on loopback alone, got "0\.0\.0\.0"/);
  });
});
