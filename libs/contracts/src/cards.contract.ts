import { z } from 'zod';
import { byOperator } from './account.contract.js';
import { agentEvidence, AgentPriceRecord } from './agent-price.js';
import { procedure } from './procedure.js';
import { defineRoutes } from './route.js';
import { CalendarDate, IdempotencyHeaders, PageCursor, PlainText } from './wire-format.js';

/** Bytes of one import of sales as JSON, which has to fit one message of the bus: a longer file is sent in several. */
export const SALES_IMPORT_BYTES_MAX = 4_000_000;
/** Sales of one import. */
export const SALES_IMPORT_MAX = 20_000;
const SALES_IMPORT_BODY_BYTES_MAX = SALES_IMPORT_BYTES_MAX + 1_024;
/** Sales that one valuation looks at: the newest of them. */
export const VALUATION_SALES_MAX = 250;
/** Least and most that a card is taken to sell for, price and fees, US dollars. */
export const SALE_USD_MIN = 0.5;
export const SALE_USD_MAX = 25_000_000;
/** Cards that a description which fits none or several is answered with. */
export const CARD_CANDIDATES_MAX = 10;

const CardKey = z
  .string()
  .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/)
  .max(160);
const CardText = PlainText.min(1).max(128);

export const CardDescription = z
  .strictObject({
    year: z.int().min(1850).max(2100),
    set: CardText,
    number: PlainText.min(1).max(32),
    player: CardText,
    sport: PlainText.min(1).max(64).optional(),
    parallel: PlainText.min(1).max(64).optional(),
  })
  .meta({ id: 'CardDescription' });
export type CardDescription = z.infer<typeof CardDescription>;

/** `RAW` is a card that no company has graded. */
export const GradingCompany = z.enum(['PSA', 'BGS', 'SGC', 'CGC', 'TAG', 'RAW']);
const Grade = z
  .number()
  .min(1)
  .max(10)
  .multipleOf(0.5)
  .optional()
  .meta({ description: 'Of every company; a card that is RAW has none' });
const Qualifier = z
  .string()
  .regex(/^[A-Z]{1,8}$/)
  .meta({
    description:
      'As on the label: OC, MK, …; BLACK for a black label and PRISTINE for a pristine 10, each a grade of its own',
  });

/** A grade where a company gave one, and none where none did. */
const hasItsGrade = ({ company, grade }: { company: string; grade?: number | undefined }): boolean =>
  (company === 'RAW') === (grade === undefined);
const ITS_GRADE = {
  path: ['grade'],
  error: 'is needed of a card that a company graded, and not there for one that is RAW',
};

const gradedCard = {
  company: GradingCompany,
  grade: Grade,
  qualifier: Qualifier.optional(),
  asOf: CalendarDate.optional().meta({ description: 'Sales after this day are left out; default today' }),
  allowRatio: z
    .boolean()
    .default(false)
    .meta({ description: 'Where sales are too few: by the ratio between grades of the same card' }),
  distributionSvg: z.boolean().default(false).meta({ description: 'Answer a picture of the sales' }),
};

/** Body of `POST /api/agent/card-valuation`. */
export const CardValuationRequest = z
  .union([
    z.strictObject({ card: CardDescription, ...gradedCard }).refine(hasItsGrade, ITS_GRADE),
    z.strictObject({ cardKey: CardKey, ...gradedCard }).refine(hasItsGrade, ITS_GRADE),
  ])
  .meta({
    id: 'CardValuationRequest',
    example: {
      card: { year: 1986, set: 'Fleer', number: '57', player: 'Michael Jordan' },
      company: 'PSA',
      grade: 9,
    },
  });
export type CardValuationRequest = z.output<typeof CardValuationRequest>;

/** A card of the catalogue. */
export const CatalogueCard = CardDescription.extend({ cardKey: CardKey, title: z.string() }).meta({
  id: 'CatalogueCard',
});
export type CatalogueCard = z.infer<typeof CatalogueCard>;

