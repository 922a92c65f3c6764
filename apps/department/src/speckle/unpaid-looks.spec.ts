import { describe, expect, it, jest } from '@jest/globals';
import { type ProblemError, runInTurn } from '@svc/platform';
import { UNPAID_LOOK_UNITS, UnpaidLooks } from './unpaid-looks.js';

const as = <T>(standing: 'claiming' | 'settled' | 'later', work: () => T, subject = 'payer') =>
  runInTurn({ subject, standing }, work);

describe('pictures that are decoded before their payment', () => {
  it('are none within a quota, where the answer decodes them', () => {
    expect(as('later', () => new UnpaidLooks().may(1))).toBe(false);
  });

  it('are bounded for each caller, by what they take, and come back with time', () => {
    const clock = jest.spyOn(performance, 'now').mockReturnValue(0);
    try {
      const looks = new UnpaidLooks();
      const may = (units: number, subject?: string) => as('claiming', () => looks.may(units), subject);
      expect([may(UNPAID_LOOK_UNITS - 500), may(500)]).toEqual([true, true]);
      const refused = (() => {
        try {
          return may(1_000);
        } catch (error) {
          return (error as ProblemError).payload;
        }
      })();
      expect(refused).toMatchObject({
        ...{ code: 'RATE_LIMITED', retryAfterSeconds: 2 },
        errors: [{ path: 'imageBase64', bound: UNPAID_LOOK_UNITS, got: UNPAID_LOOK_UNITS + 1_000 }],
      });
      expect(may(1_000, 'another')).toBe(true);
      clock.mockReturnValue(2_000);
      expect(may(1_000)).toBe(true);
      // What was paid for after all was looked at for its payer.
      as('settled', () => looks.giveBack(700));
      as('later', () => looks.giveBack(700));
      expect(may(700)).toBe(true);
      expect(() => may(1)).toThrow();
    } finally {
      clock.mockRestore();
    }
  });

  it('of whoever brings no payment are left to the answer once the share of all of them is used up', () => {
    const looks = new UnpaidLooks();
    expect([looks.may(UNPAID_LOOK_UNITS), looks.may(UNPAID_LOOK_UNITS)]).toEqual([true, false]);
    expect(as('claiming', () => looks.may(UNPAID_LOOK_UNITS))).toBe(true);
  });
});
