import { Injectable } from '@nestjs/common';
import { type Upload, UPLOAD_BYTES_MAX, UPLOAD_SECONDS, uploadsContract } from '@svc/contracts';
import { FairShares } from '@svc/edge';
import {
  inTransaction,
  isSettledCall,
  KeyedDigests,
  newId,
  problem,
  queueTurn,
  unprocessable,
} from '@svc/platform';
import { createHash } from 'node:crypto';
import { DataSource, type EntityManager } from 'typeorm';

/** Bytes of all uploads that are there, and of one caller's: two of the longest. */
export const UPLOADS_BYTES_MAX = 134_217_728;
export const UPLOADS_BYTES_OF_CALLER = 2 * UPLOAD_BYTES_MAX;
/** Of the last quarter a caller has a third of what the others leave: it takes many of them to leave nothing for one more. */
const [RESERVE_PARTS, SHARE_PARTS] = [4, 3];
/** What a short one counts as: it is a row. */
const COUNTED_BYTES_MIN = 65_536;
/** Bytes of uploads that are read and worked on at once, here: a caller has a third of what the others leave. */
export const UPLOADS_READ_BYTES_MAX = 67_108_864;
/** How long an upload is read after its time: a call that was admitted is worked on a little later. */
const GRACE_SECONDS = 60;
const LOCK = 'svc uploads';

const IS_READABLE = `expires_at > now() - interval '${GRACE_SECONDS} s'`;

interface Held {
  /** Bytes of all, and of the caller. */
  readonly all: number;
  readonly own: number;
  /** Seconds until the first of the caller's, and of all, is gone; null where there is none. */
  readonly own_seconds: number | null;
  readonly all_seconds: number | null;
}

/**
 * Files that were uploaded for calls over MCP, for ten minutes. Their table is not logged: a log of it
 * would take disk that no payment covers, and what a crash of the database loses of it is uploaded again.
 */
@Injectable()
export class UploadStore {
  /** One at a time here, too: those that wait take no connection to the database from others. */
  private last: Promise<unknown> = Promise.resolve();
  private readonly read = new FairShares(UPLOADS_READ_BYTES_MAX, SHARE_PARTS);

  constructor(
    private readonly dataSource: DataSource,
    private readonly digests: KeyedDigests,
  ) {}

  /** @throws ProblemError RATE_LIMITED for a caller that has its room full; OVERLOADED where there is none */
  async add(file: Uint8Array): Promise<Upload> {
    const caller = this.digests.callerOf(queueTurn().subject);
    const uploadId = newId('upl');
    const askedAt = performance.now();
    return this.inTurn(async manager => {
      // Its caller has gone, and would never hear the id.
      if (performance.now() - askedAt > uploadsContract.add.timeoutMs)
        throw problem('TIMEOUT', 'The upload has waited too long for its turn');
      // One at a time, so that no two share what is left.
      await manager.query(`SELECT pg_advisory_xact_lock(hashtextextended($1, 0))`, [LOCK]);
      await this.requireRoom(manager, caller, Math.max(file.length, COUNTED_BYTES_MIN));
      const sha256 = `0x${createHash('sha256').update(file).digest('hex')}`;
      const [{ expires_at: expiresAt }]: { expires_at: Date }[] = await manager.query(
        `INSERT INTO upload (upload_id, caller, file, sha256, expires_at)
         VALUES ($1, $2, $3, $4, now() + make_interval(secs => $5)) RETURNING expires_at`,
        [uploadId, caller, file, sha256, UPLOAD_SECONDS],
      );
      return { uploadId, bytes: file.length, sha256, expiresAt: expiresAt.toISOString() };
    });
  }

  /** @throws ProblemError UNPROCESSABLE where it is not there */
  async find(uploadId: string): Promise<Upload> {
    const [row]: { bytes: number; sha256: string; expires_at: Date }[] = await this.dataSource.query(
      `SELECT length(file) AS bytes, sha256, expires_at FROM upload WHERE upload_id = $1 AND expires_at > now()`,
      [uploadId],
    );
    if (!row) throw notThere(uploadId);
    return { uploadId, bytes: row.bytes, sha256: row.sha256, expiresAt: row.expires_at.toISOString() };
  }

