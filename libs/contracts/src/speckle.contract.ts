import { z } from 'zod';
import { KeyHolder } from './account.contract.js';
import { commitmentEvidence } from './audit-proof.js';
import { AdmittedWork, Bytes, procedure } from './procedure.js';
import { defineRoutes } from './route.js';
import { base64Bytes } from './wire-format.js';

/** Bytes of one image file. */
export const IMAGE_BYTES_MAX = 7_864_320;
export const IMAGE_PIXELS_MAX = 16_777_216;

const SlabId = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/)
  .meta({ description: 'The owner’s name of the piece; the first account that enrols it keeps it' });
export const PufId = z.string().regex(/^puf_[A-Za-z0-9_-]{22}$/);
const VerificationToken = z.string().regex(/^slv_[A-Za-z0-9_-]{43}$/);
const ImageBase64 = base64Bytes(IMAGE_BYTES_MAX).meta({
  description: 'PNG, JPEG, WebP or TIFF of one page, base64; at most 16 megapixels (2^24)',
});
const RegionOfInterest = z
  .strictObject({
    x: z.int().min(0).max(16_384),
    y: z.int().min(0).max(16_384),
    width: z.int().min(64).max(16_384),
    height: z.int().min(64).max(16_384),
  })
  .meta({
    id: 'RegionOfInterest',
    description: 'Pixels of the image, as they are seen; the middle of it where it is not said',
  });
export type RegionOfInterest = z.output<typeof RegionOfInterest>;

export const SpeckleModality = z.enum(['laser_speckle', 'paper_texture', 'surface_texture']);

/** Body of `POST /v1/speckle/extract-puf`. */
export const ExtractPufRequest = z
  .strictObject({
    imageBase64: ImageBase64,
    roi: RegionOfInterest.optional(),
    modality: SpeckleModality,
    enroll: z.boolean().default(false).meta({ description: 'Keep the fingerprint: needs an account key' }),
    slabId: SlabId.optional(),
  })
  .meta({ id: 'ExtractPufRequest' });
export type ExtractPufRequest = z.output<typeof ExtractPufRequest>;

const fingerprintFields = {
  fingerprintHex: z
    .string()
    .meta({ description: 'The bits, the first in the highest place of the first byte' }),
  maskHex: z.string().meta({ description: '1 where a bit is usable' }),
  bits: z.int(),
  usableBits: z.int(),
  quality: z.object({
    contrast: z.number().meta({ description: 'Standard deviation by mean of the intensity' }),
    speckleSizePx: z.number().meta({ description: 'Width of the autocorrelation at half its height' }),
    saturatedPct: z.number(),
    regularity: z.number().meta({
      description: 'How much of what is read comes again and again, 0 to 1: weave, brush marks, ruled lines',
    }),
    structureToNoise: z.number().optional().meta({
      description:
        'Power of what is read by that at the finest frequencies: about 1 of noise alone, below 8 too little to enrol. Earlier enrolments lack it',
    }),
  }),
  helperData: z
    .string()
    .optional()
    .meta({ description: 'Of enrolment, base64: public, and bound to the key' }),
  keyCommitment: z.string().optional().meta({ description: 'SHA-256 of the key of the surface, hex' }),
  residualEntropyBits: z.number().optional().meta({
    description:
      'What of the key the helper data leaves unknown: an estimate from the degrees of freedom, no min-entropy',
  }),
  pufId: PufId.optional(),
  verificationToken: VerificationToken.optional().meta({
    description:
      'Of enrolment: whoever is given it may ask whether a piece is this one. It ends when the slab is enrolled anew',
  }),
};
export const ExtractPufReply = z.object(fingerprintFields);
export type ExtractPufReply = z.infer<typeof ExtractPufReply>;

/** Response of `POST /v1/speckle/extract-puf`. */
export const ExtractPufResult = z
  .object({ ...fingerprintFields, ...commitmentEvidence })
  .meta({ id: 'ExtractPufResult' });
export type ExtractPufResult = z.infer<typeof ExtractPufResult>;

const HELPER_DATA_BYTES_MAX = 8_192;

/** Body of `POST /v1/speckle/verify-slab`. */
export const VerifySlabRequest = z
  .strictObject({
    slabId: SlabId.optional(),
    pufId: PufId.optional(),
    imageBase64: ImageBase64,
    roi: RegionOfInterest.optional(),
    helperData: base64Bytes(HELPER_DATA_BYTES_MAX).optional().meta({
      description: 'Of the owner alone, as enrolment gave it: refused where a bit of it was changed',
    }),
    verificationToken: VerificationToken.optional().meta({
      description: 'Of whoever is not the owner: as enrolment gave it, from the owner',
    }),
  })
  .refine(body => (body.slabId === undefined) !== (body.pufId === undefined), {
    error: 'send slabId or pufId, one of the two',
    path: ['slabId'],
  })
  .meta({ id: 'VerifySlabRequest' });
export type VerifySlabRequest = z.output<typeof VerifySlabRequest>;

