import type { CertificateField } from '../certificate-field.js';
import type { Box, ExtractedField } from '../extracted-certificate.js';
import { findAnchors, type Anchor } from './anchor.js';
import { type PartId, PUBLISHER_WORDING, type Lexicon } from './form-wording.js';
import { heightOf, linesOf, middleOf, onOneLine, type PageText, type TextWord } from './page-text.js';
import {
  fieldOf,
  isWithin,
  regionBelow,
  valueWords,
  wordsBelow,
  wordsRightOf,
  wordsWithin,
} from './region.js';

export type Fields = Partial<Record<CertificateField, ExtractedField>>;
export type Part = Anchor<PartId>;

/** A date as any printer writes it; whether it is one is not asked here. */
export const DATE = /^\(?\d{1,4}[/.-]\d{1,2}[/.-]\d{2,4}\)?$/;
const CITY_LINE = /^(.*?)[,\s]+([A-Z]{2})[.,\s]+(\d{5}(?:-\d{4})?)$/;
const ADDRESS_LINES_MAX = 6;

/** Labels of a page outside its policies, the first of each kind that there is. */
export function firstOf(parts: readonly Part[], id: PartId): Part | undefined {
  return parts.filter(part => part.id === id).sort((a, b) => a.box[1] - b.box[1])[0];
}

/** `1699 W. Orchard Ave`, `P.O. Box 12`. */
const STREET = /^(\d+[A-Za-z]?\s+\S|P\.?\s?O\.?\s+Box\b)/i;

/** Lines of a block, up to a gap that shows that what follows belongs to something else. */
function blockLines(words: readonly TextWord[], linesMax: number): TextWord[][] {
  const lines: TextWord[][] = [];
  for (const line of linesOf(words)) {
    const last = lines.at(-1);
    const height = Math.max(...line.map(word => heightOf(word.box)));
    if (last && middleOf(line[0].box) - middleOf(last[0].box) > 2.6 * height) break;
    lines.push(line);
    if (lines.length === linesMax) break;
  }
  return lines;
}

/** `Springfield IL 62704` as words of three fields. */
function splitCity(line: readonly TextWord[]): [TextWord[], TextWord[], TextWord[]] | undefined {
  const text = line.map(word => word.text).join(' ');
  if (!CITY_LINE.test(text) || line.length < 3) return undefined;
  const city = line.slice(0, -2).map((word, i, all) => {
    const isLast = i === all.length - 1;
    return isLast ? { ...word, text: word.text.replace(/,$/, '') } : word;
  });
  const state = line.at(-2)!;
  return [city, [{ ...state, text: state.text.replace(/[.,]$/, '') }], [line.at(-1)!]];
}

function readParty(
  who: 'Producer' | 'NamedInsured' | 'CertificateHolder',
  lines: TextWord[][],
  page: number,
): Fields {
  const fields: Fields = {};
  const put = (field: CertificateField, words: readonly TextWord[]) => {
    const value = fieldOf(words, page);
    if (value) fields[field] = value;
  };
  const cityAt = lines.findIndex((line, i) => i > 0 && splitCity(line) !== undefined);
  const upper = cityAt === -1 ? lines : lines.slice(0, cityAt);
  // A trade name belongs to the name, whichever line it is on.
  const nameLines = upper.findIndex((line, i) => i > 0 && !/^(dba|d\/b\/a|t\/a|aka)\b/i.test(line[0].text));
  // Above the city one line alone that is a street is an address of nobody, and no name.
  const isStreetAlone = cityAt === 1 && STREET.test(upper[0].map(word => word.text).join(' '));
  const nameEnd = isStreetAlone ? 0 : nameLines === -1 ? upper.length : nameLines;
  put(`${who}_FullName`, upper.slice(0, nameEnd).flat());
  put(`${who}_MailingAddress_LineOne`, upper.slice(nameEnd).flat());
  if (cityAt !== -1) {
    const [city, state, postal] = splitCity(lines[cityAt])!;
    put(`${who}_MailingAddress_CityName`, city);
    put(`${who}_MailingAddress_StateOrProvinceCode`, state);
    put(`${who}_MailingAddress_PostalCode`, postal);
  }
  return fields;
}

/**
 * Producer, insured and holder: the blocks that their labels head.
 * @param bounds labels that end a block
 */
