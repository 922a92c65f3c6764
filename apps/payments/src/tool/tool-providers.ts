import type { Provider } from '@nestjs/common';
import { TOOL_NAMES, TOOL_RUNNERS, toolCallContract } from '@svc/contracts';
import { BusClient } from '@svc/platform';
import { TOOL_SAGAS, type ToolSaga } from '../execute/tool-saga.js';
import { WAL_EVIDENCE, type WalEvidence } from '../execute/wal-evidence.js';
import { M2mAnswers } from '../m2m/m2m-answers.js';
import { M2mLicenseSaga } from '../m2m/m2m-license.saga.js';
import { TicketHolds } from '../ticket/ticket-holds.js';
import { AnswerEvidence } from './answer-evidence.js';
import { OwnTools } from './own-tools.js';
import { ToolCallSaga } from './tool-call.saga.js';
import { BusToolRunner } from './tool-runner.js';
import { ToolNatsController } from './tool.nats.controller.js';

export const TOOL_CONTROLLERS = [ToolNatsController];

/** The sagas of the tools. The book of contracts comes with the licences, which are checked against it. */
export const TOOL_PROVIDERS: readonly Provider[] = [
  AnswerEvidence,
  OwnTools,
  M2mAnswers,
  M2mLicenseSaga,
  {
    provide: TOOL_SAGAS,
    inject: [
      ...[M2mLicenseSaga, OwnTools, BusClient, TicketHolds, AnswerEvidence],
      { token: WAL_EVIDENCE, optional: true },
    ],
    useFactory: sagasOf,
  },
];

function sagasOf(
  m2m: M2mLicenseSaga,
  own: OwnTools,
  bus: BusClient,
  holds: TicketHolds,
  evidence: AnswerEvidence,
  wal?: WalEvidence,
): readonly ToolSaga[] {
  return TOOL_NAMES.map(tool => {
    if (tool === m2m.tool) return m2m;
    const where = TOOL_RUNNERS[tool];
    const runner = where === 'payments' ? own : new BusToolRunner(bus, toolCallContract[where]);
    return new ToolCallSaga(tool, runner, holds, evidence, wal);
  });
}
