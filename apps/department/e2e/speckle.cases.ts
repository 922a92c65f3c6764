import 'reflect-metadata';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ExtractPufReply, VerifySlabReply } from '@svc/contracts';
import { problemOf, runInTurn } from '@svc/platform';
import { pngOf } from '@svc/speckle/testing';
import { DataSource } from 'typeorm';
import { type DepartmentFixture, startDepartment } from './department-fixture.js';
import { SurfaceSeal } from '../src/speckle/enrolled-surface.js';
import { SurfaceStore } from '../src/speckle/surface-store.js';
import { MINT, OTHER, picture, speckleClient } from './speckle-fixture.js';

type Row = Record<string, unknown>;

let department: DepartmentFixture;
let speckle: ReturnType<typeof speckleClient>;

const rowsOf = (slabId: string): Promise<Row[]> =>
  department.database.query(`SELECT * FROM speckle_enrolment WHERE slab_id = $1 ORDER BY number`, [slabId]);

/** Changes rows as only the owner of the tables could, having disabled the triggers. */
async function forge(statement: string, parameters: unknown[] = []): Promise<void> {
  const { database } = department;
  await database.query(`ALTER TABLE speckle_enrolment DISABLE TRIGGER USER`);
  await database.query(statement, parameters);
  await database.query(`ALTER TABLE speckle_enrolment ENABLE TRIGGER USER`);
}

