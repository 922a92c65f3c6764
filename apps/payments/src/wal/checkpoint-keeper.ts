import {
  buildCheckpoint,
  type Checkpoint,
  checkpointLine,
  publishCheckpoint,
  type WalHead,
} from '@svc/durability';
import type { WalCheckpoint } from '@svc/contracts';
import type { Ed25519Keys, EventStream, LockedSession } from '@svc/platform';
import type { Logger } from 'pino';
import { CheckpointFile, CheckpointFileError } from './checkpoint-file.js';
import { CHECKPOINT_COLUMNS, checkpointOf, headOf, LEAF_COLUMNS } from './checkpoint-rows.js';

/** Heads in one checkpoint, so that its event stays within what the bus carries. */
const LEAVES_MAX = 4_096;
/** Checkpoints that are published in one round. */
const PUBLISHED_MAX = 64;
/** Subject of the events of checkpoints; what it carries is a line of the checkpoint file. */
export const CHECKPOINT_SUBJECT = 'events.wal.checkpoint';

/** What a keeper works with. */
export interface KeeperParts {
  readonly keys: Ed25519Keys;
  readonly stream: EventStream;
  readonly file: CheckpointFile | undefined;
  readonly logger: Logger;
  /** Unix milliseconds. */
  readonly now?: () => number;
}

/**
 * Signs the heads of the logs that went on since the checkpoint before, and publishes what it signed outside of the
 * database: to the stream of events, and to a file. A checkpoint is recorded with its leaves before it is published, and
 * is published again until both places are known to have it.
 *
 * Only the holder of the log's lock seals and publishes, so that checkpoints are one chain.
 */
export class CheckpointKeeper {
  private latest: Checkpoint | undefined;
  /** Number of the newest checkpoint that the stream is known to have. */
  private streamed = 0;
  private reported = '';

  constructor(private readonly parts: KeeperParts) {}

  /** The newest checkpoint that this process knows of, as it is published. */
  newestCheckpoint(): WalCheckpoint | undefined {
    return this.latest && publishCheckpoint(this.latest);
  }

  /** Takes notice of a checkpoint, whoever made it. */
  learn(checkpoint: Checkpoint | undefined): void {
    if (checkpoint && checkpoint.number >= (this.latest?.number ?? 0)) this.latest = checkpoint;
  }

  /** Seals what is due, and publishes what is not published. @throws Error without a key, or what the session throws */
  async round(session: LockedSession): Promise<void> {
    while ((await this.seal(session)) === LEAVES_MAX) continue;
    await this.publish(session);
  }

  /** @returns how many heads were sealed */
  async seal(session: LockedSession): Promise<number> {
    const { keys, now = Date.now } = this.parts;
    const nowMs = now();
    return session
      .transaction(async () => {
        const heads = await this.dueHeads(session);
        if (heads.length === 0) return 0;
        const key = keys.current(nowMs);
        if (!key) throw new Error('no key for checkpoints is valid today');
        const previous = await newestOf(session);
        const { checkpoint, leaves } = await buildCheckpoint(previous, heads, {
          keyId: key.kid,
          sign: message => key.sign(message),
          nowMs,
        });
        await record(session, checkpoint, leaves);
        return { checkpoint, count: leaves.length };
      })
      .then(sealed => {
        if (sealed === 0) return 0;
        // Not before it is committed: what an answer names must be there.
        this.learn(sealed.checkpoint);
        return sealed.count;
      });
  }

  /** Lets go of the file. */
  async close(): Promise<void> {
    await this.parts.file?.close();
  }

  private async dueHeads(session: LockedSession): Promise<WalHead[]> {
    const rows = await session.query<{ saga_id: string; wal_count: number; head: string | null }>(
      `SELECT due.saga_id, due.wal_count, encode(record.hash, 'hex') AS head
         FROM (SELECT saga_id, wal_count FROM saga_unsealed ORDER BY saga_id LIMIT $1) due
         LEFT JOIN saga_wal record ON record.saga_id = due.saga_id AND record.seq = due.wal_count - 1`,
      [LEAVES_MAX],
    );
    const lost = rows.filter(({ head }) => head === null);
    if (lost.length > 0) {
      this.report(`The log of saga ${lost[0].saga_id} has lost record ${lost[0].wal_count - 1}`);
    }
    return rows.filter(({ head }) => head !== null).map(headOf);
  }

