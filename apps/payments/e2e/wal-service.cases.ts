import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { x402Contract } from '@svc/contracts';
import { checkSignature, readCheckpoint } from '@svc/durability';
import { openEventStream, openBusLink } from '@svc/platform';
import { type PaymentsFixture, startPayments } from './payments-fixture.js';
import { storeOf, until, writeSaga } from './wal-fixture.js';
import { verifyEd25519 } from '../src/licence/licence-keys.js';

export function describeWalService(): void {
  describe('the payments service, with the rights that its role has', () => {
    let fixture: PaymentsFixture;

    beforeAll(async () => {
      fixture = await startPayments();
    });
    afterAll(() => fixture.close());

    it('publishes what is logged, seals it by a key that it publishes, and counts it', async () => {
      const { bus, database, environment } = fixture;
      const before = await bus.call(x402Contract.telemetry, {});
      expect(before.telemetry).toMatchObject({ transactionsExecuted: 0, treasuryClearedUsd: '0' });
      const ids: string[] = [];
      const checkpoints: unknown[] = [];
      const link = openBusLink(environment.bus, 'payments', environment.logger);
      const events = openEventStream(link, {}, environment.logger);
      const all = { durable: 'test', filter: 'events.saga.*' };
      const sagas = await events.subscribe(all, async ({ id }) => void ids.push(id));
      const seals = await events.subscribe({ durable: 'seals', filter: 'events.wal.*' }, async ({ data }) => {
        checkpoints.push(JSON.parse(Buffer.from(data).toString()));
      });
      const changed = bus.call(x402Contract.telemetry, { version: before.version, waitMs: 10_000 });
      const records = await writeSaga(storeOf(database), { fate: 'completed', amountMicroUsd: 70_000 });
      await until(() => ids.length === records.length && checkpoints.length === 1);
      expect(ids).toEqual(records.map(({ sagaId, seq }) => `${sagaId}:${seq}`));
      // A log alone is no money: that is the ledger's to say.
      expect((await changed).telemetry).toMatchObject({ transactionsExecuted: 0, sagas: { COMPLETED: 1 } });
      const { keys } = await bus.call(x402Contract.walKeys, {});
      const { checkpoint } = checkpoints[0] as { checkpoint: unknown };
      expect(await checkSignature(readCheckpoint(checkpoint)!, keys, verifyEd25519)).toBe('good');
      await until(async () => {
        const [{ open }] = await database.query(
          `SELECT (SELECT count(*) FROM saga_outbox) + (SELECT count(*) FROM saga_unsealed)
              + (SELECT count(*) FROM wal_checkpoint WHERE published_at IS NULL) AS open`,
        );
        return Number(open) === 0;
      });
      await Promise.all([sagas.stop(), seals.stop()]);
    });
  });
}
