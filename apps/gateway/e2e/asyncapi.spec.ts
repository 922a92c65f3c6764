import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { asyncApiDocument } from '@svc/contracts';
import { MemoryBus } from '@svc/platform';
import type { RunningGateway } from '../src/start-gateway.js';
import { startGatewayOn } from './gateway-under-test.js';

let gateway: RunningGateway;
beforeAll(async () => {
  // On a bus where nobody answers: the document needs nobody.
  gateway = await startGatewayOn(new MemoryBus());
});
afterAll(() => gateway.close());

test('the AsyncAPI document is published as the contracts make it, and sent once', async () => {
  const response = await fetch(`${gateway.address}/asyncapi.json`);
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(await response.json()).toEqual(JSON.parse(JSON.stringify(asyncApiDocument())));
  const etag = response.headers.get('etag')!;
  const again = await fetch(`${gateway.address}/asyncapi.json`, { headers: { 'if-none-match': etag } });
  expect(again.status).toBe(304);
});

test('the index leads to it', async () => {
  const index = JSON.stringify(
    await (await fetch(gateway.address, { headers: { accept: 'application/json' } })).json(),
  );
  expect(index).toContain('/asyncapi.json');
});
