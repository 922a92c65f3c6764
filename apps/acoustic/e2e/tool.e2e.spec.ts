import 'reflect-metadata';
import { jest } from '@jest/globals';
import { acousticContract, toolCallContract, TOOLS } from '@svc/contracts';
import { problemOf } from '@svc/platform';
import { type KeptRows, leftBy, upkeepOf, type WiredUpkeep } from '@svc/platform/testing';
import { createHash } from 'node:crypto';
import { SoundService } from '../src/sound/sound.service.js';
import { type AcousticOnBus, recordedAgain, startAcousticOnBus } from './acoustic-on-bus.js';

const { challenge, verifyPairing } = acousticContract;
const { admitTool, callTool, toolOutcome, toolProgress, revokeTool } = toolCallContract.acoustic;
const tool = 'verify_acoustic_proximity_token' as const;
const frequencyBand = 'audible_fsk' as const;
const keyOf = (name: string) => createHash('sha256').update(name).digest('hex');
const REVOKED = { code: 'CONFLICT', payload: { extensions: { state: 'revoked' } } };
/** A saga takes what has this state as final, and everything else as running elsewhere. */
const NO_CAPTURE = { code: 'CONFLICT', extensions: { reason: 'NO_CAPTURE', state: 'answered' } };

const [HASH, AGO] = ['sha256($1::bytea)', 'now() - $2::interval'];
const BEACON = `'bcn_${'a'.repeat(22)}'`;

/** What the service drops of its own accord. */
const KEPT: Record<string, KeptRows> = {
  'challenges of pairing': {
    table: 'pairing_challenge',
    columns: {
      ...{ nonce_hash: HASH, device_id: `'d'`, frequency_band: `'audible_fsk'`, key_id: `'k'` },
      ...{ assurance: `'beacon'`, issued_at: `now() - interval '1 month'`, expires_at: AGO },
    },
    ages: ['23 hours', '25 hours'],
  },
  'sounds of beacons': {
    table: 'beacon_sound',
    columns: {
      ...{ nonce_hash: HASH, beacon_key: BEACON, frequency_band: `'audible_fsk'` },
      ...{ payload: HASH, expires_at: AGO },
    },
    ages: ['30 seconds', '90 seconds'],
  },
  'calls of its tool': {
    table: 'tool_call',
    columns: { idem_key: HASH, state: `'revoked'`, begun_at: AGO },
    ages: ['29 days', '31 days'],
  },
};