export function describeSpeckle(): void {
  describe('speckle', () => {
    beforeAll(async () => {
      department = await startDepartment({ variables: { SANDBOX_CARD_MARKET: 'off' } });
      speckle = speckleClient(department);
    });
    afterAll(() => department?.close());

    describe('a fingerprint', () => {
      it('is read without a key, and nothing is kept', async () => {
        const reply = await speckle.extract(await picture(1));
        expect(ExtractPufReply.parse(reply)).toMatchObject({
          bits: 1_922,
          quality: { saturatedPct: expect.any(Number) },
        });
        expect(reply.fingerprintHex).toMatch(/^0x[0-9a-f]{482}$/);
        expect(reply.maskHex).toMatch(/^0x[0-9a-f]{482}$/);
        expect(reply.usableBits).toBeGreaterThan(1_500);
        expect(reply.quality.contrast).toBeGreaterThan(0.7);
        for (const field of ['helperData', 'keyCommitment', 'pufId', 'residualEntropyBits'])
          expect(reply).not.toHaveProperty(field);
        expect(await department.database.query(`SELECT 1 FROM speckle_enrolment`)).toEqual([]);
      });

      it('is that of the region that is asked for', async () => {
        const image = await picture(1);
        const whole = await speckle.extract(image);
        const middle = await speckle.extract(image, { roi: { x: 64, y: 64, width: 256, height: 256 } });
        const corner = await speckle.extract(image, { roi: { x: 0, y: 0, width: 256, height: 256 } });
        expect(middle.fingerprintHex).toBe(whole.fingerprintHex);
        expect(corner.fingerprintHex).not.toBe(whole.fingerprintHex);
      });
    });

    describe('an enrolled surface', () => {
      it('is known again from another picture of it, by its slab and by its pufId, and its key comes out', async () => {
        const enrolled = await speckle.enrol(await picture(10), 'slab-10');
        expect(enrolled).toMatchObject({
          pufId: expect.stringMatching(/^puf_[A-Za-z0-9_-]{22}$/),
          keyCommitment: expect.stringMatching(/^0x[0-9a-f]{64}$/),
        });
        expect(enrolled.residualEntropyBits).toBeGreaterThanOrEqual(128);
        const again = await picture(10, 2, { shiftXPx: 5.3, shiftYPx: -3.6 });
        for (const name of [{ slabId: 'slab-10' }, { pufId: enrolled.pufId! }]) {
          const reply = VerifySlabReply.parse(await speckle.verify(again, name));
          expect(reply).toMatchObject({ verdict: 'match', keyReproduced: true, pufId: enrolled.pufId });
          expect(reply.fhd).toBeLessThan(0.1);
          expect(reply.falseMatchProbability).toBeLessThan(1e-9);
          expect(Math.abs(reply.alignment!.shiftXPx - 5.3)).toBeLessThan(0.5);
          expect(Math.abs(reply.alignment!.shiftYPx + 3.6)).toBeLessThan(0.5);
        }
      });

      it('is known turned and nearer, by its owner and by others', async () => {
        const { verificationToken } = await speckle.enrol(await picture(15), 'slab-15');
        const again = await picture(15, 2, { rotationDeg: -141, scale: 0.8, shiftXPx: 9 });
        const told = await speckle.verify(again, { slabId: 'slab-15' });
        expect(told).toMatchObject({ verdict: 'match', keyReproduced: true });
        expect(told.alignment!.rotationDeg).toBeCloseTo(-141, 0);
        expect(told.alignment!.scale).toBeCloseTo(0.8, 2);
        const bare = await speckle.verify(again, { slabId: 'slab-15', verificationToken }, OTHER);
        expect(bare.verdict).toBe('match');
      });

      it('is not enrolled from a picture that is mostly noise', async () => {
        const noisy = await picture(17, 1, { modality: 'paper_texture', noise: 0.13 });
        const { payload } = await problemOf(
          speckle.extract(noisy, { modality: 'paper_texture', enroll: true }, MINT),
        );
        expect([payload.code, payload.extensions]).toEqual(['UNPROCESSABLE', { imageFault: 'NOISY' }]);
      });

      it('is not another one, and a poor picture says nothing either way', async () => {
        const { pufId } = await speckle.enrol(await picture(11), 'slab-11');
        const other = await speckle.verify(await picture(12), { slabId: 'slab-11' });
        expect(other).toMatchObject({ verdict: 'mismatch', pufId });
        expect(other.fhd).toBeGreaterThan(other.threshold!);
        expect(other).not.toHaveProperty('keyReproduced');
        const flooded = await speckle.verify(await picture(11, 2, { exposure: 180 }), { slabId: 'slab-11' });
        expect(flooded).toMatchObject({ verdict: 'inconclusive', reason: 'SATURATED' });
        expect(flooded).not.toHaveProperty('keyReproduced');
      });

      it('is kept without its picture and its key, and sealed', async () => {
        const reply = await speckle.enrol(await picture(13), 'slab-13');
        const [row] = await rowsOf('slab-13');
        expect(row).toMatchObject({
          account_id: MINT.accountId,
          key_id: MINT.keyId,
          modality: 'laser_speckle',
        });
        const stored = Object.values(row).map(value =>
          Buffer.isBuffer(value) ? value.toString('hex') : String(value),
        );
        expect(stored.join()).not.toContain(reply.fingerprintHex.slice(2, 42));
      });

      it('is found by its newest enrolment, while the older ones stay', async () => {
        const first = await speckle.enrol(await picture(14), 'slab-14');
        const second = await speckle.enrol(await picture(14, 2), 'slab-14');
        expect(second.pufId).not.toBe(first.pufId);
        const image = await picture(14, 3);
        expect((await speckle.verify(image, { slabId: 'slab-14' })).pufId).toBe(second.pufId);
        expect((await speckle.verify(image, { pufId: first.pufId! })).verdict).toBe('match');
        expect(await rowsOf('slab-14')).toHaveLength(2);
      });

      it('that was read in another way than pictures are now is not compared with them', async () => {
        const { pufId } = await speckle.enrol(await picture(16));
        const store = new SurfaceStore(
          department.database,
          new SurfaceSeal(department.environment),
          department.environment,
        );
        const enrolled = await store.get({ pufId });
        const request = store.digestOf(new Uint8Array(32).fill(9), enrolled.accountId);
        const older = { pufId: `puf_${'o'.repeat(22)}`, requestDigest: request.bytes };
        await store.keep({ ...enrolled, ...older, fingerprintVersion: 'gabor31x31x2/0' }, request);
        const refused = speckle.verify(await picture(16, 2), { pufId: older.pufId });
        const { payload } = await problemOf(refused);
        expect(payload.code).toBe('UNPROCESSABLE');
        expect(payload.errors).toMatchObject([
          { path: 'pufId', message: expect.stringContaining('gabor31x31x2/0') },
        ]);
      });

      it('is one of as many as an account may have, and the same request is the same one all the same', async () => {
        const owner = { ...MINT, accountId: `acct_${'q'.repeat(20)}` };
        const full = await startDepartment({
          variables: { SANDBOX_CARD_MARKET: 'off', SPECKLE_ENROLMENTS_MAX: '2' },
        });
        try {
          const there = speckleClient(full);
          const images = await Promise.all([81, 82, 83, 84].map(surface => picture(surface)));
          const first = await there.enrol(images[0], undefined, owner);
          const both = await Promise.allSettled([
            there.enrol(images[1], undefined, owner),
            there.enrol(images[2], 'slab-83', owner),
          ]);
          expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
          for (const ask of [there.extract, there.admitExtract]) {
            const { code, payload } = await problemOf(ask(images[3], { enroll: true }, owner));
            expect([code, payload.errors]).toMatchObject([
              'UNPROCESSABLE',
              [{ path: 'enroll', bound: 2, got: 2 }],
            ]);
          }
          expect((await there.enrol(images[0], undefined, owner)).pufId).toBe(first.pufId);
          await there.enrol(images[3], undefined, OTHER);
        } finally {
          await full.close();
        }
      });

      it('may have no slab: then its pufId alone names it', async () => {
        const { pufId } = await speckle.enrol(await picture(15));
        expect(await speckle.verify(await picture(15, 2), { pufId: pufId! })).toMatchObject({
          verdict: 'match',
        });
      });

      it('that nobody enrolled is not found, in admission too', async () => {
        const image = await picture(1);
        for (const name of [{ slabId: 'nobody-s' }, { pufId: `puf_${'A'.repeat(22)}` }])
          for (const ask of [speckle.verify, speckle.admitVerify])
            expect((await problemOf(ask(image, name))).code).toBe('NOT_FOUND');
      });
    });

    describe('enrolment', () => {
      it('needs a key; a slab needs enrolment; and what is refused is refused in admission', async () => {
        const image = await picture(20);
        for (const ask of [speckle.extract, speckle.admitExtract]) {
          expect((await problemOf(ask(image, { enroll: true, slabId: 'slab-20' }))).code).toBe(
            'UNKNOWN_CREDENTIAL',
          );
          const { code, payload } = await problemOf(ask(image, { slabId: 'slab-20' }, MINT));
          expect([code, payload.errors?.[0].path]).toEqual(['UNPROCESSABLE', 'slabId']);
        }
        expect(await rowsOf('slab-20')).toEqual([]);
      });

      it('under another account’s slabId is refused, in admission too, and changes nothing', async () => {
        const { pufId } = await speckle.enrol(await picture(21), 'slab-21');
        const theirs = await picture(22);
        for (const ask of [speckle.extract, speckle.admitExtract]) {
          const { code, payload } = await problemOf(ask(theirs, { enroll: true, slabId: 'slab-21' }, OTHER));
          expect([code, payload.errors?.[0].path]).toEqual(['CONFLICT', 'slabId']);
        }
        expect((await speckle.verify(await picture(21, 2), { slabId: 'slab-21' })).pufId).toBe(pufId);
        expect(await rowsOf('slab-21')).toHaveLength(1);
      });

      it('of two accounts at once is one account’s, at several replicas', async () => {
        const replica = await department.replica();
        try {
          for (let round = 0; round < 3; round++) {
            const slabId = `slab-race-${round}`;
            const [mine, theirs] = [await picture(30 + 2 * round), await picture(31 + 2 * round)];
            const outcomes = await Promise.allSettled([
              speckle.enrol(mine, slabId, MINT),
              speckle.enrol(theirs, slabId, OTHER),
            ]);
            expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
            const refusal = outcomes.find(outcome => outcome.status === 'rejected')!;
            expect((refusal.reason as { code: string }).code).toBe('CONFLICT');
            expect(await rowsOf(slabId)).toHaveLength(1);
          }
        } finally {
          await replica.close();
        }
      });

      it('of the same picture asked again, one after another or at once, is one enrolment with one answer', async () => {
        for (const slabId of ['slab-40', undefined]) {
          const image = await picture(slabId ? 40 : 41);
          const replies = await Promise.all(Array.from({ length: 4 }, () => speckle.enrol(image, slabId)));
          replies.push(await speckle.enrol(image, slabId));
          for (const reply of replies) expect(reply).toEqual(replies[0]);
          const digests: Row[] = await department.database.query(
            `SELECT request_digest FROM speckle_enrolment WHERE puf_id = $1`,
            [replies[0].pufId],
          );
          expect(digests).toHaveLength(1);
        }
        expect(await rowsOf('slab-40')).toHaveLength(1);
        // The same picture of another account, or under another name, is another enrolment.
        const image = await picture(41);
        expect((await speckle.enrol(image, undefined, OTHER)).pufId).not.toBe(
          (await speckle.enrol(image)).pufId,
        );
        expect((await speckle.enrol(image, 'slab-41')).pufId).not.toBe((await speckle.enrol(image)).pufId);
      });

      it('of a picture that would say nothing is refused, and keeps no slab', async () => {
        for (const [more, reason] of [
          [{ exposure: 180 }, 'SATURATED'],
          [{ modality: 'paper_texture' }, 'LOW_CONTRAST'],
        ] as const) {
          const image = await picture(50, 1, more);
          const request = { enroll: true, slabId: 'slab-50', modality: 'laser_speckle' as const };
          for (const ask of [speckle.extract, speckle.admitExtract]) {
            const { code, payload } = await problemOf(ask(image, request, MINT));
            expect([code, payload.errors?.[0].path, payload.extensions]).toEqual([
              ...['UNPROCESSABLE', 'imageBase64'],
              { imageFault: reason },
            ]);
          }
        }
        expect(await speckle.enrol(await picture(51), 'slab-50', OTHER)).toHaveProperty('pufId');
      });

      it('is kept 256 times for one slab, and refused beyond that with the bound', async () => {
        await speckle.enrol(await picture(60), 'slab-60');
        await forge(
          `INSERT INTO speckle_enrolment (puf_id, slab_id, account_id, key_id, request_digest, fingerprint_version, modality,
         bit_count, usable_bits, quality, helper_data, key_commitment, residual_entropy_bits, enrolled_at, sealed)
       SELECT 'puf_' || lpad(n::text, 22, '0'), slab_id, account_id, key_id, sha256(n::text::bytea), fingerprint_version, modality,
              bit_count, usable_bits, quality, helper_data, key_commitment, residual_entropy_bits, enrolled_at, sealed
         FROM speckle_enrolment, generate_series(1, 255) n WHERE slab_id = 'slab-60'`,
        );
        const { code, payload } = await problemOf(speckle.enrol(await picture(60, 2), 'slab-60'));
        expect([code, payload.errors]).toMatchObject([
          'UNPROCESSABLE',
          [{ path: 'slabId', bound: 256, got: 256 }],
        ]);
        // What was enrolled is still told.
        expect(await speckle.enrol(await picture(60), 'slab-60')).toHaveProperty('pufId');
      });
    });

    describe('an enrolment that somebody changes', () => {
      it.each([
        ['a bit of its helper data', `helper_data = set_bit(helper_data, 77, 1 - get_bit(helper_data, 77))`],
        ['its commitment', `key_commitment = sha256(key_commitment)`],
        ['its account', `account_id = '${OTHER.accountId}'`],
        ['its modality', `modality = 'paper_texture'`],
        ['its time', `enrolled_at = enrolled_at - interval '1 day'`],
        ['its entropy', `residual_entropy_bits = 255`],
        ['its slab', `slab_id = 'slab-70-taken'`],
        ['a bit of what is sealed', `sealed = set_bit(sealed, 4000, 1 - get_bit(sealed, 4000))`],
      ])('on record: %s is refused, and nothing is compared with it', async (_name, change) => {
        await speckle.enrol(await picture(71), 'slab-70-taken');
        const { pufId } = await speckle.enrol(await picture(70), 'slab-70');
        await forge(`UPDATE speckle_enrolment SET ${change} WHERE puf_id = $1`, [pufId]);
        const image = await picture(70, 2);
        const { code, payload } = await problemOf(speckle.verify(image, { pufId: pufId! }));
        expect([code, payload.errors?.[0].path]).toEqual(['UNPROCESSABLE', 'pufId']);
        // Asked again, it is not given for what it was.
        const again = await problemOf(speckle.enrol(await picture(70), 'slab-70'));
        expect(again.code).toBe('UNPROCESSABLE');
        await forge(`DELETE FROM speckle_enrolment WHERE puf_id = $1`, [pufId]);
      });

      it('by its print, moved to another’s row, is refused', async () => {
        const { pufId: genuine } = await speckle.enrol(await picture(72), 'slab-72');
        const { pufId: fake } = await speckle.enrol(await picture(73), 'slab-73');
        await forge(
          `UPDATE speckle_enrolment SET sealed = (SELECT sealed FROM speckle_enrolment WHERE puf_id = $2) WHERE puf_id = $1`,
          [genuine, fake],
        );
        const refusal = await problemOf(speckle.verify(await picture(73, 2), { pufId: genuine! }));
        expect(refusal.code).toBe('UNPROCESSABLE');
      });

      it('in the caller’s copy: helper data is taken as it was given, and refused with a bit of it changed', async () => {
        const { helperData, pufId } = await speckle.enrol(await picture(74), 'slab-74');
        const image = await picture(74, 2);
        const kept = await speckle.verify(image, { pufId: pufId!, helperData: helperData! });
        expect(kept).toMatchObject({ verdict: 'match', keyReproduced: true });
        const changed = Buffer.from(helperData!, 'base64');
        changed[changed.length >> 1] ^= 1;
        for (const bytes of [changed, changed.subarray(1), Buffer.concat([changed, changed])]) {
          const request = { pufId: pufId!, helperData: bytes.toString('base64') };
          for (const ask of [speckle.verify, speckle.admitVerify]) {
            const { code, payload } = await problemOf(ask(image, request));
            expect([code, payload.errors?.[0].path]).toEqual(['UNPROCESSABLE', 'helperData']);
          }
        }
      });

      it('cannot be changed or deleted by the service’s own role', async () => {
        await speckle.enrol(await picture(75), 'slab-75');
        const { databaseUrl } = department.environment;
        const service = await new DataSource({
          ...{ type: 'postgres', url: databaseUrl, extra: { options: '-c search_path=department' } },
        }).initialize();
        try {
          for (const statement of [
            `UPDATE speckle_enrolment SET helper_data = '\\x00'`,
            `DELETE FROM speckle_enrolment`,
            `UPDATE speckle_slab SET account_id = '${OTHER.accountId}'`,
            `DELETE FROM speckle_slab`,
          ])
            await expect(service.query(statement)).rejects.toThrow(/permission denied/);
        } finally {
          await service.destroy();
        }
        await expect(department.database.query(`DELETE FROM speckle_enrolment`)).rejects.toThrow(
          /append-only/,
        );
      });
    });

    describe('a file that is no picture of a surface', () => {
      const text = (characters: string) => new Uint8Array(Buffer.from(characters, 'latin1'));
      const blank = (width: number, height: number) =>
        pngOf({ width, height, pixels: new Uint8Array(width * height).fill(90) });
      const png = () => picture(1);
      const cut = async () => (await png()).subarray(0, -4_000);
      const longer = async () =>
        Buffer.concat([await png(), text('PK\x03\x04 and a second life as an archive')]);

      it.each([
        ['text', () => text('a slab, really'), 'UNSUPPORTED_MEDIA_TYPE', 'UNSUPPORTED_TYPE', {}],
        [
          'an SVG',
          () => text('<svg xmlns="http://www.w3.org/2000/svg"/>'),
          'UNSUPPORTED_MEDIA_TYPE',
          'UNSUPPORTED_TYPE',
          {},
        ],
        ['a GIF', () => text(`GIF89a${'\0'.repeat(100)}`), 'UNSUPPORTED_MEDIA_TYPE', 'UNSUPPORTED_TYPE', {}],
        ['one pixel', () => blank(1, 1), 'UNPROCESSABLE', 'TOO_SMALL', { bound: 256, got: 1 }],
        [
          '17 megapixels',
          () => blank(4_097, 4_096),
          'BODY_TOO_LARGE',
          'TOO_MANY_PIXELS',
          { bound: 16_777_216, got: 16_781_312 },
        ],
        ['a picture that is cut off', cut, 'UNPROCESSABLE', 'TRUNCATED', {}],
        ['a picture with an archive behind it', longer, 'UNPROCESSABLE', 'TRAILING_BYTES', {}],
      ] as const)(
        '%s is refused, in admission too, with its fault and bound',
        async (_name, make, code, fault, bound) => {
          const image = await make();
          await speckle.enrol(await picture(80), 'slab-80');
          for (const ask of [
            () => speckle.extract(image),
            () => speckle.admitExtract(image),
            () => speckle.enrol(image, 'slab-81'),
            () => speckle.verify(image, { slabId: 'slab-80' }),
            () => speckle.admitVerify(image, { slabId: 'slab-80' }),
          ]) {
            const { payload } = await problemOf(ask());
            expect([payload.code, payload.extensions]).toEqual([code, { imageFault: fault }]);
            expect(payload.errors).toMatchObject([{ path: 'imageBase64', ...bound }]);
          }
          expect(await rowsOf('slab-81')).toEqual([]);
        },
      );

      it('is not decoded before it is counted against a quota, and costs what its pixels say', async () => {
        const free = { subject: 'somebody', standing: 'later' } as const;
        await speckle.enrol(await picture(80), 'slab-80');
        const image = await cut();
        const { workUnits } = await runInTurn(free, () => speckle.admitExtract(image));
        const [large, larger] = [await blank(4_096, 4_096), await blank(4_097, 4_096)];
        const { workUnits: ofLarge } = await runInTurn(free, () => speckle.admitExtract(large));
        expect([workUnits, ofLarge]).toEqual([108, 939]);
        expect(await runInTurn(free, () => speckle.admitVerify(image, { slabId: 'slab-80' }))).toEqual({
          workUnits: 466,
        });
        const { code } = await problemOf(runInTurn(free, () => speckle.admitExtract(larger)));
        expect(code).toBe('BODY_TOO_LARGE');
        expect((await problemOf(runInTurn(free, () => speckle.extract(image)))).code).toBe('UNPROCESSABLE');
      });

      it('is decoded before its payment up to a bound of a caller, which has back what it has paid for', async () => {
        const large = await blank(4_096, 4_096);
        const as = (subject: string, standing: 'claiming' | 'settled', work: () => Promise<unknown>) =>
          runInTurn({ subject, standing }, work);
        const admit = () => speckle.admitExtract(large);
        let admitted = 0;
        const refused = async () => {
          for (; ; admitted++) await as('payer', 'claiming', admit);
        };
        const { code, payload } = await problemOf(refused());
        // And what has come back of it meanwhile.
        expect(admitted).toBeGreaterThanOrEqual(31);
        expect([code, payload]).toMatchObject([
          'RATE_LIMITED',
          { errors: [{ path: 'imageBase64', bound: 30_000 }], retryAfterSeconds: expect.any(Number) },
        ]);
        await as('another', 'claiming', admit);
        await as('payer', 'settled', () => speckle.extract(large));
        await as('payer', 'claiming', admit);
      });

      it.each([
        ['outside the picture', { x: 200, y: 0, width: 256, height: 256 }, { bound: 384, got: 456 }],
        ['smaller than a fingerprint', { x: 0, y: 0, width: 255, height: 300 }, { bound: 256, got: 255 }],
      ])('a region %s is refused with its bound', async (_name, roi, bound) => {
        const image = await picture(80);
        await speckle.enrol(image, 'slab-80');
        for (const ask of [
          () => speckle.admitExtract(image, { roi }),
          () => speckle.admitVerify(image, { slabId: 'slab-80', roi }),
        ]) {
          const { code, payload } = await problemOf(ask());
          expect([code, payload.errors]).toMatchObject(['UNPROCESSABLE', [{ path: 'roi', ...bound }]]);
        }
      });
    });
  });
}
