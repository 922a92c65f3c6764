import { describe, expect, it } from '@jest/globals';
import type { CertificateField } from '../certificate-field.js';
import type { ExtractedCertificate } from '../extracted-certificate.js';
import { BUILT_IN_REQUIREMENTS } from '../requirements/built-in-requirements.js';
import { certificateTruth } from '../testing/index.js';
import { auditCertificate } from './audit-certificate.js';

const TRUTH = certificateTruth(1, { deficiencies: [] });
const REQUIREMENTS = {
  ...BUILT_IN_REQUIREMENTS['general-contractor'],
  certificateHolder: TRUTH.expectedHolder,
  namedInsured: TRUTH.expectedInsured,
};
type Cells = Partial<Record<CertificateField, string>>;

function certificate(cells: Cells, more: Partial<ExtractedCertificate> = {}): ExtractedCertificate {
  const { OtherPolicy_PolicyDescription: _, ...fields } = TRUTH.fields;
  return {
    variant: 'fillable',
    fields: Object.fromEntries(
      Object.entries({ ...fields, ...cells }).map(([name, value]) => [name, { value, confidence: 1 }]),
    ),
    pages: 1 + TRUTH.endorsementPages.length,
    attachments: TRUTH.endorsementPages.map(({ lines }, i) => ({ page: i + 2, text: lines.join('\n') })),
    tamperSigns: [],
    ...more,
  };
}
function ruleOf(cells: Cells, more: Partial<ExtractedCertificate> = {}) {
  const { rules, verdict } = auditCertificate(certificate(cells, more), REQUIREMENTS, TRUTH);
  return { verdict, rule: rules.find(({ id }) => id === 'REMARKS')! };
}

const GENERAL = 'GeneralLiability_OtherCoverageDescription';
const LIMIT = 'GeneralLiability_OtherCoverageLimitDescription';
const AMOUNT = 'GeneralLiability_OtherCoverageLimitAmount';
const AUTO = 'Vehicle_OtherCoverage_CoverageDescription';
const ANOTHER = 'OtherPolicy_PolicyDescription';
const CODE = 'OtherPolicy_CoverageCode';
const PROFESSIONAL = { [ANOTHER]: 'Professional & Pollution Liab' };

const HARMLESS: readonly Cells[] = [
  { [GENERAL]: 'Blanket Contractual', GeneralLiability_OtherCoverageDescription_B: 'X,C,U Included' },
  { [GENERAL]: 'Host Liquor Liability / Stop Gap' },
  { [LIMIT]: 'Emp Ben', [AMOUNT]: '1,000,000' },
  { GeneralLiability_GeneralAggregate_LimitAppliesToCode: 'Per Project' },
  { [AUTO]: 'UM/UIM', Vehicle_OtherCoverage_LimitAmount: '$ 1,000,000' },
  { Vehicle_OtherCoveredAutoDescription: 'Comp Ded 1,000' },
  { ExcessUmbrella_OtherCoverageDescription: 'Follows Form' },
  { WorkersCompensationEmployersLiability_OtherCoverageDescription: 'USL&H' },
  { [ANOTHER]: 'Leased/Rented Equipment', [CODE]: 'Per item 50,000 / Ded 1,000' },
  { ...PROFESSIONAL, [CODE]: 'Each Claim', OtherPolicy_CoverageCode_B: 'Retro date 01/01/2010' },
];
const TELLING: readonly (readonly [field: string, cells: Cells])[] = [
  [GENERAL, { [GENERAL]: 'SIR $500,000' }],
  [GENERAL, { [GENERAL]: 'Claims-Made' }],
  [GENERAL, { [GENERAL]: 'CG 21 39' }],
  [GENERAL, { [GENERAL]: 'Blanket contractual, excl. residential' }],
  [
    'GeneralLiability_OtherCoverageDescription_B',
    { GeneralLiability_OtherCoverageDescription_B: 'BI Ded 50,000' },
  ],
  [LIMIT, { [LIMIT]: 'Retention', [AMOUNT]: '250,000' }],
  [AMOUNT, { [AMOUNT]: '250,000' }],
  [
    'GeneralLiability_GeneralAggregate_LimitAppliesToCode',
    { GeneralLiability_GeneralAggregate_LimitAppliesToCode: 'All insureds shared' },
  ],
  [AUTO, { [AUTO]: 'Physical damage only' }],
  [ANOTHER, { [ANOTHER]: 'GL retro date 01/01/2026' }],
  [CODE, { [CODE]: 'Deductible' }],
  [CODE, { ...PROFESSIONAL, [CODE]: 'Erodes GL aggregate' }],
];

describe('cells that may say anything', () => {
  it.each(HARMLESS)('take nothing where they name a cover: %j', cells => {
    expect(ruleOf(cells)).toMatchObject({ verdict: 'COMPLIANT', rule: { outcome: 'pass' } });
  });

  it.each(TELLING)('are to be read where they say something else: %s', (field, cells) => {
    const { verdict, rule } = ruleOf(cells);
    expect([verdict, rule.outcome]).toEqual(['REVIEW', 'warn']);
    expect(rule.detail).toContain(`in ${field} is to be read`);
  });

  it('fail where they take back what is required', () => {
    const { verdict, rule } = ruleOf({ [GENERAL]: 'GL claims-made' });
    expect([verdict, rule.outcome, rule.evidence?.field]).toEqual(['DEFICIENT', 'fail', GENERAL]);
  });

  it('of other names are read as well, but those that hold a name, a number or a day', () => {
    const other = (name: string, value: string) =>
      ruleOf({}, { otherText: [{ name, value, confidence: 1 }] });
    expect(other('GL_SIR', '500,000').rule).toMatchObject({ outcome: 'warn', evidence: { field: 'GL_SIR' } });
    for (const name of ['Producer_CustomerIdentifier_A', 'OtherPolicy_CoverageLimitAmount_B'])
      expect(other(name, 'OHIO-12').verdict).toBe('COMPLIANT');
  });

  it('are open where something stands in them that was not surely read', () => {
    const fields = certificate({ [GENERAL]: 'Contractual Liability' }).fields;
    const doubtful = { ...fields, [GENERAL]: { value: 'Contractual Liability', confidence: 0.7 } };
    expect(ruleOf({}, { fields: doubtful }).rule.outcome).toBe('not_determinable');
    const isBlank = (name: string) => !/Producer_Fax/.test(name);
    const names = ['CertificateOfInsurance_RemarkText', GENERAL, LIMIT] as CertificateField[];
    const seen = ruleOf({}, { variant: 'flattened', blank: names.filter(isBlank) }).rule;
    expect(seen.detail).toContain('GeneralLiability_OtherCoverageDescription_B');
    expect(seen.outcome).toBe('not_determinable');
  });
});
