import type { Box } from '../extracted-certificate.js';
import type { PageText, TextWord } from './page-text.js';
import { isCertificatePage, readCertificatePage } from './read-page.js';

/** A line of print: words of one run, six tenths of the size wide a letter. */
function print(x: number, y: number, text: string, size = 6): TextWord[] {
  let at = x;
  return text.split(' ').map(word => {
    const width = 0.55 * size * word.length;
    const box = [at, y - 0.7 * size, at + width, y] as const;
    at += width + 0.3 * size;
    return { text: word, box, confidence: 0.99 };
  });
}

const PARTIES = [
  print(200, 40, 'CERTIFICATE OF LIABILITY INSURANCE', 14),
  print(520, 30, 'DATE (MM/DD/YYYY)', 5),
  print(525, 42, '03/02/2026', 8),
  print(22, 100, 'PRODUCER', 5),
  print(30, 112, 'Quarry Lane Brokers', 8),
  print(30, 122, '12 Elm Street', 8),
  print(30, 132, 'Ashford, VT 05401', 8),
  print(310, 100, 'CONTACT NAME:', 5),
  print(360, 100, 'Robin Hale', 8),
  print(310, 112, 'PHONE (A/C, No, Ext):', 5),
  print(390, 112, '802-555-0134', 8),
  print(310, 124, 'E-MAIL ADDRESS:', 5),
  print(370, 124, 'robin@quarry.example', 8),
  print(350, 136, 'INSURER(S) AFFORDING COVERAGE', 5),
  print(560, 136, 'NAIC #', 5),
  print(310, 148, 'INSURER A :', 5),
  print(350, 148, 'Granite Mutual Company', 8),
  print(560, 148, '10101', 8),
  print(22, 160, 'INSURED', 5),
  print(30, 172, 'Kiln & Sons Masonry LLC', 8),
  print(30, 182, '9 Mill Road', 8),
  print(30, 192, 'Barton, VT 05822', 8),
  print(310, 160, 'INSURER B :', 5),
  print(350, 160, 'Lakeside Casualty Inc.', 8),
  print(560, 160, '20202', 8),
];

const POLICIES = [
  print(22, 225, 'COVERAGES', 8),
  print(200, 225, 'CERTIFICATE NUMBER:', 6),
  print(22, 270, 'INSR', 5),
  print(22, 276, 'LTR', 5),
  print(90, 274, 'TYPE OF INSURANCE', 5),
  print(196, 270, 'ADDL', 5),
  print(196, 276, 'INSD', 5),
  print(216, 270, 'SUBR', 5),
  print(216, 276, 'WVD', 5),
  print(265, 274, 'POLICY NUMBER', 5),
  print(345, 270, 'POLICY EFF', 5),
  print(343, 276, '(MM/DD/YYYY)', 5),
  print(395, 270, 'POLICY EXP', 5),
  print(393, 276, '(MM/DD/YYYY)', 5),
  print(510, 274, 'LIMITS', 5),
  print(52, 290, 'COMMERCIAL GENERAL LIABILITY', 6),
  print(75, 302, 'CLAIMS-MADE', 6),
  print(128, 302, 'OCCUR', 6),
  print(40, 338, "GEN'L AGGREGATE LIMIT APPLIES PER:", 6),
  print(52, 350, 'POLICY', 6),
  print(92, 350, 'PRO- JECT', 6),
  print(135, 350, 'LOC', 6),
  print(24, 320, 'A', 8),
  print(199, 320, 'Y', 8),
  print(245, 320, 'GM-77120', 8),
  print(342, 320, '01/01/2026', 8),
  print(392, 320, '01/01/2027', 8),
  ...[
    ['EACH OCCURRENCE', '1,000,000'],
    ['DAMAGE TO RENTED PREMISES (Ea occurrence)', '100,000'],
    ['MED EXP (Any one person)', '5,000'],
    ['PERSONAL & ADV INJURY', '1,000,000'],
    ['GENERAL AGGREGATE', '2,000,000'],
    ['PRODUCTS - COMP/OP AGG', 'INCLUDED'],
  ].flatMap(([label, value], i) => [
    print(443, 290 + 12 * i, label, 5),
    print(540, 290 + 12 * i, '$', 6),
    print(552, 290 + 12 * i, value, 8),
  ]),
  print(40, 374, 'AUTOMOBILE LIABILITY', 6),
  print(52, 386, 'ANY AUTO', 6),
  print(24, 392, 'B', 8),
  print(245, 392, 'LC 99-4', 8),
  print(342, 392, '02/01/2026', 8),
  print(392, 392, '02/01/2027', 8),
  print(443, 374, 'COMBINED SINGLE LIMIT (Ea accident)', 5),
  print(540, 374, '$', 6),
  print(552, 374, '1,000,000', 8),
  print(443, 386, 'BODILY INJURY (Per person)', 5),
  print(540, 386, '$', 6),
  print(40, 420, 'WORKERS COMPENSATION', 6),
  print(40, 428, "AND EMPLOYERS' LIABILITY", 6),
  print(40, 444, 'ANY PROPRIETOR/PARTNER/EXECUTIVE', 5),
  print(40, 450, 'OFFICER/MEMBER EXCLUDED?', 5),
  print(150, 450, 'N', 8),
  print(460, 420, 'PER STATUTE', 5),
  print(443, 434, 'E.L. EACH ACCIDENT', 5),
  print(540, 434, '$', 6),
  print(552, 434, '500,000', 8),
];

