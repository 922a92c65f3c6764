import type { PageText, TextWord } from './page-text.js';
import { FORM_HEIGHT, PUBLISHED_FORM } from './published-form.js';
import { editionOf, fitPublishedForm, placesOf, readPublishedForm } from './read-published-form.js';

/** A word whose baseline begins at a point of the form, counted from its lower left corner. */
function word(text: string, x: number, y: number, size = 6): TextWord {
  const bottom = FORM_HEIGHT - y;
  return { text, confidence: 0.99, box: [x, bottom - 0.75 * size, x + 0.5 * size * text.length, bottom] };
}
const line = (text: string, x: number, y: number) => {
  let at = x;
  return text.split(' ').map(part => {
    const one = word(part, at, y);
    at = one.box[2] + 2;
    return one;
  });
};
const LABELS = Object.values(PUBLISHED_FORM).flatMap(({ labels }) => labels.flatMap(label => line(...label)));
const pageOf = (words: readonly TextWord[]): PageText => ({
  ...{ page: 1, width: 612, height: 792, tickBoxes: [], rules: [] },
  words,
});
const scaled = ({ words, ...page }: PageText, by: number, dx: number, dy: number): PageText => ({
  ...page,
  words: words.map(one => {
    const [left, top, right, bottom] = one.box;
    return { ...one, box: [by * left + dx, by * top + dy, by * right + dx, by * bottom + dy] };
  }),
});
const read = (page: PageText) => readPublishedForm(page, fitPublishedForm(page)!);

const LIMIT = 'GeneralLiability_EachOccurrence_LimitAmount';
const RENTED = 'GeneralLiability_FireDamageRentedPremises_EachOccurrenceLimitAmount';
const AMOUNTS = [word('1,000,000', 528, 483.2, 8), word('300,000', 528, 471.2, 8)];

describe('the published form', () => {
  test.each([
    ['as it is', 1, 0, 0],
    ['printed smaller, and moved', 0.94, 18, 21],
  ])('is found by its labels and read by its places: %s', (_, by, dx, dy) => {
    const { fields, blank } = read(scaled(pageOf([...LABELS, ...AMOUNTS]), by, dx, dy));
    expect(Object.entries(fields).map(([field, { value }]) => [field, value])).toEqual([
      [LIMIT, '1,000,000'],
      [RENTED, '300,000'],
    ]);
    expect(blank).toContain('CertificateOfInsurance_GeneralLiability_AdditionalInsuredCode');
    expect(blank).not.toContain(LIMIT);
  });

  test('what stands between two fields leaves both in doubt, neither read nor blank', () => {
    const astray = word('500,000', 498, 459, 8);
    const { fields, blank } = read(pageOf([...LABELS, ...AMOUNTS, astray]));
    const next = 'GeneralLiability_MedicalExpense_EachPersonLimitAmount';
    expect(fields[next]).toBeUndefined();
    expect(blank.includes(next)).toBe(false);
    expect(read(pageOf([...LABELS, ...AMOUNTS])).blank).toContain(next);
  });

  describe('of a scan', () => {
    const RIGHT = FORM_HEIGHT - 483.2;
    /** Ink where two amounts stand, and nowhere else. */
    const scanned = (words: readonly TextWord[]): PageText => ({
      ...pageOf([...LABELS, ...AMOUNTS, ...words]),
      inkShare: ([left, top, right, bottom]) =>
        left < 560 && right > 528 && top < RIGHT + 12 && bottom > RIGHT - 6 ? 0.1 : 0,
    });
    const next = 'GeneralLiability_MedicalExpense_EachPersonLimitAmount';

    test('words without ink in their place are none: the place is blank', () => {
      const { fields, blank } = read(scanned([word('_', 529, 459.2, 8)]));
      expect(fields[LIMIT]?.value).toBe('1,000,000');
      expect(fields[next]).toBeUndefined();
      expect(blank).toContain(next);
    });

    test('remains of ruled lines beside a letter are no part of it', () => {
      const field = 'GeneralLiability_InsurerLetterCode';
      const fit = fitPublishedForm(pageOf(LABELS))!;
      const [left, top, right, bottom] = placesOf(fit).find(place => place.field === field)!.box;
      const middle = (left + right) / 2;
      const letter = {
        text: 'D',
        confidence: 0.95,
        box: [middle - 3, top + 2, middle + 3, bottom - 2] as const,
      };
      const bar = { text: '|', confidence: 0.1, box: [right - 2, top, right - 1, bottom] as const };
      const page = { ...pageOf([...LABELS, letter, bar]), inkShare: () => 0.1 };
      expect(read(page).fields[field]).toMatchObject({ value: 'D', confidence: 0.95 });
    });

    test('a figure between two fields leaves both in doubt, a letter that a tick was taken for does not', () => {
      expect(read(scanned([word('500,000', 498, 459, 8)])).blank).not.toContain(next);
      const code = 'GeneralLiability_GeneralAggregate_LimitAppliesToCode';
      const beside = [118, 372.5, 126, 380.5] as const;
      expect(read(scanned([{ text: 'a', confidence: 0.3, box: beside }])).blank).toContain(code);
    });
  });

  test('a tick in its box, and one between boxes', () => {
    const ticks = [{ box: [116, 314, 124, 322] as const, ticked: true, confidence: 0.99 }];
    const { fields, blank } = read({ ...pageOf(LABELS), tickBoxes: ticks });
    expect(fields.GeneralLiability_OccurrenceIndicator?.value).toBe('X');
    expect(blank).toContain('GeneralLiability_ClaimsMadeIndicator');
  });

  test('what is painted and not made out leaves its place in doubt, frames and grounds do not', () => {
    const place = [50, 312, 65, 324] as const;
    const outline = [54, 315, 61, 321] as const;
    const remarks = [30, 590, 300, 597] as const;
    const { fields, blank } = read({ ...pageOf(LABELS), painted: [place, outline, remarks] });
    expect(fields.GeneralLiability_ClaimsMadeIndicator).toMatchObject({ value: 'X', confidence: 0.5 });
    expect(blank).not.toContain('CertificateOfInsurance_RemarkText');
    const framed = read({ ...pageOf(LABELS), painted: [place, [18, 576, 594, 648]] });
    expect(framed.blank).toContain('GeneralLiability_ClaimsMadeIndicator');
    expect(framed.blank).toContain('CertificateOfInsurance_RemarkText');
  });

  test('is not found where a part of it stands elsewhere, or its labels are few', () => {
    expect(fitPublishedForm(pageOf(LABELS.filter((_, i) => i % 9 === 0)))).toBeUndefined();
    const apart = LABELS.map((one, i) => ({ ...one, box: one.box.map(at => at + 7 * (i % 5)) as never }));
    expect(fitPublishedForm(pageOf(apart))).toBeUndefined();
  });

  test('its edition is what its foot says', () => {
    expect(editionOf(line('ACORD 25 (2016/03)', 21.6, 27.2))).toEqual({ form: 25, edition: '2016/03' });
    expect(editionOf(line('ACORD 28 (2016/03)', 21.6, 27.2))?.form).toBe(28);
    expect(editionOf(LABELS)).toBeUndefined();
  });
});
