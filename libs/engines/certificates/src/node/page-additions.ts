import type { PDFPageProxy } from 'pdfjs-dist/legacy/build/pdf.mjs';

/** Annotations that show nothing of their own. */
const SHOWS_NOTHING = new Set(['Widget', 'Link', 'Popup']);
/** Words of a stamp, blanks left out: it is often drawn letter by letter. */
const STAMPS = /VOID|SPECIMEN|SAMPLE|DRAFT|CANCELL?ED|NOTVALID|EXPIRED|UNISSUED|SUPERSEDED/;
/** Stamps are larger than what is filled in, in points; slanting ones are known at any size. */
const STAMP_POINTS_MIN = 14;
const SLANT_MIN = 0.05;

interface Annotation {
  readonly subtype?: string;
  readonly fieldType?: string;
  readonly fieldValue?: unknown;
}

interface TextItem {
  readonly str: string;
  readonly transform: number[];
}

const isFilledIn = ({ subtype, fieldType, fieldValue }: Annotation): boolean =>
  subtype === 'Widget' &&
  fieldType !== 'Sig' &&
  typeof fieldValue === 'string' &&
  fieldValue.trim() !== '' &&
  fieldValue !== 'Off';

/**
 * What lies on a page beside what its text says: notes, stamps, and words across it that make it void.
 * @param isForm whether the fields of forms on it are read by themselves
 */
export async function pageAdditions(page: PDFPageProxy, isForm: boolean): Promise<string[]> {
  const annotations = (await page.getAnnotations()) as Annotation[];
  const notes = annotations.filter(({ subtype }) => !SHOWS_NOTHING.has(subtype ?? ''));
  const signs = [...new Set(notes.map(({ subtype }) => subtype))]
    .slice(0, 4)
    .map(subtype => `page ${page.pageNumber}: a note or a stamp (${subtype}) lies on it`);
  if (!isForm && annotations.some(isFilledIn)) {
    signs.push(`page ${page.pageNumber}: fields of a form that is no certificate's lie on it`);
  }
  const { items } = await page.getTextContent();
  const across = (items as TextItem[]).filter(({ str, transform }) => {
    if (typeof str !== 'string') return false;
    const [a, b, c, d] = transform;
    const isSlanted = Math.abs(b) > SLANT_MIN * Math.abs(a) && Math.abs(a) > SLANT_MIN * Math.abs(b);
    return isSlanted || Math.hypot(c, d) >= STAMP_POINTS_MIN;
  });
  const stamp = STAMPS.exec(
    across
      .map(({ str }) => str)
      .join('')
      .toUpperCase()
      .replace(/[^A-Z]/g, ''),
  );
  if (stamp) signs.push(`page ${page.pageNumber}: "${stamp[0]}" is stamped on it`);
  return signs;
}

/** Subtypes that nothing but a note or a mark on a page has. */
const NOTES =
  /\/Subtype\s*\/(FreeText|Stamp|Square|Circle|Polygon|PolyLine|Ink|Caret|Redact|Highlight|Underline|Squiggly|StrikeOut)\b/g;

/**
 * Notes that the file holds and the reader was not told of: it leaves out what is not quite as it should be, such as a line
 * through a text without the corners of what it strikes, which other viewers draw all the same.
 * @param signs of the pages, which name the notes that were told
 */
export function droppedNotes(objects: string, signs: readonly string[]): string[] {
  const held = new Set([...objects.matchAll(NOTES)].map(([, subtype]) => subtype));
  return [...held]
    .filter(subtype => !signs.some(sign => sign.includes(`(${subtype})`)))
    .slice(0, 4)
    .map(subtype => `the file holds a note or a stamp (${subtype}) that not every viewer shows`);
}
