import { PDFDict, PDFDocument, PDFName, type PDFObject } from '@cantoo/pdf-lib';
import { drawnAppearance } from './drawn-text.js';

const document = await PDFDocument.create();

function drawn(content: string | Uint8Array, entries: Record<string, PDFObject> = {}) {
  const stream = document.context.flateStream(content as string);
  for (const [name, value] of Object.entries(entries)) stream.dict.set(PDFName.of(name), value);
  const bytes = stream.getContents();
  return drawnAppearance(
    document.context.stream(
      bytes,
      Object.fromEntries(stream.dict.entries().map(([k, v]) => [k.decodeText(), v])),
    ),
  );
}

const resources = (font: Record<string, unknown>) => ({
  Resources: document.context.obj({ Font: { F1: font as Record<string, string> } }) as PDFDict,
});

describe('text of an appearance', () => {
  test.each([
    ['a string', '/Tx BMC BT /Helv 8 Tf (1,000,000) Tj ET EMC', '1,000,000'],
    ['parentheses inside', 'BT ((903) 555-0101) Tj ET', '(903) 555-0101'],
    ['escapes', String.raw`BT (a\(b\)\\\101\n) Tj ET`, 'a(b)\\A\n'],
    ['hexadecimal digits', 'BT <31 2C30> Tj ET', '1,0'],
    ['pieces with kerning', 'BT [(1,0) -20 (00)] TJ ET', '1,000'],
    ['lines', "BT (one) Tj T* (two) Tj (three) ' ET", 'onetwothree'],
    ['letters beyond ASCII', 'BT (\x93O\x92Dell\x94 \xe9) Tj ET', '“O’Dell” é'],
    ['a string that is not shown', '/Span << /ActualText (9,000,000) >> BDC BT (100) Tj ET EMC', '100'],
    ['a comment', 'BT (100) Tj % (9,000,000) Tj\nET', '100'],
  ])('%s is read as viewers show it', (_, content, text) => {
    const bytes = Uint8Array.from(content, char => char.charCodeAt(0));
    expect(drawn(bytes)).toMatchObject({ text, isLegible: true });
  });

  test('a composite font, glyphs that a font made up and another stream are not legible', () => {
    const withFont = (font: Record<string, unknown>) => drawn('BT (1) Tj ET', resources(font));
    expect(withFont({ Subtype: 'Type0' })?.isLegible).toBe(false);
    expect(withFont({ Subtype: 'Type3' })?.isLegible).toBe(false);
    const made = { Subtype: 'TrueType', Encoding: { Differences: [49, 'g17'] } };
    expect(drawn('BT /F1 8 Tf (1) Tj ET', resources(made))?.isLegible).toBe(false);
    expect(withFont({ Subtype: 'Type1' })?.isLegible).toBe(true);
    expect(drawn('q /Other Do Q')?.isLegible).toBe(false);
  });

  test('a font with other letters in the place of some is read by the names of their glyphs', () => {
    const swapped = resources({
      Subtype: 'Type1',
      Encoding: { Type: 'Encoding', Differences: [49, 'nine', 'comma', 97, 'uni0030'] },
    });
    expect(drawn('BT /F1 8 Tf (12aa3) Tj ET', swapped)).toMatchObject({ text: '9,003', isLegible: true });
    // Without that font set, or with another one, bytes are what they are.
    expect(drawn('BT /F2 8 Tf (12) Tj ET', swapped)?.text).toBe('12');
  });

  test('an appearance of megabytes is cut off, not read', () => {
    expect(drawn('BT (1) Tj ET\n'.repeat(100_000))?.isLegible).toBe(false);
  });
});
