import {
  type PDFDocument,
  type PDFFont,
  type PDFPage,
  PDFDocument as Documents,
  rgb,
  StandardFonts,
} from '@cantoo/pdf-lib';
import type { CertificateField } from '../certificate-field.js';
import type { Box } from '../extracted-certificate.js';
import type { CertificateTruth, EndorsementPage } from './certificate-truth.js';
import { columnsLayout } from './columns.layout.js';
import type { CertificateLayout, LayoutCell, LayoutId } from './layout.js';
import { ledgerLayout } from './ledger.layout.js';
import { panelsLayout } from './panels.layout.js';

const VALUE_SIZE = 8;
const PARAGRAPH_SIZE = 7.5;
const BLACK = rgb(0, 0, 0);
const GREY = rgb(0.45, 0.45, 0.45);
/** Files must not differ from run to run. */
const MADE_AT = new Date('2026-01-01T00:00:00Z');

export const LAYOUTS: Readonly<Record<LayoutId, CertificateLayout>> = {
  columns: columnsLayout(),
  panels: panelsLayout(),
  ledger: ledgerLayout(),
};

/** The fonts of a certificate. */
export interface CertificateFonts {
  readonly regular: PDFFont;
  readonly bold: PDFFont;
  readonly script: PDFFont;
}

/** How ticks are printed: as a letter, or as the two strokes or the hook that forms draw. */
export type TickStyle = 'letter' | 'cross' | 'hook';

/** A page under work, with what is needed to draw on it. */
export interface CertificateDraft {
  readonly document: PDFDocument;
  readonly page: PDFPage;
  readonly layout: CertificateLayout;
  readonly fonts: CertificateFonts;
}

/** The empty form, and the endorsement pages behind it. */
export async function draftCertificate(
  layout: CertificateLayout,
  endorsements: readonly EndorsementPage[],
): Promise<CertificateDraft> {
  const document = await Documents.create({ updateMetadata: false });
  document.setTitle('Synthetic certificate of liability insurance');
  document.setProducer('synthetic certificates');
  document.setCreationDate(MADE_AT);
  document.setModificationDate(MADE_AT);
  const fonts = {
    regular: await document.embedFont(StandardFonts.Helvetica),
    bold: await document.embedFont(StandardFonts.HelveticaBold),
    script: await document.embedFont(StandardFonts.TimesRomanItalic),
  };
  const page = document.addPage([layout.width, layout.height]);
  drawForm(page, layout, fonts);
  for (const endorsement of endorsements) drawEndorsement(document, layout, endorsement, fonts);
  return { document, page, layout, fonts };
}

function drawForm(page: PDFPage, layout: CertificateLayout, { regular, bold }: CertificateFonts): void {
  const { height } = layout;
  for (const [x1, y1, x2, y2] of layout.lines) {
    page.drawLine({
      start: { x: x1, y: height - y1 },
      end: { x: x2, y: height - y2 },
      thickness: 0.5,
      color: GREY,
    });
  }
  for (const { text, x, y, size, bold: isBold } of layout.labels) {
    page.drawText(text, { x, y: height - y, size, font: isBold ? bold : regular, color: BLACK });
  }
  const squares = layout.cells.filter(({ kind }) => kind === 'mark').map(({ box }) => box);
  for (const [left, top, right, bottom] of layout.frames ?? squares) {
    const size = { width: right - left, height: bottom - top };
    page.drawRectangle({ x: left, y: height - bottom, ...size, borderColor: GREY, borderWidth: 0.5 });
  }
}

function drawEndorsement(
  document: PDFDocument,
  { width, height }: CertificateLayout,
  { lines }: EndorsementPage,
  { regular, bold }: CertificateFonts,
): void {
  const page = document.addPage([width, height]);
  page.drawText('SYNTHETIC - made for tests, insures nobody', {
    x: 40,
    y: height - 30,
    size: 7,
    font: regular,
  });
  for (const [index, line] of lines.entries()) {
    page.drawText(line, {
      x: 60,
      y: height - 90 - index * 24,
      size: index === 0 ? 13 : 10,
      font: index === 0 ? bold : regular,
    });
  }
}

