import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { INBOX_WAIT_MS_MAX, meshRoutes, RENDEZVOUS_DOES_NOT_PROVE, SDP_CHARS_MAX } from '@svc/contracts';
import { MemoryBus, problem, type RunningService } from '@svc/platform';
import { randomUUID } from 'node:crypto';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { RunningGateway } from '../src/start-gateway.js';
import { startGatewayOn, startServiceOn } from './gateway-under-test.js';
import {
  ANSWERED,
  INBOX_ID,
  type MeshScript,
  PENDING,
  RESET,
  scriptedMesh,
  SESSION,
  SESSION_ID,
} from './mesh-under-test.js';
import { MESH_KEY, type PaymentsScript, scriptedPayments } from './payments-under-test.js';
import { type HeaderLines, rawCall } from './raw-call.js';

const RENDEZVOUS = meshRoutes.rendezvous.path;
const SESSION_PATH = `/v1/mesh/sessions/${SESSION_ID}`;
const TAG = `"${SESSION_ID}"`;
const FRAGMENT_TYPE = 'application/trickle-ice-sdpfrag';
const FRAGMENT = 'a=ice-ufrag:EsAw\r\na=ice-pwd:P2uYro0UCOQ4zxjKXaWCBui1\r\na=end-of-candidates\r\n';
const PEER = 'ab'.repeat(32);
const OFFER = { peerPublicKey: PEER, sdpOffer: 'v=0\r\n' };
const PROOF = { peerPublicKey: PEER, signature: 'cd'.repeat(64), nonce: 'ef'.repeat(16) };
const PAID: HeaderLines = [['Authorization', 'L402 bWFj:00']];
const WITH_KEY: HeaderLines = [['X-SVC-KEY', 'svc_test_key']];

let gateway: RunningGateway;
let services: RunningService[];
let money: PaymentsScript;
let mesh: MeshScript;
beforeAll(async () => {
  const bus = new MemoryBus();
  const payments = scriptedPayments();
  const scripted = scriptedMesh();
  [money, mesh] = [payments.script, scripted.script];
  services = [
    await startServiceOn(bus, 'payments', { controllers: payments.controllers }),
    await startServiceOn(bus, 'mesh-signalling', { controllers: scripted.controllers }),
  ];
  gateway = await startGatewayOn(bus);
});
afterAll(async () => {
  mesh.wake();
  await gateway.close();
  for (const service of services) await service.close();
});
beforeEach(() => {
  Object.assign(money, { requestsLeft: 1_000, bought: undefined });
  for (const list of [money.counted, money.uncounted, money.claimed, money.delivered, money.released])
    list.length = 0;
  Object.assign(mesh, { admitFaults: [], faults: [], batches: [], isPending: false, version: 7 });
  mesh.before = async () => undefined;
  for (const list of [mesh.admitted, mesh.offered, mesh.answered, mesh.trickled, mesh.closed])
    list.length = 0;
  for (const list of [mesh.inboxes, mesh.asked, mesh.closedInboxes]) list.length = 0;
});

const offer = (body: unknown = OFFER, lines: HeaderLines = []) =>
  rawCall(gateway.address, RENDEZVOUS, { body, lines });
const call = (path: string, init: RequestInit = {}) => fetch(gateway.address + path, init);
const until = async (isSo: () => boolean) => {
  while (!isSo()) await new Promise(resolve => setTimeout(resolve, 5));
};

/** The gateway's end of the answer to the next request for a path. */
function answerOf(path: string): { response?: ServerResponse } {
  const answer: { response?: ServerResponse } = {};
  const hear = (message: unknown) => {
    const { request: asked, response } = message as { request: IncomingMessage; response: ServerResponse };
    if (!asked.url?.startsWith(path)) return;
    unsubscribe('http.server.request.start', hear);
    answer.response = response;
  };
  subscribe('http.server.request.start', hear);
  return answer;
}

