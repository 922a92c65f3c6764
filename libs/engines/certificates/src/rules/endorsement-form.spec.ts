import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { hedgedSentence, isHedged, namedForms, requiredForm } from './endorsement-form.js';

const formsIn = (text: string) =>
  namedForms(text).map(({ form, edition }) => (edition === undefined ? form : `${form} ed ${edition}`));

describe('forms that a text names', () => {
  it.each([
    ['per CG 20 10 04 13.', ['CG 20 10 ed 04 13']],
    ['CG2010 (04/13) applies', ['CG 20 10 ed 04 13']],
    ['cg-2010', ['CG 20 10']],
    ['CG2010 0413 and CG2037 0413', ['CG 20 10 ed 04 13', 'CG 20 37 ed 04 13']],
    ['CG 20 10/20 37', ['CG 20 10', 'CG 20 37']],
    ['CG 20 10 04 13 & 20 37 04 13', ['CG 20 10 ed 04 13', 'CG 20 37 ed 04 13']],
    ['CG 20 10 11 85', ['CG 20 10 ed 11 85']],
    ['CG 20 10, CG 20 37, CG 24 04', ['CG 20 10', 'CG 20 37', 'CG 24 04']],
    ['CG 20 10 (ED. 04 13)', ['CG 20 10 ed 04 13']],
    ['nothing here, 20 10 04 13', []],
    ['ECG 2010', []],
    ['CG 20 100', []],
  ])('%s', (text, forms) => {
    expect(formsIn(text)).toEqual(forms);
  });

  it('are found again however they are spelt', () => {
    const pair = fc.integer({ min: 10, max: 39 }).map(String);
    const month = fc.integer({ min: 1, max: 12 }).map(value => String(value).padStart(2, '0'));
    fc.assert(
      fc.property(pair, pair, month, pair, fc.constantFrom(' ', '', '-'), (a, b, mm, yy, gap) => {
        const text = `as per CG${gap}${a}${gap}${b} ${mm} ${yy}; thank you`;
        expect(formsIn(text)).toEqual([`CG ${a} ${b} ed ${mm} ${yy}`]);
      }),
    );
  });

  it('are found in bounded time in any text', () => {
    const started = namedForms('CG 20 10 '.repeat(50_000));
    expect(started.length).toBeLessThanOrEqual(200);
    fc.assert(fc.property(fc.string({ maxLength: 2_000 }), text => namedForms(text).length <= 200));
  });

  it('are one in a requirement', () => {
    expect(requiredForm('cg2037 0413')).toEqual({ form: 'CG 20 37', edition: '04 13' });
    for (const text of ['', 'all', 'CG 20 10 and CG 20 37', 'CG 20']) {
      expect(() => requiredForm(text)).toThrow(RangeError);
    }
  });
});

describe('a sentence that takes something back', () => {
  it.each([
    'CG 20 10 is not included.',
    'CG 20 10 excluded',
    'Additional insured except for CG 20 10',
    'CG 20 10 to follow',
    'CG 20 10 pending underwriting',
    'CG 20 10 requested; thank you',
    'No CG 20 10',
    'CG 20 10 will be issued',
  ])('is seen in: %s', text => {
    expect(isHedged(text, namedForms(text)[0])).toBe(true);
  });

  it.each([
    'Holder is additional insured per CG 20 10 04 13. Umbrella is not follow form.',
    '30 days notice of cancellation except 10 days for non-payment. CG 20 10 applies.',
    'Job No. 12: CG 20 10',
    'CG 20 10, subject to the terms, conditions and exclusions of the policy',
  ])('is not seen in: %s', text => {
    expect(isHedged(text, namedForms(text)[0])).toBe(false);
  });

  it('is given back whole', () => {
    expect(hedgedSentence('All is well. Waiver does not apply; thanks.')?.trim()).toBe(
      'Waiver does not apply',
    );
    expect(hedgedSentence('Thirty (30) days written notice of cancellation.')).toBeUndefined();
  });
});
