import { PROOF_JOB_STATES } from '@svc/contracts';
import fc from 'fast-check';
import {
  isEnded,
  type JobEvent,
  type JobSnapshot,
  outcomeOf,
  QUEUED,
  type SettledPayment,
  transition,
} from './job-state.js';

const SETTLED: readonly SettledPayment[] = ['delivered', 'returned', 'superseded'];

const event: fc.Arbitrary<JobEvent> = fc.oneof(
  fc.constant<JobEvent>({ type: 'started' }),
  fc.constantFrom('execute', 'fri', 'open').map((stage): JobEvent => ({ type: 'stage', stage })),
  fc.constant<JobEvent>({ type: 'succeeded', proofId: 'prf_x' }),
  fc.constant<JobEvent>({ type: 'failed', problem: { code: 'INTERNAL', detail: 'broken' } }),
  fc.constant<JobEvent>({ type: 'cancel-requested' }),
  fc.constant<JobEvent>({ type: 'cancelled' }),
  fc.constant<JobEvent>({ type: 'lease-lapsed' }),
  fc.constantFrom(...SETTLED).map((payment): JobEvent => ({ type: 'settled', payment })),
);

/** Every snapshot that a sequence of events leads through, the first one included. */
function history(events: readonly JobEvent[], first = QUEUED): JobSnapshot[] {
  const snapshots = [first];
  for (const one of events) {
    const next = transition(snapshots[snapshots.length - 1], one);
    if (next) snapshots.push(next);
  }
  return snapshots;
}
const holds = (check: (snapshots: JobSnapshot[]) => void) =>
  fc.assert(
    fc.property(fc.array(event, { maxLength: 40 }), events => check(history(events))),
    { numRuns: 2_000 },
  );

describe('a proof job, whatever happens to it', () => {
  it('has one outcome at most, and nothing that happens later changes it', () =>
    holds(snapshots => {
      const first = snapshots.findIndex(job => outcomeOf(job) !== undefined);
      if (first < 0) return;
      for (const later of snapshots.slice(first)) {
        expect(outcomeOf(later)).toBe(outcomeOf(snapshots[first]));
        const { state, seq, payment } = later;
        expect(later).toEqual({ ...snapshots[first], state, seq, payment });
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

  it('never goes back: not to the queue, not from cancelling to running, not by a stage', () => {
    const rank = (state: JobSnapshot['state']) => Math.min(PROOF_JOB_STATES.indexOf(state), 4);
    holds(snapshots => {
      for (const [i, now] of snapshots.slice(1).entries()) {
        expect(rank(now.state)).toBeGreaterThanOrEqual(rank(snapshots[i].state));
        expect(now.stagesBegun).toBeGreaterThanOrEqual(snapshots[i].stagesBegun);
      }
    });
  });

  it('begins no stage unless it runs', () =>
    holds(snapshots => {
      for (const [i, now] of snapshots.slice(1).entries()) {
        if (now.stagesBegun > snapshots[i].stagesBegun)
          expect([snapshots[i].state, now.state]).toEqual(['running', 'running']);
      }
    }));

  it('says of the payment what became of it, once', () => {
    const [job] = history([{ type: 'lease-lapsed' }]).slice(-1);
    for (const payment of SETTLED) {
      const settled = transition(job, { type: 'settled', payment })!;
      expect(settled).toMatchObject({ state: 'failed', payment, seq: job.seq + 1 });
      for (const other of SETTLED) {
        expect(transition(settled, { type: 'settled', payment: other })).toBeUndefined();
      }
    }
    expect(transition(QUEUED, { type: 'settled', payment: 'returned' })).toBeUndefined();
  });

  it('that is cancelled may still succeed first, and then is paid for', () => {
    const cancelled = history([{ type: 'started' }, { type: 'cancel-requested' }]);
    const done = transition(cancelled[2], { type: 'succeeded', proofId: 'prf_x' });
    expect(done).toMatchObject({ state: 'settling', payment: 'delivery-due', proofId: 'prf_x' });
  });

  it('that cannot be given up is cancelled before it begins, and never after', () =>
    fc.assert(
      fc.property(fc.array(event, { maxLength: 40 }), events => {
        const snapshots = history(events, { ...QUEUED, canBeGivenUp: false });
        for (const [i, { state }] of snapshots.slice(1).entries()) {
          if (state === 'cancelling') expect(snapshots[i].state).toBe('queued');
        }
        const running = snapshots.find(job => job.state === 'running');
        if (running) expect(transition(running, { type: 'cancel-requested' })).toBeUndefined();
        const cancelled = transition({ ...QUEUED, canBeGivenUp: false }, { type: 'cancel-requested' });
        expect(cancelled).toMatchObject({ state: 'cancelling' });
      }),
      { numRuns: 2_000 },
    ));

  it('whose process died ends as failed, or as cancelled where that was asked for, payment returned', () => {
    for (const before of [[], [{ type: 'started' }]] as JobEvent[][]) {
      const [last] = history([...before, { type: 'lease-lapsed' }]).slice(-1);
      expect(outcomeOf(last)).toBe('failed');
      expect(last).toMatchObject({
        payment: 'return-due',
        problem: { code: 'SERVICE_UNAVAILABLE' },
      });
    }
    const [last] = history([{ type: 'cancel-requested' }, { type: 'lease-lapsed' }]).slice(-1);
    expect([outcomeOf(last), last.payment]).toEqual(['cancelled', 'return-due']);
  });
});
