import { z } from 'zod';
import { AuditProof } from './audit-proof.js';
import { FieldDisclosure } from './disclosure.js';

/** Answer of `GET` on the path of a paid agent endpoint. */
export const AgentPriceRecord = z
  .object({
    operationId: z.string(),
    method: z.literal('POST'),
    path: z.string(),
    priceUsd: z.number().meta({ description: 'Price per call, US dollars' }),
    priceSats: z.int().meta({ description: 'Price per call, satoshis' }),
    rail: z.literal('PROCESSOR_MPP_OR_L402'),
    headerAuth: z.literal('X-SVC-KEY').meta({ description: 'Header of an account key' }),
    lightningAuth: z.literal('Authorization: L402 <macaroon>:<preimage>'),
  })
  .meta({ id: 'AgentPriceRecord' });
export type AgentPriceRecord = z.infer<typeof AgentPriceRecord>;

/** What every answer of a paid agent endpoint ends with. */
export const agentEvidence = {
  charged: z.boolean().meta({
    description: 'False: the answer says nothing that was asked for, and the payment has become credit',
  }),
  starkRoot: z
    .string()
    .meta({ description: 'Root of the batch whose proof covers the rules: auditProof.root' }),
  disclosure: FieldDisclosure,
  disclosureProof: AuditProof.meta({ description: 'Commits to disclosure.root, and to nothing else' }),
  auditProof: AuditProof,
} as const;
