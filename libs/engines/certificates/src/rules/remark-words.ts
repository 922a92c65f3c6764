import { type EndorsementForm, namedForms, purposeOf } from './endorsement-form.js';
import type { GrammarWord } from './word-grammar.js';

/** A word of the remarks, where it stands in the text that was read. */
export interface RemarkWord extends GrammarWord {
  readonly from: number;
  readonly to: number;
}

/** Remarks as words; `text` is what was read, without the differences that Unicode makes between letters that look the same. */
export interface RemarkWords {
  readonly text: string;
  readonly words: readonly RemarkWord[];
  readonly forms: readonly EndorsementForm[];
}

const list = (words: string): ReadonlySet<string> => new Set(words.split(/\s+/).filter(Boolean));

/** Words that say something of insurance, or take from what is said: never part of a name, and of a sentence where it asks for them. */
const SPEAKING = list(`
  above accept accepted accepts accident afforded after against aggregate agree agreed alleged allowed also although amended amount an
  any applicable applied applies apply applying are arent arising assumed available  barred be because become been before behalf below
   beyond binder blanket bodily both bound but  can cancel cancelable canceled cancellation cancelled cancels cannot cant cap
  capped captive carried carrier carry certificate cg ca wc claim claimant claims clause coinsurance collision combined completed comprehensive
  condition conditional conditioned conditions confer confers contingent continuous contractual contribution contributory cost costs could
  cover coverage coverages covered covering covers damages deducted deductible deductibles deducts defence defend defended defending
  defense defenses delete deleted denied deny denies depleted did didnt differ do does doesnt dont draft driver drivers duty each
  earned either elect elected elects employers end ended ending ends endorsement endorsements erode eroded erodes eroding every except excepted
  excepting exception exceptions excess excl exclude excluded excludes excluding exclusion exclusionary exclusions exclusive exclusively
  exempt exempted exemption exhaust exhausted expense expenses expiration expire expired expires extent failure fails follow following
  follows form forms had has have hazard height held hereby herein hold holder holders holds however if impaired  inapplicable inception
  include included includes including inclusive indemnify indemnity injury injuries insd insurance insured insureds insurer insurers
  interest interests into invalid is isnt issued its itself kind lapse lapsed lapses law least less lesser liable liability liabilities
  limit limitation limitations limited limiting limits loss losses lower maintain maintained make makes maximum may means  might
  minimum missing molestation most must na named negligence neither never nil no non none nonrenewal nonrenewed nonrenew nor not
  nothing notice obligation occurrence off omit omitted  ongoing only or otherwise out over owed paid partial partially
  party pay payable payee paying payment payments payor peo pending per percent percentage physical policies policy premium premiums pre
  primary prior prohibited promise proposal provide provided provides providing provision provisions punitive purchase quote radius
  reduce reduced reduces reducing reduction reinstate reinstated reinstatement reject rejected remain remaining remains remove removed
  renew renewal renewed require required requirement requirements requires rescind rescinded reservation reserve residual respect respects
  restrict restricted restriction restrictions restrictive retain retained retention retro retroactive revoked rights risk sample satisfied
  schedule scheduled self shall share shared shares sharing should sir solely specimen status stated statutory subject sublimit sublimits
  subrogation subsidence suit suits  suspended suspension tbd tail terminate terminated termination terms than that
  them then there these they third this those  unable unavailable under underlying uninsured unless unpaid until up upon valid vicarious void
  voided voids waive waived waiver waives warranted warranty was wasting we were when where whether which who will willful 
  withdrawn within without wont would you your aggregates ai pnc wos noc gl cgl umbrella nothing lt gt eq odd
  endeavor guaranty held harmless hammer warranties noncontributory nonpayment umb xs el bi pd med
`);

/** Words of other languages that take something from a sentence, or are of insurance there. */
const FOREIGN = list(`
  sin solo solamente salvo excepto fuera quedan queda ninguno ninguna nunca menos hasta cubre cubierto cubierta cubiertos poliza seguro
  asegurado aseguradora franquicia vigente sauf hors sans pas ne aucun aucune seulement couvert couverte garantie assurance assure
  nicht kein keine keinen ohne nur ausser ausgenommen ausgeschlossen versichert versicherung deckung haftung selbstbehalt nao sem apenas
  nenhum nenhuma cobre segurado non senza solo nessun nessuna escluso esclusa esclusi copertura niet geen zonder uitgesloten
  brak bez oprocz tylko wylaczone nie ikke uten untatt inte utan
`);

