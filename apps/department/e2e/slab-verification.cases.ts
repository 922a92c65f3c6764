import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { KeyHolder } from '@svc/contracts';
import { problemOf, runInTurn } from '@svc/platform';
import { pngOf } from '@svc/speckle/testing';
import { SlabVerification1766600000000 } from '../src/migrations/1766600000000-slab-verification.js';
import { AnswerGrid } from '../src/speckle/answer-grid.js';
import { type DepartmentFixture, startDepartment } from './department-fixture.js';
import { MINT, OTHER, picture, speckleClient } from './speckle-fixture.js';

const TRIES_MAX = 4;
const ANSWER_EVERY_MS = 400;

let department: DepartmentFixture;
let speckle: ReturnType<typeof speckleClient>;

/** A surface under a slab of its own, and the name and token that its owner hands out. */
async function handedOut(surface: number, slabId = `slab-${surface}`) {
  const { pufId, verificationToken } = await speckle.enrol(await picture(surface), slabId);
  return { pufId: pufId!, slabId, verificationToken: verificationToken! };
}
const STRANGERS: readonly (readonly [string, KeyHolder | null])[] = [
  ['somebody without a key', null],
  ['another account', OTHER],
];

export function describeSlabVerification(): void {
  describe('slab verification', () => {
    beforeAll(async () => {
      const variables = { SANDBOX_CARD_MARKET: 'off', SPECKLE_TRIES_PER_DAY: String(TRIES_MAX) };
      department = await startDepartment({ variables }, { speckle: { answerEveryMs: ANSWER_EVERY_MS } });
      speckle = speckleClient(department);
    });
    afterAll(() => department?.close());

    describe.each(STRANGERS)('%s', (who, by) => {
      const surface = 100 + 10 * STRANGERS.findIndex(([name]) => name === who);

      it('is told nothing without the owner’s token, in admission too', async () => {
        const { pufId, slabId } = await handedOut(surface);
        const others = await handedOut(surface + 1);
        const image = await picture(surface, 2);
        for (const [verificationToken, got] of [
          [undefined, null],
          [`slv_${'A'.repeat(43)}`, 'slv_AAAA…'],
          [others.verificationToken, `${others.verificationToken.slice(0, 8)}…`],
        ])
          for (const name of [{ slabId }, { pufId }])
            for (const ask of [speckle.verify, speckle.admitVerify]) {
              const request = { ...name, ...(verificationToken && { verificationToken }) };
              const { code, payload } = await problemOf(ask(image, request, by));
              expect([code, payload.errors]).toMatchObject([
                'FORBIDDEN',
                [{ path: 'verificationToken', message: expect.any(String), bound: expect.any(String), got }],
              ]);
            }
      });

      it('gets one of three verdicts with it, and no figure', async () => {
        const { pufId, slabId, verificationToken } = await handedOut(surface + 2);
        const owned = await speckle.verify(await picture(surface + 2, 2), { slabId });
        expect(owned).toMatchObject({ verdict: 'match', fhd: expect.any(Number), keyReproduced: true });
        for (const [image, verdict] of [
          [picture(surface + 2, 2), 'match'],
          [picture(surface + 3), 'mismatch'],
          [picture(surface + 2, 2, { exposure: 180 }), 'inconclusive'],
        ] as const) {
          const told = await speckle.verify(await image, { slabId, verificationToken }, by);
          expect(told).toEqual({ verdict, pufId, enrolledAt: expect.any(String) });
        }
      });

      it('cannot have helper data looked at', async () => {
        const { slabId, verificationToken } = await handedOut(surface);
        const request = { slabId, verificationToken, helperData: 'AAAA' };
        for (const ask of [speckle.verify, speckle.admitVerify]) {
          const { code, payload } = await problemOf(ask(await picture(surface, 2), request, by));
          expect([code, payload.errors?.[0].path]).toEqual(['FORBIDDEN', 'helperData']);
        }
      });

      it('has his answer held until whole intervals have passed, whatever it is', async () => {
        const { slabId, verificationToken } = await handedOut(surface + 4);
        const { hold } = AnswerGrid.prototype;
        const did: string[] = [];
        const held = jest.spyOn(AnswerGrid.prototype, 'hold').mockImplementation(async function (
          this: AnswerGrid,
          work,
        ) {
          const outcome = hold.call(this, async () => {
            did.push('asked');
            return work().finally(() => did.push('known'));
          });
          return outcome.finally(() => did.push('let go')) as never;
        });
        try {
          for (const seen of [surface + 4, surface + 5]) {
            const { verdict } = await speckle.verify(
              await picture(seen, 3),
              { slabId, verificationToken },
              by,
            );
            expect([...did.splice(0), verdict]).toEqual([
              ...['asked', 'known', 'let go'],
              seen === surface + 4 ? 'match' : 'mismatch',
            ]);
          }
        } finally {
          held.mockRestore();
        }
      });
    });

    describe('a slab that is enrolled anew', () => {
      it('has another token, and the one before has ended; to its owner the older enrolments stay', async () => {
        const first = await handedOut(140);
        const { verificationToken } = await speckle.enrol(await picture(140, 2), first.slabId);
        expect(verificationToken).not.toBe(first.verificationToken);
        const image = await picture(140, 3);
        for (const name of [{ slabId: first.slabId }, { pufId: first.pufId }]) {
          const request = { ...name, verificationToken: first.verificationToken };
          const { code, payload } = await problemOf(speckle.verify(image, request, null));
          expect([code, payload.errors?.[0].path]).toEqual(['FORBIDDEN', 'verificationToken']);
        }
        expect((await speckle.verify(image, { slabId: first.slabId, verificationToken }, null)).verdict).toBe(
          'match',
        );
        expect(await speckle.verify(image, { pufId: first.pufId })).toHaveProperty('fhd');
      });
    });

    describe('the tries of a slab', () => {
      it('are counted whoever makes them and by whatever name, and never its owner’s', async () => {
        const { pufId, slabId, verificationToken } = await handedOut(150);
        const image = await picture(150, 2);
        const all = Array.from({ length: 2 * TRIES_MAX }, (_, i) =>
          speckle.verify(
            image,
            { ...(i % 2 ? { slabId } : { pufId }), verificationToken },
            i % 3 ? OTHER : null,
          ),
        );
        const outcomes = await Promise.allSettled(all);
        expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(TRIES_MAX);
        for (const ask of [speckle.verify, speckle.admitVerify])
          for (const by of [null, OTHER]) {
            const { code, payload } = await problemOf(ask(image, { slabId, verificationToken }, by));
            expect([code, payload]).toMatchObject([
              'RATE_LIMITED',
              {
                errors: [{ path: 'slabId', bound: TRIES_MAX, got: TRIES_MAX }],
                retryAfterSeconds: expect.any(Number),
              },
            ]);
          }
        for (let i = 0; i < 2 * TRIES_MAX; i++)
          expect(await speckle.verify(image, { slabId }, MINT)).toMatchObject({
            verdict: 'match',
            keyReproduced: true,
          });
        // Another slab has its own, and so has another day.
        const other = await handedOut(151);
        expect(
          await speckle.verify(
            await picture(151, 2),
            { slabId: other.slabId, verificationToken: other.verificationToken },
            null,
          ),
        ).toHaveProperty('verdict', 'match');
        await department.database.query(`UPDATE speckle_try SET day = day - 1 WHERE surface = $1`, [
          `slab:${slabId}`,
        ]);
        expect(await speckle.verify(image, { slabId, verificationToken }, null)).toHaveProperty(
          'verdict',
          'match',
        );
      });

      it('are not counted in admission, nor where the token is refused', async () => {
        const { slabId, verificationToken } = await handedOut(152);
        const image = await picture(152, 2);
        for (let i = 0; i < TRIES_MAX; i++) {
          await speckle.admitVerify(image, { slabId, verificationToken }, null);
          await problemOf(speckle.verify(image, { slabId }, null));
        }
        expect(
          await department.database.query(`SELECT 1 FROM speckle_try WHERE surface = $1`, [`slab:${slabId}`]),
        ).toEqual([]);
      });
    });

    describe('a surface that was enrolled while everybody was told the figures', () => {
      it('is marked by the migration, is compared for nobody, and is enrolled anew by another region', async () => {
        const { pufId, slabId, verificationToken } = await handedOut(160);
        const runner = department.database.createQueryRunner();
        const migration = new SlabVerification1766600000000();
        await migration.down(runner);
        await migration.up(runner);
        await runner.query(
          'GRANT SELECT ON speckle_exposed TO department; GRANT ALL ON speckle_try TO department',
        );
        await runner.release();
        const unmarked = `SELECT 1 FROM speckle_enrolment WHERE puf_id NOT IN (SELECT puf_id FROM speckle_exposed)`;
        expect(await department.database.query(unmarked)).toEqual([]);

        const image = await picture(160, 2);
        for (const ask of [speckle.verify, speckle.admitVerify])
          for (const [request, by] of [
            [{ slabId }, MINT],
            [{ pufId, verificationToken }, OTHER],
          ] as const) {
            const { code, payload } = await problemOf(ask(image, request, by));
            expect([code, payload.errors]).toMatchObject(['UNPROCESSABLE', [{ path: 'pufId', got: pufId }]]);
          }
        for (const known of [await picture(160), image])
          for (const ask of [speckle.extract, speckle.admitExtract]) {
            const { code, payload } = await problemOf(ask(known, { enroll: true, slabId }, MINT));
            expect([code, payload.extensions]).toEqual(['UNPROCESSABLE', { imageFault: 'KNOWN_REGION' }]);
          }
        const anew = await speckle.enrol(await picture(161), slabId);
        expect(await speckle.verify(await picture(161, 2), { slabId })).toMatchObject({
          ...{ verdict: 'match', pufId: anew.pufId, keyReproduced: true },
        });
        // What was enrolled first stays marked.
        expect((await problemOf(speckle.verify(image, { pufId }))).code).toBe('UNPROCESSABLE');
      });

      const mark = (pufId: string) =>
        department.database.query(`INSERT INTO speckle_exposed (puf_id) VALUES ($1)`, [pufId]);
      const holder = (letter: string): KeyHolder => ({ ...MINT, accountId: `acct_${letter.repeat(20)}` });

      it.each([
        ['without a slabId', 'r', undefined],
        ['under a new slabId', 's', 'slab-170-new'],
        ['under its own, of which a newer enrolment is marked too', 't', 'slab-170-t'],
      ])('is not enrolled %s over the same bits; another region is', async (_, letter, slabId) => {
        const owner = holder(letter);
        const { pufId } = await speckle.enrol(await picture(170), `slab-170-${letter}`, owner);
        const newer = await speckle.enrol(await picture(171), `slab-170-${letter}`, owner);
        for (const each of [pufId!, newer.pufId!]) await mark(each);
        const request = { enroll: true, ...(slabId !== undefined && { slabId }) };
        const moved = await picture(170, 2, { shiftXPx: 20, shiftYPx: -12 });
        for (const known of [await picture(170, 2), moved])
          for (const ask of [speckle.admitExtract, speckle.extract]) {
            const { code, payload } = await problemOf(ask(known, request, owner));
            expect([code, payload.extensions, payload.errors]).toMatchObject([
              ...['UNPROCESSABLE', { imageFault: 'KNOWN_REGION' }],
              [{ path: 'imageBase64', got: pufId }],
            ]);
          }
        expect(await speckle.extract(await picture(172), request, owner)).toHaveProperty('pufId');
      });

      it('is compared among 16 of its account, its slab’s first, which is counted as work', async () => {
        const owner = holder('u');
        const { pufId } = await speckle.enrol(await picture(175), 'slab-175', owner);
        await mark(pufId!);
        await department.database.query(
          `WITH newer AS (
             INSERT INTO speckle_enrolment (puf_id, slab_id, account_id, key_id, request_digest, fingerprint_version, modality,
               bit_count, usable_bits, quality, helper_data, key_commitment, residual_entropy_bits, enrolled_at, sealed)
             SELECT 'puf_' || lpad(n::text, 22, '0'), NULL, account_id, key_id, sha256(n::text::bytea), fingerprint_version, modality,
                    bit_count, usable_bits, quality, helper_data, key_commitment, residual_entropy_bits, enrolled_at, sealed
               FROM speckle_enrolment, generate_series(1, 20) n WHERE puf_id = $1 RETURNING puf_id)
           INSERT INTO speckle_exposed (puf_id) SELECT puf_id FROM newer`,
          [pufId],
        );
        const request = { enroll: true, slabId: 'slab-175' };
        const { payload } = await problemOf(speckle.extract(await picture(175, 2), request, owner));
        expect(payload.errors).toMatchObject([{ path: 'imageBase64', got: pufId }]);
        // Not decoded: within a quota the answer alone does that.
        const admit = (image: Uint8Array, by: KeyHolder) =>
          runInTurn({ subject: 'somebody', standing: 'later' }, () =>
            speckle.admitExtract(image, request, by),
          );
        expect(await admit(await picture(175, 2), owner)).toEqual({ workUnits: 108 + 16 * 358 });
        const blank = (width: number, height: number) =>
          pngOf({ width, height, pixels: new Uint8Array(width * height).fill(90) });
        expect(await admit(await blank(1_200, 2_500), owner)).toEqual({ workUnits: 250 + 16 * 500 });
        const { code, payload: refusal } = await problemOf(admit(await blank(1_201, 2_500), owner));
        expect([code, refusal]).toMatchObject([
          'BODY_TOO_LARGE',
          {
            extensions: { imageFault: 'TOO_MANY_PIXELS' },
            errors: [{ path: 'imageBase64', bound: 3_000_000, got: 3_002_500 }],
          },
        ]);
      });
    });
  });
}
