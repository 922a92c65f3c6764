import 'reflect-metadata';
import { acousticContract, DemodulateRequest, ModulateRequest } from '@svc/contracts';
import { modulate as soundOf } from '@svc/modem';
import { problemOf, runInTurn } from '@svc/platform';
import { writeWav } from '@svc/recording';
import { createHash } from 'node:crypto';
import { type AcousticOnBus, recordedAgain, startAcousticOnBus } from './acoustic-on-bus.js';

const { admitModulate, modulate, admitDemodulate, demodulate } = acousticContract;

const FAST = { baud: 300, frequencyBand: 'audible_fsk' } as const;
const HELLO = '0x48656c6c6f';
const silence = (seconds: number, sampleRateHz = 44_100) =>
  writeWav([new Float32Array(Math.round(seconds * sampleRateHz))], sampleRateHz);

/** A header that promises an hour, over a second of it. */
function hourLong(): Uint8Array {
  const wav = silence(1);
  new DataView(wav.buffer).setUint32(40, 3_600 * 88_200, true);
  return wav;
}

/** @param silenceSeconds length of the longest recording in which there is nothing to hear */
export function describeSounds(silenceSeconds: number): void {
  describe('packets of sound', () => {
    let acoustic: AcousticOnBus;

    beforeAll(async () => {
      acoustic = await startAcousticOnBus();
    });
    afterAll(() => acoustic?.close());

    const make = (fields: object, withWav = true) => {
      const request = ModulateRequest.parse({ payloadHex: HELLO, ...FAST, ...fields });
      return acoustic.client.call(modulate, { request, withWav });
    };
    const hear = (recording: Uint8Array, fields: object = FAST) => {
      const { recordingBase64: _none, ...request } = DemodulateRequest.parse({
        ...fields,
        recordingBase64: 'AAAA',
      });
      return acoustic.client.call(demodulate, { request, recording });
    };

    it.each([
      ['near-ultrasound', { frequencyBand: 'ultrasonic_19khz', baud: 300 }],
      ['the highest carrier', { frequencyBand: 'ultrasonic_19khz', baud: 300, carrierHz: 19_500 }],
      ['the audible band', FAST],
      ['the robust profile', { ...FAST, profile: 'robust' }],
    ])('come through a recording as they were sent: %s', async (_name, channel) => {
      const { wav, sha256, durationSeconds } = await make(channel);
      expect(sha256).toBe(createHash('sha256').update(wav!).digest('hex'));
      expect(durationSeconds).toBeCloseTo((wav!.length - 44) / 88_200, 6);
      const heard = await hear(recordedAgain(wav!), channel);
      expect(heard).toMatchObject({
        ...{ decoded: true, payloadHex: HELLO, crcValid: true, correctedWords: 0, sampleRate: 44_100 },
        packets: [{ payloadHex: HELLO, doubleErrorWords: 0, secdedSyndrome: 0 }],
      });
      expect(heard.packets[0].startSeconds).toBeCloseTo(0.2, 1);
      expect(heard.quality!.snrDb).toBeGreaterThan(10);
    });

    it('of the same request are the same bytes', async () => {
      const [first, second] = [await make({}), await make({ payloadHex: HELLO.slice(2).toUpperCase() })];
      expect(Buffer.compare(first.wav!, second.wav!)).toBe(0);
    });

    it('say their figures without sound where none is asked for, however long they are', async () => {
      const { wav, ...packet } = await make({ payloadHex: 'ff'.repeat(4_096) }, false);
      expect(wav).toBeUndefined();
      expect(packet).toMatchObject({ sampleRate: 44_100, baud: 300, codewords: 2 * 4_100 });
      expect(packet.durationSeconds).toBeGreaterThan(200);
      expect(packet.sha256).toMatch(/^[0-9a-f]{64}$/);
    });

    it('are not sent back where they are longer than a minute, and say so before anything is taken', async () => {
      const request = ModulateRequest.parse({ payloadHex: 'ff'.repeat(2_000), ...FAST });
      for (const asked of [
        acoustic.client.call(admitModulate, { request, withWav: true }),
        acoustic.client.call(admitModulate, { request: { ...request, includeWav: true }, withWav: false }),
        acoustic.client.call(modulate, { request, withWav: true }),
      ]) {
        const { payload } = await problemOf(asked);
        expect(payload).toMatchObject({
          code: 'UNPROCESSABLE',
          errors: [{ path: 'payloadHex', bound: '60' }],
        });
        expect(Number(payload.errors![0].got)).toBeGreaterThan(60);
      }
      await expect(acoustic.client.call(admitModulate, { request, withWav: false })).resolves.toEqual({
        durationSeconds: expect.any(Number),
        workUnits: expect.any(Number),
      });
    });

    it.each([18_599, 19_501, 'x', 18_600.5, null])(
      'are of no carrier but the band’s: %p',
      async carrierHz => {
        const request = { payloadHex: HELLO, frequencyBand: 'ultrasonic_19khz', carrierHz } as never;
        for (const procedure of [admitModulate, modulate]) {
          const { payload } = await problemOf(acoustic.client.call(procedure, { request, withWav: false }));
          expect(payload.code).toBe('VALIDATION_FAILED');
          expect(payload.errors![0].path).toMatch(/carrierHz$/);
        }
      },
    );

    it('of the audible band have no carrier to choose', async () => {
      const request = ModulateRequest.parse({ payloadHex: HELLO, ...FAST, carrierHz: 19_000 });
      const { payload } = await problemOf(acoustic.client.call(admitModulate, { request, withWav: false }));
      expect(payload).toMatchObject({ code: 'UNPROCESSABLE', errors: [{ path: 'carrierHz' }] });
    });

    it.each(['0x123', 'zz'])('are of whole bytes: %p', async payloadHex => {
      const request = { payloadHex } as never;
      const { payload } = await problemOf(acoustic.client.call(modulate, { request, withWav: false }));
      expect(payload).toMatchObject({ code: 'VALIDATION_FAILED', errors: [{ path: 'request.payloadHex' }] });
    });

    it.each(['', '0x', 'ff'.repeat(4_097)])('are of 1 to 4,096 bytes: %#', async payloadHex => {
      for (const lineCode of ['frame', 'async8n1'] as const) {
        const call = { request: ModulateRequest.parse({ payloadHex, lineCode }), withWav: false };
        for (const procedure of [admitModulate, modulate]) {
          const { payload } = await problemOf(acoustic.client.call(procedure, call));
          expect(payload).toMatchObject({ code: 'UNPROCESSABLE', errors: [{ path: 'payloadHex' }] });
        }
      }
    });

    it('that are not there are an answer, with the reason', async () => {
      const clipped = writeWav([new Float32Array(44_100).map((_, n) => (n % 90 < 45 ? 1 : -1))], 44_100);
      for (const recording of [silence(1), silence(0), silence(silenceSeconds), clipped]) {
        expect(await hear(recording)).toMatchObject({ decoded: false, reason: 'NO_SYNC', packets: [] });
      }
      const { wav } = await make({});
      const cutOff = writeWav([soundOf(Uint8Array.of(1, 2, 3), FAST).subarray(0, 20_000)], 44_100);
      const heard = await hear(cutOff);
      expect(heard.decoded).toBe(false);
      expect(heard.reason).toMatch(/^(CUT_OFF|NO_SYNC|HEADER_UNREADABLE|CRC_MISMATCH)$/);
      expect(await hear(wav!, { ...FAST, baud: 150 })).toMatchObject({ decoded: false });
    });

    it.each<[string, Uint8Array, string, string]>([
      ['is of 40 kHz for ultrasound', silence(1, 40_000), '42240', '40000'],
      ['is of 7 kHz', silence(1, 7_000), '8000 … 192000', '7000'],
      ['is of 192,001 Hz', silence(0.5, 192_001), '8000 … 192000', '192001'],
      ['is longer than a minute', silence(60.1), '60', '60.1'],
    ])(
      'are not looked for in a file that %s, and its bound is said',
      async (_name, recording, bound, got) => {
        const request = DemodulateRequest.omit({ recordingBase64: true }).parse({});
        for (const procedure of [admitDemodulate, demodulate]) {
          const { payload } = await problemOf(acoustic.client.call(procedure, { request, recording }));
          expect(payload).toMatchObject({
            code: 'UNPROCESSABLE',
            errors: [{ path: 'recordingBase64', got }],
          });
          expect(payload.errors![0].bound).toContain(bound);
        }
      },
    );

    it.each<[string, Uint8Array]>([
      ['empty', new Uint8Array()],
      ['no WAVE at all', Uint8Array.from(Buffer.from('%PDF-1.7 and so on'))],
      ['cut off', silence(1).slice(0, 5_000)],
      ['an hour by its own word', hourLong()],
      ['not finite', writeWav([new Float32Array(4_410).fill(Number.NaN)], 44_100, 'float32')],
      [
        'of six channels',
        writeWav(
          Array.from({ length: 6 }, () => new Float32Array(4_410)),
          44_100,
        ),
      ],
    ])('are not looked for in a file that is %s', async (_name, recording) => {
      const { payload } = await problemOf(hear(recording));
      expect(payload).toMatchObject({
        ...{ code: 'UNPROCESSABLE', errors: [{ path: 'recordingBase64' }] },
        extensions: { recordingFault: expect.any(String), recordingField: expect.any(String) },
      });
    });

    it('are refused before a payment where too many wait, keep a place where there is one, and are made once they are paid for', async () => {
      const busy = await startAcousticOnBus();
      const as = <T>(subject: string, standing: 'claiming' | 'settled' | 'later', work: () => Promise<T>) =>
        runInTurn({ subject, standing }, work);
      const request = ModulateRequest.parse({ payloadHex: 'ff'.repeat(1_024), ...FAST });
      const ask = () =>
        busy.client.call(modulate, { request, withWav: false }).catch((error: Error) => error.message);
      const admit = () => busy.client.call(admitModulate, { request, withWav: false });
      const loud = Array.from({ length: 40 }, () => as('loud', 'later', ask));
      try {
        const challenge = { deviceId: 'a-device', frequencyBand: 'audible_fsk' } as const;
        const admissions = [admit, () => busy.client.call(acousticContract.admitChallenge, challenge)];
        // All at once: the thread begins with none of them before it has started.
        const refused = admissions.map(work => problemOf(as<unknown>('loud', 'claiming', work)));
        for (const { code, message } of await Promise.all(refused))
          expect([code, message]).toEqual(['OVERLOADED', 'at most 32 packets wait']);
        await as('quiet', 'claiming', admit);
        const { durationSeconds } = (await as('loud', 'settled', () =>
          busy.client.call(modulate, { request: { ...request, payloadHex: HELLO }, withWav: false }),
        )) as { durationSeconds: number };
        expect(durationSeconds).toBeGreaterThan(0);
      } finally {
        await busy.close();
      }
      expect(await Promise.all(loud)).toContain('at most 32 packets wait');
    });

    it.each([8_000, 16_000, 22_050, 48_000, 96_000])('are heard in a file of %i Hz', async sampleRateHz => {
      const sound = soundOf(Uint8Array.from([1, 2, 3, 4]), FAST);
      const length = Math.floor((sound.length * sampleRateHz) / 44_100);
      const resampled = Float32Array.from({ length }, (_, n) => {
        const at = (n * 44_100) / sampleRateHz;
        const [i, rest] = [Math.floor(at), at % 1];
        return sound[i] * (1 - rest) + (sound[i + 1] ?? 0) * rest;
      });
      expect(await hear(writeWav([resampled, resampled], sampleRateHz, 'pcm24'))).toMatchObject({
        ...{ decoded: true, payloadHex: '0x01020304', sampleRate: sampleRateHz },
      });
    });
  });
}
