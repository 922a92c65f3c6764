import {
  decodePDFRawStream,
  PDFArray,
  PDFDict,
  PDFName,
  PDFNumber,
  type PDFObject,
  PDFRawStream,
} from '@cantoo/pdf-lib';
import { letterOfGlyph } from './glyph-names.js';

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
  /** False where the text stands in glyphs that are not known, or in another stream: what it says is not known. */
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
  let letters: Letters = charOf;
  const fonts = fontsOf(object.dict);
  const tokens = Array.from(content.matchAll(TOKEN), ([token]) => token);
  for (const [at, token] of tokens.entries()) {
    if (token.startsWith('(') || (token.startsWith('<') && token !== '<<')) {
      strings.push(bytesOf(token).map(letters).join(''));
    } else if (token === 'Tf') letters = fonts?.get((tokens[at - 2] ?? '').slice(1)) ?? charOf;
    else if (/^(Tj|TJ|'|")$/.test(token)) {
      text += strings.join('');
      strokes += strings.length;
      strings = [];
    } else if (/^(S|s|f|F|f\*|B|B\*|b|b\*|sh)$/.test(token)) strokes++;
    else if (token === 'Do' || token === 'BI') usesOtherStreams = true;
    else if (/^[A-Za-z'"*]+$/.test(token)) strings = [];
  }
  return { text, isLegible: !usesOtherStreams && fonts !== undefined, strokes, tokens };
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

/** What a font draws for each byte. */
type Letters = (code: number) => string;

/**
 * The letters of each font of a stream; `undefined` where one does not draw one letter a byte, as composite fonts do, which
 * number their glyphs as they like, or names a glyph that is not known.
 */
function fontsOf(dict: PDFDict): ReadonlyMap<string, Letters> | undefined {
  const resources = dict.lookup(PDFName.of('Resources'));
  const fonts = resources instanceof PDFDict ? resources.lookup(PDFName.of('Font')) : undefined;
  const found = new Map<string, Letters>();
  if (!(fonts instanceof PDFDict)) return found;
  for (const name of fonts.keys()) {
    const font = fonts.lookup(name);
    if (!(font instanceof PDFDict)) return undefined;
    const type = font.lookup(PDFName.of('Subtype'));
    if (type === PDFName.of('Type0') || type === PDFName.of('Type3')) return undefined;
    const encoding = font.lookup(PDFName.of('Encoding'));
    const differences = encoding instanceof PDFDict ? encoding.lookup(PDFName.of('Differences')) : undefined;
    const letters = differences === undefined ? new Map<number, string>() : lettersOf(differences);
    if (!letters) return undefined;
    found.set(name.decodeText(), code => letters.get(code) ?? charOf(code));
  }
  return found;
}

/** Letters that a font draws in place of its encoding's: a code, and the glyphs from it on (PDF 32000-1, 9.6.6.1). */
function lettersOf(differences: PDFObject): ReadonlyMap<number, string> | undefined {
  const letters = new Map<number, string>();
  if (!(differences instanceof PDFArray)) return undefined;
  let code = 0;
  for (const part of differences.asArray().slice(0, 512)) {
    if (part instanceof PDFNumber) code = part.asNumber();
    else if (part instanceof PDFName) {
      const letter = letterOfGlyph(part.decodeText());
      if (letter === undefined) return undefined;
      letters.set(code++, letter);
    }
  }
  return letters;
}

function bytesOf(token: string): number[] {
  if (token.startsWith('<')) {
    const digits = token.slice(1, -1).replace(/\s/g, '');
    return (digits.match(/../g) ?? []).map(pair => parseInt(pair, 16));
  }
  const plain = token.slice(1, -1).replace(/\\(\r\n|[0-7]{1,3}|[\s\S])/g, (_, escape: string) => {
    if (/^[0-7]/.test(escape)) return String.fromCharCode(parseInt(escape, 8) & 0xff);
    if (/^[\r\n]/.test(escape)) return '';
    return ESCAPES[escape] ?? escape;
  });
  return [...plain].map(char => char.charCodeAt(0));
}

function charOf(code: number): string {
  return code >= 0x80 && code <= 0x9f ? WIN_ANSI_80[code - 0x80] : String.fromCharCode(code);
}
