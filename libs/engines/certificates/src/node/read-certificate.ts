import { CertificateError } from '../certificate-error.js';
import type { CertificateField } from '../certificate-field.js';
import type { Box, ExtractedCertificate } from '../extracted-certificate.js';
import { certificateFieldOf } from '../form/field-name.js';
import { type FormReading, readFormFields } from '../form/read-form-fields.js';
import { overlappingText } from '../text/overlapping-text.js';
import { linesOf, type PageText } from '../text/page-text.js';
import { isCertificatePage, otherCertificates, readCertificatePage } from '../text/read-page.js';
import { editionOf } from '../text/read-published-form.js';
import { isWithin } from '../text/region.js';
import { type OpenPdf, openPdf } from './open-pdf.js';
import { droppedNotes, pageAdditions } from './page-additions.js';
import { drawingOf, type PageDrawing, pageTextOf } from './page-words.js';
import type { Recogniser } from './recogniser.js';
import { scannedPageText } from './scanned-page.js';
import { unseenValues } from './seen-values.js';

/** A page is a picture when one covers as much of it. */
const PICTURE_SHARE_MIN = 0.5;
/** Words beside a picture that a scanner's own footer may have. */
const WORDS_BESIDE_PICTURE_MAX = 3;
/** Pages whose characters are recognised: the certificate and the endorsements that come with it. */
const RECOGNISED_PAGES_MAX = 6;
/** A form with fewer values is an empty one that was printed over. */
const FORM_VALUES_MIN = 4;

interface SeenPage {
  readonly text: PageText;
  readonly drawing: PageDrawing;
  readonly isPicture: boolean;
}

function isPicture(drawing: PageDrawing, { width, height }: PageText): boolean {
  return drawing.pictures.some(
    box => (box[2] - box[0]) * (box[3] - box[1]) >= PICTURE_SHARE_MIN * width * height,
  );
}

async function seePages(pdf: OpenPdf): Promise<SeenPage[]> {
  const seen: SeenPage[] = [];
  for (const page of pdf.pages) {
    const drawing = await drawingOf(page);
    const text = await pageTextOf(page, drawing);
    seen.push({ text, drawing, isPicture: isPicture(drawing, text) });
  }
  return seen;
}

function attachmentOf({ page, words }: PageText): { page: number; text: string } {
  const lines = linesOf(words).map(line => line.map(word => word.text).join(' '));
  return { page, text: lines.join('\n') };
}

/** Fields with their boxes as the page is seen: turned and cut as it says. */
async function inView(form: FormReading, pdf: OpenPdf): Promise<FormReading> {
  const fields = { ...form.fields };
  const placed = new Set<CertificateField>();
  for (const page of pdf.pages) {
    const viewport = page.getViewport({ scale: 1 });
    const annotations = (await page.getAnnotations()) as { fieldName?: string; rect: number[] }[];
    for (const { fieldName, rect } of annotations) {
      const name = fieldName === undefined ? undefined : certificateFieldOf(fieldName);
      const field = name && fields[name];
      if (!field || field.page !== page.pageNumber || placed.has(name)) continue;
      placed.add(name);
      const [x1, y1, x2, y2] = viewport.convertToViewportRectangle(rect) as number[];
      const box: Box = [Math.min(x1, x2), Math.min(y1, y2), Math.max(x1, x2), Math.max(y1, y2)];
      fields[name] = { ...field, box };
    }
  }
  return { ...form, fields };
}

/** Share of a field's box that something else on the page covers or underlies. */
const COVERED_SHARE_MIN = 0.2;

function overlapShare(box: Box, other: Box): number {
  const width = Math.min(box[2], other[2]) - Math.max(box[0], other[0]);
  const height = Math.min(box[3], other[3]) - Math.max(box[1], other[1]);
  const area = (box[2] - box[0]) * (box[3] - box[1]);
  return width <= 0 || height <= 0 || area <= 0 ? 0 : (width * height) / area;
}

/** Whether a form is seen as its structure says: drawn plainly, with no other field and no picture where a value stands. */
async function isSeenAsSaid(form: FormReading, pdf: OpenPdf, pages: readonly SeenPage[]): Promise<boolean> {
  if (!form.isPlainlyDrawn) return false;
  for (const page of pdf.pages) {
    const own = Object.values(form.fields).filter(field => field.page === page.pageNumber && field.box);
    const viewport = page.getViewport({ scale: 1 });
    const annotations = (await page.getAnnotations()) as { rect: number[] }[];
    const boxes = annotations.map(({ rect }) => {
      const [x1, y1, x2, y2] = viewport.convertToViewportRectangle(rect) as number[];
      return [Math.min(x1, x2), Math.min(y1, y2), Math.max(x1, x2), Math.max(y1, y2)] as Box;
    });
    const { pictures } = pages[page.pageNumber - 1].drawing;
    for (const { box } of own as { box: Box }[]) {
      const over = boxes.filter(other => overlapShare(box, other) > COVERED_SHARE_MIN);
      if (over.length > 1 || pictures.some(other => overlapShare(box, other) > COVERED_SHARE_MIN))
        return false;
    }
  }
  return true;
}

/** Text of the page itself where a field of the form stands: one of the two was added. */
function textUnderFields(form: FormReading, pages: readonly SeenPage[]): string[] {
  const places = Object.entries(form.fields).flatMap(([field, { page, box }]) =>
    page === undefined || box === undefined ? [] : [{ field, page, box: box as Box }],
  );
  return places.flatMap(({ field, page, box }) => {
    const under = pages[page - 1]?.text.words.find(word => isWithin(word.box, box));
    return under ? [`${field}: "${under.text}" is printed where the field stands`] : [];
  });
}

