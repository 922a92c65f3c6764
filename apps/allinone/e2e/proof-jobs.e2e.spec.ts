import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { ProofJob, ProofJobEvent } from '@svc/contracts';
import { WorkLane } from '@svc/platform';
import { byTier } from '@svc/platform/testing';
import { verify } from '@svc/stark-verifier';
import { Client } from 'pg';
import { setTimeout as delay } from 'node:timers/promises';
import { paidL402, post } from './paid-call.js';
import { everyBus, type ProofServices, startProofServices } from './proof-service-fixture.js';
import { describeSoldProof } from './sold-proof.cases.js';

const SMALL = { traceData: '0x48656c6c6f', degree: 64 };
/** More work than any test waits for, in the lane of the large. */
const LARGE = { traceData: 'large', degree: 2 ** 19 };
/** How soon the other prover hears of a cancellation, by the time in use; and a proof that takes longer on any machine. */
const [PACE, MEDIUM_DEGREE] = byTier([20, 2 ** 15], [1, 2 ** 18]);
const MEDIUM = { traceData: 'medium', degree: MEDIUM_DEGREE };
const ASYNC = { prefer: 'respond-async' };

interface ReadEvent {
  readonly id: string;
  readonly name: string;
  readonly data: ProofJobEvent;
}

/** The events of one stream, as far as it goes. */
async function readEvents(url: string, lastEventId?: string): Promise<ReadEvent[]> {
  const headers: Record<string, string> = lastEventId === undefined ? {} : { 'last-event-id': lastEventId };
  const response = await fetch(url, { headers });
  expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/);
  const blocks = (await response.text()).split('\n\n').filter(block => block.includes('data: '));
  return blocks.map(block => {
    const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)![1];
    return { id: field('id'), name: field('event'), data: ProofJobEvent.parse(JSON.parse(field('data'))) };
  });
}

/** One bus at commit, where NATS has the queue's own suite and seven processes; every bus in the long tier. */
const KINDS = byTier<typeof everyBus>(() => ['memory'], everyBus)();

