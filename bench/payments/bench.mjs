import { startLocalChain, startStripeEmulator } from '@svc/sandbox';
import { createLogger, startEmbeddedPostgres } from '@svc/platform';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { setTimeout } from 'node:timers/promises';
import { byTurns, median } from '../../tools/bench/by-turns.mjs';
import { pace, send } from '../../tools/bench/load.mjs';
import { partsOf } from '../../tools/bench/options.mjs';
import { makeDataFolder, ServedProcess } from '../../tools/bench/served-process.mjs';
import { everySecret } from '../../tools/bench/service-environment.mjs';
import {
  accountKeys,
  cardCredentials,
  l402Credentials,
  peerLightningCredentials,
  x402Credentials,
} from './credentials.mjs';

const PATH = '/v1/zk/prove';
/** Of ours to a peer in the same run; what the guard adds in multiples of a bare durable INSERT at the same rate. */
const TARGETS = {
  ...{ challenges: 1, challengesX402: 0.5, credit: 2.1, withStore: 1.6, card: 0.4, x402: 0.9 },
  guard: 10,
};
/** Calls of a load that goes as fast as it does, for each second that the others last. */
const FAST_CALLS = 800;
/** Of calls a second offered to the guard; what is over its capacity measures the queue and not the guard. */
const GUARD_RATES = [200, 400];
const RAILS_MS_MAX = 30_000;
/** Payments on the chain that our gateway works on at one time, or has waiting; it refuses what is beyond. */
const ON_CHAIN_MAX = 40;
const PARTS = { challenge: challenges, paid: paidCalls, facilitator: remoteFacilitator, guard, orders };
/** After how long the facilitator of others answers a question, milliseconds: beside us, and far away. */
const FACILITATOR_WAITS_MS = [0, 100];
/** Of calls a second that each order of a sale is offered. */
const ORDERS_RATE = 100;

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

export const options = {
  ...{ only: undefined, seconds: 5, calls: 1_000, connections: 50, profile: undefined, rounds: 7 },
};
export const smoke = { seconds: 0.01, calls: 2, connections: 2, rounds: 1 };

/**
 * What payments cost, beside the middlewares of others doing the same job: challenges, paid calls by rail, and the time
 * that the guard adds. One run, one machine, one Postgres with fsync.
 *
 * @param {{ report: import('../../tools/bench/report.mjs').Report; options: typeof options }} run
 */
export default async function payments({ report, options }) {
  const parts = partsOf(PARTS, options.only);
  const world = await openWorld(options);
  try {
    for (const part of parts) await part(report, world, options);
    report.note(
      'Client, both servers, the card processor’s emulator, the chain and Postgres share the machine’s cores; compare within one run only. cpuMsEach is of the process that answers, all its threads: Postgres is not in it.',
    );
    report.leftOut('Aperture', 'needs Go');
  } finally {
    await world.close();
  }
}

/** Bodies that differ, since two calls of one payer with one body are one call. */
const bodyOf = i => JSON.stringify({ traceData: `call ${i} ${process.pid}`, degree: 8, friBlowup: 8 });

async function challenges(report, { ours, peers }, { calls, rounds, connections }) {
  report.table(`402 challenges, ${connections} connections, medians of ${rounds} alternating rounds`);
  const own = 'our gateway: every rail, invoice signed';
  const beside = await byTurns(
    report,
    [
      { name: own, to: ours, path: PATH },
      { name: 'mppx/express: stripe', to: peers, path: '/mppx-stripe' },
      { name: 'mppx/express: lightning, no invoice made', to: peers, path: '/mppx-lightning' },
      { name: '@x402/express', to: peers, path: '/x402-stub' },
    ].map(side => ({ ...side, bodyOf: () => '{}' })),
    { slice: calls, rounds, connections, status: 402 },
  );
  report.verdict(
    'challenges beside mppx',
    beside(own, 'mppx/express: stripe'),
    'at least',
    TARGETS.challenges,
  );
  const besideX402 = beside(own, '@x402/express');
  report.verdict('challenges beside @x402/express', besideX402, 'at least', TARGETS.challengesX402);
}

/**
 * What compares calls that each pay: slices of some sides by turns.
 * @param first number of the first call, of which no other call of this run has one
 */
function comparerOf(report, peers, { rounds, connections }, first = 0) {
  let next = first;
  return async (what, sides, slice, abreast = connections) => {
    report.table(`${what}, ${abreast} connections, medians of ${rounds} alternating rounds`);
    const load = { slice, rounds, connections: abreast, status: 200 };
    // What a peer refuses is counted and is none of its rate; a refusal of ours makes the figures void.
    return byTurns(
      report,
      sides.map(side => ({ ...side, bodyOf: () => bodyOf(next++), mayRefuse: side.to === peers })),
      load,
    );
  };
}

