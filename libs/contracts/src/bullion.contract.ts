import { z } from 'zod';
import { byOperator } from './account.contract.js';
import { agentEvidence, AgentPriceRecord } from './agent-price.js';
import { Bytes, procedure } from './procedure.js';
import { defineRoutes } from './route.js';
import { FileSha256, UploadId } from './uploads.contract.js';
import { base64Bytes, IdempotencyHeaders, PlainText, unguessableId } from './wire-format.js';

/** Bytes of a recording of a ring: 20 s of 96 kHz in 32 bits, mono, and its header. */
export const RING_RECORDING_BYTES_MAX = 7_864_320;
/** A body with such a recording in base64. */
const RECORDING_BODY_BYTES_MAX = 10_551_296;
export const RING_SECONDS_MAX = 20;
export const RING_SAMPLE_RATE_HZ_MIN = 32_000;

const LengthMm = z.number().min(0.1).max(1_000);
const MassG = z.number().min(0.01).max(100_000);
/** Slug of a product, `krugerrand`. */
export const ProductId = z
  .string()
  .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/)
  .max(64);
const FrequencyHz = z.number().min(100).max(96_000);
export const BullionMetal = z.enum(['gold', 'silver', 'platinum', 'palladium']);
const ChallengeId = unguessableId('ring');

const ringTest = {
  massG: MassG.meta({ description: 'As weighed, grams' }),
  diameterMm: LengthMm.optional(),
  thicknessMm: LengthMm.optional(),
  recordingBase64: base64Bytes(RING_RECORDING_BYTES_MAX).optional().meta({
    description:
      'The ring, base64: WAV (PCM of 16 or 24 bits or float, 32 kHz or more) or Ogg Opus, at most 20 s; MP3, AAC, FLAC and WebM where the installation has ffmpeg, else 422 by name; what is compressed, to 48 kbit/s or more',
  }),
  peaksHz: z
    .array(FrequencyHz)
    .min(1)
    .max(32)
    .optional()
    .meta({ description: 'Frequencies that you have measured: evidenceLevel SELF_REPORTED' }),
  submergedMassG: MassG.optional().meta({
    description: 'Grams that a scale shows from which the piece hangs in water, for the specific gravity',
  }),
  scaleAccuracyG: z.number().min(0.0001).max(10).optional().meta({
    description: 'How far a reading of the scale may lie off, grams; 0.01 where it is left out',
  }),
  conductivityMSm: z.number().min(0.1).max(70).optional().meta({
    description: 'What a conductivity meter shows, MS/m at 20 °C: gold and tungsten differ 2.4 times',
  }),
  conductivityPercentIacs: z.number().min(0.2).max(120).optional().meta({
    description: 'The same in percent of annealed copper, 58 MS/m; one of the two',
  }),
  magnetSlide: z.enum(['sticks', 'free', 'slow']).optional().meta({
    description:
      'What a strong magnet does on the tilted piece: it sticks, slides as on wood, or slower than that',
  }),
  challengeId: ChallengeId.optional().meta({
    description: 'Of the tone that was played into the recording: evidenceLevel CHALLENGED',
  }),
  spectrumSvg: z.boolean().default(false).meta({ description: 'Answer a picture of the spectrum' }),
};

const ONE_MEASUREMENT = {
  error: 'send recordingBase64 or peaksHz, one of the two',
  path: ['recordingBase64'],
};
const ONE_CONDUCTIVITY = {
  error: 'send conductivityMSm or conductivityPercentIacs, not both',
  path: ['conductivityPercentIacs'],
};
const hasOneConductivity = (body: { conductivityMSm?: unknown; conductivityPercentIacs?: unknown }) =>
  body.conductivityMSm === undefined || body.conductivityPercentIacs === undefined;
const hasOneMeasurement = (body: { recordingBase64?: unknown; peaksHz?: unknown }) =>
  (body.recordingBase64 === undefined) !== (body.peaksHz === undefined);

const ProductRingTest = z.strictObject({ productId: ProductId.meta({ example: 'krugerrand' }), ...ringTest });
const PieceRingTest = z.strictObject({
  metal: BullionMetal,
  fineness: z.number().min(0.001).max(1),
  shape: z.enum(['disc', 'bar']).meta({ description: 'A disc needs diameterMm, a bar lengthMm and widthMm' }),
  lengthMm: LengthMm.optional(),
  widthMm: LengthMm.optional(),
  ...ringTest,
});

