import { z } from 'zod';
import { CanBeGivenUp, ClaimHandle } from './payments.contract.js';
import { ProblemPayload, PROBLEM_CODES, FieldFault } from './problem.js';
import { procedure } from './procedure.js';
import { Admission, ProofId, ProveRequest, ProveResult } from './prover.contract.js';
import { StarkProveM31Request, StarkProveRequest, StarkProveResult } from './stark-prove.contract.js';
import { unguessableId } from './wire-format.js';

/** Unguessable id of a proof job: 128 random bits. Whoever holds it may ask and cancel. */
export const ProofJobId = unguessableId('job').meta({ description: 'Id of a proof job: 128 random bits' });

/**
 * `queued` → `running` → `settling` → `succeeded`, `failed` or `cancelled`; `cancelling` once that was asked for while it runs.
 * `queued` again where the process that made the proof has ended: another one begins it anew.
 * `settling`: the work has ended, and its payment is being delivered or given back.
 */
export const PROOF_JOB_STATES = [
  'queued',
  'running',
  'cancelling',
  'settling',
  'succeeded',
  'failed',
  'cancelled',
] as const;
export const ProofJobState = z.enum(PROOF_JOB_STATES);
export type ProofJobState = z.infer<typeof ProofJobState>;

/** Work that can be given away as a job: an operation of the price list with its validated body. */
export const ProofOrder = z.discriminatedUnion('operationId', [
  z.object({ operationId: z.literal('zk.prove'), request: ProveRequest }),
  z.object({ operationId: z.literal('stark.prove-goldilocks'), request: StarkProveRequest }),
  z.object({ operationId: z.literal('stark.prove-m31'), request: StarkProveM31Request }),
]);
export type ProofOrder = z.output<typeof ProofOrder>;

/** The claim on the payment of a job: the job delivers it with its answer, or gives it back. */
export const ProofJobClaim = ClaimHandle.extend({
  /** `Payment-Receipt`, for the answer. */
  receipt: z.string().max(16_384),
  canBeGivenUp: CanBeGivenUp,
});
export type ProofJobClaim = z.infer<typeof ProofJobClaim>;

/** What a 409 `PAYMENT_IN_FLIGHT` says beside the members of every problem. */
export const PaymentInFlight = z
  .object({
    jobId: ProofJobId.optional().meta({
      description:
        'The job that holds the payment, where it was asked for with `Prefer: respond-async`; as `Location`',
    }),
  })
  .meta({ id: 'PaymentInFlight' });
export type PaymentInFlight = z.infer<typeof PaymentInFlight>;

const progressFields = {
  state: ProofJobState,
  stage: z.string().optional().meta({ description: 'What is being done: execute, commit-trace, …' }),
  stagesDone: z.int().min(0),
  stageCount: z.int().min(1),
};

/** A proof in the making, or made. */
export const ProofJob = z
  .object({
    jobId: ProofJobId,
    operationId: z.string(),
    ...progressFields,
    createdAt: z.iso.datetime(),
    startedAt: z.iso.datetime().optional(),
    endedAt: z.iso.datetime().optional(),
    payment: z.enum(['held', 'delivered', 'returned', 'superseded']).meta({
      description:
        'held while the job runs and until its end is settled; delivered with its answer; returned to the credential where there is none; superseded where a later request with the credential has it',
    }),
    proofId: ProofId.optional().meta({ description: 'The proof, where there is one' }),
    result: z
      .union([ProveResult.omit({ proof: true }), StarkProveResult.omit({ proof: true })])
      .optional()
      .meta({ description: 'The answer of the operation, but for the proof, which `proofId` fetches' }),
    opening: z.record(z.string(), z.string()).optional().meta({
      description:
        'In the 202 that begins the job, and never again: what will open the commitment of its answer. Keep it; give it to nobody else',
    }),
    problem: z
      .object({
        code: z.enum(PROBLEM_CODES),
        detail: z.string(),
        errors: z.array(FieldFault).optional(),
        reason: z.string().optional().meta({ description: 'In a word, as the call that waits is told' }),
        row: z.int().optional().meta({ description: 'The first row at which the trace breaks' }),
        constraint: z.string().optional().meta({ description: 'What breaks there' }),
        column: z.string().optional().meta({ description: 'The column that breaks there' }),
      })
      .optional()
      .meta({ description: 'Why there is no answer' }),
  })
  .meta({ id: 'ProofJob' });
export type ProofJob = z.infer<typeof ProofJob>;

/** One step of a job, as its stream of events has it; `seq` is the event's id. */
export const ProofJobEvent = z
  .object({
    seq: z.int().min(1),
    at: z.iso.datetime(),
    ...progressFields,
    proofId: ProofId.optional(),
    problem: ProblemPayload.pick({ code: true, detail: true }).optional(),
  })
  .meta({ id: 'ProofJobEvent' });
export type ProofJobEvent = z.infer<typeof ProofJobEvent>;

/** Longest that one question for events waits, milliseconds. */
export const JOB_EVENTS_WAIT_MS_MAX = 10_000;

const jobReply = { reply: ProofJob, timeoutMs: 5_000 };

export const proofJobContract = {
  /** Whether a job would be taken, asked before anything is paid; as admission of a proof, QUEUE_FULL by the jobs that wait. */
  admitJob: procedure('prover', 'admit-job', {
    request: z.object({ order: ProofOrder }),
    reply: Admission,
    timeoutMs: 2_000,
  }),
  /** Takes a job; the same id twice is the same job. Refuses as admission does, QUEUE_FULL included. */
  startJob: procedure('prover', 'start-job', {
    request: z.object({ jobId: ProofJobId, order: ProofOrder, claim: ProofJobClaim }),
    ...jobReply,
  }),
  job: procedure('prover', 'job', { isPublic: true, request: z.object({ jobId: ProofJobId }), ...jobReply }),
  /** The job that holds a claim on a payment, where there is one. */
  jobOfClaim: procedure('prover', 'job-of-claim', {
    request: ClaimHandle,
    reply: PaymentInFlight,
    timeoutMs: 2_000,
  }),
  /** Asks for the end of a job; CONFLICT where it has succeeded or failed, or has begun and cannot be given up. */
  cancelJob: procedure('prover', 'cancel-job', {
    isPublic: true,
    request: z.object({ jobId: ProofJobId }),
    ...jobReply,
  }),
  /** The events after `after`, at once where there are some, else as soon as there is one, else none after `waitMs`. */
  jobEvents: procedure('prover', 'job-events', {
    isPublic: true,
    request: z.object({
      jobId: ProofJobId,
      after: z.int().min(0),
      waitMs: z.int().min(0).max(JOB_EVENTS_WAIT_MS_MAX),
    }),
    reply: z.object({ events: z.array(ProofJobEvent), ended: z.boolean() }),
    timeoutMs: JOB_EVENTS_WAIT_MS_MAX + 5_000,
  }),
} as const;
