import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The key that a challenge is bound to: its signature is needed for a token, which names it. */
export class ConfirmationKeys1768900000000 implements MigrationInterface {
  readonly name = 'ConfirmationKeys1768900000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE pairing_challenge ADD confirmation_key bytea CHECK (length(confirmation_key) = 32)`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE pairing_challenge DROP confirmation_key`);
  }
}
