import type { Origin } from '@svc/mesh';
import { inTransaction } from '@svc/platform';
import { createHash } from 'node:crypto';
import type { DataSource, EntityManager } from 'typeorm';

/** Updates of one reading, and their bytes: it goes on until they are more. */
const PAGE_ROWS = 512;
const PAGE_BYTES = 8 * 1024 * 1024;
/** Of one compaction: what is more is for the next. */
const COMPACTED_ROWS = 4_096;
const COMPACTED_BYTES = 32 * 1024 * 1024;

/** A place in the order of the commits: 0 before the first. */
export type Seq = number;

/** An update that is to be kept. */
export interface NewUpdate {
  readonly bytes: Uint8Array;
  readonly origin: Origin;
}

/** Updates that were committed together: those behind `after` and up to `upto`, with none in between. */
export interface StoredRange {
  readonly after: Seq;
  readonly upto: Seq;
}

export interface Snapshot {
  readonly bytes: Uint8Array;
  readonly upto: Seq;
  /** 64 lower-case hex digits. */
  readonly stateHash: string;
}

/** What was stored behind a place, in its order. */
export interface StoredPage {
  /** Where it goes on: the last of the updates, or where the reader was. */
  readonly upto: Seq;
  readonly updates: readonly Uint8Array[];
}

/** What a snapshot is made of, and how. */
export interface Compaction {
  readonly snapshot?: Snapshot;
  readonly updates: readonly Uint8Array[];
}

/**
 * A document in Postgres. Appending takes a lock, so that whoever reads up to a place has all that there is up to it: no
 * update is committed later under a number before it.
 */
export class DocumentStore {
  /** @param name of the document */
  constructor(
    private readonly dataSource: DataSource,
    private readonly name: string,
  ) {}

  /** Keeps updates, all of them or none. @throws ProblemError SERVICE_UNAVAILABLE: then they may be kept all the same */
  append(updates: readonly NewUpdate[]): Promise<StoredRange> {
    return inTransaction(this.dataSource, async manager => {
      await manager.query(`SELECT pg_advisory_xact_lock(${LOCK})`, [`crdt append ${this.name}`]);
      const [row]: [{ after: string; upto: string }] = await manager.query(
        `WITH behind AS (
           SELECT greatest((SELECT max(seq) FROM crdt_update WHERE doc = $1),
                           (SELECT upto_seq FROM crdt_snapshot WHERE doc = $1), 0) AS seq
         ), added AS (
           INSERT INTO crdt_update (doc, bytes, origin, sha256)
           SELECT $1, bytes, origin, sha256
             FROM unnest($2::bytea[], $3::text[], $4::bytea[]) WITH ORDINALITY AS u (bytes, origin, sha256, n)
            ORDER BY n
           RETURNING seq
         )
         SELECT (SELECT seq FROM behind) AS after, max(seq) AS upto FROM added`,
        [
          this.name,
          updates.map(({ bytes }) => Buffer.from(bytes)),
          updates.map(({ origin }) => textOf(origin)),
          updates.map(({ bytes }) => createHash('sha256').update(bytes).digest()),
        ],
      );
      return { after: Number(row.after), upto: Number(row.upto) };
    });
  }

  /**
   * What is stored behind a place; a snapshot that has taken its place comes alone, and the reader goes on behind that.
   * @throws ProblemError SERVICE_UNAVAILABLE
   */
  async read(after: Seq): Promise<Snapshot | StoredPage> {
    const rows: (PageRow & { snapshot_seq: string })[] = await this.dataSource.query(
      `SELECT s.upto_seq AS snapshot_seq, u.*
         FROM (SELECT coalesce((SELECT upto_seq FROM crdt_snapshot WHERE doc = $1), 0) AS upto_seq) s
         LEFT JOIN LATERAL (${PAGE}) u ON true`,
      [this.name, after, PAGE_ROWS, PAGE_BYTES],
    );
    if (Number(rows[0].snapshot_seq) > after) {
      const snapshot = await this.snapshot(this.dataSource.manager);
      if (snapshot) return snapshot;
    }
    return pageOf(rows, after);
  }

  /**
   * Owners of client ids from now on: those that nobody has are the origin's.
   * @returns for each of them whose it is
   */
  async claimWriters(clientIds: readonly number[], owner: Origin): Promise<Map<number, Origin>> {
    await this.dataSource.query(
      `INSERT INTO crdt_writer (doc, client_id, owner) SELECT $1, unnest($2::bigint[]), $3
       ON CONFLICT (doc, client_id) DO NOTHING`,
      // In one order, whoever claims: of two that claim the same ones neither waits for the other.
      [this.name, [...clientIds].sort((a, b) => a - b), textOf(owner)],
    );
    return this.writers(clientIds);
  }

