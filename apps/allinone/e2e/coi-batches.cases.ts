import { beforeAll, describe, expect, it } from '@jest/globals';
import { HANGS_MS } from '@svc/platform/testing';
import { ADMIN_KEY } from './card-fixture.js';
import { post } from './paid-call.js';
import type { PaidRoute } from './paid-route-fixture.js';

type Json = Record<string, any>; // eslint-disable-line @typescript-eslint/no-explicit-any -- of any route

const PRICE = 250_000;
/** Tasks that wait at once, and how soon another takes over from a department that died. */
export const COI_VARIABLES = { DEPARTMENT_QUEUE_MAX: '12', DEPARTMENT_TASK_LEASE_SECONDS: '2' };
/** One caller has as many places as are free. */
const QUEUE_MAX = Number(COI_VARIABLES.DEPARTMENT_QUEUE_MAX) / 2;

let route: PaidRoute;

/** The key of a new account that can pay for so many audits. */
async function keyWith(audits: number): Promise<string> {
  const admin = { 'x-svc-key': ADMIN_KEY };
  const accounts = `${route.address}/v1/admin/accounts`;
  const { json: account } = await post(accounts, {}, admin);
  const one = `${accounts}/${String(account.accountId)}`;
  await post(`${one}/credit`, { amountMicroUsd: audits * PRICE, reason: 'test' }, admin);
  return (await post(`${one}/keys`, {}, admin)).json.key as string;
}

async function balance(key: string): Promise<number> {
  const response = await fetch(`${route.address}/v1/account`, { headers: { 'x-svc-key': key } });
  return ((await response.json()) as Json).balanceMicroUsd / PRICE;
}

const good = (insured = 'Test Roofing LLC') => ({
  fields: { NamedInsured_FullName: insured },
  requirementSetId: 'electrical',
});
const unreadable = () => ({
  pdfBase64: Buffer.from('this is no PDF').toString('base64'),
  requirementSetId: 'electrical',
});

const give = (key: string, documents: unknown, idempotencyKey?: string) =>
  post(
    `${route.address}/coi/batches`,
    { documents },
    { 'x-svc-key': key, ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }) },
  );
const ask = async (batchId: unknown, method = 'GET') => {
  const response = await fetch(`${route.address}/coi/batches/${String(batchId)}`, { method });
  return { status: response.status, json: (await response.json()) as Json };
};
const statuses = ({ documents }: Json) => (documents as Json[]).map(({ status }) => status as string);

async function ended(batchId: unknown): Promise<Json> {
  for (const sinceMs = Date.now(); ;) {
    const { json } = await ask(batchId);
    if (json.status === 'ENDED') return json;
    if (Date.now() - sinceMs > HANGS_MS) throw new Error(`still ${JSON.stringify(json)}`);
    await new Promise(resolve => setTimeout(resolve, 100));
  }
}

/** What a batch comes to that is asked for again while the queue is full: what has just ended may not have left it yet. */
async function giveUntilTaken(
  key: string,
  documents: readonly unknown[],
  idempotencyKey: string = crypto.randomUUID(),
) {
  for (const sinceMs = Date.now(); ;) {
    const answer = await give(key, documents, idempotencyKey);
    if (answer.status !== 429) return answer;
    if (Date.now() - sinceMs > HANGS_MS) throw new Error(`still ${JSON.stringify(answer.json)}`);
    await new Promise(resolve => setTimeout(resolve, 300));
  }
}

