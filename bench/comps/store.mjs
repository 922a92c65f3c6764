import 'reflect-metadata';
import { Controller, Module } from '@nestjs/common';
import { CardMarket } from '@svc/comps';
import { accountContract, auditContract, cardsContract } from '@svc/contracts';
import { departmentService } from '@svc/department';
import { BusClient, createLogger, Handle, MemoryBus, openBusLink, startService } from '@svc/platform';
import { startTemporaryPostgres } from '@svc/platform/testing';
import { proverService } from '@svc/prover';
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { cpuMsOfThisProcess } from '../../tools/bench/cpu-time.mjs';
import { everySecret, serviceEnvironment } from '../../tools/bench/service-environment.mjs';

const ROWS_OF_AN_IMPORT = 10_000;
const SALES_PER_CARD = 20;
const OPERATOR = {
  ...{
    accountId: `acct_${'b'.repeat(20)}`,
    keyId: 'benchmark0000000',
    plan: 'demo',
    scopes: ['admin:sales'],
  },
};

/**
 * The card service over a database: what an import takes, and what a valuation takes from the question on the bus to the
 * answer, without evidence and with a prover's. Beside it Postgres' own median of the same rows.
 *
 * @param {import('../../tools/bench/report.mjs').Report} report
 * @param {{ cards: number; calls: number; proved: number; seed: number }} options
 */
export async function benchStore(report, { cards, calls, proved, seed }) {
  const market = new CardMarket({ seed, cards, salesPerCard: SALES_PER_CARD, asOfMs: Date.now() });
  const postgres = await startTemporaryPostgres();
  try {
    await withDepartment(postgres, 'stand-in', async client => {
      report.table(`${cards} cards, about ${cards * SALES_PER_CARD} sales: import`);
      report.row('rows of JSON', await importAll(client, market));
      const asked = questions(market, calls, seed);
      report.table('valuations one after the other, ms');
      const keys = new Map();
      const value = async question => {
        const { card } = await client.call(cardsContract.value, question);
        keys.set(question, card.cardKey);
      };
      report.row('service on the bus, no proof', await latencies(asked, value));
      await withDatabase(postgres, async query => {
        await query('ANALYZE');
        report.row('the same after ANALYZE', await latencies(asked, value));
        const median = question => query(MEDIAN_SQL, [keys.get(question), question.company, question.grade]);
        report.row('percentile_cont of the same rows in SQL', await latencies(asked, median));
      });
      const words = asked.map(({ card }) => `${card.year} ${card.set} ${card.player}`);
      report.row(
        'search by year, set and player',
        await latencies(words, q => client.call(cardsContract.search, { q, limit: 10 })),
      );
    });
    await withDepartment(postgres, 'prover', async client => {
      const asked = questions(market, proved, seed + 1);
      report.row(
        'service on the bus, with its proof',
        await latencies(asked, q => client.call(cardsContract.value, q)),
      );
    });
    report.note(
      'Service, Postgres and caller share the machine’s cores; the database is on its temporary folder without fsync. cpuMsEach is of this one process, which calls and answers; Postgres is not in it.',
    );
  } finally {
    await postgres.stop();
  }
}

const MEDIAN_SQL = `
  SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY price_usd)
    FROM department.card_sale JOIN department.card USING (card_id)
   WHERE card_key = $1 AND company = $2 AND grade = $3 AND qualifier = '' AND sold_at > now() - interval '365 days'`;

async function importAll(client, market) {
  const startedAt = performance.now();
  const before = process.cpuUsage();
  const total = { rows: 0, accepted: 0, duplicates: 0, quarantined: 0 };
  let batch = [];
  const flush = async () => {
    const taken = await client.call(cardsContract.importSales, {
      accountKey: 'svc_test_bench',
      request: { sales: batch },
    });
    for (const name of Object.keys(total)) total[name] += taken[name];
    batch = [];
  };
  for (const sale of market.sales()) {
    batch.push({ ...sale, synthetic: true });
    if (batch.length === ROWS_OF_AN_IMPORT) await flush();
  }
  if (batch.length > 0) await flush();
  const rowsPerSecond = (1_000 * total.rows) / (performance.now() - startedAt);
  return { ...total, rowsPerSecond, cpuMsEach: cpuMsOfThisProcess(before) / total.rows };
}

