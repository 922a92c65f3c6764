import { rmSync } from 'node:fs';
import { send } from '../../tools/bench/load.mjs';
import { ALLOCATOR, makeDataFolder, ServedProcess } from '../../tools/bench/served-process.mjs';

const PRODUCT = new URL('../../apps/allinone/dist/main.js', import.meta.url);
const BARE = new URL('./bare-fastify.mjs', import.meta.url);
const CALL = { traceData: '0x48656c6c6f', degree: 1024, friBlowup: 8 };

/** Packages whose versions stand beside the figures. */
export const packages = ['fastify', '@nestjs/core', '@nestjs/platform-fastify', 'autocannon'];

export const options = { seconds: 5, amount: undefined, connections: 10, calls: 50 };
export const smoke = { amount: 2, connections: 2, calls: 1 };

/**
 * Requests a second and latency of the edge, each step adding one part: a bare Fastify route, our
 * route without the bus, with it, a 402 with its challenge, and whole paid calls.
 *
 * @param {{ report: import('../../tools/bench/report.mjs').Report; options: typeof options }} run
 */
export default async function gateway({ report, options: { seconds, amount, connections, calls } }) {
  const dataDir = makeDataFolder('gateway');
  const started = [];
  try {
    const start = async (...program) => {
      started.push(await ServedProcess.start(...program));
      return started.at(-1);
    };
    const bare = await start(BARE, { ready: '/livez' });
    const env = { DATA_DIR: dataDir, LOG_LEVEL: 'error' };
    const product = await start(PRODUCT, { env: { ...ALLOCATOR, ...env }, ready: '/readyz' });

    const each = amount === undefined ? `${seconds} s` : `${amount} requests`;
    report.table(`${connections} connections, ${each} each`);
    const hammer = async (name, to, path, status = 200, { method = 'GET', bodyOf } = {}) => {
      const load = { to, path, status, method, bodyOf, amount, connections };
      await send({ ...load, seconds: 1 });
      const { perSecond, p50Ms, p99Ms, cpuMsEach } = await send({ ...load, seconds });
      report.row(name, { perSecond, p50Ms, p99Ms, cpuMsEach });
    };
    await hammer('bare Fastify, GET', bare, '/livez');
    await hammer('GET /livez: our edge, no bus', product, '/livez');
    await hammer('GET /health: the last figures that the bus brought', product, '/health');
    const proof = await firstProof(product.address);
    await hammer('GET a stored proof: bus and Postgres', product, `/v1/stark/proofs/${proof}`);
    const unpaid = body => ({ method: 'POST', bodyOf: () => body });
    await hammer('POST /v1/zk/prove, no payment: 402', product, '/v1/zk/prove', 402, unpaid('{}'));
    const valid = unpaid(JSON.stringify(CALL));
    await hammer('the same with a validated body: 402', product, '/v1/zk/prove', 402, valid);

    report.table(`${calls} paid calls, one after the other (degree ${CALL.degree})`);
    await payRepeatedly(report, product.address, calls);
    report.note(
      'Client, servers and Postgres share the machine’s cores; compare within one run only. cpuMsEach is of the process that answers, all its threads: Postgres is not in it.',
    );
  } finally {
    await Promise.all(started.map(each => each.stop()));
    rmSync(dataDir, { recursive: true, force: true });
  }
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
