import { z } from 'zod';
import { AccountId } from './account.contract.js';
import {
  AuditId,
  CoiRequirements,
  CoiVerdict,
  CoiVerifyRequest,
  RequirementSetId,
} from './certificates.contract.js';
import { TASK_STATUSES, TaskId } from './departments.contract.js';
import { RequestDigest } from './payments.contract.js';
import { FieldFault, PROBLEM_CODES } from './problem.js';
import { procedure } from './procedure.js';
import { defineRoutes } from './route.js';
import { CalendarDate, IdempotencyHeaders, IdempotencyKeyText, unguessableId } from './wire-format.js';

/** Documents of one batch. */
export const COI_BATCH_DOCUMENTS_MAX = 100;
/** Bytes of one document as JSON, its file in base64 in it: it goes to its desk as one message. */
export const COI_BATCH_DOCUMENT_BYTES_MAX = 3_145_728;
/** Bytes of the body of a batch. */
const COI_BATCH_BODY_BYTES_MAX = 33_554_432;
/** Days for which a batch can be asked for. */
export const COI_BATCH_RETENTION_DAYS = 29;

export const CoiBatchId = unguessableId('cbt').meta({ description: 'Id of a batch: 128 random bits' });

/** Body of `POST /coi/batches`. */
export const CoiBatchRequest = z
  .strictObject({
    documents: z
      .array(CoiVerifyRequest)
      .min(1)
      .max(COI_BATCH_DOCUMENTS_MAX)
      .meta({
        description: `Each as the body of POST /partnerCoiVerify, and at most ${COI_BATCH_DOCUMENT_BYTES_MAX} bytes of JSON`,
      }),
  })
  .meta({ id: 'CoiBatchRequest' });
export type CoiBatchRequest = z.output<typeof CoiBatchRequest>;

const COI_DOCUMENT_STATUSES = ['UNTAKEN', ...TASK_STATUSES] as const;

/** One document of a batch, and what became of it. */
export const CoiBatchDocument = z
  .object({
    index: z.int().meta({ description: 'Its place in `documents`, from 0' }),
    status: z.enum(COI_DOCUMENT_STATUSES).meta({
      description:
        'Of its task; UNTAKEN where it has none: it was not paid for, or its task was never given to the desk',
    }),
    taskId: TaskId.optional().meta({ description: 'Its task, at the desk `compliance`' }),
    auditId: AuditId.optional(),
    compliant: CoiVerdict.optional(),
    charged: z.boolean().optional().meta({ description: 'Once it has ended: whether its price was taken' }),
    problem: z
      .object({ code: z.enum(PROBLEM_CODES), detail: z.string(), errors: z.array(FieldFault).optional() })
      .optional()
      .meta({ description: 'Why there is no audit' }),
  })
  .meta({ id: 'CoiBatchDocument' });

/** A batch of audits: the sum of its tasks. */
export const CoiBatch = z
  .object({
    batchId: CoiBatchId,
    status: z.enum(['RUNNING', 'ENDED', 'INTERRUPTED']).meta({
      description:
        'ENDED: so have all of its tasks. INTERRUPTED: so have those that there are, and some documents were never taken: the same request under the same Idempotency-Key goes on with them',
    }),
    createdAt: z.iso.datetime(),
    cancelledAt: z.iso.datetime().optional(),
    counts: z.record(z.enum(COI_DOCUMENT_STATUSES), z.int()).meta({ description: 'Documents by status' }),
    chargedCount: z.int().meta({ description: 'Documents whose price was taken so far' }),
    documents: z.array(CoiBatchDocument).meta({ description: 'In the order in which they were sent' }),
  })
  .meta({ id: 'CoiBatch' });
export type CoiBatch = z.infer<typeof CoiBatch>;

const batchParams = z.object({ batchId: CoiBatchId });

export const coiBatchesRoutes = defineRoutes({
  create: {
    operationId: 'coi.create-batch',
    method: 'POST',
    path: '/coi/batches',
    summary: 'Audit up to 100 certificates',
    description:
      'Each document is paid by the key as a call of POST /partnerCoiVerify, and given back where it cannot be audited. Nothing is taken where the balance does not cover all of them.',
    tag: 'Certificates',
    access: 'key',
    headers: IdempotencyHeaders,
    body: { schema: CoiBatchRequest },
    bodyBytesMax: COI_BATCH_BODY_BYTES_MAX,
    replies: { 202: { description: 'Taken', schema: CoiBatch, headers: { Location: 'The batch' } } },
    problems: [
      ...(['PAYMENT_INSUFFICIENT', 'PAYMENT_IN_FLIGHT', 'FORBIDDEN'] as const),
      ...(['UNPROCESSABLE', 'QUEUE_FULL', 'SETTLEMENT_UNKNOWN'] as const),
    ],
  },
  batch: {
    operationId: 'coi.get-batch',
    method: 'GET',
    path: '/coi/batches/:batchId',
    summary: 'State of a batch, and what became of each of its documents',
    description: 'Whoever holds the id may ask: it is unguessable.',
    tag: 'Certificates',
    access: 'free',
    params: batchParams,
    replies: { 200: { description: 'The batch', schema: CoiBatch } },
  },
  cancel: {
    operationId: 'coi.cancel-batch',
    method: 'DELETE',
    path: '/coi/batches/:batchId',
    summary: 'Cancel what of a batch has not ended',
    description: 'Whoever holds the id may ask. What is cancelled is given back.',
    tag: 'Certificates',
    access: 'free',
    params: batchParams,
    replies: { 200: { description: 'The batch', schema: CoiBatch } },
  },
});

/** What a document is to be held against: all of it but the document itself. */
const CoiDocumentTerms = z.object({
  asOf: CalendarDate.optional(),
  projectEnd: CalendarDate.optional(),
  requirements: CoiRequirements.optional(),
  requirementSetId: RequirementSetId.optional(),
});

const untaken = z.array(
  z.object({
    index: z
      .int()
      .min(0)
      .max(COI_BATCH_DOCUMENTS_MAX - 1),
    taskId: TaskId,
  }),
);

export const coiBatchContract = {
  /**
   * The batch of an account's Idempotency-Key, or a new one, and its documents without a task: none where it was cancelled.
   * UNPROCESSABLE with paths below `documents` for terms that no audit can have, before there is a batch; and for a key that
   * came before with another request.
   */
  openBatch: procedure('department', 'open-coi-batch', {
    request: z.object({
      accountId: AccountId,
      idempotencyKey: IdempotencyKeyText.optional(),
      requestDigest: RequestDigest,
      terms: z.array(CoiDocumentTerms).min(1).max(COI_BATCH_DOCUMENTS_MAX),
    }),
    reply: z.object({ batchId: CoiBatchId, untaken }),
    timeoutMs: 10_000,
  }),
  /** The documents of a batch that have no task now; none where it was cancelled. */
  untakenDocuments: procedure('department', 'untaken-coi-documents', {
    request: batchParams,
    reply: z.object({ untaken }),
    timeoutMs: 5_000,
  }),
  batch: procedure('department', 'coi-batch', {
    request: batchParams,
    reply: CoiBatch,
    timeoutMs: 5_000,
  }),
  /** Cancels every task of the batch that has not ended, and takes no further one. Idempotent. */
  cancelBatch: procedure('department', 'cancel-coi-batch', {
    request: batchParams,
    reply: CoiBatch,
    timeoutMs: 20_000,
  }),
} as const;
