import { type Origin, requireAtMost } from '@svc/mesh';
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
  /** Of the document that it fits; the first, 0, where it is not said. */
  readonly epoch?: number;
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
  readonly epoch: number;
}

/** What was stored behind a place, in its order. */
export interface StoredPage {
  /** Where it goes on: the last of the updates, or where the reader was. */
  readonly upto: Seq;
  readonly updates: readonly Uint8Array[];
  readonly epoch: number;
}

/** What a snapshot is made of, and how. */
export interface Compaction {
  readonly snapshot?: Snapshot;
  readonly updates: readonly Uint8Array[];
}

/** Whose client ids are, in an epoch. */
export interface Writers {
  readonly epoch: number;
  readonly owners: ReadonlyMap<number, Origin>;
}

/** How client ids are claimed. */
export interface WriterClaim {
  /** Of the document that they are to write in. */
  readonly epoch: number;
  /** The share of an address: it may have claimed at most `max` within the last `withinMs`. */
  readonly share?: { readonly address: string; readonly max: number; readonly withinMs: number };
}

/** What of a document is of one address. */
export interface AddressWriting {
  readonly clientIds: readonly number[];
  /** Bytes that were in the document when an epoch ended lately, and stand in the ones after it as the service's. */
  readonly endedBytes: number;
}

/** Why a document is begun anew, and by whom; by the service itself where it is not said. */
export interface RenewalAct {
  readonly content: 'kept' | 'cleared';
  readonly reason: string;
  readonly by?: string;
}

/** When a document is begun anew: not where this is not its epoch any more, or begun less than `gapMs` ago. */
export interface RenewalTime {
  readonly epoch: number;
  readonly gapMs: number;
}

/** The document that takes the place of another. */
export interface RenewedContent extends Pick<Snapshot, 'bytes' | 'stateHash'> {
  /** Client id that all of it is written under. */
  readonly clientId: number;
  readonly bytesBefore: number;
  /** By the client ids of the document before: what of the content that is kept was written under each. */
  readonly endedBytes: ReadonlyMap<number, number>;
}

/** A document that was begun anew. */
export interface Renewal extends Pick<RenewedContent, 'stateHash' | 'bytesBefore'> {
  readonly epoch: number;
  /** Client ids that write in it no more. */
  readonly writers: number;
  readonly bytes: number;
  readonly range: StoredRange;
  /** Unix milliseconds. */
  readonly begunAtMs: number;
}

/** What was to be done is of a document that was begun anew since. */
export class DocumentRenewed extends Error {
  constructor() {
    super('the document was begun anew');
    this.name = 'DocumentRenewed';
  }
}

