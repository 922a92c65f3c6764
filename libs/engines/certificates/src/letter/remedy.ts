import type { CertificateRule } from '../rules/certificate-rule.js';

/** What would settle a rule, by the end of its id; the first that fits. Each is a request to the producer or the insured. */
const REMEDIES: readonly (readonly [RegExp, (rule: Pick<CertificateRule, 'required'>) => string])[] = [
  [
    /^TAMPER$/,
    () => 'Please ask your insurance producer to send the certificate again, directly and as it was issued.',
  ],
  [
    /^ISSUED$/,
    ({ required }) =>
      `Please send a certificate that shows when it was issued${required === undefined ? '' : `, which has to be ${required}`}.`,
  ],
  [/^INSURED$/, ({ required }) => named('the named insured', required)],
  [/^HOLDER$/, ({ required }) => named('the certificate holder', required)],
  [/^SIGNATURE$/, () => 'Please send the certificate signed by the producer’s authorized representative.'],
  [/^POLICY_NUMBERS$/, () => 'Please confirm the number of each policy, or send a corrected certificate.'],
  [
    /^REMARKS$/,
    () => 'Please confirm what the description of operations means for the cover that is required.',
  ],
  [/^COVERAGE$/, () => 'Please send a certificate of liability insurance that shows your policies.'],
  [/_COVERAGE$/, () => 'Please send a certificate that shows this coverage with all of that.'],
  [/_POLICY_NUMBER$/, () => 'Please send a certificate with the number of the policy that was issued.'],
  [/_(INSURER|NAIC)$/, () => 'Please have the insurer of this policy and its five-digit NAIC code shown.'],
  [/_TERM$/, () => 'Please have the effective and expiration dates of this policy corrected (MM/DD/YYYY).'],
  [
    /_ACTIVE$/,
    ({ required }) => `Please send a certificate of a policy that is in force on ${required ?? 'that day'}.`,
  ],
  [
    /_PROJECT_END$/,
    ({ required }) =>
      `Please send a certificate of a policy that is in force until ${required ?? 'the end of the project'}, or of its renewal as soon as it is issued.`,
  ],
  [
    /^AI_UNPROVEN$/,
    () =>
      'Please send the additional insured endorsement itself, with the policy number and whom it applies to.',
  ],
  [
    /^AI_COMPLETED_OPERATIONS$/,
    () =>
      'Please send an endorsement that covers completed operations too, such as CG 20 37, or say where it is.',
  ],
  [
    /_ADDITIONAL_INSURED$/,
    () =>
      'Please have the policy endorsed for the additional insured, the box marked, and the endorsement sent.',
  ],
  [
    /_SUBROGATION_WAIVED$/,
    () => 'Please have the policy endorsed with a waiver of subrogation, and the box marked.',
  ],
  [
    /_OCCURRENCE_FORM$/,
    () => 'Please send a certificate of a policy on an occurrence form, with that box alone marked.',
  ],
  [
    /_AGGREGATE_PER_PROJECT$/,
    () => 'Please have the aggregate endorsed to apply per project, and that box alone marked.',
  ],
  [
    /_LIMITS_CONSISTENT$/,
    () => 'Please have the limits checked against the policy, and corrected or confirmed.',
  ],
  [/^AUTO_SCOPE$/, () => 'Please have any auto, or hired and non-owned autos, covered and marked.'],
  [/^WC_STATUTORY$/, () => 'Please have the box for statutory limits marked.'],
  [
    /^WC_EXCLUSIONS$/,
    () =>
      'Please state whether any proprietor, partner, officer or member is excluded, and have none excluded.',
  ],
  [
    /^ENDORSEMENT_/,
    () => 'Please have the endorsement issued, named in the description of operations, and a copy sent.',
  ],
];

/** What to send so that a rule passes. */
export function remedyOf(rule: Pick<CertificateRule, 'id' | 'required'>): string {
  const remedy = REMEDIES.find(([pattern]) => pattern.test(rule.id))?.[1];
  if (remedy) return remedy(rule);
  // What is left are limits.
  return `Please send a certificate that shows a limit of at least ${rule.required ?? 'what is required'}.`;
}

function named(what: string, required: string | undefined): string {
  return required === undefined
    ? `Please send a certificate that names ${what}.`
    : `Please send a certificate that names ${what} exactly as: ${required}`;
}
