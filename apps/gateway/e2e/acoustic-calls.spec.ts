import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import {
  ACOUSTIC_DOES_NOT_PROVE,
  acousticRoutes,
  AcousticChallengeRequest,
  DemodulateRequest,
  ModulateRequest,
} from '@svc/contracts';
import { documentDigest, FREE_WORK_UNITS, TrustedProxies } from '@svc/edge';
import { MemoryBus, problem, type RunningService } from '@svc/platform';
import { createHash, randomUUID } from 'node:crypto';
import { request } from 'node:http';
import type { RunningGateway } from '../src/start-gateway.js';
import { type AcousticScript, BEACON, scriptedAcoustic, soundOf } from './acoustic-under-test.js';
import { startGatewayOn, startServiceOn } from './gateway-under-test.js';
import { BAD_KEY, HOLDER, type PaymentsScript, scriptedPayments } from './payments-under-test.js';
import { type HeaderLines, rawCall } from './raw-call.js';
import { scriptedAttest, type ToolScript, toolScript } from './tools-under-test.js';

const MODULATE = acousticRoutes.modulate.path;
const DEMODULATE = acousticRoutes.demodulate.path;
const CHALLENGE = acousticRoutes.challenge.path;
const VERIFY = acousticRoutes.verifyPairing.path;
const BEACONS = acousticRoutes.beacons.path;
const SOUND = `${BEACONS}/${BEACON.beaconKey}/sound`;
const PAID: HeaderLines = [['Authorization', 'L402 bWFj:00']];
const WITH_KEY: HeaderLines = [['X-SVC-KEY', 'svc_test_key']];
const PACKET = { payloadHex: '0x48656c6c6f' };
const RECORDING = Buffer.from('RIFF a recording \u0000\u00fe', 'latin1');
const recordingBase64 = RECORDING.toString('base64');
const recordingSha256 = `0x${createHash('sha256').update(RECORDING).digest('hex')}`;
const challengeNonce = 'ab'.repeat(16);
const PAIRING = { deviceId: 'door-7', challengeNonce, recordingBase64 };

const bus = new MemoryBus();
let gateway: RunningGateway;
let services: RunningService[];
let money: PaymentsScript;
let acoustic: AcousticScript;
let evidence: ToolScript;
beforeAll(async () => {
  const payments = scriptedPayments();
  const scripted = scriptedAcoustic();
  [money, acoustic, evidence] = [payments.script, scripted.script, toolScript()];
  services = [
    await startServiceOn(bus, 'payments', { controllers: payments.controllers }),
    await startServiceOn(bus, 'acoustic', { controllers: scripted.controllers }),
    await startServiceOn(bus, 'prover', { controllers: [scriptedAttest(evidence)] }),
  ];
  gateway = await startGatewayOn(bus);
});
afterAll(async () => {
  await gateway.close();
  for (const service of services) await service.close();
});
beforeEach(() => {
  Object.assign(money, { requestsLeft: 1_000, canBeGivenUp: true, bought: undefined });
  for (const list of [money.counted, money.uncounted, money.claimed, money.delivered, money.released])
    list.length = 0;
  Object.assign(acoustic, { before: async () => undefined, release: 1, sounds: [] });
  for (const list of [acoustic.admitted, acoustic.modulated, acoustic.heard, acoustic.challenged])
    list.length = 0;
  for (const list of [acoustic.paired, acoustic.enrolled, acoustic.removed, acoustic.soundsAsked])
    list.length = 0;
  evidence.attested.length = 0;
});

const post = (path: string, body?: unknown, lines: HeaderLines = []) =>
  rawCall(gateway.address, path, { body, lines });
