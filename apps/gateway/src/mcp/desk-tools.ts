import { Injectable } from '@nestjs/common';
import {
  accountContract,
  bullionContract,
  BullionMetal,
  BullionProduct,
  bullionRoutes,
  cardsContract,
  cardsRoutes,
  CardValuationResult,
  certificatesContract,
  certificatesRoutes,
  CoiVerifyResult,
  inputSchemaOf,
  outputSchemaOf,
  ProductId,
  RequirementSet,
  RequirementSetId,
  type Route,
  type ToolSchema,
  UploadId,
  uploadsContract,
  VerifyBullionResult,
  VerifyUploadedBullion,
  VerifyUploadedCertificate,
} from '@svc/contracts';
import { accountKeyOf, BurstLimits, PaymentDesk, runUnpaid } from '@svc/edge';
import { BusClient, parseOrProblem, problem, ProblemError, unprocessable } from '@svc/platform';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import {
  type AgentCall,
  operationOf,
  VALUE_CARD,
  VERIFY_BULLION,
  VERIFY_CERTIFICATE,
} from '../agents/agent-calls.js';
import { isRecord } from './json-rpc.js';
import type { McpTool } from './mcp-tool.js';
import { listedTool } from './tool-listing.js';

type Json = Record<string, unknown>;

/** A paid agent as a tool. */
interface SoldAgent {
  readonly call: AgentCall;
  readonly output: z.ZodType;
  /** What a model is told first: whatever else an answer has is cut or left out before these. */
  readonly kept: readonly string[];
  readonly arranged?: McpTool['arranged'];
  /** The member that has its file, and the body in which a digest stands for that. */
  readonly file?: { readonly member: string; readonly body: z.ZodType };
}

type Rule = CoiVerifyResult['rules'][number];
const OUTCOMES: readonly Rule['outcome'][] = ['fail', 'not_determinable', 'warn', 'pass'];
const byOutcome = (left: Rule, right: Rule): number =>
  OUTCOMES.indexOf(left.outcome) - OUTCOMES.indexOf(right.outcome);

/** A list that costs nothing: in short, or one of it whole. */
interface FreeList {
  readonly route: Route;
  readonly description: string;
  readonly input: z.ZodObject;
  readonly output: z.ZodObject;
  answer(bus: BusClient, input: Json, request: FastifyRequest): Promise<Json>;
}

const UPLOAD = inputSchemaOf(z.object({ uploadId: UploadId })).properties.uploadId;
const FILE_DIGEST = 'fileSha256';

const SOLD: Readonly<Record<string, SoldAgent>> = {
  verify_bullion: {
    call: VERIFY_BULLION,
    output: VerifyBullionResult,
    kept: [
      'verdict',
      'reasons',
      'product',
      'massCheck',
      'evidenceLevel',
      'fineMassG',
      'meltValue',
      'charged',
    ],
    file: { member: 'recordingBase64', body: VerifyUploadedBullion },
  },
  value_card: {
    call: VALUE_CARD,
    output: CardValuationResult,
    kept: ['card', 'company', 'grade', 'medianUsd', 'ci95', 'n', 'confidence', 'asOf', 'market', 'charged'],
  },
  verify_certificate: {
    call: VERIFY_CERTIFICATE,
    output: CoiVerifyResult,
    kept: ['auditId', 'compliant', 'rules', 'variant', 'insured', 'expiresAt', 'asOf', 'charged'],
    file: { member: 'pdfBase64', body: VerifyUploadedCertificate },
    // Why it does not hold, before what holds.
    arranged: ({ rules, ...answer }) => ({ ...answer, rules: (rules as Rule[]).toSorted(byOutcome) }),
  },
};

const FREE: Readonly<Record<string, FreeList>> = {
  search_cards: {
    route: cardsRoutes.search,
    description: 'Cards of the catalogue by free text, the best matches first, with the cardKey of each.',
    input: cardsRoutes.search.query,
    output: cardsRoutes.search.replies[200].schema,
    answer: async (bus, input) => ({ ...(await bus.call(cardsContract.search, input as { q: string })) }),
  },
  list_bullion_products: {
    route: bullionRoutes.products,
    description: 'Coins and bars that verify_bullion knows, by id; with productId one of them whole.',
    input: z.strictObject({ metal: BullionMetal.optional(), productId: ProductId.optional() }),
    output: z.object({ productIds: z.array(ProductId), product: BullionProduct.optional() }),
    async answer(bus, { metal, productId }) {
      const { items } = await bus.call(bullionContract.products, {});
      const listed = metal === undefined ? items : items.filter(each => each.metal === metal);
      if (productId === undefined) return { productIds: listed.map(each => each.productId) };
      const product = listed.find(each => each.productId === productId);
      if (!product) throw unprocessable('productId', 'is not known', { got: String(productId) });
      return { productIds: [product.productId], product };
    },
  },
  list_requirement_sets: {
    route: certificatesRoutes.requirementSets,
    description:
      'Requirement sets for verify_certificate in short: those built in, and with a key your own; with requirementSetId one of them whole.',
    input: z.strictObject({ requirementSetId: RequirementSetId.optional() }),
    output: z.object({
      items: z.array(
        RequirementSet.pick({ requirementSetId: true, builtIn: true }).extend({
          name: z.string().optional(),
        }),
      ),
      requirementSet: RequirementSet.optional(),
    }),
    async answer(bus, { requirementSetId }, request) {
      const accountKey = accountKeyOf(request.raw);
      const by =
        accountKey === undefined ? undefined : await bus.call(accountContract.authenticate, { accountKey });
      const { items } = await bus.call(certificatesContract.requirementSets, { ...(by && { by }) });
      const short = ({ requirementSetId: id, builtIn, requirements: { name } }: RequirementSet) => ({
        ...{ requirementSetId: id, builtIn },
        ...(name !== undefined && { name }),
      });
      if (requirementSetId === undefined) return { items: items.map(short) };
      const requirementSet = items.find(each => each.requirementSetId === requirementSetId);
      if (!requirementSet)
        throw unprocessable('requirementSetId', 'is not known', { got: String(requirementSetId) });
      return { items: [short(requirementSet)], requirementSet };
    },
  },
};

