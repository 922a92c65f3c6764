import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { keysOfManyAccounts } from '../payments/credentials.mjs';
import { send } from '../payments/load.mjs';

const PRODUCT = new URL('../../apps/allinone/dist/main.js', import.meta.url);
const BARE = new URL('./bare-server.mjs', import.meta.url);
const START_TIMEOUT_MS = 60_000;
const TARGETS = { callsPerSecond: 700, besideBare: 0.6 };
const PRICE_MICRO_USD = 1_000;

/** Packages whose versions stand beside the figures. */
export const packages = ['@modelcontextprotocol/sdk', 'fastify', '@nestjs/core', 'pg', 'autocannon'];

/**
 * Calls of a cheap tool over MCP, each paid for by a key, beside the SDK's own server with a tool that says what it is told,
 * for nothing. Every call of ours is a purchase of its own, attested and delivered: the account says at the end that all were.
 *
 * @param {{ report: import('../../tools/bench/report.mjs').Report; options: { calls?: number; connections?: number;
 *   profile?: string } }} run
 */
export default async function mcp({ report, options: { calls = 6_000, connections = 32, profile } }) {
  const folder = mkdtempSync(join(tmpdir(), 'svc-bench-mcp-'));
  // As root, Postgres runs as its own user, who must pass.
  chmodSync(folder, 0o755);
  const started = [];
  try {
    const sse = await start(started, BARE, {});
    const json = await start(started, BARE, { ANSWERS: 'json' });
    const adminKey = randomBytes(32).toString('base64url');
    const environment = { DATA_DIR: join(folder, 'data'), ADMIN_KEY: adminKey };
    const limits = { LOG_LEVEL: 'error', RATE_LIMIT_FACTOR: '0' };
    const flags = profile ? ['--cpu-prof', `--cpu-prof-dir=${profile}`] : [];
    const product = await start(started, PRODUCT, { ...environment, ...limits }, '/readyz', flags);
    const warmUp = Math.ceil(calls / 10);
    const keys = await keysOfManyAccounts(product, adminKey, calls + warmUp);

    report.table(`tools/call, ${connections} connections, ${calls} calls each`);
    const load = { connections, status: 200 };
    const hammer = async (name, url, bodyOf, keyOf = () => ({})) => {
      const headersOf = i => ({ accept: 'application/json, text/event-stream', ...keyOf(i) });
      const warmHeaders = i => headersOf(calls + i);
      await send({ ...load, url, headersOf: warmHeaders, bodyOf: i => bodyOf(`w${i}`), amount: warmUp });
      const { perSecond, p50Ms, p99Ms } = await send({ ...load, url, headersOf, bodyOf, amount: calls });
      report.row(name, { perSecond, p50Ms, p99Ms });
      return perSecond;
    };
    const bare = await hammer('bare SDK server, echo, a stream', sse, echo);
    await hammer('bare SDK server, echo, JSON', json, echo);
    const ownKey = i => ({ 'x-svc-key': keys[i] });
    await hammer('ours: tools/list', `${product}/mcp`, () => rpc('tools/list', {}));
    const sold = async (name, bodyOf) => {
      const before = await balanceOf(product, keys);
      const perSecond = await hammer(name, `${product}/mcp`, bodyOf, ownKey);
      const spent = before - (await balanceOf(product, keys));
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
      `${product}/mcp`,
      () => catalogue,
      ownKey,
    );
    await sold('ours: arena_challenge, each paid by a key', challenge);
    verdict(report, 'paid MCP calls a second', ours, TARGETS.callsPerSecond);
    verdict(report, 'paid MCP calls beside the bare SDK server', ours / bare, TARGETS.besideBare);
    report.note(
      'Each paid call is by another account, for one payer with one body buys once a minute: claimed, run, delivered, and counted in the balances at the end. An arena_challenge has a fresh problem set and stored, and evidence of its own made; the same answer of the catalogue to the same question has one evidence a minute. Again: the stored answers.',
    );
    report.note('The product is the one process of `npm start`, with the Postgres that it starts.');
    report.note(
      'Client, servers, prover and Postgres share the machine’s cores; compare within one run only.',
    );
  } finally {
    await Promise.all(started.map(stop));
    rmSync(folder, { recursive: true, force: true });
  }
}

const rpc = (method, params, id = 1) => JSON.stringify({ jsonrpc: '2.0', id, method, params });
const echo = i => rpc('tools/call', { name: 'echo', arguments: { text: `call ${i}` } });
const catalogue = rpc('tools/call', { name: 'get_product_catalog', arguments: {} });
const challenge = i => rpc('tools/call', { name: 'arena_challenge', arguments: { agentId: `agent-${i}` } });

/** What lies on all of them together, micro-USD. */
async function balanceOf(product, keys) {
  let sum = 0;
  for (const key of keys) {
    const response = await fetch(`${product}/v1/account`, { headers: { 'x-svc-key': key } });
    sum += (await response.json()).balanceMicroUsd;
  }
  return sum;
}

function verdict(report, name, got, bound) {
  const text = got >= 100 ? Math.round(got) : Number(got.toPrecision(3));
  report.note(`${got >= bound ? 'MET' : 'NOT MET'}: ${name} ${text}, target at least ${bound}.`);
}

/** Starts a program of this workspace on a free port and waits until it is ready. */
async function start(started, program, env, readyPath = '/', flags = []) {
  const port = await freePort();
  const child = spawn(process.execPath, [...flags, fileURLToPath(program)], {
    env: { ...process.env, ...env, PORT: String(port) },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  started.push(child);
  process.once('exit', () => child.kill());
  const address = `http://127.0.0.1:${port}`;
  const deadlineMs = Date.now() + START_TIMEOUT_MS;
  const isReady = () =>
    fetch(address + readyPath).then(
      answer => answer.ok,
      () => false,
    );
  while (!(await isReady())) {
    if (child.exitCode !== null) throw new Error(`${program.pathname} ended with ${child.exitCode}`);
    if (Date.now() > deadlineMs) throw new Error(`${program.pathname} was not ready in time`);
    await setTimeout(50);
  }
  return address;
}

async function stop(child) {
  if (child.exitCode !== null) return;
  const ended = new Promise(resolve => child.once('exit', resolve));
  child.kill('SIGTERM');
  await ended;
}

function freePort() {
  return new Promise((resolve, reject) => {
    const probe = createServer().once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}
