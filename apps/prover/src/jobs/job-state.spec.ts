import { PROOF_JOB_STATES } from '@svc/contracts';
import fc from 'fast-check';
import { isEnded, type JobEvent, type JobSnapshot, QUEUED, transition } from './job-state.js';

const event: fc.Arbitrary<JobEvent> = fc.oneof(
  fc.constant<JobEvent>({ type: 'started' }),
  fc.constantFrom('execute', 'fri', 'open').map((stage): JobEvent => ({ type: 'stage', stage })),
  fc.constant<JobEvent>({ type: 'succeeded', proofId: 'prf_x' }),
  fc.constant<JobEvent>({ type: 'failed', problem: { code: 'INTERNAL', detail: 'broken' } }),
  fc.constant<JobEvent>({ type: 'cancel-requested' }),
  fc.constant<JobEvent>({ type: 'cancelled' }),
  fc.constant<JobEvent>({ type: 'lease-lapsed' }),
  fc.constant<JobEvent>({ type: 'settled' }),
  fc.constant<JobEvent>({ type: 'overtaken' }),
);

/** Every snapshot that a sequence of events leads through, the first one included. */
function history(events: readonly JobEvent[]): JobSnapshot[] {
  const snapshots = [QUEUED];
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
  it('ends at most once, and nothing that happens later changes how', () =>
    holds(snapshots => {
      const first = snapshots.findIndex(isEnded);
      if (first < 0) return;
      for (const later of snapshots.slice(first)) {
        expect(later).toEqual({ ...snapshots[first], payment: later.payment });
      }
    }));

  it('is paid for exactly when it has succeeded, and returns the payment of every other end', () =>
    holds(snapshots => {
      for (const { state, payment } of snapshots) {
        if (state === 'succeeded') expect(['delivery-due', 'delivered', 'superseded']).toContain(payment);
        else if (state === 'failed' || state === 'cancelled')
          expect(['return-due', 'returned', 'superseded']).toContain(payment);
        else expect(payment).toBe('held');
      }
    }));

  it('has a proof exactly when it has succeeded, and a problem exactly when it has failed', () =>
    holds(snapshots => {
      for (const { state, proofId, problem } of snapshots) {
        expect(proofId !== undefined).toBe(state === 'succeeded');
        expect(problem !== undefined).toBe(state === 'failed');
      }
    }));

  it('numbers its events one after another, without a gap', () =>
    holds(snapshots => {
      for (const [i, { seq }] of snapshots.slice(1).entries()) {
        const before = snapshots[i];
        expect(seq - before.seq).toBe(isEnded(before) ? 0 : 1);
      }
    }));

  it('never goes back: not to the queue, not from cancelling to running, not by a stage', () => {
    const rank = (state: JobSnapshot['state']) => Math.min(PROOF_JOB_STATES.indexOf(state), 3);
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
    const [succeeded] = history([{ type: 'succeeded', proofId: 'prf_x' }]).slice(-1);
    const [failed] = history([{ type: 'lease-lapsed' }]).slice(-1);
    for (const [job, done] of [
      [succeeded, 'delivered'],
      [failed, 'returned'],
    ] as const) {
      const settled = transition(job, { type: 'settled' })!;
      const overtaken = transition(job, { type: 'overtaken' })!;
      expect([settled.payment, overtaken.payment]).toEqual([done, 'superseded']);
      expect(transition(settled, { type: 'overtaken' })).toBeUndefined();
      expect(transition(overtaken, { type: 'settled' })).toBeUndefined();
    }
  });

  it('that is cancelled may still succeed first, and then is paid for', () => {
    const cancelled = history([{ type: 'started' }, { type: 'cancel-requested' }]);
    const done = transition(cancelled[2], { type: 'succeeded', proofId: 'prf_x' });
    expect(done).toMatchObject({ state: 'succeeded', payment: 'delivery-due' });
  });

  it('whose process died ends as failed, or as cancelled where that was asked for, payment returned', () => {
    for (const before of [[], [{ type: 'started' }]] as JobEvent[][]) {
      const [last] = history([...before, { type: 'lease-lapsed' }]).slice(-1);
      expect(last).toMatchObject({
        state: 'failed',
        payment: 'return-due',
        problem: { code: 'SERVICE_UNAVAILABLE' },
      });
    }
    const [last] = history([{ type: 'cancel-requested' }, { type: 'lease-lapsed' }]).slice(-1);
    expect(last).toMatchObject({ state: 'cancelled', payment: 'return-due' });
  });
});
