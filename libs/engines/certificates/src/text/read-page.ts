import { findAnchors } from './anchor.js';
import { COVERAGES, PARTS } from './form-wording.js';
import type { PageText, TextWord } from './page-text.js';
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

/** A page is a certificate when as many of its parts, and as many of its policies, are named on it. */
const PARTS_MIN = 4;
const COVERAGES_MIN = 2;

/** Whether a page carries a certificate: its labels say so, whatever its layout. */
export function isCertificatePage(page: PageText): boolean {
  const parts = new Set(findAnchors(page.words, PARTS).map(part => part.id));
  const coverages = new Set(findAnchors(page.words, COVERAGES).map(coverage => coverage.id));
  return parts.size >= PARTS_MIN && coverages.size >= COVERAGES_MIN;
}

/** Labels inside the policies are theirs: `POLICY NUMBER` bounds no block of an address. */
function pageParts(page: PageText): Part[] {
  const parts = findAnchors(page.words, PARTS);
  const coverages = findCoverageLabels(page, parts);
  const top = Math.min(...coverages.map(({ box }) => box[1]), Infinity);
  const bottom = Math.max(...coverages.map(({ box }) => box[3]), -Infinity);
  const closing = new Set(['remarks', 'holder', 'cancellation', 'signature']);
  return parts.filter(({ id, box }) => closing.has(id) || box[3] < top || box[1] > bottom + 60);
}

/** Every field that a page shows, by its labels and columns; nothing is taken from where a layout would have it. */
export function readCertificatePage(page: PageText): Fields {
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
