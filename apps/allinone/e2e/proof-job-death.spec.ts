import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ProofJob } from '@svc/contracts';
import { findNatsServer } from '@svc/platform';
import { setTimeout as delay } from 'node:timers/promises';
import { paidL402, post } from './paid-call.js';
import { AppProcess, buildWorkspace } from './processes.js';
import { type ProofServices, startProofServices } from './proof-service-fixture.js';

/** Many seconds of work. */
const LARGE = { traceData: 'large', degree: 2 ** 20 };
const SMALL = { traceData: '0x48656c6c6f', degree: 64 };

if (!findNatsServer()) {
  it('needs nats-server', () => console.log('SKIPPED: nats-server is not installed'));
} else {
  describe('a job whose prover is killed, with another prover on NATS', () => {
    let services: ProofServices;
    let provers: AppProcess[] = [];
    beforeAll(async () => {
      await buildWorkspace();
      services = await startProofServices('nats', 0);
      const variables = { ...services.proverVariables, LOG_LEVEL: 'debug' };
      provers = [new AppProcess('prover', variables), new AppProcess('prover', variables)];
      await Promise.all(provers.map(prover => prover.says(/The service answers on the bus/)));
    }, 180_000);
    afterAll(async () => {
      await Promise.all(provers.map(prover => prover.end()));
      await services?.close();
    }, 60_000);

    const buy = (body: unknown, authorization: string, headers: Record<string, string> = {}) =>
      post(`${services.address}/v1/zk/prove`, body, { authorization, ...headers });
    const jobAt = async (path: string) =>
      ProofJob.parse(await (await fetch(`${services.address}${path}`)).json());
    async function until(path: string, holds: (job: ProofJob) => boolean): Promise<ProofJob> {
      for (;;) {
        const job = await jobAt(path);
        if (holds(job)) return job;
        await delay(50);
      }
    }
    const hasTaken = ({ output }: AppProcess) => output.includes('"subject":"prover.start-job"');

    it('fails, and its payment buys another answer of the prover that lives', async () => {
      const authorization = await paidL402(services.address);
      const { status, headers } = await buy(LARGE, authorization, { prefer: 'respond-async' });
      expect(status).toBe(202);
      const path = headers.get('location')!;
      await until(path, ({ stagesDone }) => stagesDone >= 1);
      expect(provers.filter(hasTaken)).toHaveLength(1);
      const [doomed, survivor] = hasTaken(provers[0]) ? provers : [...provers].reverse();
      doomed.signal('SIGKILL');
      expect(await doomed.exit()).toBe('SIGKILL');

      expect(await jobAt(path)).toMatchObject({ state: 'running', payment: 'held' });
      expect((await buy(LARGE, authorization)).json.code).toBe('PAYMENT_IN_FLIGHT');
      const dead = await until(path, ({ endedAt }) => endedAt !== undefined);
      expect(dead).toMatchObject({
        state: 'failed',
        payment: 'returned',
        problem: { code: 'SERVICE_UNAVAILABLE' },
      });
      const other = await buy(SMALL, authorization);
      expect([other.status, other.json.status]).toEqual([200, 'VERIFIED_VALID']);
      expect(await jobAt(path)).toEqual(dead);
      expect(survivor.hasExited).toBe(false);
    }, 120_000);
  });
}
