import { type DigestColumn, keyDigestColumn, unkeyDigestColumn } from '@svc/platform';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Columns of digests of what callers sent, with what each is bound to. */
export const DIGEST_COLUMNS: readonly DigestColumn[] = [
  { table: 'coi_batch', column: 'request_digest', id: ['batch_id', 'text'], owner: 'batch_id' },
  {
    ...{ table: 'arena_call', column: 'request_digest' },
    ...{ id: ['idem_key', 'bytea'], owner: `encode(idem_key, 'hex')`, isBytes: true },
  },
  {
    ...{ table: 'card_import', column: 'body_digest' },
    ...{ id: ['import_id', 'bigint'], owner: 'import_id::text' },
  },
  {
    ...{ table: 'bullion_challenge', column: 'used_by_digest' },
    ...{ id: ['challenge_id', 'text'], owner: 'challenge_id', isBytes: true },
  },
];

/** Bound to the account; a row is sealed together with its digest, so that the speckle store converts it itself. */
const ENROLMENT: Omit<DigestColumn, 'owner'> = {
  ...{ table: 'speckle_enrolment', column: 'request_digest' },
  ...{ id: ['puf_id', 'text'], isBytes: true },
};

/** One of the forms that a row's digest has. */
export const enrolmentForm = (place: 1 | 2) => `split_part(encode(request_digest, 'escape'), ' ', ${place})`;

/** Digests of requests are keyed, since a short request is found from a plain one by trying. */
export class KeyedDigests1766500000000 implements MigrationInterface {
  readonly name = 'KeyedDigests1766500000000';

  async up(runner: QueryRunner): Promise<void> {
    for (const column of [...DIGEST_COLUMNS, ENROLMENT]) await keyDigestColumn(runner, column);
    await runner.query(`
      CREATE INDEX speckle_enrolment_request ON speckle_enrolment (${enrolmentForm(1)})`);
    await runner.query(`
      CREATE INDEX speckle_enrolment_request_second_key ON speckle_enrolment (${enrolmentForm(2)})
        WHERE ${enrolmentForm(2)} <> ''`);
    // Evidence in a result has a digest of the request: results are sealed, and those of earlier releases found by this.
    await runner.query(`
      CREATE INDEX task_plain_result ON task (task_id)
        WHERE result IS NOT NULL AND result ->> '$sealed' IS NULL`);
    await runner.query(`DROP TRIGGER speckle_enrolment_is_append_only ON speckle_enrolment`);
    await runner.query(`
      CREATE TRIGGER speckle_enrolment_is_append_only BEFORE DELETE OR TRUNCATE ON speckle_enrolment
        FOR EACH STATEMENT EXECUTE FUNCTION refuse_speckle_change()`);
    // A digest that is plain is keyed once, and the print that is bound to it is sealed again; all else stays as it was.
    await runner.query(`
      CREATE FUNCTION refuse_enrolment_change() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF length(OLD.request_digest) = 32 AND length(NEW.request_digest) <> 32
           AND to_jsonb(OLD) - ARRAY['request_digest', 'sealed'] = to_jsonb(NEW) - ARRAY['request_digest', 'sealed']
        THEN RETURN NEW; END IF;
        RAISE EXCEPTION 'speckle_enrolment is append-only';
      END $$`);
    await runner.query(`
      CREATE TRIGGER speckle_enrolment_stays BEFORE UPDATE ON speckle_enrolment
        FOR EACH ROW EXECUTE FUNCTION refuse_enrolment_change()`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX task_plain_result`);
    await runner.query(`DROP TRIGGER speckle_enrolment_stays ON speckle_enrolment`);
    await runner.query(`DROP FUNCTION refuse_enrolment_change()`);
    await runner.query(`DROP INDEX speckle_enrolment_request_second_key`);
    await runner.query(`DROP INDEX speckle_enrolment_request`);
    for (const column of [ENROLMENT, ...DIGEST_COLUMNS]) await unkeyDigestColumn(runner, column);
    await runner.query(`DROP TRIGGER speckle_enrolment_is_append_only ON speckle_enrolment`);
    await runner.query(`
      CREATE TRIGGER speckle_enrolment_is_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON speckle_enrolment
        FOR EACH STATEMENT EXECUTE FUNCTION refuse_speckle_change()`);
  }
}