/** A side whose calls are each paid by a credential that is made for its own route. */
const paying = (name, to, path, credentials) => ({
  ...{ name, to, path, headers: count => credentials(to.address + path, count) },
});

async function paidCalls(report, { ours, peers, stripe, chain, adminKey }, options) {
  const { calls, connections } = options;
  const keys = await accountKeys(ours.address, adminKey);
  const withKey = key => async count => Array(count).fill({ 'x-svc-key': key });
  const compare = comparerOf(report, peers, options);
  const to = { to: ours, path: PATH };
  const stored = { name: 'mppx: lightning, replay store on Postgres', to: peers, path: '/mppx-lightning' };
  const paid = await compare(
    'calls by key and by Lightning',
    [
      { ...to, name: 'ours: credit key', headers: withKey(keys.credit) },
      { ...to, name: 'ours: key of a plan', headers: withKey(keys.quota) },
      { ...to, name: 'ours: L402', headers: count => l402Credentials(ours.address, PATH, count) },
      { ...stored, headers: count => peerLightningCredentials(peers.address + stored.path, count) },
    ],
    Math.ceil(calls / 2),
  );
  const besideStored = name => paid(name, stored.name);
  report.verdict(
    'credit beside mppx with a store',
    besideStored('ours: credit key'),
    'at least',
    TARGETS.credit,
  );
  report.verdict('L402 beside mppx with a store', besideStored('ours: L402'), 'at least', TARGETS.withStore);

  const cards = (url, count) => cardCredentials(url, count, stripe);
  const card = await compare(
    'calls by card (emulator)',
    [paying('ours', ours, PATH, cards), paying('mppx, no store', peers, '/mppx-stripe', cards)],
    Math.ceil(calls / 8),
  );
  report.verdict(
    'cards beside mppx without a store',
    card('ours', 'mppx, no store'),
    'at least',
    TARGETS.card,
  );

  if (!chain) return report.leftOut('x402', 'needs anvil, which is not installed');
  const authorizations = authorizationsOn(chain);
  const x402 = await compare(
    'calls by x402 (local chain)',
    [
      paying('ours', ours, PATH, authorizations),
      paying('@x402/express, no store', peers, '/x402-chain', authorizations),
      paying('@x402/express, facilitator that says yes', peers, '/x402-stub', authorizations),
    ],
    Math.ceil(calls / 20),
    Math.min(connections, ON_CHAIN_MAX),
  );
  const onChain = x402('ours', '@x402/express, no store');
  report.verdict('x402 beside @x402/express', onChain, 'at least', TARGETS.x402);
}

/** Payments on the chain by one wallet: the last one is the peers', to settle with. */
const authorizationsOn = chain => (url, count) => x402Credentials(url, count, chain.wallets.slice(0, -1));

/**
 * Calls by x402 where one facilitator, a process of its own, verifies and settles for both sides. The peer believes it; ours asks the
 * chain beside it, before and after, and keeps what it learns.
 */
async function remoteFacilitator(report, { startOurs, peers, chain, facilitator }, options) {
  if (!chain) return report.leftOut('x402 over a facilitator', 'needs anvil, which is not installed');
  const settledByIt = { X402_FACILITATOR_KEY: undefined, X402_FACILITATOR_URL: facilitator.address };
  const ours = await startOurs(settledByIt);
  try {
    await everyRail(ours, chain);
    const compare = comparerOf(report, peers, options, 8_000_000);
    const authorizations = authorizationsOn(chain);
    const slice = Math.ceil(options.calls / 20);
    for (const ms of FACILITATOR_WAITS_MS) {
      await tell(facilitator, '/wait', { ms });
      const before = await tell(facilitator, '/asked');
      await compare(
        `calls by x402, a facilitator of others that answers ${ms === 0 ? 'at once' : `after ${ms} ms`}`,
        [
          paying('@x402/express, no store', peers, '/x402-remote', authorizations),
          paying('ours', ours, PATH, authorizations),
        ],
        slice,
        Math.min(options.connections, ON_CHAIN_MAX),
      );
      const settled = (await tell(facilitator, '/asked')).settle - before.settle;
      // One side alone would make as many, the warm-up with it.
      if (settled <= slice * (options.rounds + 1))
        throw new Error('one of the sides does not settle by the facilitator');
    }
  } finally {
    await ours.stop();
  }
}