const CLOSING = [
  print(22, 500, 'DESCRIPTION OF OPERATIONS / LOCATIONS / VEHICLES', 6),
  print(26, 512, 'Masonry at the old mill.', 8),
  print(22, 620, 'CERTIFICATE HOLDER', 7),
  print(310, 620, 'CANCELLATION', 7),
  print(30, 650, 'Old Mill Restoration Trust', 8),
  print(30, 660, '1 River Street', 8),
  print(30, 670, 'Barton, VT 05822', 8),
  print(310, 690, 'AUTHORIZED REPRESENTATIVE', 5),
  print(330, 706, 'Robin Hale', 9),
];

const TICKS = [
  [42, 290],
  [118, 302],
  [82, 350],
  [42, 386],
].map(([x, y]) => print(x, y, 'X', 7));

/** A page in the public wording, laid out by no generator: two-line heads, values in the middle of their rows. */
function publicWording(ticks: TextWord[][] = TICKS): PageText {
  const words = [...PARTIES, ...POLICIES, ...CLOSING, ...ticks].flat();
  return { page: 1, width: 612, height: 792, words, tickBoxes: [], rules: [] };
}

const valuesOf = (page: PageText) =>
  Object.fromEntries(
    Object.entries(readCertificatePage(page).fields).map(([field, { value }]) => [field, value]),
  );

it('reads the public wording in a layout that no generator makes, without a single ruled line', () => {
  expect(isCertificatePage(publicWording())).toBe(true);
  expect(valuesOf(publicWording())).toMatchObject({
    Form_CompletionDate: '03/02/2026',
    Producer_FullName: 'Quarry Lane Brokers',
    Producer_ContactPerson_PhoneNumber: '802-555-0134',
    NamedInsured_FullName: 'Kiln & Sons Masonry LLC',
    NamedInsured_MailingAddress_CityName: 'Barton',
    NamedInsured_MailingAddress_PostalCode: '05822',
    Insurer_FullName_A: 'Granite Mutual Company',
    Insurer_NAICCode_A: '10101',
    Insurer_FullName_B: 'Lakeside Casualty Inc.',
    GeneralLiability_InsurerLetterCode: 'A',
    GeneralLiability_CoverageIndicator: 'X',
    GeneralLiability_OccurrenceIndicator: 'X',
    GeneralLiability_GeneralAggregate_LimitAppliesPerProjectIndicator: 'X',
    CertificateOfInsurance_GeneralLiability_AdditionalInsuredCode: 'Y',
    Policy_GeneralLiability_PolicyNumberIdentifier: 'GM-77120',
    Policy_GeneralLiability_EffectiveDate: '01/01/2026',
    Policy_GeneralLiability_ExpirationDate: '01/01/2027',
    GeneralLiability_EachOccurrence_LimitAmount: '1,000,000',
    GeneralLiability_FireDamageRentedPremises_EachOccurrenceLimitAmount: '100,000',
    GeneralLiability_MedicalExpense_EachPersonLimitAmount: '5,000',
    GeneralLiability_PersonalAndAdvertisingInjury_LimitAmount: '1,000,000',
    GeneralLiability_GeneralAggregate_LimitAmount: '2,000,000',
    GeneralLiability_ProductsAndCompletedOperations_AggregateLimitAmount: 'INCLUDED',
    AutomobileLiability_InsurerLetterCode: 'B',
    Vehicle_AnyAutoIndicator: 'X',
    Vehicle_CombinedSingleLimit_EachAccidentAmount: '1,000,000',
    Policy_AutomobileLiability_PolicyNumberIdentifier: 'LC 99-4',
    WorkersCompensationEmployersLiability_AnyPersonsExcludedIndicator: 'N',
    WorkersCompensationEmployersLiability_EachAccidentLimitAmount: '500,000',
    CertificateOfInsurance_RemarkText: 'Masonry at the old mill.',
    CertificateHolder_FullName: 'Old Mill Restoration Trust',
    Producer_AuthorizedRepresentative_Signature: 'Robin Hale',
  });
});