/** Body of `POST /api/agent/verify-bullion`: a known product, or its measures. */
export const VerifyBullionRequest = z
  .union([
    ProductRingTest.refine(hasOneMeasurement, ONE_MEASUREMENT).refine(hasOneConductivity, ONE_CONDUCTIVITY),
    PieceRingTest.refine(hasOneMeasurement, ONE_MEASUREMENT).refine(hasOneConductivity, ONE_CONDUCTIVITY),
  ])
  .meta({
    id: 'VerifyBullionRequest',
    example: { productId: 'krugerrand', massG: 33.93, peaksHz: [4406, 8652, 10661, 18532] },
  });
export type VerifyBullionRequest = z.output<typeof VerifyBullionRequest>;

/** The same with a recording that was uploaded: its digest stands for it. */
const IN_A_FILE = { recordingBase64: true, peaksHz: true } as const;
export const VerifyUploadedBullion = z.union([
  ProductRingTest.omit(IN_A_FILE)
    .extend({ fileSha256: FileSha256 })
    .refine(hasOneConductivity, ONE_CONDUCTIVITY),
  PieceRingTest.omit(IN_A_FILE)
    .extend({ fileSha256: FileSha256 })
    .refine(hasOneConductivity, ONE_CONDUCTIVITY),
]);

/** The same on the bus, its recording taken out. */
export const RingTestCall = z.union([
  ProductRingTest.omit({ recordingBase64: true }),
  PieceRingTest.omit({ recordingBase64: true }),
]);
export type RingTestCall = z.output<typeof RingTestCall>;

const Check = z.object({
  expected: z.number(),
  measured: z.number(),
  deviationPercent: z.number(),
  tolerancePercent: z.number(),
  withinTolerance: z.boolean(),
});

/** A reading that can tell a piece from a fake. */
const RingReading = z.enum(['ring', 'decay', 'thickness', 'specificGravity', 'conductivity', 'magnet']);

/** A metal that pieces are faked in. */
const LikelyFake = z
  .object({
    metal: z.string(),
    excludedBy: z.array(RingReading).meta({ description: 'What excludes it, each at least one form of it' }),
    fits: z
      .object({
        coreShare: z.array(z.number()).length(2).meta({
          description: 'Least and most that such a core takes of the thickness; 1 is plated',
        }),
        thickerPercent: z.number().meta({ description: 'Than the genuine piece, of the largest core' }),
        excludableBy: z
          .array(RingReading)
          .meta({ description: 'Further readings, each of which would exclude it' }),
      })
      .nullable()
      .meta({
        description: 'The form that explains all readings as well as the genuine piece; null where none does',
      }),
  })
  .meta({ id: 'LikelyFake' });