/** Tells the stand-in for a facilitator something, or asks it. */
async function tell({ address }, path, body) {
  const post = {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  };
  const response = await fetch(address + path, body ? post : {});
  if (!response.ok) throw new Error(`${path} answered ${response.status}`);
  return response.json();
}

/** What the guard adds: the same call with a key and without any guard, at one offered rate. */
async function guard(report, { ours, adminKey, postgres }, { seconds, connections }) {
  report.table(`the guard on a call paid by credit, ${connections} connections`);
  const { credit } = await accountKeys(ours.address, adminKey);
  let offset = 1_000_000;
  const measure = async (name, path, headers, perSecond) => {
    const from = offset;
    offset += 1_000_000;
    // A count and no time: a load that ends by the clock hangs up on calls, which then were given up.
    const amount = Math.round((perSecond ?? FAST_CALLS) * seconds);
    const load = {
      ...{ to: ours, path, headersOf: () => headers, bodyOf: i => bodyOf(from + i), connections, amount },
    };
    const status = name.startsWith('unguarded') ? 201 : 200;
    const result =
      perSecond === undefined ? await send({ ...load, status }) : await pace({ ...load, perSecond, status });
    const { p99Ms, p50Ms, cpuMsEach } = result;
    report.row(name, { p99Ms, p50Ms, perSecond: result.perSecond, cpuMsEach });
    return result;
  };
  for (const rate of [...GUARD_RATES, undefined]) {
    const at = rate === undefined ? 'as fast as it goes' : `at ${rate} a second`;
    const open = await measure(`unguarded, ${at}`, '/dev/unguarded', {}, rate);
    const paid = await measure(`credit, ${at}`, PATH, { 'x-svc-key': credit }, rate);
    if (rate === undefined) continue;
    const bare = await bareInserts(postgres, {
      perSecond: rate,
      amount: Math.round(rate * seconds),
      connections,
    });
    report.row(`a durable INSERT of one row, ${at}`, bare);
    for (const part of ['p50Ms', 'p99Ms']) {
      const added = (paid[part] - open[part]) / bare[part];
      report.verdict(`${part} that the guard adds ${at}, in such INSERTs`, added, 'at most', TARGETS.guard);
    }
  }
}

/** One-row transactions whose commit is waited for, at even distances in time, on the server that the product has its tables on. */
async function bareInserts(postgres, { perSecond, amount, connections }) {
  const pool = new pg.Pool({ connectionString: postgres.migrationUrlFor('snn'), max: connections });
  try {
    await pool.query('CREATE TABLE IF NOT EXISTS bare_insert (id bigint, at timestamptz)');
    const latencies = [];
    const inserts = [];
    const beganMs = performance.now();
    for (let i = 0; i < amount; i++) {
      const dueMs = beganMs + (i * 1_000) / perSecond;
      const waitMs = dueMs - performance.now();
      if (waitMs > 0) await setTimeout(waitMs);
      const text = 'INSERT INTO bare_insert VALUES ($1, now())';
      const insert = pool.query({ name: 'bare', text, values: [i] });
      inserts.push(insert.then(() => latencies.push(performance.now() - dueMs)));
    }
    await Promise.all(inserts);
    latencies.sort((a, b) => a - b);
    const share = part => latencies[Math.min(amount - 1, Math.floor(part * amount))];
    return { p99Ms: share(0.99), p50Ms: share(0.5), perSecond };
  } finally {
    await pool.end();
  }
}

