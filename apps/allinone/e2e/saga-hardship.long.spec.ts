// commit: none, processes with other clocks and databases that go away; see ../../../libs/durability/src/saga/saga-runner.spec.ts
// watches: libs/durability/src, libs/platform/src/saga, apps/payments/src/execute
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { verifyChain, type WalRecord } from '@svc/durability';
import { findNatsServer, WAL_RECORD_COLUMNS, walRecordOf } from '@svc/platform';
import { until } from './processes.js';
import { type Buyer, LEASE_MS, MortalSagas, PRICE_MICRO_USD } from './saga-death-fixture.js';
import { SagaDeathPoints } from './saga-death-points.js';

/** Loaded before everything else of a process: its clock is wrong by so much. */
const clockOff = (ms: number) => ({
  NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(
    `const now=Date.now.bind(Date);Date.now=()=>now()+(${ms});` +
      `globalThis.Date=class extends Date{constructor(...a){a.length?super(...a):super(Date.now())}}`,
  )}`,
});
const HOUR_MS = 3_600_000;

if (!findNatsServer()) {
  it('needs nats-server', () => console.log('SKIPPED: nats-server is not installed'));
} else {
  describe('a saga among processes that fail', () => {
    const sagas = new MortalSagas();
    let points: SagaDeathPoints;
    beforeAll(async () => {
      await sagas.open();
      points = new SagaDeathPoints(sagas);
      await points.install();
    });
    afterAll(async () => {
      await points?.close();
      await sagas.close();
    });

    const logOf = async ({ licensee }: Buyer): Promise<WalRecord[]> => {
      const { rows } = await sagas.database.query<Record<string, unknown>>(
        `SELECT ${WAL_RECORD_COLUMNS} FROM payments.saga_wal
          WHERE saga_id IN (SELECT saga_id FROM payments.m2m_contract_entry WHERE licensee = $1) ORDER BY seq`,
        [licensee],
      );
      return rows.map(walRecordOf);
    };
    /** Until when the buyer's saga is its owner's, by the clock of the database. */
    const leaseOf = async ({ licensee }: Buyer): Promise<number> => {
      const { rows } = await sagas.database.query<{ until: Date }>(
        `SELECT lease_until AS until FROM payments.saga
          WHERE saga_id IN (SELECT saga_id FROM payments.m2m_contract_entry WHERE licensee = $1)`,
        [licensee],
      );
      return rows[0].until.getTime();
    };
    const isOver = async (buyer: Buyer) =>
      ['SAGA_COMMIT', 'SAGA_ABORTED'].includes((await logOf(buyer)).at(-1)?.kind ?? '');
    const over = (buyer: Buyer) =>
      until(
        () => isOver(buyer),
        () => 'the end of the saga',
      );
    /** Asks for the licence; the saga waits where the prover is about to note the state of its call. */
    async function askAndWait(
      state: 'running' | 'done' | 'revoked',
      input = {},
    ): Promise<Buyer & { asked: Promise<unknown> }> {
      const buyer = await sagas.buyer(input);
      const armed = await points.arm(buyer, { at: 'call', state });
      const asked = sagas.execute(buyer).catch(() => undefined);
      await points.reached(armed);
      return { ...buyer, asked };
    }
    /** Its one answer, and the log that it says. */
    async function ends(buyer: Buyer, status: 'COMPLETED' | 'COMPENSATED'): Promise<WalRecord[]> {
      const answer = await sagas.answerTo(buyer);
      const log = await logOf(buyer);
      expect(verifyChain(log)).toMatchObject({ valid: true, count: log.length });
      expect(answer.json).toMatchObject({
        ...{ status, sagaId: log[0].sagaId, walCount: log.length, walHash: `0x${log.at(-1)!.hash}` },
      });
      expect(await sagas.spent(buyer)).toBe(status === 'COMPLETED' ? PRICE_MICRO_USD : 0);
      return log;
    }
    const fencesOf = (log: readonly WalRecord[]) => [...new Set(log.map(({ fence }) => fence))];
    const attemptsOf = (log: readonly WalRecord[], kind: string, step: string) =>
      log.filter(record => record.kind === kind && record.step === step).length;

    it('whose owner was held up past its lease is one’s of two that come for it, and the old owner records nothing more', async () => {
      const buyer = await askAndWait('done');
      const old = sagas.payments[0];
      await Promise.all([sagas.addPayments(), sagas.addPayments()]);
      old.signal('SIGSTOP');
      await points.letGo();
      await over(buyer);
      const after = await logOf(buyer);
      old.signal('SIGCONT');
      // The old owner hears of the proof now, and goes on as if it held the saga.
      await buyer.asked;
      expect(await ends(buyer, 'COMPLETED')).toEqual(after);
      expect(fencesOf(after)).toEqual([1, 2]);
      // It lives, and goes on with what is its own.
      for (const other of sagas.payments.splice(1)) {
        other.signal('SIGKILL');
        await other.exit();
      }
      expect(old.hasExited).toBe(false);
      expect(await ends(await sagas.buyer(), 'COMPLETED')).toHaveLength(10);
    });

    it('is its owner’s for as long as that lives, and another’s after it, with clocks two hours apart', async () => {
      await sagas.addPayments(clockOff(HOUR_MS));
      await sagas.killPayments();
      const buyer = await askAndWait('done');
      await sagas.addPayments(clockOff(-HOUR_MS));
      // Both look for lapsed sagas meanwhile, for longer than a lease.
      const sinceMs = await leaseOf(buyer);
      await until(
        async () =>
          (await leaseOf(buyer)) >= sinceMs + 2 * LEASE_MS || fencesOf(await logOf(buyer)).length > 1,
        () => 'a lease that is renewed',
      );
      expect(fencesOf(await logOf(buyer))).toEqual([1]);
      await sagas.killPayments();
      await points.letGo();
      await over(buyer);
      const log = await ends(buyer, 'COMPLETED');
      expect(fencesOf(log)).toEqual([1, 2]);
      const times = log.map(({ at }) => Date.parse(at));
      expect(times).toEqual([...times].sort((one, other) => one - other));
      expect(times[0]).toBeGreaterThan(Date.now() + HOUR_MS / 2);
      await sagas.addPayments();
      await sagas.killPayments();
    });

    it('completes where the prover is killed in the middle of its proof, with one proof', async () => {
      const buyer = await askAndWait('done');
      await sagas.killProver();
      await points.dropWaiting();
      await sagas.startProver();
      const log = await ends(buyer, 'COMPLETED');
      expect(attemptsOf(log, 'STEP_INTENT', 'prove')).toBeGreaterThan(1);
      const { rows } = await sagas.database.query<{ proofs: number }>(
        `SELECT count(*)::int AS proofs FROM prover.idempotent_call WHERE state = 'done' AND idem_key = $1`,
        [Buffer.from(log.find(({ step }) => step === 'prove')!.idemKey!, 'hex')],
      );
      expect(rows).toEqual([{ proofs: 1 }]);
    });

    it('is taken back when the prover is there again that was killed while it took its proof back', async () => {
      const buyer = await askAndWait('revoked', { simulateFault: true, faultStep: 4 });
      await sagas.killProver();
      await points.dropWaiting();
      await until(
        async () => attemptsOf(await logOf(buyer), 'COMP_INTENT', 'prove') > 3,
        () => 'the compensation to be tried again',
      );
      expect(await isOver(buyer)).toBe(false);
      await sagas.startProver();
      const log = await ends(buyer, 'COMPENSATED');
      expect(attemptsOf(log, 'COMP_COMMIT', 'prove')).toBe(1);
    });

    it('completes where NATS is killed under a call, whose reply is lost', async () => {
      const buyer = await askAndWait('done');
      await sagas.killAndAwait('nats');
      await points.letGo();
      await ends(buyer, 'COMPLETED');
    });

    it.each(['before', 'after'] as const)(
      'has one end where Postgres is killed %s a step is committed, with its effect',
      async at => {
        const buyer = await sagas.buyer();
        const armed = await points.arm(buyer, { at, kind: 'STEP_COMMIT', step: 'settle' });
        void sagas.execute(buyer).catch(() => undefined);
        await points.reached(armed);
        await sagas.killAndAwait('postgres');
        await points.reopen();
        const log = await ends(buyer, 'COMPLETED');
        expect(attemptsOf(log, 'STEP_INTENT', 'settle')).toBe(2);
        expect(attemptsOf(log, 'STEP_COMMIT', 'settle')).toBe(1);
      },
    );

    it('leaves a ledger with nothing wrong in it, and logs that hold', async () => {
      expect(await sagas.reconcile()).toMatchObject({ balanced: true, imbalanceMicroUsd: 0, findings: [] });
      const { code, output } = await sagas.verifyLogs();
      expect([code, output]).toEqual([0, expect.stringMatching(/"valid": ?true/)]);
    });
  });
}
