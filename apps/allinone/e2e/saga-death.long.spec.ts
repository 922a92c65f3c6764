// commit: none, only a kill of the process shows it; see ../../../libs/durability/src/saga/saga-runner.spec.ts
// watches: libs/durability/src, libs/platform/src/saga, apps/payments/src/execute
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { idemKey, verifyChain, type WalRecord } from '@svc/durability';
import { findNatsServer, WAL_RECORD_COLUMNS, walRecordOf } from '@svc/platform';
import { type Buyer, LEASE_MS, MortalSagas, PRICE_MICRO_USD } from './saga-death-fixture.js';
import { nameOf, type Point, SagaDeathPoints } from './saga-death-points.js';

/** Every boundary, and the table of them; by default some rounds, drawn by the seed. */
const WHOLE = process.env.SAGA_TABLE === '1';
const SEED = Number(process.env.SAGA_SEED ?? 20_261_122);
const ROUNDS = WHOLE ? Infinity : 3;
/** Sagas that wait in transactions of their own, of the five connections that the service has. */
const BESIDE = 2;

/** A boundary of the saga's log, and which saga has it. */
interface Boundary {
  readonly point: Point;
  /** Step that fails; none where the saga completes. */
  readonly faultStep?: number;
  /** What is recorded with others in one statement: one of them in a round, for the others would wait behind it. */
  readonly shared: boolean;
}

const FORWARDS = [
  'SAGA_BEGIN',
  'STEP_INTENT reserve',
  'STEP_COMMIT reserve',
  'STEP_INTENT contract',
  'STEP_COMMIT contract',
  'STEP_INTENT prove',
  'STEP_COMMIT prove',
  'STEP_INTENT settle',
  'STEP_COMMIT settle',
  'SAGA_COMMIT',
];
const BACK = [
  'STEP_FAIL prove',
  'COMP_INTENT prove',
  'COMP_COMMIT prove',
  'COMP_INTENT contract',
  'COMP_COMMIT contract',
  'COMP_INTENT reserve',
  'COMP_COMMIT reserve',
  'SAGA_ABORTED',
];
/** The last records of transactions. */
const LAST = [
  ...[
    'STEP_INTENT reserve',
    'STEP_INTENT contract',
    'STEP_INTENT prove',
    'STEP_INTENT settle',
    'SAGA_COMMIT',
  ],
  ...['COMP_INTENT prove', 'COMP_INTENT contract', 'COMP_INTENT reserve', 'SAGA_ABORTED'],
];
const SHARED = [
  ...['STEP_COMMIT prove', 'STEP_INTENT settle', 'STEP_FAIL prove', 'COMP_INTENT prove'],
  ...['COMP_COMMIT prove', 'COMP_INTENT contract'],
];

const boundary = (at: 'before' | 'after', name: string, faultStep?: number): Boundary => {
  const [kind, step] = name.split(' ') as [WalRecord['kind'], string?];
  const point: Point = { at, kind, ...(step === undefined ? {} : { step }) };
  return { point, shared: SHARED.includes(name), ...(faultStep === undefined ? {} : { faultStep }) };
};
const called = (state: 'running' | 'done' | 'revoked', faultStep?: number): Boundary => ({
  ...{ point: { at: 'call', state }, shared: true },
  ...(faultStep === undefined ? {} : { faultStep }),
});
const isLast = (name: string) => LAST.includes(name);
const BOUNDARIES: readonly Boundary[] = [
  ...FORWARDS.map(name => boundary('before', name)),
  ...FORWARDS.filter(isLast).map(name => boundary('after', name)),
  ...BACK.map(name => boundary('before', name, 3)),
  ...BACK.filter(isLast).map(name => boundary('after', name, 3)),
  // Of a saga that failed only after its proof was made: there is an effect to take back.
  ...['COMP_INTENT prove', 'COMP_COMMIT prove', 'COMP_COMMIT contract'].map(name =>
    boundary('before', name, 4),
  ),
  ...[called('running'), called('done'), called('revoked', 3), called('revoked', 4)],
  ...[{ point: { at: 'answer' }, shared: false } as const],
  ...[{ point: { at: 'answer' }, shared: false, faultStep: 3 } as const],
];

/** Numbers that follow from the seed. */
function* random(seed: number): Generator<number> {
  for (let state = seed >>> 0; ;) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    yield state / 2 ** 32;
  }
}

function shuffled<Item>(items: readonly Item[], draws: Generator<number>): Item[] {
  return items
    .map(item => ({ item, draw: draws.next().value as number }))
    .sort((one, other) => one.draw - other.draw)
    .map(({ item }) => item);
}

/** Boundaries whose sagas wait at once, the shared one last. */
function roundsOf(draws: Generator<number>): Boundary[][] {
  const own = shuffled(
    BOUNDARIES.filter(({ shared }) => !shared),
    draws,
  );
  const shared = shuffled(
    BOUNDARIES.filter(one => one.shared),
    draws,
  );
  const rounds: Boundary[][] = [];
  while (own.length + shared.length > 0) rounds.push([...own.splice(0, BESIDE), ...shared.splice(0, 1)]);
  return rounds.slice(0, ROUNDS);
}