describe.each(KINDS)('proofs that outlive their call, with two provers on the %s bus', kind => {
  let services: ProofServices;
  beforeAll(async () => {
    services = await startProofServices(kind, 2, PACE);
  });
  afterAll(() => services?.close());

  const prove = (body: unknown, headers: Record<string, string>) =>
    post(`${services.address}/v1/zk/prove`, body, headers);
  const paid = () => paidL402(services.address);
  const read = async (path: string, init?: RequestInit) => {
    const response = await fetch(`${services.address}${path}`, init);
    return { status: response.status, json: (await response.json()) as Record<string, unknown> };
  };
  async function jobOf(path: string): Promise<ProofJob> {
    const job = ProofJob.parse((await read(path)).json);
    const hasEnded = ['succeeded', 'failed', 'cancelled'].includes(job.state);
    // Whoever sees a job ended may count on its payment.
    expect([hasEnded, job.endedAt !== undefined]).toEqual(Array(2).fill(job.payment !== 'held'));
    return job;
  }
  async function until(path: string, holds: (job: ProofJob) => boolean): Promise<ProofJob> {
    for (;;) {
      const job = await jobOf(path);
      if (holds(job)) return job;
      await delay(20);
    }
  }
  /** Asks for a job; its path. */
  async function order(body: unknown, authorization: string): Promise<string> {
    const { status, headers, json } = await prove(body, { authorization, ...ASYNC });
    expect([status, headers.get('preference-applied')]).toEqual([202, 'respond-async']);
    const path = headers.get('location')!;
    expect(path).toBe(`/v1/stark/jobs/${json.jobId as string}`);
    expect(ProofJob.parse(json)).toMatchObject({ operationId: 'zk.prove', payment: 'held' });
    expect(headers.get('payment-receipt')).toBeNull();
    return path;
  }

  it('gives a job at once, its proof when it is made, and the whole answer to the credential', async () => {
    const authorization = await paid();
    const path = await order(SMALL, authorization);
    const job = await until(path, ({ payment }) => payment === 'delivered');
    expect(job).toMatchObject({ state: 'succeeded', stagesDone: 9, stageCount: 9 });
    const proof = new Uint8Array(
      await (await fetch(`${services.address}/v1/stark/proofs/${job.proofId!}`)).arrayBuffer(),
    );
    const { airId, publicInputs } = job.result as { airId: string; publicInputs: unknown };
    expect(verify({ proof, airId, publicInputs, traceLength: 64 })).toMatchObject({ valid: true });

    const { status, json, headers } = await prove(SMALL, { authorization });
    expect([status, json.status]).toEqual([200, 'VERIFIED_VALID']);
    expect(json).toEqual({ ...job.result, proof: Buffer.from(proof).toString('base64') });
    expect(headers.get('payment-receipt')).toBeTruthy();
  });

  it('streams each stage once and in order, goes on after the last event that was read, and ends with the job', async () => {
    const path = await order(SMALL, await paid());
    const events = await readEvents(`${services.address}${path}/events`);
    expect(events.map(({ id }) => Number(id))).toEqual(events.map((_, i) => i + 1));
    expect(events.map(({ name }) => name).filter((name, i, all) => name !== all[i - 1])).toEqual([
      'queued',
      'running',
      'settling',
      'succeeded',
    ]);
    const stages = events.map(({ data }) => data.stage).filter(stage => stage !== undefined);
    expect(stages).toEqual([
      'execute',
      'commit-trace',
      'commit-composition',
      'out-of-domain',
      'deep',
      'fri',
      'grind',
      'open',
      'verify',
    ]);
    const done = events.map(({ data }) => data.stagesDone);
    expect(done).toEqual([...done].sort((a, b) => a - b));

    const later = await readEvents(`${services.address}${path}/events`, '5');
    expect(later).toEqual(events.slice(5));
    const last = events.at(-1)!;
    expect(last.data.proofId).toBe((await jobOf(path)).proofId);
    const over = await fetch(`${services.address}${path}/events`, { headers: { 'last-event-id': last.id } });
    expect(over.status).toBe(204);
  });

  it('ends a job that is cancelled, and its payment buys another answer', async () => {
    const authorization = await paid();
    const path = await order(LARGE, authorization);
    expect((await prove(LARGE, { authorization })).json.code).toBe('PAYMENT_IN_FLIGHT');
    await until(path, ({ state }) => state === 'running');
    const events = readEvents(`${services.address}${path}/events`);
    const { status, json } = await read(path, { method: 'DELETE' });
    expect(status).toBe(200);
    expect(['cancelling', 'cancelled']).toContain(json.state);
    const job = await until(path, ({ payment }) => payment === 'returned');
    expect(job).toMatchObject({ state: 'cancelled' });
    expect(job.proofId).toBeUndefined();
    expect((await events).at(-1)).toMatchObject({ name: 'cancelled' });
    expect((await read(path, { method: 'DELETE' })).status).toBe(200);
    expect((await prove(SMALL, { authorization })).status).toBe(200);
  });

  it('is named in the 409 of its request with its credential, so that a lost 202 can be followed, and in no other', async () => {
    const authorization = await paid();
    const path = await order(LARGE, authorization);
    const jobId = path.split('/').at(-1)!;
    const again = await prove(LARGE, { authorization });
    expect([again.status, again.json.code]).toEqual([409, 'PAYMENT_IN_FLIGHT']);
    expect([again.headers.get('location'), again.json.jobId]).toEqual([path, jobId]);
    expect(again.json).not.toHaveProperty('claimId');

    const unproven = authorization.replace(/:.*/, `:${'0'.repeat(64)}`);
    for (const [body, credential] of [
      [SMALL, authorization],
      [LARGE, unproven],
      [LARGE, await paid()],
    ] as const) {
      const other = await prove(body, { authorization: credential, ...ASYNC });
      expect([other.status, other.text.includes(jobId)]).not.toEqual([409, true]);
      expect(other.headers.get('location')).not.toBe(path);
      if (other.status === 202) await read(other.headers.get('location')!, { method: 'DELETE' });
    }
    expect((await read(again.headers.get('location')!, { method: 'DELETE' })).status).toBe(200);
    await until(path, ({ payment }) => payment === 'returned');
  });

  /** A payment of which as many proofs have been cancelled at work as may be. */
  async function paidAndGivenUp(): Promise<string> {
    const authorization = await paid();
    for (let times = 0; times < 3; times++) {
      const path = await order(MEDIUM, authorization);
      await until(path, ({ state }) => state === 'running');
      expect((await read(path, { method: 'DELETE' })).status).toBe(200);
      await until(path, ({ payment }) => payment === 'returned');
    }
    return authorization;
  }

  it('is made to its end after three of its payment were cancelled at work, and its answer is the payment’s', async () => {
    const authorization = await paidAndGivenUp();
    const path = await order(MEDIUM, authorization);
    await until(path, ({ state }) => state === 'running');
    const { status, json } = await read(path, { method: 'DELETE' });
    expect([status, json.code, json.state]).toEqual([409, 'CONFLICT', 'running']);
    const job = await until(path, ({ endedAt }) => endedAt !== undefined);
    expect(job).toMatchObject({ state: 'succeeded', payment: 'delivered' });
    const answer = await prove(MEDIUM, { authorization });
    expect([answer.status, answer.json.proofId]).toEqual([200, job.proofId]);
  });

  it('is waited for by a call whose payment cannot be given up any more, and answers it as any proof does', async () => {
    const authorization = await paidAndGivenUp();
    const first = await prove(MEDIUM, { authorization });
    expect([first.status, first.json.status]).toEqual([200, 'VERIFIED_VALID']);
    expect(first.headers.get('payment-receipt')).toBeTruthy();
    const second = await prove(MEDIUM, { authorization });
    expect([second.status, second.text]).toEqual([200, first.text]);
  });

  it('is what a caller gets that hung up three times: the fourth proof outlives it, and is the payment’s', async () => {
    const authorization = await paid();
    const payments = new Client({ connectionString: services.postgres.urlFor('payments') });
    await payments.connect();
    /** Until the claim is so, or `isOver`. */
    const untilClaimIs = async (state: string, givenUpCount: number, isOver = () => false) => {
      const newest =
        'SELECT state, given_up_count AS times FROM payments.payment_claim ORDER BY claimed_at DESC LIMIT 1';
      while (!isOver()) {
        const { rows } = await payments.query<{ state: string; times: number }>(newest);
        if (rows[0]?.state === state && rows[0].times === givenUpCount) return;
        // What is delivered will not be given back any more.
        if (state === 'credited') expect(rows[0]?.state).not.toBe('delivered');
        await delay(10);
      }
    };
    /** Asks for a proof and leaves; what is said of its payment meanwhile. */
    const hangUp = async (times: number, isEnough: (location: string | null) => boolean) => {
      const caller = new AbortController();
      const { signal } = caller;
      const headers = { 'content-type': 'application/json', authorization };
      const init = { method: 'POST', headers, body: JSON.stringify(MEDIUM), signal };
      const ask = async () => {
        const { status } = await fetch(`${services.address}/v1/zk/prove`, init);
        return status;
      };
      let answered: number | undefined;
      let call: Promise<number>;
      do {
        answered = undefined;
        call = ask();
        call.then(
          status => (answered = status),
          () => undefined,
        );
        await untilClaimIs('claimed', times, () => answered !== undefined);
        // What was asked before has places kept for a moment yet: without one nothing is taken, and the caller asks again.
      } while (answered === 503);
      expect(answered).toBeUndefined();
      let location: string | null;
      do {
        const { json, headers: said } = await prove(MEDIUM, { authorization });
        expect(json.code).toBe('PAYMENT_IN_FLIGHT');
        location = said.get('location');
      } while (!isEnough(location));
      caller.abort();
      await expect(call).rejects.toThrow();
      return location!;
    };
    try {
      for (let times = 0; times < 3; times++) {
        expect(await hangUp(times, () => true)).toBeNull();
        await untilClaimIs('credited', times + 1);
      }
      const path = await hangUp(3, location => location !== null);
      const job = await until(path, ({ endedAt }) => endedAt !== undefined);
      expect(job).toMatchObject({ state: 'succeeded', payment: 'delivered' });
      const answer = await prove(MEDIUM, { authorization });
      expect([answer.status, answer.json.proofId]).toEqual([200, job.proofId]);
    } finally {
      await payments.end();
    }
  });

  it.each([
    ['/v1/stark/prove-goldilocks', '0xffffffff00000001', 'P100'],
    ['/v1/stark/prove-m31', '0x7fffffff', 'm31'],
  ])('sells %s at once and as a job, with every field of the tool', async (path, fieldPrimeHex, set) => {
    const body = { publicInputs: ['0x2a'], privateWitness: ['7'], contextDomain: 'demo' };
    const buy = async (headers: Record<string, string> = {}) => {
      const authorization = await paidL402(services.address, path);
      return {
        authorization,
        answer: await post(`${services.address}${path}`, body, { authorization, ...headers }),
      };
    };
    const { answer } = await buy();
    expect(answer).toMatchObject({
      status: 200,
      json: {
        ...{ verified: true, fieldPrimeHex, statement: 'binding', parameterSet: set },
        ...{ executionTimeMs: expect.any(Number), friQueryProofBytes: expect.any(Number) },
        ...{ securityLevelBits: expect.any(Number), opening: { salt: expect.any(String) } },
        starkRootCommitment: expect.stringMatching(/^0x/),
        paymentReceipt: answer.headers.get('payment-receipt'),
      },
    });
    const { proof, publicInputs, airId, contextDomain } = answer.json;
    const verdict = await post(`${services.address}/v1/stark/verify-proof`, {
      ...{ proof, publicInputs, airId, contextDomain },
    });
    expect(verdict.json).toMatchObject({ valid: true, parameterSet: set });

    const job = await buy(ASYNC);
    expect(job.answer.status).toBe(202);
    const ended = await until(job.answer.headers.get('location')!, ({ payment }) => payment !== 'held');
    expect(ended).toMatchObject({ state: 'succeeded', operationId: path.replace('/v1/stark/', 'stark.') });
    const whole = await post(`${services.address}${path}`, body, { authorization: job.authorization });
    // What opens the commitment is the payer's alone: not of whoever the job is shown to.
    const { opening } = job.answer.json;
    expect([opening, ended.opening]).toEqual([{ salt: expect.any(String) }, undefined]);
    expect(ended.result).not.toHaveProperty('opening');
    expect(whole.json).toEqual({ ...ended.result, opening, proof: expect.any(String) });
    expect(whole.json.paymentReceipt).toBe(whole.headers.get('payment-receipt'));
  });

  it('is settling, and has not ended, until the payments service has recorded its delivery', async () => {
    const authorization = await paid();
    const payments = new Client({ connectionString: services.postgres.urlFor('payments') });
    await payments.connect();
    try {
      const path = await order({ ...SMALL, degree: MEDIUM_DEGREE }, authorization);
      await payments.query('BEGIN');
      await payments.query(`SELECT 1 FROM payments.payment_claim WHERE state = 'claimed' FOR UPDATE`);
      const job = await until(path, ({ state }) => state === 'settling');
      expect(job).toMatchObject({ payment: 'held', stagesDone: 9, proofId: expect.any(String) });
      expect((await read(path, { method: 'DELETE' })).status).toBe(409);
      const events = readEvents(`${services.address}${path}/events`);
      expect((await prove(SMALL, { authorization })).json.code).toBe('PAYMENT_BOUND_ELSEWHERE');
      expect(await jobOf(path)).toEqual(job);
      await payments.query('COMMIT');
      expect((await events).at(-1)).toMatchObject({ name: 'succeeded' });
      expect(await jobOf(path)).toMatchObject({ state: 'succeeded', payment: 'delivered' });
    } finally {
      await payments.end();
    }
  });

  it('refuses to cancel what has succeeded', async () => {
    const path = await order(SMALL, await paid());
    await until(path, ({ state }) => state === 'succeeded');
    const { status, json } = await read(path, { method: 'DELETE' });
    expect([status, json.code, json.state]).toEqual([409, 'CONFLICT', 'succeeded']);
  });

  it('makes a small proof while a large one is being made', async () => {
    const path = await order(LARGE, await paid());
    await until(path, ({ state }) => state === 'running');
    const { status } = await prove(SMALL, { authorization: await paid() });
    expect([status, (await jobOf(path)).state]).toEqual([200, 'running']);
    await read(path, { method: 'DELETE' });
    await until(path, ({ payment }) => payment !== 'held');
  });

  it('ends the proof of a caller that hangs up, and gives its payment back', async () => {
    const authorization = await paid();
    const caller = new AbortController();
    const run = jest.spyOn(WorkLane.prototype, 'run');
    const hungUp = fetch(`${services.address}/v1/zk/prove`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization },
      body: JSON.stringify(LARGE),
      signal: caller.signal,
    });
    while (run.mock.calls.length === 0) await delay(5);
    run.mockRestore();
    caller.abort();
    await expect(hungUp).rejects.toThrow();
    const codes = new Set<unknown>();
    for (;;) {
      const { status, json } = await prove(SMALL, { authorization });
      if (status === 200) break;
      codes.add(json.code);
      await delay(20);
    }
    // Until it is given back, the payment is the first request's.
    codes.delete('PAYMENT_BOUND_ELSEWHERE');
    expect([...codes]).toEqual([]);
  });

  it('does not say of a payment that a later request has taken over that it was returned', async () => {
    const authorization = await paid();
    const path = await order(LARGE, authorization);
    const database = new Client({ connectionString: services.postgres.urlFor('prover') });
    await database.connect();
    try {
      // A job of the attempt before, whose process died: nobody renews its lease.
      const { rowCount } = await database.query(
        `INSERT INTO prover.proof_job SELECT 'job_' || repeat('D', 22), operation_id, 'running', 2, 0, NULL,
           'held', claim_id, claim_attempt - 1, receipt, NULL, NULL, NULL, now() - interval '1 s'
           FROM prover.proof_job WHERE job_id = $1`,
        [path.split('/').at(-1)],
      );
      expect(rowCount).toBe(1);
    } finally {
      await database.end();
    }
    const dead = await until(`/v1/stark/jobs/job_${'D'.repeat(22)}`, ({ payment }) => payment !== 'held');
    expect(dead).toMatchObject({
      state: 'failed',
      payment: 'superseded',
      problem: { code: 'SERVICE_UNAVAILABLE' },
    });
    // The later request's job holds the payment, or has been paid with it by now.
    expect(['held', 'delivered']).toContain((await jobOf(path)).payment);
    await read(path, { method: 'DELETE' });
    await until(path, ({ payment }) => payment !== 'held');
  });

  it('answers 404 for an id that was never given, and 400 for what is no id', async () => {
    const unknown = `/v1/stark/jobs/job_${'A'.repeat(22)}`;
    for (const [path, init] of [
      [unknown, undefined],
      [unknown, { method: 'DELETE' }],
      [`${unknown}/events`, undefined],
    ] as const) {
      const { status, json } = await read(path, init);
      expect([status, json.code]).toEqual([404, 'NOT_FOUND']);
    }
    const malformed = await read('/v1/stark/jobs/42');
    expect([malformed.status, malformed.json.code]).toEqual([400, 'VALIDATION_FAILED']);
    const badId = await read(`${unknown}/events`, { headers: { 'last-event-id': 'x' } });
    expect([badId.status, badId.json.errors]).toMatchObject([400, [{ path: 'Last-Event-ID' }]]);
  });

  describeSoldProof(() => services, { degree: 64, charactersMin: 100_000 });
});
