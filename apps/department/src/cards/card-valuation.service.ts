import { Inject, Injectable } from '@nestjs/common';
import {
  distributionSvg,
  VALUATION_RULESET_ID,
  valuationRules,
  valueCard,
  valueCardByRatio,
  WINDOWS_DAYS,
  type CardValuation,
  type GradedSale,
} from '@svc/comps';
import {
  cardsRoutes,
  type CardValuationRequest,
  type CardValuationResult,
  VALUATION_SALES_MAX,
} from '@svc/contracts';
import { problem, SERVICE_ENVIRONMENT, type ServiceEnvironment } from '@svc/platform';
import { AgentEvidence } from '../evidence/agent-evidence.js';
import type { KnownCard, Sight } from './card-catalogue.js';
import { CardResolution } from './card-resolution.js';
import { ComparableSales, type SalesOf, type StoredSale } from './comparable-sales.js';

const DAY_MS = 86_400_000;
/** Other grades of the card that a ratio is tried from. */
const RATIO_GRADES_MAX = 3;

const LIMITS: readonly string[] = [
  'It is the median of recorded sales, not an offer: what one card brings depends on its centring and eye appeal within the grade.',
  'Whether the card in hand is genuine, and would get this grade, it does not know.',
  'The interval is for the median price of the day asked for. How fast the price moves is estimated from the sales; a jump since the last of them it cannot see.',
  'Prices are as the venues reported them: a hidden best offer, a shill bid or a sale that was never paid counts unless it stands out. Wash sales at many prices, or the only sales there are, are not told.',
  'The trend is what was: it foretells nothing.',
  `At most the newest ${VALUATION_SALES_MAX} sales of a year are looked at; those in other currencies count by the rate of their day that was imported with them.`,
];
const OF_A_RATIO =
  'It is another grade’s median times a ratio between the grades of other cards, which need not hold for this one.';
const OF_A_GENERATOR =
  'The market is synthetic: its cards and sales were made by a generator, and are worth nothing but for trying.';

const DOES_NOT_PROVE =
  'That the sales took place at these prices, or that any card is genuine, of this grade or worth this: only which recorded sales and which rules gave these figures.';

/** Values graded cards from the sales that were imported. */
@Injectable()
export class CardValuationService {
  private readonly sight: Sight;

  constructor(
    private readonly resolution: CardResolution,
    private readonly sales: ComparableSales,
    private readonly evidence: AgentEvidence,
    @Inject(SERVICE_ENVIRONMENT) { production }: ServiceEnvironment,
  ) {
    this.sight = { synthetic: !production };
  }

  /** @throws ProblemError UNPROCESSABLE for a card that is not one of the catalogue, or a day to come */
  async admit(request: CardValuationRequest): Promise<void> {
    asOfDay(request);
    await this.resolution.resolve(request, this.sight);
  }

  /** @throws what {@link admit} does, and what evidence does */
  async value(request: CardValuationRequest): Promise<CardValuationResult> {
    const asOf = asOfDay(request);
    const known = await this.resolution.resolve(request, this.sight);
    const { valuation, urls } = await this.valuationOf(known, request, asOf);
    const svg = request.distributionSvg ? { distributionSvg: distributionSvg(valuation) } : {};
    const answer = { ...answerOf(known, request, valuation, urls), asOf, ...svg };
    return this.evidence.with(answer, {
      operationId: cardsRoutes.valuation.operationId,
      request,
      doesNotProve: known.synthetic ? `${DOES_NOT_PROVE} ${OF_A_GENERATOR}` : DOES_NOT_PROVE,
      rulesetId: VALUATION_RULESET_ID,
      rules: valuationRules(valuation),
    });
  }

  private async valuationOf(known: KnownCard, request: CardValuationRequest, asOf: string) {
    const { company, grade = 0, qualifier = '', allowRatio } = request;
    const of: SalesOf = {
      ...{ cardId: known.cardId, company, grade, qualifier, synthetic: known.synthetic },
    };
    const asOfMs = Date.parse(asOf) + DAY_MS - 1;
    const sales = await this.sales.comps(of, yearBefore(asOfMs));
    const valuation = valueCard(sales, { asOfMs });
    const byRatio =
      allowRatio && valuation.confidence === 'insufficient_comps'
        ? await this.byRatio(of, asOfMs)
        : undefined;
    return byRatio ?? { valuation, urls: urlsOf(sales) };
  }

