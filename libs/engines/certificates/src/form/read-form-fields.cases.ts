import { PDFDocument, PDFName, PDFString } from '@cantoo/pdf-lib';
import {
  formName,
  generateCertificate,
  LAYOUTS,
  signedCertificate,
  TAMPER_KINDS,
  tamperedCertificate,
} from '../testing/index.js';
import { readFormFields } from './read-form-fields.js';

/** Seeds of certificates, one after the other. */
interface Seeds {
  readonly from: number;
  readonly count: number;
}
const seedsOf = ({ from, count }: Seeds) => Array.from({ length: count }, (_, i) => from + i);

/** Ways to forge a form. */
export const FORM_KINDS = TAMPER_KINDS.filter(kind => !kind.startsWith('overlaid'));
const OCCURRENCE = 'GeneralLiability_EachOccurrence_LimitAmount';

const soundForm = generateCertificate(0, { deficiencies: [] });

/** A sound form, after something was done to it. */
async function changed(change: (document: PDFDocument) => void): Promise<string[]> {
  const { bytes } = await soundForm;
  const document = await PDFDocument.load(bytes, { updateMetadata: false });
  change(document);
  const read = await readFormFields(await document.save({ updateFieldAppearances: false }));
  return [...(read?.tamperSigns ?? ['not read'])];
}

const textField = (document: PDFDocument) => document.getForm().getTextField(formName(OCCURRENCE));
const checkBox = (document: PDFDocument) =>
  document.getForm().getCheckBox(formName('GeneralLiability_ClaimsMadeIndicator'));

export function describeReadForms(seeds: Seeds): void {
  test('every field of a form is read as it was filled in, at its place, without a sign of tampering', async () => {
    for (const seed of seedsOf(seeds)) {
      const { bytes, truth, layout } = await generateCertificate(seed);
      const read = await readFormFields(bytes);
      const values = Object.fromEntries(
        Object.entries(read?.fields ?? {}).map(([name, { value }]) => [name, value]),
      );
      expect([seed, values]).toEqual([seed, truth.fields]);
      expect([seed, read?.tamperSigns]).toEqual([seed, []]);
      for (const { field, box } of LAYOUTS[layout].cells) {
        const got = read?.fields[field];
        if (got) box.forEach((edge, i) => expect(got.box?.[i]).toBeCloseTo(edge, 1));
      }
    }
  });
}

export function describeForgedForms(seeds: Seeds, kinds = FORM_KINDS): void {
  test.each(kinds)('a form that was forged by %s shows a sign that names the field', async kind => {
    for (const seed of seedsOf(seeds)) {
      const { bytes, forgery } = await tamperedCertificate(seed, kind);
      const read = await readFormFields(bytes);
      expect(read?.tamperSigns.join()).toContain(forgery.field);
    }
  });
}

export function describeFormSigns(): void {
  describe('form fields', () => {
    test('a signature over all of the file is no sign, and one byte behind it is', async () => {
      const signed = await signedCertificate(1);
      expect((await readFormFields(signed))?.tamperSigns).toEqual([]);
      const longer = Uint8Array.from([...signed, ...new TextEncoder().encode('\n%%EOF\n')]);
      expect((await readFormFields(longer))?.tamperSigns.join()).toMatch(/changed after it was signed/);
    });

    test('a flattened certificate and the form of something else are not read as a form', async () => {
      expect(
        await readFormFields((await generateCertificate(0, { variant: 'flattened' })).bytes),
      ).toBeUndefined();
      const other = await PDFDocument.create();
      other.getForm().createTextField('Applicant_FullName').addToPage(other.addPage());
      expect(await readFormFields(await other.save())).toBeUndefined();
    });

    test('a value that no viewer shows is a sign: hidden, of no extent, or without an appearance', async () => {
      const widget = (document: PDFDocument) => textField(document).acroField.getWidgets()[0].dict;
      const hidden = await changed(document =>
        widget(document).set(PDFName.of('F'), document.context.obj(2)),
      );
      expect(hidden).toEqual([`${OCCURRENCE} has a value that no page shows`]);
      const tiny = await changed(document =>
        widget(document).set(PDFName.of('Rect'), document.context.obj([9, 9, 9, 9])),
      );
      expect(tiny).toEqual([`${OCCURRENCE} has a value that no page shows`]);
      const undrawn = await changed(document => void widget(document).delete(PDFName.of('AP')));
      expect(undrawn).toEqual([`${OCCURRENCE} shows something other than its value`]);
    });

    test('a viewer that is told to draw values itself needs no appearance, and none that says something else', async () => {
      const drawnByViewer = (document: PDFDocument) => {
        document.getForm().acroForm.dict.set(PDFName.of('NeedAppearances'), document.context.obj(true));
        return textField(document).acroField;
      };
      const missing = await changed(document => {
        drawnByViewer(document).getWidgets()[0].dict.delete(PDFName.of('AP'));
      });
      expect(missing).toEqual([]);
      const other = await changed(document => {
        drawnByViewer(document).dict.set(PDFName.of('V'), PDFString.of('9,000,000'));
      });
      expect(other).toEqual([`${OCCURRENCE} shows something other than its value`]);
    });

    test('a box whose drawn state is not its value, or that looks ticked when it is not, is a sign', async () => {
      const field = 'GeneralLiability_ClaimsMadeIndicator';
      const ticked = await changed(document => {
        checkBox(document).acroField.dict.set(PDFName.of('V'), PDFName.of('Yes'));
      });
      expect(ticked).toEqual([`${field} shows something other than its value`]);
      const alike = await changed(document => {
        const states = checkBox(document).acroField.getWidgets()[0].getAppearances()?.normal;
        if (states && 'set' in states) states.set(PDFName.of('Off'), states.get(PDFName.of('Yes')) ?? states);
      });
      expect(alike).toEqual([`${field} is drawn ticked and unticked alike`]);
    });

    test('a note that covers a field is a sign, and one beside it is not', async () => {
      const note = (rect: number[]) => (document: PDFDocument) => {
        const { context } = document;
        const annotation = context.obj({
          Type: 'Annot',
          Subtype: 'FreeText',
          Rect: rect,
          Contents: PDFString.of('2,000,000'),
        });
        document.getPage(0).node.addAnnot(context.register(annotation));
      };
      const box = LAYOUTS.columns.cells.find(({ field }) => field === OCCURRENCE)?.box ?? [0, 0, 0, 0];
      const over = [box[0], 792 - box[3], box[2], 792 - box[1]];
      expect(await changed(note(over))).toEqual([`${OCCURRENCE} lies under a note or a stamp`]);
      expect(await changed(note([10, 10, 20, 20]))).toEqual([]);
    });

    test('fields that are their own children end', async () => {
      const signs = await changed(document => {
        const { context } = document;
        const loop = context.obj({ T: PDFString.of('Loop'), FT: 'Tx' });
        const reference = context.register(loop);
        loop.set(PDFName.of('Kids'), context.obj([reference, reference]));
        document.getForm().acroForm.addField(reference);
      });
      expect(signs).toEqual([]);
    });
  });
}
