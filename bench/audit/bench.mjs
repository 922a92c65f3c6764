import 'reflect-metadata';
import { canonicalDigest } from '@svc/audit-proof';
import { auditContract, proverContract } from '@svc/contracts';
import { BusClient, createLogger, MemoryBus, openBusLink, startService } from '@svc/platform';
import { startTemporaryPostgres } from '@svc/platform/testing';
import { proverService } from '@svc/prover';
import { setTimeout as delay } from 'node:timers/promises';
import { cpuMsOfThisProcess } from '../../tools/bench/cpu-time.mjs';
import { numbersOf } from '../../tools/bench/options.mjs';
import { serviceEnvironment } from '../../tools/bench/service-environment.mjs';

/** A certificate audit has about so many rules. */
const RULES = 12;

export const packages = ['@noble/post-quantum'];

/** `rows` are those of the long proofs. */
export const options = { seconds: 10, rates: '5,20,80', callers: 32, rounds: 5, warmup: 20, rows: 262_144 };
export const smoke = { seconds: 0.05, rates: '5', callers: 2, rounds: 1, warmup: 1, rows: 64 };

/**
 * From the question to the proved, signed and stored evidence, as another service sees it on the bus: one caller at a time,
 * callers at random times, and the same beside a long proof.
 *
 * @param {{ report: import('../../tools/bench/report.mjs').Report; options: typeof options }} run
 */
export default async function audit({ report, options: { seconds, rates, callers, rounds, warmup, rows } }) {
  const prover = await startProver();
  try {
    for (let i = 0; i < warmup; i++) await attest(prover.client, i);
    report.table(`evidence for an answer of ${RULES} rules, ms`);
    const row = async (name, work) => {
      const before = process.cpuUsage();
      const calls = await work();
      const cpuMsEach = cpuMsOfThisProcess(before) / calls.length;
      report.row(name, { ...summary(calls), cpuMsEach });
    };
    await row('one caller at a time', () => oneByOne(prover.client, seconds));
    const perSecond = numbersOf(rates);
    for (const rate of perSecond) {
      await row(`${rate} a second`, () => atRandom(prover.client, rate, seconds));
    }
    await together(prover.client, { report, seconds: seconds / rounds, callers, rounds });
    report.table(`evidence for an answer of ${RULES} rules, beside long proofs, ms`);
    const background = longProofs(prover.client, { traceData: 'a long proof', degree: rows, friBlowup: 8 });
    await delay(500);
    for (const rate of perSecond) {
      await row(`${rate} a second, beside proofs of ${rows} rows`, () =>
        atRandom(prover.client, rate, seconds),
      );
    }
    report.note(`${await background.stop()} long proofs were made meanwhile.`);
    report.note(
      'Prover, Postgres and callers share the machine’s cores; arrivals are a Poisson process with a fixed seed. cpuMsEach is of the one process that proves and calls, long proofs beside them included; Postgres is not in it.',
    );
  } finally {
    await prover.close();
  }
}

async function startProver() {
  const bus = { kind: 'memory', bus: new MemoryBus() };
  const postgres = await startTemporaryPostgres();
  const urls = postgres.urlsFor('prover');
  const service = await startService(proverService, serviceEnvironment('prover', { bus, urls }));
  const link = openBusLink(bus, 'gateway', createLogger('gateway', { level: 'error' }));
  await link.connect();
  const close = async () => {
    await service.close();
    await postgres.stop();
  };
  return { client: new BusClient(link), close };
}

/** Callers that each ask again at once, for answers with rules and without, by turns: medians of the rounds. */
async function together(client, { report, seconds, callers, rounds }) {
  report.table(`evidence for ${callers} callers who ask again at once`);
  const kinds = [RULES, 0];
  const found = new Map(kinds.map(ruleCount => [ruleCount, []]));
  for (let round = 0; round < rounds; round++) {
    for (const ruleCount of kinds) {
      const before = process.cpuUsage();
      const startedAt = performance.now();
      const calls = (
        await Promise.all(Array.from({ length: callers }, () => oneByOne(client, seconds, ruleCount)))
      ).flat();
      const perSecond = (1_000 * calls.length) / (performance.now() - startedAt);
      found
        .get(ruleCount)
        .push({ ...summary(calls), perSecond, cpuMsEach: cpuMsOfThisProcess(before) / calls.length });
    }
  }
  for (const [ruleCount, each] of found) {
    const median = name => each.map(one => one[name]).sort((a, b) => a - b)[each.length >> 1];
    const [perSecond, p50Ms, p95Ms, cpuMsEach] = ['perSecond', 'p50Ms', 'p95Ms', 'cpuMsEach'].map(median);
    report.row(`${ruleCount} rules`, { perSecond, p50Ms, p95Ms, cpuMsEach });
  }
}

/** Asks for one audit; what came of it, and how long it took. */
async function attest(client, i, ruleCount = RULES) {
  const rules = Array.from({ length: ruleCount }, (_, j) => ({
    id: `rule-${j}`,
    statement: 'value ≥ threshold',
    decimals: 2,
    value: `${i + j}.25`,
    threshold: `${j * 7}.5`,
  }));
  const startedAt = performance.now();
  try {
    const { proofId } = await client.call(auditContract.attest, {
      proves: 'rules',
      doesNotProve: 'Anything: a benchmark.',
      requestDigest: canonicalDigest({ i }),
      resultDigest: canonicalDigest({ i, result: true }),
      rulesetId: 'bench/1',
      rules,
    });
    return { latencyMs: performance.now() - startedAt, proofId };
  } catch (error) {
    return { latencyMs: performance.now() - startedAt, refusal: error.code ?? 'unknown' };
  }
}

async function oneByOne(client, seconds, ruleCount) {
  const calls = [];
  const endMs = performance.now() + seconds * 1_000;
  while (performance.now() < endMs) calls.push(await attest(client, calls.length, ruleCount));
  return calls;
}

/** Calls that do not wait for one another, at the times of a Poisson process. */
async function atRandom(client, rate, seconds) {
  const random = mulberry32(rate);
  const calls = [];
  const startedAt = performance.now();
  for (let atMs = 0; atMs < seconds * 1_000; atMs += (-Math.log(1 - random()) / rate) * 1_000) {
    await delay(Math.max(0, startedAt + atMs - performance.now()));
    calls.push(attest(client, calls.length));
  }
  return Promise.all(calls);
}

function longProofs(client, request) {
  let isWanted = true;
  let count = 0;
  const running = (async () => {
    for (; isWanted; count++) await client.call(proverContract.prove, { request });
  })();
  return {
    stop: async () => {
      isWanted = false;
      await running;
      return count;
    },
  };
}

function summary(calls) {
  const answered = calls.filter(({ proofId }) => proofId !== undefined);
  const latencies = answered.map(({ latencyMs }) => latencyMs).sort((a, b) => a - b);
  const quantile = share =>
    latencies[Math.min(latencies.length - 1, Math.floor(share * latencies.length))] ?? NaN;
  return {
    p50Ms: quantile(0.5),
    p95Ms: quantile(0.95),
    maxMs: latencies.at(-1) ?? NaN,
    calls: calls.length,
    refused: calls.length - answered.length,
    perBatch: answered.length / new Set(answered.map(({ proofId }) => proofId)).size,
  };
}

function mulberry32(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}
