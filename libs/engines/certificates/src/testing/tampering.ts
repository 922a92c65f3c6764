import {
  PDFArray,
  type PDFDict,
  PDFDocument,
  PDFHexString,
  PDFName,
  PDFNumber,
  PDFString,
  rgb,
  StandardFonts,
} from '@cantoo/pdf-lib';
import type { CertificateField } from '../certificate-field.js';
import type { CertificateTruth } from './certificate-truth.js';
import {
  addFormFields,
  type CertificateDraft,
  draftCertificate,
  drawValue,
  drawValues,
  formName,
  LAYOUTS,
} from './draw-certificate.js';
import type { LayoutId } from './layout.js';
import { seededRandom } from './seeded-random.js';
import { certificateTruth } from './truth-generator.js';

/** Ways to make a page or a form say what its issuer did not. */
export const TAMPER_KINDS = [
  /** The form's value is forged; what is drawn stays. */
  'value-behind-drawing',
  /** The drawing is forged; the value stays. */
  'drawing-before-value',
  /** Value and drawing are forged in an update behind the file. */
  'updated',
  /** The same, behind a signature. */
  'updated-after-signing',
  /** A field of the same name elsewhere in the form holds the forged value. */
  'second-field',
  /** A white box over the old text, new text upon it. */
  'overlaid-box',
  /** New text at the place of the old. */
  'overlaid-text',
] as const;
export type TamperKind = (typeof TAMPER_KINDS)[number];

/** One value that was forged. */
export interface Forgery {
  readonly field: CertificateField;
  /** As issued: not good enough. */
  readonly issued: string;
  readonly forged: string;
}

/** A forged file. Its truth is what the forger wants to be read: a certificate that would do. */
export interface TamperedCertificate {
  readonly bytes: Uint8Array;
  readonly layout: LayoutId;
  readonly kind: TamperKind;
  readonly forgery: Forgery;
  readonly truth: CertificateTruth;
}

const LAYOUT_IDS = Object.keys(LAYOUTS) as LayoutId[];
const SIGNATURE_BYTES = 512;
/** As many digits as an offset may take. */
const OFFSET_PLACEHOLDER = 1_111_111_111;

/** A certificate that was issued with one value that does not do, and was forged afterwards. */
export async function tamperedCertificate(
  seed: number,
  kind: TamperKind = TAMPER_KINDS[seed % TAMPER_KINDS.length],
  layout: LayoutId = LAYOUT_IDS[Math.floor(seed / TAMPER_KINDS.length) % LAYOUT_IDS.length],
): Promise<TamperedCertificate> {
  const truth = certificateTruth(seed, { deficiencies: [] });
  const forgery = forgeryOf(truth);
  const issued = { ...truth.fields, [forgery.field]: forgery.issued };
  const draft = await draftCertificate(LAYOUTS[layout], truth.endorsementPages);
  const bytes = kind.startsWith('overlaid')
    ? await forgePrint(draft, kind, forgery, issued)
    : await forgeForm(draft, kind, forgery, issued);
  return { bytes, layout, kind, forgery, truth };
}

/** What a forger would change in a certificate: a limit, the day that it ends, or whom it names. */
export function forgeryOf(truth: CertificateTruth): Forgery {
  const random = seededRandom(truth.seed ^ 0x70f9);
  const [field, issued] = random.pick([
    ['GeneralLiability_EachOccurrence_LimitAmount', '100,000'],
    ['WorkersCompensationEmployersLiability_EachAccidentLimitAmount', '100,000'],
    ['Policy_GeneralLiability_ExpirationDate', '01/02/2026'],
    ['CertificateHolder_FullName', 'Tamarack Flats Development Partners'],
  ] as const);
  return { field, issued, forged: truth.fields[field] ?? '' };
}

async function forgePrint(
  draft: CertificateDraft,
  kind: TamperKind,
  { field, forged }: Forgery,
  issued: CertificateTruth['fields'],
): Promise<Uint8Array> {
  drawValues(draft, issued);
  const cell = draft.layout.cells.find(candidate => candidate.field === field);
  if (!cell) throw new RangeError(`the layout has no ${field}`);
  const [left, top, right, bottom] = cell.box;
  if (kind === 'overlaid-box') {
    const place = { x: left, y: draft.layout.height - bottom, width: right - left, height: bottom - top };
    draft.page.drawRectangle({ ...place, color: rgb(1, 1, 1) });
  }
  drawValue(draft, cell, forged);
  return draft.document.save({ updateFieldAppearances: false });
}

