import autocannon from 'autocannon';

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
