import fc from 'fast-check';
import { nextSession } from './next-session.js';
import {
  isOver,
  openSession,
  type PeerSession,
  type SessionPeer,
  type SessionState,
  sideOfUfrag,
} from './peer-session.js';
import { isRefusal, type RefusalReason, type SessionEvent } from './session-event.js';

const T0 = 1_767_225_600_000;
const TARGET = '02aa';
const numbered = (count: number, from = 0) =>
  Array.from({ length: count }, (_, i) => `candidate:${from + i}`);
const peerOf = (iceUfrag: string, change: Partial<SessionPeer> = {}): SessionPeer => ({
  iceUfrag,
  icePwd: `password of ${iceUfrag}`,
  candidates: [],
  endOfCandidates: false,
  ...change,
});
const offered = (change: Partial<SessionPeer> = {}) =>
  openSession({ id: 'mesh_1', mid: '0', targetKey: TARGET, offerer: peerOf('offr', change) }, T0);
const answer = (change: Partial<SessionPeer> = {}, by: string | undefined = TARGET): SessionEvent => ({
  type: 'answered',
  by,
  answerer: peerOf('answ', change),
});
const trickle = (iceUfrag: string, candidates: readonly string[], endOfCandidates = false): SessionEvent => ({
  type: 'candidates',
  iceUfrag,
  icePwd: `password of ${iceUfrag}`,
  mid: '0',
  candidates,
  endOfCandidates,
});

/** The session after events that all must be taken, each at so many ms after the start. */
function after(session: PeerSession, ...events: (SessionEvent | [SessionEvent, number])[]): PeerSession {
  return events.reduce((now, entry) => {
    const [event, ms] = Array.isArray(entry) ? entry : [entry, 0];
    const next = nextSession(now, event, T0 + ms);
    if (isRefusal(next)) throw new Error(`${event.type}: ${next.refused}`);
    return next;
  }, session);
}

function refusedFor(session: PeerSession, event: SessionEvent, ms = 0) {
  const next = nextSession(session, event, T0 + ms);
  return isRefusal(next) ? next.refused : undefined;
}

const connected: SessionEvent = { type: 'connected' };
const activity: SessionEvent = { type: 'activity' };
const disconnected: SessionEvent = { type: 'disconnected' };
const failed: SessionEvent = { type: 'failed' };
const closed: SessionEvent = { type: 'closed', by: 'service' };
const tick: SessionEvent = { type: 'tick' };

const inState: Record<SessionState, PeerSession> = {
  waiting: offered(),
  answered: after(offered(), answer()),
  connected: after(offered(), answer(), connected),
  closed: after(offered(), closed),
  expired: after(offered(), [tick, 60_000]),
};
const STATES = Object.keys(inState) as SessionState[];

describe('what leads where', () => {
  const [W, A, C] = ['waiting', 'answered', 'connected'] as const;
  const TABLE: [
    string,
    SessionEvent,
    Record<'waiting' | 'answered' | 'connected', SessionState | RefusalReason>,
  ][] = [
    ['answered', answer(), { waiting: A, answered: 'ANSWERED_ALREADY', connected: 'ANSWERED_ALREADY' }],
    ['candidates', trickle('offr', ['candidate:1']), { waiting: W, answered: A, connected: C }],
    ['connected', connected, { waiting: 'NOT_ANSWERED', answered: C, connected: C }],
    ['activity', activity, { waiting: 'NOT_CONNECTED', answered: 'NOT_CONNECTED', connected: C }],
    ['disconnected', disconnected, { waiting: 'NOT_ANSWERED', answered: A, connected: C }],
    ['failed', failed, { waiting: 'NOT_ANSWERED', answered: 'closed', connected: 'closed' }],
    ['closed', closed, { waiting: 'closed', answered: 'closed', connected: 'closed' }],
    ['tick', tick, { waiting: W, answered: A, connected: C }],
  ];
  const cases = TABLE.flatMap(([name, event, outcomes]) =>
    STATES.map(state => {
      const ended = name === 'tick' ? state : 'OVER';
      return [name, state, isOver({ state }) ? ended : outcomes[state as 'waiting'], event] as const;
    }),
  );
  it.each(cases)('%s, while %s: %s', (_, state, outcome, event) => {
    const next = nextSession(inState[state], event, T0 + 1);
    expect(isRefusal(next) ? next.refused : next.state).toBe(outcome);
  });

  it('says why it is over, and when', () => {
    expect(after(offered(), [closed, 7])).toMatchObject({ end: 'closed_by_service', expiresAtMs: T0 + 7 });
    const byOfferer = { type: 'closed', by: 'offerer' } as const;
    expect(after(inState.connected, [byOfferer, 8])).toMatchObject({
      end: 'closed_by_offerer',
      expiresAtMs: T0 + 8,
    });
    expect(after(inState.answered, [failed, 9])).toMatchObject({ end: 'failed', expiresAtMs: T0 + 9 });
  });
});

