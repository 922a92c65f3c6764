/** How a card was graded: `RAW` where it was not. */
export interface SaleGrade {
  readonly company: string;
  readonly grade?: number;
  /** As on the label; `BLACK` and `PRISTINE` are grades of their own. */
  readonly qualifier?: string;
}

/** A card and its grade, as a listing's title names them. */
export interface TitledCard extends SaleGrade {
  readonly card: {
    readonly year: number;
    readonly set: string;
    readonly number: string;
    readonly player: string;
    readonly parallel?: string;
  };
}

/** What a title is read with: names that a mapping file may add to. */
export interface TitleWords {
  readonly sets: readonly string[];
  readonly parallels: readonly string[];
}

/** Sets that are sold most; a mapping file names further ones. */
const SETS = [
  ...[
    'Topps',
    'Topps Chrome',
    'Topps Update',
    'Topps Traded',
    'Topps Heritage',
    'Topps Finest',
    'Finest',
    'Stadium Club',
    'Topps Stadium Club',
    'Topps Living',
    'Black Diamond',
    'Zenith',
    'Panini Origins',
    'Panini Chronicles',
    'Topps Now',
  ],
  ...[
    'Bowman',
    'Bowman Chrome',
    'Bowman Draft',
    'Bowman Chrome Draft',
    'Bowman Sterling',
    'Fleer',
    'Fleer Ultra',
    'Fleer Tradition',
    'Fleer Update',
  ],
  ...[
    'Donruss',
    'Donruss Optic',
    'Optic',
    'Panini Prizm',
    'Prizm',
    'Panini Select',
    'Select',
    'Panini Mosaic',
    'Mosaic',
    'Panini Contenders',
  ],
  ...[
    'Panini National Treasures',
    'National Treasures',
    'Panini Flawless',
    'Panini Immaculate',
    'Panini Donruss',
    'Panini Donruss Optic',
  ],
  ...[
    'Upper Deck',
    'Upper Deck Exquisite',
    'SP Authentic',
    'SPx',
    'SP',
    'O-Pee-Chee',
    'Hoops',
    'Skybox',
    'Skybox Premium',
    'Metal Universe',
  ],
  ...[
    'Score',
    'Score Supplemental',
    'Leaf',
    'Goudey',
    'Play Ball',
    'Pacific',
    'Playoff Contenders',
    'Star',
    'Parkhurst',
    'Philadelphia',
    "Kahn's",
  ],
];
const COLOURS = [
  'Silver',
  'Gold',
  'Green',
  'Blue',
  'Red',
  'Purple',
  'Orange',
  'Black',
  'Pink',
  'Yellow',
  'White',
  'Teal',
  'Aqua',
];
const FORMS = [
  'Refractor',
  'Prizm',
  'Shimmer',
  'Wave',
  'Sparkle',
  'Ice',
  'Disco',
  'Mojo',
  'Pulsar',
  'Foil',
  'Scope',
  'Wave Refractor',
];
const PARALLELS = [
  ...COLOURS,
  ...COLOURS.flatMap(colour => FORMS.map(form => `${colour} ${form}`)),
  ...[
    'Refractor',
    'Xfractor',
    'X-Fractor',
    'Superfractor',
    'Holo',
    'Mojo',
    'Disco',
    'Cracked Ice',
    'Tie-Dye',
    'Hyper',
    'Wave',
    'Shimmer',
  ],
  ...[
    'Chrome',
    'Tiffany',
    'Glossy',
    'Die Cut',
    'Concourse',
    'Courtside',
    'Premier Level',
    'Rated Rookie',
    'Sepia',
    'Image Variation',
    'SSP',
  ],
];
/** Words that name neither a card nor a player. */
const NOISE = new Set(
  `rc rookie card cards hof hofer goat the nba nfl mlb nhl basketball baseball football hockey soccer mint gem mt nm ex near
  graded slab slabbed case pop pops low high rare hot iconic investment invest beautiful centered well cert case fresh hall of fame
  vintage psa bgs sgc cgc tag beckett authentic nm-mt ex-mt pristine label black-label`.split(/\s+/),
);
/** Teams stand beside players; what is a player's first name, too, is left to a person. */
const TEAMS = new Set(
  `bulls lakers celtics heat knicks warriors sixers 76ers nets suns bucks raptors spurs rockets mavericks mavs nuggets clippers cavaliers cavs
  pistons pacers hawks hornets wizards thunder blazers trail timberwolves wolves pelicans kings grizzlies jazz supersonics sonics bullets
  yankees mets red white sox cubs cardinals dodgers giants braves astros phillies padres mariners angels athletics rangers orioles rays twins
  tigers guardians indians royals brewers pirates reds marlins nationals rockies diamondbacks expos jays patriots cowboys packers steelers
  49ers niners chiefs eagles bills ravens bengals browns colts titans jaguars texans broncos raiders chargers seahawks rams bears lions vikings
  saints falcons panthers buccaneers bucs commanders redskins dolphins jets oilers canadiens bruins leafs penguins capitals blackhawks
  flyers sabres avalanche lightning canucks flames chicago boston york los angeles philadelphia milwaukee toronto san antonio denver cleveland
  detroit indiana atlanta miami orlando memphis minnesota sacramento portland seattle oakland tampa bay pittsburgh cincinnati kansas city
  baltimore washington new england green edmonton montreal utah golden state brooklyn`.split(/\s+/),
);
/** Cities that are first names, too. */
const CITY_AND_TEAM =
  /\b(?:dallas|houston|phoenix|charlotte|carolina)\s+(?:mavericks|mavs|cowboys|stars|rockets|texans|astros|suns|cardinals|coyotes|hornets|panthers|hurricanes)\b/gi;