/** Response of `POST /api/agent/card-valuation`. */
export const CardValuationResult = z
  .object({
    card: CatalogueCard,
    company: GradingCompany,
    grade: z.number().nullable().meta({ description: 'null for a card that is RAW' }),
    qualifier: z.string().nullable(),
    medianUsd: z.number().nullable(),
    ci95: z.tuple([z.number(), z.number()]).nullable(),
    n: z.int().meta({ description: 'Sales that count, after rejection' }),
    nRejected: z.array(z.object({ reason: z.string(), count: z.int() })).max(16),
    windowDays: z.int(),
    basis: z.enum(['comps', 'ratio']),
    confidence: z.enum(['normal', 'low_confidence', 'insufficient_comps']),
    method: z.object({
      estimator: z.string(),
      halfLifeDays: z.number(),
      interval: z.enum(['state-space', 'ratio', 'none']),
      intervalCoveragePercent: z
        .number()
        .nullable()
        .meta({ description: 'Coverage that the interval has by its method' }),
      volatilityPercentAYear: z.number().nullable().meta({
        description:
          'What the price moves in a year, one standard deviation, percent of log price: by these sales',
      }),
      spreadPercent: z.number().nullable().meta({
        description: 'Scale of a sale’s price about its day’s, percent of log price: by these sales',
      }),
    }),
    jump: z
      .object({
        since: z.iso.datetime().meta({ description: 'The first sale after it' }),
        times: z.number().meta({ description: 'Median of the sales after it over that of those before it' }),
      })
      .nullable()
      .meta({
        description: 'The last change of the price at once, by 20 % or more: older sales do not count',
      }),
    washRings: z
      .array(
        z.object({
          from: z.iso.datetime(),
          to: z.iso.datetime(),
          sales: z.int(),
          medianUsd: z.number(),
          timesOthers: z.number().meta({ description: 'Its median over that of the sales around it' }),
        }),
      )
      .max(8)
      .meta({ description: 'Sales at one price that is not the others’, in few days: they do not count' }),
    trend: z
      .object({
        percentPer30Days: z.number().meta({ description: 'Change of the price in 30 days, percent' }),
        ci95: z.tuple([z.number(), z.number()]),
        days: z.int().meta({ description: 'Days that it is read from' }),
        n: z.int().meta({ description: 'Sales that it is read from' }),
      })
      .nullable()
      .meta({ description: 'The median slope of all pairs of sales: what was, not what will be' }),
    liquidity: z
      .object({
        salesLast30Days: z.int(),
        salesLast90Days: z.int(),
        salesLast365Days: z.int(),
        daysSinceLastSale: z.number().nullable(),
        medianDaysBetweenSales: z.number().nullable().meta({ description: 'Within the year' }),
      })
      .meta({ description: `Of the newest ${VALUATION_SALES_MAX} sales, wash rings left out` }),
    ratio: z
      .object({
        fromGrade: z.number(),
        fromMedianUsd: z.number().meta({ description: 'Median of this card in fromGrade' }),
        ratio: z.number(),
        pairs: z.int().meta({ description: 'Same-card pairs of sales within six months' }),
        cards: z.int().meta({ description: 'Cards that the pairs are of' }),
      })
      .nullable(),
    comps: z
      .array(
        z.object({
          saleId: z.string(),
          priceUsd: z.number().meta({ description: 'Price and fees' }),
          soldAt: z.iso.datetime(),
          venue: z.string(),
          saleType: z.string(),
          weight: z.number(),
          url: z.string().optional(),
        }),
      )
      .max(VALUATION_SALES_MAX)
      .meta({ description: 'The sales that count, the newest first' }),
    asOf: CalendarDate,
    market: z
      .enum(['imported', 'synthetic'])
      .meta({ description: 'synthetic: sales that a generator made, worth nothing but for trying' }),
    limits: z.array(z.string()).max(16).meta({ description: 'What this valuation cannot tell' }),
    distributionSvg: z.string().optional(),
    ...agentEvidence,
  })
  .meta({ id: 'CardValuationResult' });
export type CardValuationResult = z.infer<typeof CardValuationResult>;

const CardSearch = z.object({ items: z.array(CatalogueCard).max(50) }).meta({ id: 'CardSearch' });

const SaleAmount = z
  .string()
  .regex(/^(0|[1-9][0-9]{0,8})(\.[0-9]{1,2})?$/, { error: 'a decimal amount such as 125.00' });

/** Days before a sale of which a rate may be: markets are closed at weekends and on holidays. */
export const RATE_AGE_DAYS_MAX = 7;
const SaleRate = z
  .strictObject({
    usd: z
      .string()
      .regex(/^(0|[1-9][0-9]{0,4})(\.[0-9]{1,8})?$/, { error: 'a decimal such as 1.0842' })
      .meta({ description: 'US dollars for one unit of the currency' }),
    date: CalendarDate.meta({ description: `The sale’s day or up to ${RATE_AGE_DAYS_MAX} before it` }),
    source: PlainText.min(1).max(64).meta({ description: 'Whose rate: ECB' }),
  })
  .meta({ description: 'Of a sale that was not in US dollars' });

