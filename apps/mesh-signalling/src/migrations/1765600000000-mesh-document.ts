import type { TableRights } from '@svc/platform';
import type { MigrationInterface, QueryRunner } from 'typeorm';

const documentName = `doc text NOT NULL CHECK (doc ~ '^[a-z][a-z0-9-]{0,62}$')`;
const writer = (column: string) =>
  `${column} text NOT NULL CHECK (${column} = 'service' OR ${column} ~ '^[0-9a-f]{64}$')`;

/** The replicated document: its updates in the order of their commits, the snapshot before them, and who writes in it. */
export class MeshDocument1765600000000 implements MigrationInterface {
  readonly name = 'MeshDocument1765600000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE crdt_update (
        ${documentName},
        seq bigint GENERATED ALWAYS AS IDENTITY,
        bytes bytea NOT NULL CHECK (octet_length(bytes) BETWEEN 1 AND 1048576),
        ${writer('origin')},
        sha256 bytea NOT NULL CHECK (sha256 = sha256(bytes)),
        stored_at timestamptz NOT NULL DEFAULT now(),
        PRIMARY KEY (doc, seq)
      )`);
    // Updates are compressed as little as they are looked into.
    await runner.query(`ALTER TABLE crdt_update ALTER COLUMN bytes SET STORAGE EXTERNAL`);
    await runner.query(`
      CREATE TABLE crdt_snapshot (
        ${documentName} PRIMARY KEY,
        bytes bytea NOT NULL CHECK (octet_length(bytes) BETWEEN 1 AND 67108864),
        upto_seq bigint NOT NULL CHECK (upto_seq > 0),
        state_hash bytea NOT NULL CHECK (octet_length(state_hash) = 32),
        made_at timestamptz NOT NULL DEFAULT now()
      )`);
    // Yjs draws client ids of 32 bits, and an editor may of 53.
    await runner.query(`
      CREATE TABLE crdt_writer (
        ${documentName},
        client_id bigint NOT NULL CHECK (client_id BETWEEN 0 AND 9007199254740991),
        ${writer('owner')},
        claimed_at timestamptz NOT NULL DEFAULT now(),
        PRIMARY KEY (doc, client_id)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE crdt_writer, crdt_snapshot, crdt_update`);
  }
}

/** What was written is not written again, and who writes under a client id stays that as long as it is kept. */
export const DOCUMENT_RIGHTS: TableRights = {
  crdt_update: ['SELECT', 'INSERT', 'DELETE'],
  crdt_snapshot: ['SELECT', 'INSERT', 'UPDATE (bytes, upto_seq, state_hash, made_at, epoch)'],
  crdt_writer: ['SELECT', 'INSERT', 'DELETE', 'UPDATE (ended_bytes)'],
  crdt_epoch: ['SELECT', 'INSERT'],
};