function fromForm(form: FormReading, pages: readonly SeenPage[]): ExtractedCertificate {
  const own = new Set(Object.values(form.fields).map(field => field.page));
  return {
    variant: 'fillable',
    fields: form.fields,
    otherText: form.otherText,
    pages: pages.length,
    attachments: pages
      .filter(({ text }) => !own.has(text.page) && text.words.length > 0)
      .map(({ text }) => attachmentOf(text)),
    tamperSigns: [
      ...form.tamperSigns,
      ...textUnderFields(form, pages),
      ...pages
        .filter(({ text }) => !own.has(text.page) && isCertificatePage(text))
        .map(({ text }) => `page ${text.page} is another certificate`),
    ],
  };
}

/** A page with text in its text layer alone: what lies under a picture, or over it, is not what is seen. */
const isPlainText = ({ text, isPicture }: SeenPage): boolean => text.words.length > 0 && !isPicture;

function fromText(page: SeenPage, pages: readonly SeenPage[]): ExtractedCertificate {
  const others = pages.filter(other => other !== page && isPlainText(other));
  return {
    variant: 'flattened',
    ...readCertificatePage(page.text),
    pages: pages.length,
    attachments: others.map(({ text }) => attachmentOf(text)),
    tamperSigns: [
      ...pages.flatMap(({ text }) => overlappingText(text.words, text.page)),
      ...otherCertificates(
        page.text,
        others.map(({ text }) => text),
      ),
    ],
  };
}

/** Of a scan the edition is what was recognised at its foot. */
function editionNamed({ words }: PageText): { readonly edition?: string } {
  const edition = editionOf(words)?.edition;
  return edition === undefined ? {} : { edition };
}

async function fromPictures(
  pdf: OpenPdf,
  pages: readonly SeenPage[],
  recogniser: Recogniser,
): Promise<ExtractedCertificate | undefined> {
  const pictures = pages.filter(page => page.isPicture).slice(0, RECOGNISED_PAGES_MAX);
  const texts: PageText[] = [];
  const signs: string[] = [];
  for (const { text } of pictures) {
    const recognised = await scannedPageText(pdf.pages[text.page - 1], recogniser, isCertificatePage);
    texts.push(recognised.text);
    signs.push(...recognised.tamperSigns);
    if (text.words.length > WORDS_BESIDE_PICTURE_MAX) {
      signs.push(`page ${text.page}: text lies over or under the picture of the page; the picture was read`);
    }
  }
  const certificate = texts.find(isCertificatePage);
  if (!certificate) return undefined;
  return {
    variant: 'scanned',
    ...readCertificatePage(certificate),
    ...editionNamed(certificate),
    pages: pages.length,
    attachments: [
      ...texts.filter(text => text !== certificate),
      ...pages.filter(isPlainText).map(page => page.text),
    ]
      .filter(text => text.words.length > 0)
      .map(attachmentOf),
    tamperSigns: [
      ...signs,
      ...otherCertificates(certificate, [...texts, ...pages.filter(isPlainText).map(page => page.text)]),
    ],
  };
}

/**
 * A reading, and what speaks against it on the pages as they are seen.
 * @param isSeen whether its structure says already that its values are seen: drawing a page takes seconds
 */
async function asSeen(
  read: ExtractedCertificate,
  pdf: OpenPdf,
  pages: readonly SeenPage[],
  recogniser: Recogniser,
  isSeen = false,
): Promise<ExtractedCertificate> {
  const signs = [...read.tamperSigns];
  for (const page of pdf.pages) signs.push(...(await pageAdditions(page, read.variant === 'fillable')));
  signs.push(...droppedNotes(pdf.objects, signs));
  const shown = new Set(Object.values(read.fields).map(field => field.page));
  if (read.variant !== 'scanned' && !isSeen) {
    for (const page of pdf.pages.filter(({ pageNumber }) => shown.has(pageNumber))) {
      signs.push(...(await unseenValues(page, read.fields, recogniser)));
    }
  }
  const edition = read.edition ?? pages.map(({ text }) => editionOf(text.words)?.edition).find(Boolean);
  return { ...read, tamperSigns: signs, ignored: pdf.ignored, ...(edition !== undefined && { edition }) };
}

/**
 * Reads a certificate: from its form where it is one, else from the text of the page that is a certificate by its labels, else
 * by recognising the characters of its pictures.
 * @throws CertificateError
 */
export async function readCertificate(
  bytes: Uint8Array,
  recogniser: Recogniser,
): Promise<ExtractedCertificate> {
  const pdf = await openPdf(bytes);
  try {
    const form = pdf.hasForm ? await readFormFields(bytes) : undefined;
    const pages = await seePages(pdf);
    if (form && Object.keys(form.fields).length >= FORM_VALUES_MIN) {
      const placed = await inView(form, pdf);
      const isSeen = await isSeenAsSaid(placed, pdf, pages);
      return await asSeen(fromForm(placed, pages), pdf, pages, recogniser, isSeen);
    }
    if (pdf.hasXfa && !pages.some(isPlainText)) {
      throw new CertificateError(
        'XFA',
        'the file is an XFA form without values of its own; print it to a PDF',
      );
    }
    const page = pages.find(seen => isPlainText(seen) && isCertificatePage(seen.text));
    if (page) return await asSeen(fromText(page, pages), pdf, pages, recogniser);
    const scanned = await fromPictures(pdf, pages, recogniser);
    if (scanned) return await asSeen(scanned, pdf, pages, recogniser);
    throw new CertificateError('NO_CERTIFICATE', 'no page of the file is a certificate of insurance');
  } finally {
    await pdf.document.destroy();
  }
}
