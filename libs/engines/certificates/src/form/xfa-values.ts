import {
  PDFArray,
  PDFDict,
  type PDFDocument,
  PDFName,
  PDFRawStream,
  decodePDFRawStream,
} from '@cantoo/pdf-lib';
import type { CertificateField } from '../certificate-field.js';
import type { ExtractedField } from '../extracted-certificate.js';
import { parsePrintedDate } from '../rules/printed-date.js';
import { certificateFieldOf, printedValue } from './field-name.js';
import { acroFormOf, textOf } from './form-widget.js';

/** Characters of the data of such a form that are looked at: its whole description has a tenth of it. */
const DATA_CHARS_MAX = 1_000_000;
const PIECE_BYTES = 4_096;
/** An element without others in it. */
const LEAF = /<([A-Za-z_][\w.-]*)(?:\s[^<>]*)?>([^<]*)<\/\1\s*>/g;
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

const decoded = (text: string): string =>
  text.replace(/&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(amp|lt|gt|quot|apos));/gi, (all, hex, digits, name) => {
    if (name) return ENTITIES[String(name).toLowerCase()];
    const code = hex ? parseInt(hex, 16) : Number(digits);
    return code <= 0x10ffff ? String.fromCodePoint(code) : all;
  });

/** The data of the form that an XFA viewer shows, as XML; `undefined` where there are none. */
function dataOf(document: PDFDocument): string | undefined {
  const packets = acroFormOf(document)?.lookup(PDFName.of('XFA'));
  const streams: PDFRawStream[] = [];
  if (packets instanceof PDFRawStream) streams.push(packets);
  if (packets instanceof PDFArray) {
    for (let i = 0; i + 1 < Math.min(packets.size(), 64); i += 2) {
      const stream = packets.lookup(i + 1);
      if (textOf(packets.lookup(i)) === 'datasets' && stream instanceof PDFRawStream) streams.push(stream);
    }
  }
  if (streams.length === 0) return undefined;
  return streams.map(textOfStream).join('\n');
}

function textOfStream(stream: PDFRawStream): string {
  const data = decodePDFRawStream(stream);
  const text = new TextDecoder();
  let content = '';
  // Piece by piece: what is asked for is set aside before it is known whether there is as much.
  for (let piece = data.getBytes(PIECE_BYTES); piece.length > 0; piece = data.getBytes(PIECE_BYTES)) {
    content += text.decode(new Uint8Array(piece), { stream: true });
    if (content.length > DATA_CHARS_MAX) break;
  }
  return content;
}

/** Whether two printed values say the same: dates as days, everything else without blanks and case. */
function isSame(a: string | undefined, b: string | undefined): boolean {
  const plain = (text: string | undefined) => (text ?? '').replace(/\s+/g, '').toUpperCase();
  if (plain(a) === plain(b)) return true;
  const [first, second] = [a, b].map(text => parsePrintedDate(text ?? ''));
  return first.kind === 'date' && second.kind === 'date' && first.day === second.day;
}

/**
 * Where the second form of a file (XFA) would show something else than its fields do: such a file shows one value in one
 * viewer and another one in the next.
 * @returns in words; empty where the file has no second form, or both say the same
 */
export function differingXfaValues(
  document: PDFDocument,
  fields: Readonly<Partial<Record<CertificateField, ExtractedField>>>,
): string[] {
  const form = acroFormOf(document);
  if (!(form instanceof PDFDict) || !form.has(PDFName.of('XFA'))) return [];
  const data = dataOf(document);
  const shown = new Map<CertificateField, string | undefined>();
  for (const [, name, text] of (data ?? '').matchAll(LEAF)) {
    const field = certificateFieldOf(name);
    if (field) shown.set(field, printedValue(field, decoded(text)));
  }
  const differing = Object.entries(fields).find(
    ([field, { value }]) => !isSame(shown.get(field as CertificateField), value),
  );
  const other = [...shown].find(([field, value]) => value !== undefined && !fields[field]);
  const first = differing?.[0] ?? other?.[0];
  return first ? [`the second form of the file (XFA) shows another ${first}`] : [];
}
