/** Wordings of one label; the words of each are separated by blanks. */
export type Lexicon<Id extends string> = Readonly<Record<Id, readonly string[]>>;

/** Parts of a certificate that bound each other. */
export type PartId =
  | 'title'
  | 'date'
  | 'producer'
  | 'insured'
  | 'contact'
  | 'phone'
  | 'fax'
  | 'email'
  | 'insurers'
  | 'naic'
  | 'coverages'
  | 'certificateNumber'
  | 'revisionNumber'
  | 'policyNumber'
  | 'remarks'
  | 'holder'
  | 'cancellation'
  | 'signature';

/** The public wording of certificates of liability insurance, and the words that agencies use in its place. */
export const PARTS: Lexicon<PartId> = {
  title: [
    'CERTIFICATE OF LIABILITY INSURANCE',
    'CERTIFICATE OF INSURANCE',
    'LIABILITY INSURANCE CERTIFICATE',
    'CERTIFICATE OF INSURANCE COVERAGE',
    'EVIDENCE OF LIABILITY INSURANCE',
    'PROOF OF INSURANCE',
  ],
  date: [
    'DATE MM DD YYYY',
    'ISSUE DATE',
    'DATE ISSUED',
    'DATE OF ISSUE',
    'CERTIFICATE DATE',
    'ISSUED ON',
    'DATE',
    'ISSUED',
  ],
  producer: [
    'PRODUCER',
    'AGENCY',
    'BROKER',
    'AGENT',
    'PRODUCER AGENCY',
    'INSURANCE AGENCY',
    'PRODUCING AGENCY',
    'AGENT BROKER',
    'ISSUING AGENCY',
  ],
  insured: ['INSURED', 'NAMED INSURED', 'POLICYHOLDER', 'INSURED PARTY', 'THE INSURED'],
  contact: ['CONTACT NAME', 'CONTACT', 'CONTACT PERSON'],
  phone: ['PHONE A C NO EXT', 'PHONE', 'TEL', 'TELEPHONE', 'PHONE NO'],
  fax: ['FAX A C NO', 'FAX', 'FAX NO'],
  email: ['E MAIL ADDRESS', 'E MAIL', 'EMAIL', 'EMAIL ADDRESS'],
  insurers: [
    'INSURERS AFFORDING COVERAGE',
    'INSURER S AFFORDING COVERAGE',
    'INSURERS',
    'COMPANIES AFFORDING COVERAGE',
    'CARRIERS',
    'INSURANCE COMPANIES',
  ],
  naic: ['NAIC', 'NAIC NO', 'NAIC NUMBER', 'NAIC CODE'],
  coverages: ['COVERAGES', 'COVERAGE', 'TYPE OF INSURANCE', 'POLICIES', 'INSURANCE IN FORCE'],
  certificateNumber: ['CERTIFICATE NUMBER', 'CERTIFICATE NO', 'CERT NO', 'CERTIFICATE ID'],
  revisionNumber: ['REVISION NUMBER', 'REVISION NO', 'REVISION', 'REV'],
  policyNumber: ['POLICY NUMBER', 'POLICY NO'],
  remarks: [
    'DESCRIPTION OF OPERATIONS LOCATIONS VEHICLES',
    'DESCRIPTION OF OPERATIONS',
    'OPERATIONS AND SPECIAL PROVISIONS',
    'SPECIAL PROVISIONS',
    'REMARKS',
    'REMARKS AND SPECIAL PROVISIONS',
    'ADDITIONAL REMARKS',
    'OPERATIONS LOCATIONS AND REMARKS',
    'DESCRIPTION OF WORK',
    'OPERATIONS COVERED',
    'NOTES',
  ],
  holder: [
    'CERTIFICATE HOLDER',
    'ISSUED TO CERTIFICATE HOLDER',
    'ISSUED TO',
    'HOLDER',
    'HOLDER OF THIS CERTIFICATE',
    'CERTIFICATE ISSUED TO',
  ],
  cancellation: ['CANCELLATION', 'NOTICE OF CANCELLATION'],
  signature: [
    'AUTHORIZED REPRESENTATIVE',
    'AUTHORISED REPRESENTATIVE',
    'AUTHORIZED SIGNATURE',
    'SIGNED FOR THE AGENCY BY',
    'SIGNED BY',
    'SIGNED FOR THE PRODUCER',
    'SIGNATURE',
    'SIGNED',
  ],
};

