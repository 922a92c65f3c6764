import { startLocalChain, startStripeEmulator } from '@svc/sandbox';
import { createLogger, startEmbeddedPostgres } from '@svc/platform';
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import {
  accountKeys,
  cardCredentials,
  l402Credentials,
  peerLightningCredentials,
  x402Credentials,
} from './credentials.mjs';
import { pace, send } from './load.mjs';

const PATH = '/v1/zk/prove';
const START_TIMEOUT_MS = 60_000;
const TARGETS = { challenges: 2_000, credit: 800, guardP99Ms: 15, withStore: 2, withoutStore: 0.8 };
/** Of calls a second offered to the guard; what is over its capacity measures the queue and not the guard. */
const GUARD_RATES = [200, 400];

/** Packages whose versions stand beside the figures. */
export const packages = [
  'mppx',
  '@x402/express',
  '@x402/evm',
  'express',
  'fastify',
  'viem',
  'stripe',
  'pg',
  'autocannon',
];

/**
 * What payments cost, beside the middlewares of others doing the same job: challenges, paid calls by rail, and the time
 * that the guard adds. One run, one machine, one Postgres with fsync.
 *
 * @param {{ report: import('../../tools/bench/report.mjs').Report; options: { seconds?: number; calls?: number;
 *   connections?: number; only?: string; profile?: string } }} run
 */
export default async function payments({ report, options }) {
  const { seconds = 5, calls = 1_000, connections = 50, only = 'challenge,paid,guard' } = options;
  const parts = only.split(',');
  const world = await openWorld(options);
  const load = { seconds, connections, calls };
  try {
    if (parts.includes('challenge')) await challenges(report, world, load);
    if (parts.includes('paid')) await paidCalls(report, world, load);
    if (parts.includes('guard')) await guard(report, world, load);
    report.note(
      'Client, both servers, the card processor’s emulator, the chain and Postgres share the machine’s cores; compare within one run only.',
    );
    report.note('Aperture is left out: it is not built here.');
  } finally {
    await world.close();
  }
}

/** Bodies that differ, since two calls of one payer with one body are one call. */
const bodyOf = i => JSON.stringify({ traceData: `call ${i} ${process.pid}`, degree: 8, friBlowup: 8 });

async function challenges(report, { ours, peers }, { seconds, connections }) {
  report.table(`402 challenges, ${connections} connections, ${seconds} s each`);
  const bare = { connections, seconds, status: 402, bodyOf: () => '{}' };
  const hammer = async (name, url) => {
    await send({ ...bare, url, seconds: 1 });
    const { perSecond, p50Ms, p99Ms } = await send({ ...bare, url });
    report.row(name, { perSecond, p50Ms, p99Ms });
    return perSecond;
  };
  const own = await hammer('our gateway: every rail, invoice signed', ours.address + PATH);
  const mppx = await hammer('mppx/express: stripe', `${peers.address}/mppx-stripe`);
  await hammer('mppx/express: lightning, no invoice made', `${peers.address}/mppx-lightning`);
  const x402 = await hammer('@x402/express', `${peers.address}/x402-stub`);
  verdict(report, 'challenges a second', own, TARGETS.challenges, 'at least');
  verdict(report, 'challenges beside mppx', own / mppx, TARGETS.withoutStore, 'at least');
  verdict(report, 'challenges beside @x402/express', own / x402, TARGETS.withoutStore, 'at least');
}