/** Epochs whose client ids are known to have ended; those of the service itself are kept for good. */
const ENDED_EPOCHS_KEPT = 8;

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

  /**
   * Keeps updates, all of them or none.
   * @throws ProblemError SERVICE_UNAVAILABLE: then they may be kept all the same; DocumentRenewed where they are of another epoch
   */
  append(updates: readonly NewUpdate[]): Promise<StoredRange> {
    return inTransaction(this.dataSource, async manager => {
      await manager.query(`SELECT pg_advisory_xact_lock(${LOCK})`, [`crdt append ${this.name}`]);
      const [row]: [{ after: string; upto: string | null }] = await manager.query(
        `WITH behind AS (
           SELECT greatest((SELECT max(seq) FROM crdt_update WHERE doc = $1),
                           (SELECT upto_seq FROM crdt_snapshot WHERE doc = $1), 0) AS seq,
                  ${EPOCH} AS epoch
         ), added AS (
           INSERT INTO crdt_update (doc, bytes, origin, sha256)
           SELECT $1, bytes, origin, sha256
             FROM unnest($2::bytea[], $3::text[], $4::bytea[]) WITH ORDINALITY AS u (bytes, origin, sha256, n)
            WHERE (SELECT epoch FROM behind) = ALL ($5::int[])
            ORDER BY n
           RETURNING seq
         )
         SELECT (SELECT seq FROM behind) AS after, max(seq) AS upto FROM added`,
        [
          this.name,
          updates.map(({ bytes }) => Buffer.from(bytes)),
          updates.map(({ origin }) => textOf(origin)),
          updates.map(({ bytes }) => createHash('sha256').update(bytes).digest()),
          updates.map(({ epoch = 0 }) => epoch),
        ],
      );
      if (row.upto === null) throw new DocumentRenewed();
      return { after: Number(row.after), upto: Number(row.upto) };
    });
  }

  /**
   * What is stored behind a place; a snapshot that has taken its place comes alone, and the reader goes on behind that.
   * @throws ProblemError SERVICE_UNAVAILABLE
   */
  async read(after: Seq): Promise<Snapshot | StoredPage> {
    const rows: (PageRow & { snapshot_seq: string; epoch: number })[] = await this.dataSource.query(
      `SELECT s.upto_seq AS snapshot_seq, s.epoch, u.*
         FROM (SELECT coalesce((SELECT upto_seq FROM crdt_snapshot WHERE doc = $1), 0) AS upto_seq, ${EPOCH} AS epoch) s
         LEFT JOIN LATERAL (${PAGE}) u ON true`,
      [this.name, after, PAGE_ROWS, PAGE_BYTES],
    );
    if (Number(rows[0].snapshot_seq) > after) {
      const snapshot = await this.snapshot(this.dataSource.manager);
      if (snapshot) return snapshot;
    }
    return { ...pageOf(rows, after), epoch: rows[0].epoch };
  }

  /**
   * Owners of client ids from now on: those that nobody has are the origin's.
   * @returns for each of them whose it is
   * @throws UpdateRefused ADDRESS_SHARE; DocumentRenewed where one is of another epoch
   */
  async claimWriters(
    clientIds: readonly number[],
    owner: Origin,
    { epoch, share }: WriterClaim = { epoch: 0 },
  ): Promise<ReadonlyMap<number, Origin>> {
    // In one order, whoever claims: of two that claim the same ones neither waits for the other.
    const ids = [...clientIds].sort((a, b) => a - b);
    const claim = (manager: EntityManager) =>
      manager.query(
        `INSERT INTO crdt_writer (doc, client_id, owner, epoch, address) SELECT $1, unnest($2::bigint[]), $3, $4, $5
         ON CONFLICT (doc, client_id) DO NOTHING`,
        [this.name, ids, textOf(owner), epoch, share?.address ?? null],
      );
    if (share) {
      await inTransaction(this.dataSource, async manager => {
        await manager.query(`SELECT pg_advisory_xact_lock(${LOCK})`, [`crdt writers of ${share.address}`]);
        await this.requireShare(manager, ids, share);
        await claim(manager);
      });
    } else await claim(this.dataSource.manager);
    const rows = await this.writerRows(ids);
    if (rows.some(row => row.epoch !== epoch)) throw new DocumentRenewed();
    return ownersOf(rows);
  }

  /** Whose client ids are, or of these, in the epoch of now. */
  async writers(of?: readonly number[]): Promise<Writers> {
    const [{ epoch }]: [{ epoch: number }] = await this.dataSource.query(`SELECT ${EPOCH} AS epoch`, [
      this.name,
    ]);
    return { epoch, owners: ownersOf((await this.writerRows(of)).filter(row => row.epoch === epoch)) };
  }

  /** Whether one of these client ids was claimed in another epoch. */
  async hasEnded(clientIds: readonly number[], epoch: number): Promise<boolean> {
    return (await this.writerRows(clientIds)).some(row => row.epoch !== epoch);
  }

  /**
   * What was written from an address: the client ids that it has claimed in an epoch, and what was kept of others when theirs ended
   * within the last `withinMs`.
   */
  async writingOf(address: string, epoch: number, withinMs: number): Promise<AddressWriting> {
    const [row]: [{ ids: string[] | null; ended_bytes: string }] = await this.dataSource.query(
      `SELECT array_agg(w.client_id) FILTER (WHERE w.epoch = $3) AS ids,
              coalesce(sum(w.ended_bytes) FILTER (WHERE EXISTS (
                SELECT FROM crdt_epoch e WHERE e.doc = $1 AND e.epoch = w.epoch + 1
                   AND e.begun_at > now() - make_interval(secs => $4))), 0) AS ended_bytes
         FROM crdt_writer w WHERE w.doc = $1 AND w.address = $2`,
      [this.name, address, epoch, withinMs / 1_000],
    );
    return { clientIds: (row.ids ?? []).map(Number), endedBytes: Number(row.ended_bytes) };
  }

  private async requireShare(
    manager: EntityManager,
    clientIds: readonly number[],
    { address, max, withinMs }: NonNullable<WriterClaim['share']>,
  ): Promise<void> {
    const [{ count }]: [{ count: number }] = await manager.query(
      `SELECT (count(*) + (SELECT count(*) FROM unnest($3::bigint[]) AS new (client_id)
                            WHERE NOT EXISTS (SELECT FROM crdt_writer w WHERE w.doc = $1 AND w.client_id = new.client_id)))::int AS count
         FROM crdt_writer WHERE doc = $1 AND address = $2 AND claimed_at > now() - make_interval(secs => $4)`,
      [this.name, address, clientIds, withinMs / 1_000],
    );
    const minutes = Math.ceil(withinMs / 60_000);
    requireAtMost(
      'ADDRESS_SHARE',
      `client ids that one address claims within ${minutes} minutes`,
      count,
      max,
    );
  }

  private writerRows(of?: readonly number[]): Promise<WriterRow[]> {
    return this.dataSource.query(
      `SELECT client_id, owner, epoch FROM crdt_writer
        WHERE doc = $1 AND ($2::bigint[] IS NULL OR client_id = ANY ($2::bigint[]))`,
      [this.name, of ?? null],
    );
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

  /**
   * Puts another document in the place of this one, in one transaction that nothing is appended beside: the next epoch begins,
   * and the client ids of this one have ended. It takes a place of its own behind all that is stored.
   *
   * @param make the new document of all that is stored; where it throws, everything stays as it is
   * @param when by default always
   * @returns undefined where it did not come to it
   * @throws ProblemError SERVICE_UNAVAILABLE: then it may be done all the same
   */
  renew(
    make: (from: Compaction) => RenewedContent,
    { content, reason, by }: RenewalAct,
    when?: RenewalTime,
  ): Promise<Renewal | undefined> {
    return inTransaction(this.dataSource, async manager => {
      for (const what of ['compaction', 'append'])
        await manager.query(`SELECT pg_advisory_xact_lock(${LOCK})`, [`crdt ${what} ${this.name}`]);
      if (when && !(await this.isTime(manager, when))) return undefined;
      const snapshot = await this.snapshot(manager);
      const { epoch: ending = 0, upto: after = 0 } = snapshot ?? {};
      const { updates, upto: last } = await this.allBehind(manager, after);
      const { bytes, stateHash, clientId, bytesBefore, endedBytes } = make({ snapshot, updates });
      const epoch = ending + 1;
      // It takes a place, so that whoever has all that was stored sees that there is something behind it.
      const [{ seq }]: [{ seq: string }] = await manager.query(
        `INSERT INTO crdt_update (doc, bytes, origin, sha256) VALUES ($1, $2, 'service', sha256($2)) RETURNING seq`,
        [this.name, Buffer.from([0, 0])],
      );
      await manager.query(
        `INSERT INTO crdt_snapshot (doc, bytes, upto_seq, state_hash, epoch) VALUES ($1, $2, $3, decode($4, 'hex'), $5)
         ON CONFLICT (doc) DO UPDATE SET bytes = excluded.bytes, upto_seq = excluded.upto_seq,
           state_hash = excluded.state_hash, epoch = excluded.epoch, made_at = now()`,
        [this.name, Buffer.from(bytes), seq, stateHash, epoch],
      );
      await manager.query(`DELETE FROM crdt_update WHERE doc = $1 AND seq <= $2`, [this.name, seq]);
      const [{ writers }]: [{ writers: number }] = await manager.query(
        `SELECT count(*)::int AS writers FROM crdt_writer WHERE doc = $1 AND epoch = $2`,
        [this.name, ending],
      );
      await manager.query(
        `UPDATE crdt_writer w SET ended_bytes = ended.bytes
           FROM unnest($3::bigint[], $4::int[]) AS ended (client_id, bytes)
          WHERE w.doc = $1 AND w.client_id = ended.client_id AND w.epoch = $2 AND w.address IS NOT NULL`,
        [this.name, ending, [...endedBytes.keys()], [...endedBytes.values()]],
      );
      await manager.query(
        `INSERT INTO crdt_writer (doc, client_id, owner, epoch) VALUES ($1, $2, 'service', $3)`,
        [this.name, clientId, epoch],
      );
      await manager.query(`DELETE FROM crdt_writer WHERE doc = $1 AND epoch < $2 AND owner <> 'service'`, [
        this.name,
        epoch - ENDED_EPOCHS_KEPT,
      ]);
      const sizes = [writers, bytesBefore, bytes.length] as const;
      const [{ at }]: [{ at: Date }] = await manager.query(
        `INSERT INTO crdt_epoch (doc, epoch, begun_by, reason, content, writers, bytes_before, bytes)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8) RETURNING begun_at AS at`,
        [this.name, epoch, by ?? null, reason, content, ...sizes],
      );
      const range = { after: Math.max(last, after), upto: Number(seq) };
      return {
        ...{ epoch, writers, bytes: bytes.length, bytesBefore, stateHash, range },
        begunAtMs: at.getTime(),
      };
    });
  }

  private async isTime(manager: EntityManager, { epoch, gapMs }: RenewalTime): Promise<boolean> {
    const [{ is_time: isTime }]: [{ is_time: boolean }] = await manager.query(
      `SELECT ${EPOCH} = $2 AND NOT EXISTS (
         SELECT FROM crdt_epoch WHERE doc = $1 AND begun_at > now() - make_interval(secs => $3)) AS is_time`,
      [this.name, epoch, gapMs / 1_000],
    );
    return isTime;
  }

  private async allBehind(manager: EntityManager, after: Seq): Promise<Omit<StoredPage, 'epoch'>> {
    const updates: Uint8Array[] = [];
    for (let upto = after; ;) {
      const page = pageOf(await manager.query(PAGE, [this.name, upto, PAGE_ROWS, PAGE_BYTES]), upto);
      if (page.updates.length === 0) return { updates, upto };
      updates.push(...page.updates);
      upto = page.upto;
    }
  }

  private async snapshot(manager: EntityManager): Promise<Snapshot | undefined> {
    const [row]: SnapshotRow[] = await manager.query(
      `SELECT bytes, upto_seq, state_hash, epoch FROM crdt_snapshot WHERE doc = $1`,
      [this.name],
    );
    if (!row) return undefined;
    const { bytes, upto_seq: upto, state_hash: hash, epoch } = row;
    return { bytes, upto: Number(upto), stateHash: hash.toString('hex'), epoch };
  }
}

/** Of a document ($1): how often it was begun anew. */
const EPOCH = `coalesce((SELECT epoch FROM crdt_snapshot WHERE doc = $1), 0)`;

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

interface SnapshotRow {
  readonly bytes: Buffer;
  readonly upto_seq: string;
  readonly state_hash: Buffer;
  readonly epoch: number;
}

interface WriterRow {
  readonly client_id: string;
  readonly owner: string;
  readonly epoch: number;
}

const ownersOf = (rows: readonly WriterRow[]) =>
  new Map(rows.map(row => [Number(row.client_id), originOf(row.owner)]));

function pageOf(rows: readonly PageRow[], after: Seq): Omit<StoredPage, 'epoch'> {
  const found = rows.filter(({ seq }) => seq !== null);
  return { upto: Number(found.at(-1)?.seq ?? after), updates: found.map(({ bytes }) => bytes) };
}

const textOf = (origin: Origin) => (origin.kind === 'service' ? 'service' : origin.name);

const originOf = (owner: string): Origin =>
  owner === 'service' ? { kind: 'service' } : { kind: 'peer', name: owner };
