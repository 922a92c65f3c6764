import 'reflect-metadata';
import { jest } from '@jest/globals';
import { acousticContract, type AcousticChallengeReply, type RequestOf } from '@svc/contracts';
import { problemOf } from '@svc/platform';
import { checkPairingToken } from '@svc/protocols';
import { createHash, createPublicKey, generateKeyPairSync, type KeyObject, sign, verify } from 'node:crypto';
import { DataSource } from 'typeorm';
import { PairingChallenges, type StoredPairing } from '../src/pairing/pairing-challenges.js';
import { PairingService } from '../src/pairing/pairing.service.js';
import {
  ACOUSTIC_SECRETS,
  type AcousticOnBus,
  recordedAgain,
  startAcousticOnBus,
} from './acoustic-on-bus.js';

const { admitChallenge, challenge, admitPairing, verifyPairing, pairingKeys, modulate } = acousticContract;
const keyOf = (name: string) => createHash('sha256').update(name).digest('hex');
const nonceHashOf = ({ challengeNonce }: AcousticChallengeReply) =>
  createHash('sha256')
    .update(Buffer.from(challengeNonce.slice(2), 'hex'))
    .digest();

const shown = (value: unknown) => (Buffer.isBuffer(value) ? value.toString('hex') : value);

const verifyEd25519 = (key: Uint8Array, message: Uint8Array, signature: Uint8Array) => {
  const x = Buffer.from(key).toString('base64url');
  const publicKey = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  return verify(null, message, publicKey, signature);
};

/** A device's key as a challenge takes it, and its signature over a nonce. */
function deviceKey() {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const { x } = publicKey.export({ format: 'jwk' });
  const confirmed = ({ challengeNonce }: AcousticChallengeReply, key: KeyObject = privateKey) =>
    sign(
      null,
      Buffer.concat([
        Buffer.from('svc/pairing-confirmation/v1\0'),
        Buffer.from(challengeNonce.slice(2), 'hex'),
      ]),
      key,
    ).toString('hex');
  return { confirmationKey: Buffer.from(x!, 'base64url').toString('hex'), x, confirmed };
}

