import 'reflect-metadata';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { toHex, verifyAuditProof } from '@svc/audit-proof';
import { VerifyBullionResult } from '@svc/contracts';
import { RING_RECORDING_BOUNDS } from '@svc/metals';
import { findProgram, problemOf } from '@svc/platform';
import { readWav } from '@svc/recording';
import { compressedRing } from '@svc/metals/testing/node';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bullionClient, linesOf, ringWav } from './bullion-fixture.js';
import { type DepartmentFixture, startDepartment } from './department-fixture.js';

const HOUR_MS = 3_600_000;
const KRUGERRAND = { productId: 'krugerrand', massG: 33.93 };
const hoursAgo = (hours: number) => new Date(Date.now() - hours * HOUR_MS).toISOString();

const sha256 = (bytes: Uint8Array) => new Uint8Array(createHash('sha256').update(bytes).digest());

function silent(): Uint8Array {
  const wav = ringWav([5_000]);
  return wav.fill(0, 44);
}

export function describeBullionVerify(): void {
  describe('a ring test', () => {
    let department: DepartmentFixture;
    let bullion: ReturnType<typeof bullionClient>;
    beforeAll(async () => {
      department = await startDepartment({ variables: { SANDBOX_CARD_MARKET: 'off', FFMPEG: 'off' } });
      bullion = bullionClient(department);
    });
    afterAll(() => department?.close());

    const stored = async () => {
      const [counts] = await department.database.query(
        `SELECT (SELECT count(*)::int FROM bullion_enrolment) + (SELECT count(*)::int FROM bullion_product) AS enrolled,
              (SELECT count(*)::int FROM bullion_challenge WHERE used_at IS NOT NULL) AS used`,
      );
      return { ...counts, attested: department.attest.attested.length };
    };

    it('passes a recording of the table’s own frequencies, with evidence of every rule', async () => {
      const wav = ringWav(linesOf('krugerrand'));
      await bullion.admit(KRUGERRAND, wav);
      const answer = await bullion.verify({ ...KRUGERRAND, spectrumSvg: true }, wav);
      expect(answer).toMatchObject({
        verdict: 'PASS',
        charged: true,
        evidenceLevel: 'RECORDING',
        reference: { kind: 'table' },
        reasons: [{ code: 'RING_MATCHES' }],
        recording: { sampleRateHz: 48_000, channels: 1, sha256: toHex(sha256(wav)) },
        massCheck: { withinTolerance: true },
      });
      expect(answer.modes.map(({ n }) => n)).toEqual(['(2,0)', '(0,1)', '(3,0)', '(4,0)']);
      for (const { z, q } of answer.modes) {
        expect(z).toBeLessThan(0.2);
        expect(q).toBeGreaterThan(100);
      }
      expect(answer.spectrumSvg).toMatch(/^<svg /);
      // What the schema does not know would be stripped on its way, and the digest with it.
      expect(VerifyBullionResult.parse(answer)).toEqual(answer);
      const request = { ...KRUGERRAND, spectrumSvg: true, recordingSha256: toHex(sha256(wav)) };
      const claim = { auditProof: answer.auditProof, request, proof: new Uint8Array(), keys: [] };
      expect(verifyAuditProof({ ...claim, result: answer })).toMatchObject({ reason: 'stark-invalid' });
      const forged = { ...answer, meltValue: '1000000.00' };
      expect(verifyAuditProof({ ...claim, result: forged })).toMatchObject({ reason: 'result-mismatch' });
      const holds = Object.fromEntries(answer.auditProof.rules.map(rule => [rule.id, rule.holds]));
      expect(holds).toMatchObject({
        'modes-agree': true,
        'modes-against-fail': false,
        mass: true,
        noise: true,
      });
    });

    it('hears the same in stereo and at other rates', async () => {
      for (const options of [{ channels: 2 as const }, { sampleRateHz: 96_000 }, { sampleRateHz: 44_100 }]) {
        const answer = await bullion.verify(KRUGERRAND, ringWav(linesOf('krugerrand'), options));
        expect({ ...options, verdict: answer.verdict }).toEqual({ ...options, verdict: 'PASS' });
      }
    });

    it('fails a ring that is as a whole another metal’s, and says how much higher it is', async () => {
      const answer = await bullion.verify(KRUGERRAND, ringWav(linesOf('krugerrand', 0.8)));
      expect(answer).toMatchObject({ verdict: 'FAIL', charged: true, reasons: [{ code: 'RING_DIFFERS' }] });
      expect(answer.reasons[0].text).toContain('0.80 times as high');
    });

    it('does not charge for a ring of which too little is heard, and its evidence is that of a free call', async () => {
      await bullion.verify(KRUGERRAND, ringWav(linesOf('krugerrand')));
      expect(department.attest.free.at(-1)).toBe(false);
      const answer = await bullion.verify({ ...KRUGERRAND, peaksHz: [8652] });
      expect(department.attest.free.at(-1)).toBe(true);
      expect(answer).toMatchObject({
        verdict: 'INCONCLUSIVE',
        charged: false,
        evidenceLevel: 'SELF_REPORTED',
      });
      expect(answer.recording).toBeNull();
    });

    it('never passes a piece by theory alone, and silver with the density and its lowest mode', async () => {
      const disc = { metal: 'silver', fineness: 0.999, shape: 'disc', massG: 31.1, diameterMm: 39 };
      const modes = await bullion.verify({ ...disc, peaksHz: [5_000] });
      const expected = modes.modes.map(({ expectedHz }) => expectedHz);
      // (2,0), of which theory is told too much to count it.
      const peaksHz = [0.42 * expected[0], ...expected];
      const alone = await bullion.verify({ ...disc, peaksHz });
      expect(alone).toMatchObject({
        verdict: 'INCONCLUSIVE',
        reference: { kind: 'physics' },
        massCheck: null,
      });
      expect(alone.reasons.map(({ code }) => code)).toEqual(['PHYSICS_ALONE', 'FAKE_NOT_EXCLUDED']);
      const submerged = (gcc: number) => ({ submergedMassG: 31.1 * (1 - 0.9982 / gcc) });
      const weighed = await bullion.verify({ ...disc, peaksHz, ...submerged(10.49) });
      expect(weighed).toMatchObject({ verdict: 'PASS', specificGravity: 10.49 });
      const gold = { ...disc, metal: 'gold', fineness: 0.9999, diameterMm: 32.7 };
      const places = (await bullion.verify({ ...gold, peaksHz: [5_000] })).modes.map(
        ({ expectedHz }) => expectedHz,
      );
      const asDense = await bullion.verify({
        ...{ ...gold, ...submerged(19.3) },
        peaksHz: [0.42 * places[0], ...places],
      });
      expect(asDense).toMatchObject({ verdict: 'INCONCLUSIVE', reasons: [{ code: 'FAKE_NOT_EXCLUDED' }] });
      const tungsten = asDense.fakes.find(({ metal }) => metal === 'tungsten');
      expect(tungsten).toMatchObject({ fits: { coreShare: [0.3, expect.any(Number)], excludableBy: [] } });
    });

    it('holds what a conductivity meter and a magnet say against the metal', async () => {
      const peaksHz = linesOf('gold-maple-leaf');
      const maple = { productId: 'gold-maple-leaf', massG: 31.11, peaksHz };
      const verify = (more: Record<string, unknown>) => bullion.verify({ ...maple, ...more });
      expect(await verify({ conductivityPercentIacs: 77 })).toMatchObject({
        verdict: 'PASS',
        conductivityCheck: { expected: 45, measured: 44.66, withinTolerance: true },
      });
      expect(await verify({ conductivityMSm: 18.6 })).toMatchObject({
        verdict: 'FAIL',
        reasons: [{ code: 'CONDUCTIVITY_OFF' }, { code: 'RING_MATCHES' }],
      });
      expect(await verify({ magnetSlide: 'sticks' })).toMatchObject({ verdict: 'FAIL', magnetAgrees: false });
    });

    it('says of every product what it needs to pass, and refuses those that cannot before they are paid', async () => {
      const items = await bullion.products();
      const needing = items.filter(({ needsEnrolment }) => needsEnrolment);
      expect(needing.length).toBeGreaterThan(0);
      expect(needing.length).toBeLessThan(items.length);
      for (const { metal, reference, passNeeds } of needing)
        expect([metal === 'silver', reference, passNeeds]).toEqual([false, 'physics', null]);
      const panda = items.find(({ productId }) => productId === 'gold-panda')!;
      const request = { productId: 'gold-panda', massG: panda.massG, thicknessMm: 2.7 };
      const peaksHz = panda.modesHz.flatMap(({ frequenciesHz }) => frequenciesHz);
      const refusal = await problemOf(bullion.admit({ ...request, peaksHz: [0.4 * peaksHz[0], ...peaksHz] }));
      expect(refusal).toMatchObject({ code: 'UNPROCESSABLE' });
      expect(refusal.payload.errors?.[0].path).toBe('productId');
      expect(refusal.payload.extensions).toEqual({ needsEnrolment: true });
      // What fails all the same is an answer that is worth its price.
      await bullion.admit({ ...request, massG: 20, peaksHz });
      expect(await bullion.verify({ ...request, massG: 20, peaksHz })).toMatchObject({ verdict: 'FAIL' });
    });

    it('hears Opus as a phone’s messenger sends it, and names a format that it does not read', async () => {
      expect(await bullion.verify(KRUGERRAND, compressedRing())).toMatchObject({
        verdict: 'PASS',
        evidenceLevel: 'RECORDING',
        recording: { sampleRateHz: 48_000, durationSeconds: 1 },
      });
      const phone = Buffer.from('\0\0\0\x20ftypM4A ');
      const refusal = await problemOf(bullion.admit(KRUGERRAND, phone));
      expect(refusal.payload.errors?.[0]).toMatchObject({
        path: 'recordingBase64',
        message: expect.stringContaining('MPEG-4 (AAC, as phones record) is not read; send WAV or Ogg Opus'),
      });
    });

    it('hears what a phone’s recorder writes, where the installation has ffmpeg', async () => {
      const ffmpeg = findProgram('ffmpeg');
      if (!ffmpeg) return console.log('SKIPPED: ffmpeg is not installed');
      const hearing = await startDepartment({ variables: { SANDBOX_CARD_MARKET: 'off', FFMPEG: ffmpeg } });
      const folder = mkdtempSync(join(tmpdir(), 'phone-'));
      try {
        const encode = (rate: string) => {
          writeFileSync(join(folder, 'ring.wav'), ringWav(linesOf('krugerrand')));
          const to = ['-b:a', rate, join(folder, 'ring.m4a')];
          execFileSync(ffmpeg, ['-loglevel', 'error', '-y', '-i', join(folder, 'ring.wav'), ...to]);
          return readFileSync(join(folder, 'ring.m4a'));
        };
        const asked = bullionClient(hearing);
        expect(await asked.verify(KRUGERRAND, encode('96k'))).toMatchObject({
          ...{ verdict: 'PASS', evidenceLevel: 'RECORDING' },
        });
        const refusal = await problemOf(asked.admit(KRUGERRAND, encode('16k')));
        expect(refusal.payload.extensions).toEqual({
          recordingFault: 'BIT_RATE',
          recordingField: 'bitsPerSecond',
        });
      } finally {
        await hearing.close();
        rmSync(folder, { recursive: true });
      }
    });

    describe('is refused before it is paid, and leaves nothing behind', () => {
      const tenSeconds = new Uint8Array(48_000 * 2 * 10);
      const header = (change: (view: DataView) => void, wav = ringWav(linesOf('krugerrand'))) => {
        const bytes = wav.slice();
        change(new DataView(bytes.buffer));
        return bytes;
      };
      const peaksHz = [4406, 8652, 10661];
      const disc = { metal: 'gold', fineness: 0.9999, shape: 'disc', massG: 31.1, peaksHz };
      const bar = { ...disc, shape: 'bar', lengthMm: 40 };
      it.each([
        ['a recording cut off', KRUGERRAND, header(() => undefined).slice(0, 40_000), 'recordingBase64'],
        ['silence', KRUGERRAND, header(() => undefined, silent()), 'recordingBase64'],
        ['a clipped recording', KRUGERRAND, ringWav([5_000], { overload: 60, snrDb: 40 }), 'recordingBase64'],
        ['8 kHz', KRUGERRAND, ringWav([2_000], { sampleRateHz: 8_000 }), 'recordingBase64'],
        [
          'a header of 2 GB',
          KRUGERRAND,
          header(view => view.setUint32(40, 2 ** 31, true)),
          'recordingBase64',
        ],
        ['what is no WAV', KRUGERRAND, tenSeconds, 'recordingBase64'],
        ['Opus that is cut off', KRUGERRAND, compressedRing().slice(0, 8_000), 'recordingBase64'],
        ['an MP3', KRUGERRAND, Buffer.from('ID3\x04\0\0\0\0\0\0'), 'recordingBase64'],
        ['neither recording nor peaks', KRUGERRAND, undefined, 'recordingBase64'],
        ['both', { ...KRUGERRAND, peaksHz }, ringWav(linesOf('krugerrand')), 'recordingBase64'],
        ['an unknown product', { ...KRUGERRAND, productId: 'krugerand', peaksHz }, undefined, 'productId'],
        [
          'a challenge of peaks',
          { ...KRUGERRAND, peaksHz, challengeId: `ring_${'A'.repeat(22)}` },
          undefined,
          'challengeId',
        ],
        [
          'an unknown challenge',
          { ...KRUGERRAND, challengeId: `ring_${'A'.repeat(22)}` },
          ringWav(linesOf('krugerrand')),
          'challengeId',
        ],
        ['more weight in water', { ...KRUGERRAND, peaksHz, submergedMassG: 34 }, undefined, 'submergedMassG'],
        ['a disc without a diameter', disc, undefined, 'diameterMm'],
        ['a bar without a width', bar, undefined, 'widthMm'],
        ['a bar too wide for a beam', { ...bar, widthMm: 20 }, undefined, 'widthMm'],
        [
          'a bar too thick for a beam',
          { ...bar, metal: 'silver', massG: 300, widthMm: 10 },
          undefined,
          'thicknessMm',
        ],
        ['gold of 12 carat', { ...disc, fineness: 0.5, diameterMm: 30 }, undefined, 'fineness'],
      ])('%s', async (_name, request, recording, path) => {
        const before = await stored();
        for (const call of [bullion.admit, bullion.verify]) {
          const refusal = await problemOf(call(request, recording));
          expect(refusal.code).toBe('UNPROCESSABLE');
          expect(refusal.payload.errors?.map(fault => fault.path)).toEqual([path]);
        }
        expect(await stored()).toEqual(before);
      });

      it.each([0, -1, 1e9])('a mass of %d g', async massG => {
        const refusal = await problemOf(bullion.admit({ ...KRUGERRAND, massG, peaksHz }));
        expect(refusal).toMatchObject({ code: 'VALIDATION_FAILED' });
      });

      it('names slugs that are like an unknown one', async () => {
        const refusal = await problemOf(bullion.admit({ ...KRUGERRAND, productId: 'krugerand', peaksHz }));
        const near = ['krugerrand', 'krugerrand-half', 'krugerrand-tenth'];
        expect(refusal.payload.extensions).toEqual({ nearProductIds: near });
      });
    });

    describe('against a challenge', () => {
      const answered = async (seed = 1) => {
        const challenge = await bullion.challenge();
        const tone = Buffer.from(challenge.toneWavBase64, 'base64');
        const { samples, sampleRateHz } = readWav(tone, RING_RECORDING_BOUNDS);
        const wav = ringWav(linesOf('krugerrand'), { before: samples.map(x => x / 2), sampleRateHz, seed });
        return { challenge, wav, request: { ...KRUGERRAND, challengeId: challenge.challengeId } };
      };

      it('is CHALLENGED by a recording that holds its tones, which may ask again and no other may', async () => {
        const { request, wav, challenge } = await answered();
        expect(Date.parse(challenge.expiresAt) - Date.now()).toBeGreaterThan(500_000);
        await bullion.admit(request, wav);
        for (let again = 0; again < 2; again++) {
          expect(await bullion.verify(request, wav)).toMatchObject({
            verdict: 'PASS',
            evidenceLevel: 'CHALLENGED',
          });
        }
        const other = ringWav(linesOf('krugerrand'), { seed: 2 });
        const refusal = await problemOf(bullion.verify(request, other));
        expect(refusal.payload.errors).toMatchObject([{ path: 'challengeId' }]);
        expect(refusal.message).toContain('answered by another recording');
      });

      it('goes to exactly one of two recordings at once', async () => {
        const { request, wav } = await answered();
        const wavs = [wav, wav.slice()];
        wavs[1][wavs[1].length - 2] ^= 1;
        const answers = await Promise.allSettled(wavs.map(one => bullion.verify(request, one)));
        expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      });

      it('is refused to a recording without its tones, which uses nothing up', async () => {
        const { request, wav } = await answered();
        const refusal = await problemOf(bullion.verify(request, ringWav(linesOf('krugerrand'))));
        expect(refusal.message).toContain('not heard');
        expect(await bullion.verify(request, wav)).toMatchObject({ evidenceLevel: 'CHALLENGED' });
      });

      it('is refused when it has expired', async () => {
        const { request, wav } = await answered();
        await department.database.query(
          `UPDATE bullion_challenge SET expires_at = now() - interval '1 s' WHERE challenge_id = $1`,
          [request.challengeId],
        );
        expect((await problemOf(bullion.admit(request, wav))).message).toContain('has expired');
      });
    });

    describe('says what the metal is worth', () => {
      const request = { ...KRUGERRAND, peaksHz: [4406, 8652] };
      const quote = async () => {
        const { meltValue, meltValueReason, meltValueNote, spot, fineMassG } = await bullion.verify(request);
        return { meltValue, meltValueReason, meltValueNote, stale: spot?.stale, fineMassG };
      };

      it('not where no price in dollars is known', async () => {
        department.spot.set({ metal: 'XAU', price: '2200', asOf: hoursAgo(1), currency: 'EUR' });
        department.spot.set({ metal: 'XAG', price: '30', asOf: hoursAgo(1) });
        expect(await quote()).toMatchObject({
          meltValue: null,
          meltValueReason: 'SPOT_UNKNOWN',
          meltValueNote: expect.stringContaining('no price of gold in US dollars'),
        });
      });

      it('by a price of eight days or of four, and says how old it is', async () => {
        department.spot.set({ metal: 'XAU', price: '2387.15', asOf: hoursAgo(8 * 24) });
        expect(await quote()).toMatchObject({
          meltValue: '2387.16',
          meltValueReason: 'SPOT_STALE',
          meltValueNote: expect.stringContaining('8.0 days old'),
          stale: true,
        });
        department.spot.set({ metal: 'XAU', price: '2387.15', asOf: hoursAgo(4 * 24) });
        expect(await quote()).toMatchObject({
          meltValue: '2387.16',
          meltValueReason: null,
          meltValueNote: expect.stringContaining('4.0 days old'),
          stale: true,
        });
      });

      it('by a price of an hour, and fails where prices are away', async () => {
        department.spot.set({ metal: 'XAU', price: '2400', asOf: hoursAgo(1) });
        const answer = await quote();
        expect(answer).toEqual({
          meltValue: '2400.01',
          meltValueReason: null,
          meltValueNote: null,
          stale: false,
          fineMassG: 31.1036,
        });
        department.spot.before = async () => {
          throw new Error('the database is away');
        };
        const attested = department.attest.attested.length;
        expect((await problemOf(bullion.verify(request))).code).toBe('INTERNAL');
        department.spot.before = async () => undefined;
        expect(department.attest.attested).toHaveLength(attested);
      });
    });
  });
}
