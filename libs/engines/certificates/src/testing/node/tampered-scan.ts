import { PDFDocument, setTextRenderingMode, StandardFonts, TextRenderingMode } from '@cantoo/pdf-lib';
import type { CertificateTruth } from '../certificate-truth.js';
import { draftCertificate, drawValues, fieldBoxes, LAYOUTS } from '../draw-certificate.js';
import type { LayoutId } from '../layout.js';
import { type Forgery, forgeryOf } from '../tampering.js';
import { certificateTruth } from '../truth-generator.js';
import { scanCertificate, type ScanOptions } from './scan-certificate.js';

/** Ways to forge a scan. */
export const SCAN_TAMPER_KINDS = [
  /** A clean piece of another picture over the noisy one. */
  'pasted-patch',
  /** A picture with what was issued, and invisible text that says something else. */
  'hidden-text',
] as const;
export type ScanTamperKind = (typeof SCAN_TAMPER_KINDS)[number];

/** A forged scan. Its truth is what the forger wants to be read: a certificate that would do. */
export interface TamperedScan {
  readonly bytes: Uint8Array;
  readonly layout: LayoutId;
  readonly kind: ScanTamperKind;
  readonly forgery: Forgery;
  readonly truth: CertificateTruth;
}

const LAYOUT_IDS = Object.keys(LAYOUTS) as LayoutId[];

/** A scan of a certificate that was issued with one value that does not do, and was forged afterwards. */
export async function tamperedScan(
  seed: number,
  kind: ScanTamperKind = SCAN_TAMPER_KINDS[seed % SCAN_TAMPER_KINDS.length],
  options: ScanOptions & { readonly layout?: LayoutId } = {},
): Promise<TamperedScan> {
  const { layout = LAYOUT_IDS[Math.floor(seed / SCAN_TAMPER_KINDS.length) % LAYOUT_IDS.length], ...scan } =
    options;
  const truth = certificateTruth(seed, { deficiencies: [] });
  const forgery = forgeryOf(truth);
  const issued = await flattened(layout, truth, { ...truth.fields, [forgery.field]: forgery.issued });
  const box = fieldBoxes(LAYOUTS[layout]).get(forgery.field);
  if (!box) throw new RangeError(`the layout has no ${forgery.field}`);
  if (kind === 'hidden-text') {
    const bytes = await withHiddenText(await scanCertificate(issued, seed, scan), layout, truth);
    return { bytes, layout, kind, forgery, truth };
  }
  const patch = { from: await flattened(layout, truth, truth.fields), box };
  return { bytes: await scanCertificate(issued, seed, { ...scan, patch }), layout, kind, forgery, truth };
}

async function flattened(
  layout: LayoutId,
  truth: CertificateTruth,
  fields: CertificateTruth['fields'],
): Promise<Uint8Array> {
  const draft = await draftCertificate(LAYOUTS[layout], truth.endorsementPages);
  drawValues(draft, fields);
  return draft.document.save({ updateFieldAppearances: false });
}

/** As programs that recognise characters leave it, with other characters. */
async function withHiddenText(scan: Uint8Array, id: LayoutId, truth: CertificateTruth): Promise<Uint8Array> {
  const layout = LAYOUTS[id];
  const document = await PDFDocument.load(scan, { updateMetadata: false });
  const fonts = {
    regular: await document.embedFont(StandardFonts.Helvetica),
    bold: await document.embedFont(StandardFonts.HelveticaBold),
    script: await document.embedFont(StandardFonts.TimesRomanItalic),
  };
  const page = document.getPage(0);
  page.pushOperators(setTextRenderingMode(TextRenderingMode.Invisible));
  for (const { text, x, y, size } of layout.labels) {
    page.drawText(text, { x, y: layout.height - y, size, font: fonts.regular });
  }
  drawValues({ document, page, layout, fonts }, truth.fields);
  return document.save({ updateFieldAppearances: false });
}
