import type { CertificateField } from '../certificate-field.js';
import type { ExtractedCertificate, ExtractedField } from '../extracted-certificate.js';
import { CONFIDENCE_MIN } from './certificate-reading.js';
import { remarkWords } from './remark-words.js';
import { type GrammarRules, WordGrammar } from './word-grammar.js';

/**
 * What stands in cells whose label leaves open what it is of: kinds of cover beside those that the form names, and what limits
 * of theirs are of. `another` is the row of another policy, whose own terms take nothing from the policies above it.
 */
const WORDING: GrammarRules = {
  general: `( blanket )? contractual ( liability | liab )? | xcu | x c u | explosion collapse and underground | broad form ( property damage | pd ) | independent contractors
    | ( host )? liquor ( liability | liab )? | ( ohio | oh )? stop gap ( liability | employers liability )? | employee benefits ( liability | liab )? | emp ben ( liab )? | ebl
    | hired ( and )? nonowned ( auto | autos | auto liability )? | hnoa | separation of insureds | severability of ( interest | interests )
    | ( sexual )? abuse ( and )? molestation | ( professional | prof ) ( liability | liab )? | ( contractors )? pollution ( liability )? | products and completed operations
    | primary and noncontributory | ( per )? ( project | location | policy | job )`,
  vehicle: `( uninsured | underinsured | um | uim ) ( ( and )? ( underinsured | uim ) )? ( motorist | motorists )? ( bi | csl | combined single limit )? | um uim csl
    | ( med | medical ) ( pay | payments | pmts | exp ) | pip ( basic )? | personal injury protection | hired car physical damage
    | ( comp | comprehensive | coll | collision ) ( ( and )? ( coll | collision ) )? ( ded | deductible | deductibles )? | mcs90 | mcs 90 | garage liability | trailer interchange`,
  workers: `usl and h | uslh | uslandh | stop gap | other states ( coverage | insurance )? | all states | voluntary compensation | maritime | jones act`,
  another: `( professional | pollution | contractors pollution | contractors professional | site pollution | environmental | cyber | liquor | employment practices | directors and officers | management
      | riggers | garage | media | technology | excess | umbrella | employee benefits | foreign | aircraft | aviation | drone | marine | vessel | product | owners and contractors protective | railroad protective | fiduciary ) ( ( and | or )? ( professional | pollution | cyber | excess | environmental ) )* ( liability | liab )?
    | epl | epli | cpl | stop gap ( liability )? | ( tech | technology )? ( e and o | errors and omissions ) ( liability )? | d and o | ocp | ( commercial )? crime | fidelity | employee ( dishonesty | theft ) | cyber ( security | risk )? | inland marine | ocean marine | ( contractors | leased | rented | scheduled | mobile | owned )+ equipment | leased and rented equipment
    | equipment floater | installation floater | installation | builders risk | ( commercial | business personal | personal )? property | buildings | building | bpp | contents | business income | ( motor truck )? cargo | motor truck cargo
    | garagekeepers | ( sexual )? abuse and molestation | medical malpractice | malpractice | ( transportation | transit ) pollution | boiler and machinery | equipment breakdown | flood | wind | earthquake | auto physical damage | bailees | accident and health | participant accident`,
  term: `( each | per | any one | every ) ( claim | occurrence | occ | loss | incident | item | accident | wrongful act | person | pollution condition | job | jobsite | location ) ( limit )? | ( annual | general | policy | total )? ( aggregate | agg ) ( limit )?
    | ( policy | coverage | occurrence | occ )? ( limit | limits ) ( of liability | of insurance )? | occurrence | occ | claim | deductible | ded | retention | sir | claims made | ( retro | retroactive ) date #number+ | replacement cost | special form | all risk`,
  amounts: `( ( and )? ( #money | #number ) )*`,
};
/** Made with the first text that is held against it: what starts and reads none does not wait for it. */
const grammarOf = (clause: string) => {
  let grammar: WordGrammar | undefined;
  return () => (grammar ??= new WordGrammar({ ...WORDING, clause }, 'clause'));
};
const coversOf = (kind: string) =>
  grammarOf(`<${kind}> ( ( and )? <${kind}> )* ( coverage | included | incl | limit )? <amounts>`);
