import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Controller } from '@nestjs/common';
import { departmentTaskContract, type ParsedRequestOf, type Task } from '@svc/contracts';
import { Handle, MemoryBus, type RunningService } from '@svc/platform';
import type { RunningGateway } from '../src/start-gateway.js';
import { startGatewayOn, startServiceOn } from './gateway-under-test.js';
import { scriptedPayments } from './payments-under-test.js';
import { rawCall } from './raw-call.js';
import { RECEIPT, scriptedX402 } from './x402-under-test.js';

const QUOTE = {
  ...{ capability: 'm2m_license_contract', operationId: 'tool.m2m_license_contract' },
  paidBy: 'ticket' as const,
};

/** A desk whose tasks are paid for with a ticket, and fail. */
@Controller()
class FailingDesk {
  @Handle(departmentTaskContract.quoteTask)
  quoteTask() {
    return QUOTE;
  }

  @Handle(departmentTaskContract.admitTask)
  admitTask() {
    return QUOTE;
  }

  @Handle(departmentTaskContract.submitTask)
  submitTask({ taskId, deptId }: ParsedRequestOf<typeof departmentTaskContract.submitTask>): Task {
    return {
      ...{ taskId, deptId, capability: QUOTE.capability, status: 'FAILED', priority: 'normal' },
      ...{ payment: 'returned', createdAt: '2026-04-02T00:00:00.000Z' },
      problem: { code: 'STREAM_INDEX_STALE', detail: 'Not above the last one' },
    };
  }
}

let gateway: RunningGateway;
let services: RunningService[];
const [payments, x402] = [scriptedPayments(), scriptedX402()];
beforeAll(async () => {
  const bus = new MemoryBus();
  services = [
    await startServiceOn(bus, 'payments', { controllers: [...payments.controllers, ...x402.controllers] }),
    await startServiceOn(bus, 'department', { controllers: [FailingDesk] }),
  ];
  gateway = await startGatewayOn(bus);
});
afterAll(async () => {
  await gateway.close();
  for (const service of services) await service.close();
});

test.each([
  // A payment of a rail is a ticket still, or credit; when an account has its amount again is not known here.
  ['x402', 'yes'],
  ['svc-key', 'unknown'],
])('a task that fails says of a ticket bought by %s whether it was charged: %s', async (rail, charged) => {
  const before = RECEIPT.rail;
  Object.assign(RECEIPT, { rail });
  try {
    const body = { capability: QUOTE.capability, task: { licenseeAgentId: 'a' } };
    const { status, json } = await rawCall(gateway.address, '/departments/licensing', {
      ...{ body, lines: [['X-SVC-KEY', 'svc_test_key']] },
    });
    expect([status, json.code, json.charged]).toEqual([409, 'STREAM_INDEX_STALE', charged]);
  } finally {
    Object.assign(RECEIPT, { rail: before });
  }
});