/** The values as text on the page, as a viewer's "print to PDF" leaves them. */
export function drawValues(
  draft: CertificateDraft,
  fields: CertificateTruth['fields'],
  ticks: TickStyle = 'letter',
): void {
  for (const cell of draft.layout.cells) {
    const value = fields[cell.field];
    if (value !== undefined) drawValue(draft, cell, value, ticks);
  }
}

/** The strokes of a tick from the middle of its box, in points, y downward. */
const TICK_PATHS = {
  cross: 'M -4 -4 L 4 4 M 4 -4 L -4 4',
  hook: 'M -4.05 0.46 L -1.5 2.94 L 4.14 -2.85',
} as const;

/** One value in its cell. */
export function drawValue(
  { page, layout, fonts }: CertificateDraft,
  cell: LayoutCell,
  value: string,
  ticks: TickStyle = 'letter',
): void {
  const [left, top, right, bottom] = cell.box;
  const baseline = (y: number) => layout.height - y;
  if (cell.kind === 'mark' && ticks !== 'letter') {
    const middle = { x: (left + right) / 2, y: baseline((top + bottom) / 2) };
    const borderWidth = ticks === 'cross' ? 1 : 1.5;
    page.drawSvgPath(TICK_PATHS[ticks], { ...middle, borderWidth, borderColor: BLACK });
    return;
  }
  if (cell.kind === 'mark') {
    page.drawText(value, { x: left + 1.6, y: baseline(bottom - 1.4), size: VALUE_SIZE, font: fonts.bold });
    return;
  }
  if (cell.kind === 'paragraph') {
    for (const [index, line] of wrapped(value, fonts.regular, PARAGRAPH_SIZE, right - left - 4).entries()) {
      page.drawText(line, {
        x: left + 2,
        y: baseline(top + 8 + index * 9.5),
        size: PARAGRAPH_SIZE,
        font: fonts.regular,
      });
    }
    return;
  }
  const font = isSignature(cell.field) ? fonts.script : fonts.regular;
  const size = fittingSize(value, font, isSignature(cell.field) ? 11 : VALUE_SIZE, right - left - 2);
  page.drawText(value, { x: left + 1, y: baseline(bottom - 2.5), size, font });
}

const isSignature = (field: CertificateField) => field === 'Producer_AuthorizedRepresentative_Signature';

/** The values as fields of a form, with appearances, named as such forms name them. */
export function addFormFields(
  { document, page, layout, fonts }: CertificateDraft,
  fields: CertificateTruth['fields'],
): void {
  const form = document.getForm();
  for (const { field, kind, box, name = formName(field) } of layout.cells) {
    const [left, top, right, bottom] = box;
    const place = {
      x: left,
      y: layout.height - bottom,
      width: right - left,
      height: bottom - top,
      borderWidth: 0,
    };
    if (kind === 'mark') {
      const ticked = form.createCheckBox(name);
      ticked.addToPage(page, place);
      if (fields[field] !== undefined) ticked.check();
      continue;
    }
    const value = fields[field] ?? '';
    const text = form.createTextField(name);
    if (kind === 'paragraph') text.enableMultiline();
    text.setText(value);
    text.addToPage(page, { ...place, font: fonts.regular });
    text.setFontSize(
      kind === 'paragraph' ? PARAGRAPH_SIZE : fittingSize(value, fonts.regular, VALUE_SIZE, right - left - 4),
    );
  }
  form.updateFieldAppearances(fonts.regular);
}

/** `Insurer_FullName_B` → `F[0].P1[0].Insurer_FullName_B[0]`; other fields stand in a row `_A`. */
export function formName(field: CertificateField): string {
  return `F[0].P1[0].${field}${/^Insurer_.*_[A-F]$/.test(field) ? '' : '_A'}[0]`;
}

function fittingSize(text: string, font: PDFFont, size: number, width: number): number {
  return Math.min(size, (size * width) / Math.max(font.widthOfTextAtSize(text, size), 1));
}

function wrapped(text: string, font: PDFFont, size: number, width: number): string[] {
  const lines = [''];
  for (const word of text.split(' ')) {
    const longer = `${lines[lines.length - 1]} ${word}`.trim();
    if (font.widthOfTextAtSize(longer, size) <= width) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}

/** Where the values of a layout stand, on page 1. */
export function fieldBoxes(layout: CertificateLayout): ReadonlyMap<CertificateField, Box> {
  return new Map(layout.cells.map(({ field, box }) => [field, box]));
}