/**
 * What publishers print at the foot of a form: its number and edition, whose it is, the page. It stands where a signature would, and is
 * none.
 */
export const PUBLISHER_WORDING =
  /©|\(c\)\s*\d{4}|copyright|all\s+rights\s+reserved|registered\s+(trade\s?)?marks?\b|\bname\s+and\s+logo\b|\bACORD\s+(corporation|\d{1,3}\b)|\(\d{4}\/\d{2}\)|^page\s+\d+(\s+of\s+\d+)?$/i;

/** Policies that a certificate shows. */
export type CoverageId = 'generalLiability' | 'automobile' | 'excess' | 'workers' | 'other';

export const COVERAGES: Lexicon<CoverageId> = {
  generalLiability: ['COMMERCIAL GENERAL LIABILITY', 'GENERAL LIABILITY'],
  automobile: [
    'AUTOMOBILE LIABILITY',
    'AUTO LIABILITY',
    'BUSINESS AUTO',
    'COMMERCIAL AUTO',
    'COMMERCIAL AUTOMOBILE',
  ],
  excess: [
    'UMBRELLA LIAB',
    'UMBRELLA LIABILITY',
    'UMBRELLA EXCESS',
    'UMBRELLA AND EXCESS',
    'UMBRELLA OR EXCESS',
    'UMBRELLA EXCESS LIABILITY',
    'EXCESS UMBRELLA',
    'EXCESS LIABILITY',
  ],
  workers: [
    'WORKERS COMPENSATION',
    'WORKERS COMP',
    'WORKER COMPENSATION',
    'WORKERS COMPENSATION AND EMPLOYERS LIABILITY',
  ],
  other: ['OTHER', 'OTHER POLICY', 'OTHER INSURANCE', 'OTHER COVERAGE', 'ADDITIONAL POLICY'],
};

/** What every policy has: a column in a table, a label in a panel. */
export type PolicyId =
  'letter' | 'policyNumber' | 'effective' | 'expiration' | 'additionalInsured' | 'subrogation';

export const POLICY_LABELS: Lexicon<PolicyId> = {
  letter: [
    'INSR LTR',
    'INSR',
    'INSURER',
    'INSURER LETTER',
    'CO LTR',
    'INS LTR',
    'CARRIER',
    'INSURED BY',
    'LETTER',
  ],
  policyNumber: ['POLICY NUMBER', 'POLICY NO', 'POLICY'],
  effective: [
    'POLICY EFF',
    'POLICY EFF MM DD YYYY',
    'EFFECTIVE',
    'EFFECTIVE DATE',
    'POLICY EFFECTIVE',
    'EFF DATE',
    'FROM',
    'IN FORCE FROM',
    'INCEPTION',
    'BEGINS',
    'EFF',
    'STARTS',
    'POLICY EFFECTIVE DATE',
  ],
  expiration: [
    'POLICY EXP',
    'POLICY EXP MM DD YYYY',
    'EXPIRATION',
    'EXPIRATION DATE',
    'POLICY EXPIRATION',
    'EXP DATE',
    'TO',
    'UNTIL',
    'EXPIRES',
    'EXPIRY',
    'ENDS',
    'EXP',
    'EXPIRY DATE',
    'POLICY EXPIRATION DATE',
  ],
  additionalInsured: ['ADDL INSD', 'ADDL', 'ADDL INSURED', 'ADDITIONAL INSURED', 'ADD INSURED', 'ADDL INSR'],
  subrogation: [
    'SUBR WVD',
    'SUBR',
    'WAIVER',
    'WAIVER OF SUBROGATION',
    'SUBROGATION WAIVED',
    'WAIVER OF SUBR',
    'SUBROGATION WAIVER',
    'SUBR WAIVED',
    'SUBROGATION',
  ],
};
