import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
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

/** Clients that others have published, with their default settings, in a language that the product is not written in. */
describe(
  'clients in Python',
  { skip: python && successor ? false : 'python3 could not install the clients' },
  () => {
    let folder, product, node, key;
    before(async () => {
      folder = mkdtempSync(join(tmpdir(), 'svc-clients-'));
      const adminKey = randomBytes(32).toString('base64url');
      const env = { DATA_DIR: folder, ADMIN_KEY: adminKey, LOG_LEVEL: 'error' };
      product = await ServedProcess.start(PRODUCT, { env, ready: '/readyz' });
      node = await startNode(product.address);
      [key] = await keysOfManyAccounts(product.address, adminKey, 1, 1_000_000);
      for (let rails = []; !rails.includes('x402');)
        ({ rails } = await (await fetch(`${product.address}/health`)).json());
    });
    after(async () => {
      node?.close();
      await product?.stop();
      rmSync(folder, { recursive: true, force: true });
    });

    const bought = async (client, by = python) => {
      const lnd = `http://127.0.0.1:${node.address().port}`;
      const asked = [PAYERS, client, product.address, WALLET, lnd, key];
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

    for (const client of ['x402', 'routeweiler', 'l402sdk'])
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
  },
);