  /** Whose client ids are, or of these. */
  async writers(of?: readonly number[]): Promise<Map<number, Origin>> {
    const rows: { client_id: string; owner: string }[] = await this.dataSource.query(
      `SELECT client_id, owner FROM crdt_writer
        WHERE doc = $1 AND ($2::bigint[] IS NULL OR client_id = ANY ($2::bigint[]))`,
      [this.name, of ?? null],
    );
    return new Map(rows.map(row => [Number(row.client_id), originOf(row.owner)]));
  }

  /** How much was stored since the snapshot. */
  async sinceSnapshot(): Promise<{ readonly rows: number; readonly sizeBytes: number }> {
    const [row]: [{ rows: string; size_bytes: string }] = await this.dataSource.query(
      `SELECT count(*) AS rows, coalesce(sum(octet_length(bytes)), 0) AS size_bytes FROM crdt_update WHERE doc = $1`,
      [this.name],
    );
    return { rows: Number(row.rows), sizeBytes: Number(row.size_bytes) };
  }

  /**
   * Puts a snapshot in the place of the updates up to it, in one transaction; of several that try at once one does.
   * @param make the snapshot of all that is given; where it throws, everything stays as it is
   * @returns how many updates went, or undefined where another does it at this moment
   */
  compact(make: (from: Compaction) => Pick<Snapshot, 'bytes' | 'stateHash'>): Promise<number | undefined> {
    return inTransaction(this.dataSource, async manager => {
      const [{ locked }]: [{ locked: boolean }] = await manager.query(
        `SELECT pg_try_advisory_xact_lock(${LOCK}) AS locked`,
        [`crdt compaction ${this.name}`],
      );
      if (!locked) return undefined;
      const snapshot = await this.snapshot(manager);
      const after = snapshot?.upto ?? 0;
      const rows: PageRow[] = await manager.query(PAGE, [this.name, after, COMPACTED_ROWS, COMPACTED_BYTES]);
      const { updates, upto } = pageOf(rows, after);
      if (updates.length === 0) return 0;
      const { bytes, stateHash } = make({ snapshot, updates });
      await manager.query(
        `INSERT INTO crdt_snapshot (doc, bytes, upto_seq, state_hash) VALUES ($1, $2, $3, decode($4, 'hex'))
         ON CONFLICT (doc) DO UPDATE SET bytes = excluded.bytes, upto_seq = excluded.upto_seq,
           state_hash = excluded.state_hash, made_at = now()`,
        [this.name, Buffer.from(bytes), upto, stateHash],
      );
      await manager.query(`DELETE FROM crdt_update WHERE doc = $1 AND seq <= $2`, [this.name, upto]);
      return updates.length;
    });
  }

  private async snapshot(manager: EntityManager): Promise<Snapshot | undefined> {
    const [row]: { bytes: Buffer; upto_seq: string; state_hash: Buffer }[] = await manager.query(
      `SELECT bytes, upto_seq, state_hash FROM crdt_snapshot WHERE doc = $1`,
      [this.name],
    );
    return row && { bytes: row.bytes, upto: Number(row.upto_seq), stateHash: row.state_hash.toString('hex') };
  }
}

/** Within the service's schema. */
const LOCK = `hashtextextended(current_schema() || ' ' || $1, 0)`;

/** Of a document ($1), behind a place ($2): so many rows ($3) until they are of so many bytes ($4), at least one. */
const PAGE = `
  SELECT seq, bytes
    FROM (SELECT seq, bytes, sum(octet_length(bytes)) OVER (ORDER BY seq) - octet_length(bytes) AS bytes_before
            FROM crdt_update WHERE doc = $1 AND seq > $2 ORDER BY seq LIMIT $3) page
   WHERE bytes_before < $4 ORDER BY seq`;

/** Null where there is none. */
interface PageRow {
  readonly seq: string | null;
  readonly bytes: Buffer;
}

function pageOf(rows: readonly PageRow[], after: Seq): StoredPage {
  const found = rows.filter(({ seq }) => seq !== null);
  return { upto: Number(found.at(-1)?.seq ?? after), updates: found.map(({ bytes }) => bytes) };
}

const textOf = (origin: Origin) => (origin.kind === 'service' ? 'service' : origin.name);

const originOf = (owner: string): Origin =>
  owner === 'service' ? { kind: 'service' } : { kind: 'peer', name: owner };