describe('a rendezvous', () => {
  test('that is answered is 200 with its session in Location, and that in ETag', async () => {
    const { status, headers, json } = await offer();
    expect([status, headers.location, headers.etag]).toEqual([200, SESSION_PATH, TAG]);
    expect(json).toEqual(ANSWERED);
    expect(headers['cache-control']).toBe('private');
    expect([money.counted.length, money.uncounted, money.claimed]).toEqual([1, [], []]);
  });

  test('whose peer has not answered is 202 with the session that waits for it, and counts', async () => {
    mesh.isPending = true;
    const { status, headers, json } = await offer();
    expect([status, headers.location, headers.etag]).toEqual([202, SESSION_PATH, TAG]);
    expect(json).toEqual(PENDING);
    expect([money.counted.length, money.uncounted]).toEqual([1, []]);
  });

  test('is asked for with the address of its caller, for admission and for the answer', async () => {
    await offer({ ...OFFER, targetPeerKey: `0x${'ee'.repeat(32)}`, ...PROOF, timestamp: 1_775_088_000_000 });
    const [{ caller, request: asked }] = mesh.offered;
    expect(caller).toEqual({ address: '127.0.0.1' });
    expect(asked).toMatchObject({ sdpOffer: OFFER.sdpOffer, timestamp: 1_775_088_000_000 });
    expect(mesh.admitted).toEqual([{ request: asked, caller }]);
  });

  test.each([
    ['answered', 200, ANSWERED],
    ['pending', 202, PENDING],
  ] as const)(
    'beyond the quota is sold, %s as it is, and given again with its status',
    async (name, expected, body) => {
      mesh.isPending = name === 'pending';
      money.requestsLeft = 0;
      expect((await offer()).status).toBe(402);
      expect(mesh.offered).toEqual([]);
      const sold = await offer(OFFER, PAID);
      expect([sold.status, sold.json, sold.headers.location]).toEqual([expected, body, SESSION_PATH]);
      expect(sold.headers['payment-receipt']).toBe('receipt-under-test');
      const [{ response }] = money.delivered;
      expect([response.status, Buffer.from(response.body).toString()]).toEqual([expected, sold.text]);
      expect(money.released).toEqual([]);
      money.bought = response;
      const again = await offer(OFFER, PAID);
      expect([again.status, again.text, again.headers.location]).toEqual([expected, sold.text, SESSION_PATH]);
      expect([again.headers.etag, mesh.offered.length]).toEqual([TAG, 1]);
    },
  );

  const unproved = (reason: string) =>
    problem('IDENTITY_UNPROVED', 'Not believed', { extensions: { reason } });
  const OF_THE_MOMENT = [
    ['its time over', () => unproved('TIMESTAMP_UNTIMELY')],
    ['its nonce used', () => unproved('NONCE_USED')],
    [
      'its peer gone',
      () => problem('NOT_FOUND', 'No open inbox', { extensions: { reason: 'TARGET_ABSENT' } }),
    ],
    ['its peer busy', () => problem('CONFLICT', 'An offer waits', { extensions: { reason: 'TARGET_BUSY' } })],
    ['too many before it', () => problem('RATE_LIMITED', 'Ten a minute', { retryAfterSeconds: 9 })],
  ] as const;
  const FOR_GOOD = [
    ['a signature that is none of its key', () => unproved('SIGNATURE_INVALID')],
    ['no signature', () => unproved('SIGNATURE_MISSING')],
    ['a description that is none', () => problem('UNPROCESSABLE', 'sdpOffer: line 4')],
  ] as const;

  test.each(OF_THE_MOMENT)('that was paid before is given again with %s', async (_why, fault) => {
    money.bought = { status: 202, contentType: 'application/json', body: Buffer.from('{"sessionId":"x"}') };
    mesh.admitFaults.push(fault());
    const { status, text } = await offer(OFFER, PAID);
    expect([status, text]).toEqual([202, '{"sessionId":"x"}']);
  });

  test.each(OF_THE_MOMENT)(
    'that was not answered before is refused with %s, paid or not',
    async (_why, fault) => {
      mesh.admitFaults.push(fault());
      const { status } = await offer();
      expect([status, mesh.offered]).toEqual([fault().status, []]);
      mesh.admitFaults.push(fault());
      mesh.faults.push(fault());
      expect((await offer(OFFER, PAID)).status).toBe(status);
      expect([money.released.length, money.delivered, money.requestsLeft]).toEqual([1, [], 1_000]);
    },
  );

  test.each(FOR_GOOD)('with %s is refused before any payment is taken', async (_why, fault) => {
    for (const lines of [[], PAID, WITH_KEY, [['Idempotency-Key', randomUUID()] as const]]) {
      mesh.admitFaults.push(fault());
      expect((await offer(OFFER, lines)).status).toBe(fault().status);
    }
    expect([mesh.offered, money.claimed, money.requestsLeft]).toEqual([[], [], 1_000]);
  });

  test('is one call under one payment, or under one Idempotency-Key of one request; else one of its own', async () => {
    const named = (key: string): HeaderLines => [['Idempotency-Key', key]];
    const key = randomUUID();
    for (const lines of [named(key), named(key), named(randomUUID()), []]) await offer(OFFER, lines);
    await offer({ ...OFFER, sdpOffer: 'v=1\r\n' }, named(key));
    money.requestsLeft = 0;
    for (const lines of [PAID, PAID]) await offer(OFFER, lines);
    const [first, again, other, bare, another, paid, paidAgain] = mesh.offered.map(({ idemKey }) => idemKey);
    expect(first).toMatch(/^[0-9a-f]{64}$/);
    expect(paid).toMatch(/^[0-9a-f]{64}$/);
    expect([again, bare, paidAgain]).toEqual([first, undefined, paid]);
    expect(new Set([first, other, another, paid]).size).toBe(4);
  });

  test('goes on without its client once it has begun, and counts', async () => {
    let go = () => {};
    let isDone = false;
    mesh.before = async () => {
      await new Promise<void>(resolve => (go = resolve));
      isDone = true;
    };
    await hangUp(() => mesh.offered.length === 1);
    go();
    await until(() => isDone);
    await call('/livez');
    expect(money.uncounted).toEqual([]);
  });

  test.each([
    ['no offer', { peerPublicKey: PEER }, 'sdpOffer'],
    ['an offer that is empty', { ...OFFER, sdpOffer: '' }, 'sdpOffer'],
    ['an offer that is too long', { ...OFFER, sdpOffer: 'v'.repeat(SDP_CHARS_MAX + 1) }, 'sdpOffer'],
    ['a key of 31 bytes', { ...OFFER, peerPublicKey: 'ab'.repeat(31) }, 'peerPublicKey'],
    ['half a proof', { ...OFFER, signature: PROOF.signature }, 'signature'],
  ])('of %s is 400 and names the field, before anything is counted', async (_what, body, path) => {
    const { status, json } = await offer(body);
    expect([status, json.errors?.[0].path]).toEqual([400, path]);
    expect([mesh.admitted, money.counted]).toEqual([[], []]);
  });

  test('does not prove more than its service says', () => {
    expect(RENDEZVOUS_DOES_NOT_PROVE).toContain('only that this answer was given to this offer');
  });
});