/** Response of `POST /api/agent/verify-bullion`. */
export const VerifyBullionResult = z
  .object({
    verdict: z.enum(['PASS', 'FAIL', 'INCONCLUSIVE']),
    reasons: z.array(z.object({ code: z.string(), text: z.string() })).meta({
      description: 'What led to the verdict, most important first',
    }),
    product: z
      .object({
        productId: ProductId.optional(),
        name: z.string(),
        metal: BullionMetal,
        fineness: z.number(),
        massG: z.number().nullable(),
      })
      .meta({ description: 'What it was held against' }),
    reference: z
      .object({
        kind: z.enum(['enrolled', 'table', 'physics']),
        source: z.string().meta({ description: 'Where the expected frequencies come from' }),
      })
      .meta({ description: 'physics is never a PASS alone' }),
    modes: z.array(
      z.object({
        n: z.string().meta({ description: 'Mode of the plate or the beam: (2,0), (0,1), …' }),
        basis: z.enum(['enrolled', 'table', 'physics']).meta({ description: 'What expectedHz rests on' }),
        expectedHz: z.number().meta({ description: 'Middle of a doublet' }),
        measuredHz: z.number().nullable(),
        z: z.number().nullable().meta({ description: '|f − f_ref| / √(u_ref² + u_meas²)' }),
        q: z.number().nullable().meta({ description: 'Quality factor, π f τ' }),
        splitHz: z.number().nullable().meta({ description: 'Distance of a doublet’s two lines' }),
      }),
    ),
    massCheck: z
      .object({
        expectedG: z.number(),
        measuredG: z.number(),
        deviationPercent: z.number(),
        tolerancePercent: z.number(),
        withinTolerance: z.boolean(),
      })
      .nullable()
      .meta({
        description: 'Null for a piece that is described by its measures: nobody says what it should weigh',
      }),
    dimensionChecks: z.array(Check.extend({ dimension: z.enum(['diameterMm', 'thicknessMm']) })),
    specificGravity: z.number().nullable(),
    specificGravityCheck: Check.nullable(),
    conductivityCheck: Check.nullable().meta({
      description: 'MS/m; null where none was sent, or no table has the alloy',
    }),
    magnetAgrees: z.boolean().nullable().meta({
      description: 'Whether the magnet does what it does on this metal; null where that is not known',
    }),
    fakes: z.array(LikelyFake).meta({
      description:
        'What likely fakes of the same mass and outline make of all readings; where one fits, nothing passes',
    }),
    evidenceLevel: z.enum(['SELF_REPORTED', 'RECORDING', 'CHALLENGED']),
    recording: z
      .object({
        sampleRateHz: z.int(),
        durationSeconds: z.number(),
        channels: z.int(),
        clippedPercent: z.number(),
        snrDb: z.number().meta({ description: 'Of the strongest mode over the noise around it' }),
        sha256: z.string(),
        peaks: z.array(
          z.object({
            frequencyHz: z.number(),
            uncertaintyHz: z.number(),
            levelDb: z.number(),
            q: z.number().nullable(),
          }),
        ),
      })
      .nullable(),
    fineMassG: z.number().meta({ description: 'Mass × fineness' }),
    meltValue: z
      .string()
      .nullable()
      .meta({ description: 'US dollars, by the newest price; null where none is known' }),
    meltValueReason: z.enum(['SPOT_STALE', 'SPOT_UNKNOWN']).nullable().meta({
      description: 'SPOT_STALE: the newest price is more than 7 days old',
    }),
    meltValueNote: z.string().nullable().meta({ description: 'How old the price is, or why there is none' }),
    spot: z
      .object({
        metal: z.string(),
        price: z.string().meta({ description: 'Of one troy ounce' }),
        currency: z.string(),
        asOf: z.iso.datetime(),
        source: z.string(),
        stale: z.boolean(),
      })
      .nullable(),
    limits: z.array(z.string()).meta({ description: 'What this test cannot tell' }),
    spectrumSvg: z.string().optional(),
    ...agentEvidence,
  })
  .meta({ id: 'VerifyBullionResult' });
export type VerifyBullionResult = z.infer<typeof VerifyBullionResult>;

/** A product with its reference frequencies. */
export const BullionProduct = z
  .object({
    productId: ProductId,
    name: z.string(),
    metal: BullionMetal,
    fineness: z.number(),
    massG: z.number(),
    diameterMm: z.number().nullable(),
    thicknessMm: z.number().nullable(),
    reference: z.enum(['enrolled', 'table', 'physics']),
    modesHz: z.array(
      z.object({ n: z.string(), frequenciesHz: z.array(z.number()), uncertaintyPercent: z.number() }),
    ),
    densityGcc: z.number().meta({ description: 'Of the alloy' }),
    conductivityMSm: z.number().nullable().meta({ description: 'Of the alloy, where a table has it' }),
    passNeeds: z
      .array(z.enum(['thickness', 'specificGravity', 'conductivity']))
      .nullable()
      .meta({
        description: 'Readings that a genuine piece needs beside ring and mass to pass; null: needsEnrolment',
      }),
    needsEnrolment: z.boolean().meta({
      description:
        'No reading can exclude every likely fake by theory: a genuine piece must be enrolled first',
    }),
    source: z.string(),
  })
  .meta({ id: 'BullionProduct' });
export type BullionProduct = z.infer<typeof BullionProduct>;

/** Body of `POST /api/agent/bullion/enrol`. */
export const EnrolBullionRequest = z
  .strictObject({
    productId: ProductId,
    name: PlainText.min(1).max(128).optional().meta({ description: 'Of a product that is not in the table' }),
    metal: BullionMetal.optional(),
    fineness: z.number().min(0.001).max(1).optional(),
    massG: MassG.optional(),
    diameterMm: LengthMm.optional(),
    thicknessMm: LengthMm.optional(),
    recordingBase64: base64Bytes(RING_RECORDING_BYTES_MAX),
    specimen: PlainText.min(1).max(128).meta({ description: 'Which piece was recorded' }),
  })
  .meta({ id: 'EnrolBullionRequest' });