/** Beginnings that no name of a project or a company has: found across spaces, however a word was broken up. */
const STEMS =
  /exclu|exlcu|excud|exempt|limita|restrict|deductib|retention|retroact|claimsmade|claimmade|cancel|coverag|coberta|cobertur|subrogat|selfinsur|aggregat|terminat|notcover|covered|erod(?:e|ing)|impaired|uninsur|versicher|deckung|assuranc|aseguranza/;

/** Words that stand for what was meant where they are misspelt. */
const MISSPELT = [
  ...[
    'excluded',
    'excludes',
    'excluding',
    'exclusion',
    'exclusions',
    'exclude',
    'exception',
    'excepting',
    'excepted',
    'limited',
  ],
  ...[
    'limitation',
    'limitations',
    'restricted',
    'restriction',
    'deductible',
    'retention',
    'retroactive',
    'coverage',
    'covered',
  ],
  ...[
    'cancelled',
    'canceled',
    'cancellation',
    'terminated',
    'expired',
    'lapsed',
    'suspended',
    'prohibited',
    'warranty',
    'reduced',
  ],
  ...[
    'eroded',
    'erodes',
    'impaired',
    'exhausted',
    'aggregate',
    'subrogation',
    'insured',
    'uninsured',
    'liability',
    'additional',
  ],
  ...[
    'solely',
    'without',
    'unless',
    'claims',
    'policy',
    'policies',
    'conditional',
    'conditioned',
    'pending',
    'removed',
    'deleted',
  ],
];

const TRADES = `
  abatement acoustical asphalt audio audiovisual bakery bar brick building buildings cabinet cabinets carpentry carpet catering ceiling
  ceilings cleaning coating coatings concrete conduit construction consulting contracting controls cooling crane curb custodial decking
  delivery demolition design dock door doors drainage drilling drywall ductwork earthwork electric electrical elevator engineering erection
  excavating excavation exterior fabrication fence fencing fiber finish fire flashing flatwork floor flooring food foundation framing furnish
  glass glazing grading grinding gutter gutters gypsum handyman hardscape hauling heating hoisting hvac inspection install installation
  installations insulation interior interiors irrigation janitorial landscape landscaping lighting locksmith logistics low maintenance
  masonry mechanical mep metal millwork mowing moving networking ornamental paint painting parking paving photography pier piling
  pipe pipefitting piping plaster plastering plow plowing plumbing pool precast pressure programming protection pump rebar refrigeration
  remodel remodeling removal renovation renovations rental rentals repair repairs replace replacement restaurant restoration retrofit
  rigging roof roofing sandblasting scaffold scaffolding sealcoating security service services sewer sheetmetal siding sidewalk sidewalks
  sign signage signs site sitework snow software solar sprinkler staffing steel stone storm striping structural stucco stump supply
  surveying systems telecommunications temperature tent testing tile tiling training transport transportation tree trees trenching trim
  trimming trucking upgrade upgrades utilities utility venue ventilation wall walls warehouse washing waste water waterproofing
  welding window windows wire wiring yard`;
const PLACES = `
  airport apartment apartments arena association ave avenue base bay blvd boulevard bridge building campus center centre chapel church
  clinic club college commons condominium condominiums convention corner corridor county court courthouse creek crossing ct
  department district dr drive east elementary estates expressway fair fairgrounds farm field floor fort freeway garage garden gardens
  grove hall harbor heights high highway hill hills homes hospital hotel house hwy industrial intersection island junction lake lakes
  landing lane library line ln loc location locations loop lot mall manor market meadow meadows medical middle mill mine mount mountain
  municipal museum naval north office old park parcel parish parkway path phase pike pkwy place plant plaza point pond port prairie
  property quarter ranch rd residence resort retail ridge river riverside road room route row school section shop shopping site south sq
  square st stadium state station ste store stores street studio subdivision suite terminal terrace theater tower towers town township
  tract trail turnpike unit university valley view village vista ward way west wharf wing wood woods yard zone parks gym addition`;
