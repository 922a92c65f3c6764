import type { CertificateField } from '../certificate-field.js';
import type { Box, ExtractedField } from '../extracted-certificate.js';
import { findAnchors, type Anchor } from './anchor.js';
import { COVERAGE_WORDINGS } from './coverage-wording.js';
import { COVERAGES, POLICY_LABELS, type CoverageId, type PolicyId, type Lexicon } from './form-wording.js';
import {
  heightOf,
  isMark,
  middleOf,
  phrasesOf,
  type PageText,
  type Phrase,
  type TextWord,
} from './page-text.js';
import { markSide, marksOf, readMarks } from './read-marks.js';
import { DATE, firstOf, type Fields, type Part } from './read-parties.js';
import { fieldOf, isWithin, valueWords, wordsBelow, wordsRightOf, wordsWithin } from './region.js';

/** A ruled line that parts two rows of the table spans as much of the page. */
const ROW_RULE_WIDTH_MIN = 0.6;
/** Labels of a table's head stand as close to one line as this, in points: some have two lines. */
const HEAD_REACH = 13;

/** One policy and the part of the page that is its own. */
export interface Coverage {
  readonly id: CoverageId;
  readonly region: Box;
}

/** The head of a table of policies, or nothing where each policy has labels of its own. */
export type TableHead = readonly Anchor<PolicyId>[];

export function findTableHead(page: PageText, first: Anchor<CoverageId> | undefined): TableHead {
  if (!first) return [];
  const labels = findAnchors(page.words, POLICY_LABELS);
  const heads = labels
    .filter(label => label.id === 'policyNumber' && label.words.length > 1)
    .filter(({ box }) => box[3] <= first.box[1] + 2 && first.box[1] - box[3] < 60)
    .map(middle =>
      labels.filter(
        ({ box }) =>
          Math.abs(middleOf(box) - middleOf(middle.box)) <= HEAD_REACH && box[3] <= first.box[1] + 2,
      ),
    );
  return heads.find(head => new Set(head.map(label => label.id)).size >= 3) ?? [];
}

/** Headings of policies in the middle of the page, each the first of its kind. */
export function findCoverageLabels(page: PageText, parts: readonly Part[]): Anchor<CoverageId>[] {
  const remarks = firstOf(parts, 'remarks')?.box[1] ?? page.height;
  const insurers = firstOf(parts, 'insurers')?.box[1] ?? 0;
  const from = Math.min(insurers, page.height / 2);
  const labels = findAnchors(page.words, COVERAGES)
    .filter(({ box }) => box[1] > from && box[3] < Math.max(remarks, page.height / 2))
    .sort((a, b) => a.box[1] - b.box[1] || a.box[0] - b.box[0]);
  const firsts = labels.filter((label, i) => labels.findIndex(other => other.id === label.id) === i);
  const lastNamed = Math.max(0, ...firsts.filter(label => label.id !== 'other').map(({ box }) => box[1]));
  // "OTHER" also stands among the squares of a policy; the row of another policy is the last, or beside it.
  return firsts.filter(label => label.id !== 'other' || label.box[3] > lastNamed);
}

/** Where the row of a heading begins and ends: at ruled lines where there are, else at the next heading. */
export function coverageRegions(
  page: PageText,
  labels: readonly Anchor<CoverageId>[],
  parts: readonly Part[],
  head: TableHead,
): Coverage[] {
  const wide = page.rules.filter(rule => rule[2] - rule[0] >= ROW_RULE_WIDTH_MIN * page.width);
  const ends = parts.filter(part => ['remarks', 'holder', 'cancellation', 'signature'].includes(part.id));
  const regions: Coverage[] = labels.map(label => {
    const { box } = label;
    const beside = labels.filter(other => Math.abs(other.box[1] - box[1]) < 20 && other !== label);
    const rights = beside.filter(other => other.box[0] > box[2]).map(other => other.box[0] - 12);
    const right = Math.min(page.width, ...rights);
    const left = beside.some(other => other.box[0] < box[0]) ? box[0] - 12 : 0;
    const above = wide.filter(rule => rule[3] <= middleOf(box)).map(rule => rule[3]);
    const lineTop = box[1] - 0.6 * heightOf(box);
    const ruleTop = Math.max(...above, 0);
    const top = box[1] - ruleTop < 3.5 * heightOf(box) ? ruleTop : lineTop;
    const nexts = [...labels, ...ends].filter(
      other => other.box[1] > box[3] + 4 && other.box[0] < right && other.box[2] > left,
    );
    const nextTop = Math.min(page.height, ...nexts.map(other => other.box[1] - 0.6 * heightOf(other.box)));
    const ruleBottom = Math.min(...wide.filter(rule => rule[1] > box[3]).map(rule => rule[1]), Infinity);
    return { id: label.id, region: [left, top, right, Math.min(nextTop, ruleBottom)] };
  });
  if (head.length === 0 || regions.some(({ id }) => id === 'other')) return regions;
  return withUnnamedRow(regions, ends, page);
}

