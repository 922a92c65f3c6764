import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PaywallServer, type SeenRequest } from '../../testing/paywall-server.js';
import { svcInProcess } from '../command-line.js';

const offers = [
  { method: 'lightning', intent: 'charge', amount: '2', currency: 'sat' },
  { method: 'stripe', intent: 'charge', amount: '50', currency: 'usd' },
  { method: 'a-newer-method', intent: 'subscription', amount: '7', currency: 'pts' },
  'no offer that is known',
];
const info = {
  ...{ offers, x402: { scheme: 'exact', asset: 'USDC', amount: '1000' } },
  ...{ priceUsd: '0.001', priceSats: 2, charged: 'over-quota', protocols: ['l402'] },
};
const security = [{}, { l402: [] }, { svcKey: [] }];
const OPENAPI = {
  paths: {
    '/v1/snn/solve': {
      post: { operationId: 'snn.solve', summary: 'Simulate', security, 'x-payment-info': info },
    },
    '/health': { get: { operationId: 'gateway.health', security: [] } },
    '/v1/tools/{name}': {
      post: { security: [{ l402: [] }], 'x-payment-info': { tools: { one: info, two: info } } },
    },
    '/departments/{deptId}': { post: { security: [{ l402: [] }] } },
  },
};
const LONG = 'A'.repeat(120_000);

let server: PaywallServer;
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'svc-call-'));
  server = await PaywallServer.start(respond);
});
beforeEach(() => {
  server.requests.length = 0;
  server.moneyMoved.clear();
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await server.close();
});

function respond(request: SeenRequest, response: ServerResponse, self: PaywallServer): void {
  if (request.path === '/openapi.json') return self.json(response, OPENAPI);
  if (request.path === '/health')
    return self.json(response, { status: 'OPERATIONAL', rails: ['l402', 'newer'] });
  if (self.paymentHashOf(request) === undefined) return self.demandPayment(response);
  self.json(response, { said: 'yes', proof: LONG, nested: { proof: LONG, list: [{ proof: LONG }] } });
}

const svc = (args: readonly string[], environment: Record<string, string> = {}) =>
  svcInProcess([...args, '--url', server.url], { environment });

describe('svc call --dry-run', () => {
  test('tells price, offers and rails, kinds that it does not know too; it asks for documents and nothing else', async () => {
    const { code, stdout } = await svc(['call', '--dry-run', 'post', '/v1/snn/solve']);
    expect(code).toBe(0);
    for (const line of [
      /^call +POST \/v1\/snn\/solve, snn.solve$/m,
      /^price +a request of the month while there are some, then 0.001 USD, or 2 sats$/m,
      /^by lightning +2 sat$/m,
      /^by stripe +0.5 USD$/m,
      /^by a-newer-method +7 pts, subscription$/m,
      /^by x402 +0.001 USDC, exact$/m,
      /^rails +l402, newer can settle now/m,
      /^would pay +the wallet sandbox, at most 500 sats$/m,
      /^taken now +nothing/m,
    ])
      expect(stdout).toMatch(line);
    expect(server.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'GET /openapi.json',
      'GET /health',
    ]);
    expect(server.paymentCount).toBe(0);
  });

  test('as JSON has the published terms whole', async () => {
    const { stdout } = await svc(['call', '--dry-run', '--json', 'POST', '/v1/tools/two'], {
      SVC_WALLET: 'none',
    });
    expect(JSON.parse(stdout)).toMatchObject({
      ...{ method: 'POST', path: '/v1/tools/{name}', access: 'paid', rails: ['l402', 'newer'], wouldPay: [] },
      tools: { two: { priceUsd: '0.001' } },
    });
    expect(JSON.parse(stdout).tools.one).toBeUndefined();
  });

  test.each([
    ['GET', '/health', /^price +free/m],
    ['POST', '/v1/tools/one', /^price of one +0.001 USD, or 2 sats$/m],
    ['POST', '/departments/proofs', /^price +not of the route: see svc desks$/m],
  ])('of %s %s', async (method, path, line) => {
    expect(await svc(['call', '--dry-run', method, path])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(line),
    });
  });

  test('of what is not published exits with 2 and says what is', async () => {
    for (const [method, path, message] of [
      ['GET', '/v1/snn/solve', 'it has POST'],
      ['POST', '/v1/no', 'publishes no path'],
      ['POST', '/v1/tools/three', 'it has one, two'],
    ])
      expect(await svc(['call', '--dry-run', method, path])).toMatchObject({
        code: 2,
        stderr: expect.stringContaining(message),
      });
  });
});

describe('svc call', () => {
  test('pays once, cuts what is long, and keeps the whole with --output', async () => {
    const output = join(folder, 'answer.json');
    const args = ['call', 'POST', '/v1/snn/solve', '--input', '{"neuronCount":1}', '--output', output];
    const { code, stdout } = await svc(args);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^paid +2 sats over l402$/m);
    expect(stdout).toMatch(/^proof +A{48}… 120,000 characters in all \(.*answer.json\)$/m);
    expect(stdout.length).toBeLessThan(2_000);
    expect(JSON.parse(server.calls[0].body)).toEqual({ neuronCount: 1 });
    expect(server.paymentCount).toBe(1);
    expect(JSON.parse(readFileSync(output, 'utf8')).nested.proof).toBe(LONG);
    expect(JSON.parse((await svc([...args, '--json'])).stdout).proof).toBe(LONG);
  });

  test('sends what a key pays under one Idempotency-Key of its own, or that of --idempotency-key', async () => {
    const key = { SVC_KEY: 'svc_test_holder' };
    await svc(['call', 'GET', '/health'], key);
    await svc(['call', 'GET', '/health', '--idempotency-key', 'mine'], key);
    await svc(['call', 'GET', '/health']);
    const sent = server.calls
      .filter(({ path }) => path === '/health')
      .map(({ headers }) => headers['idempotency-key']);
    expect(sent).toEqual([expect.stringMatching(/^[0-9a-f-]{36}$/), 'mine', undefined]);
  });

  test('exits with 3 where it cannot pay, and with 2 for what is no call', async () => {
    const unpaid = await svc(['call', 'POST', '/v1/snn/solve', '--wallet', 'none']);
    expect(unpaid.code).toBe(3);
    for (const args of [
      ['FETCH', '/health'],
      ['GET', 'health'],
      ['GET', '//evil.example/'],
      ['GET', '/{x}'],
      ['POST', '/x', '--input', '['],
    ])
      expect((await svc(['call', ...args])).code).toBe(2);
  });
});
