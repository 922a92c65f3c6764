import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { type ProblemDetails, PROBLEM_HELP, PROBLEMS, ProblemType, ROUTES } from '@svc/contracts';
import { StoredAnswer } from '@svc/edge';
import { MemoryBus } from '@svc/platform';
import type { RunningGateway } from '../src/start-gateway.js';
import { startGatewayOn } from './gateway-under-test.js';

const JSON_TYPE = { 'content-type': 'application/json' };
let gateway: RunningGateway;
beforeAll(async () => {
  gateway = await startGatewayOn(new MemoryBus());
});
afterAll(() => gateway.close());

const call = (path: string, init?: RequestInit) => fetch(`${gateway.address}${path}`, init);
const post = (path: string, body: string, headers: Record<string, string> = JSON_TYPE) =>
  call(path, { method: 'POST', body, headers });
const problemOf = async (response: Response) => (await response.json()) as ProblemDetails;

describe('problems', () => {
  test('the type of a problem is a URL of this address that says what it means, whether it is charged and how to go on', async () => {
    const refusals = {
      NOT_FOUND: await problemOf(await call('/nope')),
      MALFORMED_JSON: await problemOf(await post('/v1/zk/prove', '{')),
      VALIDATION_FAILED: await problemOf(await post('/v1/zk/prove', '{"degree":7}')),
      METHOD_NOT_ALLOWED: await problemOf(await post('/health', '{}')),
    };
    for (const [code, { type }] of Object.entries(refusals) as [keyof typeof refusals, ProblemDetails][]) {
      expect(type).toBe(`${gateway.address}/problems/${code.toLowerCase().replaceAll('_', '-')}`);
      const response = await fetch(type);
      expect([response.status, response.headers.get('content-type')]).toEqual([
        200,
        'application/json; charset=utf-8',
      ]);
      expect(await response.json()).toEqual({ type, code, ...PROBLEMS[code], ...PROBLEM_HELP[code] });
    }
  });

  test('the type of every problem leads somewhere, and is a page for a browser', async () => {
    for (const [code, { title, status }] of Object.entries(PROBLEMS)) {
      const path = `/problems/${code.toLowerCase().replaceAll('_', '-')}`;
      expect(ProblemType.parse(await (await call(path)).json())).toMatchObject({ code, title, status });
      const page = await call(path, { headers: { accept: 'text/html,*/*;q=0.8' } });
      expect([page.status, page.headers.get('vary')]).toEqual([200, expect.stringContaining('accept')]);
      expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(await page.text()).toContain(`<p><code>${code}</code>, status ${status}</p>`);
    }
  });

  test('a page is written and compressed once, and not for each caller', async () => {
    const sent = jest.spyOn(StoredAnswer.prototype, 'send');
    for (let caller = 0; caller < 2; caller++) {
      const headers = { accept: 'text/html', 'accept-encoding': 'br' };
      const page = await call('/problems/rate-limited', { headers });
      expect([page.status, page.headers.get('content-encoding')]).toEqual([200, 'br']);
    }
    const [first, second] = sent.mock.contexts;
    expect(first).toBe(second);
    sent.mockRestore();
  });

  test.each(['nope', 'NOT_FOUND', 'not-found%2F', '__proto__', '<script>'])(
    'there is no problem of the type %s',
    async name => {
      const { code, detail } = await problemOf(await call(`/problems/${name}`));
      expect([code, detail]).toEqual(['NOT_FOUND', expect.not.stringContaining(name)]);
    },
  );

  test('a member that is named twice is refused at every entrance, before anything is signed or paid for', async () => {
    // Two are read by the service that does the work, which is away here; what the card processor signs are the bytes.
    const passedOn = ['snn.solve-graph', 'fep.active-inference', 'webhooks.stripe'];
    for (const { operationId, method, path, body, access } of ROUTES) {
      if (!body || body.mediaType) continue;
      const response = await call(path.replace(/:\w+/g, 'x'), {
        ...{ method, headers: JSON_TYPE, body: '{"a":{"b":1,"\\u0062":2}}' },
      });
      const { status } = response;
      const isTold = (await response.text()).includes('names a member twice');
      // A key is asked for before a body is looked at.
      const isKeyed = access === 'key' || access === 'admin';
      const expected = isKeyed ? [401, false] : passedOn.includes(operationId) ? [503, false] : [400, true];
      expect([operationId, status, isTold]).toEqual([operationId, ...expected]);
    }
  });

  test('a refusal over MCP has the same type', async () => {
    const ask = (params: object) => JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
    const headers = { ...JSON_TYPE, accept: 'application/json, text/event-stream' };
    const typeOf = async (body: string) =>
      ((await (await post('/mcp', body, headers)).json()) as { error: { data: { problem: ProblemDetails } } })
        .error.data.problem.type;
    for (const body of [
      ask({ name: 7 }),
      ask({ name: 'zk_prove_spatial', arguments: { coordinates: 'nowhere' } }),
      '{"jsonrpc":"2.0","id":1,"method":7}',
    ])
      expect(await typeOf(body)).toBe(`${gateway.address}/problems/validation-failed`);
  });
});
