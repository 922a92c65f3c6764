import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { CERTIFICATE_FIELDS } from '../certificate-field.js';
import type { ExtractedCertificate } from '../extracted-certificate.js';
import { BUILT_IN_REQUIREMENTS } from '../requirements/built-in-requirements.js';
import type { CertificateRequirements } from '../requirements/certificate-requirements.js';
import { certificateTruth } from '../testing/index.js';
import { auditCertificate } from './audit-certificate.js';
import { ADVERSE_REMARKS, HARMLESS_REMARKS } from './remark-wording.cases.js';
import { REMARK_CHARS_MAX, sortRemarks } from './remark-wording.js';

const TRUTH = certificateTruth(1, { deficiencies: [] });
const POLICY = TRUTH.fields.Policy_GeneralLiability_PolicyNumberIdentifier ?? '';
const NAMES = { certificateHolder: TRUTH.expectedHolder, namedInsured: TRUTH.expectedInsured };
const STRICT: CertificateRequirements = { ...BUILT_IN_REQUIREMENTS['general-contractor'], ...NAMES };
/** Additional insureds and a waiver of general liability alone. */
const LIABILITY: CertificateRequirements = {
  ...STRICT,
  automobileLiability: { ...STRICT.automobileLiability!, additionalInsured: false, subrogationWaived: false },
  workersCompensation: { ...STRICT.workersCompensation!, subrogationWaived: false },
};
const FORMS = TRUTH.fields.CertificateOfInsurance_RemarkText ?? '';

interface Page {
  readonly page: number;
  readonly text: string;
}
const PAGES: readonly Page[] = TRUTH.endorsementPages.map(({ lines }, index) => ({
  page: index + 2,
  text: lines.join('\n'),
}));
const SCHEDULE = (remarks: string): Page => ({
  page: 9,
  text: `AGENCY CUSTOMER ID: 1\nADDITIONAL REMARKS SCHEDULE\nFORM NUMBER: 25 FORM TITLE: Certificate of Liability Insurance\n${remarks}\nACORD 101 (2008/01)`,
});

function certificate(remarks: string, attachments = PAGES): ExtractedCertificate {
  const fields = { ...TRUTH.fields, CertificateOfInsurance_RemarkText: remarks };
  return {
    variant: 'fillable',
    fields: Object.fromEntries(
      Object.entries(fields).map(([name, value]) => [name, { value, confidence: 1, page: 1 }]),
    ),
    pages: 1 + attachments.length,
    attachments,
    tamperSigns: [],
  };
}
const audited = (remarks: string, requirements = LIABILITY, attachments = PAGES) =>
  auditCertificate(certificate(remarks, attachments), requirements, TRUTH);
const ruleOf = (remarks: string, requirements = LIABILITY, attachments = PAGES, id = 'REMARKS') =>
  audited(remarks, requirements, attachments).rules.find(rule => rule.id === id);
const outcomeOf = (remarks: string, requirements = LIABILITY, attachments = PAGES) =>
  ruleOf(remarks, requirements, attachments)?.outcome;

describe('remarks that take nothing away', () => {
  it.each(HARMLESS_REMARKS)('leave a sound certificate COMPLIANT: %s', remarks => {
    const pages = /ACORD 101/.test(remarks) ? [...PAGES, SCHEDULE('Job 12, Dayton, OH')] : PAGES;
    expect(
      audited(`${FORMS}\n${remarks}`, LIABILITY, pages).rules.filter(each => each.outcome !== 'pass'),
    ).toEqual([]);
    expect(sortRemarks(remarks.toUpperCase()).strange).toBeUndefined();
  });

  it('may stand on lines of any length, and all together', () => {
    const words = HARMLESS_REMARKS.filter(remarks => !/ACORD 101/.test(remarks));
    const text = words.slice(0, 12).join('. ');
    expect(sortRemarks(text).strange).toBeUndefined();
    expect(sortRemarks(text.replace(/(.{40,60}) /g, '$1\n')).strange).toBeUndefined();
  });
});