describe('clocks', () => {
  it.each([
    ['waiting', 60_000, 'expired', 'unanswered'],
    ['answered', 30_000, 'expired', 'unopened'],
    ['connected', 120_000, 'closed', 'idle'],
  ] as const)('a session that is %s ends after %d ms as %s', (state, ms, ended, end) => {
    const session = inState[state];
    expect(session.expiresAtMs).toBe(T0 + ms);
    expect(after(session, [tick, ms - 1])).toBe(session);
    for (const late of [ms, ms + 5_000]) {
      expect(after(session, [tick, late])).toMatchObject({ state: ended, end, expiresAtMs: T0 + ms });
    }
  });

  it('a connection that lives goes on, however late that is said', () => {
    const goesOn = { state: 'connected', expiresAtMs: T0 + 500_000 + 120_000 };
    expect(after(inState.answered, [connected, 500_000])).toMatchObject(goesOn);
    expect(after(inState.connected, [connected, 500_000])).toMatchObject(goesOn);
    expect(after(inState.connected, [activity, 500_000])).toMatchObject(goesOn);
    expect(refusedFor(inState.answered, activity, 500_000)).toBe('NOT_CONNECTED');
  });

  it.each(['waiting', 'answered', 'connected'] as const)(
    'whatever else comes too late while %s is refused before a tick',
    state => {
      const { expiresAtMs } = inState[state];
      const ofLife = state === 'waiting' ? [connected, activity] : [];
      for (const event of [answer(), ...ofLife, disconnected, failed, closed, trickle('offr', [])]) {
        expect(refusedFor(inState[state], event, expiresAtMs - T0)).toBe('TOO_LATE');
      }
    },
  );

  it('count from the answer, and from the last sign of life', () => {
    const answered = after(offered(), [answer(), 50_000]);
    expect(answered.expiresAtMs).toBe(T0 + 80_000);
    const open = after(answered, [connected, 79_999]);
    expect(open.expiresAtMs).toBe(T0 + 199_999);
    expect(after(open, [activity, 199_998]).expiresAtMs).toBe(T0 + 319_998);
    expect(after(open, [connected, 100_000]).expiresAtMs).toBe(T0 + 220_000);
    expect(after(open, [disconnected, 199_998])).toBe(open);
  });

  it('are not set back by a replica whose own is behind', () => {
    const open = after(offered(), answer(), [connected, 10_000]);
    expect(after(open, [activity, 9_000])).toBe(open);
  });
});

describe('answers', () => {
  it('come from whom the offer was for', () => {
    expect(refusedFor(offered(), answer({}, '02bb'))).toBe('NOT_THE_TARGET');
    expect(refusedFor(offered(), { type: 'answered', answerer: peerOf('answ') })).toBe('NOT_THE_TARGET');
    const ofService = openSession({ id: 'mesh_2', mid: '0', offerer: peerOf('offr') }, T0);
    expect(ofService).toMatchObject({ kind: 'super_peer' });
    expect(offered()).toMatchObject({ kind: 'brokered', version: 1, createdAtMs: T0 });
    expect(refusedFor(ofService, answer())).toBe('NOT_THE_TARGET');
    expect(after(ofService, { type: 'answered', answerer: peerOf('answ') }).state).toBe('answered');
  });

  it('have an ice-ufrag of their own', () => {
    const event: SessionEvent = { type: 'answered', by: TARGET, answerer: peerOf('offr') };
    expect(refusedFor(offered(), event)).toBe('UFRAG_TAKEN');
  });

  it('bring at most 30 candidates, each counted once', () => {
    expect(refusedFor(offered(), answer({ candidates: numbered(31) }))).toBe('TOO_MANY_CANDIDATES');
    const twice = [...numbered(30), ...numbered(30)];
    expect(after(offered(), answer({ candidates: twice })).answerer).toEqual(
      peerOf('answ', { candidates: numbered(30) }),
    );
  });

  it('keep what they say of the end of candidates', () => {
    const complete = after(offered(), answer({ endOfCandidates: true }));
    expect(refusedFor(complete, trickle('answ', ['candidate:1']))).toBe('CANDIDATES_ENDED');
  });
});