/** What makes another card of it, or none: a person says which in the mapping file. */
const ANOTHER =
  /\b(?:auto(?:graph(?:ed|s)?)?s?|signed|patch|relic|jersey|lot|reprint|rp|facsimile|proxy|custom|box|pack|sticker|jumbo|error|variation|complete set|you pick|aftermarket)\b/i;

const COMPANY = 'PSA|BGS|BVG|BECKETT|SGC|CGC|TAG';
const WORDS_OF_GRADES =
  'GEM ?-?M(?:IN)?T|GEM|PRISTINE|BLACK LABEL|MINT|NM-?MT\\+?|NM|NEAR MINT|EX-?MT|EX|VG-?EX|VG|GOOD|FAIR|PERFECT|FLAWLESS';
const GRADE = new RegExp(
  `\\b(${COMPANY})(?![A-Za-z])[\\s:-]*((?:(?:${WORDS_OF_GRADES})[\\s:-]*)*)(10|[1-9](?:\\.5)?)(?![\\d.]|/\\d)((?:[\\s:-]*(?:${WORDS_OF_GRADES}))*)[\\s]*(?:\\(?\\b(OC|MK|MC|PD|ST|OF)\\b\\)?)?`,
  'g',
);
const ANY_COMPANY = new RegExp(`\\b(?:${COMPANY})\\b`);
const YEAR = /(?<![\d#/.-])((?:18|19|20)\d\d)(?:-(?:\d\d|\d{4}))?(?![\d/])/g;
const NUMBER = /#\s?([A-Z0-9]+(?:-[A-Z0-9]+)*)(?!\s?\/\s?\d)(?![A-Z0-9/-])/gi;
const SERIAL = /#?\b\d+\s?\/\s?\d+\b|#\s?\/\s?\d+|(?<=\s)\/\d+\b/;

/**
 * The card and the grade that a title names, or why it cannot be told. Nothing is guessed: year, number, set and player have to
 * stand there once each, with nothing else beside them.
 *
 * @param words names beside those that are known
 * @example cardOfTitle('1986 Fleer Michael Jordan #57 PSA 8') // { card: { year: 1986, set: 'Fleer', … }, company: 'PSA', grade: 8 }
 */
export function cardOfTitle(
  title: string,
  words: TitleWords = { sets: [], parallels: [] },
): TitledCard | string {
  let rest = title
    .normalize('NFKC')
    .replace(/[^\p{L}\p{N}\s#/.,'’&()+:-]/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  const grade = gradeIn(rest);
  if (typeof grade === 'string') return grade;
  rest = rest.replace(GRADE, ' ').replace(CITY_AND_TEAM, ' ');
  const another = ANOTHER.exec(rest);
  if (another) return `“${another[0]}” makes another card of it`;
  const years = [...rest.matchAll(YEAR)];
  if (years.length !== 1) return years.length === 0 ? 'names no year' : 'names several years';
  const serial = SERIAL.exec(rest);
  if (serial) return `“${serial[0].trim()}” looks like the number of a limited card`;
  const numbers = [...rest.matchAll(NUMBER)];
  if (numbers.length !== 1) return numbers.length === 0 ? 'names no number (#57)' : 'names several numbers';
  rest = rest
    .replace(years[0][0], ' ')
    .replace(numbers[0][0], ' ')
    .replace(/[()+,:]/g, ' ');
  const set = longestIn(rest, [...SETS, ...words.sets]);
  if (!set) return 'names no set that is known';
  rest = without(rest, set);
  const parallel = longestIn(rest, [...PARALLELS, ...words.parallels]);
  if (parallel) rest = without(rest, parallel);
  const second = longestIn(rest, [...PARALLELS, ...words.parallels]);
  if (second) return `names two parallels, ${parallel} and ${second}`;
  const other = longestIn(rest, [...SETS, ...words.sets]);
  if (other) return `names two sets, ${set} and ${other}`;
  const left = rest.split(/\s+/).filter(word => word !== '' && word !== '-' && !isBeside(word.toLowerCase()));
  if (!isPlayer(left)) return `“${left.join(' ').slice(0, 60)}” is not the name of a player alone`;
  const card = { year: Number(years[0][1]), set, number: numbers[0][1], player: left.join(' ') };
  return { card: { ...card, ...(parallel && { parallel }) }, ...grade };
}

const isBeside = (word: string): boolean => NOISE.has(word) || TEAMS.has(word);

/** First and last name, with a suffix or a particle: a third word is something else. */
function isPlayer(words: readonly string[]): boolean {
  const own = words.filter(word => !/^(?:jr|sr|ii|iii|iv|de|la|van|von|der|st)\.?$/i.test(word));
  return own.length === 2 && own.every(word => /^\p{L}[\p{L}.'’-]*$/u.test(word));
}

/** The one grade of a title; `RAW` where no company is named. */
export function gradeIn(title: string): SaleGrade | string {
  const found = [...title.matchAll(GRADE)];
  if (found.length === 0) {
    return ANY_COMPANY.test(title) ? 'names a grading company and no grade of its own' : { company: 'RAW' };
  }
  if (found.some(([, name]) => name === 'BVG')) return 'is graded by BVG, which is no company here';
  const grades = found.map(([, name, before, number, after, qualifier]): SaleGrade => {
    const company = name === 'BECKETT' ? 'BGS' : name;
    const label = `${before} ${after}`;
    const special = /BLACK LABEL/.test(label)
      ? 'BLACK'
      : /PRISTINE/.test(label) && company !== 'PSA'
        ? 'PRISTINE'
        : qualifier;
    return { company, grade: Number(number), ...(special && { qualifier: special }) };
  });
  const distinct = new Set(grades.map(grade => JSON.stringify(grade)));
  return distinct.size === 1 ? grades[0] : 'names several grades';
}

const plain = (text: string): string =>
  ` ${text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()} `;

function longestIn(text: string, names: readonly string[]): string | undefined {
  const within = plain(text);
  return names
    .filter(name => within.includes(plain(name)))
    .sort((a, b) => plain(b).length - plain(a).length)[0];
}

/** A text without the words of a name, whatever stands between those. */
function without(text: string, name: string): string {
  const words = plain(name)
    .trim()
    .split(' ')
    .map(word => word.replace(/[^\p{L}\p{N}]/gu, ''));
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}])${words.join('[^\\p{L}\\p{N}]+')}(?![\\p{L}\\p{N}])`, 'iu');
  return text.replace(pattern, ' ');
}
