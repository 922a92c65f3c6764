import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { checkPairing } from '@svc/client';
import {
  ACOUSTIC_DOES_NOT_PROVE,
  acousticRoutes,
  ModulateRequest,
  SOUND_SECONDS_MAX,
  VerifyPairingRequest,
} from '@svc/contracts';
import { TopicNews } from '@svc/platform';
import { byTier } from '@svc/platform/testing';
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { DataSource } from 'typeorm';
import { ADMIN_KEY } from './card-fixture.js';
import { type Answer, paidL402, post } from './paid-call.js';
import type { PaidRoute } from './paid-route-fixture.js';

type Json = Record<string, any>; // eslint-disable-line @typescript-eslint/no-explicit-any -- of any route

const { modulate, demodulate, challenge, verifyPairing, beacons, pairingKeys } = acousticRoutes;
const LIMIT = 1_000;
const HELLO = '0x48656c6c6f';
/** Short on the air, and of the band that any sampling rate carries. */
const QUICK = { baud: 300, frequencyBand: 'audible_fsk' } as const;
const hasSox = spawnSync('sox', ['--version']).status === 0;

let route: PaidRoute;
let payments: DataSource;
let acoustic: DataSource;
let folder: string;

const at = (path: string) => route.address + path;
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const file = (name: string) => join(folder, name);

/** Sets how much of the month's requests this address has used. */
async function useUp(used: number): Promise<void> {
  await payments.query('UPDATE quota_usage SET used = $1', [used]);
}
const used = async () =>
  Number((await payments.query('SELECT coalesce(sum(used), 0) AS used FROM quota_usage'))[0].used);
const claims = async () => Number((await payments.query('SELECT count(*) AS n FROM payment_claim'))[0].n);

async function newKey(): Promise<string> {
  const admin = { 'x-svc-key': ADMIN_KEY };
  const { json } = await post(at('/v1/admin/accounts'), {}, admin);
  return (await post(at(`/v1/admin/accounts/${String(json.accountId)}/keys`), {}, admin)).json.key as string;
}

/** The sound of a packet, as the route gives it. */
async function soundOf(body: object, headers: Record<string, string> = {}) {
  const sent = { 'content-type': 'application/json', accept: 'audio/wav', ...headers };
  const response = await fetch(at(modulate.path), {
    method: 'POST',
    headers: sent,
    body: JSON.stringify(body),
  });
  return { response, wav: Buffer.from(await response.arrayBuffer()) };
}
const hear = (wav: Uint8Array, more: object = {}) =>
  post(at(demodulate.path), { recordingBase64: Buffer.from(wav).toString('base64'), ...more });
const issue = (more: object = {}) =>
  post(at(challenge.path), { deviceId: 'door-7', frequencyBand: 'audible_fsk', ...more });
const answerTo = (issued: Json, wav: Uint8Array, more: object = {}) => ({
  ...{ deviceId: 'door-7', challengeNonce: issued.challengeNonce as string },
  recordingBase64: Buffer.from(wav).toString('base64'),
  ...more,
});
const pair = (body: object, headers: Record<string, string> = {}): Promise<Answer> =>
  post(at(verifyPairing.path), body, headers);
const audioOf = (issued: Json) => Buffer.from(issued.audio as string, 'base64');

/** What sox makes of a file. */
function sox(wav: Uint8Array, to: readonly string[], effects: readonly string[] = []): Buffer {
  const [before, after] = [file('before.wav'), file('after.wav')];
  writeFileSync(before, wav);
  execFileSync('sox', ['-R', before, ...to, after, ...effects], { stdio: ['ignore', 'ignore', 'pipe'] });
  return readFileSync(after);
}

