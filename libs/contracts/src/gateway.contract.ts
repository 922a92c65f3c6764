import { z } from 'zod';
import { HealthReport } from './health.contract.js';
import { ProblemType } from './problem-type.js';
import { defineRoutes } from './route.js';

/** Version of the primary surface, as `GET /health` and the OpenAPI document say it. */
export const API_VERSION = '2026.4.2';
/** Version of the gateway index. */
export const GATEWAY_INDEX_VERSION = '3.2.0';

/** Response of `GET /`: every endpoint and plan. */
export const GatewayIndex = z
  .object({
    name: z.string(),
    version: z.literal(GATEWAY_INDEX_VERSION),
    apiVersion: z.literal(API_VERSION),
    description: z.string(),
    links: z.record(z.string(), z.string()),
    endpoints: z.array(
      z.object({
        method: z.string(),
        path: z.string(),
        operationId: z.string(),
        summary: z.string(),
        access: z.enum(['free', 'quota', 'paid', 'key', 'admin']),
        available: z.boolean().meta({ description: 'True: every route that is published is in service' }),
        priceUsd: z.string().optional(),
        priceSats: z.int().optional(),
      }),
    ),
    plans: z.array(
      z.object({
        planId: z.string(),
        name: z.string(),
        priceUsdPerMonth: z.string(),
        requestsPerMonth: z.int().nullable(),
        description: z.string(),
      }),
    ),
    creditPacks: z.array(z.object({ packId: z.string(), priceUsd: z.string(), audits: z.int() })),
  })
  .meta({ id: 'GatewayIndex' });
export type GatewayIndex = z.infer<typeof GatewayIndex>;

/** Response of `GET /livez`. */
export const Liveness = z.object({ status: z.literal('ok') }).meta({ id: 'Liveness' });
/** Response of `GET /readyz`. */
export const ReadinessReport = z
  .object({ status: z.enum(['ok', 'unavailable']), checks: z.record(z.string(), z.string()) })
  .meta({ id: 'ReadinessReport' });

/** Response of `GET /.well-known/x402`. */
export const X402Resources = z
  .object({
    x402Version: z.literal(2),
    version: z.literal(1).meta({ description: 'Of this document' }),
    resources: z.array(z.string()).meta({ description: 'URLs that x402 pays for' }),
    items: z.array(
      z.object({
        resource: z.string(),
        type: z.literal('http'),
        method: z.string(),
        x402Version: z.literal(2),
        accepts: z.array(z.record(z.string(), z.unknown())),
        lastUpdated: z.iso.datetime(),
        metadata: z.object({ operationId: z.string(), description: z.string(), priceUsd: z.string() }),
      }),
    ),
    rails: z.array(z.string()).meta({ description: 'Payment rails that can settle now' }),
    docs: z.record(z.string(), z.string()),
  })
  .meta({ id: 'X402Resources' });
export type X402Resources = z.infer<typeof X402Resources>;

const document = (description: string) => ({
  description,
  schema: z.record(z.string(), z.unknown()).meta({ description }),
});

export const gatewayRoutes = defineRoutes({
  index: {
    operationId: 'gateway.index',
    method: 'GET',
    path: '/',
    summary: 'Every endpoint and plan with its price',
    tag: 'Gateway',
    access: 'free',
    replies: {
      200: {
        description: 'The index; a page for a browser',
        schema: GatewayIndex,
        mediaType: 'application/json, text/html',
      },
    },
  },
  health: {
    operationId: 'gateway.health',
    method: 'GET',
    path: '/health',
    summary: 'Which services answer, and figures measured from real work',
    description: 'Stays 200 and says DEGRADED when a service is away.',
    tag: 'Gateway',
    access: 'free',
    replies: { 200: { description: 'The report', schema: HealthReport } },
  },
  livez: {
    operationId: 'gateway.livez',
    method: 'GET',
    path: '/livez',
    summary: 'Liveness: the event loop alone',
    tag: 'Gateway',
    access: 'free',
    replies: { 200: { description: 'Alive', schema: Liveness } },
  },
  readyz: {
    operationId: 'gateway.readyz',
    method: 'GET',
    path: '/readyz',
    summary: 'Readiness: the bus can be reached and the gateway is not draining',
    tag: 'Gateway',
    access: 'free',
    replies: {
      200: { description: 'Ready', schema: ReadinessReport },
      503: { description: 'Not ready', schema: ReadinessReport },
    },
  },
  openapi: {
    operationId: 'gateway.openapi',
    method: 'GET',
    path: '/openapi.json',
    summary: 'This document',
    tag: 'Gateway',
    access: 'free',
    replies: { 200: document('The OpenAPI 3.1 document') },
  },
  docs: {
    operationId: 'gateway.docs',
    method: 'GET',
    path: '/docs',
    summary: 'The API reference as a page',
    tag: 'Gateway',
    access: 'free',
    replies: { 200: { description: 'The page', schema: z.string(), mediaType: 'text/html' } },
  },
  llms: {
    operationId: 'gateway.llms',
    method: 'GET',
    path: '/llms.txt',
    summary: 'How to use the service, for language models',
    tag: 'Gateway',
    access: 'free',
    replies: { 200: { description: 'The text', schema: z.string(), mediaType: 'text/plain' } },
  },
  problem: {
    operationId: 'gateway.problem',
    method: 'GET',
    path: '/problems/:type',
    summary: 'What a problem means, whether it was charged, and how to go on',
    description: 'The `type` of every problem leads here.',
    tag: 'Gateway',
    access: 'free',
    params: z.object({
      type: z.string().max(64).meta({ description: 'Its code in lower case, with hyphens' }),
    }),
    replies: {
      200: {
        description: 'What it is; a page for a browser',
        schema: ProblemType,
        mediaType: 'application/json, text/html',
      },
    },
    problems: ['NOT_FOUND'],
  },
  asyncapi: {
    operationId: 'gateway.asyncapi',
    method: 'GET',
    path: '/asyncapi.json',
    summary: 'Subjects and events of the bus',
    tag: 'Gateway',
    access: 'free',
    replies: { 200: document('The AsyncAPI 3.0 document') },
  },
  securityText: {
    operationId: 'well-known.security',
    method: 'GET',
    path: '/.well-known/security.txt',
    summary: 'Whom to tell of a weakness (RFC 9116)',
    tag: 'Gateway',
    access: 'free',
    description: 'NOT_FOUND where the installation names nobody: one in production does.',
    replies: { 200: { description: 'The text', schema: z.string(), mediaType: 'text/plain' } },
    problems: ['NOT_FOUND'],
  },
  wellKnownX402: {
    operationId: 'well-known.x402',
    method: 'GET',
    path: '/.well-known/x402',
    summary: 'Priced resources, for x402 discovery',
    tag: 'Payments',
    access: 'free',
    description: 'Lists nothing while x402 cannot settle; `rails` says what can.',
    replies: { 200: { description: 'The resources', schema: X402Resources } },
  },
});
