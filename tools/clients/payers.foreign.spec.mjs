import assert from 'node:assert/strict';
import { startStripeEmulator } from '@svc/sandbox';
import { execFile, spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { after, before, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { keysOfManyAccounts } from '../../bench/payments/credentials.mjs';
import { pythonOf } from '../bench/python-environment.mjs';
import { ServedProcess } from '../bench/served-process.mjs';

const PRODUCT = new URL('../../apps/allinone/dist/main.js', import.meta.url);
const PAYERS = join(import.meta.dirname, 'payers.py');
/** The wallet of the sandbox that has play dollars; its key is printed at every start. */
const WALLET = '0x5de4111afa1a4b94908f83103eb1f1706367c2e68ca870fc3fb9a804cdab365a';
const DESK_TOOLS = [
  ...[
    'list_bullion_products',
    'list_requirement_sets',
    'prove_own_statement',
    'search_cards',
    'verify_bullion',
    'value_card',
    'verify_certificate',
  ],
];
const TOOLS = [
  ...[
    'arena_challenge',
    'create_purchase_link',
    'evaluate_spatial_parcel_fep',
    'generate_goldilocks_stark_proof',
  ],
  ...['get_product_catalog', 'm2m_license_contract', 'sync_mesh_crdt', 'verify_acoustic_proximity_token'],
  ...['webgpu_snn_attractor', 'zk_prove_spatial'],
];
const python = pythonOf('clients', import.meta.dirname);
const successor = pythonOf('clients-successor', join(import.meta.dirname, 'successor'));
const run = promisify(execFile);
const CRATE = join(import.meta.dirname, 'rust');
const cacheOf = name => fileURLToPath(new URL(`../../node_modules/.cache/${name}`, import.meta.url));
const hasCargo = spawnSync('cargo', ['--version']).status === 0;
const hasGo = spawnSync('go', ['version']).status === 0;
/** Modules of Go that no proxy serves, the folder that a checkout of each is in, and the commit that it must be of: docs/clients.md. */
const CHECKOUTS = [
  {
    ...{ name: 'github.com/x402-foundation/x402/go', folder: process.env.GO_CHECKOUT_X402 },
    commit: 'dd927a26cfefc98c24b3ec38b3a8f204dad0c60d',
  },
  {
    ...{ name: 'github.com/tempoxyz/mpp-go', folder: process.env.GO_CHECKOUT_MPP },
    commit: '41c35ed9e9332b9d224c1fc4af606efa98a24251',
  },
];
const IN_NODE = fileURLToPath(new URL('./node/payers.mjs', import.meta.url));
/** What is installed, under the names that it has where that is: under those it would be a package of ours. */
const NODE_FILES = {
  'packages.json': 'package.json',
  'packages-lock.json': 'package-lock.json',
  'payers.mjs': 'payers.mjs',
};
const RECEIPTS = ['payment-receipt', 'payment-response', 'svc-receipt'];

/** The payer's node as clients of LND see it: it pays with the sandbox's play money. */
async function startNode(gateway) {
  const server = createServer(async (request, response) => {
    const chunks = await request.toArray();
    const { payment_request: invoice } = JSON.parse(Buffer.concat(chunks).toString());
    const paid = await fetch(`${gateway}/dev/lightning/pay`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ invoice }),
    });
    const { preimage } = await paid.json();
    const hash = createHash('sha256').update(Buffer.from(preimage, 'hex')).digest('hex');
    const result = {
      status: 'SUCCEEDED',
      payment_preimage: preimage,
      payment_hash: hash,
      value_sat: '2',
      fee_sat: '0',
    };
    response.setHeader('content-type', 'application/json').end(`${JSON.stringify({ result })}\n`);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

/** The payer's backend as clients of Stripe see it: it makes shared payment tokens of what they ask for. */
async function startTokens({ url, secretKey }) {
  const server = createServer(async (request, response) => {
    const { amount, currency } = JSON.parse(Buffer.concat(await request.toArray()).toString());
    const form = new URLSearchParams({
      payment_method: 'pm_card_visa',
      'usage_limits[currency]': currency,
      'usage_limits[max_amount]': amount,
      'usage_limits[expires_at]': String(Math.floor(Date.now() / 1_000) + 3_600),
    });
    const headers = { authorization: `Bearer ${secretKey}`, 'stripe-version': '2026-07-29.preview' };
    const made = await fetch(`${url}/v1/test_helpers/shared_payment/granted_tokens`, {
      ...{ method: 'POST', headers, body: form },
    });
    const { id } = await made.json();
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ spt: id }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

const addressOf = server => `http://127.0.0.1:${server.address().port}`;

/** Clients that others have published, with their default settings, in languages that the product is not written in. */
describe('clients in other languages', () => {
  let folder, product, node, tokens, stripe, key;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'svc-clients-'));
    const adminKey = randomBytes(32).toString('base64url');
    stripe = await startStripeEmulator();
    const { url, secretKey, webhookSecret } = stripe;
    const card = { STRIPE_API_URL: url, STRIPE_SECRET_KEY: secretKey, STRIPE_WEBHOOK_SECRET: webhookSecret };
    const env = { DATA_DIR: folder, ADMIN_KEY: adminKey, LOG_LEVEL: 'error', ...card };
    product = await ServedProcess.start(PRODUCT, { env, ready: '/readyz' });
    node = await startNode(product.address);
    tokens = await startTokens(stripe);
    [key] = await keysOfManyAccounts(product.address, adminKey, 1, 1_000_000);
    // Its answers are limited, as those of every free route are.
    for (let rails; !rails?.includes('x402'); await delay(200))
      ({ rails } = await (await fetch(`${product.address}/health`)).json());
  });
  after(async () => {
    node?.close();
    tokens?.close();
    await product?.stop();
    await stripe?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  describe('in Rust', { skip: hasCargo ? false : 'cargo is not installed' }, () => {
    const bought = async (client, using) => {
      const env = { ...process.env, CARGO_TARGET_DIR: cacheOf('clients-rust') };
      const built = ['run', '--quiet', '--locked', '--manifest-path', join(CRATE, 'Cargo.toml'), '--'];
      const { stdout } = await run('cargo', [...built, client, product.address, using], { env });
      return JSON.parse(stdout);
    };

    it('x402-reqwest pays over HTTP', async () => {
      const { status, receipts, proved } = await bought('x402', WALLET);
      assert.deepEqual([status, receipts, proved], [200, RECEIPTS, true]);
    });

    it('mpp pays by card over HTTP', async () => {
      const { status, receipts, proved } = await bought('mpp', addressOf(tokens));
      assert.deepEqual([status, receipts, proved], [200, ['payment-receipt', 'svc-receipt'], true]);
    });
  });

  describe('in Go', { skip: hasGo ? false : 'go is not installed' }, () => {
    it('l402 of Aperture reads the challenge, and pays by one credential on two lines', async () => {
      const cwd = join(import.meta.dirname, 'go');
      const { stdout } = await run('go', ['run', '-mod=readonly', '.', product.address], { cwd });
      const { status, receipts, proved, lines } = JSON.parse(stdout);
      assert.deepEqual([status, receipts, proved, lines], [200, ['payment-receipt', 'svc-receipt'], true, 2]);
    });
  });

  const isCheckedOut = hasGo && CHECKOUTS.every(({ folder }) => folder);
  const lacks = 'go, GO_CHECKOUT_X402 and GO_CHECKOUT_MPP are needed: docs/clients.md';
  describe('in Go, from checkouts', { skip: isCheckedOut ? false : lacks }, () => {
    let module;
    before(async () => {
      for (const { name, folder, commit } of CHECKOUTS) {
        const { stdout: head } = await run('git', ['-C', folder, 'rev-parse', 'HEAD']);
        const { stdout: changed } = await run('git', ['-C', folder, 'status', '--porcelain', '--', '.']);
        assert.deepEqual([name, head.trim(), changed], [name, commit, '']);
      }
      module = mkdtempSync(join(tmpdir(), 'svc-checkouts-'));
      cpSync(join(import.meta.dirname, 'go', 'checkouts'), module, { recursive: true });
      const replaced = CHECKOUTS.map(({ name, folder }) => `-replace=${name}=${folder}`);
      await run('go', ['mod', 'edit', ...replaced], { cwd: module });
      await run('go', ['build', '-mod=readonly', '-o', 'payers', '.'], { cwd: module, timeout: 600_000 });
    });
    after(() => rmSync(module, { recursive: true, force: true }));
    const bought = async (client, using) =>
      JSON.parse((await run(join(module, 'payers'), [client, product.address, using])).stdout);

    it('x402 pays over HTTP', async () => {
      const { status, receipts, proved } = await bought('x402', WALLET);
      assert.deepEqual([status, receipts, proved], [200, RECEIPTS, true]);
    });

    it('mpp-go pays by card over HTTP', async () => {
      const { status, receipts, proved } = await bought('mpp', addressOf(tokens));
      assert.deepEqual([status, receipts, proved], [200, ['payment-receipt', 'svc-receipt'], true]);
    });
  });

  describe('in packages of npm that are not of this repository', () => {
    const folder = cacheOf('clients-node');
    before(async () => {
      mkdirSync(folder, { recursive: true });
      for (const [name, there] of Object.entries(NODE_FILES))
        cpSync(join(dirname(IN_NODE), name), join(folder, there));
      await run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: folder });
    });

    for (const client of ['faremeter', 'dexter'])
      it(`${client} pays over HTTP`, async () => {
        const asked = [join(folder, 'payers.mjs'), client, product.address, WALLET];
        const { stdout } = await run(process.execPath, asked, { timeout: 60_000 });
        const { status, receipts, proved } = JSON.parse(stdout);
        assert.deepEqual([status, receipts, proved], [200, RECEIPTS, true]);
      });
  });

  const isInstalled = python && successor;
  describe('in Python', { skip: isInstalled ? false : 'python3 could not install the clients' }, () => {
    const bought = async (client, by = python) => {
      const asked = [PAYERS, client, product.address, WALLET, addressOf(node), key];
      const { stdout } = await run(by, asked, { encoding: 'utf8', timeout: 180_000 });
      return stdout
        .trim()
        .split('\n')
        .map(line => JSON.parse(line));
    };

    it('pympp pays over HTTP, beside a login too', async () => {
      const lines = await bought('pympp');
      assert.deepEqual(
        lines.map(({ status, receipt, login }) => [status, receipt, login]),
        [
          [200, true, false],
          [200, true, true],
        ],
      );
    });

    it('pympp pays tools over MCP', async () => {
      const lines = await bought('pympp_mcp');
      assert.deepEqual(
        lines.map(({ bought: tool, status, receipt }) => [tool, status, receipt]),
        ['get_product_catalog', 'arena_challenge', 'evaluate_spatial_parcel_fep'].map(tool => [
          tool,
          200,
          true,
        ]),
      );
    });

    for (const client of ['x402', 'x402_client', 'routeweiler', 'l402sdk'])
      it(`${client} pays over HTTP`, async () => {
        const [{ status, receipt }, ...more] = await bought(client);
        assert.deepEqual([status, receipt, more], [200, true, []]);
      });

    for (const [client, by] of [
      ['mcp', python],
      ['mcp_successor', successor],
    ])
      it(`${client} lists the tools and calls each of them, each answer held to its published schema`, async () => {
        const [{ tools }, ...calls] = await bought(client, by);
        const called = [...TOOLS, ...DESK_TOOLS].sort();
        assert.deepEqual(tools, called);
        assert.deepEqual(calls.map(({ bought: tool }) => tool).sort(), called);
        // The sound of the pairing was not played.
        const refused = calls.filter(({ status }) => status !== 200);
        assert.deepEqual(
          refused.map(({ bought: tool, status, code }) => [tool, status, code]),
          [['verify_acoustic_proximity_token', 409, 'CONFLICT']],
        );
        for (const { bought: tool, chars, linked, inline } of calls.filter(({ status }) => status === 200))
          assert.deepEqual([tool, chars <= 2_000, linked, inline], [tool, true, true, true]);
      });
  });
});