const PARTIES = `
  affiliate affiliates agency agent agents architect architects assigns assn associates attorneys authority bank board brothers bros
  builder builders church city client clients co commission company companies condo consultant contractor contractors corp corporation
  council customer customers dba department developer developers development director directors division employee employees engineer
  engineers enterprises entities entity estate fka foundation general government group guild heirs holding holdings hoa inc incorporated
  institute international intl invitees isaoa atima joint landlord lender lessor lessors limitedliabilitycompany llc llp lp ltd manager
  managers management member members mortgage mortgagee nationalassociation nonprofit officer officers official officials organization organizations
  owner owners parent parents partner partners partnership parties person persons plc pllc president principal producer properties
  realty representative representatives school shareholders society subcontractor subsidiaries subsidiary successor successors
  supplier tenant tenants trust trustee trustees usa vendor venture volunteers appointed elective`;
const REFERENCES = `
  account agreement attn attention award awarded bid building certs contract contracts dated date dates description dot dob document email event
  fax file inv invoice job jobs jobsite lease license licensed lic number no nos order orders permit phone plan plans po project projects
  ref reference registration req rfp rfq serial subcontract tel task vendor vin work w9 website agr csl cslb lot model make year
  purchase solicitation`;
const COMMON = `
  access activities all alarm alterations annual area areas art as assembly at auto automotive backhoe big block boiler book boom bottom
  box bulldozer bus business cab camp campus car care cat caterpillar central chevrolet chevy city civil commercial common community
  complete computer consumer core crew data day deep deere district dodge dozer dump duty dust emergency equipment excavator exhibit exits expansion express
  facilities facility family fall federal film financial first fleet flatbed for ford forklift freightliner freight from full furniture
  gas gear general generator gmc goods grade grand great green ground group handling health heavy his home honda hydraulic
  improvement improvements in indoor information infrastructure inside international james john kenworth kitchen kubota labor laborers ladder lane large light lift
  line lines loader local long lower mack main machine machinery major manufacturing mark marina masonry material materials mezzanine miscellaneous misc mobile
  modular multi national new next night northern of office operator operators operation operations operated outdoor outside owned
  panel panels part parts personal peterbilt pickup playground portable power private process product production products professional program
  ram rail railway recreation red regional related religious relocation renewable residential right row rural safety sales san santa school science
  sea season seasonal second semi senior september series set shell show shows single skid small social southern special spring staff stage steer
  storage story studio subsurface summer support surface system table tank technology temporary tenant the thru through tools top toyota tractor traffic trailer
  training transit truck trucks turf two type university upper us use van various vehicle vehicles volvo winter wireless wood world
  january february march april june july august september october november december jan feb mar apr jun jul aug sep sept oct nov dec
  one three four five ten twenty thirty forty sixty ninety hundred
  monday tuesday wednesday thursday friday saturday sunday spring
  de la las los el del st saint mt ne nw se sw n s e w ii iii iv vi vii viii ix xi
  al ak az ar ct co de fl ga hi id il ia ks ky md ma mi mn ms mo mt nv nh nj nm ny nc nd oh ok pa ri sc sd tn tx ut vt va wa wv wi wy dc
  columbus ohio indiana kentucky texas california florida york jersey michigan illinois pennsylvania georgia carolina virginia washington
  oregon arizona nevada colorado utah iowa missouri kansas tennessee alabama mississippi louisiana minnesota wisconsin dakota wyoming
  oklahoma arkansas nebraska montana idaho maine vermont massachusetts connecticut delaware maryland hampshire hawaii alaska mexico
  states respective their and other or a in to by on with between throughout
  cross hired language name page premises recovery space term boards commissions
  entire located listed attached additional described referenced captioned referred mentioned performed remarks`;
/** Words of names, addresses, trades and references: what stands in remarks and says nothing of cover. */
const TRADE_WORDS = list(TRADES);
const PLACE_WORDS = list(PLACES);
const PARTY_WORDS = list(PARTIES);
const REFERENCE_WORDS = list(REFERENCES);
const KNOWN = new Set([...TRADE_WORDS, ...PLACE_WORDS, ...PARTY_WORDS, ...REFERENCE_WORDS, ...list(COMMON)]);
/** Of these at least one stands in what is a name, an address or a trade without a word before it that says so. */
const ANCHORS = new Set(
  [...TRADE_WORDS, ...PLACE_WORDS, ...PARTY_WORDS].filter(
    word => !/^(bar|low|line|part|general)$/.test(word),
  ),
);
/** Known words that are no name by themselves, and of a sentence about cover where they stand elsewhere. */
const NOT_IN_NAMES = list(
  'additional described referenced captioned referred mentioned attached listed remarks as other',
);

