import 'reflect-metadata';
import { proverContract } from '@svc/contracts';
import type { BusClient } from '@svc/platform';
import { setTimeout as delay } from 'node:timers/promises';
import { startProverOnBus } from './prover-on-bus.js';

/** Some seconds of work. */
const LARGE = { traceData: 'large', degree: 2 ** 19 } as const;
const callIdOf = (letter: string) => `pcl_${letter.repeat(22)}`;

/** Until some prover is at work: whoever came now would wait. */
async function untilBusy(client: BusClient): Promise<void> {
  while (((await client.call(proverContract.admit, LARGE)).waitMs ?? 0) === 0) await delay(10);
}

export function describeCancellation(): void {
  describe('cancellation', () => {
    it.each([1, 2])('ends the proof of a call that is cancelled, with %d replicas', async replicas => {
      const prover = await startProverOnBus(replicas, 20);
      try {
        const { client } = prover;
        const callId = callIdOf('A');
        const proving = client.call(proverContract.prove, { request: LARGE, callId });
        const refused = expect(proving).rejects.toMatchObject({ code: 'CONFLICT' });
        await untilBusy(client);
        // Each subject asks the replicas in turn, from the first: with two, the second hears of the call.
        if (replicas === 2) await client.call(proverContract.cancelProof, { callId: callIdOf('C') });
        const { cancelled } = await client.call(proverContract.cancelProof, { callId });
        expect(cancelled).toBe(replicas === 1);
        await refused;
        for (let i = 0; i < replicas; i++) {
          await expect(client.call(proverContract.admit, LARGE)).resolves.toMatchObject({ waitMs: 0 });
        }
        const other = { request: { ...LARGE, degree: 64 }, callId: callIdOf('B') };
        await expect(client.call(proverContract.prove, other)).resolves.toMatchObject({ traceLength: 64 });
      } finally {
        await prover.close();
      }
    });
  });
}
