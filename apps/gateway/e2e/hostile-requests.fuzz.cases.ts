import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { PROBLEMS, type ProblemDetails, type Route, ROUTES } from '@svc/contracts';
import { MemoryBus, type RunningService } from '@svc/platform';
import fc from 'fast-check';
import { request } from 'node:http';
import type { RunningGateway } from '../src/start-gateway.js';
import { problemsOf } from '@svc/edge';
import { startGatewayOn, startServiceOn } from './gateway-under-test.js';
import { ProverUnderTest } from './prover-under-test.js';

interface Answer {
  status: number;
  contentType: string;
  body: string;
}

/** The problem of a refusal: its body, or where MCP is spoken the data of its JSON-RPC error. */
function problemOf({ contentType, body }: Answer): ProblemDetails {
  if (contentType === 'application/problem+json; charset=utf-8') return JSON.parse(body) as ProblemDetails;
  expect(contentType).toBe('application/json; charset=utf-8');
  const { jsonrpc, error } = JSON.parse(body) as {
    jsonrpc: string;
    error: { code: number; data: { problem: ProblemDetails } };
  };
  expect(jsonrpc).toBe('2.0');
  expect(error.code).toBeLessThanOrEqual(-32_000);
  return error.data.problem;
}

/** A refusal is a problem whose code and status belong together, and never a 500. */
function assertHonest(answer: Answer): ProblemDetails | undefined {
  if (answer.status < 400) return undefined;
  const details = problemOf(answer);
  expect(details.code).not.toBe('INTERNAL');
  expect(answer.status).toBe(PROBLEMS[details.code].status);
  // Nothing is paid for here; a payment that payments could not be asked about is unknown.
  const charged = details.code === 'SETTLEMENT_UNKNOWN' ? 'unknown' : 'no';
  expect([details.charged, typeof details.retry]).toEqual([charged, 'string']);
  expect(details.traceId).toMatch(/^[0-9a-f]{32}$/);
  return details;
}

const PLACES = [
  'degree',
  'friBlowup',
  'traceData',
  'proof',
  'publicInputs',
  'airId',
  'policy',
  'contextDomain',
];
const anyKey = fc.oneof(fc.constantFrom(...PLACES, '__proto__', 'constructor', 'toString'), fc.string());
const anyBody: fc.Arbitrary<unknown> = fc.oneof(
  fc.jsonValue(),
  fc.dictionary(anyKey, fc.jsonValue({ maxDepth: 3 })),
  fc.record(
    {
      proof: fc.oneof(fc.base64String(), fc.string()),
      publicInputs: fc.dictionary(anyKey, fc.jsonValue({ maxDepth: 2 })),
      airId: fc.string({ unit: 'binary', maxLength: 70 }),
      policy: fc.dictionary(anyKey, fc.jsonValue()),
    },
    { requiredKeys: [] },
  ),
);

const withBody = ROUTES.filter(route => route.body?.mediaType === undefined && route.body);

/**
 * Requests that nobody means well.
 * @param runs of the smaller kinds; twice as many of the others
 * @param seed of what is sent; a fresh one where it is left out
 */
export function describeHostileRequests(runs: number, seed?: number): void {
  let gateway: RunningGateway;
  let prover: RunningService;

  beforeAll(async () => {
    const bus = new MemoryBus();
    prover = await startServiceOn(bus, 'prover', { controllers: [ProverUnderTest] });
    gateway = await startGatewayOn(bus);
  });
  afterAll(async () => {
    await gateway.close();
    await prover.close();
  });

  /** Unlike fetch it sends any path and header value as they are. */
  function send(
    method: string,
    path: string,
    headers: Record<string, string>,
    body?: Uint8Array,
  ): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const outgoing = request({ host: '127.0.0.1', port: gateway.port, method, path, headers }, incoming => {
        const chunks: Buffer[] = [];
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
        incoming.on('end', () =>
          resolve({
            status: incoming.statusCode!,
            contentType: incoming.headers['content-type'] ?? '',
            body: Buffer.concat(chunks).toString(),
          }),
        );
      });
      outgoing.on('error', reject);
      outgoing.end(body);
    });
  }

  test('any JSON on any route is answered, refused with a published problem, and never a 500', async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...withBody), anyBody, async (route: Route, body) => {
        const path = route.path.replace(/:\w+/g, 'x');
        const bytes = Buffer.from(JSON.stringify(body) ?? 'null');
        const details = assertHonest(
          await send(route.method, path, { 'content-type': 'application/json' }, bytes),
        );
        if (details) expect(problemsOf(route)).toContain(details.code);
      }),
      { numRuns: 2 * runs, seed },
    );
  });

  test('any bytes as JSON are refused and never a 500', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), async bytes => {
        assertHonest(
          await send('POST', '/v1/stark/verify-proof', { 'content-type': 'application/json' }, bytes),
        );
      }),
      { numRuns: runs, seed },
    );
  });

  const visible = fc.string({
    unit: fc.integer({ min: 0x21, max: 0x7e }).map(code => String.fromCharCode(code)),
    maxLength: 300,
  });

  test('any path and any header are answered and never a 500', async () => {
    const path = fc.oneof(
      visible,
      fc
        .tuple(fc.constantFrom('v1/stark/proofs/', 'docs/', 'departments/', 'sam/verify-key/'), visible)
        .map(parts => parts.join('')),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'),
        path,
        fc.constantFrom(
          'accept',
          'traceparent',
          'x-request-id',
          'authorization',
          'payment-authorization',
          'payment-credential',
          'x-svc-key',
          'content-type',
          'origin',
        ),
        visible,
        async (method, rest, header, value) => {
          assertHonest(await send(method, `/${rest}`, { [header]: value }));
        },
      ),
      { numRuns: 2 * runs, seed },
    );
  });

  test('any credential on the paid route is answered and never a 500', async () => {
    const scheme = fc.constantFrom(
      'L402 ',
      'LSAT ',
      'Payment ',
      'SPT ',
      'Bearer ',
      'Bearer svc_',
      'Basic ',
      '',
    );
    const header = fc.constantFrom(
      'authorization',
      'payment-authorization',
      'payment-credential',
      'x-svc-key',
      'payment-signature',
      'x-payment',
      'x-402-challenge',
    );
    await fc.assert(
      fc.asyncProperty(
        fc.dictionary(
          header,
          fc.tuple(scheme, visible).map(parts => parts.join('')),
        ),
        async headers => {
          const body = Buffer.from('{"traceData":"hello"}');
          assertHonest(
            await send('POST', '/v1/zk/prove', { ...headers, 'content-type': 'application/json' }, body),
          );
        },
      ),
      { numRuns: runs, seed },
    );
  });
}