describe('candidates', () => {
  it('go to the side of their ufrag', () => {
    const both = after(inState.answered, trickle('offr', ['candidate:1']), trickle('answ', ['candidate:2']));
    expect(both.offerer.candidates).toEqual(['candidate:1']);
    expect(both.answerer!.candidates).toEqual(['candidate:2']);
    expect([sideOfUfrag(both, 'offr'), sideOfUfrag(both, 'answ'), sideOfUfrag(both, 'othe')]).toEqual([
      'offerer',
      'answerer',
      undefined,
    ]);
    expect(sideOfUfrag(offered(), 'answ')).toBeUndefined();
  });

  it('are refused as an ICE restart with other credentials', () => {
    expect(refusedFor(inState.answered, trickle('othe', []))).toBe('ICE_RESTART');
    expect(refusedFor(offered(), trickle('answ', []))).toBe('ICE_RESTART');
    const otherPassword = { ...trickle('offr', []), icePwd: 'password of answ' } as SessionEvent;
    expect(refusedFor(inState.answered, otherPassword)).toBe('ICE_RESTART');
    expect(nextSession(inState.answered, otherPassword, T0)).toMatchObject({ value: 'offr' });
    expect(JSON.stringify(nextSession(inState.answered, otherPassword, T0))).not.toContain('password of');
  });

  it('are of the one section, which they need not name', () => {
    const of = (mid?: string) => ({ ...trickle('offr', ['candidate:1']), mid }) as SessionEvent;
    expect(refusedFor(offered(), of('1'))).toBe('OTHER_SECTION');
    expect(nextSession(offered(), of('1'), T0)).toMatchObject({ bound: '0', value: '1' });
    expect(after(offered(), of(undefined)).version).toBe(2);
  });

  it('end when their side says so, and only of that side', () => {
    const ended = after(inState.answered, trickle('offr', ['candidate:1'], true));
    expect(ended.offerer).toEqual(peerOf('offr', { candidates: ['candidate:1'], endOfCandidates: true }));
    expect(refusedFor(ended, trickle('offr', ['candidate:2']))).toBe('CANDIDATES_ENDED');
    expect(refusedFor(ended, trickle('offr', [], true))).toBe('CANDIDATES_ENDED');
    expect(after(ended, trickle('answ', ['candidate:2'])).version).toBe(ended.version + 1);
    expect(after(inState.answered, trickle('answ', [], true)).version).toBe(inState.answered.version + 1);
  });

  it('are at most 30 of a side in all, with those of its description', () => {
    const full = after(offered({ candidates: numbered(28) }), trickle('offr', numbered(2, 28)));
    expect(full.offerer.candidates).toEqual(numbered(30));
    const next = nextSession(full, trickle('offr', ['candidate:99']), T0);
    expect(next).toMatchObject({ refused: 'TOO_MANY_CANDIDATES', bound: 30, value: 31 });
    expect(after(full, trickle('offr', numbered(30)))).toBe(full);
    expect(() => offered({ candidates: numbered(31) })).toThrow(RangeError);
    expect(offered({ candidates: [...numbered(15), ...numbered(15)] }).offerer.candidates).toEqual(
      numbered(15),
    );
  });

  it('change nothing where they are known or none', () => {
    const one = after(offered(), trickle('offr', ['candidate:1']));
    expect(after(one, trickle('offr', ['candidate:1']))).toBe(one);
    expect(after(one, trickle('offr', []))).toBe(one);
  });
});

