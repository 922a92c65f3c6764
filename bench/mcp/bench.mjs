import { randomBytes } from 'node:crypto';
import { chmodSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { send } from '../../tools/bench/load.mjs';
import { ALLOCATOR, makeDataFolder, ServedProcess } from '../../tools/bench/served-process.mjs';
import { keysOfManyAccounts } from '../payments/credentials.mjs';

const PRODUCT = new URL('../../apps/allinone/dist/main.js', import.meta.url);
const BARE = new URL('./bare-server.mjs', import.meta.url);
const TARGETS = { callsPerSecond: 700, besideBare: 0.6 };
const PRICE_MICRO_USD = 1_000;

/** Packages whose versions stand beside the figures. */
export const packages = ['@modelcontextprotocol/sdk', 'fastify', '@nestjs/core', 'pg', 'autocannon'];

export const options = { calls: 6_000, connections: 32, profile: undefined };
export const smoke = { calls: 2, connections: 2 };

/**
 * Calls of a cheap tool over MCP, each paid for by a key, beside the SDK's own server with a tool that says what it is told,
 * for nothing. Every call of ours is a purchase of its own, attested and delivered: the account says at the end that all were.
 *
 * @param {{ report: import('../../tools/bench/report.mjs').Report; options: typeof options }} run
 */
export default async function mcp({ report, options: { calls, connections, profile } }) {
  const folder = makeDataFolder('mcp');
  // As root, Postgres runs as its own user, who must pass.
  chmodSync(folder, 0o755);
  const started = [];
  try {
    const start = async (...program) => {
      started.push(await ServedProcess.start(...program));
      return started.at(-1);
    };
    const sse = await start(BARE);
    const json = await start(BARE, { env: { ANSWERS: 'json' } });
    const adminKey = randomBytes(32).toString('base64url');
    const environment = { ...ALLOCATOR, DATA_DIR: join(folder, 'data'), ADMIN_KEY: adminKey };
    const limits = { LOG_LEVEL: 'error', RATE_LIMIT_FACTOR: '0' };
    const flags = profile ? ['--cpu-prof', `--cpu-prof-dir=${profile}`] : [];
    const product = await start(PRODUCT, { env: { ...environment, ...limits }, ready: '/readyz', flags });
    const warmUp = Math.ceil(calls / 10);
    const keys = await keysOfManyAccounts(product.address, adminKey, calls + warmUp);

    report.table(`tools/call, ${connections} connections, ${calls} calls each`);
    const hammer = async (name, to, path, bodyOf, keyOf = () => ({})) => {
      const load = { to, path, connections, status: 200 };
      const headersOf = i => ({ accept: 'application/json, text/event-stream', ...keyOf(i) });
      const warmHeaders = i => headersOf(calls + i);
      await send({ ...load, headersOf: warmHeaders, bodyOf: i => bodyOf(`w${i}`), amount: warmUp });
      const { perSecond, p50Ms, p99Ms, cpuMsEach } = await send({
        ...{ ...load, headersOf, bodyOf, amount: calls },
      });
      report.row(name, { perSecond, p50Ms, p99Ms, cpuMsEach });
      return perSecond;
    };
    const bare = await hammer('bare SDK server, echo, a stream', sse, '/', echo);
    await hammer('bare SDK server, echo, JSON', json, '/', echo);
    const ownKey = i => ({ 'x-svc-key': keys[i] });
    await hammer('ours: tools/list', product, '/mcp', () => rpc('tools/list', {}));
    const sold = async (name, bodyOf) => {
      const before = await balanceOf(product.address, keys);
      const perSecond = await hammer(name, product, '/mcp', bodyOf, ownKey);
      const spent = before - (await balanceOf(product.address, keys));
      if (spent !== keys.length * PRICE_MICRO_USD) {
        throw new Error(
          `${keys.length} calls cost ${spent} µUSD: not each was a purchase, the figures are void`,
        );
      }
      return perSecond;
    };
    const ours = await sold('ours: get_product_catalog, each paid by a key', () => catalogue);
    await hammer(
      'ours: get_product_catalog, again within a minute',
      product,
      '/mcp',
      () => catalogue,
      ownKey,
    );
    await sold('ours: arena_challenge, each paid by a key', challenge);
    report.verdict('paid MCP calls a second', ours, 'at least', TARGETS.callsPerSecond);
    report.verdict('paid MCP calls beside the bare SDK server', ours / bare, 'at least', TARGETS.besideBare);
    report.note(
      'Each paid call is by another account, for one payer with one body buys once a minute: claimed, run, delivered, and counted in the balances at the end. An arena_challenge has a fresh problem set and stored, and evidence of its own made; the same answer of the catalogue to the same question has one evidence a minute. Again: the stored answers.',
    );
    report.note('The product is the one process of `npm start`, with the Postgres that it starts.');
    report.note(
      'Client, servers, prover and Postgres share the machine’s cores; compare within one run only. cpuMsEach is of the process that answers, all its threads: Postgres is not in it.',
    );
  } finally {
    await Promise.all(started.map(each => each.stop()));
    rmSync(folder, { recursive: true, force: true });
  }
}

const rpc = (method, params, id = 1) => JSON.stringify({ jsonrpc: '2.0', id, method, params });
const echo = i => rpc('tools/call', { name: 'echo', arguments: { text: `call ${i}` } });
const catalogue = rpc('tools/call', { name: 'get_product_catalog', arguments: {} });
const challenge = i => rpc('tools/call', { name: 'arena_challenge', arguments: { agentId: `agent-${i}` } });

/** What lies on all of them together, micro-USD. */
async function balanceOf(address, keys) {
  let sum = 0;
  for (const key of keys) {
    const response = await fetch(`${address}/v1/account`, { headers: { 'x-svc-key': key } });
    sum += (await response.json()).balanceMicroUsd;
  }
  return sum;
}
