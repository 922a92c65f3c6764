import type { CertificateRequirements } from '../requirements/certificate-requirements.js';
import { namedForms } from './endorsement-form.js';
import { sentencesOf } from './remark-words.js';

/** What a sentence takes back for sure. */
interface Taking {
  readonly cover: string;
  /** Of the sentence in small letters, on one line. */
  readonly says: RegExp;
  /** Whether the sentence says it by a "not" or "no" of its own. */
  readonly isNegated?: true;
  readonly asks: (requirements: CertificateRequirements) => boolean;
}

const GAP = '[^.;]{0,60}?';
const EXCLUDED = String.raw`\b(?:exclu(?:ded|des|ding|sion)|excl)\b`;
/** One thing and that it is excluded, in either order. */
const excluded = (what: string) => new RegExp(`(?:${what})${GAP}${EXCLUDED}|${EXCLUDED}${GAP}(?:${what})`);
const ENDED = String.raw`(?:cancell?ed|expired|lapsed|terminated|non-?renewed)\b`;
const ended = (what: string) =>
  new RegExp(
    `(?:${what})(?: (?:policy|policies|coverage|liability))?(?: (?:has|have) been| was| were| is| are)? ${ENDED}`,
  );

const asksInsured = ({ generalLiability, automobileLiability }: CertificateRequirements) =>
  generalLiability?.additionalInsured === true || automobileLiability?.additionalInsured === true;
const asksCompleted = ({ generalLiability, endorsements }: CertificateRequirements) =>
  generalLiability?.productsCompletedOperationsUsd !== undefined ||
  endorsements.some(form => /20\s?-?37/.test(form));
const asksSome = ({
  generalLiability,
  automobileLiability,
  umbrella,
  workersCompensation,
}: CertificateRequirements) =>
  [generalLiability, automobileLiability, umbrella, workersCompensation].some(Boolean);

