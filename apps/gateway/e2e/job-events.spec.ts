import { Controller } from '@nestjs/common';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { type ParsedRequestOf, proofJobContract } from '@svc/contracts';
import { Handle, MemoryBus, type RunningService } from '@svc/platform';
import type { RunningGateway } from '../src/start-gateway.js';
import { startGatewayOn, startServiceOn } from './gateway-under-test.js';

const PATH = `/v1/stark/jobs/job_${'A'.repeat(22)}/events`;
const event = (seq: number) => ({
  ...{ seq, at: '2026-04-02T00:00:00.000Z' },
  ...{ state: 'running' as const, stagesDone: 0, stageCount: 9 },
});

/** Answers each question for events as soon as a test says what the answer is. */
const asked: number[] = [];
let answer: (question: number) => Promise<{ events: ReturnType<typeof event>[]; ended: boolean }>;

@Controller()
class ScriptedJobs {
  @Handle(proofJobContract.jobEvents)
  jobEvents({ after }: ParsedRequestOf<typeof proofJobContract.jobEvents>) {
    return answer(asked.push(after));
  }
}

/** Questions that get no answer before the end of the test. */
let unanswered: Promise<{ events: never[]; ended: true }>;
let answerThem: () => void;
let prover: RunningService;
let gateway: RunningGateway;
beforeEach(async () => {
  asked.length = 0;
  unanswered = new Promise(resolve => (answerThem = () => resolve({ events: [], ended: true })));
  const bus = new MemoryBus();
  prover = await startServiceOn(bus, 'prover', { controllers: [ScriptedJobs] });
  gateway = await startGatewayOn(bus);
});
afterEach(async () => {
  answerThem();
  await gateway.close();
  await prover.close();
});

test('a stream asks on from its last event, and ends with the job', async () => {
  answer = async question =>
    [
      { events: [event(8)], ended: false },
      { events: [], ended: false },
      { events: [event(9), event(10)], ended: false },
      { events: [], ended: true },
    ][question - 1];
  const response = await fetch(`${gateway.address}${PATH}`, { headers: { 'last-event-id': '7' } });
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
  expect(response.headers.get('cache-control')).toBe('no-store');
  const text = await response.text();
  expect(text.match(/^id: \d+$/gm)).toEqual(['id: 8', 'id: 9', 'id: 10']);
  expect(text).toContain(': nothing new\n\n');
  expect(asked).toEqual([7, 8, 8, 10]);
});

test('a stream ends where the prover goes away, and its reader can come back', async () => {
  answer = async question => {
    if (question === 1) return { events: [event(1)], ended: false };
    throw new Error('postgres://user:hunter2@db');
  };
  const text = await (await fetch(`${gateway.address}${PATH}`)).text();
  expect(text.match(/^id: \d+$/gm)).toEqual(['id: 1']);
  expect(text).not.toContain('hunter2');
});

test('a reader that hangs up leaves nothing behind, and a gateway that closes ends its streams', async () => {
  let questions = 0;
  answer = async question => {
    questions = question;
    return question === 1 || question === 3 ? { events: [event(1)], ended: false } : unanswered;
  };
  const caller = new AbortController();
  const first = await fetch(`${gateway.address}${PATH}`, { signal: caller.signal });
  const reader = first.body!.getReader();
  await reader.read();
  caller.abort();
  await expect(reader.read()).rejects.toThrow();

  while (questions < 2) await new Promise(setImmediate);
  const second = await fetch(`${gateway.address}${PATH}`);
  const ended = second.text();
  while (questions < 4) await new Promise(setImmediate);
  await gateway.close();
  expect((await ended).match(/^id: \d+$/gm)).toEqual(['id: 1']);
  // Less than the question for events would wait on the bus: the close ends it.
});
