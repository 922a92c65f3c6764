import { Injectable } from '@nestjs/common';
import { bullionRoutes, RingTestCall, type VerifyBullionResult } from '@svc/contracts';
import {
  BarShapeError,
  canPass,
  FinenessError,
  IACS_MSM,
  type Judgement,
  judgeRing,
  materialOf,
  type MeasuredPiece,
  pieceTest,
  type ProductMeasurement,
  productTest,
  RING_RULESET_ID,
  type RingTest,
  SubmergedMassError,
  verdictRules,
} from '@svc/metals';
import { problem, unprocessable } from '@svc/platform';
import type { z } from 'zod';
import { AgentEvidence } from '../evidence/agent-evidence.js';
import { type AnsweredPiece, answerOf, RING_DOES_NOT_PROVE } from './bullion-answer.js';
import { BullionCatalogue } from './bullion-catalogue.js';
import { type HeardRing, RingListener } from './heard-ring.js';
import { SpotQuotes } from './spot-quote.js';

type PieceCall = Exclude<RingTestCall, { productId: string }>;

/** Everything that a verdict is made of. */
interface PreparedTest {
  readonly request: RingTestCall;
  readonly piece: AnsweredPiece;
  readonly test: RingTest;
  readonly heard: HeardRing;
  readonly judgement: Judgement;
}

/** Whether a piece rings, weighs and measures as what it is said to be, and what its metal is worth. */
@Injectable()
export class BullionService {
  constructor(
    private readonly catalogue: BullionCatalogue,
    private readonly listener: RingListener,
    private readonly quotes: SpotQuotes,
    private readonly evidence: AgentEvidence,
  ) {}

  /** @throws ProblemError UNPROCESSABLE for what no verdict can be given of, and says why */
  async admit(body: unknown, wav: Uint8Array | undefined): Promise<void> {
    const { request, test, judgement } = await this.prepare(body, wav);
    if (judgement.verdict === 'INCONCLUSIVE' && !canPass(test)) throw needsEnrolment(request, judgement);
  }

  /** @throws what {@link admit} does, and what evidence and spot prices do */
  async verify(body: unknown, wav: Uint8Array | undefined): Promise<VerifyBullionResult> {
    const { request, piece, test, heard, judgement } = await this.prepare(body, wav);
    const quote = await this.quotes.quote({ ...piece, massG: request.massG }, Date.now());
    const answer = answerOf(request, piece, test, judgement, { heard, quote });
    await this.listener.settle(request, heard);
    const { recorded } = heard;
    return this.evidence.with(answer, {
      operationId: bullionRoutes.verify.operationId,
      request: { ...request, ...(recorded && { recordingSha256: recorded.sha256 }) },
      doesNotProve: RING_DOES_NOT_PROVE,
      rulesetId: RING_RULESET_ID,
      rules: verdictRules(test, judgement),
    });
  }

  private async prepare(body: unknown, wav: Uint8Array | undefined): Promise<PreparedTest> {
    const request = parsedRequest(RingTestCall, body);
    const referenced = 'productId' in request ? await this.catalogue.get(request.productId) : undefined;
    const described = referenced ? undefined : describedPiece(request as PieceCall);
    const heard = await this.listener.listen(request, wav);
    const measurement = measurementOf(request, heard);
    const test = referenced
      ? productTest(referenced.product, measurement, referenced.reference)
      : pieceTest(described as MeasuredPiece, measurement);
    const piece = referenced ? answeredProduct(referenced.product) : answeredPiece(request as PieceCall);
    return { request, piece, test, heard, judgement: judged(test) };
  }
}

/** No reading of such a piece could make it pass, and these do not make it fail. */
function needsEnrolment(request: RingTestCall, { fakes }: Judgement) {
  const [path, got] =
    'productId' in request
      ? ['productId', request.productId]
      : ['metal', `${request.metal} ${request.shape}`];
  const alike = fakes.flatMap(({ metal, fits }) => (fits ? [metal] : []));
  const would = alike.length > 0 ? `: ${alike.join(', ')} would read alike` : '';
  const message = `needs enrolment: theory alone tells it from no likely fake${would}; a genuine piece must be enrolled before others can pass`;
  return unprocessable(path, message, { got, extensions: { needsEnrolment: true } });
}

/** @throws ProblemError UNPROCESSABLE for measures that no theory covers */
function describedPiece(request: PieceCall): MeasuredPiece {
  const { metal, fineness, shape, massG, diameterMm, lengthMm, widthMm, thicknessMm } = request;
  const material = refusing(() => materialOf(metal, fineness));
  if (shape === 'disc') {
    if (diameterMm === undefined) throw unprocessable('diameterMm', 'is needed for a disc');
    return { shape, massG, material, diameterMm };
  }
  if (lengthMm === undefined || widthMm === undefined) {
    throw unprocessable(lengthMm === undefined ? 'lengthMm' : 'widthMm', 'is needed for a bar');
  }
  const piece: MeasuredPiece = { shape, massG, material, lengthMm, widthMm };
  refusing(() => pieceTest(piece, { peaks: [], thicknessMm }));
  return piece;
}

function measurementOf(request: RingTestCall, { peaks, recorded }: HeardRing): ProductMeasurement {
  const { massG, diameterMm, thicknessMm, submergedMassG, scaleAccuracyG, magnetSlide } = request;
  const { conductivityMSm, conductivityPercentIacs: iacs } = request;
  return {
    ...{ peaks, massG, diameterMm, thicknessMm, submergedMassG, scaleAccuracyG, magnetSlide },
    conductivityMSm: iacs === undefined ? conductivityMSm : (iacs / 100) * IACS_MSM,
    quality: recorded?.quality,
  };
}

const judged = (test: RingTest): Judgement => refusing(() => judgeRing(test));

/** What the engine says of impossible measures, as a problem of the field. */
function refusing<Value>(work: () => Value): Value {
  try {
    return work();
  } catch (error) {
    if (error instanceof FinenessError) {
      throw unprocessable(error.field, error.message, { bound: `≥ ${error.min}`, got: String(error.got) });
    }
    if (error instanceof BarShapeError || error instanceof SubmergedMassError) {
      throw unprocessable(error.field, error.message, { bound: `< ${error.max}`, got: String(error.got) });
    }
    throw error;
  }
}

const answeredProduct = ({ productId, name, metal, fineness, massG }: AnsweredPiece): AnsweredPiece => ({
  ...(productId === undefined ? {} : { productId }),
  ...{ name, metal, fineness, massG },
});

const answeredPiece = ({ metal, fineness, shape }: PieceCall): AnsweredPiece => ({
  ...{ name: `${shape} of ${metal} .${Math.round(fineness * 1_000)}`, metal, fineness, massG: null },
});

/** A request of the bus as its schema reads it, defaults filled in. @throws ProblemError VALIDATION_FAILED */
export function parsedRequest<Schema extends z.ZodType>(schema: Schema, body: unknown): z.output<Schema> {
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  const errors = parsed.error.issues.map(({ path, message }) => ({ path: path.join('.'), message }));
  throw problem('VALIDATION_FAILED', 'The request is not as its schema has it', { errors });
}