const TAKINGS: readonly Taking[] = [
  {
    cover: 'an occurrence form',
    says: /\b(?:general liability|c?gl)\b[^.;]{0,60}?\bclaims?[ -]made\b|\bclaims?[ -]made\b[^.;]{0,40}?\b(?:general liability|c?gl)\b/,
    asks: ({ generalLiability }) => generalLiability?.occurrenceForm === true,
  },
  {
    cover: 'completed operations',
    says: excluded(String.raw`\b(?:completed op(?:eration)?s|products[ -]+comp)`),
    asks: asksCompleted,
  },
  {
    cover: 'additional insured',
    says: excluded(String.raw`\badditional insureds?(?: status| coverage)?`),
    asks: asksInsured,
  },
  {
    cover: 'hired and non-owned autos',
    says: excluded(String.raw`\b(?:hired|non-?owned)\b[^.;]{0,20}?\bautos?`),
    asks: ({ automobileLiability }) => automobileLiability?.anyAutoOrHiredAndNonOwned === true,
  },
  {
    cover: 'automobile liability',
    says: /\bauto(?:mobile)?\b[^.;]{0,40}?\bphysical damage only\b/,
    asks: ({ automobileLiability }) => automobileLiability?.combinedSingleLimitUsd !== undefined,
  },
  {
    cover: 'workers compensation without exclusions',
    says: /\b(?:proprietors?|owners?|officers?|partners?|members?)\b[^.;]{0,60}?\bexcluded\b[^.;]{0,40}?\b(?:wc|workers? comp)/,
    asks: ({ workersCompensation }) => workersCompensation?.noExclusions === true,
  },
  {
    cover: 'personal and advertising injury',
    says: excluded(String.raw`\bpersonal (?:and|&) adv`),
    asks: ({ generalLiability }) => generalLiability?.personalAdvertisingInjuryUsd !== undefined,
  },
  {
    cover: 'an aggregate per project',
    says: /\baggregate\b[^.;]{0,40}?\b(?:is shared|shared (?:by|with|across|among|between)|applies per policy|all projects combined)\b/,
    asks: ({ generalLiability }) => generalLiability?.aggregatePerProject === true,
  },
  {
    cover: 'general liability',
    says: ended(String.raw`\b(?:general liability|c?gl)`),
    asks: ({ generalLiability }) => generalLiability !== undefined,
  },
  {
    cover: 'automobile liability',
    says: ended(String.raw`\bauto(?:mobile)?(?: liability)?`),
    asks: ({ automobileLiability }) => automobileLiability !== undefined,
  },
  {
    cover: 'workers compensation',
    says: ended(String.raw`\b(?:wc|workers compensation)`),
    asks: ({ workersCompensation }) => workersCompensation !== undefined,
  },
  {
    cover: 'a policy in force',
    says: ended(String.raw`^(?:the |this |all )?(?:above )?(?:policy|policies|coverage|coverages)`),
    asks: asksSome,
  },
  {
    cover: 'additional insured',
    says: /\b(?:is|are) not (?:(?:included|named|listed|added|covered) )?(?:as )?(?:an? )?additional insured|\bno additional insured (?:status|coverage)?|\badditional insured (?:status|coverage) (?:is|does) not\b/,
    isNegated: true,
    asks: asksInsured,
  },
  {
    cover: 'waiver of subrogation',
    says: /\bno waiver of subrogation|\bwaiver of subrogation (?:is|does|has|was) not\b|\bsubrogation is not waived\b/,
    isNegated: true,
    asks: ({ generalLiability, automobileLiability, workersCompensation }) =>
      [generalLiability, automobileLiability, workersCompensation].some(
        each => each?.subrogationWaived === true,
      ),
  },
  {
    cover: 'workers compensation',
    says: /\bworkers compensation (?:coverage |insurance )?(?:is )?not (?:carried|provided|included|in force)\b|\bno workers compensation\b/,
    isNegated: true,
    asks: ({ workersCompensation }) => workersCompensation !== undefined,
  },
];
/** Forms that take one cover whole. */
const TAKING_FORMS: Readonly<Partial<Record<string, Omit<Taking, 'says'>>>> = {
  'CG 00 02': {
    cover: 'an occurrence form',
    asks: ({ generalLiability }) => generalLiability?.occurrenceForm === true,
  },
  'CG 21 04': { cover: 'completed operations', asks: asksCompleted },
  'CG 21 35': {
    cover: 'medical expense',
    asks: ({ generalLiability }) => generalLiability?.medicalExpenseUsd !== undefined,
  },
  'CG 21 38': {
    cover: 'personal and advertising injury',
    asks: ({ generalLiability }) => generalLiability?.personalAdvertisingInjuryUsd !== undefined,
  },
  'CG 21 45': {
    cover: 'damage to rented premises',
    asks: ({ generalLiability }) => generalLiability?.damageToRentedPremisesUsd !== undefined,
  },
};
/** A sentence with one of these is not sure to take anything: people read it. */
const SOFTENED =
  /\b(?:if|unless|may|might|when|where|except\w*|only if|pending|would|could|replac\w*|rewrit\w*|reinstat\w*|supersed\w*|professional|pollution|cyber|e&o)\b/;
const NEGATIONS = /\b(?:not|no|never|without|nor|none|removed|deleted|waived)\b/g;

/**
 * What remarks, or the number of a form, take back for sure of what is required; undefined where that is nothing, or not sure.
 *
 * @example takenCover('Completed operations are excluded.', BUILT_IN_REQUIREMENTS.roofing)?.cover // 'completed operations'
 */
export function takenCover(
  text: string,
  requirements: CertificateRequirements,
): { readonly cover: string; readonly quoted: string } | undefined {
  for (const quoted of sentencesOf(text)) {
    const sentence = quoted.toLowerCase().replace(/['\u2019]/g, '');
    if (SOFTENED.test(sentence)) continue;
    // `is not excluded` takes nothing, and `not` with a second word that takes something is for people to read.
    const negations = sentence.match(NEGATIONS)?.length ?? 0;
    const isTwofold = negations > 0 && /\bexclu|\bclaims?[ -]made\b/.test(sentence);
    const taking =
      TAKINGS.find(
        ({ says, asks, isNegated }) =>
          says.test(sentence) && asks(requirements) && !isTwofold && negations === (isNegated ? 1 : 0),
      ) ??
      namedForms(quoted)
        .map(({ form }) => TAKING_FORMS[form])
        .find(form => form?.asks(requirements) && negations === 0);
    if (taking) return { cover: taking.cover, quoted };
  }
  return undefined;
}
