import { describe, expect, it } from '@jest/globals';
import {
  accountContract,
  type CoiBatch,
  coiBatchContract,
  departmentTaskContract,
  paymentsContract,
  type Procedure,
} from '@svc/contracts';
import { type BusClient, problem } from '@svc/platform';
import { type BatchCall, CoiBatchTaking } from './coi-batch-taking.js';

const BATCH_ID = `cbt_${'B'.repeat(22)}`;
const taskIdOf = (index: number) => `tsk_${String(index).padStart(22, '0')}`;
const places = (count: number) => Array.from({ length: count }, (_, index) => index);

const callOf = (count: number, idempotencyKey?: string): BatchCall => ({
  documents: places(count).map(index => ({
    fields: { NamedInsured_FullName: `Insured ${index}` },
    attachments: [],
    requirementSetId: 'electrical',
  })),
  holder: { accountId: `acct_${'a'.repeat(20)}`, keyId: 'a'.repeat(16), plan: 'demo', scopes: [] },
  accountKey: 'key',
  idempotencyKey,
});

type Asked = Record<string, any>; // eslint-disable-line @typescript-eslint/no-explicit-any -- of any procedure

/** The services as a test scripts them: who holds which claim, and which tasks there are. */
class Services {
  readonly claimed = new Map<string, 'held' | 'released'>();
  readonly tasks = new Set<string>();
  readonly digests: string[] = [];
  balanceMicroUsd = 100_000_000;
  isCancelled = false;
  cancellations = 0;
  beforeClaim: (index: number) => void = () => undefined;
  beforeSubmit: (index: number) => void = () => undefined;
  /** What happens between the claims and the look at what is left. */
  beforeLook: () => void = () => undefined;

  constructor(private readonly count: number) {}

  readonly bus = { call: async (procedure: Procedure, asked: Asked) => this.answer(procedure, asked) };

  held = () => [...this.claimed].filter(([, state]) => state === 'held').map(([claimId]) => Number(claimId));

  take(call: BatchCall): Promise<CoiBatch> {
    return new CoiBatchTaking(this.bus as unknown as BusClient).take(call);
  }

  private untaken = () =>
    places(this.count)
      .map(index => ({ index, taskId: taskIdOf(index) }))
      .filter(({ taskId }) => !this.isCancelled && !this.tasks.has(taskId));

  private answer(procedure: Procedure, asked: Asked): unknown {
    switch (procedure) {
      case accountContract.account:
        return { balanceMicroUsd: this.balanceMicroUsd };
      case coiBatchContract.openBatch:
        return { batchId: BATCH_ID, untaken: this.untaken() };
      case coiBatchContract.untakenDocuments:
        this.beforeLook();
        return { untaken: this.untaken() };
      case paymentsContract.claim: {
        const index = Number((asked.idempotencyKey as string).slice(BATCH_ID.length + 1));
        this.beforeClaim(index);
        this.digests.push(asked.requestDigest as string);
        this.claimed.set(String(index), 'held');
        const receipt = { headers: { 'Payment-Receipt': `receipt ${index}` } };
        return { outcome: 'claimed', claimId: String(index), attempt: 1, canBeGivenUp: true, receipt };
      }
      case paymentsContract.release:
        this.claimed.set(asked.claimId as string, 'released');
        return { released: true };
      case departmentTaskContract.submitTask:
        this.beforeSubmit(Number(asked.payment.claim.claimId));
        this.tasks.add(asked.taskId as string);
        return {};
      case coiBatchContract.cancelBatch:
        this.cancellations++;
        return { batchId: BATCH_ID, status: 'ENDED', cancelledAt: 'now' };
      default:
        return { batchId: BATCH_ID, status: 'RUNNING', ...(this.isCancelled && { cancelledAt: 'now' }) };
    }
  }
}