describe('a session', () => {
  test('is shown to whoever has its id, with its tag, and kept by nobody', async () => {
    const response = await call(SESSION_PATH);
    expect([response.status, response.headers.get('etag')]).toEqual([200, TAG]);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(await response.json()).toEqual(SESSION);
  });

  test('is answered by the peer that it was offered to', async () => {
    const body = { ...PROOF, sdpAnswer: 'v=0\r\n', timestamp: 5 };
    const { status, headers, json } = await rawCall(gateway.address, `${SESSION_PATH}/answer`, { body });
    expect([status, headers.etag, json]).toEqual([200, TAG, SESSION]);
    expect(mesh.answered).toEqual([{ sessionId: SESSION_ID, request: body }]);
  });

  const patch = (headers: Record<string, string> = {}, body: string | Buffer = FRAGMENT) =>
    call(SESSION_PATH, { method: 'PATCH', body, headers: { 'content-type': FRAGMENT_TYPE, ...headers } });

  test.each<Record<string, string>>([
    {},
    { 'if-match': '*' },
    { 'if-match': TAG },
    { 'if-match': `"x", ${TAG}` },
  ])(
    'takes candidates with %j again and again, letter by letter: its tag is that of the ICE session',
    async headers => {
      for (const version of [7, 8]) {
        mesh.version = version;
        const response = await patch(headers);
        const { status } = response;
        expect([status, response.headers.get('etag'), await response.text()]).toEqual([204, TAG, '']);
      }
      const taken = { sessionId: SESSION_ID, fragment: FRAGMENT };
      expect(mesh.trickled).toEqual([taken, taken]);
    },
  );

  test.each([
    `W/${TAG}`,
    SESSION_ID,
    '"7"',
    `"mesh_${'A'.repeat(22)}"`,
    '""',
    '"*"',
    TAG.slice(0, -1),
    `*, W/${TAG}`,
  ])('takes no candidates for If-Match %s: 412', async tag => {
    const response = await patch({ 'if-match': tag });
    expect(response.status).toBe(412);
    expect(await response.json()).toMatchObject({
      code: 'PRECONDITION_FAILED',
      errors: [{ path: 'If-Match' }],
    });
    expect(mesh.trickled).toEqual([]);
  });

  test('takes candidates as text alone: UTF-8, as it is, no longer than it may be', async () => {
    const notText: [Record<string, string>, string | Buffer, number][] = [
      [{ 'content-type': 'application/json' }, JSON.stringify(FRAGMENT), 415],
      [{ 'content-type': 'application/sdp' }, FRAGMENT, 415],
      [{ 'content-encoding': 'gzip' }, FRAGMENT, 415],
      [{ 'content-type': `${FRAGMENT_TYPE}; charset=latin1` }, FRAGMENT, 415],
      [{}, Buffer.from([0x61, 0xff]), 415],
      [{}, '', 400],
      [{}, 'a'.repeat(SDP_CHARS_MAX + 1), 413],
    ];
    for (const [headers, body, status] of notText) expect((await patch(headers, body)).status).toBe(status);
    expect(mesh.trickled).toEqual([]);
    const type = `${FRAGMENT_TYPE.toUpperCase()}; charset=UTF-8`;
    expect((await patch({ 'content-type': type })).status).toBe(204);
  });

  test('is closed by whoever has its id', async () => {
    expect((await call(SESSION_PATH, { method: 'DELETE' })).status).toBe(204);
    expect(mesh.closed).toEqual([{ sessionId: SESSION_ID }]);
  });

  test.each(['GET', 'DELETE'])(
    'that is unknown is 404 to %s, and an id that can be none 400',
    async method => {
      mesh.faults.push(problem('NOT_FOUND', 'No such session'));
      expect((await call(SESSION_PATH, { method })).status).toBe(404);
      expect((await call('/v1/mesh/sessions/mesh_x', { method })).status).toBe(400);
    },
  );
});

