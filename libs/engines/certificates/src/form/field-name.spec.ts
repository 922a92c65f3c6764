import fc from 'fast-check';
import { CERTIFICATE_FIELDS } from '../certificate-field.js';
import { certificateFieldOf, isMark, namedFields, printedValue } from './field-name.js';

describe('names of form fields', () => {
  test('every field is known bare, by the form’s prefix, index and row, and in any case of letters', () => {
    const prefix = fc.constantFrom('', 'F[0].P1[0].', 'topmostSubform[0].Page1[0].', 'a.b.c.');
    const suffix = fc.constantFrom('', '_A', '[0]', '_A[0]', '_A[1]');
    fc.assert(
      fc.property(
        fc.constantFrom(...CERTIFICATE_FIELDS),
        prefix,
        suffix,
        fc.boolean(),
        (field, before, after, upper) => {
          const name = `${before}${field}${after}`;
          expect(certificateFieldOf(upper ? name.toUpperCase() : name)).toBe(field);
        },
      ),
    );
  });

  test.each([
    ['F[0].P1[0].Vehicle_InsurerLetterCode_A[0]', 'AutomobileLiability_InsurerLetterCode'],
    ['Policy_PolicyType_ExcessIndicator_A', 'ExcessUmbrella_ExcessIndicator'],
    [
      'F[0].P1[0].WorkersCompensationEmployersLiability_EmployersLiability_DiseasePolicyLimitAmount_A[0]',
      'WorkersCompensationEmployersLiability_DiseasePolicyLimitAmount',
    ],
    ['F[0].P1[0].Insurer_NAICCode_C[0]', 'Insurer_NAICCode_C'],
  ])('%s is %s', (name, field) => expect(certificateFieldOf(name)).toBe(field));

  test('another row, another insurer and another form’s field are no field of the certificate', () => {
    for (const name of [
      'OtherPolicy_LimitAmount_B[0]',
      'Insurer_FullName_G',
      'Insurer_FullName',
      'Applicant_FullName_A',
      '',
    ]) {
      expect(certificateFieldOf(name)).toBeUndefined();
    }
  });

  test('ticks are X however they are spelt, unticked boxes are left out, and what is neither stays as it is', () => {
    const field = 'GeneralLiability_OccurrenceIndicator';
    expect(isMark(field)).toBe(true);
    for (const on of ['X', 'x', '/1', 'Yes', 'true', 'ON']) expect(printedValue(field, on)).toBe('X');
    for (const off of ['', 'Off', '/Off', 'No', 'N', '0']) expect(printedValue(field, off)).toBeUndefined();
    expect(printedValue(field, 'see remarks')).toBe('see remarks');
  });

  test('whether persons are excluded keeps its letter: N is an answer there', () => {
    expect(printedValue('WorkersCompensationEmployersLiability_AnyPersonsExcludedIndicator', ' N ')).toBe(
      'N',
    );
  });

  test('two names of one field with different values are contradictory and neither counts', () => {
    const read = namedFields({
      Vehicle_InsurerLetterCode_A: 'B',
      AutomobileLiability_InsurerLetterCode: 'C',
      Form_CompletionDate: ' 01/02/2026 ',
      'F[0].P1[0].Form_CompletionDate_A[0]': '01/02/2026',
      Colour: 'red',
    });
    expect(read).toEqual({
      fields: { Form_CompletionDate: '01/02/2026' },
      unknown: ['Colour'],
      contradictory: ['AutomobileLiability_InsurerLetterCode'],
    });
  });

  test('a value and an empty one under two names of one field contradict each other', () => {
    const read = namedFields({ Vehicle_InsurerLetterCode: '', AutomobileLiability_InsurerLetterCode: 'B' });
    expect(read.contradictory).toEqual(['AutomobileLiability_InsurerLetterCode']);
  });
});