/** One sale as it is imported. */
export const SaleRow = z
  .strictObject({
    itemId: PlainText.min(1)
      .max(128)
      .meta({ description: 'Of the venue: a sale is known by venue and item' }),
    venue: PlainText.min(1).max(64),
    card: CardDescription,
    company: GradingCompany,
    grade: Grade,
    qualifier: Qualifier.optional(),
    price: SaleAmount.meta({ description: 'Hammer price as a decimal string' }),
    fees: SaleAmount.default('0').meta({
      description: 'Buyer’s premium and shipping that the price does not hold',
    }),
    currency: z.string().regex(/^[A-Z]{3}$/, { error: 'a currency code of three letters' }),
    rate: SaleRate.optional(),
    soldAt: z
      .union([z.iso.datetime({ offset: true }), CalendarDate], {
        error: 'an instant with its zone (2026-05-01T18:30:00Z) or a day (2026-05-01)',
      })
      .meta({ description: 'An instant, or a day: its beginning in UTC' }),
    saleType: z.enum(['auction', 'fixed', 'best_offer']),
    url: z
      .url({ protocol: /^https?$/ })
      .max(512)
      .regex(/^[\x21-\x7e]*$/, { error: 'an address in ASCII' })
      .optional(),
    verified: z
      .boolean()
      .default(false)
      .meta({ description: 'Whether the venue vouches that it was paid for' }),
    synthetic: z
      .boolean()
      .default(false)
      .meta({ description: 'Made by a generator: refused in production, and marked in every answer' }),
  })
  .refine(hasItsGrade, ITS_GRADE)
  .meta({ id: 'SaleRow' });
export type SaleRow = z.output<typeof SaleRow>;

/** Body of `POST /v1/admin/card-sales`: rows of JSON, or a CSV with a header line. */
const DryRun = z
  .boolean()
  .default(false)
  .meta({ description: 'Say what would become of the rows, and keep nothing' });
export const ImportSalesRequest = z
  .union([
    z
      .strictObject({
        sales: z.array(z.record(z.string(), z.unknown())).min(1).max(SALES_IMPORT_MAX),
        dryRun: DryRun,
      })
      .meta({ id: 'ImportSalesRows' }),
    z
      .strictObject({ csv: z.string().min(1).max(SALES_IMPORT_BYTES_MAX), dryRun: DryRun })
      .meta({ id: 'ImportSalesCsv' }),
  ])
  .meta({ id: 'ImportSalesRequest' });

/** Faults that the answer of an import repeats. */
export const IMPORT_FAULTS_MAX = 50;

/** Response of `POST /v1/admin/card-sales`. */
export const SalesImport = z
  .object({
    importId: z.string().nullable().meta({ description: 'null for a dry run' }),
    rows: z.int(),
    accepted: z.int(),
    duplicates: z.int(),
    quarantined: z.int(),
    newCards: z.int().meta({ description: 'Cards that the catalogue did not know before' }),
    faults: z
      .array(
        z.object({
          row: z.int().meta({ description: 'From 1; the header line of a CSV does not count' }),
          field: z.string(),
          message: z.string(),
          got: z.unknown().optional().meta({ description: 'The value that was sent, shortened' }),
        }),
      )
      .max(IMPORT_FAULTS_MAX)
      .meta({ description: 'The first of the rows that were quarantined' }),
  })
  .meta({ id: 'SalesImport' });
export type SalesImport = z.infer<typeof SalesImport>;

/** A row that was not taken. */
export const QuarantinedSale = z
  .object({
    quarantineId: z.string(),
    importId: z.string(),
    row: z.int(),
    reasons: z.array(z.string()).max(32),
    sale: z.record(z.string(), z.unknown()),
    quarantinedAt: z.iso.datetime(),
  })
  .meta({ id: 'QuarantinedSale' });
const QuarantinePage = z
  .object({ items: z.array(QuarantinedSale), nextCursor: z.string().nullable() })
  .meta({ id: 'QuarantinePage' });

/** Body of `POST /v1/admin/card-sales/quarantine/:quarantineId`. */
export const ResolveQuarantineRequest = z
  .strictObject({
    action: z.enum(['accept', 'discard']),
    sale: z
      .record(z.string(), z.unknown())
      .optional()
      .meta({ description: 'The row as corrected, to be accepted' }),
  })
  .meta({ id: 'ResolveQuarantineRequest' });

const quarantineQuery = z.strictObject({
  limit: z.coerce.number().int().min(1).max(200).default(50),
  cursor: PageCursor.optional(),
});
const quarantineParams = z.object({ quarantineId: z.string().regex(/^q[0-9]{1,18}$/) });
const ResolvedQuarantine = z
  .object({
    quarantineId: z.string(),
    state: z.enum(['accepted', 'discarded', 'duplicate']),
    saleId: z.string().nullable().meta({ description: 'The sale that it became, or is already' }),
  })
  .meta({ id: 'ResolvedQuarantine' });
