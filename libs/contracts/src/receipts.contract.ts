import { z } from 'zod';
import { PublicKeys } from './licences.contract.js';
import { procedure } from './procedure.js';
import { defineRoutes } from './route.js';

/** Response of `GET /.well-known/did.json` (W3C DID Core, method `did:web`). */
export const DidDocument = z
  .object({
    '@context': z.array(z.string()),
    id: z.string().meta({ description: '`did:web:` and the host, a port after `%3A`' }),
    verificationMethod: z.array(
      z.object({
        id: z.string().meta({ description: 'The `kid` of what the key has signed' }),
        type: z.string(),
        controller: z.string(),
        publicKeyJwk: z.object({ kty: z.string(), crv: z.string(), x: z.string() }),
      }),
    ),
    assertionMethod: z.array(z.string()),
  })
  .meta({ id: 'DidDocument' });
export type DidDocument = z.infer<typeof DidDocument>;

export const receiptsContract = {
  keys: procedure('payments', 'receipt-keys', {
    request: z.object({}),
    reply: PublicKeys,
    timeoutMs: 2_000,
  }),
  did: procedure('payments', 'did', {
    request: z.object({}),
    reply: DidDocument,
    timeoutMs: 2_000,
  }),
} as const;

export const receiptsRoutes = defineRoutes({
  receiptKeys: {
    operationId: 'well-known.receipt-keys',
    method: 'GET',
    path: '/.well-known/svc-receipt-keys.json',
    summary: 'Public keys that receipts of paid answers and offers of x402 verify against',
    tag: 'Payments',
    access: 'free',
    replies: { 200: { description: 'The keys', schema: PublicKeys } },
  },
  did: {
    operationId: 'well-known.did',
    method: 'GET',
    path: '/.well-known/did.json',
    summary: 'The same keys as the DID document that the `kid` of a receipt leads to',
    tag: 'Payments',
    access: 'free',
    replies: { 200: { description: 'The document, without keys that were given up', schema: DidDocument } },
  },
});
