import autocannon from 'autocannon';
import { Agent, request } from 'node:http';
import { setTimeout } from 'node:timers/promises';

/** How often autocannon looks whether its time is over: a short run takes no longer than it should. */
const LOOK_MS = 100;

/**
 * @typedef {object} Figures
 * @property {number} perSecond answers of the expected status
 * @property {number} p50Ms
 * @property {number} p99Ms
 * @property {number} cpuMsEach processor time of the process that answers, for each answer
 * @property {number} refused answers of another status
 */

/**
 * Sends calls over some connections, each call the next of a list, or made by a function for a time.
 *
 * @param {{ to: import('./served-process.mjs').ServedProcess; path: string; method?: string;
 *   headersOf?: (i: number) => Record<string, string>; bodyOf?: (i: number) => string; connections: number; amount?: number;
 *   seconds?: number; status: number; mayRefuse?: boolean }} load
 * @returns {Promise<Figures>}
 * @throws Error when any answer has another status: the figures are void then, unless who answers may refuse
 */
export async function send({ to, path, method = 'POST', mayRefuse = false, ...load }) {
  const { headersOf, bodyOf, connections, amount, seconds, status } = load;
  const url = to.address + path;
  let next = 0;
  let unexpected = '';
  let endedMs = 0;
  const cpuBefore = await to.cpuMs();
  const beganMs = performance.now();
  const result = await autocannon({
    ...{ url, method, connections, timeout: 30, sampleInt: LOOK_MS },
    ...(amount === undefined
      ? { duration: seconds }
      : { amount, connections: Math.min(connections, amount) }),
    ...(bodyOf && { headers: { 'content-type': 'application/json' } }),
    requests: [
      {
        setupRequest: request => {
          const i = next++;
          return { ...request, headers: { ...request.headers, ...headersOf?.(i) }, body: bodyOf?.(i) };
        },
        onResponse: (got, body) => {
          endedMs = performance.now();
          if (got !== status) unexpected ||= body.slice(0, 600);
        },
      },
    ],
  });
  const cpuMs = (await to.cpuMs()) - cpuBefore;
  const answers = Object.values(result.statusCodeStats).reduce((sum, { count }) => sum + count, 0);
  const expected = result.statusCodeStats[status]?.count ?? 0;
  if (result.errors > 0 || (expected < answers && !mayRefuse) || answers === 0) {
    const statuses = JSON.stringify(result.statusCodeStats);
    throw new Error(
      `${url}: ${result.errors} errors, statuses ${statuses}, where ${status} was expected: ${unexpected}`,
    );
  }
  return {
    // To the last answer: autocannon's own clock goes on for a while.
    perSecond: expected / ((endedMs - beganMs) / 1_000),
    ...{ p50Ms: result.latency.p50, p99Ms: result.latency.p99 },
    ...{ cpuMsEach: cpuMs / answers, refused: answers - expected },
  };
}

/**
 * Sends calls at even distances in time, as independent callers do, and says how long each took from the instant that it
 * was due. autocannon's rate comes in bursts, whose queue is then measured and not the server.
 *
 * @param {{ to: import('./served-process.mjs').ServedProcess; path: string; headersOf: () => Record<string, string>;
 *   bodyOf: (i: number) => string; connections: number; amount: number; perSecond: number; status: number }} load
 * @returns {Promise<Figures>}
 */
export async function pace({ to, path, headersOf, bodyOf, connections, amount, perSecond, status }) {
  const url = to.address + path;
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const latencies = [];
  const cpuBefore = await to.cpuMs();
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
  return {
    ...{ perSecond: amount / (tookMs / 1_000), p50Ms: share(0.5), p99Ms: share(0.99) },
    ...{ cpuMsEach: ((await to.cpuMs()) - cpuBefore) / amount, refused: 0 },
  };
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
