import 'reflect-metadata';
import { jest } from '@jest/globals';
import { acousticContract, type EnrolledBeacon, type KeyHolder } from '@svc/contracts';
import { problemOf, TopicNews } from '@svc/platform';
import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type AcousticOnBus, recordedAgain, startAcousticOnBus } from './acoustic-on-bus.js';

const { enrolBeacon, beacons, removeBeacon, beaconSound, challenge, admitChallenge, verifyPairing } =
  acousticContract;

const holderOf = (letter: string): KeyHolder => ({
  ...{ accountId: `acct_${letter.repeat(20)}`, keyId: letter.repeat(16) },
  ...{ plan: 'developer', scopes: [] },
});
const [OWNER, OTHER] = [holderOf('a'), holderOf('b')];
const BAND = { frequencyBand: 'audible_fsk' } as const;
const DAY_MS = 86_400_000;
const UNKNOWN_KEY = `bcn_${'A'.repeat(22)}`;

describe('emitters of challenges', () => {
  let acoustic: AcousticOnBus;

  beforeAll(async () => {
    acoustic = await startAcousticOnBus(2);
  });
  afterEach(() => jest.restoreAllMocks());
  afterAll(() => acoustic?.close());

  const enrol = (name = 'lobby', by = OWNER) => acoustic.client.call(enrolBeacon, { by, name });
  const issue = ({ beaconKey }: Pick<EnrolledBeacon, 'beaconKey'>, deviceId = 'door-7') =>
    acoustic.client.call(challenge, { deviceId, beaconKey, ...BAND });
  const fetchSound = ({ beaconKey, emitterSecret }: EnrolledBeacon, waitMs = 0) =>
    acoustic.client.call(beaconSound, { beaconKey, emitterSecret, waitMs });

  /** Questions for the sounds of an emitter, from now on: what resolves once so many have found none and wait, and where the last does. */
  function questionsOf({ beaconKey }: EnrolledBeacon) {
    let waiting = 0;
    const { expect: expected } = TopicNews.prototype;
    const asked = jest.spyOn(TopicNews.prototype, 'expect');
    asked.mockImplementation(function (this: TopicNews<unknown>, topic) {
      const wait = expected.call(this, topic);
      if (topic !== beaconKey) return wait;
      // No question looks again by the time alone: what it hears is news, or that the service ends.
      return { ...wait, within: () => (waiting++, wait.within(DAY_MS).finally(() => waiting--)) };
    });
    const untilSoMany = async (count: number) => {
      while (waiting < count) await delay(5);
    };
    const { calls, contexts } = asked.mock;
    return Object.assign(untilSoMany, {
      at: () => contexts[calls.map(([topic]) => topic).lastIndexOf(beaconKey)],
    });
  }

  it('get the sound of a challenge that the caller does not get, and its pairing says so', async () => {
    const beacon = await enrol();
    const issued = await issue(beacon);
    expect(issued).not.toHaveProperty('audio');
    expect(issued.assurance).toBe('beacon');
    const { sound } = await fetchSound(beacon);
    expect(sound!.expiresAt).toBe(issued.expiresAt);
    const call = { deviceId: 'door-7', challengeNonce: issued.challengeNonce };
    const paired = await acoustic.client.call(verifyPairing, {
      ...call,
      recording: recordedAgain(sound!.wav),
    });
    expect(paired.assurance).toBe('beacon');
    const claims = JSON.parse(Buffer.from(paired.pairingToken.split('.')[1], 'base64url').toString());
    expect(claims.assurance).toBe('beacon');
  });

  it('get each sound once, the oldest first, however many ask at once', async () => {
    const beacon = await enrol();
    const devices = Array.from({ length: 5 }, (_, i) => `door-${i}`);
    for (const deviceId of devices) await issue(beacon, deviceId);
    const first = await fetchSound(beacon);
    const asked: (Uint8Array | undefined)[] = [first.sound!.wav];
    for (let round = 0; round < 4; round++) {
      const given = await Promise.all([1, 2, 3].map(() => fetchSound(beacon)));
      asked.push(...given.map(({ sound }) => sound?.wav));
    }
    const digests = asked.flatMap(wav => (wav ? [createHash('sha256').update(wav).digest('hex')] : []));
    expect(digests).toHaveLength(devices.length);
    expect(new Set(digests).size).toBe(devices.length);
    expect(await fetchSound(beacon)).toEqual({});
  });

  it('hear of a sound that is made at another replica while they wait', async () => {
    const beacon = await enrol();
    const heldOpen = questionsOf(beacon);
    const waiting = fetchSound(beacon, 20_000);
    await heldOpen(1);
    const told = jest.spyOn(TopicNews.prototype, 'tell');
    const madeAt = () => told.mock.contexts.at(-1);
    // Both replicas are asked in turn: after a challenge that is made where the question waits comes one at the other.
    const elsewhere = await enrol('elsewhere');
    do await issue(elsewhere);
    while (madeAt() !== heldOpen.at());
    await issue(beacon);
    expect(madeAt()).not.toBe(heldOpen.at());
    expect((await waiting).sound).toBeDefined();
    expect(await fetchSound(beacon)).toEqual({});
  });

  it('wait no longer than they say, and no longer than the service goes on', async () => {
    const beacon = await enrol();
    // The clock stands but for what is waited, and a wait takes no time.
    let nowMs = 0;
    const waits: number[] = [];
    const clock = jest.spyOn(performance, 'now').mockImplementation(() => nowMs);
    const { expect: expected } = TopicNews.prototype;
    jest.spyOn(TopicNews.prototype, 'expect').mockImplementation(function (this: TopicNews<unknown>, topic) {
      const within = async (ms: number) => void ((nowMs += ms), waits.push(ms));
      return { ...expected.call(this, topic), within };
    });
    expect(await fetchSound(beacon, 2_300)).toEqual({});
    clock.mockRestore();
    jest.restoreAllMocks();
    // It looks once a second, and a last time at the end.
    expect(waits).toEqual([1_000, 1_000, 300]);
    const replica = await acoustic.start();
    const heldOpen = questionsOf(beacon);
    const questions = [1, 2, 3].map(() => fetchSound(beacon, 20_000));
    await heldOpen(3);
    await replica.close();
    acoustic.services.splice(acoustic.services.indexOf(replica), 1);
    for (let i = 0; i < 3; i++) await issue(beacon);
    await Promise.all(questions);
  });

  it('get no sound that has expired', async () => {
    const beacon = await enrol();
    await issue(beacon);
    await acoustic.database.query(`UPDATE beacon_sound SET expires_at = now() WHERE beacon_key = $1`, [
      beacon.beaconKey,
    ]);
    expect(await fetchSound(beacon)).toEqual({});
  });

  it('are known by their secret alone, and a wrong one says nothing of who is there', async () => {
    const beacon = await enrol();
    const other = await enrol('hall', OTHER);
    const wrong = [
      { ...beacon, emitterSecret: other.emitterSecret },
      { ...beacon, emitterSecret: `${beacon.emitterSecret}x` },
      { ...beacon, beaconKey: UNKNOWN_KEY },
    ];
    const payloads = await Promise.all(wrong.map(async one => (await problemOf(fetchSound(one))).payload));
    expect(payloads[0].code).toBe('UNKNOWN_CREDENTIAL');
    for (const payload of payloads) expect(payload).toEqual(payloads[0]);
    const rows = await acoustic.database.query(`SELECT secret_hash FROM beacon WHERE beacon_key = $1`, [
      beacon.beaconKey,
    ]);
    expect(rows[0].secret_hash.toString('utf8')).not.toContain(beacon.emitterSecret);
  });

  it('have at most sixteen sounds waiting', async () => {
    const beacon = await enrol();
    const issued = await Promise.all(
      Array.from({ length: 20 }, () =>
        issue(beacon).then(
          () => 'issued',
          (error: { code: string }) => error.code,
        ),
      ),
    );
    expect(issued.filter(outcome => outcome === 'issued')).toHaveLength(16);
    expect(issued.filter(outcome => outcome === 'QUEUE_FULL')).toHaveLength(4);
  });

  it('are the account’s own to list and to remove, with what waits for them', async () => {
    const by = holderOf('c');
    const beacon = await enrol('door', by);
    const { emitterSecret, ...shown } = beacon;
    expect(await acoustic.client.call(beacons, { by })).toEqual({ beacons: [shown] });
    expect(JSON.stringify(await acoustic.client.call(beacons, { by }))).not.toContain(emitterSecret);
    await issue(beacon);
    const foreign = acoustic.client.call(removeBeacon, { by: OTHER, beaconKey: beacon.beaconKey });
    await expect(foreign).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await acoustic.client.call(removeBeacon, { by, beaconKey: beacon.beaconKey });
    const again = acoustic.client.call(removeBeacon, { by, beaconKey: beacon.beaconKey });
    await expect(again).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(fetchSound(beacon)).rejects.toMatchObject({ code: 'UNKNOWN_CREDENTIAL' });
    await expect(issue(beacon)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    const [{ waiting }] = await acoustic.database.query(
      `SELECT count(*)::int AS waiting FROM beacon_sound WHERE beacon_key = $1`,
      [beacon.beaconKey],
    );
    expect(waiting).toBe(0);
    expect(await acoustic.client.call(beacons, { by })).toEqual({ beacons: [] });
  });

  it('are a hundred of an account at most, however many are enrolled at once', async () => {
    const by = holderOf('d');
    const enrolled = await Promise.all(
      Array.from({ length: 110 }, (_, i) =>
        enrol(`speaker ${i}`, by).then(
          () => 'enrolled',
          (error: { code: string }) => error.code,
        ),
      ),
    );
    expect(enrolled.filter(outcome => outcome === 'CONFLICT')).toHaveLength(10);
    const listed = await acoustic.client.call(beacons, { by });
    expect(listed.beacons).toHaveLength(100);
  });

  it('that are not enrolled are refused before anything is taken', async () => {
    const asked = { deviceId: 'door-7', beaconKey: UNKNOWN_KEY, ...BAND };
    for (const procedure of [admitChallenge, challenge]) {
      const { payload } = await problemOf(acoustic.client.call(procedure, asked));
      expect(payload).toMatchObject({ code: 'NOT_FOUND', errors: [{ path: 'beaconKey' }] });
    }
  });
});
