import type { CertificateField } from '../certificate-field.js';
import type { Box, ExtractedField } from '../extracted-certificate.js';
import { certificateFieldOf } from '../form/field-name.js';
import { type Anchor, findAnchors } from './anchor.js';
import { PARTS, type Lexicon } from './form-wording.js';
import { tokensOf } from './label-words.js';
import {
  boxAround,
  heightOf,
  isMark,
  isPaintedIn,
  linesOf,
  type PageText,
  type TextWord,
} from './page-text.js';
import {
  FORM_HEIGHT,
  FORM_ROW,
  type FormBlock,
  type FormField,
  type FormLabel,
  PUBLISHED_FORM,
  REMARKS_FIELD,
} from './published-form.js';
import { DATE, drawnIn, type Fields, publisherWords } from './read-parties.js';
import { fieldOf, isWithin, valueWords } from './region.js';

type BlockId = keyof typeof PUBLISHED_FORM;
const BLOCKS = Object.keys(PUBLISHED_FORM) as BlockId[];

/** Labels of a part that have to stand where they belong. */
const LABELS_MIN: Readonly<Record<BlockId, number>> = { parties: 7, policies: 14, foot: 2 };
/** Points that a label may stand off its place. */
const LABEL_OFF_MAX = 3;
/** Prints are a little smaller than their form, or as large. */
const SCALE = [0.88, 1.08] as const;
/** Labels as far apart tell the scale, in points. */
const SCALE_REACH = 150;
/** Points that a value may stand out of its rectangle. */
const VALUE_OFF = 1.5;
/** What stands beside every rectangle is as near to those that it makes doubtful. */
const DOUBT_REACH = [8, 5] as const;
/** Share of a rectangle that is ink where something stands in it; specks of a scan are less. */
const BLANK_INK_MAX = 0.004;
/** A square that is ticked has as much ink, one that is not has less than the other. */
const [EMPTY_INK_MAX, TICK_INK_MIN] = [0.03, 0.07];
/** The frame of a square reaches as far into it, with what a scan adds. */
const FRAME_POINTS = 1.8;
const DOUBT = 0.5;
const SURE = 0.97;

/** Words of a label alone are its letters: single signs and short words stand in many places. */
const isTelling = (text: string): boolean => tokensOf(text).join('').length >= 4;
const all = BLOCKS.flatMap(id => PUBLISHED_FORM[id].labels);
const ONCE = new Map(all.map(label => [label[0], label]));
for (const [text] of all)
  if (!isTelling(text) || all.filter(other => other[0] === text).length > 1) ONCE.delete(text);
const LABELS: Lexicon<string> = Object.fromEntries([...ONCE.keys()].map(text => [text, [text]]));

/** Where the parts of the published form stand on a page. */
export interface FormFit {
  /** Points of the page for one of the form. */
  readonly scale: number;
  readonly left: number;
  /** How far down the form's upper edge would lie by each part. */
  readonly tops: Readonly<Record<BlockId, number>>;
}

/** Lines of labels: some have two, so close that a value beside them stands on both. */
function labelLines(words: readonly TextWord[]): TextWord[][] {
  const lines: TextWord[][] = [];
  for (const word of [...words].sort((a, b) => a.box[3] - b.box[3])) {
    const last = lines.at(-1);
    if (last && word.box[3] - last[0].box[3] < 0.35 * heightOf(word.box)) last.push(word);
    else lines.push([word]);
  }
  return lines.map(line => line.sort((a, b) => a.box[0] - b.box[0]));
}

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[values.length >> 1] ?? NaN;

/** Where a label's baseline begins on the form, from its upper left corner. */
const placeOf = ([, left, baseline]: FormLabel): readonly [x: number, y: number] => [
  left,
  FORM_HEIGHT - baseline,
];

function scaleOf(found: readonly Anchor<string>[]): number {
  const ratios: number[] = [];
  for (const [i, a] of found.entries()) {
    for (const b of found.slice(i + 1)) {
      const apart = placeOf(ONCE.get(b.id)!)[0] - placeOf(ONCE.get(a.id)!)[0];
      if (Math.abs(apart) >= SCALE_REACH) ratios.push((b.box[0] - a.box[0]) / apart);
    }
  }
  return median(ratios);
}

/** The offset that most labels of a part agree on, where enough do. */
function topOf(
  block: FormBlock,
  found: readonly Anchor<string>[],
  scale: number,
  id: BlockId,
): number | undefined {
  const own = new Set(block.labels);
  const offsets = found
    .filter(({ id: text }) => own.has(ONCE.get(text)!))
    .map(({ id: text, box }) => ({ text, top: box[3] - scale * placeOf(ONCE.get(text)!)[1] }));
  const agreeing = offsets.map(({ top }) =>
    offsets.filter(other => Math.abs(other.top - top) <= LABEL_OFF_MAX),
  );
  const most = agreeing.sort((a, b) => b.length - a.length)[0] ?? [];
  if (new Set(most.map(({ text }) => text)).size < LABELS_MIN[id]) return undefined;
  return median(most.map(({ top }) => top));
}