describe('the box of the authorized representative', () => {
  // Where the published form has them, from the bottom: label 76, copyright line 39, edition and trade mark 27.
  const foot = (top: number, more: TextWord[][] = [], marks: Box[] = []) => {
    const page = publicWording([]);
    const words = page.words.filter(({ box }) => box[1] < top);
    const printed = [
      print(310, 716, 'AUTHORIZED REPRESENTATIVE', 6),
      print(361, 753, '© 1988-2015 ACORD CORPORATION. All rights reserved.', 7),
      print(22, 765, 'ACORD 25 (2016/03)', 8),
      print(187, 765, 'The ACORD name and logo are registered marks of ACORD', 7),
      ...more,
    ];
    return valuesOf({ ...page, height: 792, words: [...words, ...printed.flat()], marks });
  };
  const lowest = (() => {
    const { words } = publicWording([]);
    return words.find(({ text }) => text === 'AUTHORIZED')!.box[1] - 1;
  })();
  const SIGNATURE = 'Producer_AuthorizedRepresentative_Signature';

  it('is empty where nothing but the publisher’s own lines stand below its label', () => {
    expect(foot(lowest)).not.toHaveProperty(SIGNATURE);
  });

  it('holds what is written in it, above those lines', () => {
    expect(foot(lowest, [print(340, 735, 'Robin Hale', 11)])).toHaveProperty(SIGNATURE, 'Robin Hale');
  });

  it('is signed by what is drawn in it, and not by its frame or by what is drawn elsewhere', () => {
    expect(foot(lowest, [], [[350, 720, 470, 742]])).toHaveProperty(SIGNATURE, 'a drawn mark');
    const frame: Box = [306, 708, 594, 744];
    const others: Box[] = [frame, [22, 18, 90, 47], [360, 755, 420, 770]];
    expect(foot(lowest, [], others)).not.toHaveProperty(SIGNATURE);
  });

  it('reaches no lower than the box, whatever stands there', () => {
    expect(foot(lowest, [print(340, 775, 'Quarry Lane Brokers', 8)])).not.toHaveProperty(SIGNATURE);
  });

  it.each([
    '© 2025 Ashford Forms Inc.',
    '(c) 2019 Ashford Forms',
    'Copyright 2020 Ashford Forms',
    'ACORD 25 (2025/12)',
    'Page 1 of 2',
    'All rights reserved.',
  ])('is not signed by %j', text => {
    expect(foot(lowest, [print(340, 735, text, 7)])).not.toHaveProperty(SIGNATURE);
  });
});

it('leaves out what is not there instead of taking what stands near', () => {
  const values = valuesOf(publicWording([]));
  for (const field of [
    'GeneralLiability_ClaimsMadeIndicator',
    'GeneralLiability_OccurrenceIndicator',
    'Policy_GeneralLiability_SubrogationWaivedCode',
    'Vehicle_BodilyInjury_PerPersonLimitAmount',
    'CertificateOfInsurance_CertificateNumberIdentifier',
    'Policy_WorkersCompensation_PolicyNumberIdentifier',
    'Policy_WorkersCompensation_ExpirationDate',
  ]) {
    expect(values).not.toHaveProperty(field);
  }
});

it('gives a tick to the words that it stands nearest to', () => {
  const claimsMade = valuesOf(publicWording([print(42, 290, 'X', 7), print(65, 302, 'X', 7)]));
  expect(claimsMade).toHaveProperty('GeneralLiability_ClaimsMadeIndicator', 'X');
  expect(claimsMade).not.toHaveProperty('GeneralLiability_OccurrenceIndicator');
});

it('believes the square beside the words, not a ticked one behind it', () => {
  const squares = [
    { box: [117, 296, 124, 303] as const, ticked: false, confidence: 0.97 },
    { box: [106, 296, 113, 303] as const, ticked: true, confidence: 0.97 },
  ];
  const page = { ...publicWording([]), tickBoxes: squares };
  expect(valuesOf(page)).not.toHaveProperty('GeneralLiability_OccurrenceIndicator');
  const swapped = squares.map(square => ({ ...square, ticked: !square.ticked }));
  expect(valuesOf({ ...page, tickBoxes: swapped })).toHaveProperty(
    'GeneralLiability_OccurrenceIndicator',
    'X',
  );
});