const nothingTaken = () => {
  expect(money.requestsLeft).toBe(1_000);
  expect([money.claimed, money.delivered]).toEqual([[], []]);
};
const until = async (isSo: () => boolean) => {
  while (!isSo()) await new Promise(resolve => setTimeout(resolve, 5));
};
/** The bytes of an answer, as they came. */
async function bytesOf(path: string, init: RequestInit = {}) {
  const response = await fetch(gateway.address + path, init);
  return { response, bytes: Buffer.from(await response.arrayBuffer()) };
}
const audio = (headers: Record<string, string> = {}, body: object = PACKET) =>
  bytesOf(MODULATE, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'audio/wav', ...headers },
    body: JSON.stringify(body),
  });
const sha256 = (bytes: Uint8Array, encoding: 'hex' | 'base64') =>
  createHash('sha256').update(bytes).digest(encoding);

/** Each route with a body, what evidence is of, and what it does not show. */
const ROUTES = [
  ['a packet', MODULATE, PACKET, () => ModulateRequest.parse(PACKET), ACOUSTIC_DOES_NOT_PROVE.modulate],
  [
    'a recording',
    DEMODULATE,
    { recordingBase64 },
    () => {
      const { recordingBase64: _file, ...read } = DemodulateRequest.parse({ recordingBase64 });
      return { ...read, recordingSha256 };
    },
    ACOUSTIC_DOES_NOT_PROVE.demodulate,
  ],
  [
    'a challenge',
    CHALLENGE,
    { deviceId: 'door-7' },
    () => AcousticChallengeRequest.parse({ deviceId: 'door-7' }),
    ACOUSTIC_DOES_NOT_PROVE.challenge,
  ],
  [
    'a pairing',
    VERIFY,
    PAIRING,
    () => ({ deviceId: 'door-7', challengeNonce, recordingSha256 }),
    ACOUSTIC_DOES_NOT_PROVE.pairing,
  ],
] as const;

describe.each(ROUTES)('%s', (_name, path, body, audited, doesNotProve) => {
  test('costs of free work what its service says of it', async () => {
    const rateLimits = { factor: 2_100 / FREE_WORK_UNITS, trustedProxies: new TrustedProxies([]) };
    const small = await startGatewayOn(bus, { rateLimits });
    acoustic.workUnits = 1_000;
    try {
      const seen: number[] = [];
      for (let n = 0; n < 4; n++) seen.push((await rawCall(small.address, path, { body })).status);
      expect(seen).toEqual([200, 200, 429, 429]);
    } finally {
      acoustic.workUnits = 0;
      await small.close();
    }
  });

  test('within the quota is answered for nothing, counted once, with what it does not prove', async () => {
    const { status, json } = await post(path, body);
    expect([status, json.proves, json.doesNotProve]).toEqual([200, 'commitment', doesNotProve]);
    expect([money.counted.length, money.uncounted, money.claimed]).toEqual([1, [], []]);
    expect(evidence.attested).toMatchObject([{ isFree: true }]);
  });

  test('has evidence over request and answer, a recording as its digest', async () => {
    const { auditProof: _evidence, ...said } = (await post(path, body)).json;
    const [{ requestDigest, resultDigest }] = evidence.attested;
    expect(Buffer.from(resultDigest)).toEqual(Buffer.from(documentDigest(said)));
    expect(Buffer.from(requestDigest)).toEqual(Buffer.from(documentDigest(audited())));
  });

  test('over the quota is 402, then sold, and what was paid is delivered with the very answer', async () => {
    money.requestsLeft = 0;
    expect((await post(path, body)).status).toBe(402);
    const { status, headers, text } = await post(path, body, PAID);
    expect([status, headers['payment-receipt']]).toEqual([200, 'receipt-under-test']);
    expect(evidence.attested).toMatchObject([{ isFree: false }]);
    expect(Buffer.from(money.delivered[0].response.body).toString()).toBe(text);
  });

  test('that is impossible costs nothing, counted, by key or paid', async () => {
    for (const lines of [[], WITH_KEY, PAID]) {
      acoustic.admitFaults.push(
        problem('UNPROCESSABLE', 'Impossible', { errors: [{ path: 'x', message: 'no' }] }),
      );
      expect((await post(path, body, lines)).status).toBe(422);
    }
    nothingTaken();
  });

  test('whose evidence cannot be made is not counted', async () => {
    evidence.attestFaults.push(problem('OVERLOADED', 'No more may wait', { retryAfterSeconds: 1 }));
    expect((await post(path, body)).status).toBe(503);
    nothingTaken();
  });
});