describe('whatever happens, in whatever order', () => {
  const few = fc.array(
    fc.nat(40).map(i => `candidate:${i}`),
    { maxLength: 12 },
  );
  const candidates = fc.oneof(
    { weight: 9, arbitrary: few },
    { weight: 1, arbitrary: fc.nat(31).map(count => numbered(count)) },
  );
  const ufrag = fc.constantFrom('offr', 'answ', 'othe');
  const event: fc.Arbitrary<SessionEvent> = fc.oneof(
    fc.constantFrom(connected, activity, disconnected, failed, closed, tick),
    fc.constantFrom(connected, activity, activity, tick),
    // A way that leads far: chance alone seldom comes to an answer that stands, and then to its end.
    fc.constantFrom(answer(), connected, connected, closed),
    fc
      .tuple(ufrag, candidates, fc.constantFrom(TARGET, TARGET, '02bb'), fc.boolean())
      .map(([iceUfrag, candidates, by, endOfCandidates]): SessionEvent => ({
        type: 'answered',
        by,
        answerer: peerOf(iceUfrag, { candidates, endOfCandidates }),
      })),
    fc
      .tuple(ufrag, candidates, fc.integer({ min: 0, max: 9 }))
      .map(([iceUfrag, candidates, end]) => trickle(iceUfrag, candidates, end === 0)),
    // One too many at once: a history that comes to the bound by itself is rare.
    ufrag.map(iceUfrag => trickle(iceUfrag, numbered(31))),
  );
  /** Time mostly goes on, at times by long, and at times back a little: replicas have clocks of their own. */
  const step = fc.oneof(fc.nat(20_000), fc.nat(1_000), fc.nat(100_000), fc.integer({ min: -2_000, max: 0 }));
  const history = fc.array(fc.tuple(event, step), { maxLength: 40 });
  const LEADS_TO: Record<SessionState, readonly SessionState[]> = {
    waiting: ['waiting', 'answered', 'closed', 'expired'],
    answered: ['answered', 'connected', 'closed', 'expired'],
    connected: ['connected', 'closed'],
    closed: ['closed'],
    expired: ['expired'],
  };
  const runs = { numRuns: process.env.SUITE_TIER === 'long' ? 100_000 : 2_000 };

  const expectSound = (before: PeerSession, next: PeerSession, nowMs: number) => {
    const isSame = next === before;
    const faults = [
      LEADS_TO[before.state].includes(next.state) || `${before.state} to ${next.state}`,
      next.version === before.version + (isSame ? 0 : 1) || 'version',
      isSame ||
        JSON.stringify({ ...next, version: 0 }) !== JSON.stringify({ ...before, version: 0 }) ||
        'no change',
      isOver(next) === (next.end !== undefined) || 'end',
      isOver(next) || next.state !== before.state || next.expiresAtMs >= before.expiresAtMs || 'set back',
      isOver(next) ||
        next.expiresAtMs > nowMs ||
        next.expiresAtMs === before.expiresAtMs ||
        'ends in the past',
      (next.state !== 'answered' && next.state !== 'connected') || next.answerer !== undefined || 'no answer',
      next.answerer?.iceUfrag !== next.offerer.iceUfrag || 'one ufrag',
      [next.offerer, next.answerer].every(peer => (peer?.candidates.length ?? 0) <= 30) || 'candidates',
      [next.offerer, next.answerer].every(p => new Set(p?.candidates).size === (p?.candidates.length ?? 0)) ||
        'twice',
    ].filter(fault => fault !== true);
    if (faults.length > 0) throw new Error(faults.join(', '));
  };

  it('goes forward only, one version at a time, and a refusal leaves all as it was', () => {
    const reached = new Map<string, number>();
    fc.assert(
      fc.property(history, events => {
        let session = offered();
        let nowMs = T0;
        for (const [event, ms] of events) {
          nowMs += ms;
          const frozen = JSON.stringify(session);
          const next = nextSession(session, event, nowMs);
          if (JSON.stringify(session) !== frozen) throw new Error('changed in place');
          const outcome = isRefusal(next) ? next.refused : `${session.state} ${next.state}`;
          reached.set(outcome, (reached.get(outcome) ?? 0) + 1);
          if (isRefusal(next)) continue;
          expectSound(session, next, nowMs);
          session = next;
        }
        // It is kept as JSON.
        expect(JSON.parse(JSON.stringify(session))).toEqual(session);
        const last = nextSession(session, tick, session.expiresAtMs);
        if (isRefusal(last) || !isOver(last)) throw new Error('outlives its time');
      }),
      runs,
    );
    // Histories that never come to an answer, or never to a bound, would show nothing.
    const changes = Object.entries(LEADS_TO).flatMap(([from, tos]) => tos.map(to => `${from} ${to}`));
    const refusals: RefusalReason[] = [
      'OVER',
      'TOO_LATE',
      'ANSWERED_ALREADY',
      'NOT_ANSWERED',
      'NOT_CONNECTED',
      'NOT_THE_TARGET',
      'UFRAG_TAKEN',
      'ICE_RESTART',
      'CANDIDATES_ENDED',
      'TOO_MANY_CANDIDATES',
    ];
    expect([...changes, ...refusals].filter(outcome => !reached.has(outcome))).toEqual([]);
  });
});
