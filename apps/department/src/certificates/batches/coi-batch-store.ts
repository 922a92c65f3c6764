import { Injectable } from '@nestjs/common';
import { COI_BATCH_RETENTION_DAYS, type CoiVerifyResult, type ProblemPayload } from '@svc/contracts';
import { KeyedDigests, problem } from '@svc/platform';
import { DataSource } from 'typeorm';
import type { TaskSnapshot } from '../../tasks/task-state.js';

/** A batch as it is recorded. */
export interface StoredBatch {
  readonly batchId: string;
  /** Keyed and bound to the id. */
  readonly storedDigest: string;
  readonly documentCount: number;
  readonly createdAt: Date;
  readonly cancelledAt: Date | null;
  /** Whether it is so old that nobody is still giving its documents to their desk. */
  readonly isSettled: boolean;
}

export type NewBatch = Pick<StoredBatch, 'batchId' | 'documentCount'> & {
  /** Plain: it is written nowhere. */
  readonly requestDigest: string;
  readonly accountId: string;
  readonly idempotencyKey: string | undefined;
};

/** What a batch shows of one of its tasks. */
export interface BatchTask extends Pick<TaskSnapshot, 'state' | 'payment'> {
  readonly taskId: string;
  readonly auditId: string | null;
  readonly compliant: CoiVerifyResult['compliant'] | null;
  readonly problem: ProblemPayload | null;
}

/** Claims of documents that were not given to their desk have lapsed by then, seconds: their lease, and some. */
const GIVING_SECONDS = 240;
const COLUMNS = `batch_id AS "batchId", request_digest AS "storedDigest", document_count AS "documentCount",
  created_at AS "createdAt", cancelled_at AS "cancelledAt",
  created_at < now() - make_interval(secs => ${GIVING_SECONDS}) AS "isSettled"`;

/** Batches of audits, in Postgres. */
@Injectable()
export class CoiBatchStore {
  constructor(
    private readonly dataSource: DataSource,
    private readonly digests: KeyedDigests,
  ) {}

  /** Whether a batch was opened by this very request. */
  isOf({ batchId, storedDigest }: StoredBatch, requestDigest: string): boolean {
    return this.digests.of(requestDigest, batchId).matches(storedDigest);
  }

  /** The batch of the account under its Idempotency-Key: the given one, or the one that was there. */
  async open({
    batchId,
    accountId,
    idempotencyKey,
    requestDigest,
    documentCount,
  }: NewBatch): Promise<StoredBatch> {
    const digest = this.digests.of(requestDigest, batchId).stored;
    await this.dataSource.query(
      `INSERT INTO coi_batch (batch_id, account_id, idempotency_key, request_digest, document_count)
       VALUES ($1, $2, $3, $4, $5) ON CONFLICT (account_id, idempotency_key) DO NOTHING`,
      [batchId, accountId, idempotencyKey ?? null, digest, documentCount],
    );
    if (idempotencyKey === undefined) return this.find(batchId);
    const opened = await this.underKey(accountId, idempotencyKey);
    if (!opened) throw new Error('a batch is not there that was just opened');
    return opened;
  }

  /** The batch of an account under an Idempotency-Key, where there is one. */
  async underKey(accountId: string, idempotencyKey: string): Promise<StoredBatch | undefined> {
    const rows: StoredBatch[] = await this.dataSource.query(
      `SELECT ${COLUMNS} FROM coi_batch WHERE account_id = $1 AND idempotency_key = $2`,
      [accountId, idempotencyKey],
    );
    return rows[0];
  }

  /** @throws ProblemError NOT_FOUND */
  async find(batchId: string): Promise<StoredBatch> {
    const rows: StoredBatch[] = await this.dataSource.query(
      `SELECT ${COLUMNS} FROM coi_batch WHERE batch_id = $1`,
      [batchId],
    );
    if (rows[0]) return rows[0];
    throw problem('NOT_FOUND', `No batch has this id; batches are kept for ${COI_BATCH_RETENTION_DAYS} days`);
  }

  async markCancelled(batchId: string): Promise<void> {
    await this.dataSource.query(
      `UPDATE coi_batch SET cancelled_at = now() WHERE batch_id = $1 AND cancelled_at IS NULL`,
      [batchId],
    );
  }

  /** Those of the tasks that there are, by their ids. */
  async tasks(taskIds: readonly string[]): Promise<ReadonlyMap<string, BatchTask>> {
    const rows: BatchTask[] = await this.dataSource.query(
      `SELECT task_id AS "taskId", state, payment, result ->> 'auditId' AS "auditId",
              result ->> 'compliant' AS compliant, problem
         FROM task WHERE task_id = ANY ($1)`,
      [taskIds],
    );
    return new Map(rows.map(task => [task.taskId, task]));
  }

  /** Deletes batches before their tasks go: a batch without tasks would look as if none had been taken. */
  async purgeExpired(retentionDays = COI_BATCH_RETENTION_DAYS): Promise<number> {
    const [, count]: [unknown, number] = await this.dataSource.query(
      `DELETE FROM coi_batch WHERE created_at < now() - make_interval(days => $1)`,
      [retentionDays],
    );
    return count;
  }
}
