import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A proof that is kept is told as an event: the table itself writes it, in the transaction that keeps the proof. */
export class ProofEvents1764600200000 implements MigrationInterface {
  readonly name = 'ProofEvents1764600200000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE FUNCTION proof_made() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
      BEGIN
        INSERT INTO event_outbox (subject, event_id, data)
        SELECT 'events.proof.made.' || proof_id, 'proof:' || proof_id,
               json_build_object('specversion', '1.0', 'id', 'proof:' || proof_id, 'source', '/prover',
                 'type', 'svc.proof.made.v1', 'subject', proof_id, 'time', at,
                 'datacontenttype', 'application/json',
                 'data', json_build_object('proofId', proof_id, 'airId', air_id, 'at', at))::text
          FROM (SELECT proof_id, air_id, to_char(clock_timestamp() AT TIME ZONE 'UTC',
                         'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS at
                  FROM made) event;
        RETURN NULL;
      END $$`);
    await runner.query(`
      CREATE TRIGGER proof_made AFTER INSERT ON proof REFERENCING NEW TABLE AS made
        FOR EACH STATEMENT EXECUTE FUNCTION proof_made()`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TRIGGER proof_made ON proof`);
    await runner.query(`DROP FUNCTION proof_made`);
  }
}
