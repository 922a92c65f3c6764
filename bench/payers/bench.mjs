import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ALLOCATOR, makeDataFolder, ServedProcess } from '../../tools/bench/served-process.mjs';
import { keysOfManyAccounts } from '../payments/credentials.mjs';

const PRODUCT = new URL('../../apps/allinone/dist/main.js', import.meta.url);
const PROVE = { degree: 1_024, friBlowup: 8 };
/** Credit of each account, micro-USD: what 10,000 proofs cost. */
const CREDIT_MICRO_USD = 10_000_000;

/** What must hold. */
const GOODPUT = 0.8;
const P99_TIMES = 3;

export const packages = ['fastify'];
export const options = {
  seconds: 10,
  rounds: 3,
  saturating: 16,
  accounts: 40,
  connections: 50,
  everyMs: 200,
};
export const smoke = { seconds: 0.2, rounds: 1, saturating: 2, accounts: 2, connections: 2, everyMs: 100 };

/**
 * Callers who pay, beside one another: what is still delivered when twice as much is asked for as can be proved, and what becomes
 * of one payer's waits beside another who calls on many connections. Every figure is held against the same without the others,
 * measured in the same round. All accounts together must have paid for what was answered, and for nothing else.
 *
 * @param {{ report: import('../../tools/bench/report.mjs').Report; options: typeof options }} run
 */
