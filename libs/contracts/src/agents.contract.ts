import { z } from 'zod';
import { AuditProof } from './audit-proof.js';
import { RECORDING_BYTES_MAX } from './acoustic.contract.js';
import { defineRoutes } from './route.js';
import { base64Bytes, CalendarDate, IdempotencyHeaders } from './wire-format.js';

const LengthMm = z.number().min(0.1).max(1_000);
const MassG = z.number().min(0.01).max(100_000);
const Slug = z
  .string()
  .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/)
  .max(64);

const ringTest = {
  massG: MassG,
  recordingBase64: base64Bytes(RECORDING_BYTES_MAX)
    .optional()
    .meta({ description: 'WAV of the ring, base64' }),
  peaksHz: z.array(z.number().min(100).max(22_050)).min(1).max(32).optional(),
  submergedMassG: MassG.optional().meta({ description: 'Apparent mass in water, for the specific gravity' }),
};

/** Body of `POST /api/agent/verify-bullion`: a known product, or its measures. */
export const VerifyBullionRequest = z
  .union([
    z.strictObject({ productId: Slug.meta({ example: 'krugerrand' }), ...ringTest }),
    z.strictObject({
      metal: z.enum(['gold', 'silver', 'platinum', 'palladium']),
      fineness: z.number().min(0.001).max(1),
      shape: z.enum(['disc', 'bar']),
      diameterMm: LengthMm.optional(),
      lengthMm: LengthMm.optional(),
      widthMm: LengthMm.optional(),
      thicknessMm: LengthMm.optional(),
      ...ringTest,
    }),
  ])
  .meta({
    id: 'VerifyBullionRequest',
    example: { productId: 'krugerrand', massG: 33.93, peaksHz: [4376, 8652, 10609] },
  });

/** Response of `POST /api/agent/verify-bullion`. */
export const VerifyBullionResult = z
  .object({
    verdict: z.enum(['PASS', 'FAIL', 'INCONCLUSIVE']),
    modes: z.array(
      z.object({
        n: z.string(),
        expectedHz: z.number(),
        measuredHz: z.number().nullable(),
        z: z.number().nullable(),
        q: z.number().nullable(),
      }),
    ),
    massCheck: z
      .object({ expectedG: z.number(), measuredG: z.number(), withinTolerance: z.boolean() })
      .optional(),
    specificGravity: z.number().optional(),
    evidenceLevel: z.enum(['SELF_REPORTED', 'RECORDING', 'CHALLENGED']),
    meltValue: z
      .string()
      .nullable()
      .meta({ description: 'US dollars; null where the spot price is too old' }),
    spot: z
      .object({ price: z.string(), asOf: z.iso.datetime(), source: z.string(), stale: z.boolean() })
      .optional(),
    auditProof: AuditProof,
  })
  .meta({ id: 'VerifyBullionResult' });

const CardDescription = z
  .strictObject({
    year: z.int().min(1850).max(2100),
    set: z.string().min(1).max(128),
    number: z.string().min(1).max(32),
    player: z.string().min(1).max(128),
    sport: z.string().max(64).optional(),
    parallel: z.string().max(64).optional(),
  })
  .meta({ id: 'CardDescription' });
const gradedCard = {
  company: z.enum(['PSA', 'BGS', 'SGC', 'CGC']),
  grade: z.number().min(1).max(10).multipleOf(0.5),
  qualifier: z.string().max(8).optional(),
  asOf: CalendarDate.optional(),
  allowRatio: z
    .boolean()
    .default(false)
    .meta({ description: 'Allow a ratio between grades of the same card' }),
};

/** Body of `POST /api/agent/card-valuation`. */
export const CardValuationRequest = z
  .union([
    z.strictObject({ card: CardDescription, ...gradedCard }),
    z.strictObject({ cardKey: Slug, ...gradedCard }),
  ])
  .meta({ id: 'CardValuationRequest' });

/** Response of `POST /api/agent/card-valuation`. */
export const CardValuationResult = z
  .object({
    medianUsd: z.number().nullable(),
    ci95: z.tuple([z.number(), z.number()]).nullable(),
    n: z.int(),
    nRejected: z.array(z.object({ reason: z.string(), count: z.int() })),
    windowDays: z.int(),
    basis: z.enum(['comps', 'ratio']),
    confidence: z.enum(['normal', 'low_confidence', 'insufficient_comps']),
    comps: z.array(
      z.object({
        priceUsd: z.number(),
        soldAt: z.iso.datetime(),
        venue: z.string(),
        url: z.string().optional(),
      }),
    ),
    asOf: CalendarDate,
    auditProof: AuditProof,
  })
  .meta({ id: 'CardValuationResult' });

export const agentsRoutes = defineRoutes({
  verifyBullion: {
    operationId: 'agent.verify-bullion',
    method: 'POST',
    path: '/api/agent/verify-bullion',
    summary: 'Validate precious metal by its ring and its melt value',
    tag: 'Agents',
    access: 'paid',
    available: false,
    headers: IdempotencyHeaders,
    body: { schema: VerifyBullionRequest },
    bodyBytesMax: 8_388_608,
    replies: { 200: { description: 'The verdict', schema: VerifyBullionResult } },
    problems: ['UNPROCESSABLE'],
  },
  cardValuation: {
    operationId: 'agent.card-valuation',
    method: 'POST',
    path: '/api/agent/card-valuation',
    summary: 'Median of comparable sales of a graded sports card',
    tag: 'Agents',
    access: 'paid',
    available: false,
    headers: IdempotencyHeaders,
    body: { schema: CardValuationRequest },
    replies: { 200: { description: 'The valuation', schema: CardValuationResult } },
    problems: ['UNPROCESSABLE'],
  },
});