/**
 * Where the published form stands on a page, by its printed labels: each part by its own, since editions move parts.
 * @returns `undefined` for every other page
 */
export function fitPublishedForm(page: PageText): FormFit | undefined {
  const found = findAnchors(page.words, LABELS, labelLines(page.words));
  const single = found.filter(({ id }) => found.filter(other => other.id === id).length === 1);
  const scale = scaleOf(single);
  if (!(scale >= SCALE[0] && scale <= SCALE[1])) return undefined;
  const left = median(single.map(({ id, box }) => box[0] - scale * placeOf(ONCE.get(id)!)[0]));
  const inPlace = found.filter(
    ({ id, box }) => Math.abs(box[0] - scale * placeOf(ONCE.get(id)!)[0] - left) <= LABEL_OFF_MAX,
  );
  const tops = BLOCKS.map(id => [id, topOf(PUBLISHED_FORM[id], inPlace, scale, id)] as const);
  if (tops.some(([, top]) => top === undefined)) return undefined;
  return { scale, left, tops: Object.fromEntries(tops) as FormFit['tops'] };
}

/** A rectangle of the form as a box of the page. */
function boxOn({ scale, left, tops }: FormFit, block: BlockId, field: FormField, lower = block): Box {
  const [, x1, y1, x2, height = FORM_ROW] = field;
  const down = (y: number, id: BlockId) => tops[id] + scale * (FORM_HEIGHT - y);
  return [left + scale * x1, down(y1 + height, block), left + scale * x2, down(y1, lower)];
}

/** Where a field of the form stands on a page. */
export interface FormPlace {
  /** `undefined` for a field that no rule needs. */
  readonly field: CertificateField | undefined;
  readonly box: Box;
  readonly isTick: boolean;
}
type Place = FormPlace;

/** Every field of the form with its place on a page. */
export function placesOf(fit: FormFit): FormPlace[] {
  const places = BLOCKS.flatMap(id => {
    const { texts, ticks } = PUBLISHED_FORM[id];
    const place = (isTick: boolean) => (field: FormField) => ({
      field: certificateFieldOf(field[0]),
      box: boxOn(fit, id, field),
      isTick,
    });
    return [...texts.map(place(false)), ...ticks.map(place(true))];
  });
  const remarks = { field: certificateFieldOf(REMARKS_FIELD[0]), isTick: false };
  return [...places, { ...remarks, box: boxOn(fit, 'policies', REMARKS_FIELD, 'foot') }];
}

const grown = ([left, top, right, bottom]: Box, dx: number, dy = dx): Box => [
  left - dx,
  top - dy,
  right + dx,
  bottom + dy,
];
const touches = (a: Box, b: Box): boolean => a[0] < b[2] && a[2] > b[0] && a[1] < b[3] && a[3] > b[1];

/** Boxes around what is printed in each label's place. */
function printedBoxes(fit: FormFit): readonly { readonly box: Box; readonly tokens: ReadonlySet<string> }[] {
  return BLOCKS.flatMap(id =>
    PUBLISHED_FORM[id].labels.map(label => {
      const [x, y] = placeOf(label);
      const [left, bottom] = [fit.left + fit.scale * x, fit.tops[id] + fit.scale * y];
      const width = fit.scale * (6 + 6 * label[0].length);
      return {
        box: [left - 4, bottom - 9, left + width, bottom + 4] as Box,
        tokens: new Set(tokensOf(label[0])),
      };
    }),
  );
}

/** What the form itself prints: words of a label in its place, and signs. */
function isPrint(word: TextWord, printed: ReturnType<typeof printedBoxes>): boolean {
  const tokens = tokensOf(word.text);
  if (tokens.length === 0) return true;
  return printed.some(
    ({ box, tokens: own }) => isWithin(word.box, box) && tokens.some(token => own.has(token)),
  );
}

const FIGURE = /^(?:\D{0,2}\d[\d,./-]+|[A-FXYNxyn])$/;
/** A tick is drawn as far beyond its square, in points. */
const TICK_OFF = 4;
const AMOUNT = /Amount$/;

