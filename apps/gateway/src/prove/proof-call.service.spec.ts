import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { type Procedure, PROVE_TIMEOUT_MS, type ProofJob, type ProofOrder } from '@svc/contracts';
import { type BusClient, problem } from '@svc/platform';
import { AnswerOfPayment, DeferredAnswer, type PaidCall } from '@svc/edge';
import { ProofCallService } from './proof-call.service.js';

const ORDER: ProofOrder = {
  operationId: 'zk.prove',
  request: { traceData: 'x', degree: 64, friBlowup: 8 },
};
const JOB = { jobId: `job_${'A'.repeat(22)}`, state: 'running', payment: 'held' } as ProofJob;

/** A prover whose jobs run for ever, and a clock that goes on as far as each question for events waits. */
function proverAt(job: ProofJob) {
  let nowMs = 0;
  jest.spyOn(performance, 'now').mockImplementation(() => nowMs);
  const asked: { name: string; request: Record<string, unknown> }[] = [];
  const call = (
    { subject }: Procedure,
    request: Record<string, unknown>,
    options?: { signal: AbortSignal },
  ) => {
    const name = subject.split('.').pop()!;
    asked.push({ name, request });
    if (name !== 'job-events') return Promise.resolve(job);
    if (options?.signal.aborted) return Promise.reject(options.signal.reason as Error);
    nowMs += request.waitMs as number;
    return Promise.resolve({ events: [{ seq: asked.length }], ended: job.payment !== 'held' });
  };
  return { service: new ProofCallService({ call } as unknown as BusClient), asked, now: () => nowMs };
}

function paidCall(canBeGivenUp: boolean, signal = new AbortController().signal): PaidCall {
  const amounts = { amountMicroUsd: 1_000, amountSats: 2, timestamp: '2026-04-02T00:00:00.000Z' };
  const receipt = { rail: 'l402', reference: 'r', headers: {}, ...amounts };
  return { claim: { claimId: 'claim', attempt: 5, receipt, canBeGivenUp }, signal };
}
const atOnce = () => Promise.resolve('at once');

describe('a proof that is asked for', () => {
  afterEach(() => void jest.restoreAllMocks());

  it('is made at once, or as a job where that is preferred, while its payment can be given back', async () => {
    const { service, asked } = proverAt(JOB);
    expect(await service.answer(ORDER, undefined, paidCall(true), atOnce)).toBe('at once');
    expect(asked).toEqual([]);
    const answer = await service.answer(ORDER, 'respond-async', paidCall(true), atOnce);
    expect(answer).toBeInstanceOf(DeferredAnswer);
  });

  it('is waited for as long as for any proof where its payment cannot, and goes on afterwards', async () => {
    const { service, asked, now } = proverAt(JOB);
    expect(await service.answer(ORDER, undefined, paidCall(false), atOnce)).toBeInstanceOf(AnswerOfPayment);
    expect(now()).toBe(PROVE_TIMEOUT_MS);
    expect(asked[0]).toMatchObject({ name: 'start-job', request: { claim: { canBeGivenUp: false } } });
    const questions = asked.filter(({ name }) => name === 'job-events').map(({ request }) => request);
    // Each from the last event of the one before.
    expect(questions.map(({ after }) => after)).toEqual(questions.map((_, i) => (i === 0 ? 0 : i + 1)));
    expect(new Set(asked.map(({ name }) => name))).toEqual(new Set(['start-job', 'job-events', 'job']));
  });

  it('is left alone where the client hangs up on such a call', async () => {
    const caller = new AbortController();
    caller.abort(problem('CONFLICT', 'The client hung up'));
    const { service, asked } = proverAt(JOB);
    const answer = await service.answer(ORDER, undefined, paidCall(false, caller.signal), atOnce);
    expect(answer).toBeInstanceOf(AnswerOfPayment);
    expect(asked.map(({ name }) => name)).toEqual(['start-job', 'job-events']);
  });

  it.each<[Partial<ProofJob>, string]>([
    [{ state: 'failed', problem: { code: 'UNPROCESSABLE', detail: 'broken' } }, 'UNPROCESSABLE'],
    [{ state: 'cancelled' }, 'CONFLICT'],
  ])('fails as its job where the payment was returned: %j', async (end, code) => {
    const { service } = proverAt({ ...JOB, ...end, payment: 'returned' });
    await expect(service.answer(ORDER, undefined, paidCall(false), atOnce)).rejects.toMatchObject({ code });
  });
});
