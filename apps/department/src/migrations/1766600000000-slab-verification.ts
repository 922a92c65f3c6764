import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Others than the owner try a slab so many times a day; and what was enrolled while figures were told to everybody is marked. */
export class SlabVerification1766600000000 implements MigrationInterface {
  readonly name = 'SlabVerification1766600000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE speckle_try (
        -- A slab, or a piece without one, by its kind and name.
        surface text PRIMARY KEY CHECK (surface ~ '^(slab|puf):.{1,128}$'),
        -- Of UTC: the tries of another day are none.
        day date NOT NULL,
        tries integer NOT NULL CHECK (tries > 0)
      )`);
    await runner.query(`
      CREATE TABLE speckle_exposed (
        puf_id text PRIMARY KEY REFERENCES speckle_enrolment,
        marked_at timestamptz NOT NULL DEFAULT now()
      )`);
    // Which of them were asked about, nothing has recorded.
    await runner.query(`INSERT INTO speckle_exposed (puf_id) SELECT puf_id FROM speckle_enrolment`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE speckle_exposed, speckle_try`);
  }
}
