import { type CertificateTruth, certificateTruth, type DeficiencyId } from '@svc/certificates/testing';
import { certificatesContract, CoiRequirements, type KeyHolder, type RequestOf } from '@svc/contracts';
import type { DepartmentFixture } from './department-fixture.js';

const MS_PER_DAY = 86_400_000;
type Fields = Record<string, string>;

/** Holders of accounts of their own. */
export const holder = (letter: string): KeyHolder => ({
  accountId: `acct_${letter.repeat(20)}`,
  keyId: letter.repeat(16),
  plan: 'demo',
  scopes: [],
});

export const isoDay = (daysFromNow: number): string =>
  new Date(Date.now() + daysFromNow * MS_PER_DAY).toISOString().slice(0, 10);
const usDay = (daysFromNow: number): string => {
  const [year, month, day] = isoDay(daysFromNow).split('-');
  return `${month}/${day}/${year}`;
};

/** What the certificates of these tests are held against: everything that a general contractor's set asks for. */
export const requirementsOf = (truth: CertificateTruth, more: object = {}): CoiRequirements =>
  CoiRequirements.parse({
    name: 'Test requirements',
    certificateHolder: truth.expectedHolder,
    namedInsured: truth.expectedInsured,
    generalLiability: {
      eachOccurrenceUsd: 1_000_000,
      generalAggregateUsd: 2_000_000,
      productsCompletedOperationsUsd: 2_000_000,
      additionalInsured: true,
      subrogationWaived: true,
      aggregatePerProject: true,
    },
    automobileLiability: { combinedSingleLimitUsd: 1_000_000, anyAutoOrHiredAndNonOwned: true },
    umbrella: { eachOccurrenceUsd: 5_000_000, aggregateUsd: 5_000_000 },
    workersCompensation: { eachAccidentUsd: 1_000_000, subrogationWaived: true },
    endorsements: ['CG 20 10', 'CG 20 37', 'CG 24 04'],
    ...more,
  });

export interface SentCertificate {
  readonly truth: CertificateTruth;
  readonly request: Record<string, unknown> & { fields: Fields };
}

/** A certificate that is in force today, sent as fields; `deficiencies` are made wrong, `endsInDays` from today. */
export function sentCertificate(
  seed: number,
  {
    deficiencies = [],
    endsInDays = 200,
    insured,
    ...more
  }: { deficiencies?: readonly DeficiencyId[]; endsInDays?: number; insured?: string } & Record<
    string,
    unknown
  > = {},
): SentCertificate {
  const truth = certificateTruth(seed, { deficiencies });
  const fields: Fields = { ...(truth.fields as Fields), Form_CompletionDate: usDay(-3) };
  for (const policy of [
    'GeneralLiability',
    'AutomobileLiability',
    'ExcessLiability',
    'WorkersCompensation',
  ]) {
    fields[`Policy_${policy}_EffectiveDate`] = usDay(endsInDays - 365);
    fields[`Policy_${policy}_ExpirationDate`] = usDay(endsInDays);
  }
  if (insured !== undefined) fields.NamedInsured_FullName = insured;
  const attachments = truth.endorsementPages.map(({ lines }) => lines.join('\n'));
  const requirements = requirementsOf({ ...truth, expectedInsured: insured ?? truth.expectedInsured });
  return { truth, request: { fields, attachments, requirements, ...more } };
}

type Verify = RequestOf<typeof certificatesContract.verify>;

/** One audit, as the gateway asks for it after the payment. */
export const verify = (
  { bus }: Pick<DepartmentFixture, 'bus'>,
  request: Record<string, unknown>,
  more: Partial<Omit<Verify, 'request'>> = {},
) => bus.call(certificatesContract.verify, { request, creditsRemaining: null, ...more });