/** What the owner of a surface learns beside the verdict. Each figure tells whoever is not the owner of the enrolled bits. */
const figures = {
  reason: z.string().meta({
    description: 'Where inconclusive: LOW_CONTRAST, SATURATED, REGULAR, TOO_FEW_BITS, NOISY, AMBIGUOUS',
  }),
  fhd: z.number().meta({ description: 'Fractional Hamming distance over the bits that are usable in both' }),
  usableBits: z.int(),
  threshold: z.number(),
  dof: z.number().meta({ description: 'Degrees of freedom of the fingerprints of this modality' }),
  falseMatchProbability: z.number().meta({
    description: 'Of another surface at this distance or below, times the alignments that were tried',
  }),
  alignment: z.object({
    shiftXPx: z.number(),
    shiftYPx: z.number(),
    rotationDeg: z.number(),
    scale: z.number().optional().meta({ description: 'Pixels of this picture for one of the enrolled one' }),
  }),
  keyReproduced: z.boolean().meta({
    description: 'Whether the key of enrolment came out of this image; of a match',
  }),
};
const verdictFields = {
  verdict: z.enum(['match', 'mismatch', 'inconclusive']).meta({
    description:
      'All that is told to whoever is not the owner. To them a picture is inconclusive by itself, whatever it is compared with',
  }),
  ...z.object(figures).partial().shape,
  pufId: PufId,
  enrolledAt: z.iso.datetime(),
};
export const VerifySlabReply = z.object(verdictFields);
export type VerifySlabReply = z.infer<typeof VerifySlabReply>;

/** Response of `POST /v1/speckle/verify-slab`. */
export const VerifySlabResult = z
  .object({ ...verdictFields, ...commitmentEvidence })
  .meta({ id: 'VerifySlabResult' });
export type VerifySlabResult = z.infer<typeof VerifySlabResult>;

/** What the evidence of each answer does not show, in one sentence. */
export const SPECKLE_DOES_NOT_PROVE = {
  extract:
    'That the image is of a surface, or was taken of this piece: only that this fingerprint was read out of it, and that the answer is unchanged.',
  verify:
    'That the piece is genuine, or lay before the camera: only what was said of this image beside the one that was enrolled, and that the answer is unchanged.',
} as const;

const IMAGE_BODY_BYTES_MAX = 10_551_296;

export const speckleRoutes = defineRoutes({
  extractPuf: {
    operationId: 'speckle.extract-puf',
    method: 'POST',
    path: '/v1/speckle/extract-puf',
    summary: 'Extract the fingerprint of a surface',
    description: 'With `enroll` an account key is needed; the first owner of a slabId keeps it.',
    tag: 'Speckle',
    access: 'quota',
    body: { schema: ExtractPufRequest },
    bodyBytesMax: IMAGE_BODY_BYTES_MAX,
    replies: { 200: { description: 'The fingerprint', schema: ExtractPufResult } },
    problems: ['UNPROCESSABLE', 'CONFLICT', 'UNKNOWN_CREDENTIAL', 'UNSUPPORTED_MEDIA_TYPE', 'OVERLOADED'],
  },
  verifySlab: {
    operationId: 'speckle.verify-slab',
    method: 'POST',
    path: '/v1/speckle/verify-slab',
    summary: 'Compare an image with an enrolled fingerprint',
    description:
      'The account that enrolled the surface gets all figures. Everybody else sends the `verificationToken` that the owner was given, and gets the verdict alone, so many times a day for one slab.',
    tag: 'Speckle',
    access: 'quota',
    body: { schema: VerifySlabRequest },
    bodyBytesMax: IMAGE_BODY_BYTES_MAX,
    replies: { 200: { description: 'The verdict', schema: VerifySlabResult } },
    problems: [
      ...(['UNPROCESSABLE', 'NOT_FOUND', 'UNKNOWN_CREDENTIAL', 'FORBIDDEN', 'RATE_LIMITED'] as const),
      ...(['UNSUPPORTED_MEDIA_TYPE', 'OVERLOADED'] as const),
    ],
  },
});

/** Requests on the bus: their image travels as bytes beside them. */
const ExtractCall = z.object({
  request: ExtractPufRequest.omit({ imageBase64: true }),
  image: Bytes,
  /** Whose key was presented, where one was. */
  by: KeyHolder.optional(),
});
const VerifyCall = z.object({
  request: z.object({
    slabId: SlabId.optional(),
    pufId: PufId.optional(),
    roi: RegionOfInterest.optional(),
    helperData: base64Bytes(HELPER_DATA_BYTES_MAX).optional(),
    verificationToken: VerificationToken.optional(),
  }),
  image: Bytes,
  /** Whose key was presented, where one was. */
  by: KeyHolder.optional(),
});

export const speckleContract = {
  /**
   * UNSUPPORTED_MEDIA_TYPE for a file of another kind, UNPROCESSABLE for one that cannot be decoded or enrolled,
   * BODY_TOO_LARGE for too many pixels, UNKNOWN_CREDENTIAL for enrolment without a key, CONFLICT for another's slabId. Within a
   * quota the size alone is looked at, and what cannot be decoded is refused by the call itself. RATE_LIMITED for a caller with a
   * payment that has had too many pixels decoded before any was taken.
   */
  admitExtract: procedure('department', 'admit-extract-puf', {
    request: ExtractCall,
    reply: AdmittedWork,
    timeoutMs: 10_000,
  }),
  extract: procedure('department', 'extract-puf', {
    request: ExtractCall,
    reply: ExtractPufReply,
    timeoutMs: 20_000,
  }),
  /**
   * As {@link admitExtract}; NOT_FOUND where nothing is enrolled so, FORBIDDEN without the owner's consent, RATE_LIMITED where
   * too many others have tried the slab today.
   */
  admitVerify: procedure('department', 'admit-verify-slab', {
    request: VerifyCall,
    reply: AdmittedWork,
    timeoutMs: 10_000,
  }),
  verify: procedure('department', 'verify-slab', {
    request: VerifyCall,
    reply: VerifySlabReply,
    timeoutMs: 20_000,
  }),
} as const;