/** The same on the bus, its recording taken out. */
export const EnrolBullionCall = EnrolBullionRequest.omit({ recordingBase64: true });
export type EnrolBullionCall = z.output<typeof EnrolBullionCall>;

/** Response of `POST /api/agent/bullion/enrol`. */
export const BullionEnrolment = z
  .object({
    enrolmentId: z.string(),
    product: BullionProduct,
    specimen: z.string(),
    specimens: z.int().meta({ description: 'Recordings that the reference is made of now' }),
    enrolledAt: z.iso.datetime(),
  })
  .meta({ id: 'BullionEnrolment' });
export type BullionEnrolment = z.infer<typeof BullionEnrolment>;

/** At most so many recordings of a product travel in a file: the newest. */
export const ENROLMENT_FILE_RINGS_MAX = 256;

/** A line that was heard of a genuine piece, as the analysis of its recording has it. */
const HeardLine = z.strictObject({
  frequencyHz: z.number().min(20).max(96_000),
  uncertaintyHz: z.number().min(0).max(10_000),
  levelDb: z.number().min(-300).max(300).meta({ description: 'Under the strongest' }),
  snrDb: z.number().min(-300).max(300).meta({ description: 'Over the noise around it' }),
  q: z.number().min(0).max(1e9).nullable(),
  splitHz: z.number().min(0).max(10_000).nullable(),
});

/** Genuine pieces of one product with what was heard of them, as a file, without recordings and names. */
export const EnrolmentFile = z
  .strictObject({
    format: z.literal('svc-bullion-enrolments/v1'),
    product: z.strictObject({
      productId: ProductId,
      name: PlainText.min(1).max(128),
      metal: BullionMetal,
      fineness: z.number().min(0.001).max(1),
      massG: MassG,
      diameterMm: LengthMm,
      thicknessMm: LengthMm.nullable(),
    }),
    enrolments: z
      .array(
        z.strictObject({
          specimen: PlainText.min(1).max(128),
          massG: MassG.nullable(),
          recordingSha256: z.string().regex(/^0x[0-9a-f]{64}$/),
          enrolledAt: z.iso.datetime(),
          peaks: z.array(HeardLine).min(1).max(64),
        }),
      )
      .max(ENROLMENT_FILE_RINGS_MAX),
  })
  .meta({ id: 'EnrolmentFile' });
export type EnrolmentFile = z.output<typeof EnrolmentFile>;

/** Response of `POST /api/agent/bullion/enrolments`. */
export const ImportedEnrolments = z
  .object({
    product: BullionProduct,
    added: z.int(),
    known: z.int().meta({ description: 'Recordings that were enrolled already' }),
  })
  .meta({ id: 'ImportedEnrolments' });
export type ImportedEnrolments = z.infer<typeof ImportedEnrolments>;

export const enrolmentsQuery = z.object({ productId: ProductId });

/** Response of `POST /api/agent/bullion/challenge`. */
export const RingChallenge = z
  .object({
    challengeId: ChallengeId,
    toneWavBase64: z.string().meta({ description: 'Play it into the recording, before the ring' }),
    tonesHz: z.array(z.number()),
    toneSeconds: z.number(),
    expiresAt: z.iso.datetime(),
  })
  .meta({ id: 'RingChallenge' });
export type RingChallenge = z.infer<typeof RingChallenge>;

const BullionProductList = z.object({ items: z.array(BullionProduct) }).meta({ id: 'BullionProductList' });