  /** From the grade of the card that sold most often and gives an answer. */
  private async byRatio(of: SalesOf, asOfMs: number) {
    const range = yearBefore(asOfMs);
    const grades = (await this.sales.gradesOf(of, range)).filter(({ grade }) => grade !== of.grade);
    for (const { grade: fromGrade } of grades.slice(0, RATIO_GRADES_MAX)) {
      const sales = await this.sales.comps({ ...of, grade: fromGrade }, range);
      const peers = await this.sales.peers(of, fromGrade, range);
      const valuation = valueCardByRatio({ fromGrade, sales, peers }, { asOfMs });
      if (valuation && valuation.medianUsd !== null) return { valuation, urls: urlsOf(sales) };
    }
    return undefined;
  }
}

const yearBefore = (asOfMs: number) => ({ fromMs: asOfMs - WINDOWS_DAYS.at(-1)! * DAY_MS, toMs: asOfMs });

/** Graded cards began to be sold then: no sale before it is taken. */
const AS_OF_MIN = '1990-01-01';

/** The day that a valuation is of, in UTC. @throws ProblemError UNPROCESSABLE for one that has not begun, or before any sale */
function asOfDay({ asOf }: CardValuationRequest): string {
  const today = new Date().toISOString().slice(0, 10);
  if (asOf === undefined) return today;
  if (asOf >= AS_OF_MIN && asOf <= today) return asOf;
  const [message, bound] =
    asOf > today ? ['lies in the future', today] : ['lies before any sale of a graded card', AS_OF_MIN];
  throw problem('UNPROCESSABLE', `asOf: ${message}; it is from ${AS_OF_MIN} to ${today} (UTC)`, {
    errors: [{ path: 'asOf', message, bound, got: asOf }],
  });
}

const urlsOf = (sales: readonly StoredSale[]): ReadonlyMap<string, string | undefined> =>
  new Map(sales.map(({ saleId, url }) => [saleId, url]));

function answerOf(
  known: KnownCard,
  { company, grade, qualifier }: CardValuationRequest,
  valuation: CardValuation,
  urls: ReadonlyMap<string, string | undefined>,
) {
  const { medianUsd, ci95, n, nRejected, windowDays, basis, confidence, method, ratio } = valuation;
  const { jump, washRings, trend, liquidity } = valuation;
  return {
    card: known.card,
    ...{ company, grade: grade ?? null, qualifier: qualifier ?? null },
    medianUsd,
    ci95: ci95 && ([...ci95] as [number, number]),
    n,
    nRejected: nRejected.map(({ reason, count }) => ({ reason, count })),
    ...{ windowDays, basis, confidence },
    method: { ...method },
    ratio: ratio && { ...ratio },
    jump: jump && { since: new Date(jump.sinceMs).toISOString(), times: hundredths(jump.times) },
    washRings: washRings.map(ring => ({
      ...{ from: new Date(ring.fromMs).toISOString(), to: new Date(ring.toMs).toISOString() },
      ...{ sales: ring.saleIds.length, medianUsd: ring.medianUsd, timesOthers: hundredths(ring.timesOthers) },
    })),
    trend: trend && { ...trend, ci95: [...trend.ci95] as [number, number] },
    liquidity: { ...liquidity },
    comps: valuation.comps.map(sale => compOf(sale, urls.get(sale.saleId))),
    market: known.synthetic ? ('synthetic' as const) : ('imported' as const),
    limits: [
      ...LIMITS,
      ...(basis === 'ratio' ? [OF_A_RATIO] : []),
      ...(known.synthetic ? [OF_A_GENERATOR] : []),
    ],
    charged: confidence !== 'insufficient_comps',
  };
}

const hundredths = (value: number): number => Math.round(100 * value) / 100;

const compOf = (
  { saleId, priceUsd, soldAtMs, venue, saleType, weight }: GradedSale & { readonly weight: number },
  url: string | undefined,
) => ({
  ...{ saleId, priceUsd, soldAt: new Date(soldAtMs).toISOString(), venue, saleType, weight },
  ...(url === undefined ? {} : { url }),
});