/** @param callsAtOnce calls that answer one challenge together */
export function describePairing(callsAtOnce: number): void {
  describe('pairing', () => {
    let acoustic: AcousticOnBus;

    beforeAll(async () => {
      acoustic = await startAcousticOnBus(2);
    });
    afterAll(() => acoustic?.close());

    const issue = (request: RequestOf<typeof challenge> = { deviceId: 'door-7' }) =>
      acoustic.client.call(challenge, { frequencyBand: 'audible_fsk', ...request });
    const soundOf = ({ audio }: AcousticChallengeReply) => Uint8Array.from(Buffer.from(audio!, 'base64'));
    const answerOf = (
      issued: AcousticChallengeReply,
      more: Partial<RequestOf<typeof verifyPairing>> = {},
    ) => ({
      ...{ deviceId: 'door-7', challengeNonce: issued.challengeNonce, recording: soundOf(issued) },
      ...more,
    });
    const pair = (call: RequestOf<typeof verifyPairing>) => acoustic.client.call(verifyPairing, call);
    /** A sound that is no challenge of the service's. */
    const foreignSound = async () => {
      const payloadHex = '0x000102030405060708090a0b0c0d0e0f';
      const request = { payloadHex, frequencyBand: 'audible_fsk', profile: 'robust' } as const;
      const { wav } = await acoustic.client.call(modulate, { request, withWav: true });
      return wav!;
    };
    const expire = (issued: AcousticChallengeReply) =>
      acoustic.database.query(
        `UPDATE pairing_challenge SET issued_at = issued_at - interval '1 hour', expires_at = expires_at - interval '1 hour'
        WHERE nonce_hash = $1`,
        [nonceHashOf(issued)],
      );

    it('gives a token that the published keys verify, for a recording of the challenge', async () => {
      const issued = await issue();
      expect(issued).toMatchObject({
        ...{ challengeNonce: expect.stringMatching(/^0x[0-9a-f]{32}$/), assurance: 'recording_submitted' },
        keyId: expect.stringMatching(/^[A-Za-z0-9_-]{12}$/),
      });
      const leftMs = Date.parse(issued.expiresAt) - Date.now();
      expect(leftMs).toBeGreaterThan(20_000);
      expect(leftMs).toBeLessThanOrEqual(31_000);
      const call = answerOf(issued, { recording: recordedAgain(soundOf(issued)) });
      // Six seconds of sound, made and sent, or heard.
      const { workUnits: ofChallenge } = await acoustic.client.call(admitChallenge, { deviceId: 'door-7' });
      expect(ofChallenge).toBeCloseTo(6.2 * 3.4, 0);
      const { workUnits: ofPairing } = await acoustic.client.call(admitPairing, call);
      expect(ofPairing).toBeGreaterThan(6 * 5);
      const paired = await pair(call);
      expect(paired).toMatchObject({
        assurance: 'recording_submitted',
        secdedSyndrome: 0,
        doubleErrorWords: 0,
      });
      expect(paired.berNoiseFloorDb).toBeLessThan(-20);
      const { keys } = await acoustic.client.call(pairingKeys, {});
      const checked = await checkPairingToken(paired.pairingToken, keys, Date.now(), verifyEd25519);
      expect(checked).toMatchObject({
        code: 'VALID',
        pairing: {
          ...{ deviceId: 'door-7', nonceHash: nonceHashOf(issued).toString('hex'), band: 'audible_fsk' },
          ...{ assurance: 'recording_submitted', berNoiseFloorDb: paired.berNoiseFloorDb },
        },
      });
      if (checked.code !== 'VALID') throw new Error(checked.code);
      expect(paired.validUntil).toBe(checked.pairing.exp * 1_000);
      expect(checked.pairing.exp - checked.pairing.iat).toBe(300);
      expect(checked.pairing).not.toHaveProperty('cnf');
    });

    it('of a key gives a token that names it, for its signature over the nonce and no other', async () => {
      const [device, other] = [deviceKey(), deviceKey()];
      const { confirmationKey } = device;
      const issued = await issue({ deviceId: 'door-7', confirmationKey: `0x${confirmationKey}` });
      const another = await issue({ deviceId: 'door-7', confirmationKey });
      const call = answerOf(issued);
      for (const confirmationSignature of [
        undefined,
        other.confirmed(issued),
        device.confirmed(another),
        '00'.repeat(64),
      ]) {
        for (const procedure of [admitPairing, verifyPairing]) {
          await expect(
            acoustic.client.call(procedure, { ...call, confirmationSignature }),
          ).rejects.toMatchObject({
            code: 'UNPROCESSABLE',
            payload: { errors: [{ path: 'confirmationSignature' }] },
          });
        }
      }
      const confirmed = {
        ...{ ...call, confirmationSignature: device.confirmed(issued), idemKey: keyOf('cnf') },
      };
      const paired = await pair(confirmed);
      const { keys } = await acoustic.client.call(pairingKeys, {});
      expect(await checkPairingToken(paired.pairingToken, keys, Date.now(), verifyEd25519)).toMatchObject({
        ...{ code: 'VALID', pairing: { cnf: { jwk: { crv: 'Ed25519', kty: 'OKP', x: device.x } } } },
      });
      expect(await pair(confirmed)).toEqual(paired);
      const { confirmationSignature: _, ...unsigned } = confirmed;
      await expect(pair(unsigned)).rejects.toMatchObject({ code: 'UNPROCESSABLE' });
    });

    it('takes no key that anybody can sign for, and no signature where there is no key', async () => {
      // The point (0, 1) is of order one: R = (0, 1), S = 0 is its signature of every message.
      const neutral = `01${'00'.repeat(31)}`;
      for (const procedure of [admitChallenge, challenge]) {
        for (const confirmationKey of [neutral, '00'.repeat(32), 'ff'.repeat(32)]) {
          await expect(
            acoustic.client.call(procedure, { deviceId: 'door-7', confirmationKey }),
          ).rejects.toMatchObject({
            code: 'UNPROCESSABLE',
            payload: { errors: [{ path: 'confirmationKey' }] },
          });
        }
      }
      const confirmationSignature = deviceKey().confirmed(await issue());
      await expect(pair(answerOf(await issue(), { confirmationSignature }))).rejects.toMatchObject({
        code: 'UNPROCESSABLE',
        payload: { errors: [{ path: 'confirmationSignature' }] },
      });
    });

    it('in ultrasound is as in the audible band', async () => {
      const issued = await issue({ deviceId: 'door-7', frequencyBand: 'ultrasonic_19khz' });
      const call = answerOf(issued, { recording: recordedAgain(soundOf(issued), { noise: 0.01 }) });
      await expect(pair(call)).resolves.toMatchObject({ assurance: 'recording_submitted' });
    });

    it('uses a nonce once: the same recording again, and another, are refused', async () => {
      const issued = await issue();
      await pair(answerOf(issued));
      for (const recording of [soundOf(issued), recordedAgain(soundOf(issued))]) {
        const { payload } = await problemOf(pair(answerOf(issued, { recording })));
        expect(payload).toMatchObject({ code: 'CONFLICT', extensions: { reason: 'NONCE_USED' } });
      }
    });

    it('gives one of many calls at once a token, and refuses the others, at every replica', async () => {
      const issued = await issue();
      const calls = Array.from({ length: callsAtOnce }, (_, i) =>
        pair(answerOf(issued, { recording: recordedAgain(soundOf(issued), { seed: i + 1 }) })).then(
          () => 'paired',
          (error: { code: string }) => error.code,
        ),
      );
      const outcomes = (await Promise.all(calls)).toSorted();
      expect(outcomes).toEqual([...Array.from({ length: callsAtOnce - 1 }, () => 'CONFLICT'), 'paired']);
    });

    it('a call that is too late asks for no connection beside that of its transaction', async () => {
      const issued = await issue();
      await pair(answerOf(issued));
      const oneConnection = await new DataSource({
        ...{ type: 'postgres', url: acoustic.postgres.migrationUrlFor('acoustic'), schema: 'acoustic' },
        ...{ poolSize: 1, extra: { options: '-c search_path=acoustic', connectionTimeoutMillis: 1_000 } },
      }).initialize();
      try {
        const challenges = new PairingChallenges(oneConnection);
        const service = new PairingService(oneConnection, challenges, undefined as never, undefined as never);
        const challenge = (await challenges.find(nonceHashOf(issued), 'door-7'))!;
        const late = { challenge, by: { recordingDigest: Buffer.alloc(32), callKey: null } };
        const settled = oneConnection.transaction(manager =>
          service.settle(manager, { pairing: challenge.use!.pairing, use: late }),
        );
        await expect(settled).rejects.toMatchObject({ code: 'CONFLICT' });
      } finally {
        await oneConnection.destroy();
      }
    });

    it('gives the same call its token again, and no other one under its key', async () => {
      const issued = await issue();
      const call = answerOf(issued, { idemKey: keyOf('a call') });
      const [first, second] = await Promise.all([pair(call), pair(call)]);
      expect(second).toEqual(first);
      expect(await pair(call)).toEqual(first);
      const changed = { ...call, recording: recordedAgain(call.recording) };
      await expect(pair(changed)).rejects.toMatchObject({ code: 'CONFLICT' });
      await expect(pair({ ...call, idemKey: keyOf('another') })).rejects.toMatchObject({ code: 'CONFLICT' });
      // Whoever paid for it is let through to the answer that was kept.
      await expect(acoustic.client.call(admitPairing, answerOf(issued))).resolves.toEqual({ workUnits: 0 });
      await expect(acoustic.client.call(admitPairing, changed)).rejects.toMatchObject({ code: 'CONFLICT' });
      await acoustic.database.query(
        `UPDATE pairing_challenge SET token_until = now() WHERE nonce_hash = $1`,
        [nonceHashOf(issued)],
      );
      await expect(pair(call)).rejects.toMatchObject({ code: 'CONFLICT' });
    });

    it('gives the same call its token also where a copy of it has used the nonce since the challenge was found', async () => {
      const issued = await issue();
      const call = { ...answerOf(issued), idemKey: keyOf('a copy') };
      const unused = (await new PairingChallenges(acoustic.database).find(nonceHashOf(issued), 'door-7'))!;
      const first = await pair(call);
      const serviceThatFoundItUnused = () => {
        const challenges = new PairingChallenges(acoustic.database);
        jest.spyOn(challenges, 'find').mockResolvedValueOnce(unused);
        return new PairingService(acoustic.database, challenges, undefined as never, undefined as never);
      };
      const heard = await serviceThatFoundItUnused().hear(call);
      expect(heard).toEqual({ pairing: expect.objectContaining({ snrDb: first.snrDb }) });
      await expect(serviceThatFoundItUnused().admit(call)).resolves.toEqual({ workUnits: 0 });
      const another = { ...call, idemKey: keyOf('no copy') };
      await expect(serviceThatFoundItUnused().hear(another)).rejects.toMatchObject({ code: 'CONFLICT' });
    });

    it('answers alike for a nonce that is unknown and one of another device, and leaves it to its own', async () => {
      const issued = await issue();
      const other = await problemOf(pair(answerOf(issued, { deviceId: 'door-8' })));
      const unknown = await problemOf(pair(answerOf(issued, { challengeNonce: `0x${'00'.repeat(16)}` })));
      expect(other.payload).toEqual(unknown.payload);
      expect(other.code).toBe('NOT_FOUND');
      await expect(pair(answerOf(issued))).resolves.toBeDefined();
    });

    it('refuses what comes after its time', async () => {
      const issued = await issue();
      await expire(issued);
      for (const procedure of [admitPairing, verifyPairing]) {
        await expect(acoustic.client.call(procedure, answerOf(issued))).rejects.toMatchObject({
          code: 'EXPIRED',
        });
      }
    });

    it('uses no nonce that expired while its recording was heard', async () => {
      const store = new PairingChallenges(acoustic.database);
      const { manager } = acoustic.database;
      const claims = { exp: Math.floor(Date.now() / 1_000) + 300 } as StoredPairing['claims'];
      const pairing = { claims } as StoredPairing;
      const [late, early] = [await issue(), await issue()];
      for (const issued of [late, early]) {
        const found = (await store.find(nonceHashOf(issued), 'door-7'))!;
        expect(found.isExpired).toBe(false);
        if (issued === late) await expire(late);
        const use = { recordingDigest: Buffer.alloc(32, 1), callKey: null };
        expect(await store.use(manager, found, use, pairing)).toBe(issued === early);
        expect(await store.use(manager, found, use, pairing)).toBe(false);
        expect((await store.find(nonceHashOf(issued), 'door-7'))!.use !== undefined).toBe(issued === early);
      }
    });

    it('says why a recording does not answer, and uses nothing up', async () => {
      const issued = await issue();
      const strange = await issue({ deviceId: 'door-8' });
      const reasons: [Uint8Array, string][] = [
        [await foreignSound(), 'OTHER_CHALLENGE'],
        [soundOf(strange), 'OTHER_CHALLENGE'],
        [recordedAgain(soundOf(issued), { gain: 0 }), 'NO_SYNC'],
        [soundOf(issued).slice(0, 44), 'NO_SYNC'],
      ];
      for (const [recording, reason] of reasons) {
        const { payload } = await problemOf(pair(answerOf(issued, { recording })));
        expect(payload).toMatchObject({ code: 'UNPROCESSABLE', errors: [{ path: 'recordingBase64' }] });
        if (payload.extensions?.reason) expect(payload.extensions.reason).toBe(reason);
        else expect(payload.extensions).toMatchObject({ recordingFault: 'TRUNCATED' });
      }
      await expect(pair(answerOf(issued))).resolves.toBeDefined();
    });

    it('believes no sound that begins with the nonce and was made without the key', async () => {
      const issued = await issue();
      const payloadHex = `${issued.challengeNonce.slice(0, 18)}${'5a'.repeat(8)}`;
      const request = { payloadHex, frequencyBand: 'audible_fsk', profile: 'robust' } as const;
      const { wav: forged } = await acoustic.client.call(modulate, { request, withWav: true });
      const { payload } = await problemOf(pair(answerOf(issued, { recording: forged! })));
      expect(payload).toMatchObject({ code: 'UNPROCESSABLE', extensions: { reason: 'WRONG_MAC' } });
      await expect(pair(answerOf(issued))).resolves.toBeDefined();
    });

    it('holds sixteen recordings against a nonce and no more, however many come at once', async () => {
      const issued = await issue();
      const forged = await foreignSound();
      const tries = Array.from({ length: 24 }, () =>
        problemOf(pair(answerOf(issued, { recording: forged }))).then(
          ({ payload }) => (payload.extensions?.reason as string | undefined) ?? payload.code,
        ),
      );
      const reasons = await Promise.all(tries);
      expect(reasons.filter(reason => reason === 'OTHER_CHALLENGE')).toHaveLength(16);
      expect(reasons.filter(reason => reason === 'TRIES_EXHAUSTED')).toHaveLength(8);
      const { payload } = await problemOf(pair(answerOf(issued)));
      expect(payload).toMatchObject({ code: 'CONFLICT', extensions: { reason: 'TRIES_EXHAUSTED' } });
    });

    it('takes no try of a recording that answers', async () => {
      const issued = await issue();
      for (let i = 0; i < 20; i++) await acoustic.client.call(admitPairing, answerOf(issued));
      await expect(pair(answerOf(issued))).resolves.toBeDefined();
    });

    it('keeps neither the nonce nor what the sound carries', async () => {
      const issued = await issue();
      const rows = await acoustic.database.query(`SELECT * FROM pairing_challenge WHERE nonce_hash = $1`, [
        nonceHashOf(issued),
      ]);
      const text = JSON.stringify(rows.map((row: Record<string, unknown>) => Object.values(row).map(shown)));
      expect(rows).toHaveLength(1);
      expect(text).not.toContain(issued.challengeNonce.slice(2));
      expect(text).not.toContain(issued.challengeNonce.slice(2, 18));
    });

    it('of before a restart and a rotation of secrets are still answered', async () => {
      const issued = await issue();
      await Promise.all(acoustic.services.splice(0).map(service => service.close()));
      const rotated = {
        ACOUSTIC_SECRET: `newer-acoustic-secret-of-the-tests-of-32,${ACOUSTIC_SECRETS.ACOUSTIC_SECRET}`,
        PAIRING_SIGNING_SEEDS: `newer-pairing-seed-of-the-tests-of-32:2026-01-01,${ACOUSTIC_SECRETS.PAIRING_SIGNING_SEEDS}`,
      };
      await acoustic.start({ secrets: rotated });
      await expect(pair(answerOf(issued))).resolves.toBeDefined();
      const next = await issue();
      expect(next.keyId).not.toBe(issued.keyId);
      const { keys } = await acoustic.client.call(pairingKeys, {});
      expect(keys).toHaveLength(2);
      await Promise.all(acoustic.services.splice(0).map(service => service.close()));
      await acoustic.start({
        secrets: { ...rotated, ACOUSTIC_SECRET: 'quite-another-acoustic-secret-of-32-chars' },
      });
      const { payload } = await problemOf(pair(answerOf(next)));
      expect(payload).toMatchObject({ code: 'UNPROCESSABLE', extensions: { reason: 'WRONG_MAC' } });
    });
  });
}