describe('the sound of a packet', () => {
  test('is the answer where audio/wav is accepted: the bytes that its digests name, with the answer and its evidence', async () => {
    const { response, bytes } = await audio();
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'audio/wav']);
    expect(bytes).toEqual(soundOf(PACKET.payloadHex));
    const field = `sha-256=:${sha256(bytes, 'base64')}:`;
    expect([response.headers.get('repr-digest'), response.headers.get('content-digest')]).toEqual([
      field,
      field,
    ]);
    const said = JSON.parse(response.headers.get('svc-answer')!) as Record<string, unknown>;
    const proof = JSON.parse(response.headers.get('svc-audit-proof')!) as Record<string, unknown>;
    expect(said.sha256).toBe(sha256(bytes, 'hex'));
    expect(proof.resultDigest).toBe(`0x${Buffer.from(documentDigest(said)).toString('hex')}`);
    expect(response.headers.get('vary')).toContain('accept');
    expect(response.headers.get('access-control-expose-headers')).toContain('SVC-Audit-Proof');
    // It was made once, and counted once.
    expect([acoustic.modulated.length, money.counted.length]).toEqual([1, 1]);
  });

  test('is inside the JSON where that is asked for, and nowhere else', async () => {
    expect((await post(MODULATE, PACKET)).json.wavBase64).toBeUndefined();
    expect(acoustic.modulated[0].withWav).toBe(false);
    const { json } = await post(MODULATE, { ...PACKET, includeWav: true });
    expect(Buffer.from(json.wavBase64 as string, 'base64')).toEqual(soundOf(PACKET.payloadHex));
    expect(acoustic.admitted.map(({ withWav }) => withWav)).toEqual([false, true]);
  });

  test('is admitted as such, so that a sound that is too long is refused before it is counted', async () => {
    acoustic.admitFaults.push(problem('UNPROCESSABLE', 'Too long'));
    const { response } = await audio();
    expect([response.status, response.headers.get('content-type')]).toEqual([
      422,
      'application/problem+json; charset=utf-8',
    ]);
    expect(acoustic.admitted).toEqual([{ verb: 'modulate', withWav: true }]);
    nothingTaken();
  });

  test('that was paid is stored as JSON, and made again where the payment fetches it again', async () => {
    money.requestsLeft = 0;
    const paid = { authorization: 'L402 bWFj:00' };
    const first = await audio(paid);
    const { response: stored } = money.delivered[0];
    expect(stored.contentType).toBe('application/json; charset=utf-8');
    expect(Buffer.from(stored.body).toString()).not.toContain('wavBase64');
    money.bought = stored;
    const again = await audio(paid);
    expect([again.response.status, again.response.headers.get('payment-receipt')]).toEqual([
      200,
      'receipt-under-test',
    ]);
    expect(again.bytes).toEqual(first.bytes);
    expect(again.response.headers.get('svc-audit-proof')).toBe(first.response.headers.get('svc-audit-proof'));
    // The same payment has the JSON too.
    expect((await post(MODULATE, PACKET, PAID)).text).toBe(Buffer.from(stored.body).toString());
  });

  test('that another release would make is not given for the one that was bought: the JSON is', async () => {
    money.requestsLeft = 0;
    const paid = { authorization: 'L402 bWFj:00' };
    await audio(paid);
    money.bought = money.delivered[0].response;
    acoustic.release = 2;
    const { response, bytes } = await audio(paid);
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(bytes.toString()).toBe(Buffer.from(money.bought.body).toString());
  });

  test('costs a client that accepts anything nothing more: it gets JSON', async () => {
    for (const accept of ['*/*', 'application/json, audio/wav;q=0.5', 'text/html']) {
      const { response } = await audio({ accept });
      expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    }
    expect(acoustic.modulated.map(({ withWav }) => withWav)).toEqual([false, false, false]);
  });

  test('leaves problems and challenges as they are', async () => {
    money.requestsLeft = 0;
    const { response, bytes } = await audio();
    expect([response.status, response.headers.get('www-authenticate')]).toEqual([
      402,
      expect.stringContaining('L402'),
    ]);
    expect(JSON.parse(bytes.toString())).toMatchObject({ code: 'PAYMENT_REQUIRED' });
  });
});

