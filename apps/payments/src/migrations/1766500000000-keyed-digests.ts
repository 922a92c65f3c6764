import { type DigestColumn, keyDigestColumn, unkeyDigestColumn } from '@svc/platform';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { CLAIM_BY_KEY } from './1763800200000-claims-by-key.js';
import { STANDING_CLAIM_BY_KEY } from './1763901000000-execution-tickets.js';

/** Every column of digests of what was sent, with what each is bound to. */
export const DIGEST_COLUMNS: readonly DigestColumn[] = [
  {
    ...{ table: 'payment_claim', column: 'request_digest' },
    ...{ id: ['claim_id', 'uuid'], owner: 'coalesce(payer, claim_id::text)' },
  },
  {
    ...{ table: 'execution_ticket', column: 'request_digest' },
    ...{ id: ['ticket_id', 'uuid'], owner: 'ticket_id::text' },
  },
  {
    ...{ table: 'checkout_session', column: 'request_digest' },
    ...{ id: ['checkout_id', 'text'], owner: 'checkout_id' },
  },
  { table: 'escrow', column: 'request_digest', id: ['escrow_id', 'text'], owner: 'escrow_id' },
];

const AUDIT: DigestColumn = {
  ...{ table: 'admin_audit', column: 'arguments_digest' },
  ...{ id: ['audit_id', 'bigint'], owner: 'account_id' },
};

/** The newest claim of a payer whose digest is, at this place of what its row has, one of those asked for. */
const newestAt = (place: 1 | 2) => `
          (SELECT c.claim_id, c.state, c.attempt, c.lease_until, c.given_up_count, c.funding, c.request_digest,
                  c.delivered_at, c.spent_at, c.claimed_at
             FROM payment_claim c
            WHERE c.payer = of_payer AND split_part(c.request_digest, ' ', ${place}) = form
              AND split_part(c.request_digest, ' ', ${place}) <> ''
            ORDER BY c.claimed_at DESC LIMIT 1)`;

/** As before, but that digest is the forms that a row may have it in, separated by spaces. */
const STANDING_CLAIM_BY_FORMS = `
  CREATE OR REPLACE FUNCTION standing_claim_by_key(of_payer text, operation text, idempotency text, digest text,
    OUT claim_id uuid, OUT state text, OUT attempt integer, OUT lease_until timestamptz, OUT given_up_count integer,
    OUT funding text, OUT verdict text)
  LANGUAGE plpgsql SET search_path FROM CURRENT SET enable_seqscan TO off AS $$
  DECLARE found_digest text; delivered timestamptz; spent timestamptz; kept interval := interval '24 hours';
    forms text[] := string_to_array(digest, ' ');
  BEGIN
    IF idempotency IS NOT NULL THEN
      SELECT c.claim_id, c.state, c.attempt, c.lease_until, c.given_up_count, c.funding, c.request_digest,
             c.delivered_at
        INTO claim_id, state, attempt, lease_until, given_up_count, funding, found_digest, delivered
        FROM payment_claim c
       WHERE c.payer = of_payer AND c.operation_id = operation AND c.idempotency_key = idempotency
         AND c.claimed_at > now() - interval '24 hours'
       ORDER BY c.claimed_at DESC LIMIT 1;
      IF NOT string_to_array(found_digest, ' ') && forms THEN
        verdict := 'mismatch';
        RETURN;
      END IF;
    END IF;
    IF found_digest IS NULL THEN
      kept := interval '60 seconds';
      SELECT newest.claim_id, newest.state, newest.attempt, newest.lease_until, newest.given_up_count,
             newest.funding, newest.request_digest, newest.delivered_at, newest.spent_at
        INTO claim_id, state, attempt, lease_until, given_up_count, funding, found_digest, delivered, spent
        FROM unnest(forms) AS form, LATERAL (${newestAt(1)}
          UNION ALL${newestAt(2)}) AS newest
       ORDER BY newest.claimed_at DESC LIMIT 1;
    END IF;
    verdict := CASE
      WHEN state = 'claimed' AND lease_until > clock_timestamp() THEN 'in-flight'
      WHEN state = 'claimed' THEN 'lapsed'
      WHEN state = 'unknown' THEN 'unknown'
      WHEN state = 'delivered' AND delivered > now() - kept AND spent IS NULL THEN 'delivered'
      ELSE 'none' END;
  END $$`;

/** As before, but that a call brings the forms in which rows may have its digest. */
const CLAIM_BY_FORMS = [
  [
    'request_digest text, idempotency_key text, credential_digest text, amount_micro_usd bigint,\n        amount_sats',
    'request_digest text, request_forms text, idempotency_key text, credential_digest text,\n        amount_micro_usd bigint, amount_sats',
  ],
  [
    'call.idempotency_key, call.request_digest);',
    'call.idempotency_key,\n          coalesce(call.request_forms, call.request_digest));',
  ],
].reduce((text, [before, after]) => replaced(text, before, after), replacing(CLAIM_BY_KEY));

