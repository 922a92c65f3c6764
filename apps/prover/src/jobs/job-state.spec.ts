import { PROOF_JOB_STATES } from '@svc/contracts';
import fc from 'fast-check';
import {
  BEGINS_MAX,
  isEnded,
  type JobEvent,
  type JobSnapshot,
  outcomeOf,
  QUEUED,
  type SettledPayment,
  transition,
} from './job-state.js';

const SETTLED: readonly SettledPayment[] = ['delivered', 'returned', 'superseded'];

/** The run that is at the job, or will be; an earlier or later one now and then. */
const run = fc.oneof(
  { weight: 4, arbitrary: fc.constant('now' as const) },
  { weight: 1, arbitrary: fc.nat(4) },
);
const failure = { code: 'INTERNAL', detail: 'broken' } as const;

/** What may happen, where `now` stands for the run that the job has by then. */
type Happening = (job: JobSnapshot) => JobEvent;

const withRun = (event: (run: number) => JobEvent): fc.Arbitrary<Happening> =>
  run.map(which => job => event(which === 'now' ? job.run : which));
const always = (event: JobEvent): fc.Arbitrary<Happening> => fc.constant(() => event);

const happening: fc.Arbitrary<Happening> = fc.oneof(
  withRun(of => ({ type: 'begun', run: of })),
  fc
    .constantFrom('execute', 'fri', 'open')
    .chain(stage => withRun(of => ({ type: 'stage', run: of, stage }))),
  withRun(of => ({ type: 'succeeded', run: of, proofId: 'prf_x' })),
  withRun(of => ({ type: 'failed', run: of, problem: failure })),
  withRun(of => ({ type: 'cancelled', run: of })),
  withRun(of => ({ type: 'given-back', run: of })),
  always({ type: 'cancel-requested' }),
  always({ type: 'lease-lapsed' }),
  always({ type: 'dropped', problem: failure }),
  fc.constantFrom(...SETTLED).map(payment => () => ({ type: 'settled', payment }) as const),
);

/** Every snapshot that a sequence of happenings leads through, the first one included, and what led to each. */
function history(
  happenings: readonly (Happening | JobEvent)[],
  first = QUEUED,
): (JobSnapshot & { readonly by?: JobEvent })[] {
  const snapshots: (JobSnapshot & { by?: JobEvent })[] = [first];
  for (const one of happenings) {
    const { by: _before, ...job } = snapshots[snapshots.length - 1];
    const event = typeof one === 'function' ? one(job) : one;
    const next = transition(job, event);
    if (next) snapshots.push({ ...next, by: event });
  }
  return snapshots;
}
const holds = (check: (snapshots: ReturnType<typeof history>) => void, first?: JobSnapshot) =>
  fc.assert(
    fc.property(fc.array(happening, { maxLength: 60 }), happenings => check(history(happenings, first))),
    { numRuns: 2_000 },
  );
/** The events that lead a job through so many runs whose processes die. */
const deaths = (count: number): JobEvent[] =>
  Array.from({ length: count }, (_, i): JobEvent[] => [
    { type: 'begun', run: i },
    { type: 'lease-lapsed' },
  ]).flat();

