import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Telemetry, x402Contract } from '@svc/contracts';
import type { WalRecord } from '@svc/durability';
import { Waiters } from '@svc/platform';
import { planInLargeTable } from '@svc/platform/testing';
import fc from 'fast-check';
import { ClosedSpans } from '../src/telemetry/closed-spans.js';
import { NO_FIGURES } from '../src/telemetry/log-figures.js';
import { TelemetryService } from '../src/telemetry/telemetry.service.js';
import { type SagaPlan, WalFixture } from './wal-fixture.js';

const HOUR_MS = 3_600_000;
const FATES = ['completed', 'aborted', 'stuck', 'resumed', 'running'] as const;
const RAILS = ['l402', 'x402', 'mpp-card', 'key'];

const plans = (nowMs: number) =>
  fc.record<SagaPlan>({
    fate: fc.constantFrom(...FATES),
    rail: fc.constantFrom(...RAILS),
    amountMicroUsd: fc.integer({ min: 1, max: 5_000_000 }),
    starkRoot: fc.option(
      fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: 8, maxLength: 8 }),
    ),
    // Over four days, the last hours among them often.
    beginMs: fc
      .oneof(fc.integer({ min: 0, max: 4 * 24 * 60 }), fc.integer({ min: 0, max: 150 }))
      .map(minutes => nowMs - (minutes + 10) * 60_000),
  });

/** The figures of the log, counted record by record over whole logs, which the service does not do. */
function countedByHand(logs: readonly WalRecord[][]): Pick<Telemetry, 'sagas' | 'starkRoots'> {
  const sagas = { RUNNING: 0, COMPLETED: 0, COMPENSATED: 0, STUCK: 0 };
  const roots: { at: string; sagaId: string; root: string }[] = [];
  for (const log of logs) {
    const last = log.at(-1)!;
    if (last.kind === 'SAGA_COMMIT') {
      const { starkRoot } = last.payload as Record<string, never>;
      sagas.COMPLETED++;
      if (starkRoot !== null) roots.push({ at: last.at, sagaId: last.sagaId, root: starkRoot });
    } else if (last.kind === 'SAGA_ABORTED') sagas.COMPENSATED++;
    else if (last.kind === 'SAGA_STUCK') sagas.STUCK++;
    else sagas.RUNNING++;
  }
  roots.sort((a, b) => (a.at + a.sagaId < b.at + b.sagaId ? -1 : 1));
  return {
    starkRoots: { count: roots.length, ...(roots.length > 0 ? { newest: roots.at(-1)!.root } : {}) },
    sagas,
  };
}

/** A second must pass before the log is asked again: tests ask a service that has not asked yet. */
const fresh = (fixture: WalFixture, waiters = new Waiters()) =>
  new TelemetryService(fixture.database, waiters, NOTHING_EARNED);
/** The logs of these tests are no sales: what is earned has tests of its own. */
const NOTHING_EARNED = { byRail: async () => new Map() };

