import type { CertificateTruth } from './certificate-truth.js';
import type { SeededRandom } from './seeded-random.js';

/** A truth while it is made. */
export type TruthDraft = {
  -readonly [K in Exclude<keyof CertificateTruth, 'deficiencies' | 'fields'>]: CertificateTruth[K];
} & { fields: { -readonly [K in keyof CertificateTruth['fields']]: string } };

const DAY_MS = 86_400_000;
const POLICIES = [
  'GeneralLiability',
  'AutomobileLiability',
  'ExcessLiability',
  'WorkersCompensation',
] as const;

const usDay = (isoDay: string, plusDays: number) => {
  const [year, month, day] = new Date(Date.parse(isoDay) + plusDays * DAY_MS)
    .toISOString()
    .slice(0, 10)
    .split('-');
  return `${month}/${day}/${year}`;
};

/** Without the umbrella, which could make up for what a primary policy lacks. */
function dropUmbrella({ fields }: TruthDraft): void {
  for (const name of Object.keys(fields) as (keyof typeof fields)[]) {
    if (/^ExcessUmbrella_|ExcessLiability/.test(name)) delete fields[name];
  }
}

/** A limit that is too low, and nothing above it. */
const low = (field: keyof CertificateTruth['fields'], values: readonly string[]) => {
  return (draft: TruthDraft, random: SeededRandom) => {
    dropUmbrella(draft);
    draft.fields[field] = random.pick(values);
  };
};

const without = (...fields: (keyof CertificateTruth['fields'])[]) => {
  return (draft: TruthDraft) => {
    for (const field of fields) delete draft.fields[field];
  };
};

function replaceRemark(draft: TruthDraft, pattern: RegExp, text: string): void {
  const remark = draft.fields.CertificateOfInsurance_RemarkText ?? '';
  draft.fields.CertificateOfInsurance_RemarkText = remark.replace(pattern, text);
}

