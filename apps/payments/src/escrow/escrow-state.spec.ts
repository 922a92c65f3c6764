import { describe, expect, it } from '@jest/globals';
import { byTier } from '@svc/platform/testing';
import fc from 'fast-check';
import {
  afterIntent,
  centsOfUsd,
  type EscrowStanding,
  type EscrowVerb,
  type EscrowWish,
  type EscrowPayee,
  type IntentStanding,
  isFinal,
  judge,
  refusalToPayee,
  usdOfCents,
} from './escrow-state.js';

const EXPIRES_AT_MS = 1_000_000;

/** The card processor's side of an escrow, by its own rules: what is done there is done once, and stays done. */
class Processor {
  status: 'requires_payment_method' | 'requires_capture' | 'succeeded' | 'canceled' =
    'requires_payment_method';
  receivedCents = 0;
  ranOut = false;

  pay(): void {
    if (this.status === 'requires_payment_method') this.status = 'requires_capture';
  }
  runOut(): void {
    if (this.status !== 'requires_capture') return;
    this.status = 'canceled';
    this.ranOut = true;
  }
  /** @returns whether it was done, now or before */
  perform(verb: EscrowVerb, cents: number | undefined): boolean {
    if (verb === 'release') {
      if (this.status === 'requires_capture') {
        this.status = 'succeeded';
        this.receivedCents = cents!;
      }
      return this.status === 'succeeded';
    }
    if (this.status !== 'succeeded') this.status = 'canceled';
    return this.status === 'canceled';
  }
}

type Step =
  | { do: 'pay' | 'run-out' | 'tell' }
  | { do: 'tell-old'; which: number }
  | { do: 'advance'; ms: number }
  | { do: 'wish'; wish: EscrowWish; reaches: boolean; answers: boolean };

const cents = fc.integer({ min: 1, max: 1_200 });
const wish: fc.Arbitrary<EscrowWish> = fc.oneof(
  fc.record({ verb: fc.constant('release' as const), cents, key: fc.constantFrom(undefined, 'k1', 'k2') }),
  fc.record({
    verb: fc.constantFrom('cancel' as const, 'expire' as const),
    key: fc.constantFrom(undefined, 'k1', 'k2'),
  }),
);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constantFrom('pay' as const, 'tell' as const, 'run-out' as const) }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('tell-old' as const), which: fc.nat(40) }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('advance' as const), ms: fc.integer({ min: 0, max: 600_000 }) }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('wish' as const),
      wish,
      reaches: fc.boolean(),
      answers: fc.boolean(),
    }),
  },
);

/** From its beginning, or from when it is held: few of the first kind get so far as to be released. */
const steps = fc
  .tuple(fc.boolean(), fc.array(step, { maxLength: 40 }))
  .map(([isHeld, rest]): Step[] => (isHeld ? [{ do: 'pay' }, { do: 'tell' }, ...rest] : rest));
const payeeIs = fc.constantFrom<EscrowPayee>('other', 'self', 'unclaimed');

/** An escrow and its processor, run as the service runs them: recorded, then done, then adopted; each may be cut off. */
class Run {
  escrow: EscrowStanding = {
    state: 'REQUIRES_PAYMENT',
    payeeIs: 'other',
    amountCents: 1_000,
    releasedCents: 0,
    expiresAtMs: EXPIRES_AT_MS,
  };
  readonly processor = new Processor();
  /** Amounts that were booked to the payee. */
  readonly booked: number[] = [];
  nowMs = 0;

  constructor(payeeIs: EscrowPayee) {
    this.escrow = { ...this.escrow, payeeIs };
  }

  /** What the processor has said, each time that somebody asked: an answer may be slow on its way. */
  private readonly told: IntentStanding[] = [];

  adopt(): void {
    const { status, receivedCents, ranOut } = this.processor;
    this.told.push({ status, receivedCents, ranOut });
    this.adoptAnswer(this.told.length - 1);
  }

  private adoptAnswer(index: number): void {
    const after = afterIntent(this.escrow, this.told[index]);
    const released = after.releasedCents - this.escrow.releasedCents;
    if (released > 0) this.booked.push(released);
    this.escrow = after;
  }

  take(step: Step): void {
    if (step.do === 'pay') this.processor.pay();
    else if (step.do === 'run-out') this.processor.runOut();
    else if (step.do === 'tell') this.adopt();
    else if (step.do === 'tell-old' && this.told.length > 0) this.adoptAnswer(step.which % this.told.length);
    else if (step.do === 'advance') this.nowMs += step.ms;
    else if (step.do === 'wish') this.wish(step);
  }

