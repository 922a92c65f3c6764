import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Controller, Module } from '@nestjs/common';
import {
  departmentTaskContract,
  meshContract,
  type ParsedRequestOf,
  type RendezvousResult,
  type RequestOf,
  type Task,
} from '@svc/contracts';
import { API_VERSION, Handle, problem, problemOf, type RunningService, startService } from '@svc/platform';
import { randomBytes } from 'node:crypto';
import { type DepartmentFixture, startDepartment } from './department-fixture.js';

const { admitTask, submitTask, task, taskEvents } = departmentTaskContract;
type Submit = RequestOf<typeof submitTask>;
type Asked = ParsedRequestOf<typeof meshContract.rendezvous>;

const COUNTED = { subject: `address:${'a'.repeat(64)}`, resetsAt: '2026-12-01T00:00:00.000Z' };
const OFFER = { peerPublicKey: 'ab'.repeat(32), sdpOffer: 'v=0\r\n' };
const PENDING = {
  ...{ sessionId: `mesh_${'s'.repeat(22)}`, iceServers: [], expiresAt: '2026-04-02T00:00:30.000Z' },
};
const ANSWERED: RendezvousResult = {
  ...{ ...PENDING, sdpAnswer: 'v=0\r\n', sessionStatus: 'P2P_AEROMESH_ENTANGLED', answeredBy: 'service' },
  ...{ identity: 'unverified', iceCandidates: [], answerSignature: 'ab', servicePublicKey: 'cd' },
  ...{ proves: 'signature', doesNotProve: 'Much.' },
};

const admitted: ParsedRequestOf<typeof meshContract.admitRendezvous>[] = [];
const offered: Asked[] = [];
let faults: Error[] = [];
let isPending = false;

@Controller()
class MeshStandIn {
  @Handle(meshContract.admitRendezvous)
  admit(asked: (typeof admitted)[number]) {
    admitted.push(asked);
    const fault = faults.shift();
    if (fault) throw fault;
    return {};
  }

  @Handle(meshContract.rendezvous)
  rendezvous(asked: Asked) {
    offered.push(asked);
    const fault = faults.shift();
    if (fault) throw fault;
    return isPending
      ? { outcome: 'pending' as const, ...PENDING, version: 1 }
      : { outcome: 'answered' as const, ...ANSWERED, version: 2 };
  }
}

@Module({ controllers: [MeshStandIn] })
class MeshStandInModule {}

let fixture: DepartmentFixture;
let mesh: RunningService;

async function done(more: Partial<Submit> = {}): Promise<Task> {
  const taskId = `tsk_${randomBytes(16).toString('base64url')}`;
  const request = { capability: 'mesh.rendezvous', task: OFFER };
  const order = { taskId, deptId: 'mesh', request, payment: { counted: COUNTED }, ...more };
  await fixture.bus.call(submitTask, order as Submit);
  for (let after = 0; ;) {
    const { events, ended } = await fixture.bus.call(taskEvents, {
      ...{ deptId: 'mesh', taskId, after, waitMs: 5_000 },
    });
    if (ended) return fixture.bus.call(task, { deptId: 'mesh', taskId });
    after = events.at(-1)?.seq ?? after;
  }
}

export function describeRendezvousTasks(): void {
  describe('rendezvous tasks', () => {
    beforeAll(async () => {
      fixture = await startDepartment();
      const { memoryBus, environment } = fixture;
      mesh = await startService(
        { name: 'mesh-signalling', migrations: [], module: () => MeshStandInModule },
        {
          ...{ service: 'mesh-signalling', version: API_VERSION, production: false, secrets: {} },
          ...{ bus: { kind: 'memory', bus: memoryBus }, logger: environment.logger },
        },
      );
    });
    afterAll(async () => {
      await mesh?.close();
      await fixture?.close();
    });
    beforeEach(() => {
      admitted.length = offered.length = 0;
      [faults, isPending] = [[], false];
    });

    it('a rendezvous as a task answers as its own route does', async () => {
      expect(await done()).toMatchObject({ status: 'COMPLETED', payment: 'delivered', result: ANSWERED });
      expect(offered).toMatchObject([{ request: OFFER, caller: { address: 'desk' } }]);
    });

    it('a session that waits for its peer is an answer, and is charged', async () => {
      isPending = true;
      const { result, ...ended } = await done();
      expect([ended.status, ended.payment, result]).toEqual(['COMPLETED', 'delivered', PENDING]);
    });

    it('a task that is begun again asks for the same session, and another task for another', async () => {
      faults = [problem('SERVICE_UNAVAILABLE', 'Gone for a moment', { retryAfterSeconds: 1 })];
      expect((await done()).status).toBe('COMPLETED');
      await done();
      const [first, again, other] = offered.map(({ idemKey }) => idemKey);
      expect(first).toMatch(/^[0-9a-f]{64}$/);
      expect([again, other === first]).toEqual([first, false]);
    });

    it('a rendezvous that is refused when its turn comes is given back', async () => {
      faults = [problem('IDENTITY_UNPROVED', 'Too late', { extensions: { reason: 'TIMESTAMP_UNTIMELY' } })];
      expect(await done()).toMatchObject({ status: 'FAILED', payment: 'returned' });
    });

    it('is admitted as the service says, with an allowance for each account', async () => {
      const request = { capability: 'mesh.rendezvous', task: OFFER };
      const accountId = `acct_${'a'.repeat(20)}`;
      await fixture.bus.call(admitTask, { deptId: 'mesh', request, accountId });
      expect(admitted).toMatchObject([{ request: OFFER, caller: { address: `desk ${accountId}` } }]);
      faults = [
        problem('UNPROCESSABLE', 'sdpOffer: line 4', { errors: [{ path: 'sdpOffer', message: 'line 4' }] }),
      ];
      const refused = await problemOf(fixture.bus.call(admitTask, { deptId: 'mesh', request }));
      expect([refused.code, refused.payload.errors?.[0].path]).toEqual(['UNPROCESSABLE', 'task.sdpOffer']);
    });
  });
}