describe('a recording', () => {
  test('reaches its service as the bytes that were sent, beside the request with its defaults', async () => {
    await post(DEMODULATE, { recordingBase64, profile: 'robust' });
    const [{ recording, request: asked }] = acoustic.heard;
    expect(Buffer.from(recording)).toEqual(RECORDING);
    expect(asked).toEqual({
      ...{ baud: 150, frequencyBand: 'ultrasonic_19khz', profile: 'robust', lineCode: 'frame' },
    });
  });

  test('that is heard while its client hangs up stays counted', async () => {
    let go = () => {};
    acoustic.before = () => new Promise<void>(resolve => (go = resolve));
    await hangUp(DEMODULATE, { recordingBase64 }, () => acoustic.heard.length === 1);
    // What has been asked since is answered after the end of that connection was seen.
    for (let k = 0; k < 5; k++) await fetch(`${gateway.address}/livez`, { headers: { connection: 'close' } });
    go();
    acoustic.before = async () => undefined;
    const { headers } = await post(MODULATE, { payloadHex: '00' });
    expect(headers.ratelimit).toMatch(/^"month";r=998;/);
    expect(money.uncounted).toEqual([]);
  });
});

describe('a pairing', () => {
  const named = (key: string): HeaderLines => [['Idempotency-Key', key]];

  test('is one call under one Idempotency-Key, and under one payment, and without either one of its own', async () => {
    const key = randomUUID();
    for (const lines of [named(key), named(key), named(randomUUID()), []]) await post(VERIFY, PAIRING, lines);
    money.requestsLeft = 0;
    for (const lines of [PAID, PAID]) await post(VERIFY, PAIRING, lines);
    const [first, again, other, bare, paid, paidAgain] = acoustic.paired.map(({ idemKey }) => idemKey);
    expect(first).toMatch(/^[0-9a-f]{64}$/);
    expect([again, other === first, bare]).toEqual([first, false, undefined]);
    expect(paid).toMatch(/^[0-9a-f]{64}$/);
    expect([paidAgain, paid === first]).toEqual([paid, false]);
  });

  test('that has begun goes on without its client: its nonce is used', async () => {
    let go = () => {};
    acoustic.before = () => new Promise<void>(resolve => (go = resolve));
    await hangUp(VERIFY, PAIRING, () => acoustic.paired.length === 1);
    go();
    await until(() => evidence.attested.length === 1);
    expect(money.uncounted).toEqual([]);
  });
});

