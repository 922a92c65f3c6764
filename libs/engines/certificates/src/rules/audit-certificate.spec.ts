import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { CERTIFICATE_FIELDS, type CertificateField } from '../certificate-field.js';
import type { CertificateVariant, ExtractedCertificate } from '../extracted-certificate.js';
import { BUILT_IN_REQUIREMENTS } from '../requirements/built-in-requirements.js';
import type { CertificateRequirements } from '../requirements/certificate-requirements.js';
import { certificateTruth, type CertificateTruth } from '../testing/index.js';
import { auditCertificate, verdictOf } from './audit-certificate.js';

type Fields = Record<string, string>;

const TRUTH = certificateTruth(1, { deficiencies: [] });
const STRICT: CertificateRequirements = {
  ...BUILT_IN_REQUIREMENTS['general-contractor'],
  certificateHolder: TRUTH.expectedHolder,
  namedInsured: TRUTH.expectedInsured,
};
const TERMS = { asOf: TRUTH.asOf, projectEnd: TRUTH.projectEnd };

function certificateOf(
  truth: Pick<CertificateTruth, 'fields' | 'endorsementPages'>,
  { variant = 'fillable' as CertificateVariant, confidence = 1 } = {},
): ExtractedCertificate {
  const fields = Object.entries(truth.fields as Fields).map(([name, value]) => [
    name,
    { value, confidence, page: 1 },
  ]);
  return {
    variant,
    fields: Object.fromEntries(fields),
    pages: 1 + truth.endorsementPages.length,
    attachments: truth.endorsementPages.map(({ lines }, index) => ({
      page: index + 2,
      text: lines.join('\n'),
    })),
    tamperSigns: [],
  };
}

const SOUND = certificateOf(TRUTH);

/** The sound certificate with some fields changed; `undefined` takes one away. */
function changed(changes: Partial<Record<CertificateField, string | undefined>>): ExtractedCertificate {
  const fields: Fields = { ...(TRUTH.fields as Fields) };
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined) delete fields[name];
    else fields[name] = value;
  }
  return certificateOf({ ...TRUTH, fields });
}

const audit = (
  certificate: ExtractedCertificate,
  requirements = STRICT,
  terms: { asOf: string; projectEnd?: string } = TERMS,
) => auditCertificate(certificate, requirements, terms);
const outcomeOf = (certificate: ExtractedCertificate, ruleId: string, requirements = STRICT, terms = TERMS) =>
  audit(certificate, requirements, terms).rules.find(({ id }) => id === ruleId)?.outcome;
const usDay = (isoDay: string, plusDays: number) => {
  const [year, month, day] = new Date(Date.parse(isoDay) + plusDays * 86_400_000)
    .toISOString()
    .slice(0, 10)
    .split('-');
  return `${month}/${day}/${year}`;
};

describe('a sound certificate', () => {
  it('is COMPLIANT, whether it was read from a form, from text, from a clear scan, or sent', () => {
    for (const variant of ['fillable', 'flattened', 'scanned', 'fields'] as const) {
      expect(audit(certificateOf(TRUTH, { variant })).verdict).toBe('COMPLIANT');
    }
  });

  it('is what the generator’s sound ones are, and none of its faulty ones', () => {
    const seeds = process.env.SUITE_TIER === 'long' ? 5_000 : 100;
    for (let seed = 1; seed <= seeds; seed++) {
      const truth = certificateTruth(seed);
      const requirements = {
        ...BUILT_IN_REQUIREMENTS['general-contractor'],
        certificateHolder: truth.expectedHolder,
        namedInsured: truth.expectedInsured,
      };
      const { verdict } = audit(certificateOf(truth), requirements, truth);
      if (truth.deficiencies.length === 0) expect([seed, verdict]).toEqual([seed, 'COMPLIANT']);
      else expect([seed, truth.deficiencies, verdict]).not.toEqual([seed, truth.deficiencies, 'COMPLIANT']);
    }
  });
});

/** Fields that the strict set decides by: taking any of them away must be seen. */
const DECISIVE = CERTIFICATE_FIELDS.filter(
  name =>
    (TRUTH.fields as Fields)[name] !== undefined &&
    !/^(CertificateOfInsurance_RemarkText|Producer_(?!Authorized)|.*_MailingAddress_|OtherPolicy_|CertificateOfInsurance_(Certificate|Revision)Number)/.test(
      name,
    ) &&
    !/CoverageIndicator|UmbrellaIndicator|RetentionIndicator|DeductibleOrRetention|Vehicle_(Scheduled|AllOwned)/.test(
      name,
    ) &&
    !/ExcessLiability_(AdditionalInsuredCode|SubrogationWaivedCode)/.test(name),
);

