import { z } from 'zod';
import { cloudEvent, type EventType, type OutgoingEvent } from './cloud-event.js';
import { DEPARTMENT_IDS, TASK_STATUSES, TaskId } from './departments.contract.js';
import { PROBLEM_CODES } from './problem.js';
import type { ServiceName } from './procedure.js';
import { PROOF_JOB_STATES, ProofJobId } from './proof-job.contract.js';
import { ProofId } from './prover.contract.js';
import { WalEvent } from './wal-event.js';
import { WalCheckpoint } from './x402.contract.js';

const ClaimId = z.uuid().meta({ description: 'Id of the claim on a payment' });
const ProblemCode = z.enum(PROBLEM_CODES).meta({ description: 'Why there is no answer' });
const HeldPayment = z.enum(['held', 'delivered', 'returned', 'superseded']);

/** What became of a payment. It names no payer and no credential. */
export const PaymentEventData = z.object({
  claimId: ClaimId,
  operationId: z.string().meta({ description: 'What was bought: an id of the price list' }),
  rail: z.string().max(64).meta({ description: 'lightning, stripe, x402, key, …' }),
  funding: z.string().max(64).meta({ description: 'rail, credit or quota' }),
  amountMicroUsd: z.int().min(0),
  amountSats: z.int().min(0),
  attempt: z
    .int()
    .min(1)
    .meta({ description: 'Which call it pays for: a payment that came back may pay again' }),
});
export type PaymentEventData = z.infer<typeof PaymentEventData>;

/** That less is left for a key than its holder wants to hear of: micro-USD. */
export const LowBalanceEventData = z.object({
  accountId: z.string(),
  keyId: z.string(),
  belowMicroUsd: z.int().min(1),
  leftMicroUsd: z.int().min(0).meta({ description: 'What the key may still spend' }),
  balanceMicroUsd: z.int().min(0).meta({ description: 'What the account has' }),
});

/** States of a claim that are told, and the last word of the type of the event that tells of each. */
export const PAYMENT_EVENTS = {
  claimed: 'A call was paid for and runs',
  delivered: 'It was answered: the amount is earned',
  released: 'It was not: the amount lies with its payer again',
  refused: 'Nothing was taken',
  unknown: 'Whether something was taken is being asked; released or refused follows',
} as const;
export type PaymentEventName = keyof typeof PAYMENT_EVENTS;

/** A task, at one step of it. Neither what it was given nor what it found is told. */
export const TaskEventData = z.object({
  taskId: TaskId.meta({ description: 'Opens the task at the gateway: to be kept as a secret is' }),
  deptId: z.enum(DEPARTMENT_IDS),
  capability: z.string().max(128),
  seq: z.int().min(1).meta({ description: 'Of the events of the task; some may tell of progress alone' }),
  at: z.iso.datetime(),
  status: z.enum(TASK_STATUSES),
  progress: z.number().min(0).max(1).optional(),
  stage: z.string().max(64).optional(),
  payment: HeldPayment.optional(),
  problemCode: ProblemCode.optional(),
});
export type TaskEventData = z.infer<typeof TaskEventData>;

/** A job of a proof, at one step of it. */
export const ProofJobEventData = z.object({
  jobId: ProofJobId.meta({ description: 'Opens the job at the gateway: to be kept as a secret is' }),
  operationId: z.string().max(128),
  seq: z.int().min(1),
  at: z.iso.datetime(),
  state: z.enum(PROOF_JOB_STATES),
  stage: z.string().max(64).optional(),
  stagesDone: z.int().min(0),
  stageCount: z.int().min(1),
  payment: HeldPayment,
  proofId: ProofId.optional(),
  problemCode: ProblemCode.optional(),
});
export type ProofJobEventData = z.infer<typeof ProofJobEventData>;

/** A proof that was made and kept. */
export const ProofMadeEventData = z.object({
  proofId: ProofId,
  airId: z.string().max(128),
  operationId: z.string().max(128).optional(),
  at: z.iso.datetime(),
});
export type ProofMadeEventData = z.infer<typeof ProofMadeEventData>;

/** A record of a saga's log, as it leaves the log. */
export const SagaEventData = WalEvent.omit({ payloadDigest: true }).extend({
  sagaId: z.uuid(),
  step: z.string().nullable().meta({ description: 'null where the record is about the saga' }),
  hash: z.string().regex(/^[0-9a-f]{64}$/),
  prevHash: z.string().regex(/^[0-9a-f]{64}$/),
  idemKey: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .nullable(),
});

/** A checkpoint with its leaves, as it leaves the service: a line of a checkpoint file. */
export const CheckpointEventData = z.object({
  checkpoint: WalCheckpoint,
  leaves: z
    .array(z.tuple([z.uuid(), z.int().min(1), z.string()]))
    .meta({ description: 'Saga, count of its records, head of its log' }),
});

/** One kind of message of a family: its name, and what is published. */
export interface EventMessage<Schema extends z.ZodType = z.ZodType> {
  readonly summary: string;
  readonly schema: Schema;
}

/** Events that are published under one pattern of subjects. */
export interface EventFamily {
  /** With a `{parameter}` for each token that is not fixed. */
  readonly address: string;
  /** The same as a filter of NATS. */
  readonly filter: string;
  readonly parameters: Readonly<Record<string, string>>;
  readonly service: ServiceName;
  readonly description: string;
  /** How ids are made, which are the same however often an event is delivered. */
  readonly ids: string;
  /** By the CloudEvents type; one message named `record` where events are bare records of a log. */
  readonly messages: Readonly<Record<string, EventMessage>>;
}

