import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The document can be begun anew: with its content, or empty, and under client ids of its own. Each client id belongs to the epoch
 * in which it was claimed, and writes in no later one.
 */
export class DocumentEpochs1767000000000 implements MigrationInterface {
  readonly name = 'DocumentEpochs1767000000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE crdt_snapshot ADD COLUMN epoch integer NOT NULL DEFAULT 0 CHECK (epoch >= 0)`,
    );
    // The address that a client id was claimed from, as a keyed digest.
    await runner.query(`
      ALTER TABLE crdt_writer
        ADD COLUMN epoch integer NOT NULL DEFAULT 0 CHECK (epoch >= 0),
        ADD COLUMN address text CHECK (octet_length(address) BETWEEN 1 AND 64)`);
    await runner.query(
      `CREATE INDEX crdt_writer_address ON crdt_writer (doc, address, claimed_at) WHERE address IS NOT NULL`,
    );
    await runner.query(`
      CREATE TABLE crdt_epoch (
        doc text NOT NULL CHECK (doc ~ '^[a-z][a-z0-9-]{0,62}$'),
        epoch integer NOT NULL CHECK (epoch > 0),
        begun_at timestamptz NOT NULL DEFAULT now(),
        begun_by text CHECK (octet_length(begun_by) BETWEEN 1 AND 200),
        reason text NOT NULL CHECK (octet_length(reason) BETWEEN 1 AND 800),
        content text NOT NULL CHECK (content IN ('kept', 'cleared')),
        writers integer NOT NULL,
        bytes_before integer NOT NULL,
        bytes integer NOT NULL,
        PRIMARY KEY (doc, epoch)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE crdt_epoch`);
    await runner.query(`DELETE FROM crdt_writer WHERE epoch < (SELECT max(epoch) FROM crdt_snapshot)`);
    await runner.query(`ALTER TABLE crdt_writer DROP COLUMN epoch, DROP COLUMN address`);
    await runner.query(`ALTER TABLE crdt_snapshot DROP COLUMN epoch`);
  }
}
