import { SAGA_STATES, WAL_KINDS } from '@svc/durability';
import type { MigrationInterface, QueryRunner } from 'typeorm';

const quoted = (names: readonly string[]) => names.map(name => `'${name}'`).join(', ');
const digest = (column: string) => `${column} bytea NOT NULL CHECK (octet_length(${column}) = 32)`;

/**
 * Sagas, their write-ahead log, its events and its checkpoints. The log is append only, and Postgres itself refuses a
 * record that does not go on from the one before it, or that was written under another fence than its saga's.
 *
 * What an advance changes of a saga is in no index and no index's condition (`begun_at` never changes, `ended_at` once):
 * a saga's row moves within its page, and nothing of an index with it.
 */
export class SagaTables1763900000000 implements MigrationInterface {
  readonly name = 'SagaTables1763900000000';

  async up(runner: QueryRunner): Promise<void> {
    await this.createSaga(runner);
    await this.createLog(runner);
    await this.createAppend(runner);
    await this.createCheckpoints(runner);
  }

  private async createSaga(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE saga (
        saga_id uuid PRIMARY KEY,
        name text NOT NULL CHECK (length(name) BETWEEN 1 AND 100),
        version integer NOT NULL CHECK (version >= 0),
        state text NOT NULL CHECK (state IN (${quoted(SAGA_STATES)})),
        wal_count integer NOT NULL CHECK (wal_count > 0),
        ${digest('head')},
        fence bigint NOT NULL CHECK (fence >= 0),
        owner text CHECK (length(owner) BETWEEN 1 AND 200),
        lease_until timestamptz,
        begun_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        ended_at timestamptz,
        kept bytea,
        CHECK ((ended_at IS NOT NULL) = (state IN ('COMPLETED', 'COMPENSATED'))),
        CHECK ((lease_until IS NOT NULL) = (state IN ('RUNNING', 'COMPENSATING')))
      ) WITH (fillfactor = 60)`);
    await runner.query(`CREATE INDEX saga_open ON saga (begun_at) WHERE ended_at IS NULL`);
    await runner.query(
      `CREATE INDEX saga_kept ON saga (ended_at) WHERE ended_at IS NOT NULL AND kept IS NOT NULL`,
    );
    await runner.query(`
      CREATE FUNCTION saga_stays() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        RAISE EXCEPTION '% of % is refused: what sagas did stays', TG_OP, TG_TABLE_NAME
          USING ERRCODE = 'restrict_violation';
      END $$`);
    await this.refuse(runner, 'saga', 'DELETE OR TRUNCATE');
  }

  private async createLog(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE saga_wal (
        saga_id uuid NOT NULL,
        seq integer NOT NULL CHECK (seq >= 0),
        kind text NOT NULL CHECK (kind IN (${quoted(WAL_KINDS)})),
        step text CHECK (length(step) BETWEEN 1 AND 100),
        attempt integer NOT NULL CHECK (attempt >= 0),
        idem_key bytea CHECK (octet_length(idem_key) = 32),
        payload jsonb NOT NULL CHECK (jsonb_typeof(payload) = 'object'),
        ${digest('prev_hash')},
        ${digest('hash')},
        fence bigint NOT NULL CHECK (fence >= 0),
        at timestamptz(3) NOT NULL,
        PRIMARY KEY (saga_id, seq),
        CHECK ((step IS NULL) = (kind LIKE 'SAGA\\_%')),
        CHECK ((seq = 0) = (kind = 'SAGA_BEGIN'))
      )`);
    await this.refuse(runner, 'saga_wal', 'UPDATE OR DELETE OR TRUNCATE');
    // Plans are made when the tables are still small, and kept: they must not scan what grows.
    await runner.query(`
      CREATE FUNCTION saga_wal_continues() RETURNS trigger LANGUAGE plpgsql
        SET search_path FROM CURRENT
        SET enable_seqscan TO off SET plan_cache_mode TO force_generic_plan AS $$
      DECLARE broken text;
      BEGIN
        SELECT format('record %s does not continue the log of saga %s', record.seq, record.saga_id) INTO broken
          FROM (SELECT written.*, max(seq) OVER (PARTITION BY saga_id) AS newest FROM written) record
          LEFT JOIN LATERAL (SELECT held.fence, held.wal_count, held.head FROM saga held
                              WHERE held.saga_id = record.saga_id) holder ON true
          LEFT JOIN LATERAL (SELECT before.hash, before.fence, before.at FROM saga_wal before
                              WHERE before.saga_id = record.saga_id AND before.seq = record.seq - 1
                            ) previous ON true
         WHERE holder.fence IS DISTINCT FROM record.fence
            OR (record.seq > 0 AND (previous.hash IS DISTINCT FROM record.prev_hash
                                    OR previous.fence > record.fence OR previous.at > record.at))
            OR (record.seq = record.newest
                AND (holder.wal_count, holder.head) IS DISTINCT FROM (record.seq + 1, record.hash))
         LIMIT 1;
        IF broken IS NOT NULL THEN
          RAISE EXCEPTION '%', broken USING ERRCODE = 'check_violation';
        END IF;
        RETURN NULL;
      END $$`);
    await runner.query(`
      CREATE TRIGGER saga_wal_continues AFTER INSERT ON saga_wal
        REFERENCING NEW TABLE AS written
        FOR EACH STATEMENT EXECUTE FUNCTION saga_wal_continues()`);
    // Of each advance the records that have not left as events yet; deleted when they have.
    await runner.query(`
      CREATE TABLE saga_outbox (
        saga_id uuid NOT NULL,
        first_seq integer NOT NULL CHECK (first_seq >= 0),
        last_seq integer NOT NULL CHECK (last_seq >= first_seq),
        PRIMARY KEY (saga_id, first_seq)
      )`);
    // Sagas whose log went on since the newest checkpoint that covers them.
    await runner.query(`
      CREATE TABLE saga_unsealed (
        saga_id uuid PRIMARY KEY,
        wal_count integer NOT NULL CHECK (wal_count > 0)
      )`);
  }

  /** Functions, for their plans: kept by each session, and never a scan of a table that was small when it was made. */
  private async createAppend(runner: QueryRunner): Promise<void> {
    const records = `record_saga_ids uuid[], seqs integer[], kinds text[], steps text[], attempts integer[],
        idem_keys text[], payloads text[], prev_hashes text[], hashes text[], record_fences bigint[], ats text[]`;
    const recordRows = `unnest(record_saga_ids, seqs, kinds, steps, attempts, idem_keys, payloads, prev_hashes,
             hashes, record_fences, ats) AS record (saga_id, seq, kind, step, attempt, idem_key, payload, prev_hash,
             hash, fence, at)`;
    const recordColumns = `record.saga_id, record.seq, record.kind, record.step, record.attempt,
               decode(record.idem_key, 'hex'), record.payload::jsonb, decode(record.prev_hash, 'hex'),
               decode(record.hash, 'hex'), record.fence, record.at::timestamptz`;
    const walColumns = `saga_id, seq, kind, step, attempt, idem_key, payload, prev_hash, hash, fence, at`;
    await runner.query(`
      CREATE FUNCTION saga_begin(saga uuid, name text, version integer, state text, fence bigint, owner text,
        lease_ms integer, kept bytea, ${records})
      RETURNS void LANGUAGE plpgsql SET search_path FROM CURRENT
        SET enable_seqscan TO off SET plan_cache_mode TO force_generic_plan AS $$
      #variable_conflict use_variable
      DECLARE counted integer := cardinality(seqs);
      BEGIN
        INSERT INTO saga (saga_id, name, version, state, wal_count, head, fence, owner, lease_until, kept)
        VALUES (saga, name, version, state, counted, decode(hashes[counted], 'hex'), fence, owner,
                clock_timestamp() + lease_ms * interval '1 ms', kept);
        INSERT INTO saga_wal (${walColumns}) SELECT ${recordColumns} FROM ${recordRows};
        INSERT INTO saga_outbox (saga_id, first_seq, last_seq) VALUES (saga, 0, counted - 1);
      END $$`);
    await runner.query(`
      CREATE FUNCTION saga_append(lease_ms integer, saga_ids uuid[], fences bigint[], states text[],
        firsts integer[], lasts integer[], before_heads text[], new_heads text[], kepts bytea[], ${records})
      RETURNS SETOF uuid LANGUAGE plpgsql SET search_path FROM CURRENT
        SET enable_seqscan TO off SET plan_cache_mode TO force_generic_plan AS $$
      #variable_conflict use_column
      DECLARE recorded uuid[] := '{}';
      BEGIN
        -- One after the other, in the order that all callers give them in: two batches never wait for each other.
        -- Whether it has ended is asked of the state, so that no plan goes through the index of what is open.
        FOR i IN 1 .. cardinality(saga_ids) LOOP
          UPDATE saga
             SET state = states[i], wal_count = lasts[i] + 1, head = decode(new_heads[i], 'hex'),
                 kept = coalesce(kepts[i], kept),
                 lease_until = CASE WHEN states[i] IN ('RUNNING', 'COMPENSATING')
                                    THEN clock_timestamp() + lease_ms * interval '1 ms' END,
                 ended_at = CASE WHEN states[i] IN ('COMPLETED', 'COMPENSATED') THEN clock_timestamp() END
           WHERE saga_id = saga_ids[i] AND fence = fences[i] AND wal_count = firsts[i]
             AND head = decode(before_heads[i], 'hex') AND state NOT IN ('COMPLETED', 'COMPENSATED');
          IF FOUND THEN
            recorded := recorded || saga_ids[i];
            RETURN NEXT saga_ids[i];
          END IF;
        END LOOP;
        IF cardinality(recorded) = 0 THEN RETURN; END IF;
        INSERT INTO saga_wal (${walColumns})
        SELECT ${recordColumns} FROM ${recordRows} WHERE record.saga_id = ANY (recorded);
        INSERT INTO saga_outbox (saga_id, first_seq, last_seq)
        SELECT advance.saga_id, advance.first_seq, advance.last_seq
          FROM unnest(saga_ids, firsts, lasts) AS advance (saga_id, first_seq, last_seq)
         WHERE advance.saga_id = ANY (recorded);
      END $$`);
  }

  private async createCheckpoints(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE wal_checkpoint (
        number bigint PRIMARY KEY CHECK (number >= 0),
        ${digest('root')},
        leaf_count integer NOT NULL CHECK (leaf_count > 0),
        ${digest('prev_hash')},
        ${digest('hash')} UNIQUE,
        at timestamptz(3) NOT NULL,
        key_id text NOT NULL CHECK (length(key_id) BETWEEN 1 AND 100),
        signature bytea NOT NULL CHECK (octet_length(signature) = 64),
        published_at timestamptz
      )`);
    await runner.query(`
      CREATE TABLE wal_checkpoint_leaf (
        number bigint NOT NULL REFERENCES wal_checkpoint (number),
        leaf_index integer NOT NULL CHECK (leaf_index >= 0),
        saga_id uuid NOT NULL,
        wal_count integer NOT NULL CHECK (wal_count > 0),
        ${digest('head')},
        PRIMARY KEY (number, leaf_index)
      )`);
    await runner.query(`CREATE INDEX wal_checkpoint_leaf_saga ON wal_checkpoint_leaf (saga_id, number)`);
    await runner.query(
      `CREATE INDEX wal_checkpoint_unpublished ON wal_checkpoint (number) WHERE published_at IS NULL`,
    );
    await this.refuse(runner, 'wal_checkpoint', 'DELETE OR TRUNCATE');
    await this.refuse(runner, 'wal_checkpoint_leaf', 'UPDATE OR DELETE OR TRUNCATE');
    await runner.query(`
      CREATE FUNCTION wal_checkpoint_is_published_once() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF OLD.published_at IS NOT NULL OR NEW.published_at IS NULL
           OR to_jsonb(OLD) - 'published_at' <> to_jsonb(NEW) - 'published_at' THEN
          RAISE EXCEPTION 'checkpoint % stays as it is', OLD.number USING ERRCODE = 'restrict_violation';
        END IF;
        RETURN NEW;
      END $$`);
    await runner.query(`
      CREATE TRIGGER wal_checkpoint_is_published_once BEFORE UPDATE ON wal_checkpoint
        FOR EACH ROW EXECUTE FUNCTION wal_checkpoint_is_published_once()`);
  }

  private async refuse(runner: QueryRunner, table: string, events: string): Promise<void> {
    await runner.query(`
      CREATE TRIGGER ${table}_stays BEFORE ${events} ON ${table}
        FOR EACH STATEMENT EXECUTE FUNCTION saga_stays()`);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const name of ['saga_append', 'saga_begin']) await runner.query(`DROP FUNCTION ${name}`);
    for (const table of [
      'wal_checkpoint_leaf',
      'wal_checkpoint',
      'saga_unsealed',
      'saga_outbox',
      'saga_wal',
      'saga',
    ])
      await runner.query(`DROP TABLE ${table}`);
    for (const name of ['wal_checkpoint_is_published_once', 'saga_wal_continues', 'saga_stays'])
      await runner.query(`DROP FUNCTION ${name}`);
  }
}