const events = <Name extends string, Data extends z.ZodType>(
  about: string,
  data: Data,
  names: Readonly<Record<Name, string>>,
) =>
  Object.fromEntries(
    Object.entries(names).map(([name, summary]) => {
      const type = typeOf(about, name);
      return [type, { summary: summary as string, schema: cloudEvent(type, data) }];
    }),
  );

const typeOf = (about: string, name: string): EventType => `svc.${about}.${name}.v1`;

/** What a status of a task is called in the type of its event. */
export const TASK_EVENTS = {
  queued: 'It waits for a worker',
  running: 'A worker has it; told again as it gets on',
  completed: 'It has a result',
  failed: 'It has none, and its problem says why',
  cancelled: 'It was called off',
  expired: 'Its deadline has passed',
} as const;

const JOB_EVENTS = {
  queued: 'It waits for room',
  running: 'It is being made; told again as it gets on',
  cancelling: 'It is being called off',
  settling: 'The work has ended, and its payment is being settled',
  succeeded: 'The proof is there',
  failed: 'There is none, and its problem says why',
  cancelled: 'It was called off',
} as const satisfies Record<(typeof PROOF_JOB_STATES)[number], string>;

/** Every event that the services publish, and nothing else: from it come AsyncAPI, and the types of consumers. */
export const EVENTS = {
  saga: {
    address: 'events.saga.{sagaId}',
    filter: 'events.saga.*',
    parameters: { sagaId: 'Id of the saga, a UUID' },
    service: 'payments',
    description: 'Every record of every saga, in the order of its log: they hold each chain of hashes whole.',
    ids: '<sagaId>:<seq>',
    messages: { record: { summary: 'A record of the log of a saga', schema: SagaEventData } },
  },
  checkpoint: {
    address: 'events.wal.checkpoint',
    filter: 'events.wal.checkpoint',
    parameters: {},
    service: 'payments',
    description: 'Signed checkpoints of all logs, each after the records that it covers.',
    ids: 'checkpoint:<number>:<hash>',
    messages: { record: { summary: 'A checkpoint and its leaves', schema: CheckpointEventData } },
  },
  lowBalance: {
    address: 'events.payment.low-balance',
    filter: 'events.payment.low-balance',
    parameters: {},
    service: 'payments',
    description:
      'Less is left for a key than its holder wants to hear of, written in the transaction that spends it.',
    ids: 'low-balance:<noticeId>',
    messages: events('payment', LowBalanceEventData, {
      'low-balance': 'Once each time that less is left, until there was more again',
    }),
  },
  payment: {
    address: 'events.payment.{claimId}',
    filter: 'events.payment.*',
    parameters: { claimId: 'Id of the claim on the payment, a UUID' },
    service: 'payments',
    description: 'What becomes of each payment of a call, written in the transaction that books it.',
    ids: 'payment:<claimId>:<attempt>:<name>',
    messages: events('payment', PaymentEventData, PAYMENT_EVENTS),
  },
  task: {
    address: 'events.task.{deptId}.{taskId}',
    filter: 'events.task.*.*',
    parameters: { deptId: `Id of the desk: ${DEPARTMENT_IDS.join(', ')}`, taskId: 'Id of the task' },
    service: 'department',
    description: 'The steps of each task of a desk, written in the transaction that takes them.',
    ids: 'task:<taskId>:<seq>',
    messages: events('task', TaskEventData, TASK_EVENTS),
  },
  proofJob: {
    address: 'events.proof.job.{jobId}',
    filter: 'events.proof.job.*',
    parameters: { jobId: 'Id of the job' },
    service: 'prover',
    description: 'The steps of each job of a proof, written in the transaction that takes them.',
    ids: 'job:<jobId>:<seq>',
    messages: events('proof-job', ProofJobEventData, JOB_EVENTS),
  },
  proof: {
    address: 'events.proof.made.{proofId}',
    filter: 'events.proof.made.*',
    parameters: { proofId: 'Id of the proof' },
    service: 'prover',
    description: 'A proof was made and kept, written in the transaction that keeps it.',
    ids: 'proof:<proofId>',
    messages: events('proof', ProofMadeEventData, { made: 'It can be fetched and checked' }),
  },
} as const satisfies Record<string, EventFamily>;
export type EventFamilyName = keyof typeof EVENTS;

/** The event of a step of a task. @throws ZodError for what the schema refuses */
export function taskEvent(data: TaskEventData): OutgoingEvent {
  const parsed = TaskEventData.parse(data);
  const { taskId, deptId, seq, at, status } = parsed;
  return {
    subject: `events.task.${deptId}.${taskId}`,
    id: `task:${taskId}:${seq}`,
    type: typeOf('task', status.toLowerCase()),
    service: 'department',
    about: taskId,
    time: new Date(at),
    data: parsed,
  };
}

/** The event of a step of a job of a proof. @throws ZodError for what the schema refuses */
export function proofJobEvent(data: ProofJobEventData): OutgoingEvent {
  const parsed = ProofJobEventData.parse(data);
  return {
    subject: `events.proof.job.${parsed.jobId}`,
    id: `job:${parsed.jobId}:${parsed.seq}`,
    type: typeOf('proof-job', parsed.state),
    service: 'prover',
    about: parsed.jobId,
    time: new Date(parsed.at),
    data: parsed,
  };
}
