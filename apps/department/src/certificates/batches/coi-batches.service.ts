import { Injectable } from '@nestjs/common';
import type { CoiBatch, coiBatchContract, ParsedRequestOf, ReplyOf } from '@svc/contracts';
import { newId, problem, ProblemError } from '@svc/platform';
import { createHash } from 'node:crypto';
import { isEnded, shownStateOf } from '../../tasks/task-state.js';
import { TaskService } from '../../tasks/task.service.js';
import { AuditTerms } from '../audit-terms.js';
import { type BatchTask, CoiBatchStore, type StoredBatch } from './coi-batch-store.js';

type Contract = typeof coiBatchContract;
type Document = CoiBatch['documents'][number];

const DESK = 'compliance';
/** Tasks that are cancelled beside one another. */
const ABREAST = 8;

/** Batches of audits: which documents are still to be taken, what became of the others, and their common end. */
@Injectable()
export class CoiBatchesService {
  constructor(
    private readonly batches: CoiBatchStore,
    private readonly terms: AuditTerms,
    private readonly tasks: TaskService,
  ) {}

  /** @throws ProblemError UNPROCESSABLE */
  async open(asked: ParsedRequestOf<Contract['openBatch']>): Promise<ReplyOf<Contract['openBatch']>> {
    const { accountId, idempotencyKey, requestDigest, terms } = asked;
    const known =
      idempotencyKey === undefined ? undefined : await this.batches.underKey(accountId, idempotencyKey);
    // What was taken once is not judged again: a day that was near enough then may be too far back now.
    if (!known) await this.requirePossible(terms, accountId);
    const batchId = newId('cbt');
    const documentCount = terms.length;
    const batch =
      known ??
      (await this.batches.open({ batchId, accountId, idempotencyKey, requestDigest, documentCount }));
    if (!this.batches.isOf(batch, requestDigest)) throw otherRequest();
    return { batchId: batch.batchId, untaken: await this.untakenOf(batch) };
  }

  /** @throws ProblemError NOT_FOUND */
  async untaken({ batchId }: { batchId: string }): Promise<ReplyOf<Contract['untakenDocuments']>> {
    return { untaken: await this.untakenOf(await this.batches.find(batchId)) };
  }

  /** @throws ProblemError NOT_FOUND */
  async batch({ batchId }: { batchId: string }): Promise<CoiBatch> {
    const batch = await this.batches.find(batchId);
    const tasks = await this.batches.tasks(taskIdsOf(batch));
    return shownBatchOf(
      batch,
      taskIdsOf(batch).map((taskId, index) => shownDocumentOf(index, tasks.get(taskId))),
    );
  }

  /** @throws ProblemError NOT_FOUND */
  async cancel({ batchId }: { batchId: string }): Promise<CoiBatch> {
    const batch = await this.batches.find(batchId);
    await this.batches.markCancelled(batchId);
    const tasks = await this.batches.tasks(taskIdsOf(batch));
    const due = [...tasks.values()].filter(task => !isEnded(task)).map(({ taskId }) => taskId);
    const next = async () => {
      for (let taskId = due.pop(); taskId !== undefined; taskId = due.pop()) await this.cancelTask(taskId);
    };
    await Promise.all(Array.from({ length: Math.min(ABREAST, due.length) }, next));
    return this.batch({ batchId });
  }

  /** One that comes to its outcome first keeps it; so does one whose work is bought. */
  private async cancelTask(taskId: string): Promise<void> {
    await this.tasks.cancel({ deptId: DESK, taskId }).catch((error: unknown) => {
      if (!(error instanceof ProblemError) || error.code !== 'CONFLICT') throw error;
    });
  }

  private async untakenOf(batch: StoredBatch): Promise<{ index: number; taskId: string }[]> {
    if (batch.cancelledAt !== null) return [];
    const tasks = await this.batches.tasks(taskIdsOf(batch));
    return taskIdsOf(batch)
      .map((taskId, index) => ({ index, taskId }))
      .filter(({ taskId }) => !tasks.has(taskId));
  }

  private async requirePossible(
    terms: ParsedRequestOf<Contract['openBatch']>['terms'],
    accountId: string,
  ): Promise<void> {
    const judged = new Set<string>();
    for (const [index, asked] of terms.entries()) {
      // Most documents of a batch are held against the same.
      const text = JSON.stringify(asked);
      if (judged.has(text)) continue;
      judged.add(text);
      await this.terms.resolve(asked, accountId).catch((error: unknown) => {
        throw belowDocument(error, index);
      });
    }
  }
}

/** The task of each document: who has not the batch's id cannot guess it, and the same document comes to the same task. */
function taskIdsOf({ batchId, documentCount }: Pick<StoredBatch, 'batchId' | 'documentCount'>): string[] {
  return Array.from({ length: documentCount }, (_, index) => {
    const digest = createHash('sha256').update(`svc/coi-batch/v1\0${batchId}\0${index}`).digest();
    return `tsk_${digest.subarray(0, 16).toString('base64url')}`;
  });
}

function shownDocumentOf(index: number, task: BatchTask | undefined): Document {
  if (!task) return { index, status: 'UNTAKEN' };
  const { taskId, auditId, compliant, problem: why } = task;
  const { status, payment } = shownStateOf(task);
  const shown = { index, taskId, status: status as Document['status'] };
  // As with the task itself: what it came to is shown once its payment is settled.
  if (payment === 'held') return shown;
  return {
    ...shown,
    ...(auditId !== null && { auditId }),
    ...(compliant !== null && { compliant }),
    charged: payment === 'delivered',
    ...(why && {
      problem: { code: why.code, detail: why.detail, ...(why.errors && { errors: why.errors }) },
    }),
  };
}

function shownBatchOf(batch: StoredBatch, documents: Document[]): CoiBatch {
  const counts = { UNTAKEN: 0, QUEUED: 0, RUNNING: 0, COMPLETED: 0, FAILED: 0, CANCELLED: 0, EXPIRED: 0 };
  for (const { status } of documents) counts[status]++;
  const { batchId, createdAt, cancelledAt, isSettled } = batch;
  return {
    batchId,
    status: statusOf(counts, cancelledAt !== null, isSettled),
    createdAt: createdAt.toISOString(),
    ...(cancelledAt !== null && { cancelledAt: cancelledAt.toISOString() }),
    counts,
    chargedCount: documents.filter(({ charged }) => charged).length,
    documents,
  };
}

function statusOf(
  { QUEUED, RUNNING, UNTAKEN }: CoiBatch['counts'],
  isCancelled: boolean,
  isSettled: boolean,
): CoiBatch['status'] {
  if (QUEUED + RUNNING > 0) return 'RUNNING';
  if (UNTAKEN === 0 || isCancelled) return 'ENDED';
  return isSettled ? 'INTERRUPTED' : 'RUNNING';
}

function belowDocument(error: unknown, index: number): unknown {
  if (!(error instanceof ProblemError)) return error;
  const below = `documents[${index}]`;
  const errors = error.payload.errors?.map(fault => ({ ...fault, path: `${below}.${fault.path}` }));
  const detail = `${below}: ${error.payload.detail}`;
  return new ProblemError({ ...error.payload, detail, errors }, { cause: error });
}

function otherRequest(): ProblemError {
  const message = 'was used for a request with another body';
  return problem('UNPROCESSABLE', `The Idempotency-Key ${message}; use the same for retries alone`, {
    errors: [{ path: 'Idempotency-Key', message }],
  });
}
