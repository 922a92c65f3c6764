import { z } from 'zod';
import { AuditProof } from './audit-proof.js';
import {
  AccountKeyText,
  CalledRequest,
  leftForKey,
  PaymentCredential,
  PaymentCredit,
  QuotaState,
  Receipt,
} from './payments.contract.js';
import { PublicKeys } from './licences.contract.js';
import { procedure } from './procedure.js';
import { defineRoutes } from './route.js';
import { ToolName } from './tool-catalog.contract.js';
import { WalEvent } from './wal-event.js';
import { CallerName, IdempotencyHeaders, IdempotencyKeyText, PlainText } from './wire-format.js';

const SagaId = z.uuid().meta({ description: 'Id of a saga' });
const ExecutionTicket = z
  .string()
  .regex(/^tkt_[A-Za-z0-9_-]{43}$/)
  .meta({ description: 'Single-use execution ticket: 32 random bytes' });

/** Members of the 402 problem of a challenge, beside those of every problem. */
export const PaymentChallenge = z
  .looseObject({
    challengeToken: z.string().meta({ description: 'The same value as X-402-Challenge' }),
    priceUsd: z.string(),
    priceSats: z.int(),
    invoice: z.string().optional().meta({ description: 'BOLT11 invoice' }),
    expiresAt: z.iso.datetime(),
    rails: z.array(z.string()),
  })
  .meta({ id: 'PaymentChallenge' });

/** Body of `POST /v1/x402/verify`; no field is required. */
export const VerifyPaymentRequest = z
  .strictObject({
    challengeToken: z.string().min(1).max(4_096).optional(),
    agentId: CallerName.optional(),
    capability: PlainText.min(1).max(128).optional(),
  })
  .meta({ id: 'VerifyPaymentRequest', example: { agentId: 'agent-7' } });

/** Response of `POST /v1/x402/verify`. */
export const VerifyPaymentResult = z
  .object({
    status: z.literal('PAYMENT_CLEARED'),
    ticket: ExecutionTicket,
    tool: z.string(),
    capability: z.string().optional(),
    rail: z.string(),
    amountMicroUsd: z.int(),
    expiresAt: z.iso.datetime(),
    receipt: z.string(),
  })
  .meta({ id: 'VerifyPaymentResult' });
export type VerifyPaymentResult = z.infer<typeof VerifyPaymentResult>;

/** Body of `POST /v1/x402/execute`: the inputs of the ticket's tool, and the ticket unless a header has it. */
export const ExecuteRequest = z
  .looseObject({ executionTicket: z.string().max(128).optional() })
  .meta({ id: 'ExecuteRequest', description: "The inputs of the ticket's tool" });

/** The newest signed checkpoint of all logs: what the database cannot unsay. */
export const WalCheckpoint = z
  .object({
    number: z.int(),
    root: z.string().meta({ description: 'RFC 6962 Merkle root over (saga, count, head), 0x hex' }),
    leafCount: z.int(),
    prevHash: z.string(),
    hash: z.string(),
    at: z.iso.datetime(),
    keyId: z.string(),
    signature: z.string().meta({ description: 'Ed25519, base64url' }),
  })
  .meta({ id: 'WalCheckpoint' });
export type WalCheckpoint = z.infer<typeof WalCheckpoint>;

const SagaStatus = z.enum(['RUNNING', 'COMPLETED', 'COMPENSATED', 'STUCK']);

/** Response of `POST /v1/x402/execute`: the outputs of the ticket's tool, and what the saga says of itself. */
export const ExecuteResult = z
  .looseObject({
    sagaId: SagaId,
    status: SagaStatus,
    starkRoot: z.string().optional().meta({
      description: 'Root of the STARK that was issued: of the tool, else of its audit proof',
    }),
    auditProof: AuditProof.optional(),
    checkpoint: WalCheckpoint.optional(),
  })
  .meta({ id: 'ExecuteResult', description: "The outputs of the ticket's tool" });