/** What is recognised in the remains of ruled lines. */
export const REMAINS = /^[|!\[\]{}—–_~=.,:;'‘’"`-]+$/;
const withoutRemains = (words: readonly TextWord[], { inkShare }: PageText): readonly TextWord[] =>
  inkShare ? words.filter(({ text }) => !REMAINS.test(text)) : words;

/** Whether a word of a scan is a value that stands beside its place, and not what a tick was taken for. */
const isFigure = ({ text, box }: TextWord, places: readonly Place[]): boolean =>
  FIGURE.test(text) && !places.some(place => place.isTick && isWithin(box, grown(place.box, TICK_OFF)));

/** What was read of a page that is the published form. */
export interface FormPage {
  readonly fields: Fields;
  /** Fields in whose place nothing stands. */
  readonly blank: readonly CertificateField[];
}

/** A date of issue stands under its label, which is as far from it, in points. */
const DATE_REACH = [14, 16] as const;

/**
 * The date of issue, under its label at the head of the form. The title beside both is larger and stands on the lines of either,
 * so label and date are looked for by their baselines and places, not by lines of the page.
 */
function dateOfIssue(page: PageText, { scale }: FormFit): ExtractedField | undefined {
  const label = findAnchors(page.words, { date: PARTS.date }, labelLines(page.words))[0];
  if (!label) return undefined;
  const [left, , right, bottom] = label.box;
  const [dx, dy] = DATE_REACH.map(points => points * scale);
  const place: Box = [left - dx, bottom, right + dx, bottom + dy];
  const date = fieldOf(
    page.words.filter(({ box }) => isWithin(box, place)),
    page.page,
  );
  return date && DATE.test(date.value) ? date : undefined;
}

function tickOf(place: Place, page: PageText): { readonly ticked?: boolean; readonly confidence: number } {
  const near = grown(place.box, VALUE_OFF);
  const drawn = page.tickBoxes.filter(({ box, ticked }) => ticked === true && isWithin(box, near));
  const letters = page.words.filter(({ box }) => isWithin(box, near));
  const other = letters.filter(({ text }) => !isMark(text));
  if (page.inkShare) {
    const share = page.inkShare(grown(place.box, -FRAME_POINTS));
    if (share <= EMPTY_INK_MAX) return { ticked: false, confidence: SURE };
    return share >= TICK_INK_MIN ? { ticked: true, confidence: SURE } : { confidence: 0 };
  }
  if (other.length > 0) return { confidence: 0 };
  const confidence = Math.min(
    1,
    ...drawn.map(box => box.confidence),
    ...letters.map(word => word.confidence),
  );
  if (drawn.length + letters.length > 0) return { ticked: true, confidence };
  // Something is there, and whether it is a tick nobody knows.
  return isPaintedIn(place.box, page) ? { ticked: true, confidence: DOUBT } : { ticked: false, confidence };
}

/**
 * Reads the fields of the published form by where they stand. What stands beside every field leaves those next to it in doubt:
 * they are neither read nor blank.
 */
export function readPublishedForm(page: PageText, fit: FormFit): FormPage {
  const places = placesOf(fit);
  const printed = printedBoxes(fit);
  const date = dateOfIssue(page, fit);
  const fields: Fields = date ? { Form_CompletionDate: date } : {};
  const words = new Map<Place, TextWord[]>();
  const doubtful = new Set<Place>();
  const area = grown(boxAround(places.map(({ box }) => box)), DOUBT_REACH[0]);
  const published = publisherWords(page);
  for (const word of page.words.filter(one => isWithin(one.box, area) && !published.has(one))) {
    const place = places.find(({ box }) => isWithin(word.box, grown(box, VALUE_OFF, 0.5)));
    if (place) words.set(place, [...(words.get(place) ?? []), word]);
    else if (!isPrint(word, printed) && (!page.inkShare || isFigure(word, places))) {
      const near = grown(word.box, ...DOUBT_REACH);
      for (const other of places) if (touches(other.box, near)) doubtful.add(other);
    }
  }
  const blank: CertificateField[] = [];
  for (const place of places) {
    const { field, box, isTick } = place;
    if (!field) continue;
    if (isTick) {
      const { ticked, confidence } = tickOf(place, page);
      if (ticked === true) fields[field] = { value: 'X', confidence, page: page.page, box };
      if (ticked === false && !doubtful.has(place)) blank.push(field);
      continue;
    }
    // Words of a scan without ink in their place are what was made of lines beside it.
    const isEmpty = page.inkShare !== undefined && isBlank(page, box);
    const own = isEmpty ? [] : linesOf(withoutRemains(words.get(place) ?? [], page)).flat();
    const value = fieldOf(AMOUNT.test(field) ? valueWords(own) : own, page.page);
    if (value) {
      const confidence = doubtful.has(place) ? Math.min(value.confidence, DOUBT) : value.confidence;
      fields[field] = { ...value, confidence };
    } else if (!doubtful.has(place) && own.length === 0 && isBlank(page, box)) blank.push(field);
  }
  const signature = 'Producer_AuthorizedRepresentative_Signature';
  const signed = places.find(({ field }) => field === signature)!;
  const mark = fields[signature] ?? drawnIn(signed.box, page);
  if (mark) fields[signature] = mark;
  return { fields, blank: blank.filter(field => !fields[field]) };
}

/** Whether nothing is seen in a box: no ink of a scan, and beside a text layer nothing painted. */
export const isBlank = (page: PageText, box: Box): boolean =>
  page.inkShare ? page.inkShare(grown(box, -VALUE_OFF)) <= BLANK_INK_MAX : !isPaintedIn(box, page);

const EDITION = /\bACORD\s*(\d{1,3})\s*\(?\s*(\d{4})\s*\/\s*(\d{2})\s*\)?/i;

/** What the foot of a form says: its number and edition, `{ form: 25, edition: '2016/03' }`. */
export function editionOf(
  words: readonly TextWord[],
): { readonly form: number; readonly edition: string } | undefined {
  for (const line of linesOf(words)) {
    const found = EDITION.exec(line.map(({ text }) => text).join(' '));
    if (found) return { form: Number(found[1]), edition: `${found[2]}/${found[3]}` };
  }
  return undefined;
}
