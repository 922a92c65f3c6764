import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { fetchWithL402 } from '@getalby/lightning-tools/402/l402';
import { Mppx, stripe as stripeMethod } from 'mppx/client';
import { Client } from 'pg';
import type { AllRails } from './all-rails-fixture.js';
import { CallbackReceiver, isSignedBy, until } from './callback-receiver.js';
import { ADMIN_KEY } from './card-fixture.js';
import { type Answer, paidL402, payInvoice, post } from './paid-call.js';
import { fetchV2, fundedWallet } from './x402-wallet.js';

type Json = Record<string, any>; // eslint-disable-line @typescript-eslint/no-explicit-any -- of any route

const ADDRESSES = ['gateway', 'department'] as const;
const PROOFS = '/departments/proofs';
const TASK_ID = /^tsk_[A-Za-z0-9_-]{22}$/;

let rails: AllRails;
let key: string;
const receiver = new CallbackReceiver();
let callbackUrl: string;
const origins = { gateway: '', department: '' };

/** A proof that no other call of these tests asks for. */
const proof = (more: object = {}) => ({
  capability: 'zk.prove',
  task: { traceData: `0x${crypto.randomUUID().replaceAll('-', '')}`, degree: 64 },
  ...more,
});
const impossible = () => proof({ task: { traceData: '0x00', degree: 1 } });
const withKey = (more: Record<string, string> = {}) => ({ 'x-svc-key': key, ...more });

/** Moves the next try of a task's callback, which is seconds away, to now. */
async function makeDue(taskId: unknown): Promise<void> {
  const database = new Client({ connectionString: rails.route.databaseUrlOf('department') });
  await database.connect();
  try {
    const { rowCount } = await database.query(
      `UPDATE department.task_callback SET next_at = now() WHERE task_id = $1 AND next_at > now() + interval '3 seconds'`,
      [taskId],
    );
    expect(rowCount).toBe(1);
  } finally {
    await database.end();
  }
}

