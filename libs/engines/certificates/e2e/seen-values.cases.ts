import { PDFDocument, PDFName, type PDFPage, rgb } from '@cantoo/pdf-lib';
import { fieldBoxes, generateCertificate, LAYOUTS } from '../src/testing/index.js';
import { reader } from './warm-reader.js';

const IS_LONG = process.env.SUITE_TIER === 'long';
const EACH = 'GeneralLiability_EachOccurrence_LimitAmount';
const PLACE = fieldBoxes(LAYOUTS.columns).get(EACH)!;
const base = generateCertificate(41, { layout: 'columns', variant: 'flattened', deficiencies: [] });

/** The certificate with something done to its first page; its boxes are measured from the top. */
async function changed(change: (page: PDFPage, document: PDFDocument) => unknown): Promise<Uint8Array> {
  const document = await PDFDocument.load((await base).bytes);
  await change(document.getPage(0), document);
  return document.save();
}
const signsOf = async (bytes: Uint8Array) => (await reader.read(bytes)).tamperSigns.join('\n');
const bottomOf = (page: PDFPage) => page.getHeight() - PLACE[3];
const [LEFT, TOP, RIGHT, BOTTOM] = PLACE;

/** A note over the amount, as viewers draw it. */
function note(page: PDFPage, document: PDFDocument, subtype: string, hasCorners = true): void {
  const y = bottomOf(page);
  const quad = [LEFT, y + 10, RIGHT, y + 10, LEFT, y, RIGHT, y];
  const annotation = {
    Type: 'Annot',
    Subtype: subtype,
    Rect: [LEFT, y, RIGHT, y + 10],
    F: 4,
    ...(hasCorners ? { QuadPoints: quad } : {}),
  };
  page.node.set(PDFName.of('Annots'), document.context.obj([document.context.obj(annotation)]));
}

const CHANGES: readonly (readonly [string, RegExp, (page: PDFPage, document: PDFDocument) => unknown])[] = [
  [
    'a white area over a value',
    new RegExp(EACH),
    page =>
      page.drawRectangle({
        x: LEFT - 1,
        y: bottomOf(page) - 1,
        width: RIGHT - LEFT + 2,
        height: BOTTOM - TOP + 2,
        color: rgb(1, 1, 1),
      }),
  ],
  [
    'a line through a value',
    /a line goes through/,
    page => {
      const y = page.getHeight() - (TOP + BOTTOM) / 2 - 1;
      page.drawLine({ start: { x: LEFT - 2, y }, end: { x: RIGHT, y }, thickness: 1 });
    },
  ],
  [
    'a page that says what it does not show',
    /is seen where|nothing is seen/,
    page => page.drawRectangle({ x: 0, y: 0, width: 612, height: 792, color: rgb(1, 1, 1) }),
  ],
  ['a note on it', /a note or a stamp \(FreeText\)/, (page, document) => note(page, document, 'FreeText')],
  ['a text struck out by a note', /\(StrikeOut\)/, (page, document) => note(page, document, 'StrikeOut')],
  [
    'a text struck out by a note that the library leaves out',
    /\(StrikeOut\) that not every viewer shows/,
    (page, document) => note(page, document, 'StrikeOut', false),
  ],
  [
    'a word across it',
    /"VOID" is stamped/,
    page => page.drawText('VOID', { x: 300, y: 20, size: 30, color: rgb(1, 0, 0) }),
  ],
];

/** What reads in pictures, in drawings and in notes at commit; a page takes seconds. */
const TRIED = CHANGES.filter((_, i) => IS_LONG || [0, 3].includes(i));

export function describeSeenValues(): void {
  describe('seen values', () => {
    it.each(TRIED)('tells of %s', async (_what, sign, change) => {
      expect(await signsOf(await changed(change))).toMatch(sign);
    });

    it('tells of a second certificate that says something else, and not of a copy', async () => {
      const { bytes } = await base;
      const other = await generateCertificate(42, {
        layout: 'columns',
        variant: 'flattened',
        deficiencies: [],
      });
      const withPage = async (from: Uint8Array) =>
        changed(async (_page, document) => {
          const [copy] = await document.copyPages(await PDFDocument.load(from), [0]);
          document.addPage(copy);
        });
      expect(await signsOf(await withPage(other.bytes))).toMatch(/another certificate/);
      // The first page is as it was issued: of that there is nothing to tell either.
      expect(await signsOf(await withPage(bytes))).toBe('');
    });

    // At commit the text layer's three layouts hold that of files with nothing done to them.
    if (IS_LONG)
      it('finds nothing to tell of a certificate that is what it shows', async () => {
        expect(await signsOf(await changed(() => undefined))).toBe('');
      });
  });
}
