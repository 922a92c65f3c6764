import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { speckleRoutes } from '@svc/contracts';
import { pictureFile, pngOf } from '@svc/speckle/testing';
import { createHash } from 'node:crypto';
import { DataSource } from 'typeorm';
import { ADMIN_KEY } from './card-fixture.js';
import { post } from './paid-call.js';
import type { PaidRoute } from './paid-route-fixture.js';

type Json = Record<string, any>; // eslint-disable-line @typescript-eslint/no-explicit-any -- of any route

const EXTRACT = speckleRoutes.extractPuf.path;
const VERIFY = speckleRoutes.verifySlab.path;

let route: PaidRoute;
let database: DataSource;
let [mint, other] = ['', ''];

const at = (path: string) => route.address + path;
const used = async () =>
  Number((await database.query('SELECT coalesce(sum(used), 0) AS used FROM quota_usage'))[0].used);

async function newKey(): Promise<string> {
  const admin = { 'x-svc-key': ADMIN_KEY };
  const { json: account } = await post(at('/v1/admin/accounts'), {}, admin);
  const one = at(`/v1/admin/accounts/${String(account.accountId)}`);
  await post(`${one}/credit`, { amountMicroUsd: 1_000_000, reason: 'test' }, admin);
  return (await post(`${one}/keys`, {}, admin)).json.key as string;
}

const picture = (surface: number, seed = 1, more: object = {}) =>
  pictureFile({ surface, seed, noise: 0.05, ...more });
const ask = (path: string, image: Uint8Array, body: Json = {}, key?: string) =>
  post(
    at(path),
    { imageBase64: Buffer.from(image).toString('base64'), ...body },
    { ...(key && { 'x-svc-key': key }) },
  );
const read = (image: Uint8Array, body: Json = {}, key?: string) =>
  ask(EXTRACT, image, { modality: 'laser_speckle', ...body }, key);
const enrol = (image: Uint8Array, slabId: string, key?: string) => read(image, { enroll: true, slabId }, key);

