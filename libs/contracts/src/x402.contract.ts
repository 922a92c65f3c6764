import { z } from 'zod';
import { defineRoutes } from './route.js';
import { ToolName } from './tool-catalog.contract.js';
import { WalEvent } from './wal-event.js';
import { CallerName, IdempotencyHeaders } from './wire-format.js';

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
    capability: z.string().min(1).max(128).optional(),
  })
  .meta({ id: 'VerifyPaymentRequest' });

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

/** Body of `POST /v1/x402/execute`: the inputs of the ticket's tool, and the ticket unless a header has it. */
export const ExecuteRequest = z
  .looseObject({ executionTicket: ExecutionTicket.optional() })
  .meta({ id: 'ExecuteRequest', description: "The inputs of the ticket's tool" });

/** Response of `POST /v1/x402/execute`: the outputs of the ticket's tool. */
export const ExecuteResult = z
  .looseObject({
    sagaId: SagaId,
    status: z.enum(['COMPLETED', 'COMPENSATED', 'STUCK']),
    starkRoot: z.string().optional(),
  })
  .meta({ id: 'ExecuteResult', description: "The outputs of the ticket's tool" });

/** Response of `GET /v1/x402/sagas/:sagaId`. */
export const Saga = z
  .object({
    sagaId: SagaId,
    sagaName: z.string(),
    status: z.enum(['RUNNING', 'COMPLETED', 'COMPENSATED', 'STUCK']),
    walHash: z.string(),
    walCount: z.int(),
    walEvents: z.array(WalEvent),
  })
  .meta({ id: 'Saga' });

/** Response of `GET /v1/x402/telemetry`. */
export const Telemetry = z
  .object({
    transactionsExecuted: z.int(),
    treasuryClearedUsd: z.string(),
    starkRoots: z.object({ count: z.int(), newest: z.string().optional() }),
    sagas: z.record(z.string(), z.int()).meta({ description: 'Count by state' }),
    rails: z.record(z.string(), z.object({ payments: z.int(), amountUsd: z.string() })),
    since: z.iso.datetime(),
  })
  .meta({ id: 'Telemetry' });

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
    available: true,
    description:
      'Sells nothing: the payment goes to `POST /v1/x402/verify`. A payment that is sent here stays untouched, and the answer is 402 `PAY_AT_VERIFY`. `payable` says whether the route that takes the payment is in service.',
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
    available: false,
    headers: IdempotencyHeaders,
    body: { schema: VerifyPaymentRequest },
    replies: {
      200: {
        description: 'Payment cleared, ticket issued',
        schema: VerifyPaymentResult,
        headers: SettlementHeaders,
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
    available: false,
    headers: IdempotencyHeaders.extend({ 'X-Execution-Ticket': ExecutionTicket.optional() }),
    body: { schema: ExecuteRequest },
    replies: {
      200: { description: 'The saga ended', schema: ExecuteResult },
      202: { description: 'The saga is stuck and will be resolved', schema: ExecuteResult },
    },
    problems: ['FORBIDDEN', 'CONFLICT', 'EXPIRED'],
  },
  telemetry: {
    operationId: 'x402.telemetry',
    method: 'GET',
    path: '/v1/x402/telemetry',
    summary: 'What was executed and cleared',
    tag: 'Payments',
    access: 'free',
    available: false,
    replies: {
      200: {
        description: 'A snapshot; a stream of them by `Accept`',
        schema: Telemetry,
        mediaType: 'application/json, text/event-stream',
      },
    },
  },
  saga: {
    operationId: 'x402.saga',
    method: 'GET',
    path: '/v1/x402/sagas/:sagaId',
    summary: 'A saga and its write-ahead log',
    tag: 'Payments',
    access: 'key',
    available: false,
    params: z.object({ sagaId: SagaId }),
    replies: { 200: { description: 'The saga', schema: Saga } },
    problems: ['FORBIDDEN'],
  },
});
