import { shownToolInput, type ToolName, type ToolReply, TOOLS } from '@svc/contracts';
import {
  type JsonObject,
  type RemoteStep,
  type SagaDefinition,
  StepFailed,
  type StepOutcome,
  type StoredSaga,
} from '@svc/durability';
import { parseOrProblem } from '@svc/platform';
import type { EntityManager } from 'typeorm';
import type { SagaSeed, ToolSaga } from '../execute/tool-saga.js';
import type { WalEvidence } from '../execute/wal-evidence.js';
import type { TicketHolds } from '../ticket/ticket-holds.js';
import type { AnswerEvidence } from './answer-evidence.js';
import { fourStepSaga } from './four-step-saga.js';
import { stepFaultOf } from './remote-effect.js';
import { failureProblem, keptOf } from './saga-failure.js';
import type { KeyedToolCall, ToolRunner } from './tool-runner.js';

type Begin = Parameters<ToolSaga['begin']>[1];
type KeptCall = Pick<KeyedToolCall, 'receipt' | 'accountId' | 'baseUrl'>;

const PROOF_DOES_NOT_PROVE =
  'That the inputs are true: the proof that the answer names shows what was computed from them, and says so itself.';
const ANSWER_DOES_NOT_PROVE =
  'That what the answer says is right: only that it was given then, and is unchanged.';

/**
 * How a tool runs as a saga whose work is done elsewhere, or by a service of this one: hold the price, run it, have the
 * evidence of its answer made, settle. The answer is kept sealed, and is told when it is paid for.
 */
export class ToolCallSaga implements ToolSaga {
  readonly definition: SagaDefinition<EntityManager>;

  constructor(
    readonly tool: ToolName,
    private readonly runner: ToolRunner,
    holds: TicketHolds,
    private readonly evidence: AnswerEvidence,
    private readonly wal?: Pick<WalEvidence, 'newestCheckpoint'>,
  ) {
    this.definition = fourStepSaga(holds, {
      tool,
      work: this.runStep(),
      prove: this.proveStep(),
      starkRootOf: ({ prove }) => prove.starkRoot as string,
    });
  }

  async admit(input: unknown): Promise<void> {
    await this.runner.admit(this.tool, this.read(input));
  }

  async begin(_tx: EntityManager, { input, ticket, baseUrl }: Begin): Promise<SagaSeed> {
    const asked = this.read(input);
    const receipt = ticket.receipt.headers['Payment-Receipt'] ?? '';
    const { accountId } = ticket;
    const call = {
      receipt,
      ...(accountId === undefined ? {} : { accountId }),
      ...(baseUrl === undefined ? {} : { baseUrl }),
    };
    return { input: asked, logged: {}, kept: { input: asked, call } };
  }

  /** @throws ProblemError that of the tool that refused, or SERVICE_UNAVAILABLE; EXPIRED */
  async answer(saga: StoredSaga): Promise<JsonObject> {
    const kept = keptOf(saga);
    if (saga.state !== 'COMPLETED') throw failureProblem(saga);
    const { reply, checkpoint, auditProof } = kept as {
      reply: JsonObject;
      checkpoint?: JsonObject;
      auditProof: JsonObject;
    };
    const answer = answerOf(saga.sagaId, reply, checkpoint);
    // Where the tool makes no STARK of its own, the newest root is that of its evidence.
    return { ...answer, starkRoot: answer.starkRoot ?? auditProof.root, auditProof };
  }

  private runStep(): RemoteStep {
    return {
      name: 'run',
      kind: 'remote',
      run: async ({ idemKey, kept, signal }) => {
        const { input, call } = kept as { input: JsonObject; call: KeptCall };
        const reply = await this.runner.call({ tool: this.tool, input, idemKey, ...call }, signal);
        return this.outcomeOf(reply);
      },
      ask: async ({ idemKey, signal }) => {
        const reply = await this.runner.outcome(idemKey, signal);
        return reply && this.outcomeOf(reply);
      },
      undo: async ({ forwardIdemKey, signal }) => ({
        logged: { was: await this.runner.revoke(forwardIdemKey, this.tool, signal) },
      }),
    };
  }

  /** Evidence has no effect: it is made anew where it was lost, and there is nothing to take back. */
  private proveStep(): RemoteStep {
    return {
      name: 'prove',
      kind: 'remote',
      run: async ({ sagaId, kept, signal }) => {
        const { input, reply } = kept as { input: JsonObject; reply: JsonObject };
        const isProof = reply.proofId !== undefined;
        const claim = {
          request: shownToolInput(this.tool, input) as JsonObject,
          proves: isProof ? ('computation' as const) : ('commitment' as const),
          doesNotProve: isProof ? PROOF_DOES_NOT_PROVE : ANSWER_DOES_NOT_PROVE,
        };
        // In what is attested, so that the evidence speaks of the whole answer.
        const checkpoint = this.wal?.newestCheckpoint() as JsonObject | undefined;
        const answer = answerOf(sagaId, reply, checkpoint);
        const auditProof = await this.evidence.attest(answer, claim, signal).catch(error => {
          throw stepFaultOf(error);
        });
        const starkRoot = reply.starkRoot ?? auditProof.root;
        return {
          logged: { starkRoot, proofId: auditProof.proofId },
          kept: { auditProof: auditProof as unknown as JsonObject, ...(checkpoint && { checkpoint }) },
        };
      },
      ask: async () => undefined,
      undo: async () => ({ logged: {} }),
    };
  }

  private outcomeOf({ output, ...evidence }: ToolReply): StepOutcome {
    const parsed = TOOLS[this.tool].output.safeParse(output);
    if (!parsed.success)
      throw new StepFailed('INTERNAL', 'The tool gave no answer that its catalogue allows', true);
    const { proofId, starkRoot } = evidence;
    const named = { ...(proofId && { proofId }), ...(starkRoot && { starkRoot }) };
    return { logged: named, kept: { reply: { output: parsed.data as JsonObject, ...evidence } } };
  }

  private read(input: unknown): JsonObject {
    return parseOrProblem(TOOLS[this.tool].input, input) as JsonObject;
  }
}

/** The outputs of the catalogue, and what the saga says of them; `opening` is for the payer alone. */
function answerOf(sagaId: string, { output, ...evidence }: JsonObject, checkpoint?: JsonObject): JsonObject {
  const said = { sagaId, status: 'COMPLETED', ...(checkpoint && { checkpoint }) };
  return { ...(output as JsonObject), ...said, ...evidence };
}