describe('taking a batch', () => {
  it('gives every document, paid, to its task, and binds documents that are alike to their places', async () => {
    const services = new Services(20);
    await services.take(callOf(20));
    expect([...services.tasks].sort()).toEqual(places(20).map(taskIdOf));
    expect(services.held()).toHaveLength(20);
    expect(new Set(services.digests).size).toBe(20);
  });

  it('begins no claim where the balance does not cover what is left', async () => {
    for (const idempotencyKey of [undefined, 'key']) {
      const services = new Services(4);
      services.balanceMicroUsd = 999_999;
      await expect(services.take(callOf(4, idempotencyKey))).rejects.toMatchObject({
        code: 'PAYMENT_INSUFFICIENT',
      });
      expect(services.claimed.size).toBe(0);
    }
  });

  it('asks the balance for what is left alone', async () => {
    const services = new Services(4);
    services.balanceMicroUsd = 250_000;
    for (const index of [0, 1, 3]) services.tasks.add(taskIdOf(index));
    await services.take(callOf(4, 'key'));
    expect(services.held()).toEqual([2]);
  });

  it('gives every claim back where one is refused, before any document is given to the desk', async () => {
    const services = new Services(40);
    services.beforeClaim = index => {
      if (index === 25) throw problem('PAYMENT_INSUFFICIENT', 'spent meanwhile');
    };
    await expect(services.take(callOf(40))).rejects.toMatchObject({
      code: 'PAYMENT_INSUFFICIENT',
      payload: { extensions: { batchId: BATCH_ID } },
    });
    expect(services.claimed.size).toBeGreaterThan(20);
    expect([services.held(), services.tasks.size]).toEqual([[], 0]);
  });

  it('leaves a batch alone that another call is taking, and does not say which claim that has', async () => {
    const services = new Services(3);
    services.beforeClaim = () => {
      throw problem('PAYMENT_IN_FLIGHT', 'running', { extensions: { claimId: 'secret', attempt: 1 } });
    };
    const refusal = services.take(callOf(3, 'key'));
    await expect(refusal).rejects.toMatchObject({ code: 'PAYMENT_IN_FLIGHT' });
    await refusal.catch((error: { payload: { extensions: object } }) =>
      expect(error.payload.extensions).toEqual({ batchId: BATCH_ID, batch: `/coi/batches/${BATCH_ID}` }),
    );
    expect(services.claimed.size).toBe(0);
  });

  it('gives back what it paid for documents that another call took before', async () => {
    const services = new Services(5);
    services.beforeLook = () => [1, 2].forEach(index => services.tasks.add(taskIdOf(index)));
    const submitted: number[] = [];
    services.beforeSubmit = index => void submitted.push(index);
    await services.take(callOf(5, 'key'));
    expect(services.held()).toEqual([0, 3, 4]);
    expect(submitted.sort()).toEqual([0, 3, 4]);
  });

  it('keeps what the desk took and gives the rest back where it refuses', async () => {
    const services = new Services(30);
    services.beforeSubmit = index => {
      if (index >= 10) throw problem('QUEUE_FULL', 'full', { retryAfterSeconds: 5 });
    };
    await expect(services.take(callOf(30))).rejects.toMatchObject({
      code: 'QUEUE_FULL',
      payload: { retryAfterSeconds: 5 },
    });
    expect(services.held().map(taskIdOf).sort()).toEqual([...services.tasks].sort());
    expect(services.tasks.size).toBe(10);
  });

  it('sends a document again whose desk did not answer, and leaves its claim to its lease at last', async () => {
    const services = new Services(10);
    let tries = 0;
    services.beforeSubmit = index => {
      if (index === 5 && ++tries <= 2) throw problem('TIMEOUT', 'no answer');
    };
    await services.take(callOf(10));
    expect([tries, services.tasks.size]).toEqual([3, 10]);

    const away = new Services(10);
    away.beforeSubmit = index => {
      if (index === 5) throw problem('SERVICE_UNAVAILABLE', 'away');
    };
    await expect(away.take(callOf(10))).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    // It may have a task, which holds the claim.
    expect(away.held()).toContain(5);
    expect(
      away
        .held()
        .filter(index => index !== 5)
        .map(taskIdOf),
    ).toEqual([...away.tasks].sort());
  });

  it('takes nothing for a batch that was cancelled, and cancels what was taken meanwhile', async () => {
    const cancelled = new Services(5);
    cancelled.isCancelled = true;
    await cancelled.take(callOf(5, 'key'));
    expect(cancelled.claimed.size).toBe(0);

    const services = new Services(5);
    services.beforeSubmit = index => {
      if (index === 4) services.isCancelled = true;
    };
    expect(await services.take(callOf(5, 'key'))).toMatchObject({ status: 'ENDED' });
    expect(services.cancellations).toBe(1);
  });
});