/** Letters of one clause that are no words of ours: more of them are a sentence in words that are not known. */
const UNKNOWN_WORDS_MAX = 8;
const SINGLE_LETTERS_MAX = 3;
const MEASURES = /^(feet|miles|stories|storeys|hours|days|inches|months|years)$/;
const MEASURE = /^(foot|ft|mile|hour|day|inch|month|year)$/;
const MONEY = /^\$|^\d{1,3}(,\d{3})+(\.\d\d)?$|^\$?\d+(\.\d+)?(k|m|mm|mil|million)$/i;
const VIN = /^(?=.*\d)[A-HJ-NPR-Z0-9]{17}$/i;
const CHUNK = /\S+/g;
const LOOK_ALIKES: readonly (readonly [RegExp, string])[] = [
  [/[\u2018\u2019\u02bc\u0060\u00b4]/g, "'"],
  [/[\u201c\u201d\u00ab\u00bb]/g, '"'],
  [/[\u2010-\u2015\u2212]/g, '-'],
  [/[\u2022\u00b7\u25cf\u25aa\u2023]/g, ';'],
  [/[\u00a9\u00ae\u2122\u00b0]/g, ' '],
];

/**
 * Splits remarks into words, each with the classes by which the wording asks for it: `free` for words that are part of a name, an
 * address or a trade, `named` where the words around it show that they are one, `number`, `money`, and `form-…` for endorsement
 * forms by their purposes. `spoken` are the words of the wording itself: none that is not known is part of a name. Words are cut apart by what looks the same, not by its code: full-width letters are letters, and a letter of another script is none.
 */
export function remarkWords(remarks: string, spoken: ReadonlySet<string>): RemarkWords {
  const text = plainText(remarks);
  const forms = namedForms(text);
  const isCapitals = (text.match(/[a-z]/g)?.length ?? 0) < (text.match(/[A-Z]/g)?.length ?? 0) / 4;
  const draft = draftWords(text, forms);
  markNames(draft, spoken, isCapitals);
  return { text, words: draft, forms };
}

function plainText(remarks: string): string {
  // A soft hyphen is where a word may be broken, and none of it.
  let text = remarks
    .replace(/\u00ad/g, '')
    .replace(/\u2122/g, ' ')
    .normalize('NFKC');
  for (const [pattern, by] of LOOK_ALIKES) text = text.replace(pattern, by);
  text = text.normalize('NFD').replace(/([A-Za-z])[\u0300-\u036f]{1,2}/g, '$1');
  // A word that was broken at the end of a line.
  return text.replace(/([a-z])-[ \t]*\r?\n[ \t]*([a-z])/g, '$1$2').replace(/[^\S\n\r]+/g, ' ');
}

type Draft = {
  -readonly [K in keyof RemarkWord]: K extends 'classes' ? Set<string> : RemarkWord[K];
} & {
  isCapital: boolean;
};

function draftWords(text: string, forms: readonly EndorsementForm[]): Draft[] {
  const words: Draft[] = [];
  let at = 0;
  for (const form of forms) {
    pushChunks(words, text, at, form.from);
    const lead = /^[\s,;/&+]*(?:and\b)?\s*/i.exec(text.slice(form.from, form.to))?.[0].length ?? 0;
    const word = wordOf(`${form.form}`, form.from + lead, form.to);
    const purpose = purposeOf(form.form);
    if (purpose !== undefined) word.classes.add(`form-${purpose}`);
    if (purpose !== undefined && purpose !== 'limiting') word.classes.add('form-giving');
    word.classes.add('form');
    const behind = text.slice(form.to, form.to + 1);
    word.endsClause = /[.,;:)\n\r]/.test(behind) || form.to >= text.length;
    word.endsSentence = /^\)?[.;!](\s|$)/.test(text.slice(form.to, form.to + 3));
    words.push(word);
    at = form.to;
  }
  pushChunks(words, text, at, text.length);
  return words;
}

function wordOf(text: string, from: number, to: number): Draft {
  return { text, from, to, classes: new Set(), endsClause: false, isCapital: false, endsSentence: false };
}

