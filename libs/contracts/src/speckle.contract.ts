import { z } from 'zod';
import { defineRoutes } from './route.js';
import { base64Bytes } from './wire-format.js';

/** Bytes of one image file. */
export const IMAGE_BYTES_MAX = 12_582_912;

const SlabId = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/);
const PufId = z.string().regex(/^puf_[A-Za-z0-9_-]{22}$/);
const ImageBase64 = base64Bytes(IMAGE_BYTES_MAX).meta({
  description: 'PNG, JPEG, WebP or TIFF, base64; at most 16 megapixels',
});
const RegionOfInterest = z
  .strictObject({
    x: z.int().min(0).max(16_384),
    y: z.int().min(0).max(16_384),
    width: z.int().min(64).max(16_384),
    height: z.int().min(64).max(16_384),
  })
  .meta({ id: 'RegionOfInterest', description: 'Pixels of the image' });

/** Body of `POST /v1/speckle/extract-puf`. */
export const ExtractPufRequest = z
  .strictObject({
    imageBase64: ImageBase64,
    roi: RegionOfInterest.optional(),
    modality: z.enum(['laser_speckle', 'paper_texture', 'surface_texture']),
    enroll: z.boolean().default(false),
    slabId: SlabId.optional(),
  })
  .meta({ id: 'ExtractPufRequest' });

/** Response of `POST /v1/speckle/extract-puf`. */
export const ExtractPufResult = z
  .object({
    fingerprintHex: z.string(),
    maskHex: z.string(),
    bits: z.int(),
    quality: z.object({ contrast: z.number(), speckleSizePx: z.number(), saturatedPct: z.number() }),
    helperData: z.string().optional(),
    keyCommitment: z.string().optional(),
    pufId: PufId.optional(),
  })
  .meta({ id: 'ExtractPufResult' });

/** Body of `POST /v1/speckle/verify-slab`. */
export const VerifySlabRequest = z
  .strictObject({
    slabId: SlabId.optional(),
    pufId: PufId.optional(),
    imageBase64: ImageBase64,
    roi: RegionOfInterest.optional(),
  })
  .refine(body => (body.slabId === undefined) !== (body.pufId === undefined), {
    error: 'send slabId or pufId, one of the two',
    path: ['slabId'],
  })
  .meta({ id: 'VerifySlabRequest' });

/** Response of `POST /v1/speckle/verify-slab`. */
export const VerifySlabResult = z
  .object({
    verdict: z.enum(['match', 'mismatch', 'inconclusive']),
    fhd: z.number().meta({ description: 'Fractional Hamming distance' }),
    usableBits: z.int(),
    threshold: z.number(),
    dof: z.number(),
    falseMatchProbability: z.number(),
    alignment: z.object({ shiftXPx: z.number(), shiftYPx: z.number(), rotationDeg: z.number() }),
  })
  .meta({ id: 'VerifySlabResult' });

const IMAGE_BODY_BYTES_MAX = 17_825_792;

export const speckleRoutes = defineRoutes({
  extractPuf: {
    operationId: 'speckle.extract-puf',
    method: 'POST',
    path: '/v1/speckle/extract-puf',
    summary: 'Extract the fingerprint of a surface',
    description: 'With `enroll` an account key is needed; the first owner of a slabId keeps it.',
    tag: 'Speckle',
    access: 'quota',
    available: false,
    body: { schema: ExtractPufRequest },
    bodyBytesMax: IMAGE_BODY_BYTES_MAX,
    replies: { 200: { description: 'The fingerprint', schema: ExtractPufResult } },
    problems: ['UNPROCESSABLE', 'CONFLICT'],
  },
  verifySlab: {
    operationId: 'speckle.verify-slab',
    method: 'POST',
    path: '/v1/speckle/verify-slab',
    summary: 'Compare an image with an enrolled fingerprint',
    tag: 'Speckle',
    access: 'quota',
    available: false,
    body: { schema: VerifySlabRequest },
    bodyBytesMax: IMAGE_BODY_BYTES_MAX,
    replies: { 200: { description: 'The verdict', schema: VerifySlabResult } },
    problems: ['UNPROCESSABLE', 'NOT_FOUND'],
  },
});