const searchQuery = z.strictObject({
  q: PlainText.trim().min(2).max(200).meta({ description: 'Free text: 1986 fleer jordan 57' }),
  limit: z.coerce.number().int().min(1).max(50).default(10),
});

export const cardsRoutes = defineRoutes({
  valuation: {
    operationId: 'agent.card-valuation',
    method: 'POST',
    path: '/api/agent/card-valuation',
    summary: 'Median of comparable sales of a graded sports card',
    description:
      'insufficient_comps is not charged: the payment becomes credit. A card that the catalogue does not know is 422, with those that are like it.',
    tag: 'Agents',
    access: 'paid',
    headers: IdempotencyHeaders,
    body: { schema: CardValuationRequest },
    replies: { 200: { description: 'The valuation', schema: CardValuationResult } },
    problems: ['UNPROCESSABLE', 'OVERLOADED'],
  },
  price: {
    operationId: 'agent.card-valuation-price',
    method: 'GET',
    path: '/api/agent/card-valuation',
    summary: 'Price of a card valuation, and how it is paid',
    tag: 'Agents',
    access: 'free',
    replies: { 200: { description: 'The price record', schema: AgentPriceRecord } },
  },
  search: {
    operationId: 'agent.card-search',
    method: 'GET',
    path: '/api/agent/cards',
    summary: 'Cards of the catalogue by free text',
    tag: 'Agents',
    access: 'free',
    query: searchQuery,
    replies: { 200: { description: 'The best matches first', schema: CardSearch } },
  },
  importSales: {
    operationId: 'admin.import-card-sales',
    method: 'POST',
    path: '/v1/admin/card-sales',
    summary: 'Import sales of graded cards',
    description:
      'Needs the scope `admin:sales`. Each row is accepted, known already (by venue and itemId), or quarantined with its reasons.',
    tag: 'Admin',
    access: 'admin',
    body: { schema: ImportSalesRequest },
    bodyBytesMax: SALES_IMPORT_BODY_BYTES_MAX,
    replies: { 200: { description: 'What became of the rows', schema: SalesImport } },
    problems: ['UNPROCESSABLE', 'OVERLOADED'],
  },
  quarantine: {
    operationId: 'admin.card-sales-quarantine',
    method: 'GET',
    path: '/v1/admin/card-sales/quarantine',
    summary: 'Rows of imports that were not taken',
    description: 'Needs the scope `admin:sales`.',
    tag: 'Admin',
    access: 'admin',
    query: quarantineQuery,
    replies: { 200: { description: 'A page', schema: QuarantinePage } },
  },
  resolveQuarantine: {
    operationId: 'admin.resolve-card-sale',
    method: 'POST',
    path: '/v1/admin/card-sales/quarantine/:quarantineId',
    summary: 'Accept a quarantined row, corrected or as it is, or discard it',
    description: 'Needs the scope `admin:sales`.',
    tag: 'Admin',
    access: 'admin',
    params: quarantineParams,
    body: { schema: ResolveQuarantineRequest },
    replies: { 200: { description: 'What became of it', schema: ResolvedQuarantine } },
    problems: ['CONFLICT', 'UNPROCESSABLE'],
  },
});

export const cardsContract = {
  /** UNPROCESSABLE for a card that the catalogue does not know, with those that are like it. */
  admit: procedure('department', 'admit-card', {
    request: CardValuationRequest,
    reply: z.object({}),
    timeoutMs: 5_000,
  }),
  value: procedure('department', 'value-card', {
    isPublic: true,
    request: CardValuationRequest,
    reply: CardValuationResult,
    timeoutMs: 15_000,
  }),
  search: procedure('department', 'search-cards', {
    isPublic: true,
    request: searchQuery,
    reply: CardSearch,
    timeoutMs: 5_000,
  }),
  importSales: procedure('department', 'import-card-sales', {
    request: z.object({ ...byOperator, request: ImportSalesRequest }),
    reply: SalesImport,
    timeoutMs: 60_000,
  }),
  quarantine: procedure('department', 'card-sales-quarantine', {
    request: quarantineQuery.extend(byOperator),
    reply: QuarantinePage,
    timeoutMs: 5_000,
  }),
  resolveQuarantine: procedure('department', 'resolve-card-sale', {
    request: z.object({ ...byOperator, quarantineId: z.string(), request: ResolveQuarantineRequest }),
    reply: ResolvedQuarantine,
    timeoutMs: 5_000,
  }),
} as const;