describe('remarks that take something away', () => {
  it.each(ADVERSE_REMARKS)('are never COMPLIANT: %s', remarks => {
    const placed = [`${FORMS} ${remarks}`, `${remarks}\n${FORMS}`];
    const alone = [remarks, `Job 12, ${remarks}`, remarks.toUpperCase()];
    for (const text of process.env.SUITE_TIER === 'long' ? [...placed, ...alone] : placed) {
      const rule = ruleOf(text);
      expect([text, rule?.outcome === 'warn' || rule?.outcome === 'fail']).toEqual([text, true]);
      expect(rule?.detail).toMatch(/“.+”/s);
    }
  });

  it('quote the words that are to be read, and give the field as evidence', () => {
    const rule = ruleOf(`${FORMS} SIR: $250,000 each occurrence. Job 12.`);
    expect(rule).toMatchObject({
      outcome: 'warn',
      evidence: { field: 'CertificateOfInsurance_RemarkText', page: 1 },
    });
    expect(rule?.detail).toContain('SIR: $250,000 each occurrence');
    expect(rule?.detail).not.toContain('Job 12');
  });

  it('are seen wherever such a word stands in a harmless sentence', () => {
    const words = [
      ...[
        'only',
        'not',
        'excluded',
        'limited',
        'no',
        'without',
        'unless',
        'solely',
        '$500,000',
        'claims-made',
        'deductible',
      ],
      ...[
        'reduced',
        'shared',
        'cancelled',
        'pending',
        'SIR',
        'but',
        'lesser',
        'CG 21 39',
        'CG 22 79',
        'none',
        'exlcuded',
      ],
    ];
    fc.assert(
      fc.property(
        fc.constantFrom(...HARMLESS_REMARKS),
        fc.nat(),
        fc.constantFrom(...words),
        (remarks, at, word) => {
          const parts = remarks.split(' ');
          parts.splice(at % (parts.length + 1), 0, word);
          const { strange } = sortRemarks(parts.join(' '));
          // `Job no 12` is a number, and so is what has figures or stands for an address.
          if (!/\bno \(?[a-z.+-]*[#\d@]|No\. /i.test(parts.join(' '))) expect(strange).toBeDefined();
        },
      ),
      { numRuns: process.env.SUITE_TIER === 'long' ? 50_000 : 300 },
    );
  });

  it.each([
    ['General liability is written on a claims-made basis.', 'occurrence form'],
    ['Products and completed operations are excluded.', 'completed operations'],
    ['Completed operations are\nexcluded.', 'completed operations'],
    ['CG 21 04 applies.', 'completed operations'],
    ['CG2138 0798 is part of the policy.', 'personal and advertising injury'],
    ['Certificate holder is not an additional insured.', 'additional insured'],
    ['No waiver of subrogation.', 'waiver of subrogation'],
    ['Aggregate is shared across all projects.', 'aggregate per project'],
    ['Policy was cancelled.', 'policy in force'],
    ['General liability has lapsed, policy expired.', 'policy in force'],
    ['Officers are excluded from workers compensation.', 'workers compensation'],
    ['Auto coverage is for physical damage only.', 'automobile liability'],
    ['Hired and non-owned autos are excluded.', 'hired and non-owned autos'],
    ['Workers compensation coverage is not carried.', 'workers compensation'],
  ])('fail where that is required, and are to be read where it is not: %s', (remarks, cover) => {
    const nothing: CertificateRequirements = { endorsements: [], expiryWarningDays: 30, signature: false };
    if (cover !== 'policy in force' || !/lapsed/.test(remarks)) {
      const rule = ruleOf(`${FORMS} ${remarks}`, STRICT);
      expect([rule?.outcome, rule?.detail]).toEqual(['fail', expect.stringContaining(cover)]);
      expect(audited(`${FORMS} ${remarks}`, STRICT).verdict).toBe('DEFICIENT');
    }
    expect(outcomeOf(`${FORMS} ${remarks}`, nothing)).toBe('warn');
  });

  it.each([
    'General liability is not claims-made.',
    'Professional liability is claims-made, general liability is by occurrence.',
    'Completed operations are not excluded.',
    'Certificate holder is not an additional insured unless a contract says so.',
    'Policy cancelled and rewritten under another number.',
    'Additional insured endorsement may be excluded.',
    'Waiver of subrogation is not excluded.',
  ])('are no sure failure where they may mean something else: %s', remarks => {
    expect(outcomeOf(`${FORMS} ${remarks}`, STRICT)).toBe('warn');
  });
});

describe('a condition', () => {
  const waived = 'Waiver of subrogation applies to workers compensation where required by written contract.';

  it('is that of a form which is named or came along, and is open without one', () => {
    expect(outcomeOf(`${FORMS} ${waived}`, STRICT)).toBe('warn');
    expect(outcomeOf(`${FORMS} ${waived} WC 00 03 13 04 84.`, STRICT)).toBe('pass');
    expect(
      outcomeOf(`${FORMS} ${waived}`, STRICT, [...PAGES, { page: 5, text: 'WC 00 03 13\nPolicy WC-1' }]),
    ).toBe('pass');
    expect(outcomeOf(`${FORMS} ${waived}`, STRICT, [...PAGES, { page: 5, text: 'CG 24 04' }])).toBe('warn');
  });

  it('matters where that cover is required, and nowhere else', () => {
    expect(outcomeOf(`${FORMS} ${waived}`, LIABILITY)).toBe('pass');
    const auto = 'Additional insured on auto as required by written contract.';
    expect([outcomeOf(`${FORMS} ${auto}`, STRICT), outcomeOf(`${FORMS} ${auto}`, LIABILITY)]).toEqual([
      'warn',
      'pass',
    ]);
    expect(outcomeOf(`${FORMS} ${auto} CA 20 48.`, STRICT)).toBe('pass');
  });
});

describe('forms', () => {
  it.each([
    'Additional insured per CG 20 01.',
    'Additional insured per CG 24 04.',
    'Waiver of subrogation per CG 20 10.',
    'Waiver of subrogation per WC 00 03 13 and general liability.',
    'Waiver of subrogation for workers compensation per CG 24 04.',
    'Auto: waiver of subrogation per CG 24 04.',
    'Additional insured on auto per CG 20 10.',
    'Primary and noncontributory per CG 24 04.',
  ])('are not taken for what they are not: %s', remarks => {
    expect(outcomeOf(`${FORMS} ${remarks}`)).toBe('warn');
  });

  const page = (text: string): Page => ({
    page: 2,
    text: `${text}\nPolicy ${POLICY}\n${TRUTH.expectedHolder}`,
  });
  it.each([
    ['CG 20 10 04 13', 'pass'],
    ['CG 20 26 04 13', 'pass'],
    ['CG 20 38 04 13', 'pass'],
    ['CG 20 01 04 13 towards an ADDITIONAL INSURED', 'warn'],
    ['CG 24 04 12 19 waives against an ADDITIONAL INSURED', 'warn'],
    ['CA 20 48 10 13 ADDITIONAL INSURED', 'warn'],
    ['CG 25 03 speaks of CG 20 10 and ends as CG 25 03', 'warn'],
    ['ADDITIONAL INSURED, a form of our own without a number', 'warn'],
  ])('prove an additional insured of general liability by their number: %s', (text, outcome) => {
    expect(ruleOf(FORMS, LIABILITY, [page(text)], 'AI_UNPROVEN')?.outcome).toBe(outcome);
  });

  it('for ongoing operations alone do not reach completed ones', () => {
    const completed = (remarks: string) => ruleOf(remarks, LIABILITY, [], 'AI_COMPLETED_OPERATIONS')?.outcome;
    expect(['CG 20 10', 'CG 20 26', 'CG 20 33', 'CG 20 38'].map(completed)).toEqual([
      'warn',
      'warn',
      'warn',
      'warn',
    ]);
    expect(['CG 20 37', 'CG 20 10 11 85', 'CG 20 26 and CG 20 37'].map(completed)).toEqual([
      'pass',
      'pass',
      'pass',
    ]);
  });

  it('that take cover away are to be read where their page came along, and fail where they take what is required', () => {
    const along = (text: string) => [...PAGES, page(text)];
    expect(outcomeOf(FORMS, LIABILITY, along('CG 21 39 10 93'))).toBe('warn');
    expect(outcomeOf(FORMS, LIABILITY, along('CG 21 04 11 85'))).toBe('fail');
    expect(outcomeOf(FORMS, LIABILITY, along('CG 20 01 04 13'))).toBe('pass');
  });

  it('of workers compensation have a group more', () => {
    const asking = { ...LIABILITY, endorsements: ['WC 00 03 13'] };
    const named = (remarks: string) =>
      ruleOf(`${FORMS} ${remarks}`, asking, PAGES, 'ENDORSEMENT_WC_00_03_13')?.outcome;
    expect([named('WC 00 03 13 (Ed. 4-84)'), named('WC000313 0484'), named('WC 00 03 01A')]).toEqual([
      'pass',
      'pass',
      'fail',
    ]);
  });
});

describe('a schedule of further remarks', () => {
  it('is read as the remarks are, and has to come along where they refer to it', () => {
    const refers = `${FORMS} See attached ACORD 101.`;
    expect(outcomeOf(refers)).toBe('warn');
    expect(outcomeOf(refers, LIABILITY, [...PAGES, SCHEDULE('Job 12, Dayton, OH')])).toBe('pass');
    expect(outcomeOf(FORMS, LIABILITY, [...PAGES, SCHEDULE('Residential work is excluded.')])).toBe('warn');
    expect(outcomeOf(FORMS, LIABILITY, [...PAGES, SCHEDULE('Completed operations are excluded.')])).toBe(
      'fail',
    );
    expect(
      outcomeOf(
        `${FORMS} (ACORD 101, Additional Remarks Schedule, may be attached if more space is required)`,
      ),
    ).toBe('pass');
  });
});

describe('any remarks at all', () => {
  it('are sorted in a time that grows with their length, and no more is accepted than is looked at', () => {
    const milliseconds = (text: string) => {
      const started = performance.now();
      sortRemarks(text);
      return performance.now() - started;
    };
    for (const unit of [
      'additional insured, ',
      'waiver of subrogation in favor of ',
      'CG 20 10, ',
      'a ',
      '1',
      '-',
      'x-\n',
      '( ',
      'no. ',
      'Fenwick ',
    ]) {
      milliseconds(unit.repeat(40));
      expect([unit, milliseconds(unit.repeat(100_000)) < 2_000]).toEqual([unit, true]);
    }
    expect(sortRemarks('Job 12. '.repeat(REMARK_CHARS_MAX)).strange).toBeDefined();
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 0x2fff }), { maxLength: 200 }), codes => {
        const { text, words } = sortRemarks(String.fromCodePoint(...codes));
        expect(words.every(({ from, to }) => from >= 0 && from < to && to <= text.length)).toBe(true);
      }),
    );
  });

  it('of other alphabets, and of words that are not known, are to be read', () => {
    for (const text of [
      'страхование исключено',
      '除外',
      'zxqv wmblt rrpq',
      'Nn\u0131 excluded',
      '🙂',
      '…only',
    ]) {
      expect([text, sortRemarks(text).strange]).not.toEqual([text, undefined]);
    }
  });
});

describe('remarks that were not read', () => {
  const without = (change: Partial<ExtractedCertificate>) => {
    const { CertificateOfInsurance_RemarkText: _, ...fields } = certificate('x').fields;
    return auditCertificate({ ...certificate('x'), fields, ...change }, LIABILITY, TRUTH).rules.find(
      ({ id }) => id === 'REMARKS',
    )?.outcome;
  };

  it.each([
    ['a scan', { variant: 'scanned' as const }],
    [
      'a page whose places are known, and this one is not blank',
      { variant: 'flattened' as const, blank: [] },
    ],
  ])('may say something: %s', (_, change) => {
    expect(without(change)).toBe('not_determinable');
  });

  it('are none where their place is blank, and where a form has none', () => {
    expect(without({ variant: 'scanned', blank: CERTIFICATE_FIELDS })).toBe('pass');
    expect(without({ variant: 'fillable' })).toBe('pass');
  });
});