/**
 * Digests of requests are keyed, since a short request is found from a plain one by trying. A row may have a digest under two
 * keys, so that replicas find it whose lists of secrets are not the same yet. The rows themselves are converted by
 * `PlainDigests`, which knows the secrets.
 */
export class KeyedDigests1766500000000 implements MigrationInterface {
  readonly name = 'KeyedDigests1766500000000';

  async up(runner: QueryRunner): Promise<void> {
    for (const column of DIGEST_COLUMNS) await keyDigestColumn(runner, column);
    await runner.query(`DROP INDEX payment_claim_payer`);
    await runner.query(`
      CREATE INDEX payment_claim_payer
        ON payment_claim (payer, split_part(request_digest, ' ', 1), claimed_at DESC) WHERE payer IS NOT NULL`);
    await runner.query(`
      CREATE INDEX payment_claim_payer_second_key
        ON payment_claim (payer, split_part(request_digest, ' ', 2), claimed_at DESC)
        WHERE payer IS NOT NULL AND split_part(request_digest, ' ', 2) <> ''`);
    await runner.query(STANDING_CLAIM_BY_FORMS);
    await runner.query(CLAIM_BY_FORMS);
    await this.blindAudit(runner);
  }

  /**
   * The service may not change what operators did, not even a digest. So what an earlier release writes is blinded: by a secret
   * that nobody knows, under which equal arguments stay equal as far as one statement writes them.
   */
  private async blindAudit(runner: QueryRunner): Promise<void> {
    await keyDigestColumn(runner, AUDIT);
    await runner.query(`
      CREATE FUNCTION blind_digest(digest text, secret text) RETURNS text LANGUAGE sql IMMUTABLE
        SET search_path FROM CURRENT AS $$
        SELECT '00000000:' || rtrim(translate(encode(sha256(convert_to(secret || digest, 'UTF8')), 'base64'), '+/', '-_'), '=')
      $$`);
    await runner.query(`
      CREATE FUNCTION admin_audit_is_blind() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
      BEGIN
        IF length(NEW.arguments_digest) = 64 THEN
          NEW.arguments_digest := blind_digest(NEW.arguments_digest, gen_random_uuid()::text || gen_random_uuid()::text);
        END IF;
        RETURN NEW;
      END $$`);
    await runner.query(`
      CREATE TRIGGER admin_audit_blind BEFORE INSERT ON admin_audit
        FOR EACH ROW EXECUTE FUNCTION admin_audit_is_blind()`);
    await this.changingAudit(runner, () =>
      runner.query(`
        WITH secret AS MATERIALIZED (SELECT gen_random_uuid()::text || gen_random_uuid()::text AS text)
        UPDATE admin_audit SET arguments_digest = blind_digest(arguments_digest, secret.text) FROM secret
         WHERE length(arguments_digest) = 64`),
    );
  }

  private async changingAudit(runner: QueryRunner, work: () => Promise<unknown>): Promise<void> {
    await runner.query(`ALTER TABLE admin_audit DISABLE TRIGGER admin_audit_append_only`);
    await work();
    await runner.query(`ALTER TABLE admin_audit ENABLE TRIGGER admin_audit_append_only`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TRIGGER admin_audit_blind ON admin_audit`);
    await runner.query(`DROP FUNCTION admin_audit_is_blind`);
    await runner.query(`DROP FUNCTION blind_digest`);
    await this.changingAudit(runner, () => unkeyDigestColumn(runner, AUDIT));
    await runner.query(replacing(CLAIM_BY_KEY));
    await runner.query(STANDING_CLAIM_BY_KEY);
    await runner.query(`DROP INDEX payment_claim_payer_second_key`);
    await runner.query(`DROP INDEX payment_claim_payer`);
    for (const column of [...DIGEST_COLUMNS].reverse()) await unkeyDigestColumn(runner, column);
    await runner.query(`
      CREATE INDEX payment_claim_payer ON payment_claim (payer, request_digest, claimed_at DESC)
        WHERE payer IS NOT NULL`);
  }
}

/**
 * The text of a function with a part of it in other words, for a migration that changes no more than that part.
 * @throws RangeError where the part does not occur once
 */
export function replaced(text: string, before: string, after: string): string {
  if (text.split(before).length !== 2) throw new RangeError(`not once in the function: ${before}`);
  return text.replace(before, after);
}

/** `CREATE FUNCTION` as a statement that puts the function in the place of the one that is there. */
export function replacing(sql: string): string {
  return replaced(sql, 'CREATE FUNCTION', 'CREATE OR REPLACE FUNCTION');
}