it('takes no page for a certificate that lacks its parts', () => {
  const page = publicWording();
  expect(isCertificatePage({ ...page, words: page.words.slice(0, 12) })).toBe(false);
  expect(
    isCertificatePage({
      ...page,
      words: print(40, 100, 'Endorsement CG 20 10 04 13 general liability insured'),
    }),
  ).toBe(false);
});

it('reads a row whose print says where to look, and whose values stand between its lines of print', () => {
  const page = publicWording();
  const words = [
    ...page.words,
    ...print(40, 456, 'If yes, describe under', 5),
    ...print(40, 462, 'DESCRIPTION OF OPERATIONS below', 5),
    ...print(175, 450, 'N / A', 5),
    ...print(24, 446, 'B', 8),
    ...print(245, 446, 'WC 5512', 8),
    ...print(342, 446, '03/01/2026', 8),
    ...print(392, 446, '03/01/2027', 8),
    ...print(443, 446, 'E.L. DISEASE - EA EMPLOYEE', 5),
    ...print(552, 446, '500,000', 8),
    ...print(443, 458, 'E.L. DISEASE - POLICY LIMIT', 5),
    ...print(552, 458, '500,000', 8),
  ];
  expect(valuesOf({ ...page, words })).toMatchObject({
    WorkersCompensationEmployersLiability_InsurerLetterCode: 'B',
    Policy_WorkersCompensation_PolicyNumberIdentifier: 'WC 5512',
    Policy_WorkersCompensation_ExpirationDate: '03/01/2027',
    WorkersCompensationEmployersLiability_AnyPersonsExcludedIndicator: 'N',
    WorkersCompensationEmployersLiability_EachAccidentLimitAmount: '500,000',
    WorkersCompensationEmployersLiability_DiseasePolicyLimitAmount: '500,000',
    CertificateOfInsurance_RemarkText: 'Masonry at the old mill.',
  });
});

it.each([
  ['1 River Street', undefined, '1 River Street'],
  ['P.O. Box 12', undefined, 'P.O. Box 12'],
  ['Old Mill Restoration Trust', 'Old Mill Restoration Trust', undefined],
])('reads %s alone above the city as what it is: a name or a street', (line, name, street) => {
  const page = publicWording();
  const words = page.words.filter(({ box }) => !(box[0] < 300 && box[1] > 640 && box[3] < 664));
  words.push(...print(30, 660, line, 8));
  const values = valuesOf({ ...page, words });
  expect([values.CertificateHolder_FullName, values.CertificateHolder_MailingAddress_LineOne]).toEqual([
    name,
    street,
  ]);
  expect(values).toMatchObject({ CertificateHolder_MailingAddress_CityName: 'Barton' });
});

it('takes the second line of a label for a part of it', () => {
  const page = publicWording();
  const kept = page.words.filter(({ box }) => !(box[0] >= 310 && box[1] > 94 && box[3] < 127));
  const words = [
    ...kept,
    ...print(310, 100, 'CONTACT', 5),
    ...print(310, 106, 'NAME:', 5),
    ...print(360, 104, 'Robin Hale', 8),
    ...print(310, 113, 'PHONE', 5),
    ...print(310, 119, '(A/C, No, Ext):', 5),
    ...print(390, 117, '802-555-0134', 8),
  ];
  expect(valuesOf({ ...page, words })).toMatchObject({
    Producer_ContactPerson_FullName: 'Robin Hale',
    Producer_ContactPerson_PhoneNumber: '802-555-0134',
  });
});

it('doubts an amount that another one stands under, and a column that says two things', () => {
  const page = publicWording();
  const crowded = [...page.words, ...print(552, 295, '100,000', 8), ...print(392, 331, '01/01/2026', 8)];
  const { fields } = readCertificatePage({ ...page, words: crowded });
  expect(fields.GeneralLiability_EachOccurrence_LimitAmount?.confidence).toBeLessThan(0.8);
  expect(fields.Policy_GeneralLiability_ExpirationDate?.confidence).toBeLessThan(0.8);
  const plain = readCertificatePage(page).fields;
  expect(plain.GeneralLiability_EachOccurrence_LimitAmount?.confidence).toBeGreaterThan(0.9);
  expect(plain.Policy_GeneralLiability_ExpirationDate?.confidence).toBeGreaterThan(0.9);
});