/** A table's last row is that of another policy, without a heading: what lies under the last named row. */
function withUnnamedRow(regions: readonly Coverage[], ends: readonly Part[], page: PageText): Coverage[] {
  const last = [...regions].sort((a, b) => a.region[3] - b.region[3]).at(-1);
  if (!last) return [];
  const bottom = Math.min(
    ...ends.filter(({ box }) => box[1] > last.region[1]).map(({ box }) => box[1] - 1),
    page.height,
  );
  if (bottom - last.region[3] > 6) {
    return [...regions, { id: 'other', region: [0, last.region[3], page.width, bottom] }];
  }
  // No ruled line was seen: what has dates below every label of the last policy is a row of its own.
  const wording = COVERAGE_WORDINGS[last.id];
  const own = [
    ...findAnchors(wordsWithin(page.words, last.region), { ...wording.limits }),
    ...findAnchors(wordsWithin(page.words, last.region), { ...wording.marks }),
  ]
    .filter(({ id }) => id in wording.limits || id in wording.marks)
    .map(({ box }) => box[3]);
  const floor = Math.max(last.region[1], ...own) + 2;
  const hasDates = wordsWithin(page.words, last.region).some(
    word => DATE.test(word.text) && middleOf(word.box) > floor,
  );
  if (!hasDates) return [...regions];
  const [left, top, right] = last.region;
  return [
    ...regions.filter(coverage => coverage !== last),
    { id: last.id, region: [left, top, right, floor] },
    { id: 'other', region: [left, floor, right, last.region[3]] },
  ];
}

const FORMS: Readonly<Record<PolicyId, RegExp>> = {
  letter: /^[A-F]$/,
  policyNumber: /[0-9]/,
  effective: DATE,
  expiration: DATE,
  additionalInsured: /^[XYN]$/i,
  subrogation: /^[XYN]$/i,
};

const isOneColumn = (id: PolicyId, word: string): boolean => FORMS[id].test(word);

/** Values of a row by the column that each stands in; a value whose form is another column's is nobody's. */
function readColumns(id: CoverageId, phrases: readonly Phrase[], head: TableHead, page: number): Fields {
  const { policy } = COVERAGE_WORDINGS[id];
  const fields: Fields = {};
  const distanceTo = (box: Box, column: Box) =>
    Math.min(Math.abs(box[0] - column[0]), Math.abs((box[0] + box[2] - column[0] - column[2]) / 2));
  for (const phrase of phrases) {
    const text = phrase.words.map(word => word.text).join(' ');
    const column = [...head].sort((a, b) => distanceTo(phrase.box, a.box) - distanceTo(phrase.box, b.box))[0];
    const field = policy[column.id];
    if (!field || !isOneColumn(column.id, text) || distanceTo(phrase.box, column.box) > 45) continue;
    if (column.id === 'policyNumber' && DATE.test(text)) continue;
    const value = fieldOf(phrase.words, page);
    const first = fields[field];
    if (value && first && first.value !== value.value) fields[field] = doubted(first);
    if (value) fields[field] ??= value;
  }
  return fields;
}

/** What two values of one place are worth, whichever counts. */
const DOUBT = 0.5;
const doubted = (field: ExtractedField): ExtractedField => ({
  ...field,
  confidence: Math.min(field.confidence, DOUBT),
});
const AMOUNT = /^\$?\d{1,3}(,\d{3})+(\.\d\d)?$|^\$?\d{4,}$/;

/** Doubts each amount that another one, of no label, stands over, under or on. */
function doubtCrowded(fields: Fields, limits: readonly CertificateField[], words: readonly TextWord[]): void {
  const boxes = Object.values(fields).flatMap(field => (field.box ? [field.box] : []));
  const stray = words.filter(word => AMOUNT.test(word.text) && !boxes.some(box => isWithin(word.box, box)));
  for (const id of limits) {
    const field = fields[id];
    const box = field?.box;
    if (!field || !box) continue;
    const isCrowded = stray.some(
      word =>
        word.box[0] < box[2] &&
        word.box[2] > box[0] &&
        Math.abs(middleOf(word.box) - middleOf(box)) < 1.2 * Math.max(heightOf(box), heightOf(word.box)),
    );
    if (isCrowded) fields[id] = doubted(field);
  }
}

/** The answer to a question with yes or no: one letter; `N / A` and `Y / N` beside it are print. */
function answerOf(words: readonly TextWord[]): TextWord[] {
  const texts = words.map(word => word.text.toUpperCase());
  const isPrint = (at: number) =>
    /^(N\/A|Y\/N)$/.test(texts[at]) ||
    (texts[at + 1] === '/' && /^[AN]$/.test(texts[at + 2] ?? '')) ||
    texts[at] === '/' ||
    texts[at - 1] === '/';
  const own = words.filter((_, at) => !isPrint(at));
  return own.length > 0 && /^[YN]$/i.test(own[0].text) ? [own[0]] : own;
}