const GENERAL = coversOf('general');
const VEHICLE = coversOf('vehicle');
const ANOTHER = coversOf('another');
const UMBRELLA = grammarOf('( follow | follows | following ) form ( <amounts> )');
const WORKERS = coversOf('workers');
const TERMS = grammarOf('<amounts> ( ( and )? <term> <amounts> )*');

interface Cell {
  /** Read as one text: what a limit is of, and the limit. */
  readonly fields: readonly CertificateField[];
  readonly says: () => WordGrammar;
  /** Whether this is said of another policy than those that are judged. */
  readonly isOfAnother?: true;
}
const CELLS: readonly Cell[] = [
  { fields: ['GeneralLiability_OtherCoverageDescription'], says: GENERAL },
  { fields: ['GeneralLiability_OtherCoverageDescription_B'], says: GENERAL },
  { fields: ['GeneralLiability_GeneralAggregate_LimitAppliesToCode'], says: GENERAL },
  {
    fields: ['GeneralLiability_OtherCoverageLimitDescription', 'GeneralLiability_OtherCoverageLimitAmount'],
    says: GENERAL,
  },
  { fields: ['Vehicle_OtherCoveredAutoDescription'], says: VEHICLE },
  { fields: ['Vehicle_OtherCoveredAutoDescription_B'], says: VEHICLE },
  {
    fields: ['Vehicle_OtherCoverage_CoverageDescription', 'Vehicle_OtherCoverage_LimitAmount'],
    says: VEHICLE,
  },
  {
    fields: ['ExcessUmbrella_OtherCoverageDescription', 'ExcessUmbrella_OtherCoverageLimitAmount'],
    says: UMBRELLA,
  },
  { fields: ['WorkersCompensationEmployersLiability_OtherCoverageDescription'], says: WORKERS },
  { fields: ['OtherPolicy_PolicyDescription'], says: ANOTHER },
  { fields: ['OtherPolicy_CoverageCode'], says: TERMS, isOfAnother: true },
  { fields: ['OtherPolicy_CoverageCode_B'], says: TERMS, isOfAnother: true },
  { fields: ['OtherPolicy_CoverageCode_C'], says: TERMS, isOfAnother: true },
];

/** Names of fields that hold what their name says: parties, numbers, days, amounts. */
const PLAIN_NAME =
  /(?:FullName|LineOne|LineTwo|CityName|ProvinceCode|PostalCode|CountryCode|Number|Identifier|Date|EmailAddress|LimitAmount|InsuredCode|WaivedCode|LetterCode|NAICCode)(?:_[A-Z])?$/i;

/** Text in a cell that is to be read like remarks. */
export interface CellText {
  readonly field: string;
  readonly text: ExtractedField;
}

/** Cells of a certificate whose label does not say what stands in them. */
export interface FreeCells {
  /** That say something which is not known to be harmless. */
  readonly telling: readonly CellText[];
  /** In which something stands that was not read, or not surely. */
  readonly unread: readonly CertificateField[];
}

/** Whether a grammar knows all that a text says. */
function isKnown(text: string, grammar: WordGrammar): boolean {
  const { words } = remarkWords(text.replace(/[/,;:.-]+/g, ' '), grammar.words);
  return words.length > 0 && grammar.clausesIn(words) === words.length;
}

/** Sorts the cells of a certificate that may say anything: a deductible, a retention, a retroactive date would stand there. */
export function freeCells({ fields, blank, otherText = [] }: ExtractedCertificate): FreeCells {
  const telling: CellText[] = [];
  const unread: CertificateField[] = [];
  const policy = fields.OtherPolicy_PolicyDescription?.value ?? '';
  for (const { fields: names, says, isOfAnother } of CELLS) {
    const filled = names.filter(name => (fields[name]?.value ?? '').trim() !== '');
    unread.push(...filled.filter(name => !(fields[name]!.confidence >= CONFIDENCE_MIN)));
    // Where places are known, what is neither read nor blank has something in it.
    if (blank) unread.push(...names.filter(name => !fields[name] && !blank.includes(name)));
    if (filled.length === 0) continue;
    const value = filled.map(name => fields[name]!.value).join(' ');
    const isTerm = isOfAnother !== true || isKnown(policy, ANOTHER());
    if (isTerm && isKnown(value, says())) continue;
    telling.push({ field: filled[0], text: { ...fields[filled[0]]!, value } });
  }
  for (const { name, ...text } of otherText) {
    if (!PLAIN_NAME.test(name)) telling.push({ field: name, text });
  }
  return { telling, unread };
}