async function forgeForm(
  draft: CertificateDraft,
  kind: TamperKind,
  { field, forged }: Forgery,
  issued: CertificateTruth['fields'],
): Promise<Uint8Array> {
  addFormFields(draft, issued);
  const { document } = draft;
  const text = document.getForm().getTextField(formName(field));
  if (kind === 'updated' || kind === 'updated-after-signing') {
    const isSigned = kind === 'updated-after-signing';
    if (isSigned) addSignature(document);
    const original = await document.save({ updateFieldAppearances: false, useObjectStreams: false });
    return updated(isSigned ? withByteRange(original) : original, field, forged);
  }
  if (kind === 'value-behind-drawing')
    text.acroField.dict.set(PDFName.of('V'), PDFHexString.fromText(forged));
  if (kind === 'drawing-before-value') {
    text.setText(forged);
    text.updateAppearances(draft.fonts.regular);
    text.acroField.dict.set(PDFName.of('V'), PDFHexString.fromText(issued[field] ?? ''));
  }
  if (kind === 'second-field') {
    const second = document.getForm().createTextField(`F[0].P2[0].${field}[0]`);
    second.setText(forged);
    second.addToPage(draft.page, {
      x: 300,
      y: 2,
      width: 100,
      height: 10,
      borderWidth: 0,
      font: draft.fonts.regular,
    });
    second.updateAppearances(draft.fonts.regular);
  }
  return document.save({ updateFieldAppearances: false });
}

/** The file with an update behind it, as an editor saves it. */
async function updated(original: Uint8Array, field: CertificateField, forged: string): Promise<Uint8Array> {
  const document = await PDFDocument.load(original, { updateMetadata: false, forIncrementalUpdate: true });
  const snapshot = document.takeSnapshot();
  const text = document.getForm().getTextField(formName(field));
  const font = await document.embedFont(StandardFonts.Helvetica);
  text.setText(forged);
  text.updateAppearances(font);
  for (const changed of [text.acroField.dict, ...text.acroField.getWidgets().map(({ dict }) => dict)]) {
    markChanged(document, snapshot, changed);
  }
  const update = await document.saveIncremental(snapshot, { useObjectStreams: false });
  const bytes = new Uint8Array(original.length + update.length);
  bytes.set(original);
  bytes.set(update, original.length);
  return bytes;
}

function markChanged(
  document: PDFDocument,
  snapshot: ReturnType<PDFDocument['takeSnapshot']>,
  object: PDFDict,
): void {
  const reference = document.context.getObjectRef(object);
  if (reference) snapshot.markRefForSave(reference);
}

/** The shape of a signature over the whole file; the bytes that would prove it are zeros. */
function addSignature(document: PDFDocument): void {
  const { context } = document;
  const offsets = PDFArray.withContext(context);
  for (const offset of [0, OFFSET_PLACEHOLDER, OFFSET_PLACEHOLDER, OFFSET_PLACEHOLDER]) {
    offsets.push(PDFNumber.of(offset));
  }
  const signature = context.obj({ Type: 'Sig', Filter: 'Adobe.PPKLite', SubFilter: 'adbe.pkcs7.detached' });
  signature.set(PDFName.of('Name'), PDFString.of('Synthetic Signer'));
  signature.set(PDFName.of('Contents'), PDFHexString.of('0'.repeat(2 * SIGNATURE_BYTES)));
  signature.set(PDFName.of('ByteRange'), offsets);
  const field = context.obj({ FT: 'Sig', Type: 'Annot', Subtype: 'Widget', Rect: [0, 0, 0, 0], F: 4 });
  field.set(PDFName.of('T'), PDFString.of('DocumentSignature'));
  field.set(PDFName.of('V'), context.register(signature));
  document.getForm().acroForm.addField(context.register(field));
}

/** Writes the offsets of what is signed over their placeholders, without moving a byte. */
function withByteRange(bytes: Uint8Array): Uint8Array {
  const text = new TextDecoder('latin1').decode(bytes);
  const from = text.indexOf(`<${'0'.repeat(2 * SIGNATURE_BYTES)}>`);
  const to = from + 2 * SIGNATURE_BYTES + 2;
  const range = /\/ByteRange \[[^\]]*\]/.exec(text);
  if (from < 0 || !range) throw new RangeError('the file has no signature to fill in');
  const offsets = `/ByteRange [ 0 ${from} ${to} ${bytes.length - to} ]`.padEnd(range[0].length, ' ');
  const signed = bytes.slice();
  signed.set(new TextEncoder().encode(offsets), range.index);
  return signed;
}

/** A signed certificate that nobody changed afterwards. */
export async function signedCertificate(seed: number, layout: LayoutId = 'columns'): Promise<Uint8Array> {
  const truth = certificateTruth(seed, { deficiencies: [] });
  const draft = await draftCertificate(LAYOUTS[layout], truth.endorsementPages);
  addFormFields(draft, truth.fields);
  addSignature(draft.document);
  return withByteRange(await draft.document.save({ updateFieldAppearances: false, useObjectStreams: false }));
}
