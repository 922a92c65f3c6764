import { Controller } from '@nestjs/common';
import {
  type ExecutionProof,
  executionProofContract,
  type ParsedRequestOf,
  type ReplyOf,
} from '@svc/contracts';
import { Handle } from '@svc/platform';
import { ExecutionProofService } from './execution-proof.service.js';
import { IdempotentCalls } from './idempotent-calls.js';

const { proveExecution, executionOutcome, revokeExecution } = executionProofContract;

@Controller()
export class ExecutionNatsController {
  constructor(
    private readonly calls: IdempotentCalls,
    private readonly executions: ExecutionProofService,
  ) {}

  @Handle(proveExecution)
  proveExecution(asked: ParsedRequestOf<typeof proveExecution>): Promise<ExecutionProof> {
    const { idemKey, statement, contextDomain } = asked;
    const request = { statement: Buffer.from(statement).toString('hex'), contextDomain };
    return this.calls.run({ idemKey, kind: 'execution', request }, signal =>
      this.executions.prove(asked, signal),
    );
  }

  @Handle(executionOutcome)
  async executionOutcome({
    idemKey,
  }: ParsedRequestOf<typeof executionOutcome>): Promise<ReplyOf<typeof executionOutcome>> {
    const { state, reply } = await this.calls.outcome<ExecutionProof>(idemKey, 'execution');
    return { state, ...(reply ? { proof: reply } : {}) };
  }

  @Handle(revokeExecution)
  revokeExecution({ idemKey }: ParsedRequestOf<typeof revokeExecution>) {
    return this.calls.revoke(idemKey, 'execution');
  }
}