describe('emitters', () => {
  test('are enrolled, listed and removed by whoever has a key, as their account', async () => {
    expect((await post(BEACONS, { name: 'lobby' })).status).toBe(401);
    expect((await post(BEACONS, { name: 'lobby' }, [['X-SVC-KEY', BAD_KEY]])).status).toBe(401);
    const made = await post(BEACONS, { name: 'lobby' }, WITH_KEY);
    expect([made.status, made.json.emitterSecret, made.headers['cache-control']]).toEqual([
      201,
      'secret-under-test',
      'no-store',
    ]);
    const listed = await rawCall(gateway.address, BEACONS, { method: 'GET', lines: WITH_KEY });
    expect(listed.json).toEqual({ beacons: [BEACON] });
    const path = `${BEACONS}/${BEACON.beaconKey}`;
    expect((await rawCall(gateway.address, path, { method: 'DELETE', lines: WITH_KEY })).status).toBe(204);
    expect(acoustic.enrolled).toEqual([{ by: HOLDER, name: 'lobby' }]);
    expect(acoustic.removed).toEqual([{ by: HOLDER, beaconKey: BEACON.beaconKey }]);
  });

  test('fetch a sound with their secret, which is in no answer', async () => {
    acoustic.sounds.push({ wav: soundOf('aa'), expiresAt: '2026-04-02T00:00:30.500Z' });
    const headers = { authorization: 'Bearer secret-under-test' };
    const { response, bytes } = await bytesOf(`${SOUND}?waitMs=50`, { headers });
    expect([response.status, response.headers.get('content-type'), bytes]).toEqual([
      200,
      'audio/wav',
      soundOf('aa'),
    ]);
    expect(response.headers.get('x-sound-expires-at')).toBe('2026-04-02T00:00:30.500Z');
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(acoustic.soundsAsked).toEqual([
      { beaconKey: BEACON.beaconKey, emitterSecret: 'secret-under-test', waitMs: 50 },
    ]);
    const nothing = await bytesOf(SOUND, { headers });
    expect([nothing.response.status, nothing.bytes.length]).toEqual([204, 0]);
  });

  test.each([
    ['nothing', [], 401],
    ['another scheme', [['Authorization', 'Basic YTpi']], 401],
    ['no secret', [['Authorization', 'Bearer ']], 401],
    ['two', [['Authorization', 'Bearer a'], ['Authorization', 'Bearer b']], 400], // prettier-ignore
  ] as const)('that send %s are refused, and their service is not asked', async (_what, lines, status) => {
    expect((await rawCall(gateway.address, SOUND, { method: 'GET', lines })).status).toBe(status);
    expect(acoustic.soundsAsked).toEqual([]);
  });

  test('that wait share their places by address; those that do not wait need none', async () => {
    let answer!: () => void;
    const answered = new Promise<void>(resolve => (answer = resolve));
    acoustic.before = () => answered;
    const headers = { authorization: 'Bearer secret-under-test' };
    const held = Array.from({ length: 128 }, () => bytesOf(`${SOUND}?waitMs=20000`, { headers }));
    await until(() => acoustic.soundsAsked.length === held.length);
    const refused = await rawCall(gateway.address, `${SOUND}?waitMs=1`, {
      method: 'GET',
      lines: [['Authorization', headers.authorization]],
    });
    expect(refused.json).toMatchObject({
      ...{ status: 429, code: 'RATE_LIMITED' },
      detail: '128 questions for sounds of emitters are open from this address, which is the bound',
    });
    const atOnce = bytesOf(SOUND, { headers });
    await until(() => acoustic.soundsAsked.length === held.length + 1);
    answer();
    for (const { response } of await Promise.all([...held, atOnce])) expect(response.status).toBe(204);
    expect((await bytesOf(`${SOUND}?waitMs=1`, { headers })).response.status).toBe(204);
  });

  test.each(['20001', '-1', 'x', '1.5'])('that would wait %s ms are told how long they may', async waitMs => {
    const lines: HeaderLines = [['Authorization', 'Bearer a']];
    const path = `${SOUND}?waitMs=${waitMs}`;
    const { status, json } = await rawCall(gateway.address, path, { method: 'GET', lines });
    expect([status, json.errors]).toEqual([400, [expect.objectContaining({ path: 'waitMs' })]]);
  });
});

test('the keys of pairing tokens are published, for five minutes', async () => {
  const { response, bytes } = await bytesOf(acousticRoutes.pairingKeys.path);
  expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'public, max-age=300']);
  expect(JSON.parse(bytes.toString())).toEqual({ keys: [] });
});

/** Sends a request, and hangs up once it is so. */
async function hangUp(path: string, body: unknown, isSo: () => boolean): Promise<void> {
  const outgoing = request(gateway.address + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
  });
  outgoing.on('error', () => undefined);
  outgoing.end(JSON.stringify(body));
  await until(isSo);
  outgoing.destroy();
}