/** The same calls of one account, each held first and in the order that its work allows, in slices by turns: medians of the rounds. */
async function orders(report, { ours, startOurs, adminKey }, { calls, connections, rounds }) {
  report.table(`the order of a sale, ${connections} connections, medians of ${rounds} alternating rounds`);
  const heldFirst = await startOurs({ SALE_ORDERS: 'hold-first' });
  const { credit } = await accountKeys(ours.address, adminKey);
  const kinds = {
    'a proof: held lazily': { path: PATH, bodyOf },
    'a cheap tool: run first': {
      path: '/v1/tools/evaluate_spatial_parcel_fep',
      bodyOf: i => JSON.stringify({ parcelId: `parcel-${process.pid}-${i}`, elevationContour: [1, 2, 3] }),
    },
  };
  let next = 5_000_000;
  for (const [kind, { path, bodyOf }] of Object.entries(kinds)) {
    const slices = { [`${kind.split(':')[0]}: held first`]: [heldFirst, [], []], [kind]: [ours, [], []] };
    for (let round = 0; round <= rounds; round++) {
      for (const [to, fast, paced] of Object.values(slices)) {
        const from = next;
        next += 2 * calls;
        const load = { to, path, headersOf: () => ({ 'x-svc-key': credit }), connections, status: 200 };
        const slice = Math.ceil(calls / 4);
        const reached = await send({ ...load, bodyOf: i => bodyOf(from + i), amount: slice });
        const perSecond = ORDERS_RATE;
        const offered = await pace({
          ...load,
          bodyOf: i => bodyOf(from + calls + i),
          amount: slice,
          perSecond,
        });
        // The first is the warm-up.
        if (round === 0) continue;
        fast.push(reached);
        paced.push(offered);
      }
    }
    const [first, best] = Object.entries(slices).map(([name, [, fast, paced]]) => {
      const figures = {
        ...{ perSecond: median(fast, 'perSecond'), cpuMsEach: median(fast, 'cpuMsEach') },
        [`p50Ms at ${ORDERS_RATE}/s`]: median(paced, 'p50Ms'),
        [`p99Ms at ${ORDERS_RATE}/s`]: median(paced, 'p99Ms'),
        [`cpuMsEach at ${ORDERS_RATE}/s`]: median(paced, 'cpuMsEach'),
      };
      report.row(name, figures);
      return figures;
    });
    const ratio = best.perSecond / first.perSecond;
    report.note(`${kind}: ${ratio.toFixed(2)} times as many calls a second as held first.`);
  }
  await heldFirst.stop();
}

/** Postgres, the sandbox, our gateway and the peers. */
async function openWorld({ profile }) {
  const folder = makeDataFolder('payments');
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
    const secrets = everySecret();
    const startOurs = (variables = {}) =>
      ServedProcess.start(new URL('./our-gateway.mjs', import.meta.url), {
        ready: '/readyz',
        flags: profile ? ['--cpu-prof', `--cpu-prof-dir=${profile}`] : [],
        env: {
          NODE_ENV: 'development',
          BENCH_DATABASE: JSON.stringify(postgres.urlsFor('payments')),
          BENCH_SECRETS: JSON.stringify(secrets),
          STRIPE_API_URL: stripe.url,
          STRIPE_SECRET_KEY: stripe.secretKey,
          STRIPE_WEBHOOK_SECRET: stripe.webhookSecret,
          ...(chain ? x402Variables(chain) : {}),
          ...variables,
        },
      });
    const ours = await startOurs();
    closing.push(() => ours.stop());
    await everyRail(ours, chain);
    const facilitator = chain && (await startFacilitator(chain));
    if (facilitator) closing.push(() => facilitator.stop());
    const peers = await ServedProcess.start(new URL('./peers.mjs', import.meta.url), {
      env: {
        NODE_ENV: 'development',
        DATABASE_URL: postgres.migrationUrlFor('snn'),
        BENCH_ANSWER: JSON.stringify(await answerOf(ours)),
        BENCH_STRIPE: JSON.stringify({ url: stripe.url, secretKey: stripe.secretKey }),
        ...(chain ? { BENCH_CHAIN: JSON.stringify(peersChain(chain, facilitator)) } : {}),
      },
    });
    closing.push(() => peers.stop());
    const adminKey = secrets.ADMIN_KEY;
    return { ours, startOurs, postgres, peers, stripe, chain, facilitator, adminKey, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Resolves once a 402 offers cards and, where there is a chain, x402: rails are offered when they have been found to settle. */
async function everyRail({ address }, chain) {
  for (const beganMs = Date.now(); Date.now() - beganMs < RAILS_MS_MAX; await setTimeout(50)) {
    const { headers } = await fetch(address + PATH, { method: 'POST' });
    const hasCards = headers.get('www-authenticate')?.includes('method="stripe"');
    if (hasCards && (!chain || headers.has('payment-required'))) return;
  }
  throw new Error(`not every rail was offered within ${RAILS_MS_MAX / 1_000} s`);
}

/** The same chain with an account of the peers' own to settle with: two processes with one would take each other's nonces. */
const peersChain = (chain, { address }) => ({
  ...{ ...chain, facilitatorKey: chain.wallets.at(-1).privateKey, facilitatorUrl: address },
});

const startFacilitator = ({ rpcUrl }) =>
  ServedProcess.start(new URL('./facilitator.mjs', import.meta.url), {
    ...{ env: { BENCH_RPC_URL: rpcUrl }, ready: '/supported' },
  });

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
