import { SdpError } from './sdp-error.js';

/** Characters of a description, and bytes of it in UTF-8. */
export const SDP_SIZE_MAX = 65_536;
export const SDP_LINES_MAX = 2_000;

/** One line of a description. */
export interface SdpLine {
  /** Counted from 1. */
  readonly number: number;
  readonly text: string;
  /** Of an attribute its name, as the most lenient reader might take it; of other lines undefined. */
  readonly looseName: string | undefined;
  /** Whether it stands behind the `m=` line of a section. */
  readonly isInMedia: boolean;
}

/** Text of which no character is refused, and each is one byte: nearly all there is. */
const PLAIN = /^[\x20-\x7e\r\n]*$/;
const LINE_END = /\r\n|\r|\n/;
/** A control character but CR and LF, a separator that ends a line for some readers, or half of a surrogate pair. */
const REFUSED_CHARACTER = /(?![\r\n])[\p{Cc}\p{Zl}\p{Zp}\p{Cs}]/u;
const BARE_CR = /\r(?!\n)/;
const LINE_SHAPE = /^[a-z]=/;

/**
 * The lines of a description. Each is read by itself later: so a line that stands there twice is seen twice, where a reading of
 * the whole keeps only the last one, and every fault has its line.
 *
 * Whatever two readers could split in different ways is refused. Otherwise a peer could show a fingerprint to this check
 * and another one to the library that opens the connection.
 *
 * @throws SdpError TOO_LONG, TOO_MANY_LINES, CHARACTER, LINE_END, LINE
 *
 * Source: RFC 8866 section 5.
 */
export function readLines(text: string): SdpLine[] {
  requireSize(text.length, 'characters');
  if (!PLAIN.test(text)) {
    requireCharacters(text);
    requireSize(new TextEncoder().encode(text).length, 'bytes');
  }
  requireLineEnds(text);
  const texts = text.split(LINE_END);
  if (texts.at(-1) === '') texts.pop();
  if (texts.length > SDP_LINES_MAX) {
    throw new SdpError('TOO_MANY_LINES', `a description has at most ${SDP_LINES_MAX} lines`, {
      bound: SDP_LINES_MAX,
      value: texts.length,
    });
  }
  let isInMedia = false;
  return texts.map((lineText, index) => {
    const number = index + 1;
    if (!LINE_SHAPE.test(lineText)) {
      const line = { number, text: lineText };
      throw new SdpError('LINE', 'a line is a small letter, an equals sign and a value', { line });
    }
    isInMedia ||= lineText.startsWith('m=');
    return { number, text: lineText, looseName: looseNameOf(lineText), isInMedia };
  });
}

function looseNameOf(text: string): string | undefined {
  if (!text.startsWith('a=')) return undefined;
  const end = text.indexOf(':');
  return text
    .slice('a='.length, end < 0 ? undefined : end)
    .trim()
    .toLowerCase();
}

function requireSize(size: number, unit: 'characters' | 'bytes'): void {
  if (size <= SDP_SIZE_MAX) return;
  throw new SdpError('TOO_LONG', `a description has at most ${SDP_SIZE_MAX} ${unit}, not ${size}`, {
    bound: SDP_SIZE_MAX,
    value: size,
  });
}

function requireCharacters(text: string): void {
  const refused = REFUSED_CHARACTER.exec(text);
  if (refused) {
    const codePoint = refused[0].codePointAt(0)!;
    const value = `U+${codePoint.toString(16).toUpperCase().padStart(4, '0')}`;
    const message = `the character ${value} has no place in a description`;
    throw new SdpError('CHARACTER', message, { line: lineAt(text, refused.index), value });
  }
}

function requireLineEnds(text: string): void {
  const bareCr = BARE_CR.exec(text);
  if (bareCr) {
    throw new SdpError('LINE_END', 'a CR alone ends a line for some readers and not for others', {
      line: lineAt(text, bareCr.index),
      bound: 'CRLF',
      value: 'CR',
    });
  }
}

function lineAt(text: string, index: number) {
  const before = text.slice(0, index).split(LINE_END);
  const rest = text.slice(index).split(LINE_END, 1)[0];
  return { number: before.length, text: before.at(-1)! + rest };
}