/** What each bad request is refused with: status, and the field that is named. */
const BAD: readonly [name: string, body: Json, status: number, field: string][] = [
  ['an odd number of digits', { payloadHex: '0x123' }, 400, 'payloadHex'],
  ['digits that are none', { payloadHex: '0xzz' }, 400, 'payloadHex'],
  ['an empty payload', { payloadHex: '' }, 422, 'payloadHex'],
  ['a payload of 0x alone', { payloadHex: '0x' }, 422, 'payloadHex'],
  ['a payload of 4,097 bytes', { payloadHex: '00'.repeat(4_097) }, 422, 'payloadHex'],
  ['a payload of 20,000 bytes', { payloadHex: '00'.repeat(20_000) }, 422, 'payloadHex'],
  ['no payload', {}, 400, 'payloadHex'],
  ['carrierHz 18599', { payloadHex: HELLO, carrierHz: 18_599 }, 400, 'carrierHz'],
  ['carrierHz 19501', { payloadHex: HELLO, carrierHz: 19_501 }, 400, 'carrierHz'],
  ['carrierHz "x"', { payloadHex: HELLO, carrierHz: 'x' }, 400, 'carrierHz'],
  ['a carrier of the other band', { payloadHex: HELLO, carrierHz: 18_700, ...QUICK }, 422, 'carrierHz'],
  ['60 baud', { payloadHex: HELLO, baud: 60 }, 400, 'baud'],
  ['an unknown profile', { payloadHex: HELLO, profile: 'loud' }, 400, 'profile'],
  ['an unknown field', { payloadHex: HELLO, volume: 11 }, 400, ''],
  [
    'more sound than an answer carries',
    { payloadHex: '00'.repeat(2_000), includeWav: true },
    422,
    'payloadHex',
  ],
];

/** A WAV file of one channel of 16 bits. */
function pcm(sampleRateHz: number, samples: readonly number[]): Buffer {
  const bytes = Buffer.alloc(44 + 2 * samples.length);
  bytes.write('RIFF', 0, 'latin1');
  bytes.writeUInt32LE(bytes.length - 8, 4);
  bytes.write('WAVEfmt ', 8, 'latin1');
  bytes.writeUInt32LE(16, 16);
  bytes.writeUInt16LE(1, 20);
  bytes.writeUInt16LE(1, 22);
  bytes.writeUInt32LE(sampleRateHz, 24);
  bytes.writeUInt32LE(2 * sampleRateHz, 28);
  bytes.writeUInt16LE(2, 32);
  bytes.writeUInt16LE(16, 34);
  bytes.write('data', 36, 'latin1');
  bytes.writeUInt32LE(2 * samples.length, 40);
  samples.forEach((sample, i) => bytes.writeInt16LE(sample, 44 + 2 * i));
  return bytes;
}

/** A file with another number of 16 bits in it. */
function patched(wav: Buffer, offset: number, value: number): Buffer {
  const bytes = Buffer.from(wav);
  bytes.writeUInt16LE(value, offset);
  return bytes;
}

