import autocannon from 'autocannon';
import { Agent, request } from 'node:http';
import { setTimeout } from 'node:timers/promises';

/** How a load went. */
const measured = ({ requests, latency, statusCodeStats, errors, duration }, amount) => ({
  perSecond: requests.average,
  p50Ms: latency.p50,
  p99Ms: latency.p99,
  statuses: statusCodeStats,
  errors,
  amount: amount ?? requests.total,
  duration,
});

/**
 * Sends calls over some connections, each call the next of a list, or made by a function for a time.
 *
 * @param {{ url: string; headersOf?: (i: number) => Record<string, string>; bodyOf: (i: number) => string;
 *   connections: number; amount?: number; seconds?: number; perSecond?: number; status: number }} load
 * @throws Error when any answer has another status: the figures are void then
 */
export async function send({ url, headersOf, bodyOf, connections, amount, seconds, perSecond, status }) {
  let next = 0;
  let unexpected = '';
  let endedMs = 0;
  const beganMs = performance.now();
  const result = await autocannon({
    ...{ url, method: 'POST', connections, timeout: 30 },
    ...(amount === undefined ? { duration: seconds } : { amount }),
    ...(perSecond === undefined ? {} : { overallRate: perSecond }),
    headers: { 'content-type': 'application/json' },
    requests: [
      {
        setupRequest: request => {
          const i = next++;
          const headers = { ...request.headers, ...headersOf?.(i) };
          return { ...request, headers, body: bodyOf(i) };
        },
        onResponse: (got, body) => {
          endedMs = performance.now();
          if (got !== status) unexpected ||= body.slice(0, 600);
        },
      },
    ],
  });
  const seen = Object.keys(result.statusCodeStats).map(Number);
  if (result.errors > 0 || seen.length !== 1 || seen[0] !== status) {
    const statuses = JSON.stringify(result.statusCodeStats);
    throw new Error(
      `${url}: ${result.errors} errors, statuses ${statuses}, where ${status} was expected: ${unexpected}`,
    );
  }
  const figures = measured(result);
  // autocannon ends with a second of its clock: of a short run the last answer says more.
  if (amount !== undefined) figures.perSecond = amount / ((endedMs - beganMs) / 1_000);
  return figures;
}

/**
 * Sends calls at even distances in time, as independent callers do, and says how long each took from the instant that it
 * was due. autocannon's rate comes in bursts, whose queue is then measured and not the server.
 *
 * @param {{ url: string; headersOf: () => Record<string, string>; bodyOf: (i: number) => string; connections: number;
 *   amount: number; perSecond: number; status: number }} load
 */
export async function pace({ url, headersOf, bodyOf, connections, amount, perSecond, status }) {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const latencies = [];
  const beganMs = performance.now();
  const calls = [];
  for (let i = 0; i < amount; i++) {
    const dueMs = beganMs + (i * 1_000) / perSecond;
    const waitMs = dueMs - performance.now();
    if (waitMs > 0) await setTimeout(waitMs);
    const call = ask({ url, agent, headers: headersOf(), body: bodyOf(i) }).then(got => {
      if (got.status !== status)
        throw new Error(`${url}: ${got.status}, where ${status} was expected: ${got.text}`);
      latencies.push(performance.now() - dueMs);
    });
    call.catch(() => undefined);
    calls.push(call);
  }
  await Promise.all(calls);
  const tookMs = performance.now() - beganMs;
  agent.destroy();
  latencies.sort((a, b) => a - b);
  const share = part => latencies[Math.min(latencies.length - 1, Math.floor(part * latencies.length))];
  return { perSecond: amount / (tookMs / 1_000), p50Ms: share(0.5), p99Ms: share(0.99) };
}

function ask({ url, agent, headers, body }) {
  return new Promise((resolve, reject) => {
    const length = Buffer.byteLength(body);
    const options = {
      ...{ method: 'POST', agent },
      headers: { 'content-type': 'application/json', 'content-length': length, ...headers },
    };
    const sent = request(url, options, answer => {
      let text = '';
      answer.setEncoding('utf8').on('data', part => (text += part));
      answer
        .on('end', () => resolve({ status: answer.statusCode, text: text.slice(0, 600) }))
        .on('error', reject);
    });
    sent.on('error', reject).end(body);
  });
}