/** Where a saga that died at a boundary may die again while it is recovered: not earlier in its log. */
function laterThan({ point, faultStep }: Boundary, draw: number): Boundary | undefined {
  if (point.at !== 'before' && point.at !== 'after') return undefined;
  const way = faultStep === undefined ? FORWARDS : [...FORWARDS.slice(0, 6), ...BACK];
  const from = way.indexOf([point.kind, ...(point.step ? [point.step] : [])].join(' '));
  // A saga that was not begun is begun by its buyer, when all is over.
  if (from < 2) return undefined;
  const later = way.slice(point.at === 'after' ? from + 1 : from);
  return later.length === 0
    ? undefined
    : boundary('before', later[Math.floor(draw * later.length)], faultStep);
}

interface Died {
  readonly boundary: Boundary;
  readonly buyer: Buyer;
  readonly successor: 'restarted' | 'stood by';
  again?: Boundary;
  ended?: { state: string; msAfterLease: number | string; records: number };
}

if (!findNatsServer()) {
  it('needs nats-server', () => console.log('SKIPPED: nats-server is not installed'));
} else {
  describe('a saga whose owner is killed', () => {
    const sagas = new MortalSagas();
    const table: Died[] = [];
    let points: SagaDeathPoints;

    beforeAll(async () => {
      await sagas.open();
      points = new SagaDeathPoints(sagas);
      await points.install();
    });
    afterAll(async () => {
      await points?.close();
      await sagas.close();
      if (WHOLE) console.log(printed(table));
    });

    const recordsOf = async ({
      licensee,
    }: Buyer): Promise<{ state: string; endedAt: Date; log: WalRecord[] }[]> => {
      const { rows } = await sagas.database.query<{ saga_id: string; state: string; ended_at: Date }>(
        `SELECT saga_id, state, ended_at FROM payments.saga
          WHERE saga_id IN (SELECT saga_id FROM payments.m2m_contract_entry WHERE licensee = $1)`,
        [licensee],
      );
      return Promise.all(
        rows.map(async ({ saga_id, state, ended_at }) => {
          const { rows: records } = await sagas.database.query<Record<string, unknown>>(
            `SELECT ${WAL_RECORD_COLUMNS} FROM payments.saga_wal WHERE saga_id = $1 ORDER BY seq`,
            [saga_id],
          );
          return { state, endedAt: ended_at, log: records.map(walRecordOf) };
        }),
      );
    };
    const leaseOf = async ({ licensee }: Buyer): Promise<number | undefined> => {
      const { rows } = await sagas.database.query<{ lease_until: Date | null }>(
        `SELECT lease_until FROM payments.saga
          WHERE saga_id IN (SELECT saga_id FROM payments.m2m_contract_entry WHERE licensee = $1)`,
        [licensee],
      );
      return rows[0]?.lease_until?.getTime();
    };

    /** Every saga of the round waits at its boundary, their owner dies, and another goes on, and dies too where it is to. */
    async function die(round: readonly Boundary[], standsBy: boolean, draw: number): Promise<Died[]> {
      const dead: Died[] = [];
      for (const boundary of round) {
        const { faultStep } = boundary;
        const buyer = await sagas.buyer(faultStep === undefined ? {} : { simulateFault: true, faultStep });
        const armed = await points.arm(buyer, boundary.point);
        void sagas.execute(buyer).catch(() => undefined);
        await points.reached(armed);
        dead.push({ boundary, buyer, successor: standsBy ? 'stood by' : 'restarted' });
      }
      const again = laterThan(round[0], draw);
      if (standsBy) await sagas.addPayments();
      await sagas.killPayments();
      let leases = await Promise.all(dead.map(({ buyer }) => leaseOf(buyer)));
      let freeAt = (await points.letGo()).getTime();
      const armed = again && (await points.arm(dead[0].buyer, again.point));
      if (!standsBy) await sagas.addPayments();
      if (again && armed) {
        await points.reached(armed);
        dead[0].again = again;
        await sagas.killPayments();
        leases = [await leaseOf(dead[0].buyer), ...leases.slice(1)];
        freeAt = (await points.letGo()).getTime();
        await sagas.addPayments();
      }
      for (const [index, one] of dead.entries()) {
        const leaseUntil = leases[index];
        const answer = await sagas.answerTo(one.buyer);
        expect([nameOf(one.boundary.point), answer.json.status]).toEqual([
          nameOf(one.boundary.point),
          one.boundary.faultStep === undefined ? 'COMPLETED' : 'COMPENSATED',
        ]);
        expect((await sagas.answerTo(one.buyer)).text).toBe(answer.text);
        const [{ state, endedAt, log }] = await recordsOf(one.buyer);
        const msAfterLease = recoveredIn(log, endedAt.getTime(), Math.max(leaseUntil ?? 0, freeAt));
        one.ended = { state, msAfterLease, records: log.length };
      }
      return dead;
    }

    /** One saga, one end, each effect once or not at all, and the money where the end says. */
    async function holds({ buyer, boundary: { faultStep, point } }: Died): Promise<void> {
      const begun = await recordsOf(buyer);
      expect([nameOf(point), begun.length]).toEqual([nameOf(point), 1]);
      const [{ state, log }] = begun;
      const { sagaId } = log[0];
      const completes = faultStep === undefined;
      expect(state).toBe(completes ? 'COMPLETED' : 'COMPENSATED');
      expect(verifyChain(log)).toMatchObject({ valid: true, count: log.length });
      const ends = log.filter(({ kind }) => kind === 'SAGA_COMMIT' || kind === 'SAGA_ABORTED');
      expect(ends.map(({ kind }) => kind)).toEqual([completes ? 'SAGA_COMMIT' : 'SAGA_ABORTED']);
      expect(await sagas.spent(buyer)).toBe(completes ? PRICE_MICRO_USD : 0);
      const { rows: tickets } = await sagas.database.query(
        `SELECT state, place, saga_id FROM payments.execution_ticket WHERE agent_id = $1`,
        [buyer.licensee],
      );
      expect(tickets).toEqual([{ state: 'used', place: completes ? 'treasury' : 'credit', saga_id: sagaId }]);
      const { rows: entries } = await sagas.database.query(
        `SELECT state, proof_id IS NOT NULL AND kid IS NOT NULL AS settled FROM payments.m2m_contract_entry
          WHERE licensee = $1`,
        [buyer.licensee],
      );
      expect(entries).toEqual([{ state: completes ? 'active' : 'void', settled: completes }]);
      const { rows: calls } = await sagas.database.query(
        `SELECT call.state, proof.revoked_at IS NOT NULL AS revoked,
                (SELECT count(*)::int FROM prover.proof WHERE proof_id = call.proof_id) AS proofs
           FROM prover.idempotent_call call LEFT JOIN prover.proof USING (proof_id) WHERE call.idem_key = $1`,
        [Buffer.from(idemKey(sagaId, 'prove', 'forward'), 'hex')],
      );
      if (completes) expect(calls).toEqual([{ state: 'done', revoked: false, proofs: 1 }]);
      else if (faultStep === 4) expect(calls).toEqual([{ state: 'revoked', revoked: true, proofs: 1 }]);
      else expect(calls).toEqual([{ state: 'revoked', revoked: false, proofs: 0 }]);
    }

    const draws = random(SEED);
    const rounds = roundsOf(draws).map((round, index) => ({
      ...{ round, standsBy: index % 3 !== 2, draw: draws.next().value as number },
      name: round
        .map(one => nameOf(one.point) + (one.faultStep ? ` (fault at ${one.faultStep})` : ''))
        .join(', '),
    }));
    it.each(rounds)(`is brought to its one end: $name (seed ${SEED})`, async ({ round, standsBy, draw }) => {
      const dead = await die(round, standsBy, draw);
      table.push(...dead);
      for (const one of dead) await holds(one);
    });

    it('leaves a ledger that sums to zero with nothing wrong in it, and logs that hold', async () => {
      expect(table.length).toBeGreaterThan(0);
      expect(await sagas.reconcile()).toMatchObject({ balanced: true, imbalanceMicroUsd: 0, findings: [] });
      const { code, output } = await sagas.verifyLogs();
      expect([code, output]).toEqual([0, expect.stringMatching(/"valid": ?true/)]);
    });
  });
}