/** Cards in grades that the market sold them in, drawn with a fixed seed. */
function questions(market, count, seed) {
  const listings = [...market.truth()];
  const random = mulberry32(seed);
  return Array.from({ length: count }, () => {
    const { card, company, grade } = listings[Math.floor(random() * listings.length)];
    return { card, company, grade, allowRatio: false, distributionSvg: false };
  });
}

async function latencies(items, work) {
  const taken = [];
  const before = process.cpuUsage();
  for (const item of items) {
    const startedAt = performance.now();
    await work(item);
    taken.push(performance.now() - startedAt);
  }
  const cpuMsEach = cpuMsOfThisProcess(before) / items.length;
  taken.sort((a, b) => a - b);
  const quantile = share => taken[Math.min(taken.length - 1, Math.floor(share * taken.length))];
  return {
    p50Ms: quantile(0.5),
    p95Ms: quantile(0.95),
    p99Ms: quantile(0.99),
    maxMs: taken.at(-1),
    cpuMsEach,
    calls: taken.length,
  };
}

async function withDepartment(postgres, evidence, work) {
  const bus = { kind: 'memory', bus: new MemoryBus() };
  const secrets = everySecret();
  const variables = { SANDBOX_CARD_MARKET: 'off' };
  const environmentOf = service =>
    serviceEnvironment(service, { bus, urls: postgres.urlsFor(service), secrets, variables });
  const definition = evidence === 'prover' ? proverService : STAND_IN;
  const services = [await startService(definition, environmentOf('prover'))];
  try {
    services.push(await startService(KEYS, environmentOf('payments')));
    services.push(await startService(departmentService, environmentOf('department')));
    const link = openBusLink(bus, 'gateway', createLogger('gateway', { level: 'error' }));
    await link.connect();
    await work(new BusClient(link));
  } finally {
    for (const service of services.reverse()) await service.close();
  }
}

async function withDatabase(postgres, work) {
  const client = new pg.Client({ connectionString: postgres.migrationUrlFor('department') });
  await client.connect();
  try {
    await work((sql, values) => client.query(sql, values));
  } finally {
    await client.end();
  }
}

/** A prover that proves nothing, at once: what is left is the service's own time. */
class StandIn {
  attestAll({ answers }) {
    const root = `0x${randomBytes(32).toString('hex')}`;
    return { auditProofs: answers.map(({ doesNotProve }) => ({ ...EMPTY_PROOF, doesNotProve, root })) };
  }
}
const ZERO = `0x${'0'.repeat(64)}`;
const EMPTY_PROOF = {
  ...{ version: 1, proves: 'commitment', requestDigest: ZERO, resultDigest: ZERO, rulesetId: '', rules: [] },
  leaves: [{ index: 0, salt: `0x${'0'.repeat(32)}`, path: [ZERO, ZERO, ZERO, ZERO] }],
  ...{ leafCount: 1, airId: '', proofId: '', keyId: '', signature: '', expiresAt: '' },
};
/** Knows whoever asks as the operator. */
class Keys {
  authenticate() {
    return OPERATOR;
  }
}

/** A service of one handler, which answers one procedure. */
function serviceOf(name, Handler, procedure, verb) {
  const method = Object.getOwnPropertyDescriptor(Handler.prototype, verb);
  Handle(procedure)(Handler.prototype, verb, method);
  Object.defineProperty(Handler.prototype, verb, method);
  Controller()(Handler);
  class OneHandler {}
  Module({ controllers: [Handler] })(OneHandler);
  return { name, migrations: [], module: () => OneHandler };
}
const STAND_IN = serviceOf('prover', StandIn, auditContract.attestAll, 'attestAll');
const KEYS = serviceOf('payments', Keys, accountContract.authenticate, 'authenticate');

function mulberry32(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}
