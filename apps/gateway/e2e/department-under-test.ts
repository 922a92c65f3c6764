import { Controller } from '@nestjs/common';
import {
  bullionContract,
  type BullionEnrolment,
  certificatesContract,
  type CoiVerifyResult,
  departmentTaskContract,
  type ParsedRequestOf,
  type ReplyOf,
  type Task,
  type VerifyBullionResult,
} from '@svc/contracts';
import { Handle } from '@svc/platform';

const HASH = `0x${'00'.repeat(32)}`;
const PROOF = {
  ...{
    version: 1,
    proves: 'rules',
    doesNotProve: 'anything: this is a test',
    rulesetId: 'test/v1',
    rules: [],
  },
  ...{ requestDigest: HASH, resultDigest: HASH, root: HASH, leafCount: 1, airId: 'rules/v1' },
  ...{ proofId: 'p', keyId: 'k', signature: 'AA==', expiresAt: '2027-01-01T00:00:00Z' },
  leaves: [{ index: 0, salt: `0x${'00'.repeat(16)}`, path: [HASH, HASH, HASH, HASH] }],
} satisfies VerifyBullionResult['auditProof'];
const EVIDENCE = {
  charged: true,
  starkRoot: HASH,
  disclosure: {
    version: 1,
    operationId: 'agent.verify-bullion',
    root: HASH,
    fields: [{ path: '/verdict', salt: `0x${'00'.repeat(16)}` }],
  } satisfies VerifyBullionResult['disclosure'],
  disclosureProof: PROOF,
  auditProof: PROOF,
};

const VERDICT: VerifyBullionResult = {
  ...{ verdict: 'PASS', reasons: [], modes: [], dimensionChecks: [], evidenceLevel: 'RECORDING' },
  product: { name: 'test', metal: 'gold', fineness: 1, massG: null },
  reference: { kind: 'physics', source: 'test' },
  massCheck: { expectedG: 1, measuredG: 1, deviationPercent: 0, tolerancePercent: 1, withinTolerance: true },
  ...{ specificGravity: null, specificGravityCheck: null, recording: null, fineMassG: 1 },
  ...{ conductivityCheck: null, magnetAgrees: null, fakes: [] },
  ...{ meltValue: null, meltValueReason: null, meltValueNote: null, spot: null, limits: [] },
  ...EVIDENCE,
};
const AUDIT: Omit<CoiVerifyResult, 'creditsRemaining'> = {
  ...{
    auditId: `aud_${'A'.repeat(22)}`,
    compliant: 'COMPLIANT',
    rules: [],
    variant: 'fields',
    extracted: {},
  },
  ...{ insured: null, requirementSetId: null, deficiencyLetter: null, expiresAt: null, asOf: '2026-01-01' },
  requirements: { endorsements: [], expiryWarningDays: 30, signature: true },
  limits: [],
  ...EVIDENCE,
};

const QUOTE = {
  ...{ capability: 'bullion', operationId: 'agent.verify-bullion', paidBy: 'claim' as const },
};
const taskOf = (named: Pick<Task, 'taskId' | 'deptId'>, state: Pick<Task, 'status' | 'payment'>): Task => ({
  ...{ taskId: named.taskId, deptId: named.deptId, capability: 'bullion', priority: 'normal' },
  ...{ createdAt: '2026-01-01T00:00:00.000Z', ...state },
});

const freshScript = () => ({
  charged: true,
  /** Tasks that were asked for once they had ended. */
  ended: [] as Task[],
  /** What admissions of ring tests throw, one after another. */
  admitFaults: [] as Error[],
  admitted: [] as unknown[],
  verified: [] as ParsedRequestOf<typeof bullionContract.verify>[],
  audited: [] as ParsedRequestOf<typeof certificatesContract.verify>[],
  enrolled: [] as unknown[],
});

/** A task that has ended, paid for or not as the script says, and remembered there. */
function endedTask(
  script: ReturnType<typeof freshScript>,
  named: ParsedRequestOf<typeof departmentTaskContract.task>,
): Task {
  const ended = taskOf(named, {
    status: 'COMPLETED',
    payment: script.charged ? 'delivered' : 'returned',
  });
  script.ended.push(ended);
  return ended;
}

/**
 * A department whose verdicts, and those of its tasks, are charged or not, as its script says, and which remembers what it was
 * asked until it begins anew.
 */
export function scriptedDepartment() {
  const script = freshScript();
  const begin = () => void Object.assign(script, freshScript());
  @Controller()
  class DepartmentUnderTest {
    @Handle(bullionContract.admit)
    admit(call: ParsedRequestOf<typeof bullionContract.admit>) {
      script.admitted.push(call);
      const fault = script.admitFaults.shift();
      if (fault) throw fault;
      return {};
    }

    @Handle(bullionContract.verify)
    verify(call: ParsedRequestOf<typeof bullionContract.verify>): VerifyBullionResult {
      script.verified.push(call);
      return { ...VERDICT, charged: script.charged };
    }

    @Handle(bullionContract.enrol)
    enrol(call: ParsedRequestOf<typeof bullionContract.enrol>): BullionEnrolment {
      script.enrolled.push(call);
      throw new Error('nothing is enrolled here');
    }

    @Handle(certificatesContract.admit)
    admitCertificate(call: ParsedRequestOf<typeof certificatesContract.admit>) {
      script.admitted.push(call);
      return {};
    }

    @Handle(certificatesContract.verify)
    audit(call: ParsedRequestOf<typeof certificatesContract.verify>): CoiVerifyResult {
      script.audited.push(call);
      return { ...AUDIT, creditsRemaining: call.creditsRemaining };
    }
  }
  return { script, begin, controllers: [DepartmentUnderTest, tasksUnderTest(script)] };
}

/** The part of it that does tasks. */
function tasksUnderTest(script: ReturnType<typeof freshScript>) {
  @Controller()
  class TasksUnderTest {
    @Handle(departmentTaskContract.quoteTask)
    quoteTask() {
      return QUOTE;
    }

    @Handle(departmentTaskContract.admitTask)
    admitTask() {
      return QUOTE;
    }

    @Handle(departmentTaskContract.submitTask)
    submitTask(named: ParsedRequestOf<typeof departmentTaskContract.submitTask>): Task {
      return taskOf(named, { status: 'RUNNING', payment: 'held' });
    }

    @Handle(departmentTaskContract.taskEnd)
    taskEnd({
      deptId,
      taskId,
    }: ParsedRequestOf<typeof departmentTaskContract.taskEnd>): ReplyOf<
      typeof departmentTaskContract.taskEnd
    > {
      const task = endedTask(script, { deptId, taskId });
      const body = Buffer.from(JSON.stringify(task));
      return {
        task,
        ...(script.charged && { answer: { status: 200, contentType: 'application/json', body } }),
      };
    }

    @Handle(departmentTaskContract.taskEvents)
    taskEvents({
      withTask = false,
      ...named
    }: ParsedRequestOf<typeof departmentTaskContract.taskEvents>): ReplyOf<
      typeof departmentTaskContract.taskEvents
    > {
      return { events: [], ended: true, ...(withTask ? { task: endedTask(script, named) } : {}) };
    }

    @Handle(departmentTaskContract.task)
    task(named: ParsedRequestOf<typeof departmentTaskContract.task>): Task {
      return endedTask(script, named);
    }
  }
  return TasksUnderTest;
}
