import type { ToolName } from '@svc/contracts';
import type {
  EndContext,
  JsonObject,
  LocalStep,
  RemoteStep,
  SagaDefinition,
  SagaStep,
  StepContext,
} from '@svc/durability';
import type { EntityManager } from 'typeorm';
import type { TicketHolds } from '../ticket/ticket-holds.js';

/**
 * Tries of a step, with the waits between them some ten seconds: a service that is rolled is back by then, and the caller
 * still waits. Tries of its way back, some five minutes: after that somebody has to look.
 */
const RUN_ATTEMPTS_MAX = 8;
const UNDO_ATTEMPTS_MAX = 40;

/** What a tool's saga has of its own, between the hold of the price and its capture. */
export interface ToolSteps {
  readonly tool: ToolName;
  /** The second step: what the tool does. */
  readonly work: SagaStep<EntityManager>;
  /** The third: the proof of it. */
  readonly prove: RemoteStep;
  /** Before the first and the last step have any effect. @throws StepFailed */
  readonly beforeMoney?: (context: StepContext, stepNumber: 1 | 4) => void;
  /** With the capture, in its transaction: what more settles the sale. What of it is logged. */
  readonly settled?: (tx: EntityManager, context: StepContext) => Promise<JsonObject>;
  /** When everything is taken back, in the transaction of its end; also where the second step never came. */
  readonly takenBack?: (tx: EntityManager, sagaId: string) => Promise<void>;
  /** Root of the STARK that was issued. */
  readonly starkRootOf: (committed: EndContext['committed']) => string | undefined;
}

/**
 * The saga of a tool: reserve, work, prove, settle. The price lies with the ticket before the first step, is held for the
 * saga until the last, and then it is the house's; where the saga is taken back, it is its payer's again.
 */
export function fourStepSaga(holds: TicketHolds, steps: ToolSteps): SagaDefinition<EntityManager> {
  const { tool, work, prove, starkRootOf, takenBack } = steps;
  return {
    name: tool,
    version: 1,
    runAttemptsMax: RUN_ATTEMPTS_MAX,
    undoAttemptsMax: UNDO_ATTEMPTS_MAX,
    steps: [reserveStep(holds, steps), work, prove, settleStep(holds, steps)],
    committed: async (_tx, { begun, committed }) => {
      const starkRoot = starkRootOf(committed);
      return { ...saleOf(begun), ...(starkRoot === undefined ? {} : { starkRoot }) };
    },
    aborted: async (tx, { sagaId, begun }) => {
      await takenBack?.(tx, sagaId);
      await holds.release(tx, sagaId);
      return saleOf(begun);
    },
  };
}

/** What the end of a log says of the sale, so that telemetry needs no other record. */
const saleOf = ({ amountMicroUsd, rail, tool }: JsonObject): JsonObject => ({ amountMicroUsd, rail, tool });

function reserveStep(holds: TicketHolds, { beforeMoney }: ToolSteps): LocalStep<EntityManager> {
  return {
    name: 'reserve',
    kind: 'local',
    run: async (tx, context) => {
      beforeMoney?.(context, 1);
      await holds.reserve(tx, context.sagaId);
      return { logged: {} };
    },
    undo: async (tx, { sagaId }) => {
      await holds.release(tx, sagaId);
      return { logged: {} };
    },
  };
}

function settleStep(
  holds: TicketHolds,
  { beforeMoney, settled, takenBack }: ToolSteps,
): LocalStep<EntityManager> {
  return {
    name: 'settle',
    kind: 'local',
    run: async (tx, context) => {
      beforeMoney?.(context, 4);
      const more = await settled?.(tx, context);
      const transactionId = await holds.capture(tx, context.sagaId);
      return { logged: { ...more, ...(transactionId === undefined ? {} : { transactionId }) } };
    },
    undo: async (tx, { sagaId }) => {
      await takenBack?.(tx, sagaId);
      await holds.uncapture(tx, sagaId);
      return { logged: {} };
    },
  };
}
