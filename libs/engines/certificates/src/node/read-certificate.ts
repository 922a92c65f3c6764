import { CertificateError } from '../certificate-error.js';
import type { Box, ExtractedCertificate } from '../extracted-certificate.js';
import { type FormReading, readFormFields } from '../form/read-form-fields.js';
import { overlappingText } from '../text/overlapping-text.js';
import { linesOf, type PageText } from '../text/page-text.js';
import { isCertificatePage, readCertificatePage } from '../text/read-page.js';
import { isWithin } from '../text/region.js';
import { type OpenPdf, openPdf } from './open-pdf.js';
import { drawingOf, type PageDrawing, pageTextOf } from './page-words.js';
import type { Recogniser } from './recogniser.js';
import { scannedPageText } from './scanned-page.js';

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

function fromForm(form: FormReading, pdf: OpenPdf, pages: readonly SeenPage[]): ExtractedCertificate {
  const own = new Set(Object.values(form.fields).map(field => field.page));
  const xfa = pdf.hasXfa ? ['the file holds a second form (XFA), which may show other values'] : [];
  return {
    variant: 'fillable',
    fields: form.fields,
    pages: pages.length,
    attachments: pages
      .filter(({ text }) => !own.has(text.page) && text.words.length > 0)
      .map(({ text }) => attachmentOf(text)),
    tamperSigns: [...form.tamperSigns, ...xfa, ...textUnderFields(form, pages)],
  };
}

/** A page with text in its text layer alone: what lies under a picture, or over it, is not what is seen. */
const isPlainText = ({ text, isPicture }: SeenPage): boolean => text.words.length > 0 && !isPicture;

function fromText(page: SeenPage, pages: readonly SeenPage[]): ExtractedCertificate {
  const others = pages.filter(other => other !== page && isPlainText(other));
  return {
    variant: 'flattened',
    fields: readCertificatePage(page.text),
    pages: pages.length,
    attachments: others.map(({ text }) => attachmentOf(text)),
    tamperSigns: pages.flatMap(({ text }) => overlappingText(text.words, text.page)),
  };
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
    fields: readCertificatePage(certificate),
    pages: pages.length,
    attachments: [
      ...texts.filter(text => text !== certificate),
      ...pages.filter(isPlainText).map(page => page.text),
    ]
      .filter(text => text.words.length > 0)
      .map(attachmentOf),
    tamperSigns: signs,
  };
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
    if (form && Object.keys(form.fields).length >= FORM_VALUES_MIN) return fromForm(form, pdf, pages);
    if (pdf.hasXfa && !pages.some(isPlainText)) {
      throw new CertificateError(
        'XFA',
        'the file is an XFA form without values of its own; print it to a PDF',
      );
    }
    const page = pages.find(seen => isPlainText(seen) && isCertificatePage(seen.text));
    if (page) return fromText(page, pages);
    const scanned = await fromPictures(pdf, pages, recogniser);
    if (scanned) return scanned;
    throw new CertificateError('NO_CERTIFICATE', 'no page of the file is a certificate of insurance');
  } finally {
    await pdf.document.destroy();
  }
}