export function readPartyBlocks(
  page: PageText,
  parts: readonly Part[],
  bounds: readonly Anchor<string>[],
  labels: ReadonlySet<TextWord>,
): Fields {
  const blocks = [
    ['producer', 'Producer'],
    ['insured', 'NamedInsured'],
    ['holder', 'CertificateHolder'],
  ] as const;
  const fields: Fields = {};
  for (const [id, who] of blocks) {
    const label = firstOf(parts, id);
    if (!label) continue;
    const words = wordsWithin(page.words, regionBelow(label, bounds, page), labels);
    Object.assign(fields, readParty(who, blockLines(words, ADDRESS_LINES_MAX), page.page));
  }
  return fields;
}

const SINGLES: readonly (readonly [PartId, CertificateField, RegExp?])[] = [
  ['date', 'Form_CompletionDate', DATE],
  ['contact', 'Producer_ContactPerson_FullName'],
  ['phone', 'Producer_ContactPerson_PhoneNumber'],
  ['fax', 'Producer_FaxNumber'],
  ['email', 'Producer_ContactPerson_EmailAddress'],
  ['certificateNumber', 'CertificateOfInsurance_CertificateNumberIdentifier'],
  ['revisionNumber', 'CertificateOfInsurance_RevisionNumberIdentifier'],
];

/** Values of one line: beside their labels, or under them where most labels of this page have nothing beside them. */
export function readSingleValues(
  page: PageText,
  parts: readonly Part[],
  labels: ReadonlySet<TextWord>,
): Fields {
  const found = SINGLES.flatMap(([id, field, form]) =>
    parts
      .filter(part => part.id === id)
      .map(({ box }) => ({
        field,
        form,
        beside: fieldOf(wordsRightOf(box, page.words, labels), page.page),
        under: fieldOf(wordsBelow(box, page.words, labels), page.page),
      })),
  );
  const standUnder = found.filter(({ beside }) => beside).length < found.length / 2;
  const fields: Fields = {};
  for (const { field, form, beside, under } of found) {
    const usual = standUnder ? (beside ?? under) : beside;
    // What has a form of its own is known wherever it stands.
    const value = form ? [beside, under].find(one => one && form.test(one.value)) : usual;
    if (value) fields[field] ??= value;
  }
  return fields;
}

const LETTERS = ['A', 'B', 'C', 'D', 'E', 'F'] as const;
type Letter = (typeof LETTERS)[number];
const INSURER_LABELS = Object.fromEntries(
  LETTERS.map(letter => [letter, [`INSURER ${letter}`, `COMPANY ${letter}`, `CARRIER ${letter}`]]),
) as unknown as Lexicon<Letter>;

/** The number of an insurer stands in a column of its own, far from the name. */
const INSURER_GAP_HEIGHTS = 80;

/** Labels of insurers, or letters that stand alone at the start of the lines under their heading. */
export function insurerLabels(page: PageText, parts: readonly Part[]): Anchor<Letter>[] {
  const labelled = findAnchors(page.words, INSURER_LABELS);
  if (labelled.length > 0) return labelled;
  const heading = firstOf(parts, 'insurers');
  if (!heading) return [];
  const region = regionBelow(
    heading,
    parts.filter(part => part.id !== 'naic'),
    page,
  );
  return linesOf(wordsWithin(page.words, region)).flatMap(line => {
    const letter = /^([A-F])[.:)]?$/.exec(line[0].text)?.[1] as Letter | undefined;
    return letter ? [{ id: letter, box: line[0].box, words: [line[0]] }] : [];
  });
}