describe('a field that decides', () => {
  it('is most of the form', () => {
    expect(DECISIVE.length).toBeGreaterThanOrEqual(50);
  });

  it.each(DECISIVE)('%s is never missed where it is not there, not surely read, or something else', name => {
    for (const variant of ['fillable', 'flattened', 'scanned', 'fields'] as const) {
      const { [name]: _, ...fields } = TRUTH.fields;
      expect(audit(certificateOf({ ...TRUTH, fields }, { variant })).verdict).not.toBe('COMPLIANT');
    }
    const doubtful = {
      ...SOUND,
      fields: { ...SOUND.fields, [name]: { ...SOUND.fields[name]!, confidence: 0.79 } },
    };
    expect(audit(doubtful).verdict).not.toBe('COMPLIANT');
    for (const value of ['', 'N/A', 'TBD', '???', 'SEE ATTACHED']) {
      expect([value, audit(changed({ [name]: value })).verdict]).not.toEqual([value, 'COMPLIANT']);
    }
  });

  it('is taken for no more than it says, whatever stands in it', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(
          ...DECISIVE.filter(name =>
            /Amount$|Date$|NAICCode|InsurerLetterCode|FullName$|Indicator$/.test(name),
          ),
        ),
        fc.string({ maxLength: 24 }),
        (name, value) => {
          // The same letters in the other case say the same: `n` is `N`.
          if (value.trim().toUpperCase() === (TRUTH.fields as Fields)[name]?.toUpperCase()) return;
          // Any amount may do where an umbrella tops it up; a mark is another tick, and a word another way to say yes or no.
          fc.pre(
            !/^\s*[$]?\d[\d,.]*\s*$/.test(value) &&
              !/^\s*([xyn]|yes|no|on|off|true|false|[1-4]|[a-d])\s*$/i.test(value),
          );
          if (/Insurer_FullName|Insured_FullName|Holder_FullName/.test(name))
            fc.pre(!/\p{L}{2}/u.test(value));
          expect(audit(changed({ [name]: value })).verdict).not.toBe('COMPLIANT');
        },
      ),
      { numRuns: process.env.SUITE_TIER === 'long' ? 20_000 : 500 },
    );
  });
});

