import { describe, expect, it } from '@jest/globals';
import { paymentsContract, pingProcedure } from '@svc/contracts';
import { startOwnPostgres } from '@svc/platform/testing';
import { startPayments } from './payments-fixture.js';

export function describeDatabaseAway(): void {
  describe('payments whose database went away', () => {
    it('ask nobody to pay, name no rail that could settle, and say that they are not ready', async () => {
      const payments = await startPayments(undefined, {}, startOwnPostgres);
      try {
        const challenge = () =>
          payments.bus.call(paymentsContract.challenge, { operationId: 'zk.prove', realm: 'svc.example' });
        const ping = () => payments.bus.call(pingProcedure('payments'), {});
        expect((await challenge()).offers).toHaveLength(2);
        expect(await ping()).toMatchObject({ ready: true });

        await payments.postgres.stop();
        while ((await ping()).ready) await new Promise(resolve => setTimeout(resolve, 50));
        await expect(challenge()).rejects.toMatchObject({
          payload: { code: 'SERVICE_UNAVAILABLE', retryAfterSeconds: 2 },
        });
        expect(await payments.bus.call(paymentsContract.rails, {})).toEqual({ rails: [], sandbox: true });
      } finally {
        await payments.close();
      }
    });
  });
}
