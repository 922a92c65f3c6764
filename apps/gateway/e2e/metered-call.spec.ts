import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { type KeyHolder, KeyHolder as KeyHolderSchema } from '@svc/contracts';
import { MemoryBus, problem, type RunningService } from '@svc/platform';
import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import { z } from 'zod';
import { AccountOf, AnswerWithStatus, Keyed, Metered, type MeteredCall, MeteredCallOf } from '@svc/edge';
import type { RunningGateway } from '../src/start-gateway.js';
import { startGatewayOn, startServiceOn } from './gateway-under-test.js';
import { BAD_KEY, HOLDER, type PaymentsScript, scriptedPayments } from './payments-under-test.js';
import { type HeaderLines, rawCall } from './raw-call.js';

const Solve = z.strictObject({ neurons: z.int().min(1).max(10).default(1), fail: z.string().optional() });

/** What a test holds up: the admission of a call, or its work. */
const held = { at: 'nothing', isReached: false, release: () => {} };
const holdAt = (place: string) => {
  held.at = place;
  held.isReached = false;
};
async function reached(place: string): Promise<void> {
  if (held.at !== place) return;
  held.isReached = true;
  await new Promise<void>(resolve => (held.release = resolve));
}
let worked = 0;

/** A metered route whose service a test scripts, and keyed ones. */
@Controller('dev/fixture')
class FixtureController {
  @Post('solve')
  @HttpCode(200)
  @Metered({ operationId: 'snn.solve', body: Solve, admit: () => reached('admission') })
  async solve(@Body() body: z.output<typeof Solve>, @MeteredCallOf() { signal }: MeteredCall) {
    worked++;
    await reached('work');
    if (!body.fail) signal.throwIfAborted();
    if (body.fail === 'full') throw problem('OVERLOADED', 'At its capacity');
    if (body.fail === 'later') return new AnswerWithStatus(202, { goesOn: true });
    if (body.fail) throw problem('UNPROCESSABLE', 'Impossible');
    return { solved: body.neurons };
  }

  @Post('mine')
  @HttpCode(200)
  @Keyed()
  mine(@AccountOf() holder: KeyHolder, @Body({ schema: Solve }) _body: unknown) {
    return holder;
  }

  @Post('maybe-mine')
  @HttpCode(200)
  @Keyed({ optional: true })
  maybeMine(@AccountOf() holder: KeyHolder | undefined) {
    return { accountId: holder?.accountId ?? 'nobody' };
  }

  @Post('operators')
  @HttpCode(200)
  @Keyed({ scope: 'leads:read' })
  operators() {
    return {};
  }
}

let gateway: RunningGateway;
let payments: RunningService;
let script: PaymentsScript;
beforeAll(async () => {
  const bus = new MemoryBus();
  const scripted = scriptedPayments();
  ({ script } = scripted);
  payments = await startServiceOn(bus, 'payments', { controllers: scripted.controllers });
  gateway = await startGatewayOn(bus, { sandboxControllers: [FixtureController] });
});
afterAll(async () => {
  await gateway.close();
  await payments.close();
});
beforeEach(() => {
  Object.assign(script, { requestsLeft: 1_000, claimFaults: [], claimMembers: {} });
  for (const list of [script.counted, script.uncounted, script.claimed, script.released]) list.length = 0;
  script.challenged.length = 0;
  script.authenticated.length = 0;
});

const solve = (body: unknown, lines: HeaderLines = []) =>
  rawCall(gateway.address, '/dev/fixture/solve', { body, lines });