  private wish({ wish, reaches, answers }: Extract<Step, { do: 'wish' }>): void {
    const judged = judge(this.escrow, wish, this.nowMs);
    if (judged.verdict === 'begin') this.escrow = { ...this.escrow, action: { ...wish, done: false } };
    if (judged.verdict !== 'begin' && judged.verdict !== 'resume') return;
    if (!reaches) return;
    const { verb, cents: amount } = this.escrow.action!;
    const done = this.processor.perform(verb, amount);
    if (!answers) return;
    this.adopt();
    if (!done && !isFinal(this.escrow.state)) this.escrow = { ...this.escrow, action: undefined };
  }
}

describe('an escrow, whatever is wished of it, cut off and told in whatever order', () => {
  it('ends once, as its payment ended, and books to the payee exactly what was captured', () => {
    fc.assert(
      fc.property(payeeIs, steps, (payee, taken) => {
        const run = new Run(payee);
        for (const each of taken) {
          const before = run.escrow;
          run.take(each);
          if (isFinal(before.state)) {
            expect([run.escrow.state, run.escrow.releasedCents]).toEqual([
              before.state,
              before.releasedCents,
            ]);
          }
          expect(run.escrow.releasedCents).toBeLessThanOrEqual(run.escrow.amountCents);
          const captured = payee === 'other' ? 'RELEASED' : 'COLLECTED';
          expect(run.escrow.state === captured).toBe(run.escrow.releasedCents > 0);
          expect(payee === 'other' || run.escrow.state !== 'RELEASED').toBe(true);
          if (payee === 'unclaimed') expect(run.escrow.action?.verb).not.toBe('release');
        }
        run.adopt();
        const ends = {
          succeeded: ['RELEASED', 'COLLECTED'],
          canceled: ['CANCELLED', 'EXPIRED'],
          requires_capture: ['HELD'],
        };
        const expected = ends[run.processor.status as keyof typeof ends] ?? ['REQUIRES_PAYMENT'];
        expect(expected).toContain(run.escrow.state);
        expect(run.booked.reduce((sum, each) => sum + each, 0)).toBe(run.processor.receivedCents);
        expect(run.booked.length).toBeLessThanOrEqual(1);
      }),
      { numRuns: byTier(500, 20_000) },
    );
  });

  it('is released for what was wished, while another wish is refused until the first is done', () => {
    const held: EscrowStanding = {
      payeeIs: 'other',
      state: 'HELD',
      amountCents: 1_000,
      releasedCents: 0,
      expiresAtMs: EXPIRES_AT_MS,
    };
    const release: EscrowWish = { verb: 'release', cents: 400 };
    expect(judge(held, release, 0).verdict).toBe('begin');
    const underWay: EscrowStanding = { ...held, action: { ...release, done: false } };
    expect(judge(underWay, release, 0).verdict).toBe('resume');
    for (const other of [
      { verb: 'cancel' },
      { verb: 'expire' },
      { verb: 'release', cents: 401 },
    ] as EscrowWish[]) {
      expect(judge(underWay, other, EXPIRES_AT_MS)).toMatchObject({ verdict: 'refuse', code: 'CONFLICT' });
    }
  });

  it('has expired for every other wish while its payment goes back', () => {
    const expiring: EscrowStanding = {
      ...{
        payeeIs: 'other',
        state: 'HELD',
        amountCents: 1_000,
        releasedCents: 0,
        expiresAtMs: EXPIRES_AT_MS,
      },
      action: { verb: 'expire', done: false },
    };
    for (const wish of [{ verb: 'cancel' }, { verb: 'release', cents: 400 }] as EscrowWish[])
      expect(judge(expiring, wish, EXPIRES_AT_MS)).toMatchObject({ verdict: 'refuse', code: 'EXPIRED' });
  });

  it('answers a retry under its Idempotency-Key as before, and another request under it with 422', () => {
    const action = { verb: 'release' as const, cents: 400, key: 'k', done: true };
    const released: EscrowStanding = {
      payeeIs: 'other',
      state: 'RELEASED',
      amountCents: 1_000,
      releasedCents: 400,
      action,
      expiresAtMs: 0,
    };
    expect(judge(released, { verb: 'release', cents: 400, key: 'k' }, 1).verdict).toBe('replay');
    for (const other of [
      { verb: 'release', cents: 500, key: 'k' },
      { verb: 'cancel', key: 'k' },
    ] as EscrowWish[]) {
      expect(judge(released, other, 1)).toMatchObject({ verdict: 'refuse', code: 'UNPROCESSABLE' });
    }
    expect(judge(released, { verb: 'release', cents: 400 }, 1)).toMatchObject({ code: 'CONFLICT' });
  });

  it('releases nothing before it is paid, past its time, or beyond what it holds', () => {
    const open: EscrowStanding = {
      payeeIs: 'other',
      state: 'REQUIRES_PAYMENT',
      amountCents: 1_000,
      releasedCents: 0,
      expiresAtMs: EXPIRES_AT_MS,
    };
    const held: EscrowStanding = { ...open, state: 'HELD' };
    expect(judge(open, { verb: 'release', cents: 1 }, 0)).toMatchObject({ code: 'CONFLICT' });
    expect(judge(held, { verb: 'release', cents: 1 }, EXPIRES_AT_MS)).toMatchObject({ code: 'EXPIRED' });
    expect(judge(held, { verb: 'release', cents: 1_001 }, 0)).toMatchObject({
      code: 'UNPROCESSABLE',
      errors: [{ path: 'amountUsd', bound: '10.00', got: '10.01' }],
    });
    expect(judge(held, { verb: 'expire' }, EXPIRES_AT_MS - 1)).toMatchObject({ code: 'CONFLICT' });
    expect(judge(held, { verb: 'expire' }, EXPIRES_AT_MS).verdict).toBe('begin');
  });
});

