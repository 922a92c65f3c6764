import { type RemarkWords, remarkWords } from './remark-words.js';
import { type GrammarRules, WordGrammar } from './word-grammar.js';

/**
 * Whole clauses that stand on certificates and take nothing from anybody's cover. What is not one of them is for a person to read.
 * A clause that is added here has to be harmless whatever stands in its `#free` words.
 */
const WORDING: GrammarRules = {
  // Who.
  officers: `( his | its | their | the | and | or | all | any | each | of | elected | elective | appointed | officers | officials | directors | employees
    | agents | volunteers | representatives | partners | members | managers | trustees | successors | assigns | including | affiliates | affiliated
    | subsidiaries | subsidiary | parents | parent | companies | entities | respective | related | city | council | boards | board | commissions | lenders )`,
  holder: `( the )? ( certificate )? ( holder | holders )`,
  party: `( <holder> | <officers> | #free | additional insured | additional insureds | the following | others | all other parties | all parties | any other parties
    | entities listed as additional insured | listed as additional insured | entities listed ( below | above )?
    | any person or organization | ( with )? whom ( the )? ( named )? insured has agreed | to whom | if any | any party | the parties | <required> )`,
  parties: `<party>+`,
  // Which policies.
  line: `( the )? ( commercial )? ( general liability | general liab | gl | cgl | auto | auto liability | automobile liability | automobile | business auto
    | commercial auto | hired and nonowned auto | umbrella | umbrella liability | umbrella excess | excess | excess umbrella | excess liability | excess umbrella liability
    | umbrella excess liability | al | workers compensation | workers comp | work comp | wc | employers liability | el | professional liability | pollution liability
    | contractors pollution liability | liability | property ) ( liability )? ( coverage | coverages | insurance | policy | policies | lines )?`,
  lines: `( all )? <line> ( ( and | or )? <line> )*`,
  policy: `( the | this | these | all | contractor | contractors | insured | named insured | said | above )* ( <lines> | policy | policies | coverage | coverages | insurance )`,
  // On what a status stands.
  contract: `( a | an | the | any | this | such | signed | executed | written | valid )* ( contract | contracts | agreement | agreements | subcontract | lease | permit | purchase order )
    ( ( and | or )? ( agreement | agreements | contract | lease | permit ) )* ( documents )? ( with ( the )? ( certificate holder | holder | named insured | insured ) | between #free+ )?`,
  required: `( as | where | when | if | wherever | whenever )? ( it is | so | and | is )? ( required | requires ) ( by | in | per | under | pursuant to | within | such status | that status | it )* <contract>
    | ( as )? ( per | by | pursuant to | under | in accordance with ) <contract>
    | ( as | where | when | if ) ( contractually required | required by law | required )
    | when there is <contract> that requires such ( status | waiver )`,
  terms: `( subject to | per | in accordance with | according to | as per ) ( all )? ( of )? ( the )? ( policy | policies )? ( terms | conditions | provisions | exclusions | limitations | form | forms | definitions )
    ( ( and | or )? ( terms | conditions | provisions | exclusions | limitations | definitions ) )* ( of ( the | such | said )? ( policy | policies | coverage ) )? ( and applicable endorsement | and applicable endorsements )?`,
  name: `( form | forms | endorsement | endorsements | number | ed | edition | attached | policy | blanket | the | and | or | policy form | iso )`,
  ownform: `<name>* ( cg | ca | wc | #free | gl | el )? #number+ ( ed | edition | #number )*`,
  by: `( as )? ( per | by | via | under | on | with | through | see | pursuant to ) ( the )?`,
  reference: `( as )? ( per | by | via | under | pursuant to ) ( the )? ( attached | blanket | policy | applicable )* ( form | forms | endorsement | endorsements ) <ownform>?
    | ( as )? ( per | by | via | under | pursuant to ) <ownform> | ( see )? attached`,
  insuredforms: `<by>? ( <name>* #form-giving )* <name>* #form-additional-insured ( <name>* #form-giving )* ( or ( its )? equivalent )? | <reference>`,
  waiverforms: `<by>? ( <name>* #form-giving )* <name>* #form-waiver ( <name>* #form-giving )* ( or ( its )? equivalent )? | <reference>`,
  primaryforms: `<by>? ( <name>* #form-giving )* <name>* #form-primary ( <name>* #form-giving )* ( or ( its )? equivalent )? | <reference>`,
  aggregateforms: `<by>? ( <name>* #form-giving )* <name>* #form-aggregate ( <name>* #form-giving )* ( or ( its )? equivalent )? | <reference>`,
  basis: `( on | on a | on an )? ( primary | primary basis ) ( and )? ( noncontributory | noncontributory basis ) ( basis | wording | language | coverage )?`,
  scope: `( as respects to | as respects | as respect | as regards | with respect to | with respects to | in respect to | with regard to | with regards to | in regards to | regarding | for | under | on | to | in )
      ( ( both )? <lines> | ( the | all | any | ongoing | completed | products | and | or | their | its | your | named insured | insured )* ( operations | work | activities | project | job | premises | location )
      | ongoing | completed | ( the )? ( above | below )? ( referenced | captioned | described | mentioned | named )? ( project | job | location | work | contract )
      | ( <lines> | liability )? <arising> | ( all )? ( claims | liability ) <arising> | <work> )
    | <arising>
    | including ( ongoing | completed | products | and | or )+ operations
    | ( with | including ) ( a | the )? ( blanket )? waiver of subrogation ( in favor of <parties> )? | ( and | with | including | is | as )? <basis>
    | in connection with ( the )? ( above | below | #free | referenced )+ | atima | isaoa | as their interest may appear | as their interests may appear`,
  arising: `( arising | arises | resulting ) ( out of | from ) ( ( the | any | named insured | insured | insureds | their | its | your | ongoing | completed | operations | work | activities | services | performed | conducted | rendered | by | or | and | on behalf of | for | at | on | <holder> | #free ) )+`,
  tail: `( <required> | <terms> | <scope> | ( and | with | including ) )*`,
  // What is said.
  status: `( is | are | shall be | will be | has been | have been ) ( also | hereby | automatically )? ( included | named | listed | added | shown | considered | covered | provided | scheduled | deemed | recognized | reflected )? ( as )?
    | ( as | included as | named as | listed as | named | listed )`,
  insured: `( a | an | the )? ( blanket | automatic )? ( additional insured | additional insureds | addl insured | ai ) ( status | coverage | wording | endorsement )? ( s )?`,
  work: `( all | any | any and all | the )? ( work | operations | services | activities ) ( of ( the )? ( named insured | insured ) )? ( performed | done | provided )? ( by ( or on behalf of | or for | or at the direction of )? ( the )? ( named insured | insured | #free+ ) )? ( for ( the )? ( <holder> | #free | additional insured )+ )?
    ( on ( the )? ( above | below | referenced | captioned | described | named | project | job | work | #free )+ )?`,
  additional: `( <required> )? ( <scope> )? ( <lines> )? ( <party>+ <status> <insured> | <insured> ( <status> <parties> )? | <insured> ( and <waive> )? ( is | are )? ( included | provided | applies | apply | granted | afforded | extended )
      | <policy> ( includes | include | contain | contains | provide | provides ) <insured> ( to <parties> )?
      | <party>+ <status> <insured> ( and )? loss payee | the following <status> <insured> <parties>? | <insured> ( to | for | in favor of ) <parties> | <party>+ <status> ( a | the )? ( lenders )? ( loss payee | mortgagee ) | designated insured ( status )? ) ( <tail> <insuredforms>? ( and as <insured> | and ( for )? ( ongoing | completed ) operations )? )*`,
  waive: `( a | the | this )? ( blanket | automatic )? ( waiver of subrogation | waivers of subrogation | subrogation waiver | wos | waiver of transfer of rights of recovery | waiver of our right to recover ) ( endorsement | wording )?`,
  favor: `in favor of <parties> | in <holder> favor | against <parties>`,
  waiver: `( <required> )? ( ( <lines> )? ( and )? <waive> ( is | are )? ( also )? ( applies | apply | applicable | included | provided | granted | afforded | endorsed | shall apply )?
      | <policy> ( includes | include | contain | contains | provide | provides | have | has ) ( endorsement for | an endorsement for )? <waive> | subrogation is waived ) ( <favor> | <tail> | <waiverforms> | ( to | for | on | and )? <lines> | ( is | are )? ( applies | included | provided | applicable ) )*`,
  primary: `( <required> )? ( <lines> )? ( <policy> | such insurance | coverage afforded to ( the )? ( additional insured | additional insureds | holder | certificate holder ) | ( the )? blanket )?
      ( ( is | are | shall be | applies | apply | will be )* ( on a )? ( primary | pnc ) ( basis )? ( ( and | on )? ( noncontributory | noncontributing ) ( basis )? )? ( wording | coverage | language | basis )? ( is | are )? ( applies | apply | included | provided )? )
      ( ( to | over | with ) ( any )? other ( insurance | coverage ) ( available to | carried by | maintained by ) <parties> )? <tail> <primaryforms>? <tail> ( and )? ( includes <waive> ( <favor> )? <tail> )?`,
  notice: `( <lines> )? ( a | the | noc )? ( #free )? ( #number )? ( day | days ) ( advance | prior | written )* ( notice | noc ) ( of )? ( cancellation | cancelation )? ( to <holder> )?
      ( is | will be | shall be )? ( provided | applies | apply | included | given | sent | mailed | issued )? ( to <parties> )? ( in favor of <parties> )? ( <exceptnotice> | <tail> )*
    | noc ( #number )? days ( <exceptnotice> )? | ( includes | include ) #number day ( written )? notice of cancellation ( <exceptnotice> | <tail> )*
    | in the event of cancellation ( the )? ( insurer | insurers | insurance carrier | producer | carrier ) ( will | shall ) ( endeavor to )? ( mail | send | provide | give ) ( #free )? #number days ( advance | prior | written )* notice to <parties>
    | ( the )? ( insurer | insurers | insurance carrier | producer | carrier | company ) ( will | shall ) ( endeavor to )? ( mail | send | provide | give ) ( <parties> )? ( #free )? #number days ( advance | prior | written )* notice ( prior to | of | in the event of ) cancellation ( to <parties> )?
    | notice of cancellation ( is | will be )? ( provided | given | delivered ) <tail>`,
  exceptnotice: `( except | or )? ( #free )? #number ( day | days ) ( notice | written notice )? ( of cancellation )? ( for | due to | in the event of | if cancelled for ) ( cancellation for )? ( nonpayment | nonpay ) ( of premium )?`,
  followform: `( the )? ( umbrella | excess | umbrella excess | excess umbrella ) ( liability )? ( policy | coverage )? ( is | are )? ( a )? ( follow form | follows form | following form | followform | follow | follows ) ( form )?
      ( ( over | of | to | with )? ( the )? ( underlying )? ( <lines> | policies | coverages | coverage ) )* <tail>`,
  aggregate: `( <lines> )? ( <policy> ( includes | include | contains ) )? ( a | the )? ( per project | per location | per job ) ( general )? aggregate ( limit | limits )? ( is | are )? ( applies | apply | included | provided )? <tail> <aggregateforms>?
    | ( the )? ( general )? aggregate ( limit )? applies ( separately )? ( per | to each ) ( project | location | job ) <aggregateforms>? ( and per ( location | project ) <aggregateforms>? )?`,
  grants: `( <contracted> | ( hired and )? nonowned ( auto | automobile )? liability | stop gap ( employers liability )? | explosion collapse and underground | xcu | separation of insureds | severability of ( interests | interest )
      | sexual abuse and molestation ( liability )? | products and completed operations | completed operations | host liquor liability | cross liability ) ( coverage | clause | provision )? ( is | are )? ( included | provided | applies ) ( ( under | in | by | on ) <policy> )? ( for ( states of )? #free+ )?
    | <policy> ( includes | include ) ( explosion collapse and underground | xcu | contractual liability | severability of interests | separation of insureds | products completed operations | products and completed operations ) ( coverage )?
    | <policy> covers ( the )? ( states of )? #free+`,
  contracted: `( contractual liability | blanket contractual liability )`,
  formlist: `( ( and )? ( ai | additional insured | blanket additional insured ) ( #form-additional-insured and? )+ | ( and )? ( pnc | primary ( and )? noncontributory | primary ) ( #form-primary and? )+
      | ( and )? ( wos | waiver of subrogation | waiver | blanket waiver ) ( #form-waiver and? )+ | ( and )? per project aggregate ( #form-aggregate and? )+
      | ( and )? ( forms | form | endorsements | endorsement | gl | auto | wc )? ( #form-giving and? )+ )+`,
  evidence: `( issued | certificate issued | provided )? ( as )? ( evidence | proof ) of ( insurance | coverage | liability insurance | liability coverage ) ( for #free+ )?`,
  schedule: `( please )? ( see | refer to ) ( the )? ( attached | acord | acord 101 )* ( #number )? ( schedule | page | pages | endorsement | endorsements | additional remarks schedule | form | forms )? ( for additional named insureds | for additional remarks | for additional insureds | attached )?
    | ( additional )? remarks ( are )? continued ( on | in ) ( the )? ( attached )? acord #number | acord #number ( additional remarks schedule )? ( may be )? ( is )? attached ( if more space is required )?`,
  replaces: `this certificate ( replaces | supersedes | replaces and supersedes | cancels and supersedes ) ( all | any )? ( previously issued | prior | previous ) ( certificate | certificates ) ( issued )?`,
  namedinsureds: `( additional )? ( named insured | named insureds ) ( includes | include | also includes )? #free+ | insured ( dba | #free+ )`,
  labelled: `( additional insured | additional insureds | certificate holder | additional insured s | lender | loss payee | mortgagee ) <parties>`,
  clause: `( and | also | with | note )? ( <additional> | <waiver> | <primary> | <notice> | <followform> | <aggregate> | <grants> | <formlist> | <evidence> | <schedule> | <replaces>
      | <namedinsureds> | <labelled> | <label> ( #free | risk management )+ | <label> <work> | #named+ ( as )? per ( the )? ( contract | agreement | purchase order ) #free* | <work> <tail> | <work> ( of the named insured | of the insured ) | #named+ | <terms> | ( all of the above | above ) ( is | are )? <terms> | atima | isaoa atima | isaoa
      | <scope> | <required> | in favor of <parties> | blanket coverages | coverage applies <required> )`,
  label: `( re | reference | regarding | project | projects | job | jobs | attn | attention | location | locations | vehicle | equipment | event | owner | general contractor | contractor | architect | lender
      | project name | project location | description | description of operations | operations | job site | job location | contract | bid | license | lic | for information | work order | purchase order | po | term of contract | date of work )`,
};