/** @param shared what all suites of the file share */
export function describeSpeckleRoutes(shared: () => PaidRoute): void {
  describe('surfaces by their routes', () => {
    beforeAll(async () => {
      route = shared();
      database = await new DataSource({
        type: 'postgres',
        url: route.databaseUrl,
        extra: { options: '-c search_path=payments' },
      }).initialize();
      [mint, other] = [await newKey(), await newKey()];
    });

    afterAll(async () => {
      await database?.destroy();
    });

    beforeEach(() => database.query('UPDATE quota_usage SET used = 0'));

    describe('a surface', () => {
      it('is enrolled with a key, known again without one by its owner’s token, and the evidence of all holds', async () => {
        const first = await picture(1);
        const enrolled = await enrol(first, 'MINT-1', mint);
        expect([enrolled.status, enrolled.json.bits]).toEqual([200, 1_922]);
        const again = await picture(1, 2, { shiftXPx: -7.5, shiftYPx: 4.25, rotationDeg: 1 });
        const compared = await ask(VERIFY, again, { slabId: 'MINT-1' }, mint);
        expect(compared.json).toMatchObject({
          verdict: 'match',
          pufId: enrolled.json.pufId,
          keyReproduced: true,
        });
        const { verificationToken } = enrolled.json;
        const told = await ask(VERIFY, again, { slabId: 'MINT-1', verificationToken });
        const { auditProof: _evidence, proves: _proves, doesNotProve: _limits, ...verdict } = told.json;
        expect(verdict).toEqual({
          verdict: 'match',
          pufId: enrolled.json.pufId,
          enrolledAt: expect.any(String),
        });
        expect(await used()).toBe(3);
        const requests: [Json, Json, Uint8Array][] = [
          [enrolled.json, { modality: 'laser_speckle', enroll: true, slabId: 'MINT-1' }, first],
          [compared.json, { slabId: 'MINT-1' }, again],
          [told.json, { slabId: 'MINT-1' }, again],
        ];
        for (const [{ auditProof, ...result }, request, image] of requests) {
          const imageSha256 = `0x${createHash('sha256').update(image).digest('hex')}`;
          const check = { auditProof, result, request: { ...request, imageSha256 } };
          expect((await post(at('/v1/stark/verify-proof'), check)).json).toMatchObject({ valid: true });
          const changed = { ...check, request: { ...check.request, imageSha256: `0x${'0'.repeat(64)}` } };
          expect((await post(at('/v1/stark/verify-proof'), changed)).json).toMatchObject({ valid: false });
        }
      });

      it('is not another one', async () => {
        await enrol(await picture(2), 'MINT-2', mint);
        const { json } = await ask(VERIFY, await picture(3), { slabId: 'MINT-2' }, mint);
        expect(json.verdict).toBe('mismatch');
        expect(json.fhd).toBeGreaterThan(json.threshold as number);
      });

      it('is nobody’s to ask about without the owner’s token, and that is not counted', async () => {
        await enrol(await picture(2), 'MINT-2', mint);
        await database.query('UPDATE quota_usage SET used = 0');
        for (const [body, key] of [
          [{}, undefined],
          [{}, other],
          [{ verificationToken: `slv_${'A'.repeat(43)}` }, other],
        ] as const) {
          const { status, json } = await ask(VERIFY, await picture(2, 2), { slabId: 'MINT-2', ...body }, key);
          expect([status, json.code]).toEqual([403, 'FORBIDDEN']);
          expect(json.errors).toMatchObject([{ path: 'verificationToken', bound: expect.any(String) }]);
        }
        expect(await used()).toBe(0);
      });

      it('keeps its name for the account that enrolled it first; asked again, its enrolment is the same', async () => {
        const image = await picture(4);
        const first = await enrol(image, 'MINT-4', mint);
        const theirs = await enrol(await picture(5), 'MINT-4', other);
        expect([theirs.status, theirs.json.code]).toEqual([409, 'CONFLICT']);
        const repeated = await enrol(image, 'MINT-4', mint);
        for (const field of ['pufId', 'helperData', 'keyCommitment', 'fingerprintHex'])
          expect([field, repeated.json[field]]).toEqual([field, first.json[field]]);
      });

      it('is not enrolled without a key, and that is not counted', async () => {
        const { status, json } = await enrol(await picture(6), 'MINT-6');
        expect([status, json.code, await used()]).toEqual([401, 'UNKNOWN_CREDENTIAL', 0]);
        expect((await ask(VERIFY, await picture(6), { slabId: 'MINT-6' })).status).toBe(404);
      });

      it('has its task at the desk of authentication, by the key that pays', async () => {
        const imageBase64 = Buffer.from(await picture(7)).toString('base64');
        const task = { imageBase64, modality: 'laser_speckle', enroll: true, slabId: 'MINT-7' };
        const headers = { 'x-svc-key': mint, prefer: 'wait=25' };
        const { status, json } = await post(
          at('/departments/authentication'),
          { capability: 'speckle.extract-puf', task },
          headers,
        );
        expect([status, json.status, json.payment]).toEqual([200, 'COMPLETED', 'delivered']);
        const compared = await ask(VERIFY, await picture(7, 2), { slabId: 'MINT-7' }, mint);
        expect(compared.json).toMatchObject({ verdict: 'match', pufId: (json.result as Json).pufId });
      });
    });

    describe('a bad request', () => {
      const text = (characters: string) => new Uint8Array(Buffer.from(characters, 'latin1'));
      it.each<[string, () => Uint8Array | Promise<Uint8Array>, Json, number, string]>([
        ['no picture', () => text('a slab'), {}, 415, 'imageBase64'],
        ['an SVG', () => text('<svg xmlns="http://www.w3.org/2000/svg"/>'), {}, 415, 'imageBase64'],
        [
          'one pixel',
          () => pngOf({ width: 1, height: 1, pixels: new Uint8Array(1) }),
          {},
          422,
          'imageBase64',
        ],
        [
          ...[
            '17 megapixels',
            () => pngOf({ width: 4_097, height: 4_096, pixels: new Uint8Array(4_097 * 4_096) }),
          ],
          ...[{}, 413, 'imageBase64'],
        ] as never,
        ['a cut', async () => (await picture(1)).subarray(0, 20_000), {}, 422, 'imageBase64'],
        [
          'a region outside',
          () => picture(1),
          { roi: { x: 300, y: 0, width: 256, height: 256 } },
          422,
          'roi',
        ],
        ['a slabId without enroll', () => picture(1), { slabId: 'MINT-1' }, 422, 'slabId'],
        ['a modality that there is none of', () => picture(1), { modality: 'radar' }, 400, 'modality'],
      ])('with %s costs nothing, and names the field', async (_name, make, body, status, path) => {
        const image = await make();
        const answer = await read(image, body);
        expect([answer.status, (answer.json.errors as Json[])[0].path]).toEqual([status, path]);
        expect(await used()).toBe(0);
      });
    });
  });
}
