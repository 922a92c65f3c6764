import autocannon from 'autocannon';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const PRODUCT = new URL('../../apps/allinone/dist/main.js', import.meta.url);
const START_TIMEOUT_MS = 60_000;
const CALL = { traceData: '0x48656c6c6f', degree: 1024, friBlowup: 8 };

/** Packages whose versions stand beside the figures. */
export const packages = ['fastify', '@nestjs/core', '@nestjs/platform-fastify', 'autocannon'];

/**
 * Requests a second and latency of the edge, each step adding one part: a bare Fastify route, our
 * route without the bus, with it, a 402 with its challenge, and whole paid calls.
 *
 * @param {{ report: import('../../tools/bench/report.mjs').Report; options: { seconds?: number; connections?: number; calls?: number } }} run
 */
export default async function gateway({ report, options: { seconds = 5, connections = 10, calls = 50 } }) {
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-bench-'));
  const started = [];
  try {
    const bare = await start(started, new URL('./bare-fastify.mjs', import.meta.url), {}, '/livez');
    const product = await start(started, PRODUCT, { DATA_DIR: dataDir, LOG_LEVEL: 'error' }, '/readyz');
    const load = { duration: seconds, connections };
    const prove = { method: 'POST', headers: { 'content-type': 'application/json' } };

    report.table(`${connections} connections, ${seconds} s each`);
    await hammer(report, 'bare Fastify, GET', { ...load, url: `${bare}/livez` }, 200);
    await hammer(report, 'GET /livez: our edge, no bus', { ...load, url: `${product}/livez` }, 200);
    await hammer(
      report,
      'GET /health: the last figures that the bus brought',
      { ...load, url: `${product}/health` },
      200,
    );
    const proof = await firstProof(product);
    await hammer(
      report,
      'GET a stored proof: bus and Postgres',
      { ...load, url: `${product}/v1/stark/proofs/${proof}` },
      200,
    );
    const unpaid = { ...load, ...prove, url: `${product}/v1/zk/prove` };
    await hammer(report, 'POST /v1/zk/prove, no payment: 402', { ...unpaid, body: '{}' }, 402);
    await hammer(
      report,
      'the same with a validated body: 402',
      { ...unpaid, body: JSON.stringify(CALL) },
      402,
    );

    report.table(`${calls} paid calls, one after the other (degree ${CALL.degree})`);
    await payRepeatedly(report, product, calls);
    report.note('Client, servers and Postgres share the machine’s cores; compare within one run only.');
  } finally {
    await Promise.all(started.map(stop));
    rmSync(dataDir, { recursive: true, force: true });
  }
}

/** Starts a program of this workspace on a free port and waits until it is ready. */
async function start(started, program, env, readyPath) {
  const port = await freePort();
  const child = spawn(process.execPath, [fileURLToPath(program)], {
    env: { ...process.env, ...env, PORT: String(port) },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  started.push(child);
  process.once('exit', () => child.kill());
  const address = `http://127.0.0.1:${port}`;
  const deadlineMs = Date.now() + START_TIMEOUT_MS;
  while (
    !(await fetch(address + readyPath).then(
      answer => answer.ok,
      () => false,
    ))
  ) {
    if (child.exitCode !== null)
      throw new Error(`${program.pathname} ended with exit code ${child.exitCode}`);
    if (Date.now() > deadlineMs)
      throw new Error(`${program.pathname} was not ready after ${START_TIMEOUT_MS / 1000} s`);
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

/** Runs one load after a short warm-up; any other status than the expected one makes the figures void. */
async function hammer(report, name, load, status) {
  await autocannon({ ...load, duration: 1 });
  const { requests, latency, statusCodeStats, errors } = await autocannon(load);
  const statuses = Object.keys(statusCodeStats);
  if (errors > 0 || statuses.some(code => Number(code) !== status)) {
    throw new Error(
      `${name}: ${errors} errors, statuses ${statuses.join(', ')} where ${status} was expected`,
    );
  }
  report.row(name, { requestsPerSecond: requests.average, p50Ms: latency.p50, p99Ms: latency.p99 });
}

async function payRepeatedly(report, product, calls) {
  const steps = { challenge: [], pay: [], call: [] };
  for (let i = 0; i < calls; i++) {
    const paid = await paidCall(product);
    for (const step of Object.keys(steps)) steps[step].push(paid[`${step}Ms`]);
  }
  const names = {
    challenge: 'the 402 with its challenge',
    pay: 'the sandbox wallet pays',
    call: 'the call: claim, prove, verify, deliver',
  };
  for (const [step, name] of Object.entries(names)) {
    report.row(name, { p50Ms: percentile(steps[step], 0.5), p99Ms: percentile(steps[step], 0.99) });
  }
}

async function firstProof(product) {
  return (await paidCall(product)).answer.proofId;
}

/** One paid call as a client makes it: 402, pay the invoice, the same request with the L402 credential. */
async function paidCall(product) {
  const request = {
    method: 'POST',
    body: JSON.stringify(CALL),
    headers: { 'content-type': 'application/json' },
  };
  const challenge = await timed(() => fetch(`${product}/v1/zk/prove`, request));
  const header = challenge.response.headers.get('www-authenticate') ?? '';
  const macaroon = /^L402 .*?\bmacaroon="([^"]+)"/.exec(header)?.[1];
  if (challenge.response.status !== 402 || !macaroon) {
    throw new Error(
      `expected a 402 with an L402 challenge, got ${challenge.response.status}: ${header.slice(0, 200)}`,
    );
  }
  const { invoice } = challenge.body;
  const payment = { ...request, body: JSON.stringify({ invoice }) };
  const pay = await timed(() => fetch(`${product}/dev/lightning/pay`, payment));
  const authorization = `L402 ${macaroon}:${pay.body.preimage}`;
  const call = await timed(() =>
    fetch(`${product}/v1/zk/prove`, { ...request, headers: { ...request.headers, authorization } }),
  );
  if (call.response.status !== 200) {
    throw new Error(`the paid call was answered ${call.response.status}: ${JSON.stringify(call.body)}`);
  }
  return {
    challengeMs: challenge.durationMs,
    payMs: pay.durationMs,
    callMs: call.durationMs,
    answer: call.body,
  };
}

async function timed(exchange) {
  const startedMs = performance.now();
  const response = await exchange();
  const body = await response.json();
  return { response, body, durationMs: performance.now() - startedMs };
}

function percentile(values, share) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
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