/** Values of a panel by the labels in it. */
function readPanel(
  id: CoverageId,
  words: readonly TextWord[],
  labels: readonly Anchor<PolicyId>[],
  taken: ReadonlySet<TextWord>,
  page: PageText,
): Fields {
  const { policy } = COVERAGE_WORDINGS[id];
  const fields: Fields = {};
  for (const label of labels) {
    const field = policy[label.id];
    if (!field) continue;
    const candidates = [wordsRightOf(label.box, words, taken), wordsBelow(label.box, words, taken)];
    for (const found of candidates) {
      const value = fieldOf(found, page.page);
      if (value && isOneColumn(label.id, value.value)) {
        fields[field] ??= value;
        break;
      }
    }
  }
  return fields;
}

/** How amounts stand on this page: beside their labels, or under them. */
function amountsStandBelow(
  labels: readonly Anchor<CertificateField>[],
  words: readonly TextWord[],
  taken: ReadonlySet<TextWord>,
): boolean {
  const isAmount = (found: readonly TextWord[]) => found.length > 0 && /^\d[\d,.]*$/.test(found[0].text);
  let beside = 0;
  let below = 0;
  for (const { box } of labels) {
    if (isAmount(wordsRightOf(box, words, taken))) beside++;
    else if (isAmount(wordsBelow(box, words, taken))) below++;
  }
  return below > beside;
}

/**
 * Labels of a row, column by column: those of the types and those of the limits stand on lines of their own, and what is filled
 * in between them on a third, so that all of it together is no line.
 */
function findInColumns<Id extends string>(
  words: readonly TextWord[],
  lexicon: Lexicon<Id>,
  head: TableHead,
): Anchor<Id>[] {
  const all = findAnchors(words, lexicon);
  if (head.length === 0) return all;
  const left = Math.min(...head.filter(({ id }) => id !== 'letter').map(({ box }) => box[0]));
  const right = Math.max(...head.map(({ box }) => box[2]));
  const letters = Math.max(0, ...head.filter(({ id }) => id === 'letter').map(({ box }) => box[2]));
  const ofColumns = [
    words.filter(({ box }) => box[0] > (letters < left ? letters : 0) && box[2] < left),
    words.filter(({ box }) => box[0] > right),
  ].flatMap(column => findAnchors(column, lexicon));
  const known = new Set(ofColumns.flatMap(anchor => anchor.words));
  return [...ofColumns, ...all.filter(anchor => !anchor.words.some(word => known.has(word)))];
}

/** The policies of a certificate's page. */
export function readCoverages(page: PageText, parts: readonly Part[]): Fields {
  const headings = findCoverageLabels(page, parts);
  const head = findTableHead(page, headings[0]);
  const marks = marksOf(page);
  const rows = coverageRegions(page, headings, parts, head).map(({ id, region }) => {
    const words = wordsWithin(page.words, region);
    const wording = COVERAGE_WORDINGS[id];
    const limits = findInColumns(words, wording.limits, head);
    const marked = findInColumns(words, wording.marks, head);
    const policy = head.length > 0 ? [] : findAnchors(words, POLICY_LABELS);
    return { id, region, words, limits, marked, policy };
  });
  const side = markSide(
    marks,
    rows.flatMap(row => row.marked),
  );
  const headingWords = headings.flatMap(heading => heading.words);
  const taken = new Set<TextWord>([
    ...headingWords,
    ...rows.flatMap(row => [...row.limits, ...row.marked, ...row.policy].flatMap(anchor => anchor.words)),
  ]);
  const below = rows.some(row => row.limits.length > 1 && amountsStandBelow(row.limits, row.words, taken));
  const fields: Fields = {};
  for (const { id, region, words, limits, marked, policy } of rows) {
    const inRegion = marks.filter(mark => isWithin(mark.box, region));
    Object.assign(fields, readMarks(inRegion, marked, side, page.page));
    for (const limit of limits) {
      const found = below
        ? wordsBelow(limit.box, words, taken, region)
        : wordsRightOf(limit.box, words, taken);
      const own = found.filter(word => !isMark(word.text));
      const value = fieldOf(limit.id.endsWith('Indicator') ? answerOf(own) : own, page.page);
      if (value) fields[limit.id] ??= value;
    }
    doubtCrowded(
      fields,
      limits.map(limit => limit.id),
      words,
    );
    const free = words.filter(word => !taken.has(word));
    if (head.length > 0) Object.assign(fields, readColumns(id, phrasesOf(free), head, page.page));
    else Object.assign(fields, readPanel(id, words, policy, taken, page));
    if (id === 'other' && !fields.OtherPolicy_PolicyDescription) {
      Object.assign(fields, readDescription(free, head, policy, page));
    }
  }
  return fields;
}

/** What another policy insures: the words at the left of its row, before its number. */
function readDescription(
  free: readonly TextWord[],
  head: TableHead,
  policy: readonly Anchor<PolicyId>[],
  page: PageText,
): Fields {
  const number = (head.length > 0 ? head : policy).find(label => label.id === 'policyNumber');
  const edge = number ? number.box[0] : page.width;
  const phrases = phrasesOf(free).filter(({ words, box }) => {
    const text = words.map(word => word.text).join(' ');
    return box[2] < edge && /[a-z]{3}/i.test(text) && !DATE.test(text);
  });
  const value = fieldOf(valueWords(phrases[0]?.words ?? []), page.page);
  return value ? { OtherPolicy_PolicyDescription: value } : {};
}
