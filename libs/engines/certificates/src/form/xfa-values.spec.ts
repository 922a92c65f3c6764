import { PDFArray, PDFDict, PDFDocument, PDFHexString, PDFName } from '@cantoo/pdf-lib';
import { certificateTruth, formName, publishedCertificate } from '../testing/index.js';
import { readFormFields } from './read-form-fields.js';

const TRUTH = certificateTruth(3, { deficiencies: [] });
const OCCURRENCE = 'GeneralLiability_EachOccurrence_LimitAmount';
const ISSUED = 'Form_CompletionDate';
const form = publishedCertificate(TRUTH);

const escaped = (text: string) => text.replace(/[&<>"']/g, sign => `&#x${sign.charCodeAt(0).toString(16)};`);

/** Signs of a form whose second form holds these data; absent where it has none. */
async function signsOf(values?: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const document = await PDFDocument.load(await form, { updateMetadata: false });
  const { context } = document;
  const leaves = Object.entries(values ?? {}).map(([field, value]) => {
    const leaf = formName(field as never)
      .split('.')
      .at(-1)!
      .replace(/\[\d+\]$/, '');
    return `<${leaf}>${escaped(value)}</${leaf}\n>`;
  });
  const xml = `<xfa:datasets xmlns:xfa="http://www.xfa.org/schema/xfa-data/1.0/"><xfa:data><F><P1>${leaves.join('')}</P1></F></xfa:data></xfa:datasets>`;
  const packets = PDFArray.withContext(context);
  for (const [name, text] of [['template', '<template/>'], ...(values ? [['datasets', xml]] : [])]) {
    packets.push(PDFHexString.fromText(name));
    packets.push(context.register(context.flateStream(text)));
  }
  context.lookup(document.catalog.get(PDFName.of('AcroForm')), PDFDict).set(PDFName.of('XFA'), packets);
  const read = await readFormFields(await document.save({ updateFieldAppearances: false }));
  return read?.tamperSigns ?? ['not read'];
}
const shows = (field: string) => [
  expect.stringMatching(`the second form of the file \\(XFA\\) shows another ${field}`),
];

describe('a file with a second form', () => {
  test('is as good as one without where both say the same, whatever the way that a day is written', async () => {
    const [month, day, year] = TRUTH.fields[ISSUED]!.split('/');
    expect(await signsOf(TRUTH.fields)).toEqual([]);
    expect(await signsOf({ ...TRUTH.fields, [ISSUED]: `${year}-${month}-${day}` })).toEqual([]);
  });

  test.each([
    ['says something else', { ...TRUTH.fields, [OCCURRENCE]: '5,000,000' }, OCCURRENCE],
    ['leaves a value out', { ...TRUTH.fields, [OCCURRENCE]: '' }, OCCURRENCE],
    ['says more', { ...TRUTH.fields, Insurer_FullName_F: 'Another & Sons' }, 'Insurer_FullName_F'],
  ])('shows a change where the second one %s', async (_, values, field) => {
    expect(await signsOf(values)).toEqual(shows(field));
  });

  test('shows a change where the second one has no data at all', async () => {
    expect(await signsOf()).toEqual([expect.stringMatching('the second form of the file')]);
  });
});