function pushChunks(words: Draft[], text: string, from: number, to: number): void {
  const last = () => words.at(-1);
  for (const { 0: chunk, index } of text.slice(from, to).matchAll(CHUNK)) {
    const start = from + index;
    const before = text.slice(start === 0 ? 0 : Math.max(from, start - 2), start);
    if (/[\n\r]/.test(before) && last()) last()!.endsClause = true;
    const count = words.length;
    pushParts(words, chunk, start);
    const previous = last();
    if (previous === undefined) continue;
    if (/[.,;:)!\-]["')]*$/.test(chunk)) previous.endsClause = true;
    if (/[;!]["')]*$/.test(chunk)) previous.endsSentence = true;
    if (words.length > count && /\.["')]*$/.test(chunk) && !isAbbreviation(previous.text))
      previous.endsSentence = true;
  }
}

/** `St.`, `Inc.`, `No.`: a point behind a few letters ends no sentence, and neither does one behind an initial. */
function isAbbreviation(word: string): boolean {
  return (
    word.length <= 2 ||
    /^(inc|llc|corp|ltd|ave|blvd|bldg|hwy|pkwy|ste|apt|attn|dept|mfg|bros|jr|sr|mt|ft|lic|proj|ref|tel|assn|assoc|constr|contr|elec|engr|equip|indus|ins|nat|natl|prop|props|gen|mech|plbg|htg|svcs|tech|avenue|intl|univ|mgmt|const|insp|misc|rte|sect|ser)$/.test(
      word,
    )
  );
}

function pushParts(words: Draft[], chunk: string, start: number): void {
  const push = (text: string, from: number, length: number, kinds: readonly string[] = []) => {
    const word = wordOf(text.toLowerCase(), from, from + length);
    word.isCapital = /^[A-Z0-9]/.test(text);
    for (const kind of kinds) word.classes.add(kind);
    words.push(word);
    return word;
  };
  const bare = chunk.replace(/^["'(*\[]+/, '').replace(/["').,;:!*\]]+$/, '');
  const offset = start + Math.max(0, chunk.indexOf(bare));
  if (bare === '') return;
  if (/^w\/?o\/?$/i.test(bare) && bare.includes('/')) return void push('without', offset, bare.length);
  if (/^n\/a$/i.test(bare)) return void push('na', offset, bare.length);
  if (/^(a\/i|g\/l|d\/b\/a|c\/o|i\/a\/o)$/i.test(bare))
    return void push(bare.replaceAll('/', ''), offset, bare.length);
  if (/^[\w.+-]+@[\w-]+(\.[\w-]+)+$/.test(bare) || VIN.test(bare))
    return void push('id', offset, bare.length, ['number']);
  if (MONEY.test(bare)) return void push('money', offset, bare.length, ['money']);
  if (/^([A-Za-z]\.){2,}[A-Za-z]?$/.test(`${bare}${/\.$/.test(chunk) && /\./.test(bare) ? '.' : ''}`)) {
    const letters = bare.replaceAll('.', '');
    return void push(/^na$/i.test(letters) ? 'nationalassociation' : letters, offset, bare.length);
  }
  for (const part of bare.matchAll(
    /[A-Za-z][A-Za-z']*\d[A-Za-z0-9]*|\d[A-Za-z0-9]*(?:[,.]\d+)*|[A-Za-z][A-Za-z']*|#|&|\+|@|[^\sA-Za-z0-9#&+@]/g,
  )) {
    const [text] = part;
    const from = offset + part.index;
    if (text === '&' || text === '+') push('and', from, 1);
    else if (text === '@') push('at', from, 1);
    else if (text === '#') push('number', from, 1);
    else if (/\d/.test(text)) push(text.replace(/[,.]$/, ''), from, text.length, ['number']);
    else if (/[A-Za-z]/.test(text)) {
      const word = text.toLowerCase();
      const isNegated = /n't$/.test(word);
      const plain = word.replace(/'s?$/, '').replaceAll("'", '');
      if (plain !== '') push(isNegated ? 'not' : plain, from, text.length).isCapital = /^[A-Z]/.test(text);
    } else if (/[,;:]/.test(text)) {
      const previous = words.at(-1);
      if (previous) previous.endsClause = true;
    } else if (!/[-/().'"_|*\[\]]/.test(text)) push('odd', from, 1);
  }
}

/** Marks the words that are part of a name, an address, a trade or a reference. */
function markNames(words: Draft[], spoken: ReadonlySet<string>, isCapitals: boolean): void {
  joinPrefixes(words);
  markMeasures(words);
  let run: Draft[] = [];
  const close = () => {
    if (run.length > 0) markRun(run, isCapitals);
    run = [];
  };
  for (const word of words) {
    if (mayBeNamed(word, spoken)) run.push(word);
    else close();
    if (word.endsSentence) close();
  }
  close();
}

/** `non contributory` is `noncontributory`. */
function joinPrefixes(words: Draft[]): void {
  for (let index = 0; index + 1 < words.length; index++) {
    const [word, next] = [words[index], words[index + 1]];
    if (word.text !== 'non' || !/^[a-z]+$/.test(next.text) || next.from - word.to > 2) continue;
    words.splice(index, 2, { ...next, text: `non${next.text}`, from: word.from });
  }
}

/** A number of feet, stories or days is no part of a name; `No. 12` is a number, and `no` is not. `May 14` is a day. */
function markMeasures(words: Draft[]): void {
  for (const [index, word] of words.entries()) {
    const [previous, next] = [words[index - 1], words[index + 1]];
    const isCounted = previous?.classes.has('number') === true;
    if (MEASURES.test(word.text) || (isCounted && MEASURE.test(word.text))) word.classes.add('measure');
    const isNumbered = next?.classes.has('number') === true || next?.text === 'number';
    // `Contract No. SR-2231`, `Job no 12`, `No. 12`; what is not behind such a word or before a point takes something away.
    const isReferred = REFERENCE_WORDS.has(previous?.text ?? '') && (isNumbered || word.endsClause);
    const isPointed = word.endsClause && isNumbered;
    if (/^nos?$/.test(word.text) && (isReferred || isPointed) && next !== undefined) word.text = 'number';
    if (word.text === 'may' && isNumbered) word.text = 'june';
  }
}

function mayBeNamed(word: Draft, spoken: ReadonlySet<string>): boolean {
  if (word.classes.has('form') || word.classes.has('money') || word.classes.has('measure')) return false;
  if (word.classes.has('number')) return true;
  const { text } = word;
  if (!/^[a-z]+$/.test(text) || SPEAKING.has(text) || FOREIGN.has(text)) return false;
  return KNOWN.has(text) || !spoken.has(text);
}

function markRun(run: readonly Draft[], isCapitals: boolean): void {
  const letters = run.filter(({ classes }) => !classes.has('number'));
  const unknown = letters.filter(({ text }) => !KNOWN.has(text));
  const singles = letters.filter(({ text }) => text.length === 1);
  const joined = run.map(({ text }) => text).join('');
  const isStrange =
    unknown.length > UNKNOWN_WORDS_MAX ||
    singles.length > SINGLE_LETTERS_MAX ||
    STEMS.test(joined) ||
    unknown.some(({ text, isCapital }) => (!isCapitals && !isCapital) || isMisspelt(text));
  if (isStrange) return;
  const isName =
    run.some(
      ({ text, classes }) =>
        ANCHORS.has(text) || REFERENCE_WORDS.has(text) || (classes.has('number') && run.length > 1),
    ) && !run.some(({ text }) => NOT_IN_NAMES.has(text));
  for (const { text, classes } of run) {
    if (!NOT_IN_NAMES.has(text)) classes.add('free');
    if (isName) classes.add('named');
  }
}

/** Whether a word that is not known is a slip of the pen away from one that takes cover away. */
function isMisspelt(text: string): boolean {
  if (text.length < 5) return false;
  return MISSPELT.some(meant => {
    const max = meant.length >= 8 ? 2 : 1;
    return Math.abs(meant.length - text.length) <= max && slips(text, meant, max) <= max;
  });
}

/** Letters that are added, left out, changed or swapped between two words, as far as `max`. */
function slips(one: string, other: string, max: number): number {
  let before: number[] = [];
  let row = Array.from({ length: other.length + 1 }, (_, column) => column);
  for (let line = 1; line <= one.length; line++) {
    const next = [line];
    for (let column = 1; column <= other.length; column++) {
      const isSame = one[line - 1] === other[column - 1];
      let least = Math.min(row[column] + 1, next[column - 1] + 1, row[column - 1] + (isSame ? 0 : 1));
      const isSwapped =
        line > 1 && column > 1 && one[line - 1] === other[column - 2] && one[line - 2] === other[column - 1];
      if (isSwapped) least = Math.min(least, before[column - 2] + 1);
      next.push(least);
    }
    if (Math.min(...next) > max) return max + 1;
    [before, row] = [row, next];
  }
  return row[other.length];
}

/** Sentences end with a point or a semicolon, and not with a line, which ends anywhere. */
export function sentencesOf(text: string): string[] {
  return text
    .replace(/\s+/g, ' ')
    .split(/(?<=\d|[a-z)]{3})\.(?=\s|$)|[;!](?=\s|$)/i)
    .map(sentence => sentence.trim())
    .filter(sentence => sentence !== '');
}
