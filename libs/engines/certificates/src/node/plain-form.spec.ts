import { PDFDict, PDFDocument, PDFName, PDFRawStream } from '@cantoo/pdf-lib';
import { generateCertificate } from '../testing/index.js';
import { readCertificate } from './read-certificate.js';
import type { Recogniser } from './recogniser.js';

const EACH = /EachOccurrence_LimitAmount/;
const base = generateCertificate(11, { layout: 'columns', variant: 'fillable', deficiencies: [] });

const ASKED = new Error('asked');
/** Ends the reading when it is asked for anything: what it would be asked for next takes longer than all before. */
const asking = { words: () => Promise.reject(ASKED) } as unknown as Recogniser;

/** Whether characters have to be recognised to read a form. */
async function isRecognised(bytes: Uint8Array): Promise<boolean> {
  return readCertificate(bytes, asking).then(
    () => false,
    (reason: unknown) => {
      if (reason !== ASKED) throw reason;
      return true;
    },
  );
}

/** The certificate with the stream of one value's appearance changed. */
async function redrawn(change: (content: string, dict: PDFDict) => string): Promise<Uint8Array> {
  const document = await PDFDocument.load((await base).bytes);
  const field = document
    .getForm()
    .getFields()
    .find(({ getName }, i, all) => getName !== undefined && EACH.test(all[i].getName()))!;
  const [widget] = field.acroField.getWidgets();
  const normal = widget.getAppearances()!.normal as PDFRawStream;
  const content = Buffer.from(normal.getContents()).toString('latin1');
  const plain = normal.dict.has(PDFName.of('Filter'))
    ? (await import('node:zlib')).inflateSync(normal.getContents()).toString('latin1')
    : content;
  const next = PDFRawStream.of(
    normal.dict,
    new Uint8Array(Buffer.from(change(plain, normal.dict), 'latin1')),
  );
  next.dict.delete(PDFName.of('Filter'));
  widget.setNormalAppearance(document.context.register(next));
  return document.save({ updateFieldAppearances: false });
}

it('recognises nothing of a form that is drawn as fillers of forms do', async () => {
  expect(await isRecognised((await base).bytes)).toBe(false);
  expect(await isRecognised(await redrawn(content => content))).toBe(false);
});

/** How a value can be drawn so that it is not seen, or not as it reads. */
const DRAWN: readonly (readonly [string, (content: string, dict: PDFDict) => string])[] = [
  [
    'in white',
    content => content.replace(/\bBT\b/, 'BT 1 g').replace(/(?<=BT 1 g[\s\S]*)0 (0 0 )?r?g\b/, '1 g'),
  ],
  ['in a mode that draws nothing', content => content.replace(/\bBT\b/, 'BT 3 Tr')],
  ['in letters too small to see', content => content.replace(/(\/\S+) [\d.]+ Tf/, '$1 0.4 Tf')],
  [
    'outside of its field',
    content =>
      content.replace(/\bBT\b/, 'BT 900 0 Td').replace(/1 0 0 1 [\d.]+ [\d.]+ Tm/, '1 0 0 1 900 2 Tm'),
  ],
  ['under a clip', content => content.replace(/\bBT\b/, '0 0 1 1 re W n BT')],
  [
    'in a font of its own',
    (content, dict) => {
      const fonts = (dict.lookup(PDFName.of('Resources')) as PDFDict).lookup(PDFName.of('Font')) as PDFDict;
      (fonts.lookup(fonts.keys()[0]) as PDFDict).set(PDFName.of('FontDescriptor'), dict.context.obj({}));
      return content;
    },
  ],
];

it.each(DRAWN.filter((_, i) => process.env.SUITE_TIER === 'long' || i % 2 === 0))(
  'looks at a form whose value is drawn %s',
  async (_how, change) => {
    expect(await isRecognised(await redrawn(change))).toBe(true);
  },
);