/**
 * How long a saga took from the moment that its last owner could take it, which is not before the lease of the one
 * before it had ended.
 */
function recoveredIn(log: readonly WalRecord[], endedAtMs: number, freeAtMs: number): number | string {
  const { fence } = log.at(-1)!;
  const ofTheDead = log.filter(record => record.fence < fence).at(-1);
  if (ofTheDead) return endedAtMs - Math.max(freeAtMs, Date.parse(ofTheDead.at) + LEASE_MS);
  return Date.parse(log[0].at) >= freeAtMs ? 'begun by the retry' : 'ended by the commit under way';
}

/** For those who read it: boundary, who died, what became of it, and how long that took after the lease of the dead. */
function printed(table: readonly Died[]): string {
  const rows = table.map(({ boundary, again, successor, ended }) => [
    nameOf(boundary.point) + (boundary.faultStep ? ` (fault at ${boundary.faultStep})` : ''),
    `payments, its successor ${successor}${again ? `; and again ${nameOf(again.point)}` : ''}`,
    ended ? `${ended.state}, ${ended.records} records` : 'not ended',
    ended === undefined
      ? ''
      : typeof ended.msAfterLease === 'string'
        ? ended.msAfterLease
        : `${ended.msAfterLease} ms`,
  ]);
  const head = ['boundary', 'who died', 'outcome', `from the end of the lease (${LEASE_MS} ms)`];
  return [head, head.map(() => '---'), ...rows].map(row => `| ${row.join(' | ')} |`).join('\n');
}
