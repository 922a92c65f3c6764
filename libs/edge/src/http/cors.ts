import cors from '@fastify/cors';
import type { FastifyInstance } from 'fastify';

/** Response headers that a page of another origin may read. */
const EXPOSED_HEADERS = [
  'WWW-Authenticate',
  'X-402-Challenge',
  'PAYMENT-REQUIRED',
  'PAYMENT-RESPONSE',
  'X-PAYMENT-RESPONSE',
  'Payment-Receipt',
  'X-SVC-KEY',
  'SVC-Credit',
  'SVC-Receipt',
  'SVC-Refund',
  'Location',
  'Link',
  'Retry-After',
  'RateLimit',
  'RateLimit-Policy',
  'X-Request-Id',
  'traceparent',
  'X-Proof-Air',
  'X-Proof-Created-At',
  'X-Proof-Context',
  'X-Proof-Revoked-At',
  'ETag',
  'Content-Digest',
  'Repr-Digest',
  'SVC-Answer',
  'SVC-Audit-Proof',
  'X-Sound-Expires-At',
  'Mcp-Session-Id',
];

/**
 * Any page may call: nothing here rests on cookies. Set up before whatever refuses requests, so that a page can read the
 * refusal.
 */
export async function allowOrigins(instance: FastifyInstance): Promise<void> {
  await instance.register(cors, {
    origin: '*',
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
    // As text: a list would be joined anew for each answer.
    exposedHeaders: EXPOSED_HEADERS.join(', '),
    maxAge: 600,
    strictPreflight: false,
  });
}
