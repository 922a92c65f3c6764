import { randomBytes } from 'node:crypto';
import { chmodSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { byTurns } from '../../tools/bench/by-turns.mjs';
import { ALLOCATOR, makeDataFolder, ServedProcess } from '../../tools/bench/served-process.mjs';
import { keysOfManyAccounts } from '../payments/credentials.mjs';

const PRODUCT = new URL('../../apps/allinone/dist/main.js', import.meta.url);
const BARE = new URL('./bare-server.mjs', import.meta.url);
/** Of ours to what stands beside it, in the same rounds. */
const TARGETS = { besideBare: 0.4, withEvidence: 0.35, taskBesideCall: 0.35 };
const DESK = '/departments/parcels';
const CAPABILITY = 'fep.active-inference';
/** Of either tool. */
const TOOL_USD = 0.001;

/** Packages whose versions stand beside the figures. */
export const packages = ['@modelcontextprotocol/sdk', 'fastify', '@nestjs/core', 'pg', 'autocannon'];

export const options = { calls: 500, connections: 32, rounds: 7, profile: undefined };
export const smoke = { calls: 2, connections: 2, rounds: 1 };

/**
 * Cheap calls of agents, each paid for by a key: of a tool over MCP beside the SDK's own server with a tool that says what it
 * is told, for nothing; of a tool with evidence of its own; and a task of a desk. The accounts say at the end that every call
 * was a purchase.
 *
 * @param {{ report: import('../../tools/bench/report.mjs').Report; options: typeof options }} run
 */
export default async function mcp({ report, options: { calls, connections, rounds, profile } }) {
  const folder = makeDataFolder('mcp');
  // As root, Postgres runs as its own user, who must pass.
  chmodSync(folder, 0o755);
  const started = [];
  try {
    const start = async (...program) => {
      started.push(await ServedProcess.start(...program));
      return started.at(-1);
    };
    const bare = await start(BARE, { env: { ANSWERS: 'json' } });
    const adminKey = randomBytes(32).toString('base64url');
    // One client is all callers here, whom the limits of one address are not meant for.
    const limits = { LOG_LEVEL: 'error', RATE_LIMIT_FACTOR: '1000' };
    const env = { ...ALLOCATOR, ...limits, DATA_DIR: join(folder, 'data'), ADMIN_KEY: adminKey };
    const flags = profile ? ['--cpu-prof', `--cpu-prof-dir=${profile}`] : [];
    const product = await start(PRODUCT, { env, ready: '/readyz', flags });
    const keys = await keysOfManyAccounts(product.address, adminKey, calls * (rounds + 1));
    const sides = agentsCalls({ bare, product, keys });
    const before = await balanceOf(product.address, keys);

    report.table(`calls of agents, ${connections} connections, medians of ${rounds} alternating rounds`);
    const beside = await byTurns(report, sides, { slice: calls, rounds, connections, status: 200 });
    await requireBought({ product, keys, before });
    const [floor, , tool, evidence, task] = sides.map(({ name }) => name);
    const { besideBare, withEvidence, taskBesideCall } = TARGETS;
    report.verdict('paid MCP call beside the bare SDK server', beside(tool, floor), 'at least', besideBare);
    report.verdict(
      'with evidence of its own beside that call',
      beside(evidence, tool),
      'at least',
      withEvidence,
    );
    report.verdict('a task beside that call', beside(task, tool), 'at least', taskBesideCall);
    report.note(
      'Each paid call is by another account, for one payer with one body buys once: sold, and counted in the balances at the end. An arena_challenge has a fresh problem set and stored, and evidence of its own made; the same answer of the catalogue to the same question has one evidence a minute. A task is a small model of active inference, given to its desk and waited for.',
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

/** The loads, the floor first. Every key buys one call of each, so that no call is an earlier one's answer. */
function agentsCalls({ bare, product, keys }) {
  const accept = { accept: 'application/json, text/event-stream', prefer: 'wait=25' };
  const open = async count => Array(count).fill(accept);
  const paid = () => {
    let next = 0;
    return async count => keys.slice(next, (next += count)).map(key => ({ ...accept, 'x-svc-key': key }));
  };
  let made = 0;
  const mcpOf = { to: product, path: '/mcp' };
  return [
    { name: 'bare SDK server, echo', to: bare, path: '/', headers: open, bodyOf: () => echo(made++) },
    { ...mcpOf, name: 'ours: tools/list', headers: open, bodyOf: () => rpc('tools/list', {}) },
    { ...mcpOf, name: 'ours: get_product_catalog', headers: paid(), bodyOf: () => catalogue },
    { ...mcpOf, name: 'ours: arena_challenge', headers: paid(), bodyOf: () => challenge(made++) },
    {
      name: 'ours: a task, waited for',
      to: product,
      path: DESK,
      headers: paid(),
      bodyOf: () => task(made++),
    },
  ];
}

/** @throws Error unless each of these accounts has paid for one call of each kind */
async function requireBought({ product, keys, before }) {
  const desk = await (await fetch(product.address + DESK)).json();
  const expected = keys.length * Math.round(1e6 * (2 * TOOL_USD + Number(desk.priceUsd[CAPABILITY])));
  const spent = before - (await balanceOf(product.address, keys));
  if (spent === expected) return;
  throw new Error(
    `${keys.length} calls of each kind cost ${spent} µUSD, not ${expected}: not each was a purchase`,
  );
}

const rpc = (method, params, id = 1) => JSON.stringify({ jsonrpc: '2.0', id, method, params });
const echo = i => rpc('tools/call', { name: 'echo', arguments: { text: `call ${i}` } });
const catalogue = rpc('tools/call', { name: 'get_product_catalog', arguments: {} });
const challenge = i => rpc('tools/call', { name: 'arena_challenge', arguments: { agentId: `agent-${i}` } });
const stay = [
  [1, 0],
  [0, 1],
];
const task = i =>
  JSON.stringify({
    capability: CAPABILITY,
    task: {
      A: [
        [0.9, 0.2],
        [0.1, 0.8],
      ],
      B: [stay],
      C: [1, 0],
      D: [0.5, 0.5],
      observations: [i % 2],
      gamma: 1 + i / 1e6,
    },
  });

/** What lies on all of them together, micro-USD. */
async function balanceOf(address, keys) {
  let sum = 0;
  for (const key of keys) {
    const response = await fetch(`${address}/v1/account`, { headers: { 'x-svc-key': key } });
    sum += (await response.json()).balanceMicroUsd;
  }
  return sum;
}