  private async publish(session: LockedSession): Promise<void> {
    const filed = await this.catchUpFile(session);
    const rows = await session.query(
      `SELECT ${CHECKPOINT_COLUMNS} FROM wal_checkpoint WHERE published_at IS NULL ORDER BY number LIMIT $1`,
      [PUBLISHED_MAX],
    );
    for (const checkpoint of rows.map(checkpointOf)) {
      if (checkpoint.number > this.streamed) {
        const data = Buffer.from(checkpointLine({ checkpoint, leaves: await leavesOf(session, checkpoint) }));
        const id = `checkpoint:${checkpoint.number}:${checkpoint.hash}`;
        await this.parts.stream.publish({ subject: CHECKPOINT_SUBJECT, id, data });
        this.streamed = checkpoint.number;
      }
      if (filed !== undefined && checkpoint.number > filed) break;
      await session.query(
        'UPDATE wal_checkpoint SET published_at = clock_timestamp() WHERE number = $1 AND published_at IS NULL',
        [checkpoint.number],
      );
    }
  }

  /**
   * Appends what the file lacks, which after a change of the leader may be more than the newest.
   * @returns number of the last checkpoint of the file; undefined without one
   */
  private async catchUpFile(session: LockedSession): Promise<number | undefined> {
    const { file } = this.parts;
    if (!file) return undefined;
    let filed = 0;
    try {
      const last = await file.last();
      await assertKnown(session, last);
      filed = last?.number ?? 0;
      const rows = await session.query(
        `SELECT ${CHECKPOINT_COLUMNS} FROM wal_checkpoint WHERE number > $1 ORDER BY number LIMIT $2`,
        [filed, PUBLISHED_MAX],
      );
      for (const checkpoint of rows.map(checkpointOf)) {
        await file.append({ checkpoint, leaves: await leavesOf(session, checkpoint) });
        filed = checkpoint.number;
      }
      this.reported = '';
    } catch (error) {
      // The stream has its events all the same; without the file no checkpoint counts as published.
      this.report(`The checkpoint file is not kept: ${(error as Error).message}`);
    }
    return filed;
  }

  private report(message: string): void {
    if (message !== this.reported) this.parts.logger.error(message);
    this.reported = message;
  }
}

/** The newest checkpoint of the database. */
export async function newestOf(session: Pick<LockedSession, 'query'>): Promise<Checkpoint | undefined> {
  const rows = await session.query(
    `SELECT ${CHECKPOINT_COLUMNS} FROM wal_checkpoint ORDER BY number DESC LIMIT 1`,
  );
  return rows.map(checkpointOf).at(0);
}

/** The leaves of a checkpoint, in the order of its tree. */
export async function leavesOf(
  session: Pick<LockedSession, 'query'>,
  { number }: Pick<Checkpoint, 'number'>,
): Promise<WalHead[]> {
  const rows = await session.query(
    `SELECT ${LEAF_COLUMNS} FROM wal_checkpoint_leaf WHERE number = $1 ORDER BY leaf_index`,
    [number],
  );
  return rows.map(headOf);
}

async function record(
  session: LockedSession,
  { number, root, leafCount, prevHash, hash, at, keyId, signature }: Checkpoint,
  leaves: readonly WalHead[],
): Promise<void> {
  await session.query(
    `INSERT INTO wal_checkpoint (number, root, leaf_count, prev_hash, hash, at, key_id, signature)
     VALUES ($1, decode($2, 'hex'), $3, decode($4, 'hex'), decode($5, 'hex'), $6, $7, $8)`,
    [number, root, leafCount, prevHash, hash, at, keyId, Buffer.from(signature, 'base64url')],
  );
  const columns = [
    leaves.map(leaf => leaf.sagaId),
    leaves.map(leaf => leaf.count),
    leaves.map(leaf => leaf.head),
  ];
  await session.query(
    `INSERT INTO wal_checkpoint_leaf (number, leaf_index, saga_id, wal_count, head)
     SELECT $1, leaf.place - 1, leaf.saga_id, leaf.wal_count, decode(leaf.head, 'hex')
       FROM unnest($2::uuid[], $3::integer[], $4::text[]) WITH ORDINALITY AS leaf (saga_id, wal_count, head, place)`,
    [number, ...columns],
  );
  await session.query(
    `DELETE FROM saga_unsealed USING unnest($1::uuid[], $2::integer[]) AS sealed (saga_id, wal_count)
      WHERE saga_unsealed.saga_id = sealed.saga_id AND saga_unsealed.wal_count = sealed.wal_count`,
    columns.slice(0, 2),
  );
}

/** @throws CheckpointFileError where the database has lost, or changed, what the file has */
async function assertKnown(session: LockedSession, last: Checkpoint | undefined): Promise<void> {
  if (!last) return;
  const rows = await session.query(`SELECT ${CHECKPOINT_COLUMNS} FROM wal_checkpoint WHERE number = $1`, [
    last.number,
  ]);
  if (rows.map(checkpointOf).at(0)?.hash === last.hash) return;
  throw new CheckpointFileError(
    `it ends with checkpoint ${last.number}, which the database ${rows.length === 0 ? 'has lost' : 'has changed'}`,
  );
}