describe('the payee', () => {
  const held: EscrowStanding = {
    ...{ payeeIs: 'unclaimed', state: 'HELD', amountCents: 1_000, releasedCents: 0 },
    expiresAtMs: EXPIRES_AT_MS,
  };

  it('gets nothing by release before it is known who that is, and may be given up on', () => {
    expect(judge(held, { verb: 'release', cents: 1_000 }, 0)).toMatchObject({ code: 'CONFLICT' });
    expect(judge(held, { verb: 'cancel' }, 0).verdict).toBe('begin');
    const captured = { status: 'succeeded', receivedCents: 900, ranOut: false };
    expect(afterIntent(held, captured)).toMatchObject({ state: 'COLLECTED', releasedCents: 900 });
    expect(afterIntent({ ...held, payeeIs: 'other' }, captured)).toMatchObject({ state: 'RELEASED' });
  });

  it('takes part while the payment is held, and nothing else is done with it', () => {
    const during = (verb: EscrowVerb, done = false) => ({ ...held, action: { verb, done } });
    expect(refusalToPayee(held, EXPIRES_AT_MS - 1)).toBeUndefined();
    for (const [escrow, nowMs, code] of [
      [held, EXPIRES_AT_MS, 'EXPIRED'],
      [during('expire'), 0, 'EXPIRED'],
      [during('cancel'), 0, 'CONFLICT'],
      [during('release'), 0, 'CONFLICT'],
      [{ ...held, state: 'REQUIRES_PAYMENT' }, 0, 'CONFLICT'],
      [{ ...held, state: 'CANCELLED' }, 0, 'CONFLICT'],
      [{ ...held, state: 'EXPIRED' }, 0, 'EXPIRED'],
    ] as const) {
      expect(refusalToPayee(escrow, nowMs)).toMatchObject({ verdict: 'refuse', code });
    }
  });
});

describe('amounts', () => {
  it('are the same in cents and as text', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 99_999_999 }), amount => {
        expect(centsOfUsd(usdOfCents(amount))).toBe(amount);
      }),
    );
    expect([centsOfUsd('12'), centsOfUsd('12.5'), centsOfUsd('12.05')]).toEqual([1_200, 1_250, 1_205]);
    for (const text of ['', '1.234', '-1', '1e3', '.5', ' 1'])
      expect(() => centsOfUsd(text)).toThrow(RangeError);
  });
});

it.each(['RELEASED', 'COLLECTED', 'CANCELLED', 'EXPIRED'] as const)(
  'stays %s whatever the processor says of it later',
  state => {
    const ended = {
      state,
      payeeIs: 'other' as const,
      amountCents: 500,
      releasedCents: 0,
      expiresAtMs: EXPIRES_AT_MS,
    };
    for (const status of ['requires_capture', 'succeeded', 'canceled'])
      expect(afterIntent(ended, { status, receivedCents: 500, ranOut: false })).toEqual(ended);
  },
);