describe('the proximity tool', () => {
  let acoustic: AcousticOnBus;
  let upkeep: WiredUpkeep;

  beforeAll(async () => {
    upkeep = await upkeepOf(async () => {
      acoustic = await startAcousticOnBus(2);
    });
  });
  afterAll(() => acoustic?.close());

  const issue = (deviceId = 'door-7') => acoustic.client.call(challenge, { deviceId, frequencyBand });
  const call = (input: Record<string, unknown>, key: string) =>
    acoustic.client.call(callTool, { tool, input, idemKey: keyOf(key), receipt: '' });
  const admit = (input: Record<string, unknown>) => acoustic.client.call(admitTool, { tool, input });
  const inputOf = ({ challengeNonce }: { challengeNonce: string }, more: object = {}) => ({
    ...{ deviceId: 'door-7', challengeNonce, frequencyBand },
    ...more,
  });
  /** A challenge that was answered by its route. */
  const paired = async () => {
    const issued = await issue();
    const recording = Uint8Array.from(Buffer.from(issued.audio!, 'base64'));
    const { challengeNonce } = issued;
    const pairing = await acoustic.client.call(verifyPairing, {
      ...{ deviceId: 'door-7', challengeNonce, recording },
    });
    return { issued, pairing };
  };

  it('says a pairing again that its route has answered: the same token, for no longer', async () => {
    const { issued, pairing } = await paired();
    await admit(inputOf(issued));
    for (const key of ['again', 'and again']) {
      const { output } = await call(inputOf(issued), key);
      expect(output).toEqual(pairing);
      expect(TOOLS[tool].output.parse(output)).toEqual(pairing);
    }
  });

  it('answers NO_CAPTURE where there is no valid pairing of device and challenge, and no recording', async () => {
    const { issued } = await paired();
    const open = await issue();
    const other = inputOf(issued, { deviceId: 'door-8' });
    const unknown = inputOf({ challengeNonce: `0x${'11'.repeat(16)}` });
    for (const input of [inputOf(open), other, unknown]) {
      expect((await problemOf(admit(input))).payload).toMatchObject(NO_CAPTURE);
      expect((await problemOf(call(input, `none ${JSON.stringify(input)}`))).payload).toMatchObject(
        NO_CAPTURE,
      );
    }
    await acoustic.database.query(
      `UPDATE pairing_challenge SET token_until = now() WHERE used_at IS NOT NULL`,
    );
    expect((await problemOf(admit(inputOf(issued)))).payload).toMatchObject(NO_CAPTURE);
  });

  it('verifies a recording as the route does, once for its key', async () => {
    const issued = await issue();
    const input = inputOf(issued, { recordingBase64: issued.audio });
    await admit(input);
    const [first, second] = await Promise.all([call(input, 'heard'), call(input, 'heard')]);
    expect(second).toEqual(first);
    expect(await call(input, 'heard')).toEqual(first);
    expect(first.output).toMatchObject({ assurance: 'recording_submitted', secdedSyndrome: 0 });
    const { payload } = await problemOf(call(input, 'heard by another'));
    expect(payload).toMatchObject({
      code: 'CONFLICT',
      extensions: { reason: 'NONCE_USED', state: 'answered' },
    });
    const outcome = await acoustic.client.call(toolOutcome, { idemKey: keyOf('heard') });
    expect(outcome).toEqual({ state: 'done', reply: first });
    const progress = await acoustic.client.call(toolProgress, { idemKey: keyOf('heard'), waitMs: 5_000 });
    expect(progress).toMatchObject({ ended: true, progress: 1 });
    // And the pairing is kept for whoever asks without the recording.
    expect((await call(inputOf(issued), 'captured')).output).toEqual(first.output);
  });

  it('keeps neither its reply nor what was asked so that the database tells them', async () => {
    const issued = await issue();
    const input = inputOf(issued, { recordingBase64: issued.audio });
    const { output } = await call(input, 'sealed');
    const rows = await acoustic.database.query(`SELECT * FROM tool_call WHERE idem_key = $1`, [
      Buffer.from(keyOf('sealed'), 'hex'),
    ]);
    const text = Buffer.concat(Object.values(rows[0]).filter(Buffer.isBuffer)).toString('latin1');
    expect(text).not.toContain(output.pairingToken);
    expect(text).not.toContain('pair1');
  });

  it('refuses another request under a key', async () => {
    const { issued } = await paired();
    await call(inputOf(issued), 'one request');
    const other = inputOf(issued, { deviceId: 'door-9' });
    await expect(call(other, 'one request')).rejects.toMatchObject({ code: 'UNPROCESSABLE' });
    // The same nonce spelled otherwise is the same request.
    const spelled = { challengeNonce: issued.challengeNonce.slice(2).toUpperCase() };
    await expect(call(inputOf(spelled), 'one request')).resolves.toBeDefined();
  });

  it('makes no call that was revoked before it came', async () => {
    const issued = await issue();
    const { was } = await acoustic.client.call(revokeTool, { idemKey: keyOf('early') });
    expect(was).toBe('unknown');
    const input = inputOf(issued, { recordingBase64: issued.audio });
    for (let i = 0; i < 2; i++) await expect(call(input, 'early')).rejects.toMatchObject(REVOKED);
    expect(await acoustic.client.call(toolOutcome, { idemKey: keyOf('early') })).toEqual({
      state: 'revoked',
    });
    await expect(call(input, 'in its place')).resolves.toBeDefined();
  });

  it('says the pairing of a call that was taken back to nobody, and its nonce stays used', async () => {
    const issued = await issue();
    const input = inputOf(issued, { recordingBase64: issued.audio });
    await call(input, 'taken back');
    const { was } = await acoustic.client.call(revokeTool, { idemKey: keyOf('taken back') });
    expect(was).toBe('done');
    await expect(call(input, 'taken back')).rejects.toMatchObject(REVOKED);
    expect((await problemOf(call(inputOf(issued), 'late'))).payload).toMatchObject(NO_CAPTURE);
    expect((await problemOf(call(input, 'later'))).code).toBe('CONFLICT');
    expect(await acoustic.client.call(revokeTool, { idemKey: keyOf('taken back') })).toEqual({
      was: 'revoked',
    });
  });

  it('uses no nonce where its key is revoked while it listens', async () => {
    const issued = await issue();
    const input = inputOf(issued, { recordingBase64: issued.audio });
    const idemKey = keyOf('revoked meanwhile');
    const { hear } = SoundService.prototype;
    const hears = jest.spyOn(SoundService.prototype, 'hear').mockImplementation(async function (
      this: SoundService,
      ...heard: Parameters<typeof hear>
    ) {
      const recording = await hear.apply(this, heard);
      const { was } = await acoustic.client.call(revokeTool, { idemKey });
      expect(was).toBe('running');
      return recording;
    });
    await expect(call(input, 'revoked meanwhile')).rejects.toMatchObject(REVOKED);
    expect(hears).toHaveBeenCalledTimes(1);
    hears.mockRestore();
    const [{ used_at: usedAt }] = await acoustic.database.query(
      `SELECT used_at FROM pairing_challenge WHERE nonce_hash = $1`,
      [
        createHash('sha256')
          .update(Buffer.from(issued.challengeNonce.slice(2), 'hex'))
          .digest(),
      ],
    );
    expect(usedAt).toBeNull();
    await expect(call(input, 'instead')).resolves.toBeDefined();
  });

  it('goes on after a restart with a key that had begun', async () => {
    const issued = await issue();
    const input = inputOf(issued, { recordingBase64: issued.audio });
    const bytes = Buffer.from(issued.audio!, 'base64');
    const first = await call(input, 'begun');
    // As a process leaves it that dies after it has begun, and before it has done anything.
    await acoustic.database.query(
      `UPDATE tool_call SET state = 'running', reply = NULL WHERE idem_key = $1`,
      [Buffer.from(keyOf('begun'), 'hex')],
    );
    expect(await acoustic.client.call(toolOutcome, { idemKey: keyOf('begun') })).toEqual({
      state: 'unknown',
    });
    expect(await call(input, 'begun')).toEqual(first);
    expect(bytes.length).toBeLessThanOrEqual(1_048_576);
  });

  it('refuses what no challenge can be, and names the field', async () => {
    const { issued } = await paired();
    const recordingBase64 = Buffer.from(recordedAgain(Buffer.from(issued.audio!, 'base64'))).toString(
      'base64',
    );
    const refusals: [object, string, string][] = [
      [{ challengeNonce: 'n' }, 'UNPROCESSABLE', 'challengeNonce'],
      [{ challengeNonce: `0x${'11'.repeat(15)}` }, 'UNPROCESSABLE', 'challengeNonce'],
      [{ deviceId: '' }, 'VALIDATION_FAILED', 'deviceId'],
      [{ frequencyBand: 'radio' }, 'VALIDATION_FAILED', 'frequencyBand'],
      [{ frequencyBand: 'ultrasonic_19khz' }, 'UNPROCESSABLE', 'frequencyBand'],
      [{ frequencyBand: 'ultrasonic_19khz', recordingBase64 }, 'UNPROCESSABLE', 'frequencyBand'],
      [{ recordingBase64: '%%%' }, 'VALIDATION_FAILED', 'recordingBase64'],
      [{ recordingBase64: 'A'.repeat(1_398_108) }, 'VALIDATION_FAILED', 'recordingBase64'],
      [{ extra: 1 }, 'VALIDATION_FAILED', 'extra'],
    ];
    for (const [changes, code, path] of refusals) {
      const { payload } = await problemOf(admit(inputOf(issued, changes)));
      expect([payload.code, payload.errors?.[0].path]).toEqual([code, path]);
    }
    const bad = inputOf(await issue(), { recordingBase64: Buffer.from('no WAVE').toString('base64') });
    expect((await problemOf(call(bad, 'bad'))).payload).toMatchObject({
      ...{ code: 'UNPROCESSABLE', errors: [{ path: 'recordingBase64' }] },
    });
    const asked = acoustic.client.call(admitTool, { tool: 'get_product_catalog', input: {} });
    await expect(asked).rejects.toMatchObject({ code: 'NOT_YET_AVAILABLE' });
  });

  describe('beside it, the service as it runs', () => {
    beforeAll(() =>
      acoustic.database.query(
        `INSERT INTO beacon (beacon_key, account_id, enrolled_by_key, name, secret_hash)
         VALUES (${BEACON}, 'a', 'k', 'b', sha256('s'))`,
      ),
    );

    it.each(Object.entries(KEPT))('drops %s when their time is over, and not before', async (_what, rows) => {
      expect(await leftBy(upkeep, acoustic.database, rows)).toEqual(['young']);
    });
  });
});