/** @param shared what all suites of the file share */
export function describeDepartments(shared: () => AllRails): void {
  describe('the desks', () => {
    beforeAll(async () => {
      rails = shared();
      origins.gateway = rails.route.address;
      origins.department = rails.route.departmentAddress;
      callbackUrl = await receiver.listen();
    });

    // An account for each test: what one pays changes no other's balance.
    beforeEach(async () => {
      const admin = { 'x-svc-key': ADMIN_KEY };
      const accounts = `${origins.gateway}/v1/admin/accounts`;
      const { json: account } = await post(accounts, {}, admin);
      const one = `${accounts}/${String(account.accountId)}`;
      await post(`${one}/credit`, { amountMicroUsd: 1_000_000, reason: 'test' }, admin);
      key = (await post(`${one}/keys`, {}, admin)).json.key as string;
    });

    afterAll(() => receiver.close());

    describe.each(ADDRESSES)('the desks at the address of the %s', name => {
      const at = (path: string) => origins[name] + path;
      const get = async (path: string, headers: Record<string, string> = {}) => {
        const response = await fetch(at(path), { headers });
        return { status: response.status, headers: response.headers, json: (await response.json()) as Json };
      };
      const give = (body: unknown, headers: Record<string, string> = {}): Promise<Answer> =>
        post(at(PROOFS), body, headers);
      const balance = async () => {
        const response = await fetch(`${origins.gateway}/v1/account`, { headers: withKey() });
        return ((await response.json()) as Json).balanceMicroUsd as number;
      };
      const ended = (taskId: unknown) =>
        until(
          async () => (await get(`${PROOFS}/tasks/${String(taskId)}`)).json,
          ({ status }) => !['QUEUED', 'RUNNING'].includes(status as string),
        );

      it('are listed with what they take, what it costs and how they fare', async () => {
        const { status, json } = await get('/departments');
        expect(status).toBe(200);
        expect((json.departments as Json[]).map(({ deptId }) => deptId)).toEqual([
          ...[
            'proofs',
            'neuro',
            'acoustics',
            'mesh',
            'payments',
            'compliance',
            'valuation',
            'authentication',
          ],
          ...['parcels', 'licensing'],
        ]);
        const desk = (await get('/departments/proofs')).json;
        expect(desk.priceUsd['zk.prove']).toBe('0.001');
        expect(JSON.stringify(desk.inputSchemas['zk.prove'])).toContain('"traceData"');
        expect((await get('/departments/nowhere')).status).toBe(404);
      });

      it('publish what they answer, and whether they are ready', async () => {
        const document = (await get('/openapi.json')).json;
        expect(Object.keys(document.paths as Json)).toEqual(
          expect.arrayContaining([
            '/departments/{deptId}',
            '/departments/{deptId}/tasks/{taskId}',
            '/readyz',
          ]),
        );
        expect((await get('/livez')).json).toEqual({ status: 'ok' });
        expect((await get('/readyz')).json.status).toBe('ok');
      });

      it('ask for the price of the capability before anything is queued', async () => {
        for (const body of [undefined, {}, proof()]) {
          const { status, headers, json } = await give(body);
          expect([status, json.code]).toEqual([402, 'PAYMENT_REQUIRED']);
          expect(headers.get('www-authenticate')).toMatch(/^L402 /);
        }
        const prices = { licensing: '0.005 USD', valuation: '0.05 USD', compliance: '0.25 USD' };
        for (const [desk, price] of Object.entries(prices)) {
          const { status, json } = await post(at(`/departments/${desk}`), undefined);
          expect([desk, status, String(json.detail)]).toEqual([desk, 402, expect.stringContaining(price)]);
        }
      });

      it('do a task within the wait, charge for it, and prove it', async () => {
        const before = await balance();
        const { status, json, headers } = await give(proof(), withKey({ prefer: 'wait=20' }));
        expect([status, json.status, json.payment]).toEqual([200, 'COMPLETED', 'delivered']);
        expect(json.taskId).toMatch(TASK_ID);
        expect(json.result).toMatchObject({ status: 'VERIFIED_VALID', proof: expect.any(String) });
        expect(headers.get('payment-receipt')).toBe(json.receipt);
        expect(before - (await balance())).toBe(1_000);
      });

      it('answer at once where that is preferred, and say where the task is', async () => {
        const { status, json, headers } = await give(proof(), withKey({ prefer: 'respond-async' }));
        expect([status, headers.get('preference-applied')]).toEqual([202, 'respond-async']);
        const location = headers.get('location')!;
        expect(location).toBe(`${PROOFS}/tasks/${String(json.taskId)}`);
        expect(await ended(json.taskId)).toMatchObject({ status: 'COMPLETED', payment: 'delivered' });
        const elsewhere = origins[name === 'gateway' ? 'department' : 'gateway'];
        const other = (await (await fetch(elsewhere + location)).json()) as Json;
        expect(other.result.proofRootHash).toBe((await get(location)).json.result.proofRootHash);
      });

      it('stream the events of a task, and go on after the last one a reader has', async () => {
        const { json } = await give(proof(), withKey({ prefer: 'wait=20' }));
        const path = `${PROOFS}/tasks/${String(json.taskId)}`;
        const read = async (headers: Record<string, string> = {}) => {
          const response = await fetch(at(path), { headers: { accept: 'text/event-stream', ...headers } });
          return {
            status: response.status,
            type: response.headers.get('content-type'),
            text: await response.text(),
          };
        };
        const { type, text } = await read();
        expect(type).toBe('text/event-stream; charset=utf-8');
        const ids = [...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id));
        expect(ids.length).toBeGreaterThanOrEqual(3);
        expect(text).toMatch(/event: QUEUED\n[^]*event: COMPLETED\n/);
        const later = await read({ 'last-event-id': String(ids.at(-2)) });
        expect([...later.text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id))).toEqual(ids.slice(-1));
        expect((await read({ 'last-event-id': String(ids.at(-1)) })).status).toBe(204);
        expect((await read({ 'last-event-id': 'x' })).status).toBe(400);
      });

      it('take the same credential and body for the same task, and another body for another payment', async () => {
        const credential = {
          authorization: await paidL402(origins[name], PROOFS, origins.gateway),
          prefer: 'wait=20',
        };
        const body = proof();
        const first = await give(body, credential);
        const again = await give(body, credential);
        expect([first.status, again.status]).toEqual([200, 200]);
        expect(again.json).toEqual(first.json);
        const other = await give(proof(), credential);
        expect([other.status, other.json.code]).toEqual([402, 'PAYMENT_BOUND_ELSEWHERE']);
      });

      it('name the task that holds a payment which is in flight', async () => {
        const authorization = await paidL402(origins[name], PROOFS, origins.gateway);
        const body = proof({ task: { traceData: crypto.randomUUID(), degree: 65_536 } });
        const first = await give(body, { authorization, prefer: 'respond-async' });
        expect(first.status).toBe(202);
        const again = await give(body, { authorization });
        expect([again.status, again.json.code, again.json.taskId]).toEqual([
          409,
          'PAYMENT_IN_FLIGHT',
          first.json.taskId,
        ]);
        expect(again.headers.get('location')).toBe(first.headers.get('location'));
        await fetch(at(first.headers.get('location')!), { method: 'DELETE' });
        await ended(first.json.taskId);
      });

      it('end a task that is cancelled, and give its payment back', async () => {
        const before = await balance();
        const body = proof({ task: { traceData: crypto.randomUUID(), degree: 65_536 } });
        const { json } = await give(body, withKey({ prefer: 'respond-async' }));
        const response = await fetch(at(`${PROOFS}/tasks/${String(json.taskId)}`), { method: 'DELETE' });
        expect([response.status, ((await response.json()) as Json).status]).toEqual([200, 'CANCELLED']);
        expect(await ended(json.taskId)).toMatchObject({ status: 'CANCELLED', payment: 'returned' });
        expect(await balance()).toBe(before);
      });

      const refusals: [string, string, unknown, number, string, string | undefined][] = [
        ['an unknown desk', '/departments/nowhere', proof(), 404, 'NOT_FOUND', undefined],
        [
          'an unknown capability',
          PROOFS,
          proof({ capability: 'zk.guess' }),
          400,
          'VALIDATION_FAILED',
          'capability',
        ],
        ['inputs out of bounds', PROOFS, impossible(), 400, 'VALIDATION_FAILED', 'task.degree'],
        ['no task', PROOFS, { capability: 'zk.prove' }, 400, 'VALIDATION_FAILED', 'task'],
        ['an unknown member', PROOFS, proof({ urgency: 9 }), 400, 'VALIDATION_FAILED', 'urgency'],
        ['a deadline too soon', PROOFS, proof({ deadlineMs: 1 }), 400, 'VALIDATION_FAILED', 'deadlineMs'],
        [
          'an offer that is no session description',
          '/departments/mesh',
          { capability: 'mesh.rendezvous', task: { peerPublicKey: 'ab'.repeat(32), sdpOffer: 'v=0' } },
          422,
          'UNPROCESSABLE',
          'task.sdpOffer',
        ],
        [
          'a callback without TLS',
          PROOFS,
          proof({ callbackUrl: 'http://example.com/' }),
          400,
          'VALIDATION_FAILED',
          'callbackUrl',
        ],
        [
          'a callback to a private address',
          PROOFS,
          proof({ callbackUrl: 'https://10.0.0.1/' }),
          400,
          'VALIDATION_FAILED',
          'callbackUrl',
        ],
        [
          'a callback to a host of the cloud',
          PROOFS,
          proof({ callbackUrl: 'https://169.254.169.254/' }),
          400,
          'VALIDATION_FAILED',
          'callbackUrl',
        ],
      ];
      it.each(refusals)(
        'refuse %s and charge nothing, with a payment and without',
        async (_what, path, body, status, code, field) => {
          const before = await balance();
          for (const headers of [{}, withKey()]) {
            const answer = await post(at(path), body, headers as Record<string, string>);
            expect([answer.status, answer.json.code]).toEqual([status, code]);
            if (field !== undefined) expect((answer.json.errors as Json[])[0].path).toBe(field);
          }
          expect(await balance()).toBe(before);
        },
      );

      it('take files as long as the JSON of one message of the bus, and refuse longer ones uncharged', async () => {
        const before = await balance();
        const send = (bytes: number) => {
          const task = {
            pdfBase64: Buffer.concat([Buffer.from('%PDF-1.7\n'), Buffer.alloc(bytes)]).toString('base64'),
            requirementSetId: 'general-contractor',
          };
          return post(at('/departments/compliance'), { task }, withKey());
        };
        // The desk has read it: it is no certificate.
        const read = await send(2_900_000);
        expect([read.status, (read.json.errors as Json[])[0].path]).toEqual([422, 'task.pdfBase64']);
        const { status, json } = await send(3_000_000);
        expect([status, json.code]).toEqual([413, 'BODY_TOO_LARGE']);
        expect(await balance()).toBe(before);
      });

      it('refuse a key that is none', async () => {
        const { status, json } = await give(proof(), {
          'x-svc-key': `svc_test_${'a'.repeat(20)}_${'b'.repeat(43)}`,
        });
        expect([status, json.code]).toEqual([401, 'UNKNOWN_CREDENTIAL']);
      });

      it('sell a licence as the saga that it is, and the same payment is the same task', async () => {
        const body = { task: { licenseeAgentId: `agent-${crypto.randomUUID()}` } };
        const headers = withKey({ prefer: 'wait=25', 'idempotency-key': crypto.randomUUID() });
        const before = await balance();
        const first = await post(at('/departments/licensing'), body, headers);
        expect([first.status, first.json.status]).toEqual([200, 'COMPLETED']);
        expect(first.json.result).toMatchObject({
          status: 'COMPLETED',
          m2mLicenseToken: expect.stringMatching(/^m2m1\./),
        });
        const again = await post(at('/departments/licensing'), body, headers);
        expect([again.status, again.json.taskId]).toEqual([200, first.json.taskId]);
        expect(before - (await balance())).toBe(5_000);
      });

      it('are paid by unmodified clients: L402 of lightning-tools, the card of mppx, x402 of @x402/fetch', async () => {
        const init = () => ({
          method: 'POST',
          headers: { 'content-type': 'application/json', prefer: 'wait=20' },
          body: JSON.stringify(proof()),
        });
        const wallet = {
          payInvoice: async ({ invoice }: { invoice: string }) => ({
            preimage: await payInvoice(origins.gateway, invoice),
          }),
        };
        const createToken = ({ paymentMethod }: { paymentMethod?: string }) => rails.mintToken(paymentMethod);
        const methods = [stripeMethod({ paymentMethod: 'pm_card_visa', createToken })];
        const paying: [string, () => Promise<Response>][] = [
          ['L402', () => fetchWithL402(at(PROOFS), init(), { wallet })],
          [
            'card',
            () => (Mppx.create({ polyfill: false, methods }).fetch as typeof fetch)(at(PROOFS), init()),
          ],
        ];
        const { chain } = rails;
        if (chain) paying.push(['x402', async () => fetchV2(await fundedWallet(chain))(at(PROOFS), init())]);
        else console.log('SKIPPED: anvil is not installed');
        for (const [rail, call] of paying) {
          const response = await call();
          const task = (await response.json()) as Json;
          expect([rail, response.status, task.status]).toEqual([rail, 200, 'COMPLETED']);
        }
      });

      it('call back once a task has ended, signed by a key that is published', async () => {
        receiver.statuses = [204];
        const { json } = await give(proof({ callbackUrl }), withKey({ prefer: 'wait=20' }));
        const task = await until(
          async () => (await get(`${PROOFS}/tasks/${String(json.taskId)}`)).json,
          ({ callback }) => callback?.state === 'delivered',
        );
        expect(task.callback).toEqual({ url: callbackUrl, state: 'delivered', attempts: 1 });
        const calls = receiver.calls.filter(({ headers }) => headers['webhook-id'] === json.taskId);
        expect(calls).toHaveLength(1);
        const { keys } = (await get('/.well-known/svc-callback-keys.json')).json;
        expect(isSignedBy(calls[0], keys as Json[])).toBe(true);
        expect(isSignedBy({ ...calls[0], body: `${calls[0].body} ` }, keys as Json[])).toBe(false);
        const event = JSON.parse(calls[0].body) as Json;
        expect([event.type, event.data.taskId, event.data.status]).toEqual([
          'task.completed',
          json.taskId,
          'COMPLETED',
        ]);
        expect(event.data.result.proofRootHash).toBe(task.result.proofRootHash);
      });
    });

    it('a callback that fails is tried again, follows no redirect, and says what was wrong', async () => {
      receiver.statuses = [307, 204];
      const url = origins.gateway + PROOFS;
      const { json } = await post(url, proof({ callbackUrl }), withKey({ prefer: 'wait=20' }));
      const read = async () =>
        ((await (await fetch(`${url}/tasks/${String(json.taskId)}`)).json()) as Json).callback as Json;
      const failed = await until(read, ({ lastError }) => lastError !== undefined);
      expect(failed).toMatchObject({ state: 'waiting', attempts: 1, lastError: 'answered 307' });
      await makeDue(json.taskId);
      expect(await until(read, ({ state }) => state === 'delivered')).toMatchObject({ attempts: 2 });
      const calls = receiver.calls.filter(({ headers }) => headers['webhook-id'] === json.taskId);
      expect(calls.map(({ body }) => body)).toEqual([calls[0].body, calls[0].body]);
    });
  });
}