/** Names and NAIC numbers of the insurers, letter by letter. */
export function readInsurers(
  page: PageText,
  parts: readonly Part[],
  anchors: readonly Anchor<Letter>[],
  labels: ReadonlySet<TextWord>,
): Fields {
  const fields: Fields = {};
  const beside = anchors.map(({ box }) => wordsRightOf(box, page.words, labels, INSURER_GAP_HEIGHTS));
  const standUnder = anchors.length > 0 && beside.every(words => words.length === 0);
  const codes = parts.filter(part => part.id === 'naic');
  anchors.forEach(({ id, box }, i) => {
    if (fields[`Insurer_FullName_${id}`]) return;
    // What stands under the label of the next insurer is the next one's, where this one has nothing.
    const nextTop = Math.min(...anchors.map(next => next.box[1]).filter(top => top > box[3]));
    const nextLeft = Math.min(
      ...anchors.flatMap(next => (onOneLine(next.box, box) && next.box[0] > box[2] ? next.box[0] : [])),
    );
    const own = (under: readonly TextWord[]) => under.filter(word => middleOf(word.box) < nextTop);
    const code = standUnder
      ? codes
          .filter(label => onOneLine(label.box, box) && label.box[0] > box[2] && label.box[0] < nextLeft)
          .sort((a, b) => a.box[0] - b.box[0])
          .flatMap(label => own(wordsBelow(label.box, page.words, labels)).slice(0, 1))[0]
      : codeIn(beside[i], codes[0]);
    const words = standUnder ? own(wordsBelow(box, page.words, labels)) : beside[i];
    const name = words.filter(word => word !== code && !/^NAIC:?$|^#$/i.test(word.text));
    const nameField = fieldOf(valueWords(name), page.page);
    if (nameField) fields[`Insurer_FullName_${id}`] = nameField;
    const codeField = fieldOf(code ? [code] : [], page.page);
    if (codeField) fields[`Insurer_NAICCode_${id}`] = codeField;
  });
  return fields;
}

/** The last word of an insurer's line, if it stands in the column of the numbers or looks like one. */
function codeIn(words: readonly TextWord[], column: Part | undefined): TextWord | undefined {
  const last = words.at(-1);
  if (!last || words.length < 2) return undefined;
  const inColumn = column !== undefined && last.box[2] > column.box[0] - 6;
  return inColumn || /^#?\d{4,6}$/.test(last.text) ? last : undefined;
}

/** A signature stands in the box that its label heads: no lower, in heights of the label, or in points where it is small print. */
const SIGNATURE_REACH_HEIGHTS = 6;
const SIGNATURE_REACH_POINTS = 36;
/** What stands farther apart on a line, in heights, is not one sentence. */
const SENTENCE_GAP_HEIGHTS = 3;

/** Words that the publisher of the form has printed under its boxes. */
export function publisherWords(page: PageText): Set<TextWord> {
  const sentences = linesOf(page.words).flatMap(line => {
    const parts: TextWord[][] = [];
    for (const word of line) {
      const last = parts.at(-1)?.at(-1);
      const isNext = last && word.box[0] - last.box[2] <= SENTENCE_GAP_HEIGHTS * heightOf(word.box);
      if (isNext) parts.at(-1)!.push(word);
      else parts.push([word]);
    }
    return parts;
  });
  const own = sentences.filter(words => PUBLISHER_WORDING.test(words.map(({ text }) => text).join(' ')));
  return new Set(own.flat());
}

/** What a signature is read as that is drawn and not written. */
export const DRAWN_MARK = 'a drawn mark';
/** A mark that takes more of the box's height, or as good as all of its width, is its frame or its ground. */
const FRAME_HEIGHT_SHARE = 1.2;
const FRAME_WIDTH_SHARE = 0.9;
const DRAWN_CONFIDENCE = 0.9;

/** A picture or a stroke in a region; frames around it are none. */
export function drawnIn(region: Box, { marks = [], page }: PageText): ExtractedField | undefined {
  const [width, height] = [region[2] - region[0], region[3] - region[1]];
  const box = marks.find(
    mark =>
      isWithin(mark, region) &&
      mark[2] - mark[0] < FRAME_WIDTH_SHARE * width &&
      mark[3] - mark[1] < FRAME_HEIGHT_SHARE * height,
  );
  return box && { value: DRAWN_MARK, confidence: DRAWN_CONFIDENCE, page, box };
}

/** What is printed under the description of operations, and who signed. */
export function readRemarksAndSignature(
  page: PageText,
  parts: readonly Part[],
  labels: ReadonlySet<TextWord>,
): Fields {
  const fields: Fields = {};
  const remarks = firstOf(parts, 'remarks');
  if (remarks) {
    const words = wordsWithin(page.words, regionBelow(remarks, parts, page), labels);
    const value = fieldOf(linesOf(words).flat(), page.page);
    if (value) fields.CertificateOfInsurance_RemarkText = value;
  }
  const signature = parts.filter(part => part.id === 'signature').at(-1);
  if (signature) {
    const printed = new Set([...labels, ...publisherWords(page)]);
    const beside = wordsRightOf(signature.box, page.words, printed);
    const [left, top, right, bottom] = regionBelow(signature, parts, page);
    const reach = Math.max(SIGNATURE_REACH_HEIGHTS * heightOf(signature.box), SIGNATURE_REACH_POINTS);
    const region = [left, top, right, Math.min(bottom, signature.box[3] + reach)] as const;
    const under = blockLines(wordsWithin(page.words, region, printed), 1).flat();
    const value = fieldOf(beside.length > 0 ? beside : under, page.page) ?? drawnIn(region, page);
    if (value) fields.Producer_AuthorizedRepresentative_Signature = value;
  }
  return fields;
}