export default async function payers({ report, options: chosen }) {
  const folder = makeDataFolder('payers');
  const adminKey = randomBytes(32).toString('base64url');
  const env = { DATA_DIR: join(folder, 'data'), ADMIN_KEY: adminKey, LOG_LEVEL: 'error' };
  const product = await ServedProcess.start(PRODUCT, { env: { ...ALLOCATOR, ...env }, ready: '/readyz' });
  try {
    const { accounts, seconds } = chosen;
    const keys = await keysOfManyAccounts(product.address, adminKey, accounts + 2, CREDIT_MICRO_USD);
    const [quietKey, loudKey, ...crowd] = keys;
    const buyer = new Buyer(product.address);
    const price = await priceOf(buyer, product.address, quietKey);
    const before = (await balanceOf(product.address, keys)) + price;
    // The first of everything compiles, connects and allocates.
    await Promise.all([
      closedLoop(buyer, crowd, chosen.saturating, seconds / 2),
      paced(buyer, quietKey, chosen),
    ]);
    const ratios = { goodput: [], p99: [] };
    const overload = [];
    let refused = 0;
    for (let round = 1; round <= chosen.rounds; round++) {
      report.table(`round ${round}: ${seconds} s each, on the machine that the product runs on`);
      const keyring = { quietKey, loudKey, crowd };
      const { capacity, flooded, alone, beside } = await oneRound(product, report, buyer, keyring, chosen);
      overload.push(JSON.stringify(statusesOf(flooded.answers)));
      ratios.goodput.push(flooded.goodPerSecond / capacity.goodPerSecond);
      ratios.p99.push(beside.p99Ms / alone.p99Ms);
      refused += beside.refused;
    }
    const charged = before - (await balanceOf(product.address, keys));
    report.verdict(
      'answers at twice the capacity, of those at capacity',
      median(ratios.goodput),
      'at least',
      GOODPUT,
    );
    report.verdict(
      'p99 beside the other payer, times the quiet one',
      median(ratios.p99),
      'at most',
      P99_TIMES,
    );
    report.verdict('proofs of the quiet payer that were refused', refused, 'at most', 0);
    report.verdict('proofs charged beyond those answered', charged / price - buyer.good, 'at most', 0);
    report.verdict('proofs answered beyond those charged', buyer.good - charged / price, 'at most', 0);
    report.note(
      'cpuMsEach is of the process that answers, all its threads, over all calls of a row; where two load it at once, over those of both. Postgres is not in it.',
    );
    report.note(
      `Ratios are medians of ${chosen.rounds} rounds. Answers at twice the capacity: ${overload.join('; ')}.`,
    );
    report.note(`All goodput ratios: ${shown(ratios.goodput)}; all p99 ratios: ${shown(ratios.p99)}.`);
  } finally {
    await product.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Each load by itself, and then one beside the other. */
async function oneRound(product, report, buyer, { quietKey, loudKey, crowd }, chosen) {
  const { connections, seconds } = chosen;
  const [capacity] = await rowsOf(product, report, {
    [`${chosen.saturating} connections, as many as saturate it`]: {
      load: () => closedLoop(buyer, crowd, chosen.saturating, seconds),
      seconds,
    },
  });
  const perSecond = 2 * capacity.goodPerSecond;
  const [flooded] = await rowsOf(product, report, {
    'twice as many a second as that, of many accounts': {
      load: () => openLoop(buyer, crowd, { perSecond, seconds, leadSeconds: seconds }),
      seconds,
    },
  });
  const [alone] = await rowsOf(product, report, {
    [`one account, every ${chosen.everyMs} ms`]: { load: () => paced(buyer, quietKey, chosen), seconds },
  });
  const [beside] = await rowsOf(product, report, {
    [`the same beside another with ${connections} connections`]: {
      load: () => delay(500).then(() => paced(buyer, quietKey, chosen)),
      seconds,
    },
    'that other one': {
      load: () => closedLoop(buyer, [loudKey], connections, seconds + 1),
      seconds: seconds + 1,
    },
  });
  return { capacity, flooded, alone, beside };
}

/**
 * Loads at once, a row each.
 *
 * @param {Record<string, { load: () => Promise<object[]>; seconds: number }>} loads by what they are; `seconds` of the window of each
 */
async function rowsOf(product, report, loads) {
  const before = await product.cpuMs();
  const results = await Promise.all(Object.values(loads).map(({ load }) => load()));
  const cpuMsEach = ((await product.cpuMs()) - before) / results.flat().length;
  return Object.entries(loads).map(([name, { seconds }], i) => {
    const figures = { ...figuresOf(results[i], seconds), cpuMsEach };
    report.row(name, figures);
    return { ...figures, answers: results[i] };
  });
}

/** Buys proofs with prepaid keys, each of another input. */
class Buyer {
  #address;
  #agent = new Agent({ keepAlive: true, maxSockets: Infinity });
  #calls = 0;
  /** Answers 200, of all calls. */
  good = 0;

  constructor(address) {
    this.#address = address;
  }

  /** @returns {Promise<{ status: number; code?: string; tookMs: number }>} `status` 0: no answer */
  prove(key) {
    const traceData = `0x${(++this.#calls).toString(16).padStart(8, '0')}`;
    const body = JSON.stringify({ ...PROVE, traceData });
    const headers = {
      ...{ 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
      'x-svc-key': key,
    };
    const beganMs = performance.now();
    return new Promise(resolve => {
      const failed = () => resolve({ status: 0, tookMs: performance.now() - beganMs });
      request(this.#address + '/v1/zk/prove', { method: 'POST', agent: this.#agent, headers }, response => {
        let text = '';
        response.setEncoding('utf8').on('data', part => (text += part));
        response.on('error', failed).on('end', () => {
          const tookMs = performance.now() - beganMs;
          const status = response.statusCode;
          if (status === 200) this.good++;
          resolve({ status, tookMs, ...(status !== 200 && { code: JSON.parse(text).code }) });
        });
      })
        .on('error', failed)
        .end(body);
    });
  }
}

/** So many connections, each asking again as soon as it is answered. */
async function closedLoop(buyer, keys, connections, seconds) {
  const endMs = performance.now() + seconds * 1_000;
  const answers = [];
  const one = async (_, turn) => {
    do {
      const answer = await buyer.prove(keys[turn % keys.length]);
      // What comes after the end is none of this window's, but the very first answer where the window is that short.
      if (performance.now() <= endMs || answers.length === 0) answers.push(answer);
    } while (performance.now() < endMs);
  };
  await Promise.all(Array.from({ length: connections }, one));
  return answers;
}

/**
 * So many a second, whether or not those before have been answered. All answers are waited for, and those count that come within
 * the window, which begins when `leadSeconds` have filled the queues.
 */
async function openLoop(buyer, keys, { perSecond, seconds, leadSeconds = 0 }) {
  const beganMs = performance.now();
  const windowMs = beganMs + leadSeconds * 1_000;
  const endMs = windowMs + seconds * 1_000;
  const answers = [];
  const asked = [];
  for (let turn = 0; performance.now() < endMs; turn++) {
    const ask = buyer.prove(keys[turn % keys.length]).then(answer => {
      const nowMs = performance.now();
      answers.push({ ...answer, isOutside: nowMs < windowMs || nowMs > endMs });
    });
    asked.push(ask);
    await delay(Math.max(0, beganMs + ((turn + 1) * 1_000) / perSecond - performance.now()));
  }
  await Promise.all(asked);
  return answers;
}

/** One caller, at an interval. */
async function paced(buyer, key, { seconds, everyMs }) {
  return openLoop(buyer, [key], { perSecond: 1_000 / everyMs, seconds });
}

function figuresOf(answers, seconds) {
  const good = answers.filter(({ status }) => status === 200);
  const times = good.map(({ tookMs }) => tookMs);
  return {
    goodPerSecond: good.filter(({ isOutside }) => !isOutside).length / seconds,
    p50Ms: share(times, 0.5),
    p99Ms: share(times, 0.99),
    refused: answers.length - good.length,
  };
}

function statusesOf(answers) {
  const counts = {};
  for (const { status, code = '' } of answers) {
    const name = `${status} ${code}`.trim();
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

function share(values, part) {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? 0;
}

const median = values => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
const shown = values => values.map(value => value.toFixed(2)).join(', ');

/** Credit of all accounts, micro-USD. */
async function balanceOf(address, keys) {
  const balances = await Promise.all(
    keys.map(async key => {
      const response = await fetch(`${address}/v1/account`, { headers: { 'x-svc-key': key } });
      if (!response.ok) throw new Error(`/v1/account: ${response.status} ${await response.text()}`);
      return (await response.json()).balanceMicroUsd;
    }),
  );
  return balances.reduce((sum, balance) => sum + balance, 0);
}

/** What one proof takes from an account, micro-USD. */
async function priceOf(buyer, address, key) {
  const before = await balanceOf(address, [key]);
  const { status, code } = await buyer.prove(key);
  if (status !== 200) throw new Error(`the first proof is answered ${status} ${code}`);
  return before - (await balanceOf(address, [key]));
}
