import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What of a document was written under a client id when its epoch ended, in bytes. It is in the next one, under a client id of the
 * service and under no address, and counts for an hour to the share of the one that it came from.
 */
export class AddressBytes1767400000000 implements MigrationInterface {
  readonly name = 'AddressBytes1767400000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE crdt_writer ADD COLUMN ended_bytes integer CHECK (ended_bytes >= 0)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE crdt_writer DROP COLUMN ended_bytes`);
  }
}
