import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MeasurementRegistry } from '@svc/platform';
import { OVERDUE_SAGAS, SagaHost, STUCK_SAGAS } from '../src/execute/saga-host.js';
import { ToolSagas } from '../src/execute/tool-sagas.js';
import { logger, storeOf, WalFixture } from './wal-fixture.js';

let fixture: WalFixture;

export function describeSagaMeasures(): void {
  describe('saga measures', () => {
    beforeAll(async () => {
      fixture = await WalFixture.start();
    });
    afterAll(() => fixture?.close());

    describe('the upkeep of sagas', () => {
      it('measures those that nobody brings to an end, as those whose steps no replica knows any more', async () => {
        const { database } = fixture;
        const errors: unknown[] = [];
        const said = Object.assign(Object.create(logger), { error: (said: unknown) => errors.push(said) });
        const measurements = new MeasurementRegistry();
        const host = new SagaHost(
          database,
          storeOf(database),
          new ToolSagas([]),
          measurements,
          { logger: said },
          { sagaLeaseSeconds: 10 },
        );
        for (const fate of ['completed', 'aborted', 'stuck', 'running', 'running'] as const)
          await fixture.write({ fate });
        const figures = async () => {
          await host.measure();
          const snapshot = measurements.snapshot();
          return { stuck: snapshot[STUCK_SAGAS].value, overdue: snapshot[OVERDUE_SAGAS].value };
        };
        expect(await figures()).toEqual({ stuck: 1, overdue: 0 });
        const [{ saga_id: oldest }] = await database
          .query(
            `UPDATE saga SET lease_until = now(), begun_at = begun_at - interval '16 minutes'
        WHERE saga_id = (SELECT saga_id FROM saga WHERE state = 'RUNNING' LIMIT 1) RETURNING saga_id`,
          )
          .then(([rows]: [{ saga_id: string }[], number]) => rows);
        // Its definition is not registered here: it is nobody's to take.
        await host.recover();
        expect(await figures()).toEqual({ stuck: 1, overdue: 1 });
        await host.measure();
        expect(errors).toEqual([{ sagas: 1, oldest }]);
        await database.query(`UPDATE saga SET begun_at = begun_at - interval '16 minutes'`);
        expect(await figures()).toEqual({ stuck: 1, overdue: 2 });
        await host.quiesce();
      });
    });
  });
}