export type ExecuteResult = z.infer<typeof ExecuteResult>;

/** Where a saga's head lies in a signed checkpoint (RFC 6962). */
export const WalInclusion = z
  .object({
    checkpoint: WalCheckpoint,
    leafIndex: z.int(),
    walCount: z.int().meta({ description: 'Records of the saga that the checkpoint covers' }),
    path: z.array(z.string()),
  })
  .meta({ id: 'WalInclusion' });

/** Response of `GET /v1/x402/sagas/:sagaId`. */
export const Saga = z
  .object({
    sagaId: SagaId,
    sagaName: z.string(),
    tool: z.string(),
    status: SagaStatus,
    walHash: z.string(),
    walCount: z.int(),
    walEvents: z.array(WalEvent),
    inclusion: WalInclusion.optional().meta({ description: 'Absent until a checkpoint covers the saga' }),
    result: z.record(z.string(), z.unknown()).optional().meta({
      description: 'The answer, once the saga has ended, for 24 hours',
    }),
  })
  .meta({ id: 'Saga' });
export type Saga = z.infer<typeof Saga>;

/** Response of `GET /v1/x402/telemetry`: sagas and roots from their log, money from the ledger. */
export const Telemetry = z
  .object({
    transactionsExecuted: z.int().meta({
      description: 'Payments of all rails whose answers were delivered, and plans that were bought',
    }),
    treasuryClearedUsd: z
      .string()
      .meta({ description: 'What was earned with them, less what was given back' }),
    starkRoots: z.object({ count: z.int(), newest: z.string().optional() }),
    sagas: z.record(z.string(), z.int()).meta({ description: 'Count by state' }),
    rails: z.record(z.string(), z.object({ payments: z.int(), amountUsd: z.string() })).meta({
      description:
        'By the rail of the payment; `key` is credit, `plan` what lay within plans, `subscription` their price',
    }),
    since: z.iso.datetime().meta({ description: 'Begin of the first saga of the log' }),
    measuredAt: z.iso.datetime(),
  })
  .meta({ id: 'Telemetry' });
export type Telemetry = z.infer<typeof Telemetry>;

const SettlementHeaders = {
  'Payment-Receipt': 'Receipt of the payment (MPP)',
  'PAYMENT-RESPONSE': 'Settlement of the payment (x402)',
};