describe('an inbox', () => {
  const query = new URLSearchParams({ ...PROOF, timestamp: '1775088000000' }).toString();
  const open = (headers: Record<string, string> = {}, signal?: AbortSignal) =>
    call(`${meshRoutes.inbox.path}?${query}`, { headers, signal });
  const events = [
    { seq: 12, event: { type: 'candidates' as const, sessionId: SESSION_ID, candidates: ['candidate:1'] } },
    { seq: 15, event: { type: 'closed' as const, sessionId: SESSION_ID, reason: 'DELETED' } },
  ];
  /** Reads until the text has a part. */
  async function readTo(response: Response, part: string): Promise<string> {
    let text = '';
    const decoder = new TextDecoder();
    for await (const chunk of response.body!) {
      text += decoder.decode(chunk as Uint8Array, { stream: true });
      if (text.includes(part)) break;
    }
    return text;
  }

  test('is a stream of its events, each with its place and its kind, and closed with its reader', async () => {
    mesh.batches.push({ events: events.slice(0, 1), lastSeq: 13 }, { events: [], lastSeq: 14 });
    mesh.batches.push({ events: events.slice(1), lastSeq: 15 });
    const response = await open();
    expect([response.status, response.headers.get('content-type')]).toEqual([
      200,
      'text/event-stream; charset=utf-8',
    ]);
    expect(response.headers.get('cache-control')).toBe('no-store');
    const text = await readTo(response, 'DELETED');
    expect(text).toBe(
      `retry: 1000\n\n` +
        `id: 12\nevent: candidates\ndata: ${JSON.stringify(events[0].event)}\n\n` +
        `: nothing new\n\n` +
        `id: 15\nevent: closed\ndata: ${JSON.stringify(events[1].event)}\n\n`,
    );
    await until(() => mesh.closedInboxes.length === 1);
    expect(mesh.closedInboxes).toEqual([{ inboxId: INBOX_ID }]);
    const waits = { inboxId: INBOX_ID, waitMs: INBOX_WAIT_MS_MAX };
    expect(mesh.asked.slice(0, 3)).toEqual([waits, { ...waits, afterSeq: 13 }, { ...waits, afterSeq: 14 }]);
    mesh.wake();
  });

  test('is opened by a proof, from an address, and goes on after the last event that its reader has', async () => {
    mesh.batches.push({ events, lastSeq: 15 });
    await readTo(await open({ 'last-event-id': '11' }), 'DELETED');
    expect(mesh.inboxes).toEqual([
      { query: { ...PROOF, timestamp: 1_775_088_000_000 }, caller: { address: '127.0.0.1' } },
    ]);
    expect(mesh.asked[0]).toMatchObject({ afterSeq: 11 });
    await until(() => mesh.closedInboxes.length === 1);
    mesh.wake();
  });

  test('that waits is closed once its reader has gone', async () => {
    const leave = new AbortController();
    await open({}, leave.signal);
    await until(() => mesh.asked.length === 1);
    leave.abort();
    await until(() => mesh.closedInboxes.length === 1);
    mesh.wake();
  });

  test('is closed where its reader went while it was opened', async () => {
    const leave = new AbortController();
    let opened = () => undefined as void;
    mesh.beforeInbox = () => new Promise(resolve => (opened = resolve));
    const answer = answerOf(meshRoutes.inbox.path);
    const asked = open({}, leave.signal).catch(() => undefined);
    await until(() => mesh.inboxes.length === 1);
    leave.abort();
    await asked;
    await until(() => answer.response?.destroyed === true);
    opened();
    await until(() => mesh.closedInboxes.length === 1);
    expect(mesh.closedInboxes).toEqual([{ inboxId: INBOX_ID }]);
    mesh.beforeInbox = async () => undefined;
    mesh.wake();
  });

  test('is not opened by HEAD', async () => {
    const { status, headers } = await call(`${meshRoutes.inbox.path}?${query}`, { method: 'HEAD' });
    expect([status, headers.get('allow')]).toEqual([405, 'GET']);
    expect(mesh.inboxes).toEqual([]);
  });

  test('whose service goes away ends its stream, and its reader comes back', async () => {
    mesh.batches.push({ events: events.slice(0, 1), lastSeq: 12 });
    const response = await open();
    await until(() => mesh.asked.length === 2);
    mesh.faults.push(problem('NOT_FOUND', 'Closed'));
    mesh.wake();
    const text = await response.text();
    expect([text.match(/^id: /gm)?.length, text.endsWith('\n\n')]).toEqual([1, true]);
  });

  test('is refused as a problem, with what its service says', async () => {
    mesh.faults.push(problem('IDENTITY_UNPROVED', 'No', { extensions: { reason: 'NONCE_USED' } }));
    const refused = await open();
    expect(refused.status).toBe(401);
    expect(await refused.json()).toMatchObject({ code: 'IDENTITY_UNPROVED', reason: 'NONCE_USED' });
    expect(mesh.asked).toEqual([]);
  });

  test.each([
    ['without a proof', `peerPublicKey=${PEER}`, {}, 'signature'],
    ['of an odd time', query.replace('1775088000000', '01'), {}, 'timestamp'],
    ['with more than a proof', `${query}&x=1`, {}, 'x'],
    ['after no event', query, { 'last-event-id': 'x' }, 'Last-Event-ID'],
  ])('%s is 400, and nothing is opened', async (_what, asked, headers, path) => {
    const response = await call(`${meshRoutes.inbox.path}?${asked}`, { headers });
    const { errors } = (await response.json()) as { errors: { path: string }[] };
    expect([response.status, errors.map(each => each.path)]).toEqual([400, expect.arrayContaining([path])]);
    expect(mesh.inboxes).toEqual([]);
  });
});

