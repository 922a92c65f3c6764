import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { after, before, describe, it } from 'node:test';
import { pace, send } from './load.mjs';
import { ServedProcess } from './served-process.mjs';

describe('a load', () => {
  let server;
  let to;
  let asked = 0;

  before(async () => {
    // Every third call is refused, and /fair refuses none.
    server = createServer((request, response) => {
      request.resume();
      response.writeHead(request.url !== '/fair' && ++asked % 3 === 0 ? 402 : 200).end('{}');
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    to = { address: `http://127.0.0.1:${server.address().port}`, cpuMs: async () => asked };
  });

  after(() => {
    server.close();
    server.closeAllConnections();
  });

  const load = { connections: 2, amount: 6, status: 200, bodyOf: () => '{}' };

  it('counts what a peer refuses, and not into its rate', async () => {
    const figures = await send({ ...load, to, path: '/', mayRefuse: true });
    const fair = await send({ ...load, to, path: '/fair' });
    assert.equal(figures.refused, 2);
    assert.equal(figures.cpuMsEach, 1);
    assert.equal(fair.refused, 0);
    assert.ok(figures.perSecond > 0 && fair.perSecond > 0);
  });

  it('is void where who may not refuse does', async () => {
    await assert.rejects(send({ ...load, to, path: '/' }), /"402":\{"count":2\}.*where 200 was expected/);
    const paced = { ...load, to, path: '/', headersOf: () => ({}), perSecond: 1_000 };
    await assert.rejects(pace(paced), /402, where 200 was expected/);
    assert.equal((await pace({ ...paced, path: '/fair' })).refused, 0);
  });
});

describe('a process that is measured', () => {
  const BARE = new URL('../../bench/gateway/bare-fastify.mjs', import.meta.url);

  it('is there once it answers, says what it has used, and is gone once it is stopped', async () => {
    const served = await ServedProcess.start(BARE, { ready: '/livez' });
    const used = await served.cpuMs();
    assert.equal((await fetch(`${served.address}/livez`)).status, 200);
    assert.ok(used > 0 && (await served.cpuMs()) > used);
    await served.stop();
    await assert.rejects(fetch(`${served.address}/livez`));
  });

  it('is refused where it ends before it is ready', async () => {
    await assert.rejects(
      ServedProcess.start(new URL('./served-process.mjs', import.meta.url)),
      /ended with 0/,
    );
  });
});
