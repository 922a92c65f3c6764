import type { CertificateField } from '../certificate-field.js';
import { findAnchors } from './anchor.js';
import { COVERAGES, PARTS } from './form-wording.js';
import { tokensOf } from './label-words.js';
import { boxAround, heightOf, middleOf, onOneLine, type PageText, type TextWord } from './page-text.js';
import { findCoverageLabels, readCoverages } from './read-coverages.js';
import {
  insurerLabels,
  readInsurers,
  readPartyBlocks,
  readRemarksAndSignature,
  readSingleValues,
  type Fields,
  type Part,
} from './read-parties.js';
import { editionOf, fitPublishedForm, readPublishedForm } from './read-published-form.js';

/** A page is a certificate when as many of its parts, and as many of its policies, are named on it. */
const PARTS_MIN = 4;
const COVERAGES_MIN = 2;

/** The number of the published form of certificates of liability insurance; others are of property, or go on with remarks. */
const LIABILITY_FORM = 25;

/** Whether a page carries a certificate: its labels say so, whatever its layout, and its foot names no other form. */
export function isCertificatePage(page: PageText): boolean {
  const named = editionOf(page.words);
  if (named && named.form !== LIABILITY_FORM) return false;
  const parts = new Set(findAnchors(page.words, PARTS).map(part => part.id));
  const coverages = new Set(findAnchors(page.words, COVERAGES).map(coverage => coverage.id));
  return parts.size >= PARTS_MIN && coverages.size >= COVERAGES_MIN;
}

/** `DESCRIPTION OF OPERATIONS below` heads nothing: it says where to look. */
function isReference({ words, box }: Part, all: readonly TextWord[]): boolean {
  const next = all
    .filter(word => !words.includes(word) && onOneLine(word.box, box) && word.box[0] >= box[2] - 1)
    .sort((a, b) => a.box[0] - b.box[0])[0];
  return /^(below|above)[.):]*$/i.test(next?.text ?? '') && next.box[0] - box[2] < 2 * heightOf(box);
}

/** Labels of two lines, by their second: `CONTACT` over `NAME:`, `PHONE` over `(A/C, No, Ext):`. */
const SECOND_LINES: Partial<Record<Part['id'], RegExp>> = {
  contact: /^(PERSON)?NAME$/,
  phone: /^ACNO(EXT)?$/,
  fax: /^ACNO$/,
  email: /^ADDRESS$/,
};

function withSecondLine(part: Part, all: readonly TextWord[]): Part {
  const wanted = SECOND_LINES[part.id];
  if (!wanted) return part;
  const height = heightOf(part.box);
  const under = all.filter(
    ({ box }) => box[1] > middleOf(part.box) && middleOf(box) - middleOf(part.box) < 2.2 * height,
  );
  const line: TextWord[] = [];
  let own: TextWord[] = [];
  for (const word of under.sort((a, b) => a.box[0] - b.box[0])) {
    const isFirst = line.length === 0 && Math.abs(word.box[0] - part.box[0]) < height;
    const isNext = line.length > 0 && word.box[0] - line.at(-1)!.box[2] < height;
    if (isFirst || isNext) line.push(word);
    if (wanted.test(line.flatMap(({ text }) => tokensOf(text)).join(''))) own = [...line];
  }
  const words = [...part.words, ...own];
  return { ...part, words, box: boxAround(words.map(({ box }) => box)) };
}

/** Labels inside the policies are theirs: `POLICY NUMBER` bounds no block of an address. */
function pageParts(page: PageText): Part[] {
  const parts = findAnchors(page.words, PARTS)
    .filter(part => !isReference(part, page.words))
    .map(part => withSecondLine(part, page.words));
  const coverages = findCoverageLabels(page, parts);
  const top = Math.min(...coverages.map(({ box }) => box[1]), Infinity);
  const bottom = Math.max(...coverages.map(({ box }) => box[3]), -Infinity);
  const closing = new Set(['remarks', 'holder', 'cancellation', 'signature']);
  return parts.filter(({ id, box }) => closing.has(id) || box[3] < top || box[1] > bottom + 60);
}

/** What was read of a page. */
export interface PageReading {
  readonly fields: Fields;
  /** Where the page is the published form: the fields in whose place nothing stands. */
  readonly blank?: readonly CertificateField[];
}

/** Every field that a page shows: by its place where the page is the published form, else by its labels and columns. */
export function readCertificatePage(page: PageText): PageReading {
  const fit = fitPublishedForm(page);
  if (!fit) return { fields: readByLabels(page) };
  const { fields, blank } = readPublishedForm(page, fit);
  const parts = pageParts(page);
  const labels = new Set<TextWord>(parts.flatMap(part => part.words));
  const { Form_CompletionDate: date } = readSingleValues(page, parts, labels);
  return { fields: { ...(date && { Form_CompletionDate: date }), ...fields }, blank };
}

/** Nothing is taken from where a layout would have it. */
function readByLabels(page: PageText): Fields {
  const parts = pageParts(page);
  const labels = new Set<TextWord>(parts.flatMap(part => part.words));
  const insurers = insurerLabels(page, parts);
  for (const anchor of insurers) for (const word of anchor.words) labels.add(word);
  return {
    ...readSingleValues(page, parts, labels),
    ...readPartyBlocks(page, parts, [...parts, ...insurers], labels),
    ...readInsurers(page, parts, insurers, labels),
    ...readRemarksAndSignature(page, parts, labels),
    ...readCoverages(page, parts),
  };
}

/** Pages that are certificates as well, and say something else. */
export function otherCertificates(certificate: PageText, others: readonly PageText[]): string[] {
  const own = readCertificatePage(certificate).fields;
  return others
    .filter(page => page !== certificate && isCertificatePage(page))
    .flatMap(page => {
      const other = readCertificatePage(page).fields;
      const names = new Set([...Object.keys(own), ...Object.keys(other)]) as Set<keyof Fields>;
      const differing = [...names].find(name => own[name]?.value !== other[name]?.value);
      return differing ? [`page ${page.page} is another certificate, with another ${differing}`] : [];
    });
}