async function paidCalls(report, { ours, peers, stripe, chain, adminKey }, { calls, connections }) {
  report.table(`verified paid calls, ${connections} connections, each credential once`);
  const own = ours.address + PATH;
  const run = async (name, url, list, amount = list.length) => {
    const headersOf = i => (Array.isArray(list) ? list[i] : list);
    const load = { url, headersOf, bodyOf, connections: Math.min(connections, amount), amount, status: 200 };
    const { perSecond, p50Ms, p99Ms } = await send(load);
    report.row(name, { perSecond, p50Ms, p99Ms, calls: amount });
    return perSecond;
  };
  const keys = await accountKeys(ours.address, adminKey);
  await run('warm-up: credit', own, { 'x-svc-key': keys.credit }, 300);
  const credit = await run('ours: credit key', own, { 'x-svc-key': keys.credit }, calls * 4);
  const quota = await run('ours: key of a plan', own, { 'x-svc-key': keys.quota }, calls * 4);
  verdict(report, 'credit calls a second', credit, TARGETS.credit, 'at least');
  report.note(`Calls within a plan: ${Math.round(quota)} a second.`);

  const l402 = await run('ours: L402', own, await l402Credentials(ours.address, PATH, calls));
  const lightning = `${peers.address}/mppx-lightning`;
  const theirs = await run(
    'mppx: lightning, replay store on Postgres',
    lightning,
    await peerLightningCredentials(lightning, calls),
  );
  verdict(report, 'L402 beside mppx with a store', l402 / theirs, TARGETS.withStore, 'at least');

  const few = Math.min(calls, 300);
  const card = await run('ours: card by MPP (emulator)', own, await cardCredentials(own, few, stripe));
  const cards = `${peers.address}/mppx-stripe`;
  const theirCard = await run(
    'mppx: card, no store (emulator)',
    cards,
    await cardCredentials(cards, few, stripe),
  );
  verdict(report, 'cards beside mppx without a store', card / theirCard, TARGETS.withoutStore, 'at least');

  const stub = `${peers.address}/x402-stub`;
  if (chain) {
    const payers = chain.wallets.slice(0, -1);
    const x402 = await run('ours: x402 (local chain)', own, await x402Credentials(own, few, payers));
    const onChain = `${peers.address}/x402-chain`;
    const theirX402 = await run(
      '@x402/express, no store (local chain)',
      onChain,
      await x402Credentials(onChain, few, payers),
    );
    verdict(report, 'x402 beside @x402/express', x402 / theirX402, TARGETS.withoutStore, 'at least');
    await run('@x402/express, facilitator that says yes', stub, await x402Credentials(stub, few, payers));
  } else report.note('x402 is left out: anvil is not installed.');
}

/** What the guard adds: the same call with a key and without any guard, at one offered rate. */
async function guard(report, { ours, adminKey }, { seconds, connections }) {
  report.table(`the guard on a call paid by credit, ${connections} connections`);
  const { credit } = await accountKeys(ours.address, adminKey);
  let offset = 1_000_000;
  const measure = async (name, url, headers, perSecond) => {
    const from = offset;
    offset += 1_000_000;
    // A count and no time: a load that ends by the clock hangs up on calls, which then were given up.
    const amount = Math.round((perSecond ?? TARGETS.credit) * seconds);
    const load = { url, headersOf: () => headers, bodyOf: i => bodyOf(from + i), connections, amount };
    const status = name.startsWith('unguarded') ? 201 : 200;
    const result =
      perSecond === undefined ? await send({ ...load, status }) : await pace({ ...load, perSecond, status });
    report.row(name, { p99Ms: result.p99Ms, p50Ms: result.p50Ms, perSecond: result.perSecond });
    return result;
  };
  for (const rate of [...GUARD_RATES, undefined]) {
    const at = rate === undefined ? 'as fast as it goes' : `at ${rate} a second`;
    const open = await measure(`unguarded, ${at}`, `${ours.address}/dev/unguarded`, {}, rate);
    const paid = await measure(`credit, ${at}`, ours.address + PATH, { 'x-svc-key': credit }, rate);
    const added = paid.p99Ms - open.p99Ms;
    verdict(report, `p99 that the guard adds ${at}, ms`, added, TARGETS.guardP99Ms, 'at most');
  }
}

function verdict(report, name, got, bound, kind) {
  const holds = kind === 'at least' ? got >= bound : got <= bound;
  const text = got >= 100 ? Math.round(got) : Number(got.toPrecision(3));
  report.note(`${holds ? 'MET' : 'NOT MET'}: ${name} ${text}, target ${kind} ${bound}.`);
}

