import { Controller } from '@nestjs/common';
import { type ParsedRequestOf, type ReplyOf, TOOLS, type ToolName, x402Contract } from '@svc/contracts';
import { type CallerTurn, currentTurn, Handle, parseOrProblem, problem } from '@svc/platform';

type Verify = ParsedRequestOf<typeof x402Contract.verifyPayment>;
type Execute = ParsedRequestOf<typeof x402Contract.execute>;
type ToolQuestion = ParsedRequestOf<typeof x402Contract.toolOf>;
type Telemetry = ReplyOf<typeof x402Contract.telemetry>;

/** What the x402 surface of the payments service does to one request after another. */
export interface X402Script {
  /** Problems that the next sales and executions are refused with. */
  faults: Error[];
  /** What an execution that is not refused answers. */
  outcome: ReplyOf<typeof x402Contract.execute>;
  /** Answers a question for the telemetry. */
  telemetry: (asked: ParsedRequestOf<typeof x402Contract.telemetry>) => Promise<Telemetry>;
  readonly questions: ToolQuestion[];
  readonly verified: Verify[];
  readonly executed: Execute[];
  readonly admitted: unknown[];
  readonly sagas: unknown[];
  /** For whom admissions, sales and executions were asked for. */
  readonly turns: (CallerTurn | undefined)[];
}

export const SAGA_ID = '0b9cfc0e-9d5f-4f7e-8b63-2f1d8c1f6e10';
export const TICKET = `tkt_${'A'.repeat(43)}`;
export const RECEIPT: ReplyOf<typeof x402Contract.verifyPayment>['receipt'] = {
  rail: 'x402',
  reference: 'paid',
  amountMicroUsd: 5_000,
  amountSats: 10,
  timestamp: '2026-04-02T00:00:00.000Z',
  headers: { 'Payment-Receipt': 'receipt-under-test', 'PAYMENT-RESPONSE': 'settled-under-test' },
};
export const TELEMETRY: Telemetry['telemetry'] = {
  transactionsExecuted: 1,
  treasuryClearedUsd: '0.005',
  starkRoots: { count: 1 },
  sagas: { COMPLETED: 1 },
  rails: { l402: { payments: 1, amountUsd: '0.005' } },
  since: '2026-04-02T00:00:00.000Z',
  measuredAt: '2026-04-02T00:00:01.000Z',
};

const SAGA: ReplyOf<typeof x402Contract.saga> = {
  ...{ sagaId: SAGA_ID, sagaName: 'm2m_license_contract', tool: 'm2m_license_contract' },
  ...{ status: 'COMPLETED', walHash: `0x${'00'.repeat(32)}`, walCount: 0, walEvents: [] },
};

/** The tool that the value of a credential names here: `tool=NAME`, as the rails read it from theirs. */
const toolIn = (text?: string) => /tool=(\w+)/.exec(text ?? '')?.[1] as ToolName | undefined;

/** Sells tickets to everybody and runs every tool, but for the faults of its script. */
export function scriptedX402() {
  const script: X402Script = {
    faults: [],
    outcome: {
      ...{ status: 200, receipt: RECEIPT },
      result: { sagaId: SAGA_ID, status: 'COMPLETED', contractId: 'c1' },
    },
    telemetry: async () => ({ version: 'v1', telemetry: TELEMETRY }),
    ...{ questions: [], verified: [], executed: [], admitted: [], sagas: [], turns: [] },
  };
  @Controller()
  class X402UnderTest {
    @Handle(x402Contract.toolOf)
    toolOf(asked: ToolQuestion): { tool: ToolName } {
      script.questions.push(asked);
      const named = [toolIn(asked.challengeToken), toolIn(asked.credential?.value), asked.tool];
      const tools = new Set(named.filter(name => name !== undefined));
      if (tools.size > 1) throw problem('VALIDATION_FAILED', `Two tools: ${[...tools].join(', ')}`);
      const [tool = 'm2m_license_contract'] = tools;
      return { tool };
    }

    @Handle(x402Contract.admitExecution)
    admit({ tool, input }: ParsedRequestOf<typeof x402Contract.admitExecution>) {
      parseOrProblem(TOOLS[tool].input, input);
      void (script.admitted.push(input), script.turns.push(currentTurn()));
      return {};
    }

    @Handle(x402Contract.verifyPayment)
    verify(request: Verify): ReplyOf<typeof x402Contract.verifyPayment> {
      script.verified.push(request);
      script.turns.push(currentTurn());
      const fault = script.faults.shift();
      if (fault) throw fault;
      const result = {
        ...{ status: 'PAYMENT_CLEARED' as const, ticket: TICKET, tool: request.tool, rail: 'x402' },
        ...{ amountMicroUsd: 5_000, expiresAt: '2026-04-02T00:15:00.000Z', receipt: 'receipt-under-test' },
      };
      return {
        ...{ result, text: JSON.stringify(result), receipt: RECEIPT },
        credit: { key: 'svc_test_left', balanceMicroUsd: 495_000 },
      };
    }

    @Handle(x402Contract.execute)
    execute(request: Execute) {
      script.executed.push(request);
      script.turns.push(currentTurn());
      const fault = script.faults.shift();
      if (fault) throw fault;
      return script.outcome;
    }

    @Handle(x402Contract.saga)
    saga(request: ParsedRequestOf<typeof x402Contract.saga>) {
      script.sagas.push(request);
      if (request.ticket === undefined && request.accountKey === undefined) {
        throw problem('UNKNOWN_CREDENTIAL', 'Whose saga is it?');
      }
      return SAGA;
    }

    @Handle(x402Contract.telemetry)
    telemetry(asked: ParsedRequestOf<typeof x402Contract.telemetry>) {
      return script.telemetry(asked);
    }
  }
  return { script, controllers: [X402UnderTest] };
}
