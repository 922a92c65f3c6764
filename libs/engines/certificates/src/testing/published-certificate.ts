import { PDFArray, PDFDict, PDFDocument, PDFName, PDFRef, PDFString, StandardFonts } from '@cantoo/pdf-lib';
import type { CertificateTruth } from './certificate-truth.js';
import { addFormFields, draftCertificate, drawValues, type TickStyle } from './draw-certificate.js';
import { type PublishedEdition, publishedLayout } from './published.layout.js';

/** How a certificate in the published form was made. */
export interface PublishedOptions {
  readonly edition?: PublishedEdition;
  /** A form to fill in, or a print of it with its ticks drawn so. */
  readonly print?: 'form' | TickStyle;
  /** Font of the values. */
  readonly font?: 'Helvetica' | 'Times-Roman' | 'Courier';
  /** With scripts that check its dates, as the published one has; of a form. */
  readonly isScripted?: boolean;
  /** The font of the values names its digits one by one (`/Differences`); of a form. */
  readonly namesGlyphs?: boolean;
}

const DIGITS = 'zero one two three four five six seven eight nine'.split(' ');

/** A certificate that stands where the published form has it, in words and drawing of our own. */
export async function publishedCertificate(
  truth: CertificateTruth,
  {
    edition = '2016/03',
    print = 'form',
    font = 'Helvetica',
    isScripted = false,
    namesGlyphs = false,
  }: PublishedOptions = {},
): Promise<Uint8Array> {
  const draft = await draftCertificate(publishedLayout(edition), truth.endorsementPages);
  const { document } = draft;
  const regular = await document.embedFont(StandardFonts[font === 'Times-Roman' ? 'TimesRoman' : font]);
  const filled = { ...draft, fonts: { ...draft.fonts, regular } };
  if (print === 'form') addFormFields(filled, truth.fields);
  else drawValues(filled, truth.fields, print);
  if (isScripted) addScripts(document);
  if (namesGlyphs) {
    // The font is written with the file; until then it is not there.
    await document.flush();
    const dict = document.context.lookup(regular.ref, PDFDict);
    const differences = [48, ...DIGITS.map(name => PDFName.of(name))];
    dict.set(
      PDFName.of('Encoding'),
      document.context.obj({
        Type: 'Encoding',
        BaseEncoding: 'WinAnsiEncoding',
        Differences: differences as PDFName[],
      }),
    );
  }
  return document.save({ updateFieldAppearances: false, useObjectStreams: false });
}

/** A script on opening, and one on each date: the published form defines functions and checks what is typed. */
function addScripts(document: PDFDocument): void {
  const action = (script: string) =>
    document.context.obj({ S: 'JavaScript', JS: PDFString.of(script) }) as PDFDict;
  document.catalog.set(PDFName.of('OpenAction'), action('function checked(text) { return text !== ""; }'));
  const fields = document.getForm().acroForm.dict.lookup(PDFName.of('Fields'), PDFArray);
  for (const field of fields.asArray()) {
    const dict = document.context.lookup(field as PDFRef, PDFDict);
    dict.set(PDFName.of('AA'), document.context.obj({ V: action('checked(event.value)') }));
  }
}
