import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Contracts between machines, and what was sold under each. An entry that stands holds its place in the stream of its
 * contract; one that was taken back gives it up for good. Beside them the calls of the tools that this service runs
 * itself, each known by the key of its effect.
 */
export class M2mContracts1763902000000 implements MigrationInterface {
  readonly name = 'M2mContracts1763902000000';

  async up(runner: QueryRunner): Promise<void> {
    const name = (column: string) => `${column} text CHECK (char_length(${column}) BETWEEN 1 AND 128)`;
    await runner.query(`
      CREATE TABLE m2m_contract (
        ${name('contract_id')} PRIMARY KEY,
        ${name('licensee')} NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now()
      )`);
    await runner.query(`
      CREATE TABLE m2m_contract_entry (
        saga_id uuid PRIMARY KEY,
        contract_id text NOT NULL REFERENCES m2m_contract (contract_id),
        ${name('licensee')} NOT NULL,
        stream_index bigint NOT NULL CHECK (stream_index BETWEEN 0 AND 9007199254740991),
        -- Of the last entry that stood then; null where none did.
        last_stream_index bigint CHECK (last_stream_index < stream_index),
        state text NOT NULL DEFAULT 'claimed' CHECK (state IN ('claimed', 'active', 'void')),
        state_changed_at timestamptz NOT NULL DEFAULT now(),
        tier text NOT NULL CHECK (tier ~ '^[a-z0-9_]{1,32}$'),
        ${name('capability')},
        amount_micro_usd bigint NOT NULL CHECK (amount_micro_usd > 0),
        jti text NOT NULL UNIQUE CHECK (jti ~ '^m2m_[A-Za-z0-9_-]{22}$'),
        iat bigint NOT NULL CHECK (iat >= 0),
        exp bigint CHECK (exp >= iat),
        nodes_max integer NOT NULL CHECK (nodes_max BETWEEN 1 AND 1000000),
        sublicense boolean NOT NULL,
        metered boolean NOT NULL,
        -- What settles it: the proof of the contract, and the key that signed its token.
        proof_id text,
        stark_root text CHECK (stark_root ~ '^0x[0-9a-f]{2,}$'),
        kid text CHECK (kid ~ '^[A-Za-z0-9_-]{1,64}$'),
        CHECK (kid IS NULL OR (proof_id IS NOT NULL AND stark_root IS NOT NULL AND state <> 'claimed'))
      )`);
    await runner.query(`
      CREATE UNIQUE INDEX m2m_contract_stream ON m2m_contract_entry (contract_id, stream_index) WHERE state <> 'void'`);
    await runner.query(`
      CREATE FUNCTION m2m_entry_stays_void() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        RAISE EXCEPTION 'the licence % was taken back', OLD.jti USING ERRCODE = 'restrict_violation';
      END $$`);
    await runner.query(`
      CREATE TRIGGER m2m_entry_void_is_final BEFORE UPDATE ON m2m_contract_entry
        FOR EACH ROW WHEN (OLD.state = 'void') EXECUTE FUNCTION m2m_entry_stays_void()`);
    await runner.query(`
      CREATE TABLE tool_call (
        idem_key bytea PRIMARY KEY CHECK (octet_length(idem_key) = 32),
        tool text NOT NULL CHECK (tool ~ '^[a-z0-9_]{1,59}$'),
        state text NOT NULL CHECK (state IN ('running', 'done', 'revoked')),
        begun_at timestamptz NOT NULL DEFAULT now()
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of ['tool_call', 'm2m_contract_entry', 'm2m_contract'])
      await runner.query(`DROP TABLE ${table}`);
    await runner.query(`DROP FUNCTION m2m_entry_stays_void`);
  }
}
