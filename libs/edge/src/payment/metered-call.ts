import type { PricedCall } from './priced-call.js';
import { type CountedCall, paymentsContract, type QuotaState } from '@svc/contracts';
import { type BusClient, parseOrProblem, runInTurn } from '@svc/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { setTimeout as delay } from 'node:timers/promises';
import { accountKeyOf } from '../account/account-key.js';
import { hangUpSignal } from '../http/hang-up.js';
import { prefersAsync } from '../http/prefer.js';
import { type BurstLimits, bodyBytesOf } from '../rate-limit/burst-limits.js';
import { addressOf } from '../rate-limit/caller.js';
import { CALL_UNITS, unitsOfCall, unitsOfTask } from '../rate-limit/free-work.js';
import { setMonthlyQuota } from '../rate-limit/rate-limit-fields.js';
import { AnswerWithStatus, DeferredAnswer, giveMeteredCall, isHandedOver } from './paid-call.js';
import { JSON_TYPE } from './payment-answer.js';
import { isEmptyBody } from './presented-credential.js';

/** An answer within the quota, or the quota that is used up. */
export type MeteredOutcome =
  | { readonly outcome: 'answered'; readonly body: Buffer }
  | { readonly outcome: 'over'; readonly quota: QuotaState };

/**
 * Runs a call of a metered route within the month's requests of its caller. It is counted before it runs, because many
 * callers share one counter, and taken back where it fails. It stays counted where it is answered, and where its caller hangs
 * up after its work has begun. A task that goes on with the call takes the count over, and takes it back where it fails;
 * both do under the same key, so that it is taken back once. How much work of a caller there is at once and in a window is
 * bounded beside.
 * @throws ProblemError VALIDATION_FAILED before anything is counted; UNKNOWN_CREDENTIAL for a key that is none; RATE_LIMITED
 */
export async function runMetered(
  bus: BusClient,
  bursts: BurstLimits,
  call: PricedCall,
): Promise<MeteredOutcome> {
  const { operation, request, reply, signal } = call;
  const { operationId, body: schema } = operation;
  // An empty body is looked at only where the quota lets the call run: beyond it, it asks what a call costs.
  const isEmpty = isEmptyBody(request.body);
  const read = () => parseOrProblem(schema, request.body);
  const readBefore = isEmpty ? undefined : read();
  const { outcome, subject, quota } = await bus.call(paymentsContract.count, {
    operationId,
    accountKey: accountKeyOf(request.raw),
    address: addressOf(request),
  });
  setMonthlyQuota(reply, quota);
  if (outcome === 'over') return { outcome, quota };
  const { resetsAt } = quota;
  const hungUp = hangUpSignal(reply);
  const ended = signal ? AbortSignal.any([hungUp, signal]) : hungUp;
  const given = giveMeteredCall(request, ended, { counted: { subject, resetsAt } });
  let hasBegun = false;
  const begin = () => {
    ended.throwIfAborted();
    hasBegun = true;
  };
  try {
    const body = isEmpty ? read() : readBefore;
    const turn = { subject: bursts.subjectOf(request), standing: 'later' as const };
    const answered = await runInTurn(turn, () => runCounted(bus, bursts, call, body, begin));
    return { outcome: 'answered', body: answered };
  } catch (error) {
    // A gateway that stops listening closes connections itself: its callers have not hung up.
    const isHangUp = ended.aborted && error === ended.reason && reply.server.server.listening;
    if (hasBegun && isHangUp) throw error;
    const counted = { subject, resetsAt };
    const keyed = { ...counted, callKey: given.taskId };
    const isTakenBack = await uncount(bus, isHandedOver(given) ? keyed : counted);
    if (isTakenBack) setMonthlyQuota(reply, { ...quota, used: quota.used - 1 });
    else void uncountLater(bus, keyed);
    throw error;
  }
}

/**
 * Runs a call that is counted, as far as its caller has not too much done for nothing.
 * @param begin is called when its work begins; throws where nobody waits for that
 * @throws ProblemError RATE_LIMITED
 */
async function runCounted(
  bus: BusClient,
  bursts: BurstLimits,
  { operation: { admit, workOf, workOfClaim }, request, reply, run }: PricedCall,
  body: unknown,
  begin: () => void,
): Promise<Buffer> {
  const work = await bursts.beginWork(request);
  let goesOn: DeferredAnswer['whenEnded'];
  try {
    // An operation whose work goes on under a claim is one that a task can do.
    const isTask = workOfClaim !== undefined && prefersAsync(preferenceOf(request));
    // Before it is looked at: what is refused then was looked at all the same.
    await work.take((isTask ? unitsOfTask : unitsOfCall)(bodyBytesOf(request)));
    const admitted = await admit?.(bus, body, request);
    if (workOf) await work.take(Math.max(0, workOf(admitted) - CALL_UNITS));
    begin();
    request.body = body;
    const result = await run();
    if (result instanceof DeferredAnswer) goesOn = result.whenEnded;
    return sendCounted(reply, result);
  } finally {
    work.end(goesOn);
  }
}

const preferenceOf = ({ headers }: FastifyRequest) => headers.prefer as string | undefined;

/** Waits before a count is taken back again that could not be, ms: as long as payments may be away for a restart. */
const UNCOUNT_AGAIN_MS = [1_000, 5_000, 20_000, 60_000];

/** Whether the count was taken back. The key of the call makes asking again under it safe. */
async function uncount(bus: BusClient, counted: CountedCall & { callKey?: string }): Promise<boolean> {
  try {
    await bus.call(paymentsContract.uncount, counted);
    return true;
  } catch {
    return false;
  }
}

async function uncountLater(bus: BusClient, counted: CountedCall & { callKey: string }): Promise<void> {
  for (const waitMs of UNCOUNT_AGAIN_MS) {
    await delay(waitMs, undefined, { ref: false });
    if (await uncount(bus, counted)) return;
  }
}

/** Runs a call that costs nothing. @throws ProblemError RATE_LIMITED */
export async function runFree(
  bursts: BurstLimits,
  body: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  run: () => Promise<unknown>,
): Promise<Buffer> {
  giveMeteredCall(request, hangUpSignal(reply));
  request.body = body;
  const work = () => run().then(result => sendCounted(reply, result));
  const turn = { subject: bursts.subjectOf(request), standing: 'later' as const };
  return runInTurn(turn, () => bursts.whileFree(request, unitsOfCall(bodyBytesOf(request)), work));
}

function sendCounted(reply: FastifyReply, result: unknown): Buffer {
  reply.header('content-type', JSON_TYPE).header('cache-control', 'private');
  if (result instanceof DeferredAnswer) reply.status(202).headers(result.headers);
  else if (result instanceof AnswerWithStatus) reply.status(result.status);
  else return Buffer.from(JSON.stringify(result), 'utf8');
  return Buffer.from(JSON.stringify(result.body), 'utf8');
}