/** Batches of audits, with the department as it is, started with {@link COI_VARIABLES}. */
export function describeCoiBatches(routeOf: () => PaidRoute): void {
  describe('batches of certificates', () => {
    beforeAll(() => {
      route = routeOf();
    });

    describe('a batch of audits', () => {
      it('audits each document once, and charges those that it could audit', async () => {
        const key = await keyWith(5);
        const { status, headers, json } = await give(key, [
          good(),
          unreadable(),
          good(),
          good('Another Inc.'),
        ]);
        expect([status, json.batchId]).toEqual([202, expect.stringMatching(/^cbt_[\w-]{22}$/)]);
        expect(headers.get('location')).toBe(`/coi/batches/${String(json.batchId)}`);
        const batch = await ended(json.batchId);
        expect(statuses(batch)).toEqual(['COMPLETED', 'FAILED', 'COMPLETED', 'COMPLETED']);
        expect(batch).toMatchObject({ chargedCount: 3, counts: { COMPLETED: 3, FAILED: 1, UNTAKEN: 0 } });
        const [first, failed, same] = batch.documents as Json[];
        expect(failed).toMatchObject({ charged: false, problem: { code: 'UNPROCESSABLE' } });
        expect(first).toMatchObject({ charged: true, compliant: 'DEFICIENT' });
        // The same document twice is two audits.
        expect(same.auditId).not.toBe(first.auditId);
        const audit = await fetch(`${route.address}/coi/audits/${String(same.auditId)}`);
        expect(audit.status).toBe(200);
        expect(await balance(key)).toBe(2);
      });

      it('takes nothing where the balance covers half of it', async () => {
        const key = await keyWith(2);
        for (const idempotencyKey of [undefined, crypto.randomUUID()]) {
          const { status, json } = await give(key, [good(), good(), good(), good()], idempotencyKey);
          expect([status, json.code]).toEqual([402, 'PAYMENT_INSUFFICIENT']);
          expect(json).toMatchObject({ balanceMicroUsd: 2 * PRICE, priceMicroUsd: 4 * PRICE });
          expect(await balance(key)).toBe(2);
        }
      });

      it('is one batch for one Idempotency-Key, and goes on once the balance does', async () => {
        const key = await keyWith(3);
        const idempotencyKey = 'monday';
        const documents = [good(), good(), unreadable()];
        const first = await give(key, documents, idempotencyKey);
        await ended(first.json.batchId);
        const again = await Promise.all([
          give(key, documents, idempotencyKey),
          give(key, documents, idempotencyKey),
        ]);
        expect(again.map(({ status, json }) => [status, json.batchId])).toEqual([
          [202, first.json.batchId],
          [202, first.json.batchId],
        ]);
        expect(await balance(key)).toBe(1);
        const other = await give(key, [good('Somebody else')], idempotencyKey);
        expect([other.status, other.json.code]).toEqual([422, 'UNPROCESSABLE']);
        const stranger = await keyWith(3);
        const theirs = await give(stranger, documents, idempotencyKey);
        expect(theirs.json.batchId).not.toBe(first.json.batchId);
        await ended(theirs.json.batchId);
      });

      it('gives two calls at once under one Idempotency-Key one batch, paid once', async () => {
        const key = await keyWith(8);
        const idempotencyKey = crypto.randomUUID();
        const documents = [good(), good(), good(), good()];
        const calls = await Promise.all([1, 2, 3].map(() => give(key, documents, idempotencyKey)));
        const ids = new Set(calls.map(({ json }) => json.batchId as string));
        expect(ids.size).toBe(1);
        expect(calls.map(({ status }) => status)).toContain(202);
        for (const { status } of calls) expect([202, 409]).toContain(status);
        const batch = await ended([...ids][0]);
        expect(batch.chargedCount).toBe(4);
        expect(await balance(key)).toBe(4);
      });

      it('that finds the queue full keeps what was taken, gives the rest back, and goes on when it is asked again', async () => {
        const key = await keyWith(20);
        const documents = Array.from({ length: 3 * QUEUE_MAX }, (_, index) => good(`Insured ${index}`));
        const idempotencyKey = crypto.randomUUID();
        const full = await give(key, documents, idempotencyKey);
        expect([full.status, full.json.code]).toEqual([429, 'QUEUE_FULL']);
        const { batchId } = full.json;
        const taken = statuses((await ask(batchId)).json).filter(status => status !== 'UNTAKEN').length;
        expect(taken).toBeGreaterThan(0);
        expect(await balance(key)).toBe(20 - taken);
        const answer = await giveUntilTaken(key, documents, idempotencyKey);
        expect([answer.status, answer.json.batchId]).toEqual([202, batchId]);
        expect(await ended(batchId)).toMatchObject({ chargedCount: documents.length });
        expect(await balance(key)).toBe(20 - documents.length);
      });

      it('outlives the department: every document is audited and paid once', async () => {
        const key = await keyWith(5);
        const documents = Array.from({ length: 5 }, (_, index) => good(`Firm ${index}`));
        const { status, json } = await giveUntilTaken(key, documents);
        expect(status).toBe(202);
        await route.stopDepartment();
        expect((await ask(json.batchId)).status).toBe(503);
        await route.startDepartment();
        const batch = await ended(json.batchId);
        expect(batch).toMatchObject({ chargedCount: 5, counts: { COMPLETED: 5 } });
        expect(new Set((batch.documents as Json[]).map(({ auditId }) => auditId as string)).size).toBe(5);
        expect(await balance(key)).toBe(0);
      });

      it('can be cancelled: what has not ended is given back, and nothing more is taken', async () => {
        const key = await keyWith(5);
        const idempotencyKey = crypto.randomUUID();
        const documents = Array.from({ length: 5 }, (_, index) => good(`Cancelled ${index}`));
        const { json } = await giveUntilTaken(key, documents, idempotencyKey);
        const { status } = await ask(json.batchId, 'DELETE');
        expect(status).toBe(200);
        const batch = await ended(json.batchId);
        expect(batch.cancelledAt).toEqual(expect.any(String));
        for (const one of statuses(batch)) expect(['COMPLETED', 'CANCELLED']).toContain(one);
        expect(statuses(batch)).toContain('CANCELLED');
        expect(await balance(key)).toBe(5 - batch.chargedCount);
        const again = await give(key, documents, idempotencyKey);
        expect([again.status, again.json.documents]).toEqual([202, batch.documents]);
        expect((await ask(json.batchId, 'DELETE')).status).toBe(200);
      });

      const refusals: [string, unknown, number, string, string | undefined][] = [
        ['101 documents', Array.from({ length: 101 }, () => good()), 400, 'VALIDATION_FAILED', 'documents'],
        ['none', [], 400, 'VALIDATION_FAILED', 'documents'],
        ['one without terms', [good(), { fields: {} }], 400, 'VALIDATION_FAILED', undefined],
        [
          'a requirement set that is not there',
          [good(), { ...good(), requirementSetId: 'no-such-set' }],
          422,
          'UNPROCESSABLE',
          'documents[1].requirementSetId',
        ],
        [
          'one that is too large for its desk',
          [good(), { pdfBase64: 'A'.repeat(3_200_000), requirementSetId: 'electrical' }],
          400,
          'VALIDATION_FAILED',
          'documents[1]',
        ],
      ];
      it.each(refusals)(
        'is refused with %s, and nothing is taken',
        async (_what, documents, status, code, path) => {
          const key = await keyWith(101);
          const answer = await give(key, documents);
          expect([answer.status, answer.json.code]).toEqual([status, code]);
          if (path !== undefined) expect((answer.json.errors as Json[])[0].path).toBe(path);
          expect(await balance(key)).toBe(101);
        },
      );

      it('is nobody’s without a key, and not there under another id', async () => {
        const { status, json } = await post(`${route.address}/coi/batches`, { documents: [good()] });
        expect([status, json.code]).toEqual([401, 'UNKNOWN_CREDENTIAL']);
        for (const method of ['GET', 'DELETE'])
          expect((await ask(`cbt_${'A'.repeat(22)}`, method)).status).toBe(404);
      });
    });
  });
}
