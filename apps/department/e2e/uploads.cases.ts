import { beforeEach, describe, expect, it } from '@jest/globals';
import { generateCertificate } from '@svc/certificates/testing';
import {
  bullionContract,
  certificatesContract,
  UPLOAD_BYTES_MAX,
  UPLOAD_SECONDS,
  uploadsContract,
} from '@svc/contracts';
import { problemOf, runInTurn } from '@svc/platform';
import { createHash } from 'node:crypto';
import { UPLOADS_BYTES_MAX, UPLOADS_BYTES_OF_CALLER } from '../src/uploads/upload-store.js';
import { linesOf, ringWav } from './bullion-fixture.js';
import { requirementsOf } from './coi-fixture.js';
import type { DepartmentFixture } from './department-fixture.js';

/** @param fixtureOf what the suite has started */
export function describeUploads(fixtureOf: () => DepartmentFixture): void {
  const query = (sql: string, values: unknown[] = []) => fixtureOf().database.query(sql, values);
  const add = (file: Uint8Array, subject = 'a-caller') =>
    runInTurn({ subject, standing: 'later' }, () => fixtureOf().bus.call(uploadsContract.add, { file }));
  /** A first upload of a caller, as its row has it. */
  const rowOf = async (subject: string) => {
    const { uploadId } = await add(Buffer.from('first'), subject);
    return (await query(`SELECT caller FROM upload WHERE upload_id = $1`, [uploadId]))[0];
  };
  const heldBytes = async () =>
    Number((await query(`SELECT coalesce(sum(length(file)), 0) AS bytes FROM upload`))[0].bytes);
  /** Rows of others, which take so many bytes. */
  const fill = async (bytes: number) => {
    for (let left = bytes; left > 0; left -= UPLOAD_BYTES_MAX)
      await query(
        `INSERT INTO upload (upload_id, caller, file, sha256, expires_at)
         VALUES ('upl_' || substr(md5(random()::text), 1, 22), md5(random()::text), decode(repeat('00', $1), 'hex'),
           '0x' || repeat('0', 64), now() + interval '5 min')`,
        [Math.min(left, UPLOAD_BYTES_MAX)],
      );
  };

  describe('an upload', () => {
    beforeEach(() => query(`TRUNCATE upload`));

    it('is there for ten minutes, as it came, to who names it', async () => {
      const file = Buffer.from('any bytes');
      const upload = await add(file);
      const sha256 = `0x${createHash('sha256').update(file).digest('hex')}`;
      expect(upload).toMatchObject({ bytes: 9, sha256 });
      expect(Date.parse(upload.expiresAt) - Date.now()).toBeGreaterThan((UPLOAD_SECONDS - 60) * 1_000);
      const { uploadId } = upload;
      expect(await fixtureOf().bus.call(uploadsContract.find, { uploadId })).toEqual(upload);
      await query(`UPDATE upload SET expires_at = now() - interval '2 min'`);
      const { code, payload } = await problemOf(fixtureOf().bus.call(uploadsContract.find, { uploadId }));
      expect([code, payload.errors?.[0].path]).toEqual(['UNPROCESSABLE', 'uploadId']);
      const call = { request: { productId: 'krugerrand', massG: 33.93 }, uploadId };
      expect((await problemOf(fixtureOf().bus.call(bullionContract.admit, call))).code).toBe('UNPROCESSABLE');
      await add(file);
      expect(await query(`SELECT upload_id FROM upload`)).toHaveLength(1);
    });

    it('that was found in time is read a little later, too', async () => {
      const { uploadId } = await add(ringWav(linesOf('krugerrand')));
      await query(`UPDATE upload SET expires_at = now()`);
      const request = { productId: 'krugerrand', massG: 33.93 };
      await fixtureOf().bus.call(bullionContract.admit, { request, uploadId });
      expect((await problemOf(fixtureOf().bus.call(uploadsContract.find, { uploadId }))).code).toBe(
        'UNPROCESSABLE',
      );
    });

    it('is looked at for few callers at once before a payment, and for any that has paid', async () => {
      const { uploadId } = await add(Buffer.alloc(UPLOAD_BYTES_MAX, 3));
      const call = { request: { requirementSetId: 'electrical' }, uploadId };
      const codesOf = async (standing: 'claiming' | 'settled') => {
        const admit = () =>
          runInTurn({ subject: 'many-at-once', standing }, () =>
            problemOf(fixtureOf().bus.call(certificatesContract.admit, call)),
          );
        const refused = await Promise.all(Array.from({ length: 6 }, admit));
        return new Set(refused.map(({ code }) => code));
      };
      // 64 MiB, of which a caller has a third: two of the longest.
      expect(await codesOf('claiming')).toContain('OVERLOADED');
      expect(await codesOf('settled')).toEqual(new Set(['UNPROCESSABLE']));
    });

    it('is what a ring test listens to', async () => {
      const wav = ringWav(linesOf('krugerrand'));
      const { uploadId, sha256 } = await add(wav);
      const request = { productId: 'krugerrand', massG: 33.93 };
      await fixtureOf().bus.call(bullionContract.admit, { request, uploadId });
      const uploaded = await fixtureOf().bus.call(bullionContract.verify, { request, uploadId });
      expect(uploaded).toMatchObject({ evidenceLevel: 'RECORDING', recording: { sha256 } });
      const sent = await fixtureOf().bus.call(bullionContract.verify, { request, recording: wav });
      expect([uploaded.verdict, uploaded.modes]).toEqual([sent.verdict, sent.modes]);
    });

    it('is the certificate that an audit reads', async () => {
      const { bytes, truth } = await generateCertificate(11, { variant: 'fillable', deficiencies: [] });
      const request = { requirements: requirementsOf(truth), asOf: truth.asOf };
      const { uploadId } = await add(bytes);
      await fixtureOf().bus.call(certificatesContract.admit, { request, uploadId });
      const audit = { request, uploadId, creditsRemaining: null };
      expect(await fixtureOf().bus.call(certificatesContract.verify, audit)).toMatchObject({
        variant: 'fillable',
        insured: truth.expectedInsured,
      });
    });

    it('names its caller by no digest that could be guessed', async () => {
      await add(Buffer.from('any'), 'an-address');
      const [row] = await query(`SELECT caller FROM upload`);
      expect(row.caller).toMatch(/^[A-Za-z0-9_-]{22}$/);
      for (const encoding of ['hex', 'base64url'] as const)
        expect(createHash('sha256').update('an-address').digest(encoding)).not.toContain(row.caller);
    });

    it('of one caller takes the room of two of the longest, however many come at once', async () => {
      const file = Buffer.alloc(UPLOAD_BYTES_MAX / 2, 7);
      const added = await Promise.allSettled(Array.from({ length: 12 }, () => add(file)));
      const refused = added.flatMap(each =>
        each.status === 'rejected' ? [each.reason as { code: string; payload: object }] : [],
      );
      expect([added.length - refused.length, await heldBytes()]).toEqual([4, UPLOADS_BYTES_OF_CALLER]);
      for (const { code, payload } of refused)
        expect([code, payload]).toMatchObject(['RATE_LIMITED', { retryAfterSeconds: expect.any(Number) }]);
      await add(file, 'another');
    });

    it('of one caller is 240 at most, however short', async () => {
      await query(
        `INSERT INTO upload (upload_id, caller, file, sha256, expires_at)
         SELECT 'upl_' || substr(md5(n::text), 1, 22), $1, '\\x00', '0x' || repeat('0', 64), now() + interval '5 min'
           FROM generate_series(1, 239) n`,
        [(await rowOf('a-caller')).caller],
      );
      const { code } = await problemOf(add(Buffer.from('x')));
      expect(code).toBe('RATE_LIMITED');
    });

    it('finds no room where the last quarter is taken in shares', async () => {
      await fill(UPLOADS_BYTES_MAX * 0.75);
      // Of what is left, 32 MiB, a caller has a third.
      const file = Buffer.alloc(UPLOAD_BYTES_MAX, 7);
      await add(file);
      const { code, payload } = await problemOf(add(file));
      expect([code, payload.retryAfterSeconds]).toEqual(['OVERLOADED', expect.any(Number)]);
      await add(file, 'another');
      expect(await heldBytes()).toBeLessThanOrEqual(UPLOADS_BYTES_MAX);
    });
  });
}
