import { PDFDocument, type PDFFont, type PDFPage, StandardFonts } from '@cantoo/pdf-lib';

/** US letter, points. */
const [WIDTH, HEIGHT] = [612, 792];
const MARGIN = 64;
const SIZE = 10.5;
const LINE_HEIGHT = 14.5;
const PAGES_MAX = 40;
const REPLACEMENT = '?';
const REPLACED =
  'Characters that the font of this file lacks are shown as question marks; the letter as text has all of them.';

/** One line as it is set. */
interface SetLine {
  readonly text: string;
  readonly font: PDFFont;
  readonly indent: number;
}

/**
 * A letter as PDF: wrapped, as many pages as it takes, page numbers. Text that the built-in font lacks loses its accents or
 * becomes question marks, and the letter says so.
 * @param issued of the document; the same letter of the same day is the same file
 * @throws RangeError for a text beyond 40 pages
 */
export async function letterPdf(text: string, issued: Date): Promise<Uint8Array> {
  const document = await PDFDocument.create({ updateMetadata: false });
  const [regular, bold] = [
    await document.embedFont(StandardFonts.Helvetica),
    await document.embedFont(StandardFonts.HelveticaBold),
  ];
  const printable = new Set(regular.getCharacterSet());
  const known = withKnownCharacters(text, printable);
  const lines = known.isComplete ? known.text : `${known.text}\n\n${REPLACED}`;
  const set = lines.split('\n').flatMap((line, index) => {
    const isTitle = index === 0 || (line.endsWith(':') && !line.startsWith(' ') && line.length < 60);
    return wrapped(line, isTitle ? bold : regular);
  });
  const perPage = Math.floor((HEIGHT - 2 * MARGIN) / LINE_HEIGHT);
  const pageCount = Math.ceil(set.length / perPage);
  if (pageCount > PAGES_MAX)
    throw new RangeError(`a letter has at most ${PAGES_MAX} pages, not ${pageCount}`);
  for (let number = 1; number <= pageCount; number++) {
    const page = document.addPage([WIDTH, HEIGHT]);
    drawPage(page, set.slice((number - 1) * perPage, number * perPage));
    const footer = `${number} / ${pageCount}`;
    page.drawText(footer, { x: WIDTH - MARGIN - 30, y: MARGIN / 2, size: 8, font: regular });
  }
  document.setTitle('Certificate of insurance: information needed');
  document.setCreationDate(issued);
  document.setModificationDate(issued);
  return document.save();
}

function drawPage(page: PDFPage, lines: readonly SetLine[]): void {
  lines.forEach(({ text, font, indent }, index) => {
    if (text === '') return;
    const y = HEIGHT - MARGIN - (index + 1) * LINE_HEIGHT;
    page.drawText(text, { x: MARGIN + indent, y, size: SIZE, font });
  });
}

/** A line as the lines that fit; those that follow keep its indent. */
function wrapped(line: string, font: PDFFont): SetLine[] {
  const spaces = /^ */.exec(line)![0].length;
  const indent = spaces * 4;
  const width = WIDTH - 2 * MARGIN - indent;
  const fits = (text: string) => font.widthOfTextAtSize(text, SIZE) <= width;
  const set: string[] = [];
  let current = '';
  for (const word of line.trim().split(/\s+/)) {
    for (const piece of fits(word) ? [word] : broken(word, fits)) {
      const joined = current === '' ? piece : `${current} ${piece}`;
      if (fits(joined)) current = joined;
      else {
        set.push(current);
        current = piece;
      }
    }
  }
  return [...set, current].map(text => ({ text, font, indent }));
}

/** A word that is wider than the line, in pieces that fit. */
function broken(word: string, fits: (text: string) => boolean): string[] {
  const pieces: string[] = [];
  let piece = '';
  for (const char of word) {
    if (piece !== '' && !fits(piece + char)) {
      pieces.push(piece);
      piece = '';
    }
    piece += char;
  }
  return [...pieces, piece];
}

/** The text in characters of the font: as they are, without their accents, or replaced. */
function withKnownCharacters(
  text: string,
  printable: ReadonlySet<number>,
): { text: string; isComplete: boolean } {
  let isComplete = true;
  const isKnown = (char: string) => char === '\n' || printable.has(char.codePointAt(0)!);
  const known = [
    ...text
      .normalize('NFC')
      .replace(/\r\n?|[\u2028\u2029]/g, '\n')
      .replace(/\t/g, ' '),
  ].map(char => {
    if (isKnown(char)) return char;
    const plain = char.normalize('NFKD').replace(/\p{M}/gu, '');
    if (plain !== '' && [...plain].every(isKnown)) return plain;
    isComplete = false;
    return REPLACEMENT;
  });
  return { text: known.join(''), isComplete };
}
