import { z } from 'zod';
import { defineRoutes } from './route.js';
import { CallerName, IdempotencyHeaders, unguessableId, UsdAmount } from './wire-format.js';

const IntentId = unguessableId('esc').meta({ description: 'Id of an escrow' });

/** Body of `POST /v1/escrow/create-intent`. */
export const CreateEscrowRequest = z
  .strictObject({
    amountUsd: UsdAmount,
    description: z.string().max(500).optional(),
    payee: CallerName.optional(),
    expiresInHours: z.int().min(1).max(168).default(168),
    metadata: z.record(z.string().min(1).max(40), z.string().max(500)).optional(),
  })
  .meta({ id: 'CreateEscrowRequest' });

/** Body of `POST /v1/escrow/intents/:intentId/release`: nothing for the whole amount. */
export const ReleaseEscrowRequest = z
  .strictObject({
    amountUsd: UsdAmount.optional().meta({ description: 'Part of the amount; the rest goes back' }),
  })
  .meta({ id: 'ReleaseEscrowRequest' });

/** An escrow: a payment that is authorised and not yet captured. */
export const EscrowIntent = z
  .object({
    intentId: IntentId,
    state: z.enum(['REQUIRES_PAYMENT', 'HELD', 'RELEASED', 'CANCELLED', 'EXPIRED']),
    amountUsd: z.string(),
    releasedUsd: z.string(),
    description: z.string().optional(),
    payee: z.string().optional(),
    clientSecret: z.string().optional().meta({ description: 'For the payer to confirm the payment' }),
    createdAt: z.iso.datetime(),
    expiresAt: z.iso.datetime(),
  })
  .meta({ id: 'EscrowIntent' });

const intentParams = z.object({ intentId: IntentId });

export const escrowRoutes = defineRoutes({
  createIntent: {
    operationId: 'escrow.create-intent',
    method: 'POST',
    path: '/v1/escrow/create-intent',
    summary: 'Hold a payment',
    tag: 'Escrow',
    access: 'key',
    available: false,
    headers: IdempotencyHeaders,
    body: { schema: CreateEscrowRequest },
    replies: { 200: { description: 'The escrow', schema: EscrowIntent } },
    problems: ['UNPROCESSABLE'],
  },
  intent: {
    operationId: 'escrow.get-intent',
    method: 'GET',
    path: '/v1/escrow/intents/:intentId',
    summary: 'State of an escrow',
    tag: 'Escrow',
    access: 'key',
    available: false,
    params: intentParams,
    replies: { 200: { description: 'The escrow', schema: EscrowIntent } },
  },
  release: {
    operationId: 'escrow.release',
    method: 'POST',
    path: '/v1/escrow/intents/:intentId/release',
    summary: 'Release an escrow to the payee, whole or in part',
    tag: 'Escrow',
    access: 'key',
    available: false,
    params: intentParams,
    headers: IdempotencyHeaders,
    body: { schema: ReleaseEscrowRequest },
    replies: { 200: { description: 'The escrow', schema: EscrowIntent } },
    problems: ['UNPROCESSABLE', 'CONFLICT', 'EXPIRED'],
  },
  cancel: {
    operationId: 'escrow.cancel',
    method: 'POST',
    path: '/v1/escrow/intents/:intentId/cancel',
    summary: 'Give an escrow back to the payer',
    tag: 'Escrow',
    access: 'key',
    available: false,
    params: intentParams,
    headers: IdempotencyHeaders,
    replies: { 200: { description: 'The escrow', schema: EscrowIntent } },
    problems: ['CONFLICT', 'EXPIRED'],
  },
});