export const bullionRoutes = defineRoutes({
  verify: {
    operationId: 'agent.verify-bullion',
    method: 'POST',
    path: '/api/agent/verify-bullion',
    summary: 'Validate precious metal by its ring and its melt value',
    description:
      'INCONCLUSIVE is not charged: the payment becomes credit. The verdict is about resonance, mass and the measures that were given; see `limits`.',
    tag: 'Agents',
    access: 'paid',
    headers: IdempotencyHeaders,
    body: { schema: VerifyBullionRequest },
    bodyBytesMax: RECORDING_BODY_BYTES_MAX,
    replies: { 200: { description: 'The verdict', schema: VerifyBullionResult } },
    problems: ['UNPROCESSABLE', 'OVERLOADED'],
  },
  price: {
    operationId: 'agent.verify-bullion-price',
    method: 'GET',
    path: '/api/agent/verify-bullion',
    summary: 'Price of a bullion verification, and how it is paid',
    tag: 'Agents',
    access: 'free',
    replies: { 200: { description: 'The price record', schema: AgentPriceRecord } },
  },
  products: {
    operationId: 'agent.bullion-products',
    method: 'GET',
    path: '/api/agent/bullion/products',
    summary: 'Products with reference frequencies, and where those come from',
    tag: 'Agents',
    access: 'free',
    replies: { 200: { description: 'The products', schema: BullionProductList } },
  },
  challenge: {
    operationId: 'agent.bullion-challenge',
    method: 'POST',
    path: '/api/agent/bullion/challenge',
    summary: 'A tone to play into a recording, which shows that it was made now',
    tag: 'Agents',
    access: 'free',
    replies: { 201: { description: 'The tone', schema: RingChallenge } },
  },
  enrol: {
    operationId: 'agent.bullion-enrol',
    method: 'POST',
    path: '/api/agent/bullion/enrol',
    summary: 'Enrol the ring of a piece that is known to be genuine',
    description: 'Needs the scope `admin:bullion`. Enrolled references come before the table.',
    tag: 'Admin',
    access: 'admin',
    body: { schema: EnrolBullionRequest },
    bodyBytesMax: RECORDING_BODY_BYTES_MAX,
    replies: { 201: { description: 'The enrolment', schema: BullionEnrolment } },
    problems: ['UNPROCESSABLE', 'CONFLICT', 'OVERLOADED'],
  },
  exportEnrolments: {
    operationId: 'agent.bullion-export-enrolments',
    method: 'GET',
    path: '/api/agent/bullion/enrolments',
    summary: 'Enrolments of a product as a file',
    description: 'Needs the scope `admin:bullion`. What was heard of each piece, not its recording.',
    tag: 'Admin',
    access: 'admin',
    query: enrolmentsQuery,
    replies: { 200: { description: 'The file', schema: EnrolmentFile } },
    problems: ['UNPROCESSABLE'],
  },
  importEnrolments: {
    operationId: 'agent.bullion-import-enrolments',
    method: 'POST',
    path: '/api/agent/bullion/enrolments',
    summary: 'Take over the enrolments of a file',
    description:
      'Needs the scope `admin:bullion`. Which line is which mode is found anew; a ring that is not the product’s refuses the whole file.',
    tag: 'Admin',
    access: 'admin',
    body: { schema: EnrolmentFile },
    bodyBytesMax: 4_194_304,
    replies: { 200: { description: 'What became of it', schema: ImportedEnrolments } },
    problems: ['UNPROCESSABLE'],
  },
});

/** A request on the bus: its recording travels as bytes beside it. */
const BullionCall = z.object({
  request: z.record(z.string(), z.unknown()),
  /** The recording, or an upload that is it. */
  recording: Bytes.optional(),
  uploadId: UploadId.optional(),
});

export const bullionContract = {
  /** Whether a verdict could be given: unknown product, recording that cannot be read. UNPROCESSABLE says which and why. */
  admit: procedure('department', 'admit-bullion', {
    request: BullionCall,
    reply: z.object({}),
    timeoutMs: 10_000,
  }),
  verify: procedure('department', 'verify-bullion', {
    request: BullionCall,
    reply: VerifyBullionResult,
    timeoutMs: 20_000,
  }),
  products: procedure('department', 'bullion-products', {
    isPublic: true,
    request: z.object({}),
    reply: BullionProductList,
    timeoutMs: 5_000,
  }),
  challenge: procedure('department', 'bullion-challenge', {
    request: z.object({}),
    reply: RingChallenge,
    timeoutMs: 5_000,
  }),
  enrol: procedure('department', 'bullion-enrol', {
    request: z.object({ ...byOperator, request: z.record(z.string(), z.unknown()), recording: Bytes }),
    reply: BullionEnrolment,
    timeoutMs: 20_000,
  }),
  exportEnrolments: procedure('department', 'bullion-export-enrolments', {
    request: z.object({ ...byOperator, ...enrolmentsQuery.shape }),
    reply: EnrolmentFile,
    timeoutMs: 5_000,
  }),
  importEnrolments: procedure('department', 'bullion-import-enrolments', {
    request: z.object({ ...byOperator, file: EnrolmentFile }),
    reply: ImportedEnrolments,
    timeoutMs: 20_000,
  }),
} as const;