/** @param shared what all suites of the file share */
export function describeAcousticRoutes(shared: () => PaidRoute): void {
  describe('sounds by their routes', () => {
    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), 'sounds-'));
      route = shared();
      const opened = (url: string, schema: string) =>
        new DataSource({
          type: 'postgres',
          url,
          extra: { options: `-c search_path=${schema}` },
        }).initialize();
      payments = await opened(route.databaseUrl, 'payments');
      acoustic = await opened(route.databaseUrlOf('acoustic'), 'acoustic');
    });

    afterAll(async () => {
      await acoustic?.destroy();
      await payments?.destroy();
      if (folder) rmSync(folder, { recursive: true, force: true });
    });

    beforeEach(() => useUp(0));

    describe('a packet', () => {
      it('within the quota is free, has the fields of the table and evidence that verifies', async () => {
        const { status, json } = await post(at(modulate.path), { payloadHex: HELLO });
        expect(status).toBe(200);
        expect(json).toMatchObject({
          ...{ sampleRate: 44_100, spaceHz: 18_600, markHz: 19_200, baud: 150, proves: 'commitment' },
          ...{ durationSeconds: expect.any(Number), doesNotProve: ACOUSTIC_DOES_NOT_PROVE.modulate },
        });
        expect([json.wavBase64, await used()]).toEqual([undefined, 1]);
        const { auditProof, ...result } = json;
        const request = ModulateRequest.parse({ payloadHex: HELLO });
        const check = { auditProof, result, request };
        expect((await post(at('/v1/stark/verify-proof'), check)).json).toMatchObject({ valid: true });
        const changed = { ...check, result: { ...result, sha256: '00'.repeat(32) } };
        expect((await post(at('/v1/stark/verify-proof'), changed)).json).toMatchObject({ valid: false });
      });

      it('as audio/wav is byte for byte what sha256 says, with the evidence in its headers', async () => {
        const { json } = await post(at(modulate.path), { payloadHex: HELLO, includeWav: true });
        const { response, wav } = await soundOf({ payloadHex: HELLO });
        expect([response.status, response.headers.get('content-type')]).toEqual([200, 'audio/wav']);
        expect(sha256(wav)).toBe(json.sha256);
        expect(wav.equals(Buffer.from(json.wavBase64 as string, 'base64'))).toBe(true);
        const result = JSON.parse(response.headers.get('svc-answer')!) as Json;
        const auditProof = JSON.parse(response.headers.get('svc-audit-proof')!) as Json;
        const check = { auditProof, result, request: ModulateRequest.parse({ payloadHex: HELLO }) };
        expect((await post(at('/v1/stark/verify-proof'), check)).json).toMatchObject({ valid: true });
        // What node and most proxies let through.
        const bytes = [...response.headers].reduce(
          (sum, [name, value]) => sum + name.length + value.length + 4,
          0,
        );
        expect(bytes).toBeLessThan(12_000);
      });

      it('over the quota is sold, and its sound is given again for the same payment', async () => {
        await useUp(LIMIT);
        const asked = await soundOf({ payloadHex: HELLO });
        expect([asked.response.status, JSON.parse(asked.wav.toString()).code]).toEqual([
          402,
          'PAYMENT_REQUIRED',
        ]);
        const authorization = await paidL402(route.address, modulate.path);
        const first = await soundOf({ payloadHex: HELLO }, { authorization });
        expect([first.response.status, first.response.headers.get('payment-receipt')]).toEqual([
          200,
          expect.any(String),
        ]);
        const again = await soundOf({ payloadHex: HELLO }, { authorization });
        expect(again.wav.equals(first.wav)).toBe(true);
        expect(again.response.headers.get('svc-audit-proof')).toBe(
          first.response.headers.get('svc-audit-proof'),
        );
        const asJson = await post(at(modulate.path), { payloadHex: HELLO }, { authorization });
        expect([asJson.status, asJson.json.sha256]).toEqual([200, sha256(first.wav)]);
        // One receipt, of the JSON, which names the sound.
        const receipt = first.response.headers.get('svc-receipt')!;
        expect(asJson.headers.get('svc-receipt')).toBe(receipt);
        const { responseHash } = JSON.parse(Buffer.from(receipt.split('.')[1], 'base64url').toString());
        expect(responseHash).toBe(`0x${sha256(Buffer.from(asJson.text))}`);
      });

      it.each([
        ['the ultrasonic band', {}],
        ['the audible band, 300 baud', QUICK],
        ['the highest carrier', { carrierHz: 19_500 }],
        ['the robust profile', { profile: 'robust', baud: 300 }],
        ['the asynchronous line code', { lineCode: 'async8n1', baud: 300 }],
      ])('of %s is heard again as what it was', async (_of, options) => {
        const payloadHex = '0x00ff48656c6c6f7e55';
        const { response, wav } = await soundOf({ payloadHex, ...options });
        expect(response.status).toBe(200);
        const { status, json } = await hear(wav, options);
        expect([status, json.decoded, json.payloadHex]).toEqual([
          200,
          true,
          expect.stringMatching(/^(0x)?00ff48656c6c6f7e55$/),
        ]);
        expect(json.proves).toBe('commitment');
      });
    });

    describe('bad input of a packet', () => {
      it.each(BAD)('%s is refused with its field, and costs nothing', async (_name, body, status, field) => {
        const before = await claims();
        for (const accept of ['application/json', 'audio/wav']) {
          const answer = await post(at(modulate.path), body, { accept });
          const [fault] = (answer.json.errors ?? []) as Json[];
          expect([answer.status, fault?.path]).toEqual([status, expect.stringContaining(field)]);
        }
        expect([await used(), await claims()]).toEqual([0, before]);
      });

      it('a packet of minutes has a digest and a length, and no sound: the refusal names both', async () => {
        const long = { payloadHex: '5a'.repeat(2_000) };
        const { status, json } = await post(at(modulate.path), long);
        expect([status, (json.durationSeconds as number) > SOUND_SECONDS_MAX]).toEqual([200, true]);
        const { response, wav } = await soundOf(long);
        expect([response.status, (JSON.parse(wav.toString()) as Json).errors]).toEqual([
          422,
          [expect.objectContaining({ bound: expect.stringContaining(String(SOUND_SECONDS_MAX)) })],
        ]);
      });
    });

    describe('a recording', () => {
      let packet: Buffer;
      beforeAll(async () => {
        await useUp(0);
        packet = (await soundOf({ payloadHex: HELLO, ...QUICK })).wav;
      });

      it('of nothing, of silence and of full-scale noise is an answer: nothing was found, and why', async () => {
        for (const sample of [() => 0, (i: number) => (Math.floor(i / 7) % 2 === 0 ? 32_767 : -32_768)]) {
          const { status, json } = await hear(
            pcm(
              44_100,
              Array.from({ length: 44_100 }, (_, i) => sample(i)),
            ),
            QUICK,
          );
          expect([status, json.decoded, json.reason]).toEqual([200, false, expect.any(String)]);
          expect(json.auditProof).toBeDefined();
        }
      });

      it.each([
        ['that is cut off in its header', (wav: Buffer) => wav.subarray(0, 20)],
        ['that says it is longer than it is', (wav: Buffer) => wav.subarray(0, wav.length - 1_001)],
        ['that is no WAV', () => Buffer.from('%PDF-1.7 and so on, for a while and more')],
        ['that is a compressed one', (wav: Buffer) => patched(wav, 20, 85)],
        ['of 0 channels', (wav: Buffer) => patched(wav, 22, 0)],
        ['of 3 channels', (wav: Buffer) => patched(wav, 22, 3)],
        ['of 12 bits', (wav: Buffer) => patched(wav, 34, 12)],
        ['of a rate of 4 kHz', () => pcm(4_000, Array(4_000).fill(1))],
        ['of two minutes', () => pcm(8_000, Array(960_001).fill(1))],
      ])('%s is 422 and names the field, uncounted', async (_what, change) => {
        const { status, json } = await hear(change(packet), QUICK);
        expect([status, (json.errors as Json[] | undefined)?.[0]?.path]).toEqual([422, 'recordingBase64']);
        expect(await used()).toBe(0);
      });

      it('whose rate is below 2.2 times the mark is 422, and says what it would take', async () => {
        const { status, json } = await hear(pcm(32_000, Array(32_000).fill(0)));
        expect([status, (json.errors as Json[])[0]]).toEqual([
          422,
          expect.objectContaining({ path: 'recordingBase64', bound: expect.stringMatching(/4224\d|42240/) }),
        ]);
      });

      it('of an hour is 413 before it is read', async () => {
        const hour = Buffer.alloc(10_000_000, 65);
        const { status, json } = await post(at(demodulate.path), { recordingBase64: hour.toString() });
        expect([status, (json.errors as Json[])[0].bound]).toEqual([413, 8_388_608]);
      });

      it('that is no base64 is 400', async () => {
        const { status, json } = await post(at(demodulate.path), { recordingBase64: 'not base64!' });
        expect([status, (json.errors as Json[])[0].path]).toEqual([400, 'recordingBase64']);
      });

      it('is decoded with a carrier of its own band alone', async () => {
        const { status, json } = await hear(packet, { ...QUICK, carrierHz: 18_700 });
        expect([status, (json.errors as Json[])[0].path]).toEqual([422, 'carrierHz']);
      });

      if (!hasSox) it('needs sox', () => console.log('SKIPPED: sox is not installed'));
      else {
        it.each([
          ['48 kHz, 24 bits', ['-r', '48000', '-b', '24'], []],
          ['96 kHz, float', ['-r', '96000', '-b', '32', '-e', 'floating-point'], []],
          ['two channels', ['-c', '2'], []],
          ['8 kHz', ['-r', '8000'], []],
          ['clipped', [], ['gain', '30']],
          ['quiet', [], ['gain', '-30']],
          ['slow by 200 ppm', ['-r', '44100'], ['speed', '0.9998']],
          ['in the middle of silence', [], ['pad', '1', '2']],
        ])('that sox has made of it is heard: %s', async (_name, to, effects) => {
          const { status, json } = await hear(sox(packet, to, effects), QUICK);
          expect([status, json.decoded, json.payloadHex]).toEqual([
            200,
            true,
            expect.stringContaining('48656c6c6f'),
          ]);
        });

        it('is a file that soxi reads, of what the answer says', () => {
          writeFileSync(file('packet.wav'), packet);
          const told = execFileSync('soxi', [file('packet.wav')]).toString();
          expect(told).toMatch(/Channels\s+: 1\n/);
          expect(told).toMatch(/Sample Rate\s+: 44100\n/);
          expect(told).toMatch(/Precision\s+: 16-bit\n/);
        });

        it('with noise mixed in by sox is heard, and its quality says so', async () => {
          writeFileSync(file('clean.wav'), packet);
          const seconds = (packet.length - 44) / 88_200;
          const noise = [
            '-n',
            '-r',
            '44100',
            '-b',
            '16',
            file('noise.wav'),
            'synth',
            String(seconds),
            'whitenoise',
          ];
          execFileSync('sox', ['-R', ...noise, 'gain', '-26']);
          execFileSync('sox', ['-R', '-m', file('clean.wav'), file('noise.wav'), file('noisy.wav')]);
          const [clean, noisy] = [
            await hear(packet, QUICK),
            await hear(readFileSync(file('noisy.wav')), QUICK),
          ];
          expect([noisy.json.decoded, noisy.json.payloadHex]).toEqual([true, clean.json.payloadHex]);
          expect((noisy.json.quality as Json).esN0Db).toBeLessThan((clean.json.quality as Json).esN0Db);
        });
      }
    });

    describe('a pairing', () => {
      it('from challenge to token: the keys that are published verify it, and its evidence holds', async () => {
        const issued = (await issue()).json;
        expect(issued).toMatchObject({ assurance: 'recording_submitted', proves: 'commitment' });
        const wav = hasSox ? sox(audioOf(issued), ['-r', '48000'], ['gain', '-6']) : audioOf(issued);
        const body = answerTo(issued, wav);
        const { status, json } = await pair(body);
        expect([status, json.assurance, json.doesNotProve]).toEqual([
          200,
          'recording_submitted',
          ACOUSTIC_DOES_NOT_PROVE.pairing,
        ]);
        const { keys } = (await (await fetch(at(pairingKeys.path))).json()) as Json;
        const { challengeNonce } = body;
        const meant = { pairingToken: json.pairingToken as string, keys, deviceId: 'door-7', challengeNonce };
        expect((await checkPairing(meant)).code).toBe('VALID');
        expect((await checkPairing({ ...meant, at: new Date((json.validUntil as number) + 1) })).code).toBe(
          'EXPIRED',
        );
        const { auditProof, ...result } = json;
        const { recordingBase64: _wav, ...claimed } = VerifyPairingRequest.parse(body);
        const request = { ...claimed, recordingSha256: `0x${sha256(wav)}` };
        const verdict = await post(at('/v1/stark/verify-proof'), { auditProof, result, request });
        expect(verdict.json).toMatchObject({ valid: true });
      });

      it('uses its nonce once: a second one is 409, and is not counted', async () => {
        const issued = (await issue()).json;
        expect((await pair(answerTo(issued, audioOf(issued)))).status).toBe(200);
        await useUp(0);
        const { status, json } = await pair(answerTo(issued, audioOf(issued)));
        expect([status, json.code, await used()]).toEqual([409, 'CONFLICT', 0]);
      });

      it('under its Idempotency-Key is told again, and no other one under that key', async () => {
        const issued = (await issue()).json;
        const headers = { 'idempotency-key': randomUUID() };
        const first = await pair(answerTo(issued, audioOf(issued)), headers);
        const again = await pair(answerTo(issued, audioOf(issued)), headers);
        expect([again.status, again.json.pairingToken]).toEqual([200, first.json.pairingToken]);
        const other = { 'idempotency-key': randomUUID() };
        expect((await pair(answerTo(issued, audioOf(issued)), other)).status).toBe(409);
      });

      it('that was paid is told again for the same payment, though its nonce is used', async () => {
        const issued = (await issue()).json;
        await useUp(LIMIT);
        const body = answerTo(issued, audioOf(issued));
        const authorization = await paidL402(route.address, verifyPairing.path);
        const first = await pair(body, { authorization });
        expect(first.status).toBe(200);
        expect((await pair(body, { authorization })).text).toBe(first.text);
      });

      it('of another device, of an unknown nonce and after its time are refused, uncounted', async () => {
        const issued = (await issue()).json;
        await useUp(0);
        const wav = audioOf(issued);
        expect((await pair(answerTo(issued, wav, { deviceId: 'door-8' }))).status).toBe(404);
        expect((await pair(answerTo(issued, wav, { challengeNonce: 'cd'.repeat(16) }))).status).toBe(404);
        expect((await pair(answerTo(issued, wav, { challengeNonce: 'cd'.repeat(15) }))).status).toBe(400);
        await acoustic.query(
          `UPDATE pairing_challenge SET issued_at = issued_at - interval '1 hour', expires_at = expires_at - interval '1 hour'`,
        );
        const late = await pair(answerTo(issued, wav));
        expect([late.status, late.json.code, await used()]).toEqual([410, 'EXPIRED', 0]);
      });

      it('by a recording without the challenge, or with another’s, is 422 with the reason, and the nonce stays good', async () => {
        const [issued, other] = [(await issue()).json, (await issue()).json];
        const silence = pcm(44_100, Array(44_100).fill(0));
        for (const wav of [silence, audioOf(other)]) {
          const { status, json } = await pair(answerTo(issued, wav));
          expect([status, json.detail]).toEqual([422, expect.any(String)]);
        }
        expect((await pair(answerTo(issued, audioOf(issued)))).status).toBe(200);
      });
    });

    describe('an emitter', () => {
      it('alone gets the sound of its challenge, once, and the token says so', async () => {
        const key = { 'x-svc-key': await newKey() };
        const enrolled = (await post(at(beacons.path), { name: 'lobby' }, key)).json as Json;
        const issued = (await issue({ beaconKey: enrolled.beaconKey })).json;
        expect([issued.audio, issued.assurance]).toEqual([undefined, 'beacon']);
        const sound = (secret: string, waitMs = 0) =>
          fetch(at(`${beacons.path}/${enrolled.beaconKey as string}/sound?waitMs=${waitMs}`), {
            headers: { authorization: `Bearer ${secret}` },
          });
        expect((await sound('wrong')).status).toBe(401);
        const given = await sound(enrolled.emitterSecret as string, 2_000);
        expect([given.status, given.headers.get('content-type')]).toEqual([200, 'audio/wav']);
        const wav = Buffer.from(await given.arrayBuffer());
        expect((await sound(enrolled.emitterSecret as string)).status).toBe(204);
        const paired = await pair(answerTo(issued, wav));
        expect([paired.status, paired.json.assurance]).toEqual([200, 'beacon']);
        const listed = (await (await fetch(at(beacons.path), { headers: key })).json()) as Json;
        expect(listed.beacons).toEqual([expect.objectContaining({ name: 'lobby' })]);
        expect(JSON.stringify(listed)).not.toContain(enrolled.emitterSecret);
        const path = at(`${beacons.path}/${enrolled.beaconKey as string}`);
        const stranger = { 'x-svc-key': await newKey() };
        expect((await fetch(path, { method: 'DELETE', headers: stranger })).status).toBe(404);
        expect((await fetch(path, { method: 'DELETE', headers: key })).status).toBe(204);
        expect((await issue({ beaconKey: enrolled.beaconKey })).status).toBe(404);
      });

      it('that waits has the sound as soon as there is one', async () => {
        const key = { 'x-svc-key': await newKey() };
        const { beaconKey, emitterSecret } = (await post(at(beacons.path), { name: 'hall' }, key))
          .json as Json;
        const asked = jest.spyOn(TopicNews.prototype, 'expect');
        const waiting = fetch(at(`${beacons.path}/${beaconKey as string}/sound?waitMs=15000`), {
          headers: { authorization: `Bearer ${emitterSecret as string}` },
        });
        while (!asked.mock.calls.some(([topic]) => topic === beaconKey)) await delay(5);
        asked.mockRestore();
        const { status } = await issue({ beaconKey });
        expect([status, (await waiting).status]).toEqual([200, 200]);
      });
    });

    describe('whatever is sent', () => {
      it('no acoustic route answers 500', async () => {
        const pool: unknown[] = [
          ...[
            null,
            true,
            0,
            -1,
            1.5,
            '',
            'x',
            [],
            {},
            'audible_fsk',
            'robust',
            'async8n1',
            300,
            18_700,
            HELLO,
          ],
          ...['UklGRg==', '\u0000', `0x${'ab'.repeat(16)}`, `bcn_${'a'.repeat(22)}`, 19_500, 50],
        ];
        let state = 20_261_122;
        const random = (n: number) => {
          state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
          return Math.floor((state / 2 ** 32) * n);
        };
        const recordingBase64 = pcm(44_100, Array(4_410).fill(7)).toString('base64');
        const bases: readonly [string, Json][] = [
          [modulate.path, { payloadHex: HELLO, ...QUICK }],
          [demodulate.path, { recordingBase64, ...QUICK }],
          [challenge.path, { deviceId: 'd', frequencyBand: 'audible_fsk' }],
          [verifyPairing.path, { deviceId: 'd', challengeNonce: 'ab'.repeat(16), recordingBase64 }],
        ];
        const turns = byTier(40, 2_000);
        for (let turn = 0; turn < turns; turn++) {
          const [path, base] = bases[turn % bases.length];
          const body: Json = structuredClone(base);
          const names = [
            ...Object.keys(body),
            'carrierHz',
            'baud',
            'profile',
            'lineCode',
            'includeWav',
            'beaconKey',
          ];
          for (let k = 0; k <= random(3); k++) {
            const name = names[random(names.length)];
            if (random(4) === 0) delete body[name];
            else body[name] = pool[random(pool.length)];
          }
          // Of many addresses: one of them would fill its minute of free work, and 429 shows nothing of the route.
          const from = { 'x-forwarded-for': `203.0.113.${Math.floor(turn / 100)}` };
          const { status, text } = await post(at(path), body, from);
          const answered = status < 500 && status !== 429 ? 'answered' : text;
          expect([JSON.stringify(body), answered]).toEqual([JSON.stringify(body), 'answered']);
        }
      });
    });
  });
}