/** What can be wrong with a certificate, a way for each rule. Each changes the draft so that the strictest set is not met. */
export const DEFICIENCIES = {
  'gl-occurrence-low': low('GeneralLiability_EachOccurrence_LimitAmount', ['500,000', '999,999', '100,000']),
  'gl-aggregate-low': low('GeneralLiability_GeneralAggregate_LimitAmount', ['1,000,000', '1,999,999']),
  'gl-products-low': low('GeneralLiability_ProductsAndCompletedOperations_AggregateLimitAmount', [
    '1,000,000',
    'EXCLUDED',
  ]),
  'gl-personal-low': low('GeneralLiability_PersonalAndAdvertisingInjury_LimitAmount', [
    '500,000',
    'EXCLUDED',
  ]),
  'gl-rented-low': low('GeneralLiability_FireDamageRentedPremises_EachOccurrenceLimitAmount', ['50,000']),
  'gl-medical-low': low('GeneralLiability_MedicalExpense_EachPersonLimitAmount', ['1,000', 'EXCLUDED']),
  'gl-limit-missing': draft => {
    dropUmbrella(draft);
    delete draft.fields.GeneralLiability_EachOccurrence_LimitAmount;
  },
  'gl-claims-made': ({ fields }) => {
    delete fields.GeneralLiability_OccurrenceIndicator;
    fields.GeneralLiability_ClaimsMadeIndicator = 'X';
  },
  'gl-both-forms-ticked': ({ fields }) => {
    fields.GeneralLiability_ClaimsMadeIndicator = 'X';
  },
  'gl-aggregate-per-policy': ({ fields }) => {
    delete fields.GeneralLiability_GeneralAggregate_LimitAppliesPerProjectIndicator;
    fields.GeneralLiability_GeneralAggregate_LimitAppliesPerPolicyIndicator = 'X';
  },
  'gl-additional-insured-missing': without('CertificateOfInsurance_GeneralLiability_AdditionalInsuredCode'),
  'gl-additional-insured-no': ({ fields }) => {
    fields.CertificateOfInsurance_GeneralLiability_AdditionalInsuredCode = 'N';
  },
  'gl-subrogation-missing': without('Policy_GeneralLiability_SubrogationWaivedCode'),
  'auto-limit-low': low('Vehicle_CombinedSingleLimit_EachAccidentAmount', ['300,000', '500,000']),
  'auto-owned-only': ({ fields }) => {
    delete fields.Vehicle_AnyAutoIndicator;
    delete fields.Vehicle_HiredAutosIndicator;
    delete fields.Vehicle_NonOwnedAutosIndicator;
    fields.Vehicle_ScheduledAutosIndicator = 'X';
  },
  'umbrella-low': ({ fields }, random) => {
    fields.ExcessUmbrella_Umbrella_EachOccurrenceAmount = random.pick(['1,000,000', '500,000']);
  },
  'umbrella-missing': dropUmbrella,
  'wc-limit-low': ({ fields }, random) => {
    fields.WorkersCompensationEmployersLiability_EachAccidentLimitAmount = random.pick([
      '100,000',
      '500,000',
    ]);
    dropUmbrella({ fields } as TruthDraft);
  },
  'wc-excluded': ({ fields }) => {
    fields.WorkersCompensationEmployersLiability_AnyPersonsExcludedIndicator = 'Y';
  },
  'wc-missing': ({ fields }) => {
    for (const name of Object.keys(fields) as (keyof typeof fields)[]) {
      if (/WorkersCompensation/.test(name)) delete fields[name];
    }
  },
  'policy-expired': (draft, random) => {
    const policy = random.pick(POLICIES);
    draft.fields[`Policy_${policy}_EffectiveDate`] = usDay(draft.asOf, -400);
    draft.fields[`Policy_${policy}_ExpirationDate`] = usDay(draft.asOf, -random.int(1, 35));
  },
  'policy-not-yet-effective': (draft, random) => {
    const policy = random.pick(POLICIES);
    draft.fields[`Policy_${policy}_EffectiveDate`] = usDay(draft.asOf, random.int(1, 40));
    draft.fields[`Policy_${policy}_ExpirationDate`] = usDay(draft.asOf, 400);
  },
  'ends-before-project': draft => {
    draft.fields.Policy_GeneralLiability_ExpirationDate = usDay(draft.projectEnd, -1);
  },
  'dates-swapped': ({ fields }) => {
    const effective = fields.Policy_GeneralLiability_EffectiveDate ?? '';
    fields.Policy_GeneralLiability_EffectiveDate = fields.Policy_GeneralLiability_ExpirationDate ?? '';
    fields.Policy_GeneralLiability_ExpirationDate = effective;
  },
  'date-impossible': ({ fields }) => {
    fields.Policy_GeneralLiability_ExpirationDate = '02/30/2027';
  },
  'issued-in-the-future': draft => {
    draft.fields.Form_CompletionDate = usDay(draft.asOf, 9);
  },
  'insurer-letter-unknown': ({ fields }, random) => {
    fields.GeneralLiability_InsurerLetterCode = random.pick(['E', 'F']);
  },
  'naic-malformed': ({ fields }, random) => {
    fields.Insurer_NAICCode_A = random.pick(['1234', '123456', 'TBD']);
  },
  'naic-missing': without('Insurer_NAICCode_A'),
  'holder-wrong': ({ fields, expectedHolder }) => {
    const head = expectedHolder.startsWith('Wren Valley') ? 'Tamarack' : 'Wren Valley';
    fields.CertificateHolder_FullName = `${head} Builders, Inc.`;
  },
  'holder-missing': without('CertificateHolder_FullName'),
  'insured-wrong': ({ fields }) => {
    fields.NamedInsured_FullName = 'Sorrel Point Concrete LLC';
  },
  'signature-missing': without('Producer_AuthorizedRepresentative_Signature'),
  'policy-number-missing': without('Policy_GeneralLiability_PolicyNumberIdentifier'),
  'ongoing-operations-only': draft => {
    replaceRemark(
      draft,
      /ongoing and completed operations per (CG 20 10 \d\d \d\d) and CG 20 37 \d\d \d\d/,
      'ongoing operations per $1',
    );
    draft.endorsementPages = draft.endorsementPages.filter(({ form }) => !form.startsWith('CG 20 37'));
  },
  'endorsement-unnamed': draft => {
    replaceRemark(draft, /^(Project [^.]*\.).*$/, '$1 Issued as evidence of insurance.');
    draft.endorsementPages = [];
  },
  'endorsement-page-missing': draft => {
    draft.endorsementPages = [];
  },
} satisfies Record<string, (draft: TruthDraft, random: SeededRandom) => void>;

export type DeficiencyId = keyof typeof DEFICIENCIES;
