import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { departmentTaskContract, type RequestOf, SPECKLE_DOES_NOT_PROVE, type Task } from '@svc/contracts';
import { createHash, randomBytes } from 'node:crypto';
import { canonicalDigest } from '@svc/audit-proof';
import { problemOf } from '@svc/platform';
import { type DepartmentFixture, startDepartment } from './department-fixture.js';
import { MINT, OTHER, picture, speckleClient } from './speckle-fixture.js';

const { admitTask, submitTask, task: taskOf, taskEvents } = departmentTaskContract;
type Submit = RequestOf<typeof submitTask>;

const deptId = 'authentication' as const;
const COUNTED = { subject: `address:${'a'.repeat(64)}`, resetsAt: '2026-12-01T00:00:00.000Z' };

let department: DepartmentFixture;
let speckle: ReturnType<typeof speckleClient>;

const base64 = async (image: Promise<Uint8Array>) => Buffer.from(await image).toString('base64');
const extraction = async (surface: number, more: Record<string, unknown> = {}) => ({
  capability: 'speckle.extract-puf',
  task: { imageBase64: await base64(picture(surface)), modality: 'laser_speckle', ...more },
});

async function done(request: Submit['request'], more: Partial<Submit> = {}): Promise<Task> {
  const taskId = `tsk_${randomBytes(16).toString('base64url')}`;
  const { bus } = department;
  await bus.call(submitTask, { taskId, deptId, request, payment: { counted: COUNTED }, ...more });
  for (let after = 0; ;) {
    const { events, ended } = await bus.call(taskEvents, { deptId, taskId, after, waitMs: 5_000 });
    if (ended) return bus.call(taskOf, { deptId, taskId });
    after = events.at(-1)?.seq ?? after;
  }
}

export function describeSpeckleDesk(): void {
  describe('speckle desk', () => {
    beforeAll(async () => {
      department = await startDepartment({ variables: { SANDBOX_CARD_MARKET: 'off' } });
      speckle = speckleClient(department);
    });
    afterAll(() => department?.close());

    describe('the desk of authentication', () => {
      it('reads a surface as the route does, with evidence that names the picture by its digest', async () => {
        const request = await extraction(1);
        const { status, payment, result } = await done(request);
        expect([status, payment]).toEqual(['COMPLETED', 'delivered']);
        const { auditProof, proves, doesNotProve, ...reply } = result as Record<string, unknown>;
        expect(reply).toEqual(await speckle.extract(await picture(1)));
        expect([proves, doesNotProve]).toEqual(['commitment', SPECKLE_DOES_NOT_PROVE.extract]);
        const { imageBase64: _image, ...read } = request.task;
        const imageSha256 = `0x${createHash('sha256')
          .update(await picture(1))
          .digest('hex')}`;
        const requestDigest = canonicalDigest({ ...read, enroll: false, imageSha256 });
        expect(auditProof).toMatchObject({
          requestDigest: `0x${Buffer.from(requestDigest).toString('hex')}`,
        });
      });

      it('enrols for the account that gave the task, once however often it is asked, and compares', async () => {
        const request = await extraction(2, { enroll: true, slabId: 'slab-of-a-task' });
        const { accountId } = MINT;
        const { status, result } = await done(request, { accountId });
        expect(status).toBe('COMPLETED');
        const { pufId, verificationToken } = result as { pufId: string; verificationToken: string };
        expect((await done(request, { accountId })).result).toMatchObject({ pufId });
        // The account is its owner at the route too.
        expect((await speckle.enrol(await picture(2), 'slab-of-a-task')).pufId).toBe(pufId);
        const again = { imageBase64: await base64(picture(2, 2)), slabId: 'slab-of-a-task' };
        const compared = await done({ capability: 'speckle.verify-slab', task: again }, { accountId });
        expect(compared.result).toMatchObject({
          ...{ verdict: 'match', pufId, keyReproduced: true },
          doesNotProve: SPECKLE_DOES_NOT_PROVE.verify,
        });
        // Of others neither task nor evidence has a figure, and the evidence is checked without the token.
        for (const other of [{}, { accountId: OTHER.accountId }]) {
          const task = { ...again, verificationToken };
          const { result } = await done({ capability: 'speckle.verify-slab', task }, other);
          const { auditProof, proves, doesNotProve, ...told } = result as Record<string, unknown>;
          expect(told).toEqual({ verdict: 'match', pufId, enrolledAt: expect.any(String) });
          expect([proves, doesNotProve]).toEqual(['commitment', SPECKLE_DOES_NOT_PROVE.verify]);
          const imageSha256 = `0x${createHash('sha256')
            .update(await picture(2, 2))
            .digest('hex')}`;
          const requestDigest = canonicalDigest({ slabId: again.slabId, imageSha256 });
          const resultDigest = canonicalDigest({ ...told, proves, doesNotProve } as never);
          expect(auditProof).toMatchObject({
            requestDigest: `0x${Buffer.from(requestDigest).toString('hex')}`,
            resultDigest: `0x${Buffer.from(resultDigest).toString('hex')}`,
          });
        }
      });

      it('refuses in admission what the routes refuse', async () => {
        const enrolment = await extraction(3, { enroll: true, slabId: 'slab-of-a-task' });
        const admit = (request: Submit['request'], accountId?: string) =>
          problemOf(department.bus.call(admitTask, { deptId, request, accountId }));
        expect((await admit(enrolment)).code).toBe('UNKNOWN_CREDENTIAL');
        expect((await admit(enrolment, OTHER.accountId)).code).toBe('CONFLICT');
        expect((await admit(await extraction(3, { imageBase64: '' }))).code).toBe('VALIDATION_FAILED');
        const text = await extraction(3, { imageBase64: 'YSBzbGFi' });
        const { payload } = await admit(text);
        expect(payload).toMatchObject({
          code: 'UNSUPPORTED_MEDIA_TYPE',
          errors: [{ path: 'task.imageBase64' }],
        });
        const unknown = { capability: 'speckle.verify-slab', task: { ...text.task, slabId: 'nobody-s' } };
        delete (unknown.task as Record<string, unknown>).modality;
        expect((await admit(unknown)).code).toBe('NOT_FOUND');
        const others = { ...unknown, task: { ...unknown.task, slabId: 'slab-of-a-task' } };
        const refusal = await admit(others, OTHER.accountId);
        expect([refusal.code, refusal.payload.errors?.[0].path]).toEqual([
          'FORBIDDEN',
          'task.verificationToken',
        ]);
      });
    });
  });
}