describe('a metered call', () => {
  test('within the quota is answered for nothing, counted by address, and says what is left', async () => {
    const { status, json, headers } = await solve({ neurons: 3 });
    expect([status, json]).toEqual([200, { solved: 3 }]);
    expect(script.counted).toEqual([{ operationId: 'snn.solve', address: '127.0.0.1' }]);
    expect(headers['ratelimit-policy']).toBe('"month";q=1000;w=2678400');
    expect(headers.ratelimit).toMatch(/^"month";r=999;t=\d+$/);
    expect(headers['cache-control']).toBe('private');
    expect([script.claimed, script.challenged, script.uncounted]).toEqual([[], [], []]);
  });

  test('with a key counts by the key, and with a key that is none is 401', async () => {
    expect((await solve({}, [['X-SVC-KEY', 'svc_test_key']])).status).toBe(200);
    expect(script.counted).toMatchObject([{ accountKey: 'svc_test_key' }]);
    const { status, json } = await solve({}, [['X-SVC-KEY', BAD_KEY]]);
    expect([status, json.code]).toEqual([401, 'UNKNOWN_CREDENTIAL']);
    expect(script.counted).toHaveLength(1);
  });

  test.each([
    ['the body is bad', { neurons: 11 }, 400, 0],
    ['the call is impossible', { fail: 'yes' }, 422, 1],
    ['the service is at its capacity', { fail: 'full' }, 503, 1],
  ])('is not counted where %s', async (_why, body, status, countedAndTakenBack) => {
    const answer = await solve(body);
    expect(answer.status).toBe(status);
    expect([script.counted.length, script.uncounted.length]).toEqual([
      countedAndTakenBack,
      countedAndTakenBack,
    ]);
    expect(script.requestsLeft).toBe(1_000);
    if (countedAndTakenBack) expect(answer.headers.ratelimit).toMatch(/^"month";r=1000;/);
    expect([script.claimed, script.challenged]).toEqual([[], []]);
  });

  /** Sends a call, and hangs up once it has come to a place. */
  async function hangUpAt(place: string, body: unknown): Promise<void> {
    holdAt(place);
    worked = 0;
    const outgoing = request(`${gateway.address}/dev/fixture/solve`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
    });
    outgoing.on('error', () => undefined);
    outgoing.end(JSON.stringify(body));
    while (!held.isReached) await new Promise(resolve => setTimeout(resolve, 5));
    outgoing.destroy();
    // What has been asked since is answered after the end of that connection was seen.
    for (let k = 0; k < 5; k++) await fetch(`${gateway.address}/livez`, { headers: { connection: 'close' } });
    holdAt('nothing');
    held.release();
    for (let k = 0; k < 5; k++) await fetch(`${gateway.address}/livez`, { headers: { connection: 'close' } });
  }

  test.each([
    ['while it is worked on stays counted', 'work', {}, 1, 0],
    ['before its work has begun is not counted, and never begun', 'admission', {}, 0, 1],
    ['while its service fails by itself is not counted', 'work', { fail: 'yes' }, 1, 1],
  ])('whose caller hangs up %s', async (_what, place, body, begun, takenBack) => {
    await hangUpAt(place, body);
    expect([worked, script.counted.length, script.uncounted.length]).toEqual([begun, 1, takenBack]);
    expect(script.requestsLeft).toBe(takenBack ? 1_000 : 999);
  });

  test('that is refused is given back without a row that says so, however many are', async () => {
    for (let turn = 0; turn < 20; turn++) expect((await solve({ fail: 'yes' })).status).toBe(422);
    expect(script.uncounted).toEqual(
      Array(20).fill({ subject: 'address:127.0.0.1', resetsAt: expect.any(String) }),
    );
  });

  test('is not counted either where payments are away when it fails, once they are back', async () => {
    script.uncountFaults = 1;
    const { status, headers } = await solve({ fail: 'yes' });
    expect([status, script.uncounted]).toEqual([422, []]);
    expect(headers.ratelimit).toMatch(/^"month";r=999;/);
    while (script.uncounted.length === 0) await new Promise(resolve => setTimeout(resolve, 50));
    expect(script.uncounted).toEqual([
      { subject: 'address:127.0.0.1', resetsAt: expect.any(String), callKey: expect.any(String) },
    ]);
    expect(script.requestsLeft).toBe(1_000);
  });

  test.each([
    ['with a body', { neurons: 3 }],
    ['without one', undefined],
  ])('over the quota, %s, is 402 with a challenge and says when there is more', async (_name, body) => {
    script.requestsLeft = 0;
    const { status, json, headers } = await solve(body);
    expect([status, json.code]).toEqual([402, 'PAYMENT_REQUIRED']);
    expect(json.detail).toContain('1000 requests of this month');
    expect(headers).toHaveProperty('x-402-challenge');
    expect(headers.ratelimit).toMatch(/^"month";r=0;t=\d+$/);
    expect(script.challenged).toMatchObject([
      { operationId: 'snn.solve', resource: `${gateway.address}/dev/fixture/solve` },
    ]);
  });

  test('over the quota is paid for by the key’s credit, or refused where there is too little', async () => {
    script.requestsLeft = 0;
    expect((await solve({ neurons: 2 }, [['X-SVC-KEY', 'svc_test_key']])).json).toEqual({ solved: 2 });
    expect(script.claimed).toMatchObject([{ operationId: 'snn.solve', accountKey: 'svc_test_key' }]);
    script.claimFaults = [problem('PAYMENT_INSUFFICIENT', 'Too little')];
    const { status, headers } = await solve({ neurons: 2 }, [['X-SVC-KEY', 'svc_test_key']]);
    expect([status, 'x-402-challenge' in headers]).toEqual([402, true]);
  });

  test('with a payment is sold, however much of the quota is left', async () => {
    const { status, headers } = await solve({ neurons: 2 }, [['Authorization', 'L402 bWFj:00']]);
    expect([status, headers['payment-receipt']]).toEqual([200, 'receipt-under-test']);
    expect([script.counted, script.claimed.length]).toEqual([[], 1]);
  });

  test('whose answer has a status of its own is counted as any other, sold as any other, and has it again', async () => {
    const counted = await solve({ fail: 'later' });
    expect([counted.status, counted.json]).toEqual([202, { goesOn: true }]);
    expect([script.counted.length, script.uncounted]).toEqual([1, []]);
    const paid: HeaderLines = [['Authorization', 'L402 bWFj:00']];
    const sold = await solve({ fail: 'later' }, paid);
    expect([sold.status, sold.json, sold.headers['payment-receipt']]).toEqual([
      202,
      { goesOn: true },
      'receipt-under-test',
    ]);
    const { response } = script.delivered.at(-1)!;
    expect([response.status, Buffer.from(response.body).toString()]).toEqual([202, sold.text]);
    expect(script.released).toEqual([]);
    script.bought = response;
    const again = await solve({ fail: 'later' }, paid);
    script.bought = undefined;
    expect([again.status, again.text]).toEqual([202, sold.text]);
  });

  test('that is paid for and finds no room gives its payment back', async () => {
    const { status, json } = await solve({ fail: 'full' }, [['Authorization', 'L402 bWFj:00']]);
    expect([status, json.paymentRetained]).toEqual([503, true]);
    expect(script.released).toMatchObject([{ reason: 'OVERLOADED' }]);
  });

  test('that a key paid for and that failed says whether the account has its amount again, or will', async () => {
    script.requestsLeft = 0;
    const fail = () => solve({ fail: 'impossible' }, [['X-SVC-KEY', 'svc_test_key']]);
    const given = await fail();
    script.releaseFaults = [problem('TIMEOUT', 'No reply came')];
    const lost = await fail();
    expect([given.json.code, lost.json.code]).toEqual(['UNPROCESSABLE', 'UNPROCESSABLE']);
    expect(given.json.detail).toBe('Impossible. Nothing was taken from the account');
    expect(lost.json.detail).toMatch(/will be given back to it within minutes$/);
    expect([given.json.paymentRetained, lost.json.paymentRetained]).toEqual([true, true]);
  });
});