export function describeTelemetry(): void {
  describe('telemetry', () => {
    let fixture: WalFixture;
    const logs: WalRecord[][] = [];

    beforeAll(async () => {
      fixture = await WalFixture.start();
    });
    afterAll(() => fixture.close());

    it('of an empty log is nothing, and its version stays', async () => {
      const service = fresh(fixture);
      const first = await service.telemetry();
      expect(first.telemetry).toMatchObject({ ...countedByHand([]), since: first.telemetry.measuredAt });
      expect((await fresh(fixture).telemetry()).version).toBe(first.version);
    });

    it('says what whoever reads all records counts, of any logs, and so do all replicas', async () => {
      const longLived = fresh(fixture);
      const seed = Number(process.env.TELEMETRY_SEED ?? 20_261_122);
      const batches = fc.sample(fc.array(plans(Date.now()), { minLength: 5, maxLength: 14 }), {
        numRuns: 6,
        seed,
      });
      for (const batch of batches) {
        for (const plan of batch) logs.push(await fixture.write(plan));
        const { since, ...counted } = (await fresh(fixture).telemetry()).telemetry;
        expect(counted).toMatchObject(countedByHand(logs));
        expect(since).toBe(logs.map(([first]) => first.at).sort()[0]);
      }
      // One that has closed days and hours in its memory, and one that has none.
      const { version } = await longLived.telemetry();
      for (const plan of fc.sample(plans(Date.now()), { numRuns: 8, seed: seed + 1 })) {
        logs.push(await fixture.write({ ...plan, beginMs: Date.now() - 10 * 60_000 }));
      }
      const a = await longLived.telemetry({ version, waitMs: 10_000 });
      const b = await fresh(fixture).telemetry();
      expect(a.telemetry).toMatchObject(countedByHand(logs));
      expect(a.version).toBe(b.version);
      expect(x402Contract.telemetry.reply.parse(a)).toEqual(a);
    });

    it('counts a saga that was rolled back in no root', async () => {
      const before = (await fresh(fixture).telemetry()).telemetry;
      logs.push(await fixture.write({ fate: 'aborted', amountMicroUsd: 9_000_000, starkRoot: 'ab' }));
      await expect(
        fixture.database.transaction(async manager => {
          await manager.query(`INSERT INTO saga_unsealed VALUES (gen_random_uuid(), 1)`);
          throw new Error('rolled back');
        }),
      ).rejects.toThrow('rolled back');
      const after = (await fresh(fixture).telemetry()).telemetry;
      expect(after).toEqual({
        ...before,
        measuredAt: after.measuredAt,
        sagas: { ...before.sagas, COMPENSATED: before.sagas.COMPENSATED + 1 },
      });
    });

    it('finds a record that came hours late, once its span is counted anew', async () => {
      const spans = new ClosedSpans();
      const nowMs = Date.UTC(2026, 0, 3, 12, 30);
      const hour = (hoursAgo: number) => Math.floor(nowMs / HOUR_MS) * HOUR_MS - hoursAgo * HOUR_MS;
      const one = { ...NO_FIGURES, committed: 1 };
      spans.close(new Map([30, 20, 3, 1, 0].map(hours => [hour(hours), one])), nowMs);
      // Of the fifth hour before, and all before it; the hour that is over since thirty minutes is still open.
      expect([spans.endMs, spans.total().committed]).toEqual([hour(1), 3]);
      const spansSeen = new Map<number, number>();
      for (let turn = 0; turn < 40; turn++) {
        const span = spans.nextToRecount()!;
        spansSeen.set(span.startMs, span.endMs);
      }
      const ordered = [...spansSeen].sort(([a], [b]) => a - b);
      // All that was before the day that is not over, then its hours, no gap between them.
      expect(ordered[0]).toEqual([0, Date.UTC(2026, 0, 3)]);
      expect(ordered.slice(1).map(([startMs, endMs]) => endMs - startMs)).toEqual(
        Array.from({ length: 11 }, () => HOUR_MS),
      );
      for (const [i, [startMs]] of ordered.entries()) if (i > 0) expect(startMs).toBe(ordered[i - 1][1]);
      const [startMs, endMs] = ordered[0];
      spans.replace({ endMs }, new Map([[startMs, { ...NO_FIGURES, committed: 5 }]]));
      expect(spans.total().committed).toBe(3 - 2 + 5);
    });

    it('asks the log once, however many ask at once, and at most once a second', async () => {
      let asked = 0;
      const { manager } = fixture.database;
      const query = manager.query.bind(manager);
      manager.query = (async (...args: Parameters<typeof query>) => {
        asked++;
        return query(...args);
      }) as typeof query;
      try {
        const service = fresh(fixture);
        const answers = await Promise.all(Array.from({ length: 50 }, () => service.telemetry()));
        expect(new Set(answers.map(({ version }) => version)).size).toBe(1);
        await service.telemetry();
        expect(asked).toBe(1);
      } finally {
        manager.query = query;
      }
    });

    it('waits for news of the version that is known, and ends the wait in time', async () => {
      const waiters = new Waiters();
      const service = fresh(fixture, waiters);
      const { version } = await service.telemetry();
      const waiting = service.telemetry({ version, waitMs: 10_000 });
      logs.push(await fixture.write({ fate: 'completed' }));
      waiters.wake();
      const changed = await waiting;
      expect(changed.version).not.toBe(version);
      expect(changed.telemetry).toMatchObject(countedByHand(logs));
      const unchanged = await service.telemetry({ version: changed.version, waitMs: 50 });
      expect(unchanged.version).toBe(changed.version);
      expect((await service.telemetry({ version: 'another', waitMs: 10_000 })).version).toBe(changed.version);
    });

    it('is read from its indexes alone', async () => {
      const plan = await planInLargeTable(
        fixture.database,
        `SELECT floor(extract(epoch FROM at) / 3600)::bigint, count(*), count(payload->>'starkRoot') FROM saga_wal
          WHERE kind = 'SAGA_COMMIT' AND at >= now() - interval '1 hour' AND at < 'infinity' GROUP BY 1`,
      );
      expect(plan).toMatch(
        /Index (Only )?Scan using saga_wal_committed|Bitmap Index Scan on saga_wal_committed/,
      );
    });
  });
}