/** Postgres, the sandbox, our gateway and the peers. */
async function openWorld({ profile }) {
  const folder = mkdtempSync(join(tmpdir(), 'svc-bench-payments-'));
  // As root, Postgres runs as its own user, who must pass.
  chmodSync(folder, 0o755);
  const closing = [() => rmSync(folder, { recursive: true, force: true })];
  const close = async () => {
    for (const step of closing.reverse()) await step();
  };
  try {
    const logger = createLogger('allinone', { level: 'silent' });
    const postgres = await startEmbeddedPostgres({ dataDir: join(folder, 'data'), logger });
    closing.push(() => postgres.stop());
    const stripe = await startStripeEmulator({});
    closing.push(() => stripe.close());
    const chain = await startLocalChain({});
    if (chain) closing.push(() => chain.close());
    const secrets = secretsOf();
    const ours = await start(
      new URL('./our-gateway.mjs', import.meta.url),
      `${PATH}`,
      {
        DATABASE_URL: postgres.urlFor('payments'),
        DATABASE_MIGRATION_URL: postgres.migrationUrlFor('payments'),
        BENCH_SECRETS: JSON.stringify(secrets),
        ...{
          STRIPE_API_URL: stripe.url,
          STRIPE_SECRET_KEY: stripe.secretKey,
          STRIPE_WEBHOOK_SECRET: stripe.webhookSecret,
        },
        ...(chain ? x402Variables(chain) : {}),
      },
      profile,
    );
    closing.push(ours.stop);
    await setTimeout(2_500);
    const peers = await start(new URL('./peers.mjs', import.meta.url), '/bare', {
      DATABASE_URL: postgres.migrationUrlFor('snn'),
      BENCH_ANSWER: JSON.stringify(await answerOf(ours)),
      BENCH_STRIPE: JSON.stringify({ url: stripe.url, secretKey: stripe.secretKey }),
      ...(chain ? { BENCH_CHAIN: JSON.stringify(peersChain(chain)) } : {}),
    });
    closing.push(peers.stop);
    return { ours, peers, stripe, chain, adminKey: secrets.ADMIN_KEY, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The same chain with an account of the peers' own to settle with: two processes with one would take each other's nonces. */
const peersChain = chain => ({ ...chain, facilitatorKey: chain.wallets.at(-1).privateKey });

/** What both sides answer, so that both send as much. */
async function answerOf({ address }) {
  const response = await fetch(`${address}/dev/unguarded`, { method: 'POST' });
  if (response.status !== 201) throw new Error(`/dev/unguarded answered ${response.status}`);
  return response.json();
}

const x402Variables = ({ rpcUrl, network, payTo, facilitatorKey }) => ({
  ...{
    X402_RPC_URL: rpcUrl,
    X402_NETWORK: network,
    X402_PAY_TO: payTo,
    X402_FACILITATOR_KEY: facilitatorKey,
  },
});

function secretsOf() {
  const names = [
    ...['PAYMENTS_SECRET', 'MACAROON_SECRET', 'SANDBOX_LIGHTNING_KEY', 'API_KEY_PEPPER', 'CREDIT_KEY_SECRET'],
    ...['LICENCE_SIGNING_SEEDS', 'WAL_SIGNING_SEEDS', 'ADMIN_KEY'],
  ];
  return Object.fromEntries(names.map(name => [name, randomBytes(32).toString('base64url')]));
}

/** Starts a program of this folder on a free port, and waits until it answers anything at all. */
async function start(program, path, env, profile) {
  const port = await freePort();
  const flags = profile ? ['--cpu-prof', `--cpu-prof-dir=${profile}`] : [];
  const child = spawn(process.execPath, [...flags, fileURLToPath(program)], {
    env: { ...process.env, NODE_ENV: 'development', ...env, PORT: String(port) },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  process.once('exit', () => child.kill('SIGKILL'));
  const address = `http://127.0.0.1:${port}`;
  const deadlineMs = Date.now() + START_TIMEOUT_MS;
  const answers = () =>
    fetch(address + path, { method: 'POST' }).then(
      () => true,
      () => false,
    );
  while (!(await answers())) {
    if (child.exitCode !== null)
      throw new Error(`${program.pathname} ended with exit code ${child.exitCode}`);
    if (Date.now() > deadlineMs)
      throw new Error(`${program.pathname} was not ready after ${START_TIMEOUT_MS / 1_000} s`);
    await setTimeout(50);
  }
  const stop = async () => {
    if (child.exitCode !== null) return;
    const ended = new Promise(resolve => child.once('exit', resolve));
    child.kill('SIGTERM');
    await ended;
  };
  return { address, stop };
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
