import 'reflect-metadata';
import { canonicalDigest } from '@svc/audit-proof';
import { auditContract, proverContract } from '@svc/contracts';
import { API_VERSION, BusClient, createLogger, MemoryBus, openBusLink, startService } from '@svc/platform';
import { startTemporaryPostgres } from '@svc/platform/testing';
import { proverService } from '@svc/prover';
import { setTimeout as delay } from 'node:timers/promises';

/** A certificate audit has about so many rules. */
const RULES = 12;
const LONG_PROOF = { traceData: 'a long proof', degree: 262_144, friBlowup: 8 };

export const packages = ['@noble/post-quantum'];

/**
 * From the question to the proved, signed and stored evidence, as another service sees it on the bus: one caller at a time,
 * callers at random times, and the same beside a long proof.
 *
 * @param {{ report: import('../../tools/bench/report.mjs').Report; options: { seconds?: number; rates?: string | number } }} run
 */
export default async function audit({ report, options: { seconds = 10, rates = '5,20,80' } }) {
  const prover = await startProver();
  try {
    for (let i = 0; i < 20; i++) await attest(prover.client, i);
    report.table(`evidence for an answer of ${RULES} rules, ms`);
    report.row('one caller at a time', summary(await oneByOne(prover.client, seconds)));
    const perSecond = String(rates).split(',').map(Number);
    for (const rate of perSecond) {
      report.row(`${rate} a second`, summary(await atRandom(prover.client, rate, seconds)));
    }
    const background = longProofs(prover.client);
    await delay(500);
    for (const rate of perSecond) {
      const calls = await atRandom(prover.client, rate, seconds);
      report.row(`${rate} a second, beside proofs of ${LONG_PROOF.degree} rows`, summary(calls));
    }
    report.note(`${await background.stop()} long proofs were made meanwhile.`);
    report.note(
      'Prover, Postgres and callers share the machine’s cores; arrivals are a Poisson process with a fixed seed.',
    );
  } finally {
    await prover.close();
  }
}

async function startProver() {
  const bus = { kind: 'memory', bus: new MemoryBus() };
  const logger = createLogger('prover', { level: 'error' });
  const postgres = await startTemporaryPostgres();
  const service = await startService(proverService, {
    service: 'prover',
    version: API_VERSION,
    bus,
    ...postgres.urlsFor('prover'),
    production: false,
    secrets: { AUDIT_SIGNING_SEEDS: 'signing-secret-of-the-benchmark-32-chars' },
    logger,
  });
  const link = openBusLink(bus, 'gateway', logger);
  await link.connect();
  const close = async () => {
    await service.close();
    await postgres.stop();
  };
  return { client: new BusClient(link), close };
}

/** Asks for one audit; what came of it, and how long it took. */
async function attest(client, i) {
  const rules = Array.from({ length: RULES }, (_, j) => ({
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

async function oneByOne(client, seconds) {
  const calls = [];
  const endMs = performance.now() + seconds * 1_000;
  while (performance.now() < endMs) calls.push(await attest(client, calls.length));
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

function longProofs(client) {
  let isWanted = true;
  let count = 0;
  const running = (async () => {
    for (; isWanted; count++) await client.call(proverContract.prove, { request: LONG_PROOF });
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