test('a page of another origin may trickle, end a session, and read what it needs for that', async () => {
  for (const [method, path] of [
    ['PATCH', SESSION_PATH],
    ['DELETE', SESSION_PATH],
    ['GET', meshRoutes.inbox.path],
  ]) {
    const preflight = await call(path, {
      method: 'OPTIONS',
      headers: {
        origin: 'https://peer.example',
        'access-control-request-method': method,
        'access-control-request-headers': 'content-type,if-match,last-event-id',
      },
    });
    const allowed = (name: string) => preflight.headers.get(`access-control-allow-${name}`);
    expect([preflight.status, allowed('origin')]).toEqual([204, '*']);
    expect(allowed('methods')).toContain(method);
    for (const name of ['content-type', 'if-match', 'last-event-id'])
      expect(allowed('headers')).toContain(name);
  }
  const exposed = (await offer()).headers['access-control-expose-headers'];
  for (const name of ['ETag', 'Location', 'Retry-After']) expect(exposed).toContain(name);
});

test('the document is begun anew for a key of that scope, with a reason, and for no other', async () => {
  const reset = async (body: unknown, lines: HeaderLines) => {
    const { status, json } = await rawCall(gateway.address, meshRoutes.resetDocument.path, { body, lines });
    return [status, json];
  };
  const request = { content: 'keep', reason: 'too many client ids' };
  const withKey: HeaderLines = [['X-SVC-KEY', MESH_KEY]];
  expect((await reset(request, []))[0]).toBe(401);
  expect((await reset(request, WITH_KEY))[0]).toBe(403);
  expect((await reset({ ...request, content: 'all' }, withKey))[0]).toBe(400);
  expect((await reset({ content: 'clear' }, withKey))[0]).toBe(400);
  expect(mesh.reset).toEqual([]);
  expect(await reset(request, withKey)).toEqual([200, RESET]);
  expect(mesh.reset).toMatchObject([{ accountKey: MESH_KEY, request }]);
});

test('the keys that answers are signed with are published, for five minutes', async () => {
  const response = await call(meshRoutes.meshKeys.path);
  expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'public, max-age=300']);
  expect(await response.json()).toEqual({ keys: [] });
});

/** Makes an offer, and hangs up once it is so. */
async function hangUp(isSo: () => boolean): Promise<void> {
  const outgoing = request(gateway.address + RENDEZVOUS, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
  });
  outgoing.on('error', () => undefined);
  outgoing.end(JSON.stringify(OFFER));
  await until(isSo);
  outgoing.destroy();
}