  /**
   * Works with the file that a call brings: its own bytes, or those of an upload, which are held for no longer than that.
   * @throws ProblemError as {@link find}; OVERLOADED where so many are being worked on, but for a call that is paid
   */
  async withFile<T>(
    bytes: Uint8Array | undefined,
    uploadId: string | undefined,
    work: (file: Uint8Array | undefined) => Promise<T>,
  ): Promise<T> {
    if (uploadId === undefined) return work(bytes);
    const [row]: { bytes: number }[] = await this.dataSource.query(
      `SELECT length(file) AS bytes FROM upload WHERE upload_id = $1 AND ${IS_READABLE}`,
      [uploadId],
    );
    if (!row) throw notThere(uploadId);
    const { subject } = queueTurn();
    if (!isSettledCall() && !this.read.hasRoomFor(subject, row.bytes)) {
      const detail = `Uploads of ${UPLOADS_READ_BYTES_MAX} bytes are worked on at once, of which a caller has its share`;
      throw problem('OVERLOADED', detail, { retryAfterSeconds: 1 });
    }
    this.read.take(subject, row.bytes);
    try {
      return await work(await this.fileOf(uploadId));
    } finally {
      this.read.giveBack(subject, row.bytes);
    }
  }

  /** Deletes those whose time is over; returns how many. */
  async purge(manager: Pick<EntityManager, 'query'> = this.dataSource.manager): Promise<number> {
    const [, count]: [unknown, number] = await manager.query(`DELETE FROM upload WHERE NOT (${IS_READABLE})`);
    return count;
  }

  private async fileOf(uploadId: string): Promise<Uint8Array> {
    const [row]: { file: Buffer }[] = await this.dataSource.query(
      `SELECT file FROM upload WHERE upload_id = $1 AND ${IS_READABLE}`,
      [uploadId],
    );
    if (!row) throw notThere(uploadId);
    return row.file;
  }

  private inTurn<T>(work: (manager: EntityManager) => Promise<T>): Promise<T> {
    const done = this.last.then(() => inTransaction(this.dataSource, work));
    this.last = done.catch(() => undefined);
    return done;
  }

  private async requireRoom(manager: EntityManager, caller: string, bytes: number): Promise<void> {
    await this.purge(manager);
    const [held]: Held[] = await manager.query(
      `SELECT coalesce(sum(bytes), 0)::float8 AS all, coalesce(sum(bytes) FILTER (WHERE caller = $1), 0)::float8 AS own,
              extract(epoch FROM min(expires_at) FILTER (WHERE caller = $1) - now())::float8 AS own_seconds,
              extract(epoch FROM min(expires_at) - now())::float8 AS all_seconds
         FROM (SELECT caller, expires_at, greatest(length(file), $2) AS bytes FROM upload) counted`,
      [caller, COUNTED_BYTES_MIN],
    );
    if (held.own + bytes > UPLOADS_BYTES_OF_CALLER) {
      const detail = `Uploads of one caller hold ${UPLOADS_BYTES_OF_CALLER} bytes at most, for ten minutes; yours hold ${held.own}`;
      throw problem('RATE_LIMITED', detail, { retryAfterSeconds: secondsOf(held.own_seconds) });
    }
    const free = UPLOADS_BYTES_MAX - held.all;
    const isScarce = free - bytes < UPLOADS_BYTES_MAX / RESERVE_PARTS;
    if (!isScarce || held.own + bytes <= (free + held.own) / SHARE_PARTS) return;
    const detail = `${free} of ${UPLOADS_BYTES_MAX} bytes are left for uploads, of which a caller has its share`;
    throw problem('OVERLOADED', detail, { retryAfterSeconds: secondsOf(held.all_seconds) });
  }
}

const secondsOf = (seconds: number | null): number => Math.max(1, Math.ceil(seconds ?? 1));

const notThere = (uploadId: string) =>
  unprocessable(
    'uploadId',
    `names no file that is here: one is kept for ${UPLOAD_SECONDS / 60} minutes; upload the same file again, and the call is the same`,
    {
      got: uploadId,
    },
  );