describe('a limit', () => {
  const limits = [
    ['GL_EACH_OCCURRENCE', 'GeneralLiability_EachOccurrence_LimitAmount', 1_000_000],
    [
      'GL_DAMAGE_TO_RENTED_PREMISES',
      'GeneralLiability_FireDamageRentedPremises_EachOccurrenceLimitAmount',
      100_000,
    ],
    ['GL_MEDICAL_EXPENSE', 'GeneralLiability_MedicalExpense_EachPersonLimitAmount', 5_000],
    [
      'GL_PERSONAL_ADVERTISING_INJURY',
      'GeneralLiability_PersonalAndAdvertisingInjury_LimitAmount',
      1_000_000,
    ],
    ['GL_GENERAL_AGGREGATE', 'GeneralLiability_GeneralAggregate_LimitAmount', 2_000_000],
    [
      'GL_PRODUCTS_COMPLETED_OPERATIONS',
      'GeneralLiability_ProductsAndCompletedOperations_AggregateLimitAmount',
      2_000_000,
    ],
    ['AUTO_COMBINED_SINGLE_LIMIT', 'Vehicle_CombinedSingleLimit_EachAccidentAmount', 1_000_000],
    ['UMBRELLA_EACH_OCCURRENCE', 'ExcessUmbrella_Umbrella_EachOccurrenceAmount', 5_000_000],
    ['UMBRELLA_AGGREGATE', 'ExcessUmbrella_Umbrella_AggregateAmount', 5_000_000],
    ['WC_EACH_ACCIDENT', 'WorkersCompensationEmployersLiability_EachAccidentLimitAmount', 1_000_000],
    [
      'WC_DISEASE_EACH_EMPLOYEE',
      'WorkersCompensationEmployersLiability_DiseaseEachEmployeeLimitAmount',
      1_000_000,
    ],
    ['WC_DISEASE_POLICY_LIMIT', 'WorkersCompensationEmployersLiability_DiseasePolicyLimitAmount', 1_000_000],
  ] as const;
  const alone = { ...STRICT, umbrella: { ...STRICT.umbrella!, topsUpPrimary: false } };

  it.each(limits)('%s passes where it is what is asked, and fails a dollar below', (ruleId, field, asked) => {
    const at = (usd: number) => outcomeOf(changed({ [field]: usd.toLocaleString('en-US') }), ruleId, alone);
    expect([at(asked - 1), at(asked), at(asked + 1)]).toEqual(['fail', 'pass', 'pass']);
    expect(at(0)).toBe('fail');
    expect(outcomeOf(changed({ [field]: 'EXCLUDED' }), ruleId, alone)).toBe('fail');
  });

  it.each(limits)(
    '%s of a scan has its commas and is one that is sold, or is not determinable',
    (ruleId, field, asked) => {
      const scanned = (value: string) =>
        outcomeOf({ ...changed({ [field]: value }), variant: 'scanned' }, ruleId, alone);
      expect(scanned(asked.toLocaleString('en-US'))).toBe('pass');
      expect(scanned(String(asked))).toBe('not_determinable');
      expect(scanned('9,100,000')).toBe('not_determinable');
    },
  );

  it('that is raised, or asked for less, never makes the verdict worse', () => {
    const rank = { DEFICIENT: 0, REVIEW: 1, COMPLIANT: 2 };
    const usd = fc.constantFrom(0, 500_000, 1_000_000, 2_000_000, 3_000_000, 5_000_000, 10_000_000);
    fc.assert(
      fc.property(
        fc.array(usd, { minLength: 12, maxLength: 12 }),
        fc.nat(11),
        usd,
        (shown, index, raised) => {
          const fieldsOf = (amounts: readonly number[]) =>
            Object.fromEntries(limits.map(([, field], at) => [field, amounts[at].toLocaleString('en-US')]));
          const higher = shown.map((amount, at) => (at === index ? Math.max(amount, raised) : amount));
          const [before, after] = [shown, higher].map(amounts => audit(changed(fieldsOf(amounts))));
          // An occurrence above its aggregate is not better, but doubtful.
          const isOdd = after.rules.some(
            ({ id, outcome }) => id === 'GL_LIMITS_CONSISTENT' && outcome === 'warn',
          );
          if (!isOdd) expect(rank[after.verdict]).toBeGreaterThanOrEqual(rank[before.verdict]);
          const easier = {
            ...STRICT,
            generalLiability: {
              ...STRICT.generalLiability!,
              eachOccurrenceUsd: 500_000,
              generalAggregateUsd: 1_000_000,
            },
            umbrella: { ...STRICT.umbrella!, eachOccurrenceUsd: 1_000_000 },
          };
          const eased = audit(changed(fieldsOf(shown)), easier);
          expect(rank[eased.verdict]).toBeGreaterThanOrEqual(rank[before.verdict]);
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe('days', () => {
  const on = (field: CertificateField, day: string, plusDays: number) =>
    changed({ [field]: usDay(day, plusDays) });

  it.each([
    ['GL', 'GeneralLiability'],
    ['AUTO', 'AutomobileLiability'],
    ['UMBRELLA', 'ExcessLiability'],
    ['WC', 'WorkersCompensation'],
  ] as const)('of %s: in force from the effective date, ended on the expiration date', (line, policy) => {
    const effective = `Policy_${policy}_EffectiveDate` as const;
    const expiration = `Policy_${policy}_ExpirationDate` as const;
    const noProject = { asOf: TRUTH.asOf } as typeof TERMS;
    const active = (certificate: ExtractedCertificate) =>
      outcomeOf(certificate, `${line}_ACTIVE`, STRICT, noProject);
    expect(active(on(effective, TRUTH.asOf, 0))).toBe('pass');
    expect(active(on(effective, TRUTH.asOf, 1))).toBe('fail');
    expect(active(on(expiration, TRUTH.asOf, 1))).toBe('pass');
    expect(active(on(expiration, TRUTH.asOf, 0))).toBe('fail');
    const atEnd = (plusDays: number) =>
      outcomeOf(on(expiration, TRUTH.projectEnd, plusDays), `${line}_PROJECT_END`);
    expect([atEnd(0), atEnd(1)]).toEqual(['fail', 'pass']);
    const warned = (plusDays: number) =>
      outcomeOf(on(expiration, TRUTH.asOf, plusDays), `${line}_EXPIRING`, STRICT, noProject);
    expect([warned(30), warned(31)]).toEqual(['warn', 'pass']);
  });

  it('of issue are not after the audit', () => {
    const issued = (plusDays: number) => outcomeOf(on('Form_CompletionDate', TRUTH.asOf, plusDays), 'ISSUED');
    expect([issued(0), issued(1)]).toEqual(['pass', 'fail']);
  });

  it('are in order, and of one term', () => {
    const [from, to] = [
      'Policy_GeneralLiability_EffectiveDate',
      'Policy_GeneralLiability_ExpirationDate',
    ] as const;
    const fields = TRUTH.fields as Fields;
    expect(outcomeOf(changed({ [from]: fields[to], [to]: fields[from] }), 'GL_TERM')).toBe('fail');
    expect(outcomeOf(changed({ [to]: fields[from] }), 'GL_TERM')).toBe('fail');
    expect(outcomeOf(changed({ [to]: '01/01/2062' }), 'GL_TERM')).toBe('not_determinable');
  });

  it('in the order of other countries make every numeric date of the certificate doubtful', () => {
    const certificate = changed({ Policy_GeneralLiability_EffectiveDate: '31/01/2026' });
    for (const line of ['GL', 'AUTO', 'UMBRELLA', 'WC']) {
      expect(outcomeOf(certificate, `${line}_TERM`)).toBe('not_determinable');
    }
  });

  it('that end soon are a note, and stop nothing', () => {
    const { verdict } = audit(on('Policy_GeneralLiability_ExpirationDate', TRUTH.asOf, 30), STRICT, {
      asOf: TRUTH.asOf,
    });
    expect(verdict).toBe('COMPLIANT');
  });

  it('of the first policy that ends are the certificate’s', () => {
    const certificate = on('Policy_WorkersCompensation_ExpirationDate', TRUTH.projectEnd, 1);
    expect(audit(certificate).expiresAt).toBe(
      new Date(Date.parse(TRUTH.projectEnd) + 86_400_000).toISOString().slice(0, 10),
    );
  });
});

describe('what a certificate can be fooled with', () => {
  const fields = TRUTH.fields as Fields;
  it.each([
    ['both occurrence and claims-made', { GeneralLiability_ClaimsMadeIndicator: 'X' }],
    [
      'claims-made alone',
      { GeneralLiability_ClaimsMadeIndicator: 'X', GeneralLiability_OccurrenceIndicator: undefined },
    ],
    [
      'a claims-made umbrella',
      { ExcessUmbrella_ClaimsMadeIndicator: 'X', ExcessUmbrella_OccurrenceIndicator: undefined },
    ],
    [
      'an aggregate per project and per policy',
      { GeneralLiability_GeneralAggregate_LimitAppliesPerPolicyIndicator: 'X' },
    ],
    ['a letter of an insurer that is not there', { GeneralLiability_InsurerLetterCode: 'F' }],
    ['a letter that is none', { GeneralLiability_InsurerLetterCode: 'Z' }],
    ['an insurer that is the producer', { Insurer_FullName_A: fields.Producer_FullName }],
    ['an insurer that is the insured', { Insurer_FullName_B: fields.NamedInsured_FullName }],
    ['a NAIC code of four digits', { Insurer_NAICCode_C: '1234' }],
    ['a NAIC code of zeros', { Insurer_NAICCode_C: '00000' }],
    [
      'one number for two insurers',
      {
        Policy_AutomobileLiability_PolicyNumberIdentifier:
          fields.Policy_GeneralLiability_PolicyNumberIdentifier,
      },
    ],
    [
      'a date where the policy number belongs',
      { Policy_GeneralLiability_PolicyNumberIdentifier: '01/01/2026' },
    ],
    ['persons excluded', { WorkersCompensationEmployersLiability_AnyPersonsExcludedIndicator: 'Y' }],
    [
      'a tick where persons are excluded',
      { WorkersCompensationEmployersLiability_AnyPersonsExcludedIndicator: 'X' },
    ],
    [
      'an additional insured box that says no',
      { CertificateOfInsurance_GeneralLiability_AdditionalInsuredCode: 'N' },
    ],
    [
      'a signature that is a label',
      { Producer_AuthorizedRepresentative_Signature: 'AUTHORIZED REPRESENTATIVE' },
    ],
    ['an occurrence above the aggregates', { GeneralLiability_EachOccurrence_LimitAmount: '10,000,000' }],
    ['another company of the name', { NamedInsured_FullName: `${TRUTH.expectedInsured} of Texas` }],
    [
      'forms that are taken back',
      {
        CertificateOfInsurance_RemarkText: `${fields.CertificateOfInsurance_RemarkText} CG 20 37 is not included.`,
      },
    ],
    [
      'a specimen',
      { CertificateOfInsurance_RemarkText: `SPECIMEN. ${fields.CertificateOfInsurance_RemarkText}` },
    ],
    ['a limit in another currency', { GeneralLiability_EachOccurrence_LimitAmount: 'CAD 1,000,000' }],
    ['two limits in one box', { GeneralLiability_EachOccurrence_LimitAmount: '1,000,000 / 100,000' }],
    ['a limit that lost a group', { GeneralLiability_EachOccurrence_LimitAmount: '1,000,00' }],
  ] as const)('%s is never COMPLIANT', (_, changes) => {
    expect(audit(changed(changes)).verdict).not.toBe('COMPLIANT');
  });

  it('a sign of tampering, a page that is missing, or one of another policy is never COMPLIANT', () => {
    expect(audit({ ...SOUND, tamperSigns: ['changed after signing'] }).verdict).toBe('REVIEW');
    expect(audit({ ...SOUND, attachments: [] }).verdict).toBe('REVIEW');
    const number = (TRUTH.fields as Fields).Policy_GeneralLiability_PolicyNumberIdentifier;
    const withText = (replace: string, by: string) => ({
      ...SOUND,
      attachments: SOUND.attachments.map(({ page, text }) => ({ page, text: text.replaceAll(replace, by) })),
    });
    expect(outcomeOf(withText(number, 'GL-0000001'), 'AI_UNPROVEN')).toBe('warn');
    expect(outcomeOf(withText(TRUTH.expectedHolder, 'Somebody Else LLC'), 'AI_UNPROVEN')).toBe('warn');
    expect(
      outcomeOf(
        withText(TRUTH.expectedHolder, 'any person where required by written contract'),
        'AI_UNPROVEN',
      ),
    ).toBe('pass');
    expect(outcomeOf(withText(number, `${number}9`), 'AI_UNPROVEN')).toBe('warn');
  });

  it('remarks that were not surely read, or name no form where no page does, are never COMPLIANT', () => {
    const remarks = 'CertificateOfInsurance_RemarkText' as const;
    const doubtful = { ...SOUND.fields[remarks]!, confidence: 0.79 };
    expect(audit({ ...SOUND, fields: { ...SOUND.fields, [remarks]: doubtful } }).verdict).toBe('REVIEW');
    const { [remarks]: _, ...without } = SOUND.fields;
    expect(audit({ ...SOUND, fields: without, attachments: [] }).verdict).toBe('DEFICIENT');
  });

  it('two boxes of which one excludes the other leave it open, and are no sure failure', () => {
    const both = changed({ GeneralLiability_ClaimsMadeIndicator: 'X' });
    expect([outcomeOf(both, 'GL_OCCURRENCE_FORM'), audit(both).verdict]).toEqual([
      'not_determinable',
      'REVIEW',
    ]);
    const scopes = changed({ GeneralLiability_GeneralAggregate_LimitAppliesPerPolicyIndicator: 'X' });
    expect(outcomeOf(scopes, 'GL_AGGREGATE_PER_PROJECT')).toBe('not_determinable');
    const claimsMade = changed({
      GeneralLiability_ClaimsMadeIndicator: 'X',
      GeneralLiability_OccurrenceIndicator: undefined,
    });
    expect(outcomeOf(claimsMade, 'GL_OCCURRENCE_FORM')).toBe('fail');
  });

  it('ongoing operations alone leave a gap, but for the edition that covers the work', () => {
    const remark = (text: string) => ({
      ...changed({ CertificateOfInsurance_RemarkText: text }),
      attachments: SOUND.attachments.map(({ page, text: page_ }) => ({
        page,
        text: page_.replaceAll('CG 20 37', 'CG 20 33'),
      })),
    });
    expect(outcomeOf(remark('AI per CG 20 10 04 13.'), 'AI_COMPLETED_OPERATIONS')).toBe('warn');
    expect(outcomeOf(remark('AI per CG 20 10 11 85.'), 'AI_COMPLETED_OPERATIONS')).toBe('pass');
    expect(outcomeOf(remark('AI per CG 20 10 and 20 37.'), 'AI_COMPLETED_OPERATIONS')).toBe('pass');
  });

  it('an edition that was asked for has to be the one that is shown', () => {
    const asking = (endorsement: string) => ({ ...STRICT, endorsements: [endorsement] });
    const named = (endorsement: string, text: string) =>
      outcomeOf(
        { ...changed({ CertificateOfInsurance_RemarkText: text }), attachments: [] },
        `ENDORSEMENT_${endorsement.replaceAll(' ', '_')}`,
        asking(endorsement),
      );
    expect(named('CG 20 01 04 13', 'Primary per CG 20 01 04 13')).toBe('pass');
    expect(named('CG 20 01 04 13', 'Primary per CG 20 01 12 19')).toBe('fail');
    expect(named('CG 20 01 04 13', 'Primary per CG 20 01')).toBe('not_determinable');
    expect(named('CG 20 01', 'Primary per CG 20 01 12 19')).toBe('pass');
    expect(named('CG 20 01', 'Primary and noncontributory')).toBe('fail');
    expect(named('CG 20 01', 'CG 20 01 pending')).toBe('not_determinable');
    expect(named('CG 20 01', 'CG 20 01 applies. CG 20 01 is excluded in Ohio.')).toBe('not_determinable');
  });

  it('nothing at all is never COMPLIANT, whatever was asked', () => {
    const empty = { ...SOUND, fields: {}, attachments: [] };
    const nothingAsked: CertificateRequirements = {
      endorsements: [],
      expiryWarningDays: 30,
      signature: false,
    };
    for (const requirements of [nothingAsked, ...Object.values(BUILT_IN_REQUIREMENTS)]) {
      expect(audit(empty, requirements).verdict).not.toBe('COMPLIANT');
    }
    expect(audit(SOUND, nothingAsked).verdict).toBe('COMPLIANT');
    const { Form_CompletionDate, NamedInsured_FullName } = SOUND.fields;
    const noCoverage = { ...empty, fields: { Form_CompletionDate, NamedInsured_FullName } };
    expect(audit(noCoverage, nothingAsked).verdict).toBe('REVIEW');
    expect(
      audit(changed({ Policy_GeneralLiability_ExpirationDate: '01/01/2020' }), nothingAsked).verdict,
    ).toBe('DEFICIENT');
  });
});

describe('a verdict', () => {
  it('is that of its worst rule; notes stop nothing, failures always do', () => {
    const rule = fc.record({
      outcome: fc.constantFrom(
        'pass' as const,
        'fail' as const,
        'warn' as const,
        'not_determinable' as const,
      ),
      affectsVerdict: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(rule, { maxLength: 20 }), rules => {
        const fails = rules.some(({ outcome }) => outcome === 'fail');
        const opens = rules.some(({ outcome, affectsVerdict }) => outcome !== 'pass' && affectsVerdict);
        expect(verdictOf(rules)).toBe(fails ? 'DEFICIENT' : opens ? 'REVIEW' : 'COMPLIANT');
      }),
    );
  });

  it('refuses days that are none', () => {
    expect(() => audit(SOUND, STRICT, { asOf: '2026-02-30' })).toThrow(RangeError);
    expect(() => audit(SOUND, STRICT, { asOf: 'today' })).toThrow(RangeError);
  });
});

it('an insurer letter that names no insurer fails, but on a scan, where it may be another letter', () => {
  const blank = ['Insurer_FullName_E', 'Insurer_NAICCode_E'] as const;
  const certificate = { ...changed({ AutomobileLiability_InsurerLetterCode: 'E' }), blank };
  for (const [variant, outcome] of [
    ['fillable', 'fail'],
    ['flattened', 'fail'],
    ['scanned', 'not_determinable'],
  ] as const)
    for (const rule of ['AUTO_INSURER', 'AUTO_NAIC'])
      expect([variant, outcomeOf({ ...certificate, variant }, rule)]).toEqual([variant, outcome]);
});