export const x402Routes = defineRoutes({
  challenge: {
    operationId: 'x402.challenge',
    method: 'GET',
    path: '/v1/x402/challenge',
    summary: 'A payment challenge for a tool; always 402',
    tag: 'Payments',
    access: 'free',
    description:
      'Sells nothing: the payment goes to `POST /v1/x402/verify`. A payment that is sent here stays untouched, and the answer is 402 `PAY_AT_VERIFY`. `payable` is true: the route that takes the payment takes it for every tool.',
    query: z.object({ tool: ToolName.default('m2m_license_contract') }),
    replies: {},
    problems: ['PAYMENT_REQUIRED', 'PAY_AT_VERIFY'],
  },
  verify: {
    operationId: 'x402.verify',
    method: 'POST',
    path: '/v1/x402/verify',
    summary: 'Exchange a payment for a single-use execution ticket',
    tag: 'Payments',
    access: 'paid',
    description:
      'Takes one payment at the price of a tool, and gives a ticket that runs this tool once, at `POST /v1/x402/execute`, within 15 minutes. The tool is that of the challenge that was paid, else `tool`, else m2m_license_contract; where two of them disagree the request is refused. A shared payment token comes with its challenge, in `X-402-Challenge` or as `challengeToken`. The same credential with the same request brings the same ticket again. What a ticket that expires was paid for becomes credit.',
    headers: IdempotencyHeaders,
    query: z.object({ tool: ToolName.optional() }),
    body: { schema: VerifyPaymentRequest },
    replies: {
      200: {
        description: 'Payment cleared, ticket issued',
        schema: VerifyPaymentResult,
        headers: {
          ...SettlementHeaders,
          'SVC-Receipt':
            'Signed receipt that binds request and ticket: a compact JWS; not where a plan has paid',
          'X-SVC-KEY': 'Credit that the payment left over',
        },
      },
    },
  },
  execute: {
    operationId: 'x402.execute',
    method: 'POST',
    path: '/v1/x402/execute',
    summary: "Run the ticket's tool as a four-step saga",
    tag: 'Payments',
    access: 'paid',
    description:
      'The body has the inputs of the tool. It is paid for with a ticket, in `X-Execution-Ticket` or as `executionTicket`, or with a payment that comes along as on any priced route (the tool is then that of the payment, else `tool`, else m2m_license_contract). Inputs are looked at before the ticket is consumed: what is refused with 400, 403, 409 `STREAM_INDEX_STALE` or 422 leaves it as good as before. A ticket begins one saga, whatever is sent with it; the same `Idempotency-Key` with the same body is answered with the stored answer. `simulateFault` of m2m_license_contract is answered 200 with status COMPENSATED, and beyond 25 a minute or 100 a day 429 before anything is taken; a saga whose tool failed for real with its problem, `sagaId`, and the credit that it left.',
    headers: IdempotencyHeaders.extend({ 'X-Execution-Ticket': z.string().max(128).optional() }),
    query: z.object({ tool: ToolName.optional() }),
    body: { schema: ExecuteRequest },
    bodyBytesMax: 2_097_152,
    replies: {
      200: {
        description: 'The saga ended',
        schema: ExecuteResult,
        headers: {
          ...SettlementHeaders,
          'SVC-Receipt':
            'Signed receipt of a payment that came with the call, which binds request and answer: a compact JWS',
          Link: 'The saga',
        },
      },
      202: {
        description: 'The saga goes on, or is stuck and will be resolved',
        schema: ExecuteResult,
        headers: { Location: 'The saga' },
      },
    },
    problems: [
      'TICKET_UNKNOWN',
      'TICKET_USED',
      'TICKET_EXPIRED',
      'STREAM_INDEX_STALE',
      'CONFLICT',
      'NOT_FOUND',
      'QUEUE_FULL',
      'OVERLOADED',
    ],
  },
  telemetry: {
    operationId: 'x402.telemetry',
    method: 'GET',
    path: '/v1/x402/telemetry',
    summary: 'What was executed and cleared',
    tag: 'Payments',
    access: 'free',
    description:
      'Made from the write-ahead logs and the ledger. With `Accept: text/event-stream` an event `telemetry` for each change, its version as id; `Last-Event-ID` goes on from there.',
    headers: z.object({
      'Last-Event-ID': z
        .string()
        .max(128)
        .optional()
        .meta({ description: 'Version of the last event that was read' }),
    }),
    replies: {
      200: {
        description: 'A snapshot; a stream of them by `Accept`',
        schema: Telemetry,
        mediaType: 'application/json, text/event-stream',
      },
    },
    problems: ['OVERLOADED'],
  },
  saga: {
    operationId: 'x402.saga',
    method: 'GET',
    path: '/v1/x402/sagas/:sagaId',
    summary: 'A saga and its write-ahead log',
    tag: 'Payments',
    access: 'free',
    description:
      'Answers its payer: the key of the account that paid (or of the credit of its payment), or the ticket in `X-Execution-Ticket`.',
    params: z.object({ sagaId: SagaId }),
    headers: z.object({
      'X-Execution-Ticket': z.string().max(128).optional(),
      'X-SVC-KEY': z.string().max(256).optional(),
    }),
    replies: { 200: { description: 'The saga', schema: Saga } },
    problems: ['UNKNOWN_CREDENTIAL', 'TICKET_UNKNOWN', 'CONFLICTING_CREDENTIALS', 'FORBIDDEN', 'NOT_FOUND'],
  },
});

const JsonObject = z.record(z.string(), z.unknown());

/** What pays, where something does. */
const paidBy = {
  credential: PaymentCredential.optional(),
  accountKey: AccountKeyText.optional(),
  idempotencyKey: IdempotencyKeyText.optional(),
};

