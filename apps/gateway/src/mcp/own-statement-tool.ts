import { Injectable } from '@nestjs/common';
import {
  inputSchemaOf,
  outputSchemaOf,
  OwnStatementArguments,
  PublicInputs,
  starkProveContract,
  StarkProveM31Request,
  StarkProveRequest,
  StarkProveResult,
  starkRoutes,
} from '@svc/contracts';
import { admitBy, jobOfClaim, paidCallOf, PaymentDesk } from '@svc/edge';
import { problem } from '@svc/platform';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { ProofCallService } from '../prove/proof-call.service.js';
import { isRecord } from './json-rpc.js';
import type { McpTool } from './mcp-tool.js';
import { listedTool } from './tool-listing.js';

const NAME = 'prove_own_statement';
const DESCRIPTION =
  'Proves a statement of yours: a definition (air/1: svc://docs/own-statements) and a trace under it, hidden by default. POST /v1/zk/airs/check tells beforehand, for nothing, what it costs and where a trace breaks.';

/** Where proofs over each field are sold. */
const SOLD = {
  goldilocks: {
    route: starkRoutes.proveGoldilocks,
    body: StarkProveRequest,
    admit: admitBy(starkProveContract.admitGoldilocks),
    procedure: starkProveContract.proveGoldilocks,
  },
  m31: {
    route: starkRoutes.proveM31,
    body: StarkProveM31Request,
    admit: admitBy(starkProveContract.admitM31),
    procedure: starkProveContract.proveM31,
  },
} as const;

/** What a model is told of, of what an answer has; `definition` and `public` stand for members that the resource of the proof has too. */
const Shown = StarkProveResult.pick({
  ...{ verified: true, securityLevelBits: true, conjecturedSecurityBits: true, parameterSet: true },
  ...{ zeroKnowledge: true, traceLength: true, proofBytes: true, units: true, doesNotProve: true },
}).extend({
  definition: z.string().optional().meta({ description: 'The id of the definition' }),
  public: PublicInputs.optional().meta({
    description: 'What the proof shows: `rows`, and the public inputs',
  }),
});
const KEPT = [
  'verified',
  'securityLevelBits',
  'parameterSet',
  'traceLength',
  'zeroKnowledge',
  'doesNotProve',
];

/** The field of the definition that arguments bring; one that cannot be told is refused by the route over Goldilocks. */
function fieldOf(input: unknown): keyof typeof SOLD {
  const { air } = isRecord(input) ? input : {};
  const isM31 = isRecord(air)
    ? air.field === 'm31'
    : typeof air === 'string' && /"field"\s*:\s*"m31"/.test(air);
  return isM31 ? 'm31' : 'goldilocks';
}

/** A statement of the caller's as a tool: sold as the two routes that prove sell it, whichever the definition's field wants. */
@Injectable()
export class OwnStatementTool implements McpTool {
  readonly path = SOLD.goldilocks.route.path;
  readonly needs = ['payments', 'prover'] as const;
  readonly kept = KEPT;
  readonly listed = listedTool({
    ...{ name: NAME, path: this.path, description: DESCRIPTION },
    operationId: SOLD.goldilocks.route.operationId,
    inputSchema: inputSchemaOf(OwnStatementArguments),
    // Whatever else an answer has may be left out of the one that fits.
    outputSchema: { ...outputSchemaOf(Shown), required: KEPT },
  });

  constructor(
    private readonly desk: PaymentDesk,
    private readonly proofs: ProofCallService,
  ) {}

  pathOf(input: unknown): string {
    return SOLD[fieldOf(input)].route.path;
  }

  /** Proof and definition are left to the resource: the one is long, and the other came with the call. */
  arranged({ proof: _proof, air: _air, airId, publicInputs, ...rest }: Record<string, unknown>) {
    return { definition: airId, public: publicInputs, ...rest };
  }

  answer: McpTool['answer'] = (input, request, reply, { signal }) => {
    reply.header('cache-control', 'no-store');
    const { route, body, admit } = SOLD[fieldOf(input)];
    const { operationId } = route;
    const isEmpty = !isRecord(input) || Object.keys(input).length === 0;
    if (!isEmpty && 'statement' in input) {
      const message = 'is no argument: the statement is your own';
      throw problem('VALIDATION_FAILED', `statement ${message}`, {
        errors: [{ path: 'statement', message, got: JSON.stringify(input.statement).slice(0, 80) }],
      });
    }
    request.body = isEmpty ? (input ?? {}) : { ...input, statement: 'own' };
    const operation = { operationId, body, admit, workOfClaim: jobOfClaim, mayBeUncharged: true };
    const run = () => this.prove(fieldOf(input), request);
    return this.desk.answer({ operation, request, reply, status: 200, signal, run });
  };

  private prove(field: keyof typeof SOLD, request: FastifyRequest): Promise<object> {
    const { route, procedure } = SOLD[field];
    const paid = paidCallOf(request);
    const { operationId } = route as typeof SOLD.goldilocks.route;
    const order = { operationId, request: request.body as StarkProveRequest };
    return this.proofs.answer(order, undefined, paid, async () => {
      const made = await this.proofs.prove(procedure as typeof SOLD.goldilocks.procedure, paid, call => ({
        ...{ request: order.request },
        ...call,
      }));
      return { ...made, proof: Buffer.from(made.proof).toString('base64') };
    });
  }
}