describe('a keyed route', () => {
  const call = (path: string, lines: HeaderLines, body: unknown = {}) =>
    rawCall(gateway.address, `/dev/fixture/${path}`, { lines, body });

  test('knows whose key came, and its answer is kept by nobody', async () => {
    const { status, json, headers } = await call('mine', [['X-SVC-KEY', 'svc_test_key']]);
    expect([status, KeyHolderSchema.parse(json)]).toEqual([200, HOLDER]);
    expect(headers['cache-control']).toBe('no-store');
  });

  const refused = (
    [
      ['no key', 'mine', [], 401],
      ['no key, before its body is looked at', 'mine', [], 401, { neurons: 99 }],
      ['a key that is none', 'mine', [['X-SVC-KEY', BAD_KEY]], 401],
      ['a key as a bearer token that is none', 'mine', [['Authorization', `Bearer ${BAD_KEY}`]], 401],
      ['a bearer token of somebody else', 'mine', [['Authorization', 'Bearer x']], 401],
      ['an empty key', 'mine', [['X-SVC-KEY', '']], 401],
      [
        'two keys',
        'mine',
        [
          ['X-SVC-KEY', 'a'],
          ['X-SVC-KEY', 'b'],
        ],
        400,
      ],
      ['a good key and a bad body', 'mine', [['X-SVC-KEY', 'svc_test_key']], 400, { neurons: 99 }],
      ['a key without the scope', 'operators', [['X-SVC-KEY', 'svc_test_key']], 403],
      ['a bad key where one is optional', 'maybe-mine', [['X-SVC-KEY', BAD_KEY]], 401],
    ] as [string, string, HeaderLines, number, unknown?][]
  ).map(row => [row[0], row] as const);
  test.each(refused)('with %s is refused', async (_name, [, path, lines, status, body]) => {
    expect((await call(path, lines, body)).status).toBe(status);
  });

  test.each([
    ['mine', [], 401],
    ['mine', [['X-SVC-KEY', BAD_KEY]], 401],
    ['operators', [['X-SVC-KEY', 'svc_test_key']], 403],
  ] as [string, HeaderLines, number][])(
    '%s %j is refused while its body has yet to come',
    async (path, lines, status) => {
      const { host, hostname, port } = new URL(gateway.address);
      const socket = connect(Number(port), hostname);
      try {
        const head = [
          `POST /dev/fixture/${path} HTTP/1.1`,
          ...[
            ['host', host],
            ['content-type', 'application/json'],
            ['content-length', '60000'],
            ...lines,
          ].map(([name, value]) => `${name}: ${value}`),
        ];
        socket.write(`${head.join('\r\n')}\r\n\r\n`);
        const [answer] = (await once(socket, 'data')) as [Buffer];
        expect(answer.toString()).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
      } finally {
        socket.destroy();
      }
    },
  );

  test('whose key is optional answers without', async () => {
    expect((await call('maybe-mine', [])).json).toEqual({ accountId: 'nobody' });
    const withKey = await call('maybe-mine', [['X-SVC-KEY', 'svc_test_key']]);
    expect(withKey.json).toEqual({ accountId: HOLDER.accountId });
  });
});