let grammar: WordGrammar | undefined;
/** Made with the first remarks: what starts and reads none does not wait for it. */
const clauses = () => (grammar ??= new WordGrammar(WORDING, 'clause'));

/** As much of remarks is looked at; the box holds some 1,000 characters, and a schedule that goes on with them a page. */
export const REMARK_CHARS_MAX = 8_000;

/** Remarks sorted: what is not one of the harmless clauses is `strange`, undefined where there is nothing of the kind. */
export interface SortedRemarks extends RemarkWords {
  readonly strange: string | undefined;
}

/**
 * Sorts remarks by an allow-list of whole clauses: names, addresses and references, the status of additional insureds, waivers,
 * primary wording, notice of cancellation and forms that give something. Time is proportional to the length.
 *
 * @example sortRemarks('RE: Job 12. Completed operations are excluded.').strange // 'Completed operations are excluded.'
 */
export function sortRemarks(remarks: string): SortedRemarks {
  const read = remarkWords(remarks.slice(0, REMARK_CHARS_MAX), clauses().words);
  const { text, words } = read;
  const isCut = remarks.length > REMARK_CHARS_MAX;
  const recognised = clauses().clausesIn(words);
  if (recognised === words.length && !isCut) return { ...read, strange: undefined };
  return { ...read, strange: text.slice(words[recognised]?.from ?? 0).trim() };
}
