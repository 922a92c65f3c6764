import 'reflect-metadata';
import type { FactoryProvider, Provider } from '@nestjs/common';
import { canonicalDigest } from '@svc/audit-proof';
import type { ProofOrder } from '@svc/contracts';
import type { SealedJson } from '@svc/platform';
import { createCipheriv, createHmac, hkdfSync } from 'node:crypto';
import { ReplySeal } from '../execution/reply-seal.js';
import { JobOrders } from '../jobs/job-orders.js';
import { JOB_RESULTS, type JobStore } from '../jobs/job-store.js';
import { ProverModule } from '../prover.module.js';
import { AUDIT_SIGNING_SEEDS } from './signing-keys.js';

const SECRET = 'a-secret-of-the-tests-of-32-characters';
const secrets = { [AUDIT_SIGNING_SEEDS]: SECRET };

/** What each purpose is derived by: proofs that were sold, jobs that wait and calls that are kept depend on it. */
const PURPOSES = {
  signing: 'svc/audit-signing-key/v2',
  orders: 'svc/proof-job-order/v1',
  replies: 'svc/idempotent-reply/v1',
  requests: 'svc/idempotent-request/v1',
} as const;
const derived = (purpose: keyof typeof PURPOSES) =>
  Buffer.from(hkdfSync('sha256', SECRET, '', PURPOSES[purpose], 32));

/** nonce ‖ tag ‖ ciphertext, as an earlier release left it in a row. */
function sealedBefore(purpose: keyof typeof PURPOSES, value: unknown, boundTo: Buffer): Buffer {
  const nonce = Buffer.alloc(12, 7);
  const cipher = createCipheriv('aes-256-gcm', derived(purpose), nonce).setAAD(boundTo);
  const sealed = Buffer.concat([cipher.update(JSON.stringify(value)), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]);
}

const order: ProofOrder = {
  operationId: 'zk.prove',
  request: { traceData: 'hello', degree: 1024, friBlowup: 8 },
};

it('opens what jobs were asked before, under the key of that purpose and no other', async () => {
  const orders = (sealed: Buffer) =>
    new JobOrders({ sealedOrderOf: async () => sealed } as unknown as JobStore, { secrets });
  const bound = Buffer.from('job_1');
  const own = orders(Buffer.alloc(0)).seal('job_1', { order });
  expect(await orders(own).of('job_1')).toMatchObject({ order });
  expect(await orders(sealedBefore('orders', { order }, bound)).of('job_1')).toMatchObject({ order });
  for (const other of ['signing', 'replies', 'requests'] as const) {
    await expect(orders(sealedBefore(other, { order }, bound)).of('job_1')).rejects.toThrow(
      'cannot be opened',
    );
  }
});

it('knows requests and opens replies of before, each under the key of its purpose', () => {
  const seal = new ReplySeal({ secrets });
  const request = { tool: 'zk_prove_spatial', input: { coordinates: [1, 2] } };
  const mac = createHmac('sha256', derived('requests')).update(canonicalDigest(request)).digest();
  expect(seal.digestsOf(request)).toEqual([mac]);
  const bound = Buffer.from('ab'.repeat(32), 'hex');
  expect(seal.open('ab'.repeat(32), sealedBefore('replies', { answer: 42 }, bound))).toEqual({ answer: 42 });
  for (const other of ['signing', 'orders', 'requests'] as const) {
    expect(() => seal.open('ab'.repeat(32), sealedBefore(other, {}, bound))).toThrow('cannot be opened');
  }
});

it('opens the result of a job as it lies sealed in a row of before', () => {
  const providers = Reflect.getMetadata('providers', ProverModule) as Provider[];
  const provider = providers.find(each => 'provide' in each && each.provide === JOB_RESULTS);
  const results = (provider as FactoryProvider<SealedJson>).useFactory({ secrets }) as SealedJson;
  const $sealed = 'BwcHBwcHBwcHBwcHEO2qzQeaIGyt/uPDPEUd+X9Jho6pnHyJG42xxuV4Rqg=';
  expect(results.openObject({ $sealed }, 'job_1')).toEqual({ proof: 'AAEC' });
  expect(() => results.openObject({ $sealed }, 'job_2')).toThrow('cannot be opened');
});
