import {
  PDFArray,
  PDFDict,
  type PDFDocument,
  PDFHexString,
  PDFName,
  PDFNumber,
  PDFRef,
  PDFStream,
  PDFString,
  type PDFObject,
} from '@cantoo/pdf-lib';
import type { Box } from '../extracted-certificate.js';

/** Levels that fields are nested in; the form itself has three. */
const DEPTH_MAX = 16;
/** Fields and widgets that are looked at. */
const NODES_MAX = 5_000;

/** A field without fields below it, with what it inherits. */
export interface FormLeaf {
  /** From the root, with dots: `F[0].P1[0].Form_CompletionDate_A[0]`. */
  readonly name: string;
  /** `Tx`, `Btn`, `Ch`, `Sig`. */
  readonly type: string;
  readonly value: PDFObject | undefined;
  readonly widgets: readonly FormWidget[];
}

/** Where a field is drawn. */
export interface FormWidget {
  readonly dict: PDFDict;
  /** From 1; `undefined` where no page shows it. */
  readonly page?: number;
  /** `undefined` where it has no extent. */
  readonly box?: Box;
  /** Whether viewers leave it out. */
  readonly isHidden: boolean;
}

const name = (text: string) => PDFName.of(text);

/** The form of a document; `undefined` where it has none. */
export function acroFormOf(document: PDFDocument): PDFDict | undefined {
  const form = document.catalog.lookup(name('AcroForm'));
  return form instanceof PDFDict ? form : undefined;
}

/** The fields of a form in the order of the file, within bounds: loops and depths beyond reason are cut. */
export function formLeaves(document: PDFDocument, form: PDFDict): FormLeaf[] {
  const pages = annotationPages(document);
  const seen = new Set<PDFObject>();
  const leaves: FormLeaf[] = [];
  const visit = (object: PDFObject | undefined, path: string, inherited: Inherited, depth: number): void => {
    const dict = object instanceof PDFRef ? document.context.lookup(object) : object;
    if (!(dict instanceof PDFDict) || seen.has(dict) || depth > DEPTH_MAX || seen.size >= NODES_MAX) return;
    seen.add(dict);
    const own = textOf(dict.lookup(name('T')));
    const fullName = [path, own].filter(part => part).join('.');
    const attributes = {
      type: dict.lookup(name('FT')) ?? inherited.type,
      value: dict.lookup(name('V')) ?? inherited.value,
    };
    const kids = dict.lookup(name('Kids'));
    const children = kids instanceof PDFArray ? kids.asArray().slice(0, NODES_MAX) : [];
    const resolved = children.map(kid => (kid instanceof PDFRef ? document.context.lookup(kid) : kid));
    if (resolved.some(kid => kid instanceof PDFDict && kid.has(name('T')))) {
      for (const kid of children) visit(kid, fullName, attributes, depth + 1);
      return;
    }
    const widgets = (children.length > 0 ? resolved : [dict]).filter(kid => kid instanceof PDFDict);
    leaves.push({
      name: fullName,
      type: attributes.type instanceof PDFName ? attributes.type.decodeText() : '',
      value: attributes.value,
      widgets: widgets.slice(0, NODES_MAX).map(widget => widgetOf(widget, pages)),
    });
  };
  const fields = form.lookup(name('Fields'));
  if (fields instanceof PDFArray) for (const field of fields.asArray()) visit(field, '', {}, 0);
  return leaves;
}

interface Inherited {
  readonly type?: PDFObject;
  readonly value?: PDFObject;
}

interface PagePlace {
  readonly number: number;
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** The page of each annotation, by the page's own list: what a widget says of its page may be wrong. */
function annotationPages(document: PDFDocument): ReadonlyMap<PDFDict, PagePlace> {
  const pages = new Map<PDFDict, PagePlace>();
  for (const [index, page] of document.getPages().entries()) {
    const { x, y, width, height } = page.getMediaBox();
    const place = { number: index + 1, left: x, top: y + height, width, height };
    const annotations = page.node.lookup(name('Annots'));
    if (!(annotations instanceof PDFArray)) continue;
    for (let i = 0; i < Math.min(annotations.size(), NODES_MAX); i++) {
      const annotation = annotations.lookup(i);
      if (annotation instanceof PDFDict) pages.set(annotation, place);
    }
  }
  return pages;
}

function widgetOf(dict: PDFDict, pages: ReadonlyMap<PDFDict, PagePlace>): FormWidget {
  const place = pages.get(dict);
  const flags = dict.lookup(name('F'));
  // Bits 2 and 6: hidden, and not shown on screens.
  const isHidden = flags instanceof PDFNumber && (flags.asNumber() & 0b100010) !== 0;
  const box = place && boxOf(dict, place);
  return { dict, isHidden, ...(place && { page: place.number }), ...(box && { box }) };
}

/** `Rect` of an annotation as a box of its page; `undefined` where nothing of it is on the page. */
export function boxOf(
  dict: PDFDict,
  { left, top, width, height }: Omit<PagePlace, 'number'>,
): Box | undefined {
  const rect = dict.lookup(name('Rect'));
  if (!(rect instanceof PDFArray) || rect.size() !== 4) return undefined;
  const numbers = [0, 1, 2, 3].map(i => {
    const value = rect.lookup(i);
    return value instanceof PDFNumber ? value.asNumber() : NaN;
  });
  const [x1, y1, x2, y2] = numbers;
  const box: Box = [
    Math.min(x1, x2) - left,
    top - Math.max(y1, y2),
    Math.max(x1, x2) - left,
    top - Math.min(y1, y2),
  ];
  const isSeen =
    box[2] - box[0] > 1 &&
    box[3] - box[1] > 1 &&
    box[2] > 0 &&
    box[3] > 0 &&
    box[0] < width &&
    box[1] < height;
  return isSeen ? box : undefined;
}

/** Annotations other than form fields that lie on a page, with their boxes: notes and stamps cover what is below. */
export function otherAnnotations(
  document: PDFDocument,
): { readonly page: number; readonly box: Box; readonly subtype: string }[] {
  const found: { page: number; box: Box; subtype: string }[] = [];
  for (const [dict, place] of annotationPages(document)) {
    const subtype = dict.lookup(name('Subtype'));
    const text = subtype instanceof PDFName ? subtype.decodeText() : '';
    const box = boxOf(dict, place);
    if (box && text !== 'Widget' && text !== 'Link' && text !== 'Popup')
      found.push({ page: place.number, box, subtype: text });
  }
  return found;
}

/** The text of a string, of a stream of text, or the letters of a name; empty for anything else. */
export function textOf(object: PDFObject | undefined): string {
  if (object instanceof PDFString || object instanceof PDFHexString) return object.decodeText();
  if (object instanceof PDFName) return object.decodeText();
  if (object instanceof PDFStream)
    return new TextDecoder('latin1').decode(object.getContents().subarray(0, 65_536));
  return '';
}
