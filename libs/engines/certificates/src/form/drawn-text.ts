import { decodePDFRawStream, PDFDict, PDFName, PDFRawStream, type PDFObject } from '@cantoo/pdf-lib';

/** Bytes of an appearance that are looked at: a page of text is a tenth of it. */
const APPEARANCE_BYTES_MAX = 262_144;
const PIECE_BYTES = 4_096;
/** Bytes 0x80 … 0x9f of the encoding that forms are written in (PDF 32000-1, annex D, WinAnsiEncoding). */
const WIN_ANSI_80 = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ';
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' };
/** Strings, names, numbers and operators of a content stream; comments are left out. */
const TOKEN =
  /\((?:\\[\s\S]|[^\\()]|\((?:\\[\s\S]|[^\\()])*\))*\)|<[0-9A-Fa-f\s]*>|\/[^\s/<>[\](){}%]*|%[^\r\n]*|[^\s/<>[\](){}%]+|[[\]]/g;

/** What an appearance draws, as far as it can be told without drawing it. */
export interface DrawnAppearance {
  /** Its text in the order of drawing, without spaces between the pieces. */
  readonly text: string;
  /** False where the text stands in characters of a font of its own, or in another stream: what it says is not known. */
  readonly isLegible: boolean;
  /** Lines, curves, areas and pieces of text that are painted. */
  readonly strokes: number;
  /** Its operators, strings, names and numbers. */
  readonly tokens: readonly string[];
}

/** What the stream of an appearance draws; `undefined` where there is none. */
export function drawnAppearance(object: PDFObject | undefined): DrawnAppearance | undefined {
  if (!(object instanceof PDFRawStream)) return undefined;
  const content = contentOf(object);
  if (content === undefined) return { text: '', isLegible: false, strokes: 0, tokens: [] };
  let text = '';
  let strokes = 0;
  let usesOtherStreams = false;
  let strings: string[] = [];
  const tokens = Array.from(content.matchAll(TOKEN), ([token]) => token);
  for (const token of tokens) {
    if (token.startsWith('(') || (token.startsWith('<') && token !== '<<')) strings.push(stringOf(token));
    else if (/^(Tj|TJ|'|")$/.test(token)) {
      text += strings.join('');
      strokes += strings.length;
      strings = [];
    } else if (/^(S|s|f|F|f\*|B|B\*|b|b\*|sh)$/.test(token)) strokes++;
    else if (token === 'Do' || token === 'BI') usesOtherStreams = true;
    else if (/^[A-Za-z'"*]+$/.test(token)) strings = [];
  }
  return { text, isLegible: !usesOtherStreams && hasPlainFonts(object.dict), strokes, tokens };
}

function contentOf(stream: PDFRawStream): string | undefined {
  try {
    const decoded = decodePDFRawStream(stream);
    const text = new TextDecoder('latin1');
    let content = '';
    // Piece by piece: what is asked for is set aside before it is known whether there is as much.
    for (let piece = decoded.getBytes(PIECE_BYTES); piece.length > 0; piece = decoded.getBytes(PIECE_BYTES)) {
      content += text.decode(new Uint8Array(piece), { stream: true });
      if (content.length > APPEARANCE_BYTES_MAX) return undefined;
    }
    return content;
  } catch {
    return undefined;
  }
}

/** Whether each font of the stream has one byte a character; composite fonts number their glyphs as they like. */
function hasPlainFonts(dict: PDFDict): boolean {
  const resources = dict.lookup(PDFName.of('Resources'));
  const fonts = resources instanceof PDFDict ? resources.lookup(PDFName.of('Font')) : undefined;
  if (!(fonts instanceof PDFDict)) return true;
  return fonts.keys().every(name => {
    const font = fonts.lookup(name);
    if (!(font instanceof PDFDict)) return false;
    const encoding = font.lookup(PDFName.of('Encoding'));
    const isRemapped = encoding instanceof PDFDict && encoding.has(PDFName.of('Differences'));
    const type = font.lookup(PDFName.of('Subtype'));
    return type !== PDFName.of('Type0') && type !== PDFName.of('Type3') && !isRemapped;
  });
}

function stringOf(token: string): string {
  if (token.startsWith('<')) {
    const digits = token.slice(1, -1).replace(/\s/g, '');
    return (digits.match(/../g) ?? []).map(pair => charOf(parseInt(pair, 16))).join('');
  }
  const plain = token.slice(1, -1).replace(/\\(\r\n|[0-7]{1,3}|[\s\S])/g, (_, escape: string) => {
    if (/^[0-7]/.test(escape)) return String.fromCharCode(parseInt(escape, 8) & 0xff);
    if (/^[\r\n]/.test(escape)) return '';
    return ESCAPES[escape] ?? escape;
  });
  return [...plain].map(char => charOf(char.charCodeAt(0))).join('');
}

function charOf(code: number): string {
  return code >= 0x80 && code <= 0x9f ? WIN_ANSI_80[code - 0x80] : String.fromCharCode(code);
}