/** Tools that MCP has beside those of the catalogue: coins, cards and certificates, which HTTP has at routes of their own. */
@Injectable()
export class DeskTools {
  readonly tools: readonly McpTool[] = [
    ...Object.entries(SOLD).map(([name, agent]) => this.sold(name, agent)),
    ...Object.entries(FREE).map(([name, list]) => this.free(name, list)),
  ];

  constructor(
    private readonly bus: BusClient,
    private readonly desk: PaymentDesk,
    private readonly bursts: BurstLimits,
  ) {}

  private sold(name: string, agent: SoldAgent): McpTool {
    const { route, operation } = agent.call;
    const { operationId, path, summary, description } = route;
    return {
      path,
      needs: ['payments', 'prover', 'department'],
      ...{ kept: agent.kept, first: agent.kept },
      ...(agent.arranged && { arranged: agent.arranged }),
      listed: listedTool({
        ...{ name, path, operationId, description: `${summary}. ${description}` },
        inputSchema: withUpload(inputSchemaOf(operation.body), agent),
        // Whatever else an answer has may be left out of the one that fits.
        outputSchema: { ...outputSchemaOf(agent.output), required: [...agent.kept] },
      }),
      answer: async (input, request, reply, { signal }) => {
        reply.header('cache-control', 'no-store');
        const { call, uploadId } = await this.withDigest(agent, input, request);
        return this.desk.answer({
          ...{ operation: operationOf(call, uploadId), request, reply, status: 200, signal },
          run: () => call.run(this.bus, { body: request.body as object, uploadId }, request),
        });
      },
    };
  }

  /**
   * Sets the body of the request: of an upload, its digest is what is bound to the payment, so that the same file in another upload is
   * the same call.
   */
  private async withDigest({ call, file }: SoldAgent, input: unknown, request: FastifyRequest) {
    request.body = input ?? {};
    if (!file || !isRecord(input) || input.uploadId === undefined) return { call };
    const { uploadId: given, ...body } = input;
    const { uploadId } = parseOrProblem(z.object({ uploadId: UploadId }), { uploadId: given });
    for (const name of [file.member, FILE_DIGEST]) {
      if (!(name in body)) continue;
      const message = 'must not stand beside uploadId';
      throw problem('VALIDATION_FAILED', `${name}: ${message}`, { errors: [{ path: name, message }] });
    }
    const { sha256 } = await this.bus.call(uploadsContract.find, { uploadId });
    request.body = { ...body, [FILE_DIGEST]: sha256 };
    const ofUpload: AgentCall = {
      ...call,
      operation: { ...call.operation, body: file.body },
      admit: (...asked) => call.admit(...asked).catch(naming(file.member)),
      run: (...asked) => call.run(...asked).catch(naming(file.member)),
    };
    return { uploadId, call: ofUpload };
  }

  private free(name: string, { route, description, input, output, answer }: FreeList): McpTool {
    const { path } = route;
    return {
      path,
      needs: ['department'],
      kept: [],
      listed: listedTool({
        ...{
          name,
          path,
          description,
          inputSchema: inputSchemaOf(input),
          outputSchema: outputSchemaOf(output),
        },
      }),
      answer: async (asked, request, reply) => {
        reply.header('cache-control', 'no-store');
        const parsed = parseOrProblem(input, asked ?? {});
        const run = () => answer(this.bus, parsed, request);
        return Buffer.from(JSON.stringify(await runUnpaid(this.bursts, request, run)));
      },
    };
  }
}

/** Names what the caller has sent: an upload, in the place of the member that the desk speaks of. */
const naming =
  (member: string) =>
  (error: unknown): never => {
    if (!(error instanceof ProblemError)) throw error;
    const { payload } = error;
    const named = (text: string) =>
      text.startsWith(`${member}:`) ? `uploadId${text.slice(member.length)}` : text;
    throw new ProblemError(
      {
        ...payload,
        ...(payload.detail !== undefined && { detail: named(payload.detail) }),
        ...(payload.errors && {
          errors: payload.errors.map(each => (each.path === member ? { ...each, path: 'uploadId' } : each)),
        }),
      },
      { cause: error },
    );
  };

/** The file of a call may be an upload. */
function withUpload(schema: ToolSchema, { file }: SoldAgent): ToolSchema {
  if (!file) return schema;
  const description = `Of POST /v1/uploads, in the place of ${file.member} where that is too long for a message of 1 MiB`;
  return { ...schema, properties: { ...schema.properties, uploadId: { ...UPLOAD, description } } };
}