describe('a proof job, whatever happens to it', () => {
  it('has one outcome at most, and nothing that happens later changes it', () =>
    holds(snapshots => {
      const first = snapshots.findIndex(job => outcomeOf(job) !== undefined);
      if (first < 0) return;
      for (const later of snapshots.slice(first)) {
        expect(outcomeOf(later)).toBe(outcomeOf(snapshots[first]));
        const { state, seq, payment, by } = later;
        expect(later).toEqual({ ...snapshots[first], state, seq, payment, by });
      }
    }));

  it('ends with its payment and not before: first it is settled, and what is settled is final', () =>
    holds(snapshots => {
      for (const [i, job] of snapshots.entries()) {
        const { state, payment } = job;
        if (isEnded(job)) {
          expect(SETTLED).toContain(payment);
          expect(state).toBe(outcomeOf(job));
          expect([snapshots[i - 1].state, i]).toEqual(['settling', snapshots.length - 1]);
        } else if (state === 'settling') {
          expect(payment).toBe(outcomeOf(job) === 'succeeded' ? 'delivery-due' : 'return-due');
        } else expect([payment, outcomeOf(job)]).toEqual(['held', undefined]);
      }
    }));

  it('has a proof exactly when it has succeeded, and a problem exactly when it has failed', () =>
    holds(snapshots => {
      for (const job of snapshots) {
        expect(job.proofId !== undefined).toBe(outcomeOf(job) === 'succeeded');
        expect(job.problem !== undefined).toBe(outcomeOf(job) === 'failed');
      }
    }));

  it('numbers its events one after another, without a gap', () =>
    holds(snapshots => {
      for (const [i, { seq }] of snapshots.slice(1).entries()) {
        expect(seq - snapshots[i].seq).toBe(1);
      }
    }));

  it('goes back to the queue where its process died or gave it back alone, and otherwise never goes back', () => {
    const rank = (state: JobSnapshot['state']) => Math.min(PROOF_JOB_STATES.indexOf(state), 4);
    holds(snapshots => {
      for (const [i, now] of snapshots.slice(1).entries()) {
        const before = snapshots[i];
        if (rank(now.state) < rank(before.state)) {
          expect([before.state, now.state]).toEqual(['running', 'queued']);
          expect(['lease-lapsed', 'given-back']).toContain(now.by?.type);
          expect([now.stage, now.stagesBegun]).toEqual([undefined, 0]);
        } else expect(now.stagesBegun).toBeGreaterThanOrEqual(before.stagesBegun);
      }
    });
  });

  it('hears of the run that is at it, and of no other', () =>
    holds(snapshots => {
      for (const [i, { by, run: now }] of snapshots.slice(1).entries()) {
        if (by === undefined || !('run' in by)) continue;
        const before = snapshots[i];
        expect(by.run).toBe(before.run);
        if (by.type === 'begun') expect([before.state, now]).toEqual(['queued', before.run + 1]);
        else expect(['running', 'cancelling']).toContain(before.state);
      }
    }));

  it('never has a run twice, so that what an earlier one says late can be told from what this one says', () =>
    holds(snapshots => {
      const begun = snapshots.filter(({ by }) => by?.type === 'begun').map(({ run: number }) => number);
      expect(new Set(begun).size).toBe(begun.length);
      expect([...begun].sort((a, b) => a - b)).toEqual(begun);
    }));

  it('dies with as many processes as may die of it, and not with one more', () => {
    holds(snapshots => {
      let died = 0;
      for (const [i, { by, state }] of snapshots.slice(1).entries()) {
        if (by?.type === 'lease-lapsed' && snapshots[i].state === 'running') {
          died++;
          expect(state).toBe(died < BEGINS_MAX ? 'queued' : 'settling');
        }
      }
      expect(died).toBeLessThanOrEqual(BEGINS_MAX);
    });
    const [last] = history(deaths(BEGINS_MAX)).slice(-1);
    expect(last).toMatchObject({ state: 'settling', payment: 'return-due', problem: { code: 'INTERNAL' } });
    expect(history(deaths(BEGINS_MAX - 1)).at(-1)).toMatchObject({ state: 'queued', run: BEGINS_MAX - 1 });
  });

  it('is given back as often as processes close, which says nothing against it', () => {
    const closes = Array.from({ length: 20 }, (_, i): JobEvent[] => [
      { type: 'begun', run: i },
      { type: 'given-back', run: i + 1 },
    ]).flat();
    expect(history(closes).at(-1)).toMatchObject({ state: 'queued', run: 20, begins: 0 });
  });

  it('keeps what was asked until its payment is settled where it has a proof, and no longer than its work where not', () =>
    holds(snapshots => {
      for (const job of snapshots) {
        const outcome = outcomeOf(job);
        if (outcome !== 'succeeded') expect(job.isKept).toBe(outcome === undefined);
        else expect(job.isKept).toBe(true);
      }
    }));

  it('begins no stage unless it runs', () =>
    holds(snapshots => {
      for (const [i, now] of snapshots.slice(1).entries()) {
        if (now.stagesBegun > snapshots[i].stagesBegun)
          expect([snapshots[i].state, now.state]).toEqual(['running', 'running']);
      }
    }));

  it('says of the payment what became of it, once', () => {
    const [job] = history([{ type: 'dropped', problem: failure }]).slice(-1);
    for (const payment of SETTLED) {
      const settled = transition(job, { type: 'settled', payment })!;
      expect(settled).toMatchObject({ state: 'failed', payment, seq: job.seq + 1 });
      for (const other of SETTLED) {
        expect(transition(settled, { type: 'settled', payment: other })).toBeUndefined();
      }
    }
    expect(transition(QUEUED, { type: 'settled', payment: 'returned' })).toBeUndefined();
  });

  it('that is cancelled while it waits ends at once, and while it runs may still succeed first, and then is paid for', () => {
    expect(history([{ type: 'cancel-requested' }]).at(-1)).toMatchObject({
      ...{ state: 'settling', payment: 'return-due', isKept: false },
    });
    const cancelled = history([{ type: 'begun', run: 0 }, { type: 'cancel-requested' }]).at(-1)!;
    expect(cancelled.state).toBe('cancelling');
    const done = transition(cancelled, { type: 'succeeded', run: 1, proofId: 'prf_x' });
    expect(done).toMatchObject({ state: 'settling', payment: 'delivery-due', proofId: 'prf_x' });
  });

  it('that cannot be given up is cancelled before it begins, and never after, also where its process died', () => {
    const binding = { ...QUEUED, canBeGivenUp: false };
    holds(snapshots => {
      for (const [i, { by }] of snapshots.slice(1).entries())
        if (by?.type === 'cancel-requested')
          expect([snapshots[i].state, snapshots[i].run]).toEqual(['queued', 0]);
      const begun = snapshots.filter(job => job.run > 0 && outcomeOf(job) === undefined);
      for (const job of begun) expect(transition(job, { type: 'cancel-requested' })).toBeUndefined();
    }, binding);
    expect(transition(binding, { type: 'cancel-requested' })).toMatchObject({ state: 'settling' });
  });

  it('whose process died is begun anew, unless it was cancelled', () => {
    const running = history([{ type: 'begun', run: 0 }, { type: 'lease-lapsed' }]).at(-1)!;
    expect(running).toMatchObject({ state: 'queued', payment: 'held', run: 1, begins: 1 });
    const cancelled = history([
      ...[{ type: 'begun', run: 0 } as const, { type: 'cancel-requested' } as const],
      { type: 'lease-lapsed' },
    ]).at(-1)!;
    expect([outcomeOf(cancelled), cancelled.payment]).toEqual(['cancelled', 'return-due']);
    expect(transition(QUEUED, { type: 'lease-lapsed' })).toBeUndefined();
  });

  it('whose order is not kept ends as failed with its process, waiting or running, payment returned', () => {
    for (const state of ['queued', 'running'] as const) {
      const ended = transition({ ...QUEUED, state, isKept: false }, { type: 'lease-lapsed' })!;
      expect([outcomeOf(ended), ended.payment]).toEqual(['failed', 'return-due']);
      expect(ended.problem).toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    }
  });
});