export const x402Contract = {
  /**
   * Which tool a request is about: of its ticket, else of its challenge token or credential, else the one that it names,
   * else m2m_license_contract. VALIDATION_FAILED where they disagree.
   */
  toolOf: procedure('payments', 'tool-of', {
    request: z.object({
      ticket: z.string().max(128).optional(),
      tool: ToolName.optional(),
      credential: PaymentCredential.optional(),
      challengeToken: z.string().max(4_096).optional(),
    }),
    reply: z.object({ tool: ToolName }),
    timeoutMs: 5_000,
  }),
  /** Whether a tool can work on inputs, asked before a payment is asked for. VALIDATION_FAILED, UNPROCESSABLE, … */
  admitExecution: procedure('payments', 'admit-execution', {
    request: z.object({ tool: ToolName, input: JsonObject }),
    reply: z.object({}),
    timeoutMs: 5_000,
  }),
  /** Takes a payment and gives a ticket for it; the problems of `payments.claim`. */
  verifyPayment: procedure('payments', 'verify-payment', {
    request: z.object({
      ...paidBy,
      tool: ToolName,
      agentId: CallerName.optional(),
      capability: PlainText.max(128).optional(),
      called: CalledRequest.optional(),
    }),
    reply: z.object({
      result: VerifyPaymentResult,
      /** It as its signed receipt names it: the text that is answered. */
      text: z.string(),
      receipt: Receipt,
      credit: PaymentCredit.optional(),
      quota: QuotaState.optional(),
      ...leftForKey,
    }),
    timeoutMs: 30_000,
  }),
  /**
   * Runs the ticket's tool, or that of a payment that comes with the call, as a saga; answers when it has ended, or 202
   * when that takes long. TICKET_UNKNOWN (401), FORBIDDEN (403), TICKET_USED, STREAM_INDEX_STALE and CONFLICT (409: its
   * Idempotency-Key is at work), TICKET_EXPIRED (410), UNPROCESSABLE (422: the Idempotency-Key came with another body);
   * nothing is consumed by any of them.
   */
  execute: procedure('payments', 'execute', {
    request: z.object({
      ...paidBy,
      ticket: z.string().max(128).optional(),
      /** Of a payment that comes with the call. */
      tool: ToolName.optional(),
      input: JsonObject,
      /** Origin that the client called: where a tool sends its buyer to. */
      baseUrl: z.url().max(512).optional(),
      /** Of a payment that comes with the call. */
      called: CalledRequest.optional(),
    }),
    reply: z.object({
      status: z.union([z.literal(200), z.literal(202)]),
      result: ExecuteResult,
      /** It as its signed receipt names it: the text that is answered, once the saga has ended. */
      text: z.string().optional(),
      receipt: Receipt.optional(),
      credit: PaymentCredit.optional(),
      quota: QuotaState.optional(),
      ...leftForKey,
    }),
    timeoutMs: 60_000,
  }),
  /** A saga for its payer: by the ticket, or by the key of the account that paid. */
  saga: procedure('payments', 'saga', {
    request: z.object({
      sagaId: SagaId,
      ticket: z.string().max(128).optional(),
      accountKey: AccountKeyText.optional(),
    }),
    reply: Saga,
    timeoutMs: 5_000,
  }),
  /** The telemetry, at once where it is not that of `version`, else as soon as it changes, else after `waitMs`. */
  telemetry: procedure('payments', 'telemetry', {
    request: z.object({
      version: z.string().max(128).optional(),
      waitMs: z.int().min(0).max(10_000).default(0),
    }),
    reply: z.object({ version: z.string(), telemetry: Telemetry }),
    timeoutMs: 15_000,
  }),
  /** Public keys of the checkpoints. */
  walKeys: procedure('payments', 'wal-keys', {
    request: z.object({}),
    reply: PublicKeys,
    timeoutMs: 2_000,
  }),
} as const;
