import 'reflect-metadata';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { proverContract } from '@svc/contracts';
import { problemOf, runInTurn, type Standing } from '@svc/platform';
import { randomBytes } from 'node:crypto';
import { type ProverOnBus, startProverOnBus } from './prover-on-bus.js';

/** In the same lane: long enough to ask for what is to wait behind it. */
const LONG = { degree: 2 ** 16 } as const;
const SHORT = { degree: 2 ** 13, friBlowup: 32 } as const;
/** How many of one caller may wait in the lane of both. */
const WAITING_MAX = 16;

let prover: ProverOnBus;

/** One proof for a caller, in the lane of the medium ones. */
function prove(subject: string, standing: Standing, size: { degree: number; friBlowup?: number } = SHORT) {
  const request = { traceData: `0x${randomBytes(16).toString('hex')}`, friBlowup: 8, ...size };
  return runInTurn({ subject, standing }, () =>
    prover.client.call(proverContract.prove, { request: request as never }),
  );
}

const admit = (subject: string, standing: Standing) =>
  runInTurn({ subject, standing }, () =>
    prover.client.call(proverContract.admit, { traceData: 'x', ...SHORT }),
  );

/** Until the lane is at work: whoever came now would wait. */
async function untilBusy(): Promise<void> {
  while (((await admit('looks', 'later')).waitMs ?? 0) === 0) await new Promise(setImmediate);
}

/** What waits behind a long proof, and the order in which it is answered. */
async function behindLongProof(ask: (waits: (name: string, answer: Promise<unknown>) => void) => unknown) {
  const order: string[] = [];
  const waiting: Promise<unknown>[] = [prove('first', 'settled', LONG)];
  await untilBusy();
  await ask((name, answer) => void waiting.push(answer.then(() => order.push(name))));
  await Promise.all(waiting);
  return order;
}

export function describeTurns(): void {
  describe('callers who wait for proofs', () => {
    beforeAll(async () => {
      prover = await startProverOnBus();
    });
    afterAll(() => prover?.close());

    it('are served before others where they have paid, and in turns', async () => {
      const order = await behindLongProof(async waits => {
        for (let i = 0; i < 2; i++) waits('free', prove('free', 'later'));
        for (let i = 0; i < 4; i++) waits('loud', prove('loud', 'settled'));
        // All of them wait.
        await admit('looks', 'later');
        waits('quiet', prove('quiet', 'settled'));
      });
      expect(order.indexOf('quiet')).toBeLessThanOrEqual(1);
      expect(order.slice(-2)).toEqual(['free', 'free']);
    });

    it('are refused before they pay where as many of theirs wait as may, and not after', async () => {
      await behindLongProof(async waits => {
        for (let i = 0; i < WAITING_MAX; i++) await admit('loud', 'claiming');
        const { payload } = await problemOf(admit('loud', 'claiming'));
        expect(payload).toMatchObject({ code: 'QUEUE_FULL', retryAfterSeconds: expect.any(Number) });
        expect((await problemOf(prove('loud', 'later'))).code).toBe('QUEUE_FULL');
        await admit('quiet', 'claiming');
        waits('loud', prove('loud', 'settled'));
        waits('quiet', prove('quiet', 'settled'));
      });
    });
  });
}
