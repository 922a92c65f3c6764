import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isUsualLimit, parsePrintedAmount, usdText } from './printed-amount.js';
import { dayOfIso, isoOf, parsePrintedDate } from './printed-date.js';

describe('an amount', () => {
  it('that is written out is itself, with sign, cents and groups or without', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1_000_000_000 }), usd => {
        const grouped = usd.toLocaleString('en-US');
        for (const text of [grouped, `$${grouped}`, `$ ${grouped}.00`, ` ${usd} `, `USD ${grouped}`]) {
          expect(parsePrintedAmount(text)).toMatchObject({ kind: 'amount', usd });
        }
        expect(parsePrintedAmount(usdText(usd))).toMatchObject({ usd, isGrouped: true });
      }),
    );
  });

  it.each([
    ...[
      '1,000,00',
      '1,00,000',
      '1.000.000',
      '1,000.000',
      '10,00,000',
      '1 000 000',
      '1,000,0000',
      ',000',
      '01',
    ],
    ...[
      '1M',
      '$1MM',
      '1 mil',
      'ONE MILLION',
      '1,000,000/2,000,000',
      '1,000,000 2,000,000',
      '1e6',
      '1,000,000+',
    ],
    ...['-1,000,000', '(1,000,000)', 'N/A', 'INCLUDED', 'INCL', 'SEE BELOW', 'STATUTORY', 'UNLIMITED', 'TBD'],
    ...[
      '€1,000,000',
      '1,000,000 CAD',
      'l,000,000',
      '1,O00,000',
      '1,000,000.50',
      '99,999,999,999,999',
      'X',
      '?',
    ],
  ])('is never guessed from %s', text => {
    expect(parsePrintedAmount(text).kind).toBe('unclear');
  });

  it.each(['EXCLUDED', 'excl', 'None', 'NOT COVERED', 'nil'])('is none where it says %s', text => {
    expect(parsePrintedAmount(text)).toEqual({ kind: 'none' });
  });

  it('keeps its value or is unclear when one character is lost, added or changed in a group', () => {
    const text = '1,000,000';
    for (let index = 0; index < text.length; index++) {
      const shorter = parsePrintedAmount(text.slice(0, index) + text.slice(index + 1));
      // Without a comma it is the same; without a digit it is no amount.
      if (shorter.kind === 'amount') expect(shorter.usd).toBeLessThanOrEqual(1_000_000);
    }
  });

  it('is a usual limit only where insurers sell it', () => {
    for (const usual of [
      0, 5_000, 100_000, 300_000, 500_000, 1_000_000, 1_500_000, 2_000_000, 10_000_000, 25_000_000,
    ]) {
      expect([usual, isUsualLimit(usual)]).toEqual([usual, true]);
    }
    for (const odd of [
      1, 900, 9_000, 900_000, 999_999, 1_100_000, 1_000_001, 7_100_000, 18_000_000, 2_300_000,
    ]) {
      expect([odd, isUsualLimit(odd)]).toEqual([odd, false]);
    }
  });
});

describe('a date', () => {
  const anyDay = fc.integer({ min: dayOfIso('1990-01-01'), max: dayOfIso('2100-12-31') });

  it('is the same day however it is written', () => {
    fc.assert(
      fc.property(anyDay, day => {
        const [year, month, dayOfMonth] = isoOf(day).split('-');
        const name = new Date(day * 86_400_000).toLocaleString('en-US', { month: 'long', timeZone: 'UTC' });
        for (const text of [
          ...[isoOf(day), `${month}/${dayOfMonth}/${year}`, `${Number(month)}-${Number(dayOfMonth)}-${year}`],
          ...[`${name} ${Number(dayOfMonth)}, ${year}`, `${Number(dayOfMonth)} ${name.slice(0, 3)} ${year}`],
        ]) {
          expect(parsePrintedDate(text)).toMatchObject({ kind: 'date', day });
        }
      }),
      { numRuns: 300 },
    );
  });

  it.each([
    ...[
      '01/02/27',
      '1/2/27',
      '02/30/2026',
      '00/10/2026',
      '13/13/2026',
      '2026-13-01',
      '2026-02-29',
      '1/1/1899',
    ],
    ...[
      '01/01/20266',
      '0l/01/2026',
      'TBD',
      'CONTINUOUS',
      'UNTIL CANCELLED',
      '',
      '01/01/2026 - 01/01/2027',
      '20260101',
    ],
  ])('is never guessed from %s', text => {
    expect(parsePrintedDate(text).kind).toBe('unclear');
  });

  it('whose day comes first says so, because then no date of its certificate is sure', () => {
    expect(parsePrintedDate('31/01/2026')).toMatchObject({ kind: 'unclear', dayFirst: true });
    expect(parsePrintedDate('31/01/26')).toMatchObject({ kind: 'unclear', dayFirst: true });
    expect(parsePrintedDate('02/30/2026')).toMatchObject({ kind: 'unclear', dayFirst: false });
  });
});
